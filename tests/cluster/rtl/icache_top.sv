// Cores in front of the instruction cache (hier-icache as in pulp_cluster), which is on from the
// start; the memory behind it is in icache_trace.cpp. Each CV32E40P is behind the cluster's adapter; with RI5CY
// defined there is none.
module icache_top (
    input  logic                    clk,
    input  logic                    rst_n,       // caches
    input  logic                    cores_rst_n,
    input  logic [31:0]             boot,
    input  logic                    prefetch,
    output logic                    ar_valid,
    output logic [31:0]             ar_addr,
    output logic [ 5:0]             ar_id,
    input  logic                    r_valid,
    output logic                    r_ready,
    input  logic [63:0]             r_data,
    input  logic [ 5:0]             r_id,
    input  logic                    r_last,
    output logic [`CORES-1:0]       leaves,
    output logic [`CORES-1:0][31:0] pc
);
  logic [`CORES-1:0] req, gnt, rvalid;
  logic [`CORES-1:0][31:0] addr, rdata;

  for (genvar i = 0; i < `CORES; i++) begin : g_core
    // Nothing but instructions: data accesses read zero at once.
    logic data_req, data_valid;
    always_ff @(posedge clk, negedge rst_n)
      if (!rst_n) data_valid <= 1'b0;
      else data_valid <= data_req;
    logic core_req;
    core dut (
        .clk,
        .rst_n(cores_rst_n),
        .boot,
        .number(4'(i)),
        .instr_req(core_req),
        .instr_gnt(gnt[i]),
        .instr_rvalid(rvalid[i]),
        .instr_addr(addr[i]),
        .instr_rdata(rdata[i]),
        .data_req,
        .data_gnt(1'b1),
        .data_rvalid(data_valid),
        .data_rdata('0),
        .irq('0),
        .leaves(leaves[i]),
        .pc(pc[i])
    );
`ifdef RI5CY
    assign req[i] = core_req;
`else
    obi_pulp_adapter adapter (
        .rst_ni(cores_rst_n),
        .clk_i(clk),
        .setback_i(1'b0),
        .core_req_i(core_req),
        .mem_gnt_i(gnt[i]),
        .mem_rvalid_i(rvalid[i]),
        .mem_req_o(req[i])
    );
`endif
  end

  SP_ICACHE_CTRL_UNIT_BUS shared_control[1:0] ();
  PRI_ICACHE_CTRL_UNIT_BUS private_control[`CORES-1:0] ();
  for (genvar i = 0; i < 2; i++) begin : g_shared
    assign shared_control[i].ctrl_req_enable = 1'b1;
    assign shared_control[i].ctrl_req_disable = 1'b0;
    assign shared_control[i].ctrl_flush_req = 1'b0;
    assign shared_control[i].sel_flush_req = 1'b0;
    assign shared_control[i].sel_flush_addr = '0;
    assign shared_control[i].ctrl_clear_regs = 1'b0;
    assign shared_control[i].ctrl_enable_regs = 1'b0;
  end
  for (genvar i = 0; i < `CORES; i++) begin : g_private
    assign private_control[i].bypass_req = 1'b0;
    assign private_control[i].flush_req = 1'b0;
    assign private_control[i].sel_flush_req = 1'b0;
    assign private_control[i].sel_flush_addr = '0;
    assign private_control[i].ctrl_clear_regs = 1'b0;
    assign private_control[i].ctrl_enable_regs = 1'b0;
  end

  icache_hier_top #(
      .PRI_FETCH_DATA_WIDTH(32),
      .NB_CORES(`CORES),
      .PRI_NB_WAYS(4),
      .USE_REDUCED_TAG("FALSE")
  ) caches (
      .clk,
      .rst_n,
      .test_en_i(1'b0),
      .fetch_req_i(req),
      .fetch_addr_i(addr),
      .fetch_gnt_o(gnt),
      .fetch_rvalid_o(rvalid),
      .fetch_rdata_o(rdata),
      .axi_master_arid_o(ar_id),
      .axi_master_araddr_o(ar_addr),
      .axi_master_arvalid_o(ar_valid),
      .axi_master_arready_i(1'b1),
      .axi_master_rid_i(r_id),
      .axi_master_rdata_i(r_data),
      .axi_master_rresp_i('0),
      .axi_master_rlast_i(r_last),
      .axi_master_ruser_i('0),
      .axi_master_rvalid_i(r_valid),
      .axi_master_rready_o(r_ready),
      .axi_master_awready_i(1'b0),
      .axi_master_wready_i(1'b0),
      .axi_master_bid_i('0),
      .axi_master_bresp_i('0),
      .axi_master_buser_i('0),
      .axi_master_bvalid_i(1'b0),
      .enable_l1_l15_prefetch_i({`CORES{prefetch}}),
      .IC_ctrl_unit_bus_main(shared_control),
      .IC_ctrl_unit_bus_pri(private_control)
  );
endmodule
