// The core (core_cv32e40p.sv or, with RI5CY defined, core_ri5cy.sv) between two memory ports, which are in trace.cpp.
module top (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [31:0] boot,
    output logic        instr_req,
    input  logic        instr_gnt,
    input  logic        instr_rvalid,
    output logic [31:0] instr_addr,
    input  logic [31:0] instr_rdata,
    output logic        data_req,
    input  logic        data_gnt,
    input  logic        data_rvalid,
    output logic        data_we,
    output logic [ 3:0] data_be,
    output logic [31:0] data_addr,
    output logic [31:0] data_wdata,
    input  logic [31:0] data_rdata,
    input  logic [31:0] irq,
    output logic        irq_ack,
    output logic [ 4:0] irq_id,
    output logic        leaves,
    output logic        traps,
    output logic [31:0] pc
);
`ifdef RI5CY
  logic apu_req, apu_ready;
  logic [2:0][31:0] apu_operands;
  logic [5:0] apu_op;
  logic [2:0] apu_type;
  logic [14:0] apu_flags;
`endif
  core dut (
      .number('0),
`ifdef RI5CY
      .apu_gnt('0),
      .apu_valid('0),
      .apu_result('0),
      .apu_rflags('0),
`endif
      .*
  );
endmodule
