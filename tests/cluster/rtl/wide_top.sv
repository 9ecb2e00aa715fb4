// The wide port of an accelerator beside the tree of the other ports: hci's router and arbiter, in front of 16
// banks that grant at once. What the tree asks of each bank comes from outside.
`include "hci_helpers.svh"

module wide_top
  import hci_package::*;
#(
    parameter int unsigned WORDS = 9,
    localparam int unsigned BANKS = 16
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [7:0] most_stalls_i,
    input logic inverted_i,
    input logic [BANKS-1:0] tree_i,
    output logic [BANKS-1:0] tree_gnt_o,
    input logic wide_i,
    input logic [3:0] first_i,
    output logic wide_gnt_o
);
  localparam hci_size_parameter_t HciWide = '{DW: 32 * WORDS, AW: 32, BW: 8, UW: 1, IW: 1, EW: 1, EHW: 0};
  localparam hci_size_parameter_t HciBank = '{DW: 32, AW: 12, BW: 8, UW: 1, IW: 1, EW: 1, EHW: 0};

  hci_core_intf #(.DW(32 * WORDS), .AW(32), .BW(8), .UW(1), .IW(1), .EW(1), .EHW(0)) wide (.clk(clk_i));
  hci_core_intf #(.DW(32), .AW(12), .BW(8), .UW(1), .IW(1), .EW(1), .EHW(0)) tree [0:BANKS-1] (.clk(clk_i));
  hci_core_intf #(.DW(32), .AW(12), .BW(8), .UW(1), .IW(1), .EW(1), .EHW(0)) routed [0:BANKS-1] (.clk(clk_i));
  hci_core_intf #(.DW(32), .AW(12), .BW(8), .UW(1), .IW(1), .EW(1), .EHW(0)) bank [0:BANKS-1] (.clk(clk_i));

  hci_interconnect_ctrl_t ctrl;
  assign ctrl = '{arb_policy: '0, invert_prio: inverted_i, low_prio_max_stall: most_stalls_i};

  assign wide.req = wide_i;
  assign wide.add = {26'h0400000, first_i, 2'b00};
  assign wide.wen = 1'b1;
  assign wide.be = '1;
  assign wide.data = '0;
  assign wide.r_ready = 1'b1;
  assign wide.user = '0;
  assign wide.id = '0;
  assign wide.ecc = '0;
  assign wide.ereq = '0;
  assign wide.r_eready = '0;
  assign wide_gnt_o = wide.gnt;

  for (genvar i = 0; i < BANKS; i++) begin : g_bank
    assign tree[i].req = tree_i[i];
    assign tree[i].add = '0;
    assign tree[i].wen = 1'b1;
    assign tree[i].be = '1;
    assign tree[i].data = '0;
    assign tree[i].r_ready = 1'b1;
    assign tree[i].user = '0;
    assign tree[i].id = '0;
    assign tree[i].ecc = '0;
    assign tree_gnt_o[i] = tree[i].gnt;
    assign bank[i].gnt = 1'b1;
    assign bank[i].r_data = '0;
    assign bank[i].r_valid = 1'b0;
    assign bank[i].r_id = '0;
    assign bank[i].r_opc = '0;
    assign bank[i].r_user = '0;
    assign bank[i].r_ecc = '0;
  end

  hci_router #(
      .FIFO_DEPTH(0),
      .NB_OUT_CHAN(BANKS),
      .HCI_SIZE_in(HciWide),
      .HCI_SIZE_out(HciBank)
  ) i_router (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .in(wide),
      .out(routed)
  );

  hci_arbiter #(
      .NB_CHAN(BANKS)
  ) i_arbiter (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .ctrl_i(ctrl),
      .in_high(tree),
      .in_low(routed),
      .out(bank)
  );
endmodule
