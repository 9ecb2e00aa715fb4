// sim/pulpsim.h: libpulpsim's public interface.
//
//   struct pulpsim_config *config = pulpsim_config_new("pulp-open", &error);
//   struct pulpsim *sim = pulpsim_new(config, &error);
//   pulpsim_load(sim, "kernel.elf", &error);
//   enum pulpsim_state state = pulpsim_run(sim, PULPSIM_NO_LIMIT);
//   const struct pulpsim_stats *stats = pulpsim_stats(sim);
//   ...
//   pulpsim_free(sim);
//
// docs/library.md has a whole program, and how to link it.
//
// Times are cycles of the cluster clock, counted from the release of reset; what a core counts are
// cycles of its own clock, which is the SoC's for the fabric controller. Addresses are the guest's.
// Functions that can fail return NULL or false and fill in a one-sentence message that says where
// and what to do. One thread may use a machine at a time; machines are independent of each other.
// Results are the same bit for bit on every host. When the host's memory is out in the middle of a
// run or of its observation, the process says so on stderr and ends with status 70.
#ifndef PULPSIM_H
#define PULPSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) // what libpulpsim.so shows; all else in it is hidden

#define PULPSIM_NO_LIMIT UINT64_MAX

struct pulpsim;        // a machine
struct pulpsim_config; // what it is made of (sim/config.h)

struct pulpsim_error {
  char text[512];
};

// ---- configuration

// The name of the configuration that a program is made for: "generic" if it lies at 0x80000000 and
// has a symbol `tohost`, as those of test suites do; else "pulp-open".
const char *pulpsim_config_for(const char *elf_path);

// By name ("pulp-open"), or from a YAML file when `name` contains a '/' or ends in ".yml".
struct pulpsim_config *pulpsim_config_new(const char *name, struct pulpsim_error *error);
void pulpsim_config_free(struct pulpsim_config *config);

// "key=value", e.g. "cluster.cores=4".
bool pulpsim_config_set(struct pulpsim_config *config, const char *assignment,
                        struct pulpsim_error *error);

// Rules that involve several keys; pulpsim_new() checks them too.
bool pulpsim_config_check(const struct pulpsim_config *config, struct pulpsim_error *error);

// As YAML that reads back to the same; all keys with range, default and meaning; the names of the
// configurations that come with the program (NULL beyond the last).
void pulpsim_config_show(const struct pulpsim_config *config, FILE *out);
void pulpsim_config_list(FILE *out, bool markdown);
const char *pulpsim_config_name(size_t index);

// ---- machine

// The configuration is copied. Files named below are read at the time of the call.
struct pulpsim *pulpsim_new(const struct pulpsim_config *config, struct pulpsim_error *error);
void pulpsim_free(struct pulpsim *sim);

// Loads the program and makes its entry the start address.
bool pulpsim_load(struct pulpsim *sim, const char *elf_path, struct pulpsim_error *error);

// Arguments for the program, which asks for them by a host call (rt_argument() of kernels/rt/rt.h).
// They must stay as long as the machine runs.
void pulpsim_arguments(struct pulpsim *sim, int argc, char *const *argv);

// Lets the program's host calls read this process's stdin, and read and write files in `directory`
// and below (NULL: none). Without it there are neither. False if there is no such directory.
bool pulpsim_grant(struct pulpsim *sim, const char *directory, bool input,
                   struct pulpsim_error *error);

// Copies a file's bytes to guest memory; false if it cannot be read, or does not fit.
bool pulpsim_load_file(struct pulpsim *sim, const char *path, uint32_t address,
                       struct pulpsim_error *error);

// Which engine decides when instructions issue: the fast one looks up what the cycle model
// has computed before; the plain one runs the cycle model throughout. Statistics are identical. To
// be called before pulpsim_load(); returns false when it is too late or memory is out.
enum pulpsim_engine { PULPSIM_FAST, PULPSIM_PLAIN };
bool pulpsim_set_engine(struct pulpsim *sim, enum pulpsim_engine engine);

// Seed of the order among equal times that must not matter (0: the written order).
void pulpsim_shuffle(struct pulpsim *sim, uint64_t seed);

// Guest output (stdout and stderr of the guest): by default written to this process's own.
typedef void pulpsim_output(void *user, int fd, const char *bytes, size_t count);
void pulpsim_on_output(struct pulpsim *sim, pulpsim_output *output, void *user);

