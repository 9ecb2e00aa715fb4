// The CV32E40P as the test benches of this project see it; core_ri5cy.sv has the same ports. What a trace
// needs is brought out: `leaves`, the instruction in ID, at `pc`, leaves it; `traps`, into the trap handler.
`ifndef FPU
`define FPU 0
`define ADDMUL 0
`define OTHERS 0
`define ZFINX 0
`endif

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
    input  logic [31:0]      irq,
    output logic             irq_ack,
    output logic [ 4:0]      irq_id,
    output logic             leaves,
    output logic             traps,
    output logic [31:0]      pc
);
  cv32e40p_top #(
      .COREV_PULP(1),
      .COREV_CLUSTER(1),
      .FPU(`FPU),
      .FPU_ADDMUL_LAT(`ADDMUL),
      .FPU_OTHERS_LAT(`OTHERS),
      .ZFINX(`ZFINX)
  ) dut (
      .clk_i(clk),
      .rst_ni(rst_n),
      .pulp_clock_en_i(1'b1),
      .scan_cg_en_i(1'b0),
      .boot_addr_i(boot),
      .mtvec_addr_i(32'h0),
      .dm_halt_addr_i(32'h1A110800),
      .hart_id_i(32'(number)),
      .dm_exception_addr_i(32'h1A110808),
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
      .irq_i(irq),
      .irq_ack_o(irq_ack),
      .irq_id_o(irq_id),
      .debug_req_i(1'b0),
      .debug_havereset_o(),
      .debug_running_o(),
      .debug_halted_o(),
      .fetch_enable_i(1'b1),
      .core_sleep_o()
  );
  assign leaves = dut.core_i.id_stage_i.id_valid_o && dut.core_i.id_stage_i.is_decoding_o;
  assign traps  = !dut.core_i.id_stage_i.minstret;
  assign pc     = dut.core_i.pc_id;
endmodule
