// Random requests on the shared float units: who is granted when.
//
// usage: trace CORES CYCLES SEED
// A core asks in a cycle with a probability that changes every 64 cycles, keeps asking until it
// is granted, and waits for the result. Lines "CYCLE REQUESTS DIVIDES GRANTS RESULTS", masks in
// hexadecimal, one per cycle in which anything happens.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "Vfpu_top.h"
#include "verilated.h"

namespace {

uint32_t state;
uint32_t random32() {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

enum Phase { kIdle, kAsks, kWaits };
struct Core {
  Phase phase = kIdle;
  bool divides = false;
  bool root = false;
  bool special = false; // an operand is 0
};

void set_operands(Vfpu_top &t, const std::vector<Core> &core) {
  for (size_t i = 0; i < core.size(); i++) {
    t.operand[2 * i] = core[i].special ? 0 : 0x3f9d70a4;
    t.operand[2 * i + 1] = 0x40490fdb;
  }
}

void half(Vfpu_top &t, int clock) {
  t.clk = clock;
  t.eval();
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 64;
  std::vector<Core> core(std::atoi(argv[1]));
  uint64_t cycles = std::strtoull(argv[2], nullptr, 10);
  state = (uint32_t)std::strtoul(argv[3], nullptr, 10) * 2654435761u + 1;
  auto t = std::make_unique<Vfpu_top>();
  t->rst_n = 1;
  half(*t, 0);
  t->rst_n = 0;
  for (int i = 0; i < 4; i++) {
    half(*t, 0);
    half(*t, 1);
  }
  t->rst_n = 1;
  uint32_t busy = 128;
  for (uint64_t n = 1; n <= cycles; n++) {
    if (n % 64 == 0)
      busy = random32() % 257;
    uint32_t asks = 0, divides = 0, roots = 0;
    for (size_t i = 0; i < core.size(); i++) {
      if (core[i].phase == kIdle && random32() % 256 < busy) {
        core[i].phase = kAsks;
        core[i].divides = random32() % 16 == 0;
        core[i].root = random32() % 4 == 0;
        core[i].special = random32() % 4 == 0;
      }
      asks |= (uint32_t)(core[i].phase == kAsks) << i;
      divides |= (uint32_t)(core[i].phase == kAsks && core[i].divides) << i;
      roots |= (uint32_t)core[i].root << i;
    }
    t->req = asks;
    t->divides = divides;
    t->roots = roots;
    set_operands(*t, core);
    half(*t, 0);
    uint32_t grants = t->gnt & asks, results = t->rvalid;
    uint32_t special = 0;
    for (size_t i = 0; i < core.size(); i++)
      special |= (uint32_t)(core[i].special && (divides >> i & 1)) << i;
    if (asks | results)
      std::printf("%llu\t%x\t%x\t%x\t%x\t%x\n", (unsigned long long)n, asks, divides, special,
                  grants, results);
    for (size_t i = 0; i < core.size(); i++) {
      if (grants >> i & 1)
        core[i].phase = kWaits;
      if (results >> i & 1)
        core[i].phase = kIdle;
    }
    half(*t, 1);
  }
  return 0;
}
