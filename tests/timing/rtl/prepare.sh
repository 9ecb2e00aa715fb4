#!/bin/sh
# Makes a copy of the CV32E40P's rtl and bhv in DIR fit for Verilator, which takes no array that is partly
# assigned and partly clocked: constants become registers that are reset to them. And a latch wants
# blocking assignments. usage: prepare.sh DIR
set -eu
dir=${1:?usage: prepare.sh DIR}
chmod -R u+w "$dir"
sed -i -E "s/assign (m(hpmcounter|hpmevent|countinhibit)_q\[[a-z_]+\](\[[^]]+\])?) *= 'b0;/always_ff @(posedge clk, negedge rst_n) if (!rst_n) \1 <= '0;/" \
  "$dir/rtl/cv32e40p_cs_registers.sv"
sed -i 's/clk_en <= /clk_en = /' "$dir/bhv/cv32e40p_sim_clock_gate.sv"
