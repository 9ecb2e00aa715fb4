#include "sim/semihosting.h"

#include <errno.h>
#include <string.h>

#include "sim/runner.h"

enum { A0 = 10, A1 = 11, CHUNK = 256 };
enum { HANDLE_IN = 0, HANDLE_OUT = 1, HANDLE_ERROR = 2, HANDLE_FEATURES = 0x7f00 };

enum {
  SYS_OPEN = 0x01,
  SYS_CLOSE = 0x02,
  SYS_WRITEC = 0x03,
  SYS_WRITE0 = 0x04,
  SYS_WRITE = 0x05,
  SYS_READ = 0x06,
  SYS_READC = 0x07,
  SYS_ISERROR = 0x08,
  SYS_ISTTY = 0x09,
  SYS_SEEK = 0x0a,
  SYS_FLEN = 0x0c,
  SYS_REMOVE = 0x0e,
  SYS_CLOCK = 0x10,
  SYS_TIME = 0x11,
  SYS_ERRNO = 0x13,
  SYS_EXIT = 0x18,
  SYS_EXIT_EXTENDED = 0x20,
  SYS_ELAPSED = 0x30,
  SYS_TICKFREQ = 0x31,
};
enum { STOPPED_BY_EXIT = 0x20026 }; // ADP_Stopped_ApplicationExit

bool semihosting_is_at(const struct pulpsim *sim, uint32_t pc) {
  static const uint32_t sequence[] = {0x01f01013, 0x00100073, 0x40705013};
  uint32_t word[3];
  return pulpsim_read(sim, pc - 4, word, sizeof word) && memcmp(word, sequence, sizeof word) == 0;
}

static uint32_t remember(struct pulpsim *sim, const struct core *c, uint32_t result) {
  if ((int32_t)result >= 0)
    return result;
  sim->semihosting_errno[c->index] = -(int32_t)result;
  return UINT32_MAX;
}

// ":tt" is the console: its mode says whether it is stdin, stdout or stderr. Libraries read in
// ":semihosting-features" what the host answers beyond the first version, before they end.
static uint32_t open_file(struct pulpsim *sim, struct core *c, const uint32_t *a) {
  static const uint32_t flags[] = {0,     0,     2,     2,     0x601, 0x601,
                                   0x602, 0x602, 0x209, 0x209, 0x20a, 0x20a}; // newlib's
  char name[sizeof ":semihosting-features"] = "";
  if (a[1] > 11)
    return remember(sim, c, (uint32_t)-EINVAL);
  if (a[2] < sizeof name)
    pulpsim_read(sim, a[0], name, a[2]);
  if (strcmp(name, ":tt") == 0)
    return a[1] < 4 ? HANDLE_IN : a[1] < 8 ? HANDLE_OUT : HANDLE_ERROR;
  if (strcmp(name, ":semihosting-features") == 0 && a[1] < 2) {
    sim->semihosting_features_at = 0;
    return HANDLE_FEATURES;
  }
  return remember(
      sim, c, host_files_call(sim, c->index, HOST_OPEN, (const uint32_t[3]){a[0], flags[a[1]], 0}));
}

// Of the console's text each core keeps a line of its own, so that lines stay whole.
static bool print(struct pulpsim *sim, const struct core *c, int fd, uint32_t at, uint32_t count) {
  char part[CHUNK];
  for (uint32_t n; count; count -= n, at += n) {
    n = count < CHUNK ? count : CHUNK;
    if (!pulpsim_read(sim, at, part, n))
      return false;
    if (fd == HANDLE_ERROR)
      machine_print(sim, fd, part, n);
    for (uint32_t i = 0; fd != HANDLE_ERROR && i < n; i++)
      machine_put(sim, c->index, part[i]);
  }
  return true;
}

static uint32_t write_string(struct pulpsim *sim, const struct core *c, uint32_t at) {
  char character;
  while (pulpsim_read(sim, at++, &character, 1) && character)
    machine_put(sim, c->index, character);
  return 0;
}

// Both return how many bytes were left over.
static uint32_t write_file(struct pulpsim *sim, struct core *c, const uint32_t *a) {
  if (a[0] == HANDLE_OUT || a[0] == HANDLE_ERROR)
    return print(sim, c, (int)a[0], a[1], a[2]) ? 0 : a[2];
  uint32_t done = host_files_call(sim, c->index, HOST_WRITE, a);
  return remember(sim, c, done) == UINT32_MAX ? a[2] : a[2] - done;
}

static uint32_t read_file(struct pulpsim *sim, struct core *c, const uint32_t *a) {
  uint32_t done = host_files_call(sim, c->index, HOST_READ, a);
  return remember(sim, c, done) == UINT32_MAX ? a[2] : a[2] - done;
}

static uint32_t read_character(struct pulpsim *sim, struct core *c) {
  uint32_t sp = c->r[2] - 4; // a byte of the stack that nobody uses
  uint8_t character;
  uint32_t done = host_files_call(sim, c->index, HOST_READ, (const uint32_t[3]){0, sp, 1});
  return done == 1 && pulpsim_read(sim, sp, &character, 1) ? character : UINT32_MAX;
}

