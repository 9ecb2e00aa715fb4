// Runs programs on the RTL and writes when each instruction left ID.
//
// usage: trace LIMIT GRANT_I LATE_I GRANT_D LATE_D INTERRUPTS ELF...
// Per program a line "program", then lines "CYCLE PC TRAPS" and "store ...", then "end". The
// memories grant a request GRANT cycles late and deliver LATE cycles later than the cycle behind
// the grant; an instruction word is read before the same cycle's store. INTERRUPTS: seed of the
// interrupt lines' plan, 0: none; the next program has the next seed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "../interrupt_plan.h"
#include "Vtop.h"
#include "verilated.h"

namespace {

constexpr uint32_t kMemory = 16u << 20;
constexpr uint32_t kExit = 0x80000000u;
std::vector<uint8_t> memory(kMemory);

struct Port {
  unsigned grant_delay, data_delay;
  unsigned waited = 0;
  struct Answer {
    uint64_t at;
    uint32_t word;
  };
  std::deque<Answer> answers;

  bool grants(bool request) const { return request && waited >= grant_delay; }
  bool valid(uint64_t cycle) const { return !answers.empty() && answers.front().at == cycle; }
  void answer(uint64_t cycle, uint32_t word) {
    uint64_t at = cycle + 1 + data_delay;
    if (!answers.empty() && answers.back().at >= at)
      at = answers.back().at + 1;
    answers.push_back({at, word});
  }
  void edge(uint64_t cycle, bool request, bool granted) {
    if (valid(cycle))
      answers.pop_front();
    waited = request && !granted ? waited + 1 : 0;
  }
};

uint32_t read_word(uint32_t address) {
  uint32_t word = 0;
  if (address < kMemory)
    std::memcpy(&word, &memory[address & ~3u], 4);
  return word;
}

bool load(const char *path, uint32_t *entry) {
  std::FILE *f = std::fopen(path, "rb");
  if (!f)
    return false;
  std::vector<uint8_t> bytes(1 << 20);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), f));
  std::fclose(f);
  if (bytes.size() < 84)
    return false;
  uint32_t header[8];
  std::memcpy(entry, &bytes[24], 4);
  std::memcpy(header, &bytes[52], sizeof header); // one segment, as the generator writes them
  if (header[3] + header[4] > kMemory || header[1] + header[4] > bytes.size())
    return false;
  std::memcpy(&memory[header[3]], &bytes[header[1]], header[4]);
  return true;
}

// "store ADDRESS BYTES VALUE": the enabled lanes are neighbours, if there are any.
void report_store(uint32_t word, unsigned lanes, uint32_t value) {
  if (!lanes)
    return;
  unsigned first = unsigned(__builtin_ctz(lanes)), count = unsigned(__builtin_popcount(lanes));
  value >>= 8 * first;
  if (count < 4)
    value &= (1u << 8 * count) - 1;
  std::printf("store %08x %u %08x\n", word + first, count, value);
}

// The data port's side effects. Returns true when the program ends.
bool access(Vtop &t, Port &data, uint64_t cycle) {
  uint32_t address = t.data_addr;
  if (!t.data_we) {
    data.answer(cycle, read_word(address));
    return false;
  }
  data.answer(cycle, 0);
  report_store(address & ~3u, t.data_be, t.data_wdata);
  if (address < kMemory) {
    for (unsigned i = 0; i < 4; i++)
      if (t.data_be >> i & 1)
        memory[(address & ~3u) + i] = uint8_t(t.data_wdata >> 8 * i);
  }
  return (address & ~3u) == kExit;
}

void run(uint32_t entry, uint64_t limit, Port instr, Port data, uint32_t interrupts) {
  auto context = std::make_unique<VerilatedContext>();
  auto t = std::make_unique<Vtop>(context.get());
  t->boot = entry;
  t->rst_n = 1; // the core's clock is gated: what resets it is the edge
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
  for (uint64_t cycle = 1; cycle <= limit; cycle++) {
    t->instr_rvalid = instr.valid(cycle);
    t->instr_rdata = instr.answers.empty() ? 0 : instr.answers.front().word;
    t->data_rvalid = data.valid(cycle);
    t->data_rdata = data.answers.empty() ? 0 : data.answers.front().word;
    t->instr_gnt = t->data_gnt = 0;
    t->irq |= interrupt_plan(interrupts, cycle);
    t->eval();
    t->instr_gnt = instr.grants(t->instr_req);
    t->data_gnt = data.grants(t->data_req);
    t->eval();
    if (t->leaves)
      std::printf("%llu %08x %d\n", (unsigned long long)cycle, t->pc, t->traps);
    bool instr_req = t->instr_req, data_req = t->data_req;
    if (t->instr_gnt)
      instr.answer(cycle, read_word(t->instr_addr));
    bool ends = t->data_gnt && access(*t, data, cycle);
    instr.edge(cycle, instr_req, t->instr_gnt);
    data.edge(cycle, data_req, t->data_gnt);
    if (ends)
      break;
    uint32_t taken = t->irq_ack ? 1u << t->irq_id : 0;
    t->clk = 1;
    t->eval();
    t->irq &= ~taken;
    t->clk = 0;
  }
  t->final();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 8) {
    std::fprintf(stderr, "usage: trace LIMIT GRANT_I LATE_I GRANT_D LATE_D INTERRUPTS ELF...\n");
    return 2;
  }
  unsigned number[6];
  for (int i = 0; i < 6; i++)
    number[i] = unsigned(std::strtoul(argv[1 + i], nullptr, 0));
  for (int i = 7; i < argc; i++) {
    uint32_t entry;
    std::fill(memory.begin(), memory.end(), uint8_t(0));
    if (!load(argv[i], &entry)) {
      std::fprintf(stderr, "trace: cannot load %s\n", argv[i]);
      return 2;
    }
    std::puts("program");
    run(entry, number[0], Port{number[1], number[2]}, Port{number[3], number[4]},
        number[5] ? number[5] + unsigned(i - 7) : 0);
    std::puts("end");
  }
  return 0;
}
