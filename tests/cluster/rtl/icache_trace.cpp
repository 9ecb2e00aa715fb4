// Runs one program on cores behind the instruction cache, and writes when each instruction left ID.
//
// usage: trace LATENCY PREFETCH CYCLES ELF
// Per core a line "program", then lines "CYCLE PC 0", then "end". The memory takes an address in
// every cycle and delivers its first 64 bits LATENCY cycles later, the next in the cycle after, all
// in order.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "Vicache_top.h"
#include "verilated.h"

namespace {

constexpr uint32_t kMemory = 1u << 20;
constexpr int kWarmUp = 100; // cycles until the caches have invalidated their lines

struct Transfer {
  uint64_t due;
  uint32_t address;
  uint8_t id;
  bool last;
};

uint32_t base; // of the memory
std::vector<uint8_t> memory(kMemory);

bool load(const char *path) {
  std::FILE *f = std::fopen(path, "rb");
  if (!f)
    return false;
  std::vector<uint8_t> bytes(kMemory);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), f));
  std::fclose(f);
  uint32_t header[8];
  std::memcpy(header, &bytes[52], sizeof header);
  base = header[2] & ~(kMemory - 1);
  std::memcpy(&memory[header[2] - base], &bytes[header[1]], header[4]);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5)
    return 64;
  uint64_t latency = std::strtoull(argv[1], nullptr, 0), limit = std::strtoull(argv[3], nullptr, 0);
  if (!load(argv[4]))
    return 66;
  auto t = std::make_unique<Vicache_top>();
  std::deque<Transfer> transfers;
  std::vector<std::string> trace(CORES);
  t->boot = base;
  t->prefetch = std::atoi(argv[2]);
  t->rst_n = t->cores_rst_n = 1;
  t->eval();
  t->rst_n = t->cores_rst_n = 0;
  for (int64_t cycle = -kWarmUp - 4; cycle <= (int64_t)limit; cycle++) {
    t->clk = 0;
    if (cycle == -kWarmUp)
      t->rst_n = 1;
    if (cycle == 1)
      t->cores_rst_n = 1;
    const Transfer *next = transfers.empty() ? nullptr : &transfers.front();
    t->r_valid = next && (int64_t)next->due <= cycle;
    if (next) {
      std::memcpy(&t->r_data, &memory[(next->address - base) & (kMemory - 8)], 8);
      t->r_id = next->id;
      t->r_last = next->last;
    }
    t->eval();
    for (unsigned i = 0; i < CORES && cycle > 0; i++) {
      char line[32];
      std::snprintf(line, sizeof line, "%lld %08x 0\n", (long long)cycle, t->pc[i]);
      if (t->leaves >> i & 1)
        trace[i] += line;
    }
    bool taken = t->r_valid && t->r_ready;
    if (t->ar_valid)
      for (uint32_t k = 0; k < 2; k++)
        transfers.push_back({(uint64_t)cycle + latency + k, t->ar_addr + 8 * k, t->ar_id, k == 1});
    if (taken)
      transfers.pop_front();
    t->clk = 1;
    t->eval();
  }
  for (const std::string &lines : trace)
    std::printf("program\n%send\n", lines.c_str());
  return 0;
}