static void end_program(struct pulpsim *sim, struct core *c, bool extended, cycle_t now) {
  uint32_t block[2] = {c->r[A1], 0};
  if (extended && !pulpsim_read(sim, c->r[A1], block, sizeof block))
    block[0] = 0;
  runner_end_program(sim, c, block[0] == STOPPED_BY_EXIT ? (int)block[1] : 1, now);
}

static uint32_t elapsed(struct pulpsim *sim, struct core *c, cycle_t now) {
  uint64_t cycles = machine_time(sim, c, now);
  return machine_write(sim, c->r[A1], &cycles, sizeof cycles) ? 0 : UINT32_MAX;
}

// The magic number, then bits: SYS_EXIT_EXTENDED is answered, and ":tt" may be stderr.
static uint32_t of_features(struct pulpsim *sim, uint32_t operation, const uint32_t *a) {
  static const uint8_t features[] = {'S', 'H', 'F', 'B', 0x3};
  uint32_t *at = &sim->semihosting_features_at, n = sizeof features - *at;
  switch (operation) {
  case SYS_READ:
    n = a[2] < n ? a[2] : n;
    if (!machine_write(sim, a[1], &features[*at], n))
      return a[2];
    *at += n;
    return a[2] - n;
  case SYS_WRITE:
    return a[2];
  case SYS_SEEK:
    *at = a[1] < sizeof features ? a[1] : sizeof features;
    return 0;
  case SYS_FLEN:
    return sizeof features;
  default: // closed, no error, no console
    return 0;
  }
}

static uint32_t of_files(struct pulpsim *sim, struct core *c, uint32_t operation,
                         const uint32_t *a) {
  unsigned core = c->index;
  if (operation != SYS_OPEN && operation != SYS_REMOVE && a[0] == HANDLE_FEATURES)
    return of_features(sim, operation, a);
  switch (operation) {
  case SYS_OPEN:
    return open_file(sim, c, a);
  case SYS_CLOSE:
    return remember(sim, c, host_files_call(sim, core, HOST_CLOSE, a));
  case SYS_WRITE:
    return write_file(sim, c, a);
  case SYS_READ:
    return read_file(sim, c, a);
  case SYS_ISERROR:
    return (int32_t)a[0] < 0;
  case SYS_ISTTY:
    return a[0] <= HANDLE_ERROR;
  case SYS_SEEK: {
    uint32_t at = host_files_call(sim, core, HOST_SEEK, (const uint32_t[3]){a[0], a[1], 0});
    return remember(sim, c, at) == UINT32_MAX ? UINT32_MAX : 0;
  }
  case SYS_FLEN:
    return remember(sim, c, host_files_call(sim, core, HOST_SIZE, a));
  case SYS_REMOVE:
    return remember(sim, c, host_files_call(sim, core, HOST_UNLINK, a));
  default:
    return UINT32_MAX; // not supported
  }
}

static uint32_t answer(struct pulpsim *sim, struct core *c, cycle_t now) {
  uint32_t operation = c->r[A0], a[3] = {0};
  unsigned mhz = sim->config.soc_cluster_clock_mhz;
  char character;
  switch (operation) {
  case SYS_WRITEC:
    if (pulpsim_read(sim, c->r[A1], &character, 1))
      machine_put(sim, c->index, character);
    return 0;
  case SYS_WRITE0:
    return write_string(sim, c, c->r[A1]);
  case SYS_READC:
    return read_character(sim, c);
  case SYS_CLOCK: // hundredths of a second
    return (uint32_t)(machine_time(sim, c, now) / (10000 * (uint64_t)mhz));
  case SYS_TIME:
    return (uint32_t)(machine_time(sim, c, now) / (1000000 * (uint64_t)mhz));
  case SYS_ERRNO:
    return (uint32_t)sim->semihosting_errno[c->index];
  case SYS_EXIT:
  case SYS_EXIT_EXTENDED:
    end_program(sim, c, operation == SYS_EXIT_EXTENDED, now);
    return 0;
  case SYS_ELAPSED:
    return elapsed(sim, c, now);
  case SYS_TICKFREQ:
    return mhz * 1000000;
  default:
    for (unsigned i = 0; i < 3; i++) // one by one: the block may end with memory
      pulpsim_read(sim, c->r[A1] + 4 * i, &a[i], 4);
    return of_files(sim, c, operation, a);
  }
}

enum core_breakpoint semihosting_breakpoint(void *self, struct core *c, uint32_t pc, cycle_t now) {
  struct pulpsim *sim = self;
  if (!semihosting_is_at(sim, pc))
    return CORE_BREAKPOINT_TRAPS;
  uint32_t result = answer(sim, c, now);
  if (sim->state != PULPSIM_READY)
    return CORE_BREAKPOINT_ENDS;
  c->r[A0] = result;
  return CORE_BREAKPOINT_ANSWERED;
}
