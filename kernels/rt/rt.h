// kernels/rt/rt.h: the runtime of all programs: cores, barrier, work split, DMA, regions, output.
//
// A program is SPMD: every core runs main(). The exit status is the first non-zero value that
// a core returned, lowest core first. Memory (link.ld): code and plain data in L2 (slow), data
// marked RT_L1 / RT_L1_BSS and the stacks (just under 1 kB per core) in L1.
//
// The same interface exists on the host (rt_host.c: one thread per core), so that kernels can
// be tested there.
#ifndef RT_H
#define RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RT_MAX_CORES 16

#ifdef __riscv
#define RT_L1     __attribute__((section(".data.l1"))) // initialized data in L1
#define RT_L1_BSS __attribute__((section(".bss.l1")))  // zeroed data in L1
#else
#define RT_L1
#define RT_L1_BSS
#endif

// ---------------------------------------------------------------- cores

static inline unsigned rt_core_id(void);    // 0 .. rt_core_count() - 1
static inline unsigned rt_core_count(void); // 1 .. RT_MAX_CORES

// Returns when every core has called it. About six cycles when all arrive together; early cores
// sleep. Costs one call when only one core runs.
void rt_barrier(void);

// Ends the program at once, for all cores. Status 0..2047 (what main returns, too); pulpsim ends
// with its low 8 bits, or with 255 if only these are 0.
__attribute__((noreturn)) void rt_exit(int status);

// Argument `index` (from 0 on) of `pulpsim program.elf -- ARGUMENT...`: as much of its text as fits
// into `size` bytes, with a 0 behind. Returns its length; -1 if there is none.
int rt_argument(unsigned index, char *text, unsigned size);

// The same as a decimal number, in 32 bits; `otherwise` if there is none, or it is something else.
int rt_argument_number(unsigned index, int otherwise);

#ifdef __riscv
extern uint32_t rt_cores_, rt_cores_inverse_; // rt.c

static inline unsigned rt_core_id(void) {
  uint32_t id;
  __asm__("csrr %0, mhartid" : "=r"(id)); // cluster << 5 | core
  return id & 31;
}
static inline unsigned rt_core_count(void) {
  return rt_cores_;
}
// total / cores, exact for totals below 2^28: a multiplication, where a division takes 35 cycles.
static inline uint32_t rt_per_core(uint32_t total) {
  return rt_cores_ == 1 ? total : (uint32_t)((uint64_t)total * rt_cores_inverse_ >> 32);
}
#else
unsigned rt_host_core_id(void); // rt_host.c
unsigned rt_host_core_count(void);

static inline unsigned rt_core_id(void) {
  return rt_host_core_id();
}
static inline unsigned rt_core_count(void) {
  return rt_host_core_count();
}
static inline uint32_t rt_per_core(uint32_t total) {
  return total / rt_host_core_count();
}
#endif

// A half-open range of indices.
struct rt_range {
  uint32_t begin, end;
};

// This core's share of 0..total-1: contiguous, in whole groups of `granule` (the last group may
// be cut), shares differing by at most one group. Empty when there are more cores than groups.
// Inline, because the divisions by a constant granule then cost little.
static inline struct rt_range rt_split(uint32_t total, uint32_t granule) {
  uint32_t id = rt_core_id(), cores = rt_core_count();
  uint32_t groups = (total + granule - 1) / granule;
  uint32_t each = rt_per_core(groups);
  uint32_t more = groups - each * cores; // the first `more` cores take one group extra
  uint32_t first = (id * each + (id < more ? id : more)) * granule;
  uint32_t last = first + (each + (id < more)) * granule;
  return (struct rt_range){first < total ? first : total, last < total ? last : total};
}

// The same with a granule of 1, where nothing has to be cut: ten cycles less.
static inline struct rt_range rt_share(uint32_t total) {
  uint32_t id = rt_core_id(), each = rt_per_core(total);
  uint32_t more = total - each * rt_core_count();
  uint32_t begin = id * each + (id < more ? id : more);
  return (struct rt_range){begin, begin + each + (id < more)};
}

// ---------------------------------------------------------------- regions

// A region is a named stretch of code whose cycles, stalls and MACs are reported on their own.
// Entering and leaving are one instruction each, a hint without effect (`slti x0, x<id>, 1` and
// `2`). Declare it once per program at file scope:
//   RT_REGION(1, "conv2d");
// and bracket the code, on every core, with rt_region_begin(1) / rt_region_end(1). The
// identifier is a literal in 0..31. Regions may nest. The forms with a condition keep their branch
// from the compiler, so that it leaves the code around them alone.
struct rt_region {
  uint32_t id;
  uint32_t reserved;
  uint64_t useful_macs; // by the shapes, not by what was executed; 0 = not stated
  char name[48];
};

#ifdef __riscv
#define RT_REGION(id, name)                                                                        \
  struct rt_region rt_region_##id                                                                  \
      __attribute__((section(".pulpsim.regions"), used)) = {id, 0, 0, name}
