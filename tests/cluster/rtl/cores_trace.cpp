// Runs one program per core on cores that share float units, and writes when each instruction left
// ID.
//
// usage: trace CYCLES ELF...    one ELF per core
// Per core a line "program", then lines "CYCLE PC 0", then "end". Memories grant at once and deliver
// in the next cycle.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vcores_top.h"
#include "verilated.h"

namespace {

constexpr uint32_t kMemory = 16u << 20;

struct Core {
  std::vector<uint8_t> memory = std::vector<uint8_t>(kMemory);
  bool instr_valid = false, data_valid = false, ended = false;
  uint32_t instr_word = 0, data_word = 0;
  std::string trace;

  uint32_t read(uint32_t address) const {
    uint32_t word = 0;
    if (address < kMemory)
      std::memcpy(&word, &memory[address & ~3u], 4);
    return word;
  }
};

bool load(const char *path, Core *core) {
  std::FILE *f = std::fopen(path, "rb");
  if (!f)
    return false;
  std::vector<uint8_t> bytes(1 << 20);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), f));
  std::fclose(f);
  uint32_t header[8];
  std::memcpy(header, &bytes[52], sizeof header);
  std::memcpy(&core->memory[header[3]], &bytes[header[1]], header[4]);
  return true;
}

void data_access(Vcores_top &t, unsigned i, Core *core) {
  uint32_t address = t.data_addr[i];
  core->data_valid = t.data_req >> i & 1;
  if (!core->data_valid)
    return;
  core->data_word = core->read(address);
  if (!(t.data_we >> i & 1))
    return;
  uint32_t enable = uint32_t(t.data_be) >> 4 * i & 15;
  for (unsigned k = 0; k < 4 && address < kMemory; k++)
    if (enable >> k & 1)
      core->memory[(address & ~3u) + k] = uint8_t(t.data_wdata[i] >> 8 * k);
  core->ended |= (address & ~3u) == 0x80000000u;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 64;
  uint64_t cycles = std::strtoull(argv[1], nullptr, 0);
  std::vector<Core> core(argc - 2);
  for (int i = 2; i < argc; i++)
    if (!load(argv[i], &core[i - 2]))
      return 66;
  auto t = std::make_unique<Vcores_top>();
  t->boot = 0x80;
  t->rst_n = 1;
  t->eval();
  t->rst_n = 0;
  for (int i = 0; i < 4; i++) {
    t->clk = 0;
    t->eval();
    t->clk = 1;
    t->eval();
  }
  t->clk = 0;
  t->rst_n = 1;
  for (uint64_t cycle = 1; cycle <= cycles; cycle++) {
    t->instr_rvalid = t->data_rvalid = 0;
    for (size_t i = 0; i < core.size(); i++) {
      t->instr_rvalid |= core[i].instr_valid << i;
      t->data_rvalid |= core[i].data_valid << i;
      t->instr_rdata[i] = core[i].instr_word;
      t->data_rdata[i] = core[i].data_word;
    }
    t->eval();
    for (size_t i = 0; i < core.size(); i++) {
      char line[32];
      std::snprintf(line, sizeof line, "%llu %08x 0\n", (unsigned long long)cycle, t->pc[i]);
      if ((t->leaves >> i & 1) && !core[i].ended)
        core[i].trace += line;
      core[i].instr_valid = t->instr_req >> i & 1;
      core[i].instr_word = core[i].read(t->instr_addr[i]);
      data_access(*t, (unsigned)i, &core[i]);
    }
    t->clk = 1;
    t->eval();
    t->clk = 0;
  }
  for (const Core &c : core)
    std::printf("program\n%send\n", c.trace.c_str());
  return 0;
}
