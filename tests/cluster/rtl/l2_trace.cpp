// What the way to L2 takes, for several ratios of the clocks.
//
// Per ratio one line: clocks of the cluster and of the SoC, then of reads the least and the most cycles
// of the cluster between address handshake and first data, over all positions of the edges; the
// same of writes, up to the response; and cycles per 64-bit transfer in a burst of 32.
#include <cstdint>
#include <cstdio>
#include <memory>

#include "Vl2_top.h"
#include "verilated.h"

namespace {

struct Bench {
  std::unique_ptr<Vl2_top> top = std::make_unique<Vl2_top>();
  uint64_t cluster_period, soc_period; // even
  uint64_t now = 0, cycle = 0, offset;

  Bench(uint64_t cluster, uint64_t soc, uint64_t shift)
      : cluster_period(cluster), soc_period(soc), offset(shift) {
    top->rst_ni = 0;
    for (int i = 0; i < 8; i++)
      to_edge();
    top->rst_ni = 1;
    for (int i = 0; i < 40; i++)
      to_edge();
  }

  // Runs until just before the cluster's next rising edge.
  void to_edge() {
    uint64_t before = cycle;
    while (cycle == before) {
      now++;
      bool edge = now % cluster_period == 0;
      top->cluster_clk_i = now % cluster_period < cluster_period / 2;
      top->soc_clk_i = (now + offset) % soc_period < soc_period / 2;
      top->eval();
      cycle += edge;
    }
    top->cluster_clk_i = 1;
    top->eval();
  }

  // Cycles from the handshake to the answer.
  uint64_t read(unsigned beats, uint64_t *last) {
    top->ar_valid_i = 1;
    top->ar_len_i = static_cast<uint8_t>(beats - 1);
    top->eval();
    while (!top->ar_ready_o)
      to_edge();
    uint64_t start = cycle, first = 0;
    to_edge();
    top->ar_valid_i = 0;
    top->eval();
    for (unsigned n = 0; n < beats;) {
      if (top->r_valid_o && n++ == 0)
        first = cycle;
      *last = cycle;
      to_edge();
    }
    *last -= first;
    return first - start;
  }

  uint64_t write() {
    top->aw_valid_i = top->w_valid_i = 1;
    top->eval();
    uint64_t start = cycle;
    bool aw = false, w = false;
    while (!aw || !w) {
      bool a = top->aw_ready_o && !aw, b = top->w_ready_o && !w;
      to_edge();
      aw |= a;
      w |= b;
      top->aw_valid_i = !aw;
      top->w_valid_i = !w;
      top->eval();
    }
    while (!top->b_valid_o)
      to_edge();
    uint64_t took = cycle - start;
    to_edge();
    return took;
  }
};

struct Range {
  uint64_t least = UINT64_MAX, most = 0;
  void add(uint64_t n) {
    least = n < least ? n : least;
    most = n > most ? n : most;
  }
};

void measure(uint64_t cluster_mhz, uint64_t soc_mhz) {
  Range reads, writes;
  uint64_t burst = 0;
  // Periods in proportion; the SoC's edges are moved through one period.
  uint64_t cluster = 20 * soc_mhz, soc = 20 * cluster_mhz;
  for (uint64_t shift = 0; shift < soc; shift++) {
    Bench b(cluster, soc, shift);
    uint64_t last;
    reads.add(b.read(1, &last));
    for (int i = 0; i < 20; i++)
      b.to_edge();
    writes.add(b.write());
    for (int i = 0; i < 20; i++)
      b.to_edge();
    b.read(32, &burst);
  }
  std::printf("%llu:%llu\t%llu\t%llu\t%llu\t%llu\t%.2f\n", (unsigned long long)cluster_mhz,
              (unsigned long long)soc_mhz, (unsigned long long)reads.least,
              (unsigned long long)reads.most, (unsigned long long)writes.least,
              (unsigned long long)writes.most, static_cast<double>(burst) / 31);
}

} // namespace

int main(int argc, char **argv) {
  Verilated::commandArgs(argc, argv);
  std::printf("cluster:soc\tread\tto\twrite\tto\tper transfer\n");
  static const uint64_t ratio[][2] = {{1, 1}, {3, 2}, {2, 1}, {4, 1}, {7, 10}, {7, 9}, {1, 2}, {1, 4}};
  for (const auto &r : ratio)
    measure(r[0], r[1]);
  return 0;
}
