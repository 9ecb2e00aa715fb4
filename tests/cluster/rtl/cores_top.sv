// Cores that share float units: RI5CY cores with memories of their own, and the shared float units.
module cluster_clock_gating (
    input  logic clk_i,
    input  logic en_i,
    input  logic test_en_i,
    output logic clk_o
);
  logic enabled;
  always_latch if (!clk_i) enabled = en_i | test_en_i;
  assign clk_o = clk_i & enabled;
endmodule

module cores_top (
    input  logic                     clk,
    input  logic                     rst_n,
    input  logic [31:0]              boot,
    output logic [`CORES-1:0]        instr_req,
    input  logic [`CORES-1:0]        instr_rvalid,
    output logic [`CORES-1:0][31:0]  instr_addr,
    input  logic [`CORES-1:0][31:0]  instr_rdata,
    output logic [`CORES-1:0]        data_req,
    input  logic [`CORES-1:0]        data_rvalid,
    output logic [`CORES-1:0]        data_we,
    output logic [`CORES-1:0][ 3:0]  data_be,
    output logic [`CORES-1:0][31:0]  data_addr,
    output logic [`CORES-1:0][31:0]  data_wdata,
    input  logic [`CORES-1:0][31:0]  data_rdata,
    output logic [`CORES-1:0]        leaves,
    output logic [`CORES-1:0][31:0]  pc
);
  logic [`CORES-1:0]            req, gnt, rready, rvalid;
  logic [`CORES-1:0][2:0]       kind;
  logic [`CORES-1:0][2:0][31:0] operands;
  logic [`CORES-1:0][5:0]       op;
  logic [`CORES-1:0][14:0]      flags;
  logic [`CORES-1:0][31:0]      rdata;
  logic [`CORES-1:0][4:0]       rflags;

  for (genvar i = 0; i < `CORES; i++) begin : g_core
    riscv_core #(
        .N_EXT_PERF_COUNTERS(1),
        .PULP_CLUSTER(1),
        .FPU(1),
        .FP_DIVSQRT(1),
        .SHARED_FP(2),
        .SHARED_FP_DIVSQRT(2),
        .WAPUTYPE(3)
    ) dut (
        .clk_i(clk),
        .rst_ni(rst_n),
        .clock_en_i(1'b1),
        .test_en_i(1'b0),
        .fregfile_disable_i(1'b0),
        .boot_addr_i(boot),
        .core_id_i(4'(i)),
        .cluster_id_i('0),
        .instr_req_o(instr_req[i]),
        .instr_gnt_i(1'b1),
        .instr_rvalid_i(instr_rvalid[i]),
        .instr_addr_o(instr_addr[i]),
        .instr_rdata_i(instr_rdata[i]),
        .data_req_o(data_req[i]),
        .data_gnt_i(1'b1),
        .data_rvalid_i(data_rvalid[i]),
        .data_we_o(data_we[i]),
        .data_be_o(data_be[i]),
        .data_addr_o(data_addr[i]),
        .data_wdata_o(data_wdata[i]),
        .data_rdata_i(data_rdata[i]),
        .apu_master_req_o(req[i]),
        .apu_master_ready_o(rready[i]),
        .apu_master_gnt_i(gnt[i]),
        .apu_master_operands_o(operands[i]),
        .apu_master_op_o(op[i]),
        .apu_master_type_o(kind[i]),
        .apu_master_flags_o(flags[i]),
        .apu_master_valid_i(rvalid[i]),
        .apu_master_result_i(rdata[i]),
        .apu_master_flags_i(rflags[i]),
        .irq_i(1'b0),
        .irq_id_i('0),
        .irq_ack_o(),
        .irq_id_o(),
        .irq_sec_i(1'b0),
        .sec_lvl_o(),
        .debug_req_i(1'b0),
        .fetch_enable_i(1'b1),
        .core_busy_o(),
        .ext_perf_counters_i('0)
    );
    assign leaves[i] = dut.id_stage_i.id_valid_o && dut.id_stage_i.is_decoding_o;
    assign pc[i] = dut.pc_id;
  end

  shared_fpu_cluster #(
      .NB_CORES(`CORES),
      .NB_APUS(1),
      .NB_FPNEW(`UNITS),
      .APU_OPCODE_WIDTH(6),
      .USE_FPU_OPT_ALLOC("FALSE"),
      .USE_FPNEW_OPT_ALLOC("TRUE"),
      .FPNEW_INTECO_TYPE("SINGLE_INTERCO")
  ) units (
      .clk,
      .rst_n,
      .test_mode_i(1'b0),
      .core_slave_req_i(req),
      .core_slave_gnt_o(gnt),
      .core_slave_type_i(kind),
      .core_slave_operands_i(operands),
      .core_slave_op_i(op),
      .core_slave_flags_i(flags),
      .core_slave_rready_i(rready),
      .core_slave_rvalid_o(rvalid),
      .core_slave_rdata_o(rdata),
      .core_slave_rflags_o(rflags)
  );
endmodule
