// The shared float units of a cluster, with nothing but requests: who is granted when, and when
// results come. Cores are what fpu_trace.cpp makes of them.
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

module fpu_top (
    input  logic                        clk,
    input  logic                        rst_n,
    input  logic [`CORES-1:0]           req,
    input  logic [`CORES-1:0]           divides,  // the request is for the divider, else a sum
    input  logic [`CORES-1:0]           roots,    // ... a square root
    input  logic [`CORES-1:0][1:0][31:0] operand,
    output logic [`CORES-1:0]           gnt,
    output logic [`CORES-1:0]           rvalid
);
  // Of RI5CY: {vector, modifier, operation} and {integer, source, destination format, rounding}.
  localparam logic [5:0] Add = 6'(fpnew_pkg::ADD);
  logic [`CORES-1:0][2:0]       kind;
  logic [`CORES-1:0][2:0][31:0] operands;
  logic [`CORES-1:0][5:0]       op;
  for (genvar i = 0; i < `CORES; i++) begin : g_core
    assign kind[i] = {2'b0, divides[i]};
    assign operands[i] = divides[i] ? {32'b0, operand[i]} : {operand[i], 32'b0};
    assign op[i] = divides[i] ? {5'b0, roots[i]} : Add;
  end

  shared_fpu_cluster #(
      .NB_CORES(`CORES),
      .NB_APUS(1),
      .NB_FPNEW(`UNITS),
      .APU_OPCODE_WIDTH(6),
      .USE_FPU_OPT_ALLOC("FALSE"),
      .USE_FPNEW_OPT_ALLOC("TRUE"),
      .FPNEW_INTECO_TYPE("SINGLE_INTERCO")
  ) dut (
      .clk,
      .rst_n,
      .test_mode_i(1'b0),
      .core_slave_req_i(req),
      .core_slave_gnt_o(gnt),
      .core_slave_type_i(kind),
      .core_slave_operands_i(operands),
      .core_slave_op_i(op),
      .core_slave_flags_i('0),
      .core_slave_rready_i('1),
      .core_slave_rvalid_o(rvalid),
      .core_slave_rdata_o(),
      .core_slave_rflags_o()
  );
endmodule

// Stands in for the float unit, which has no pipeline registers here: it takes every operation
// and answers in the same cycle.
module fpnew_top #(
    parameter fpnew_pkg::fpu_features_t Features = '0,
    parameter fpnew_pkg::fpu_implementation_t Implementation = '0,
    parameter type TagType = logic
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic [2:0][31:0]                  operands_i,
    input  fpnew_pkg::roundmode_e             rnd_mode_i,
    input  fpnew_pkg::operation_e             op_i,
    input  logic                              op_mod_i,
    input  fpnew_pkg::fp_format_e             src_fmt_i,
    input  fpnew_pkg::fp_format_e             dst_fmt_i,
    input  fpnew_pkg::int_format_e            int_fmt_i,
    input  logic                              vectorial_op_i,
    input  TagType                            tag_i,
    input  logic                              in_valid_i,
    output logic                              in_ready_o,
    input  logic                              flush_i,
    output logic [31:0]                       result_o,
    output fpnew_pkg::status_t                status_o,
    output TagType                            tag_o,
    output logic                              out_valid_o,
    input  logic                              out_ready_i,
    output logic                              busy_o
);
  assign in_ready_o = 1'b1;
  assign out_valid_o = in_valid_i;
  assign result_o = operands_i[0];
  assign status_o = '0;
  assign tag_o = tag_i;
  assign busy_o = 1'b0;
endmodule