enum pulpsim_state {
  PULPSIM_READY,    // loaded, or paused by a limit of pulpsim_run
  PULPSIM_EXITED,   // the program ended: pulpsim_exit_status()
  PULPSIM_TRAPPED,  // illegal instruction, bad access, unhandled trap: pulpsim_reason()
  PULPSIM_DEADLOCK, // every core sleeps and nothing is pending
  PULPSIM_BREAK,    // a breakpoint, or pulpsim_interrupt()
};

// Runs until the end, or up to and including cycle `until`. In a pause cores of the fast engine may
// be ahead by as many cycles as their last straight line takes.
enum pulpsim_state pulpsim_run(struct pulpsim *sim, uint64_t until);

// The same, but where the run pauses at `until` nobody has got ahead: what has been counted is what
// the plain engine would have counted. (As at the end of a program, always.)
enum pulpsim_state pulpsim_run_exactly(struct pulpsim *sim, uint64_t until);

// Runs until core `core` has executed one more instruction (the others run along).
enum pulpsim_state pulpsim_step(struct pulpsim *sim, unsigned core);

// Runs until some core is about to execute the instruction at `pc`.
enum pulpsim_state pulpsim_run_until(struct pulpsim *sim, uint32_t pc, uint64_t until);

// Makes pulpsim_run return soon; may be called from a signal handler.
void pulpsim_interrupt(struct pulpsim *sim);

enum pulpsim_state pulpsim_state(const struct pulpsim *sim);
int pulpsim_exit_status(const struct pulpsim *sim);
// Core, pc, function and source line, and what is wrong; lines behind that say more: who called, or
// who waits for what.
const char *pulpsim_reason(const struct pulpsim *sim);
// What the program takes for granted and this machine does not do, in one sentence; "" if nothing
// like that has been seen. (A trap that went elsewhere than to the handler written to mtvec; a file
// that is not granted; a word that is another instruction of a set which the machine has not.)
const char *pulpsim_notice(struct pulpsim *sim);
uint64_t pulpsim_now(const struct pulpsim *sim);

// ---- looking inside

// The fabric controller, if it runs, is the last core. What does not exist reads as 0, and is not
// written.
unsigned pulpsim_cores(const struct pulpsim *sim);
uint32_t pulpsim_register(const struct pulpsim *sim, unsigned core, unsigned number); // 32..63: f
void pulpsim_set_register(struct pulpsim *sim, unsigned core, unsigned number, uint32_t value);
uint32_t pulpsim_pc(const struct pulpsim *sim, unsigned core);
// Returns false when any byte lies outside the machine's memories.
bool pulpsim_read(const struct pulpsim *sim, uint32_t address, void *buffer, size_t count);
bool pulpsim_write(struct pulpsim *sim, uint32_t address, const void *buffer, size_t count);
// Address of a symbol; false if the program has none of that name.
bool pulpsim_symbol(const struct pulpsim *sim, const char *name, uint32_t *address);
// Function (or object) that contains `address`, with the offset into it; NULL if none.
const char *pulpsim_symbol_at(const struct pulpsim *sim, uint32_t address, uint32_t *offset);

// The loaded ELF file's bytes; NULL and 0 if there is none. Valid until the next load.
const void *pulpsim_program(const struct pulpsim *sim, size_t *size);

// Number of the region that the program declares under `name`; -1 if none. The name of a region, or
// "region N".
int pulpsim_region_named(const struct pulpsim *sim, const char *name);
void pulpsim_region_name(const struct pulpsim *sim, uint32_t id, char *name, size_t size);

// ---- statistics

// Every cycle of every core has exactly one cause; `stalls` with [0], issue, sum to `cycles`.
enum { PULPSIM_CAUSES = 17 };
const char *pulpsim_cause_name(unsigned cause);
const char *pulpsim_cause_meaning(unsigned cause);

struct pulpsim_marker {
  uint32_t value;
  uint64_t cycle;   // of the store, in EX
  uint64_t instret; // instructions retired up to and including it
};

struct pulpsim_counts {
  uint64_t cycles, instructions, macs;
  uint64_t stalls[PULPSIM_CAUSES]; // [0] = issue = instructions
};

struct pulpsim_core_stats {
  unsigned hartid;
  struct pulpsim_counts total;
  size_t marker_count;
  const struct pulpsim_marker *markers;
  unsigned clock_mhz; // whose cycles `total` counts
};

struct pulpsim_region {
  uint32_t id;
  char name[48];
  uint64_t useful_macs;        // as declared by the program; 0 if not
  uint64_t entries;            // times that a core entered which found no other in it
  uint64_t cycles;             // from the first begin to the last end, summed over the entries
  bool open;                   // the last entry has not ended: cycles and counts are those so far
  struct pulpsim_counts *core; // one per core
};