#define rt_region_begin(id) __asm__ volatile(".insn i 0x13, 2, x0, x" #id ", 1" ::: "memory")
#define rt_region_end(id)   __asm__ volatile(".insn i 0x13, 2, x0, x" #id ", 2" ::: "memory")
#define rt_region_if_(id, which, condition)                                                        \
  __asm__ volatile("beqz %0, 1f\n\t.insn i 0x13, 2, x0, x" #id ", " #which "\n1:" ::"r"(condition) \
                   : "memory")
#define rt_region_begin_if(id, condition) rt_region_if_(id, 1, condition)
#define rt_region_end_if(id, condition)   rt_region_if_(id, 2, condition)
#else
#define RT_REGION(id, name)               struct rt_region rt_region_##id = {id, 0, 0, name}
#define rt_region_begin(id)               ((void)0)
#define rt_region_end(id)                 ((void)0)
#define rt_region_begin_if(id, condition) ((void)0)
#define rt_region_end_if(id, condition)   ((void)0)
#endif

// States the useful MACs of one pass through the region.
#define rt_region_macs(id, macs) ((void)(rt_region_##id.useful_macs = (macs)))

// ---------------------------------------------------------------- DMA

// Transfers between L1 and memory outside the cluster, in the background. Each returns an
// identifier (0..15) for rt_dma_wait(), which must be called once, by the same core. At most
// 16 transfers are open at a time, 1 to 131,071 bytes each (KMACHINE=gap8 or mrwolf: 65,535, and
// strides too). Any alignment; 8 bytes on both sides is fastest. The 2-D forms move `rows` rows of
// `row_bytes` that are `stride` bytes apart outside and contiguous in L1.
unsigned rt_dma_in(void *l1, const void *ext, uint32_t bytes);
unsigned rt_dma_out(void *ext, const void *l1, uint32_t bytes);
unsigned rt_dma_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                      uint32_t stride);
unsigned rt_dma_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride);
void rt_dma_wait(unsigned id);      // sleeps until the transfer is complete
void rt_dma_wait_set(uint32_t ids); // for several: bit i for identifier i
// The same, but the identifier stays open: more may follow under it.
void rt_dma_drain(unsigned id);
// Several transfers under one identifier: one wait is for all of them. They belong to the one that
// this core opened last; while the queue is full, starting one waits.
//
// A 2-D one must be the last under its identifier, but where the last of all in its direction has
// an identifier of its own. The hardware lets the core go on when a row of this identifier has
// begun (ctrl_fsm of the mchan RTL, BUSY2): with another transfer behind, a late row of the 2-D one
// does, and if that one then ends while commands of other cores are still in front of the other,
// nothing of the identifier is under way and the wait ends too early. `pulpsim --check` finds it.
unsigned rt_dma_open(void);
void rt_dma_also_in(void *l1, const void *ext, uint32_t bytes);
void rt_dma_also_out(void *ext, const void *l1, uint32_t bytes);
void rt_dma_also_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride);
void rt_dma_also_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                        uint32_t stride);

// ---------------------------------------------------------------- L3

// Transfers between L3 (HyperRAM) and L2, in the background, by the uDMA: at least one byte, any
// alignment. `l3` counts from the start of L3, or is its address for the loader (0x60000000 + it).
// Two of a direction are open at a time: a third start waits for the first one's end. One core uses
// these functions. What lies outside L2 or L3 ends the program with a sentence.
struct rt_l3 {
  uint32_t number; // of its direction, from 1 on
  bool out;
};
struct rt_l3 rt_l3_in(void *l2, uint32_t l3, uint32_t bytes);
struct rt_l3 rt_l3_out(uint32_t l3, const void *l2, uint32_t bytes);
bool rt_l3_room(bool out); // whether a start would not wait
bool rt_l3_done(struct rt_l3 transfer);
void rt_l3_wait(struct rt_l3 transfer); // sleeps until it is complete; any number of times

// ---------------------------------------------------------------- memory, output

// Copies words in L1: two cycles a word. Source and destination may be unaligned (three or four
// cycles then) and must not overlap.
void rt_copy_words(void *dst, const void *src, uint32_t words);
// `rows` rows of `words` words each, both at least 1, `dst_stride` and `src_stride` bytes apart.
void rt_copy_rows(void *dst, const void *src, uint32_t words, uint32_t rows, uint32_t dst_stride,
                  uint32_t src_stride);
void rt_zero_words(void *dst, uint32_t words); // one cycle a word

// Formatted output as C's printf: %d %i %u %o %x %X %p %c %s %%, %f %e %g and their capitals, exact
// and rounded to even; flags - 0 + # and space, width, precision, *, hh h l ll j z t. Not: %a, %n,
// long double, wide characters; from a conversion that is unknown on, the text is printed as it is.
// Floats need no float unit, but 400 bytes of stack. The text of different cores is kept apart by
// the line.
int rt_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void rt_print(const char *text); // as it is: programs need no rt_printf() for it (5 kB)

static inline uint32_t rt_float_bits(float value) {
  union {
    float f;
    uint32_t u;
  } bits = {value};
  return bits.u;
}

// A fixed sequence of 32-bit numbers for test data (xorshift, Marsaglia 2003); `state` != 0.
static inline uint32_t rt_random(uint32_t *state) {
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

#ifdef __cplusplus
}
#endif

#endif
