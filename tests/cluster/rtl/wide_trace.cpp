// Random requests of the tree and of the accelerator: who is granted when.
//
// usage: trace CYCLES SEED
// Requests stay until they are granted. Every 64 cycles the control and the probabilities change.
// Lines "CONTROL TREE WIDE TREE_GRANTED WIDE_GRANTED", one per cycle: the control register, the banks
// that the tree asks for and is granted, masks, all in hexadecimal, and the first bank of the accelerator's
// request, or - if it does not ask.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "Vwide_top.h"
#include "verilated.h"

namespace {

uint32_t state;
uint32_t random32() {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 64;
  unsigned cycles = unsigned(std::strtoul(argv[1], nullptr, 0));
  state = uint32_t(std::strtoul(argv[2], nullptr, 0)) * 2654435761u | 1;
  auto t = std::make_unique<Vwide_top>();
  t->rst_ni = 0;
  for (int i = 0; i < 4; i++) {
    t->clk_i = i & 1;
    t->eval();
  }
  t->clk_i = 0;
  t->rst_ni = 1;
  uint32_t control = 0, busy = 0, eager = 0;
  for (unsigned n = 0; n < cycles; n++) {
    if (n % 64 == 0) {
      static const uint8_t stalls[] = {0, 0, 1, 2, 3, 5, 9, 20};
      control = stalls[random32() % 8] | (random32() % 3 == 0) << 8;
      busy = 1u << random32() % 7;
      eager = 1u << random32() % 4;
    }
    for (unsigned i = 0; i < 16; i++)
      if (random32() % (2 * busy) == 0)
        t->tree_i |= 1u << i;
    if (!t->wide_i && random32() % eager == 0) {
      t->wide_i = 1;
      t->first_i = random32() & 15;
    }
    t->most_stalls_i = control & 255;
    t->inverted_i = control >> 8;
    t->eval();
    std::printf("%x %x ", control, unsigned(t->tree_i));
    t->wide_i ? (void)std::printf("%x", unsigned(t->first_i)) : (void)std::printf("-");
    uint32_t granted = t->tree_gnt_o & t->tree_i;
    bool wide = t->wide_i && t->wide_gnt_o;
    std::printf(" %x %d\n", granted, wide);
    t->clk_i = 1;
    t->eval();
    t->clk_i = 0;
    t->tree_i &= ~granted;
    if (wide)
      t->wide_i = 0;
  }
  return 0;
}