struct pulpsim_bank_stats {
  uint64_t grants, conflicts; // conflicts: requests that had to wait, counted per cycle
};

struct pulpsim_stats {
  const char *machine; // configuration's name
  uint64_t config_hash, elf_hash;
  uint64_t cycles; // from the release of reset to the end, or the pause: cycle `until` included
  unsigned core_count;
  const struct pulpsim_core_stats *core;
  size_t region_count;
  const struct pulpsim_region *region;
  unsigned bank_count;
  const struct pulpsim_bank_stats *bank;
  unsigned idle_cores; // of the cluster: built, never started (cluster.active)
};

// Valid until the machine runs on or is freed.
const struct pulpsim_stats *pulpsim_stats(struct pulpsim *sim);

// ---- events

// A register and its value: x0..x31 are 0..31, f0..f31 are 32..63.
struct pulpsim_operand {
  uint8_t number;
  uint32_t value;
};

// One executed instruction, in issue order per core; the order among cores is not that of time. It
// is reported when the whole machine has got there. To observers who want it `ahead`: as soon as
// its results are known (a load: at its grant); no later event's `done` precedes pulpsim_now(), but
// where a run ends, what was reported from there on did not come to pass.
struct pulpsim_insn_event {
  unsigned core;
  uint32_t pc, word;
  uint16_t encoding;      // index into isa_encs (isa/isa.h)
  uint8_t size;           // bytes: 2 or 4
  uint8_t stall_cause;    // the largest of the causes of `stall`
  uint64_t cycle;         // in which it left ID
  uint64_t done;          // in which it left EX: cycle + 1, or the grant of its access
  uint64_t since;         // `cycle` less `stall`
  uint32_t stall;         // of the core's cycles, those lost since the previous one left ID
  const uint32_t *stalls; // the same by cause (PULPSIM_CAUSES); NULL when `stall` is 0
  bool has_memory, memory_write;
  uint8_t memory_size;
  uint32_t memory_address, memory_data;
  bool has_csr; // it wrote a CSR, whose value now is:
  uint16_t csr;
  uint32_t csr_value;
  uint8_t write_count, read_count;
  struct pulpsim_operand write[2]; // registers written
  struct pulpsim_operand read[3];  // sources, before that; for observers who want them
};

// Whether cycles of this cause are lost by the instruction that left ID before them (it holds EX,
// or redirects the fetch); otherwise the next one waits in ID.
bool pulpsim_cause_behind(unsigned cause);

// One side of a DMA command: bytes per row, and from row to row. In one dimension: one row.
struct pulpsim_dma_side {
  uint32_t address; // as commanded; L1: where it lies on the bus
  uint32_t row, stride;
};

struct pulpsim_dma_command {
  unsigned transfer; // identifier: 0..15
  unsigned core;     // who gave it; as many as the cluster has: somebody outside
  bool to_l1;
  bool fixed; // the external address does not increment
  bool two_d;
  uint32_t bytes;
  struct pulpsim_dma_side l1, ext;
  uint64_t cycle; // in which the arbiter took it
};

struct pulpsim_observer {
  void *user;
  bool sources; // wants events to have `read`; else `read_count` may be 0
  bool ahead;   // wants them as soon as they are known
  void (*insn)(void *user, const struct pulpsim_insn_event *event);
  // Cycles lost since the core's last instruction, at the end of the run.
  void (*rest)(void *user, unsigned core, const uint32_t stalls[PULPSIM_CAUSES]);
  void (*region)(void *user, unsigned core, uint32_t id, bool begin, uint64_t cycle);
  // A command of transfer `transfer` begins with so many bytes, or all of them have ended.
  void (*dma)(void *user, unsigned transfer, bool begin, uint64_t cycle, uint32_t bytes);
  // A transfer between L2 and L3 has ended; cycles of the cluster.
  void (*l3)(void *user, bool to_l2, uint64_t begin, uint64_t end, uint32_t bytes);
  // The DMA has got a command; it begins later.
  void (*dma_command)(void *user, const struct pulpsim_dma_command *command);
};

// At most 8 observers, whose callbacks may be NULL. Observing switches to the observed loop:
// slower, same cycles. Call it before the first run. Returns false when out of room.
bool pulpsim_observe(struct pulpsim *sim, const struct pulpsim_observer *observer);

// Ends the observation when the run is over: reports the accesses that still wait, then `rest`.
void pulpsim_observe_end(struct pulpsim *sim);

// Text of an instruction as objdump prints it without aliases. Returns the length, as snprintf.
int pulpsim_disassemble(const struct pulpsim *sim, uint32_t word, uint32_t pc, char *text,
                        size_t size);

