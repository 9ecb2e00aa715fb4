// The RI5CY of November 2019; core_cv32e40p.sv has the same ports, but for those of the shared float
// units. Its interrupts are one request with a number: the highest line.
`ifndef SHARED
`define SHARED 0
`endif

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

module core (
    input  logic             clk,
    input  logic             rst_n,
    input  logic [31:0]      boot,
    input  logic [ 3:0]      number,
    output logic             instr_req,
    input  logic             instr_gnt,
    input  logic             instr_rvalid,
    output logic [31:0]      instr_addr,
    input  logic [31:0]      instr_rdata,
    output logic             data_req,
    input  logic             data_gnt,
    input  logic             data_rvalid,
    output logic             data_we,
    output logic [ 3:0]      data_be,
    output logic [31:0]      data_addr,
    output logic [31:0]      data_wdata,
    input  logic [31:0]      data_rdata,
    output logic             apu_req,
    output logic             apu_ready,
    input  logic             apu_gnt = 1'b0,
    output logic [2:0][31:0] apu_operands,
    output logic [ 5:0]      apu_op,
    output logic [ 2:0]      apu_type,
    output logic [14:0]      apu_flags,
    input  logic             apu_valid = 1'b0,
    input  logic [31:0]      apu_result = '0,
    input  logic [ 4:0]      apu_rflags = '0,
    input  logic [31:0]      irq,
    output logic             irq_ack,
    output logic [ 4:0]      irq_id,
    output logic             leaves,
    output logic             traps,
    output logic [31:0]      pc
);
  logic [4:0] highest;
  always_comb begin
    highest = '0;
    for (int i = 0; i < 32; i++) if (irq[i]) highest = 5'(i);
  end

  riscv_core #(
      .N_EXT_PERF_COUNTERS(5),
      .PULP_CLUSTER(1),
      .FPU(`SHARED ? 1 : 0),
      .FP_DIVSQRT(`SHARED ? 1 : 0),
      .SHARED_FP(`SHARED),
      .SHARED_FP_DIVSQRT(`SHARED),
      .WAPUTYPE(`SHARED ? 3 : 1)
  ) dut (
      .clk_i(clk),
      .rst_ni(rst_n),
      .clock_en_i(1'b1),
      .test_en_i(1'b0),
      .fregfile_disable_i(1'b0),
      .boot_addr_i(boot),
      .core_id_i(number),
      .cluster_id_i('0),
      .instr_req_o(instr_req),
      .instr_gnt_i(instr_gnt),
      .instr_rvalid_i(instr_rvalid),
      .instr_addr_o(instr_addr),
      .instr_rdata_i(instr_rdata),
      .data_req_o(data_req),
      .data_gnt_i(data_gnt),
      .data_rvalid_i(data_rvalid),
      .data_we_o(data_we),
      .data_be_o(data_be),
      .data_addr_o(data_addr),
      .data_wdata_o(data_wdata),
      .data_rdata_i(data_rdata),
      .apu_master_req_o(apu_req),
      .apu_master_ready_o(apu_ready),
      .apu_master_gnt_i(apu_gnt),
      .apu_master_operands_o(apu_operands),
      .apu_master_op_o(apu_op),
      .apu_master_type_o(apu_type),
      .apu_master_flags_o(apu_flags),
      .apu_master_valid_i(apu_valid),
      .apu_master_result_i(apu_result),
      .apu_master_flags_i(apu_rflags),
      .irq_i(|irq),
      .irq_id_i(highest),
      .irq_ack_o(irq_ack),
      .irq_id_o(irq_id),
      .irq_sec_i(1'b0),
      .sec_lvl_o(),
      .debug_req_i(1'b0),
      .fetch_enable_i(1'b1),
      .core_busy_o(),
      .ext_perf_counters_i('0)
  );
  assign leaves = dut.id_stage_i.id_valid_o && dut.id_stage_i.is_decoding_o;
  assign traps  = 1'b0;
  assign pc     = dut.pc_id;
endmodule
