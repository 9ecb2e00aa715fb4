// The way from the cluster's bus to the banks of L2 in the public RTL, and back: the cluster's isolation
// and its side of the clock crossing (pulp_cluster), the SoC's side and the bridge to the banks (pulp_soc).
// The crossbar of the banks grants at once, and they answer in the next cycle.
`include "axi/typedef.svh"

module l2_top (
    input logic cluster_clk_i,
    input logic soc_clk_i,
    input logic rst_ni,
    input logic ar_valid_i,
    input logic [7:0] ar_len_i,
    output logic ar_ready_o,
    output logic r_valid_o,
    output logic r_last_o,
    input logic aw_valid_i,
    input logic w_valid_i,
    output logic aw_ready_o,
    output logic w_ready_o,
    output logic b_valid_o
);
  typedef logic [31:0] addr_t;
  typedef logic [63:0] data_t;
  typedef logic [7:0] strb_t;
  typedef logic [5:0] id_t;
  typedef logic [5:0] user_t;
  `AXI_TYPEDEF_AW_CHAN_T(aw_t, addr_t, id_t, user_t)
  `AXI_TYPEDEF_W_CHAN_T(w_t, data_t, strb_t, user_t)
  `AXI_TYPEDEF_B_CHAN_T(b_t, id_t, user_t)
  `AXI_TYPEDEF_AR_CHAN_T(ar_t, addr_t, id_t, user_t)
  `AXI_TYPEDEF_R_CHAN_T(r_t, data_t, id_t, user_t)
  `AXI_TYPEDEF_REQ_T(req_t, aw_t, w_t, ar_t)
  `AXI_TYPEDEF_RESP_T(resp_t, b_t, r_t)
  localparam int unsigned Log = 3;

  req_t bus_req, out_req, soc_req;
  resp_t bus_resp, out_resp, soc_resp;

  always_comb begin
    bus_req = '0;
    bus_req.ar_valid = ar_valid_i;
    bus_req.ar.addr = 32'h1c010000;
    bus_req.ar.len = ar_len_i;
    bus_req.ar.size = ar_len_i == 0 ? 3'd2 : 3'd3;
    bus_req.ar.burst = axi_pkg::BURST_INCR;
    bus_req.r_ready = 1'b1;
    bus_req.aw_valid = aw_valid_i;
    bus_req.aw.addr = 32'h1c010000;
    bus_req.aw.size = 3'd2;
    bus_req.aw.burst = axi_pkg::BURST_INCR;
    bus_req.w_valid = w_valid_i;
    bus_req.w.strb = 8'h0f;
    bus_req.w.last = 1'b1;
    bus_req.b_ready = 1'b1;
  end
  assign ar_ready_o = bus_resp.ar_ready;
  assign r_valid_o = bus_resp.r_valid;
  assign r_last_o = bus_resp.r.last;
  assign aw_ready_o = bus_resp.aw_ready;
  assign w_ready_o = bus_resp.w_ready;
  assign b_valid_o = bus_resp.b_valid;

  axi_isolate #(
      .NumPending(8),
      .TerminateTransaction(1),
      .AtopSupport(1),
      .AxiAddrWidth(32),
      .AxiDataWidth(64),
      .AxiIdWidth(6),
      .AxiUserWidth(6),
      .axi_req_t(req_t),
      .axi_resp_t(resp_t)
  ) i_isolate (
      .clk_i(cluster_clk_i),
      .rst_ni,
      .slv_req_i(bus_req),
      .slv_resp_o(bus_resp),
      .mst_req_o(out_req),
      .mst_resp_i(out_resp),
      .isolate_i(1'b0),
      .isolated_o()
  );

  aw_t [2**Log-1:0] aw_data;
  w_t [2**Log-1:0] w_data;
  b_t [2**Log-1:0] b_data;
  ar_t [2**Log-1:0] ar_data;
  r_t [2**Log-1:0] r_data;
  logic [Log:0] aw_w, aw_r, w_w, w_r, b_w, b_r, ar_w, ar_r, r_w, r_r;

  axi_cdc_src #(
      .aw_chan_t(aw_t),
      .w_chan_t(w_t),
      .b_chan_t(b_t),
      .r_chan_t(r_t),
      .ar_chan_t(ar_t),
      .axi_req_t(req_t),
      .axi_resp_t(resp_t),
      .LogDepth(Log),
      .SyncStages(3)
  ) i_cluster_side (
      .src_rst_ni(rst_ni),
      .src_clk_i(cluster_clk_i),
      .src_req_i(out_req),
      .src_resp_o(out_resp),
      .async_data_master_aw_wptr_o(aw_w),
      .async_data_master_aw_rptr_i(aw_r),
      .async_data_master_aw_data_o(aw_data),
      .async_data_master_w_wptr_o(w_w),
      .async_data_master_w_rptr_i(w_r),
      .async_data_master_w_data_o(w_data),
      .async_data_master_ar_wptr_o(ar_w),
      .async_data_master_ar_rptr_i(ar_r),
      .async_data_master_ar_data_o(ar_data),
      .async_data_master_b_wptr_i(b_w),
      .async_data_master_b_rptr_o(b_r),
      .async_data_master_b_data_i(b_data),
      .async_data_master_r_wptr_i(r_w),
      .async_data_master_r_rptr_o(r_r),
      .async_data_master_r_data_i(r_data)
  );

  axi_cdc_dst #(
      .aw_chan_t(aw_t),
      .w_chan_t(w_t),
      .b_chan_t(b_t),
      .r_chan_t(r_t),
      .ar_chan_t(ar_t),
      .axi_req_t(req_t),
      .axi_resp_t(resp_t),
      .LogDepth(Log)
  ) i_soc_side (
      .dst_rst_ni(rst_ni),
      .dst_clk_i(soc_clk_i),
      .dst_req_o(soc_req),
      .dst_resp_i(soc_resp),
      .async_data_slave_aw_wptr_i(aw_w),
      .async_data_slave_aw_rptr_o(aw_r),
      .async_data_slave_aw_data_i(aw_data),
      .async_data_slave_w_wptr_i(w_w),
      .async_data_slave_w_rptr_o(w_r),
      .async_data_slave_w_data_i(w_data),
      .async_data_slave_ar_wptr_i(ar_w),
      .async_data_slave_ar_rptr_o(ar_r),
      .async_data_slave_ar_data_i(ar_data),
      .async_data_slave_b_wptr_o(b_w),
      .async_data_slave_b_rptr_i(b_r),
      .async_data_slave_b_data_o(b_data),
      .async_data_slave_r_wptr_o(r_w),
      .async_data_slave_r_rptr_i(r_r),
      .async_data_slave_r_data_o(r_data)
  );

  logic [3:0] mem_req, mem_rvalid;
  logic [3:0][31:0] mem_rdata;
  assign mem_rdata = '0;
  always_ff @(posedge soc_clk_i or negedge rst_ni)
    if (!rst_ni) mem_rvalid <= '0;
    else mem_rvalid <= mem_req;

  axi_to_mem_split #(
      .axi_req_t(req_t),
      .axi_resp_t(resp_t),
      .AddrWidth(32),
      .AxiDataWidth(64),
      .IdWidth(6),
      .MemDataWidth(32),
      .BufDepth(2),
      .HideStrb(1),
      .OutFifoDepth(2)
  ) i_bridge (
      .clk_i(soc_clk_i),
      .rst_ni,
      .test_i(1'b0),
      .busy_o(),
      .axi_req_i(soc_req),
      .axi_resp_o(soc_resp),
      .mem_req_o(mem_req),
      .mem_gnt_i(4'hf),
      .mem_addr_o(),
      .mem_wdata_o(),
      .mem_strb_o(),
      .mem_atop_o(),
      .mem_we_o(),
      .mem_rvalid_i(mem_rvalid),
      .mem_rdata_i(mem_rdata)
  );
endmodule