// ---- control, for debuggers. Cores stop in front of an instruction, each at a time of its own.

// Stops of pulpsim_run() with PULPSIM_BREAK.
enum pulpsim_stop_kind {
  PULPSIM_STOP_INTERRUPT,
  PULPSIM_STOP_STEP,
  PULPSIM_STOP_BREAKPOINT,
  PULPSIM_STOP_WATCH,
  PULPSIM_STOP_EBREAK
};
struct pulpsim_stop {
  enum pulpsim_stop_kind kind;
  unsigned core;
  uint32_t pc;      // about to be executed
  uint32_t address; // of the access that a watchpoint saw
  uint64_t cycle;   // in which the instruction at `pc` enters ID
};
const struct pulpsim_stop *pulpsim_stop(const struct pulpsim *sim);

// Breakpoints, for all cores; at most 256. Watchpoints on accesses to any of `size` bytes; at
// most 16. Both need the observed loop and switch to it. Return false when there is no room.
// `pulpsim_debugging`: an ebreak stops the run instead of trapping.
void pulpsim_debugging(struct pulpsim *sim, bool on);
enum { PULPSIM_WATCH_WRITE = 1, PULPSIM_WATCH_READ = 2 };
bool pulpsim_breakpoint(struct pulpsim *sim, uint32_t pc, bool set);
bool pulpsim_watch(struct pulpsim *sim, uint32_t address, uint32_t size, unsigned kinds, bool set);

// Runs until core `core` has retired `count` instructions in all (as pulpsim_step(), which asks for
// one more), or up to cycle `until`.
enum pulpsim_state pulpsim_run_to(struct pulpsim *sim, unsigned core, uint64_t count,
                                  uint64_t until);

// The next run ends when core `core` has retired `count` instructions, as pulpsim_run_to() does.
void pulpsim_stop_at(struct pulpsim *sim, unsigned core, uint64_t count);

// As pulpsim_run(), but only core `core` stops. It runs ahead of the others as far as it may; where
// it needs them, they run along, and the first stop that one of them passed by is told by
// pulpsim_passed(), with the instructions that core had retired. False if there was none.
enum pulpsim_state pulpsim_run_only(struct pulpsim *sim, unsigned core, uint64_t until);
bool pulpsim_passed(const struct pulpsim *sim, struct pulpsim_stop *stop, uint64_t *retired);

// Instructions that core `core` has retired while it was observed, and the time it has reached.
uint64_t pulpsim_retired(const struct pulpsim *sim, unsigned core);
uint64_t pulpsim_core_cycle(const struct pulpsim *sim, unsigned core);

// Control and status registers. False if the core has none of that number, or cannot write it.
bool pulpsim_csr(struct pulpsim *sim, unsigned core, unsigned number, uint32_t *value);
bool pulpsim_set_csr(struct pulpsim *sim, unsigned core, unsigned number, uint32_t value);

// Hardware loop registers: start, end, count of loop 0, then of loop 1 (index 0..5).
bool pulpsim_hwloop(const struct pulpsim *sim, unsigned core, unsigned index, uint32_t *value);

// Where an access of core `core` to `address` leads: memories are at other addresses as well (the
// own cluster at 0, L1 where loads test and set, the start of L2 for the fabric controller).
uint32_t pulpsim_canonical(const struct pulpsim *sim, unsigned core, uint32_t address);

// The shared L1 memory: how many banks (words are interleaved), and where. 0: there is none.
unsigned pulpsim_l1(const struct pulpsim *sim, uint32_t *base, uint32_t *size);

// Whether the cores have f registers of their own.
bool pulpsim_float_registers(const struct pulpsim *sim);

// Moves a core elsewhere; false if it is in the middle of an access, or of a fetch that misses.
bool pulpsim_set_pc(struct pulpsim *sim, unsigned core, uint32_t pc);

// What a core waits for; NULL if it runs.
const char *pulpsim_waits(const struct pulpsim *sim, unsigned core);

// A machine's state, to go back to. Observers are not part of it. A snapshot fits only the machine
// it was made of. NULL when out of memory.
struct pulpsim_snapshot;
struct pulpsim_snapshot *pulpsim_save(struct pulpsim *sim);
void pulpsim_restore(struct pulpsim *sim, const struct pulpsim_snapshot *snapshot);
void pulpsim_snapshot_free(struct pulpsim_snapshot *snapshot);
uint64_t pulpsim_snapshot_cycle(const struct pulpsim_snapshot *snapshot);
size_t pulpsim_snapshot_size(const struct pulpsim_snapshot *snapshot);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
