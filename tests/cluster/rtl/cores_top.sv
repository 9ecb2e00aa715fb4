// Cores that share float units: RI5CY cores (../../timing/rtl/core_ri5cy.sv, SHARED 2) with memories of their
// own, and the units.
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
    core dut (
        .clk,
        .rst_n,
        .boot,
        .number(4'(i)),
        .instr_req(instr_req[i]),
        .instr_gnt(1'b1),
        .instr_rvalid(instr_rvalid[i]),
        .instr_addr(instr_addr[i]),
        .instr_rdata(instr_rdata[i]),
        .data_req(data_req[i]),
        .data_gnt(1'b1),
        .data_rvalid(data_rvalid[i]),
        .data_we(data_we[i]),
        .data_be(data_be[i]),
        .data_addr(data_addr[i]),
        .data_wdata(data_wdata[i]),
        .data_rdata(data_rdata[i]),
        .apu_req(req[i]),
        .apu_ready(rready[i]),
        .apu_gnt(gnt[i]),
        .apu_operands(operands[i]),
        .apu_op(op[i]),
        .apu_type(kind[i]),
        .apu_flags(flags[i]),
        .apu_valid(rvalid[i]),
        .apu_result(rdata[i]),
        .apu_rflags(rflags[i]),
        .irq('0),
        .leaves(leaves[i]),
        .pc(pc[i])
    );
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
