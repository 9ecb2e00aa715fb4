// Host calls: `ecall` without a trap handler, with the numbers and arguments of newlib's RISC-V
// port (libgloss/riscv): number in a7, arguments in a0.., result in a0 (negative: -errno).
#include "sim/host_calls.h"

#include <errno.h>
#include <string.h>

#include "sim/runner.h"

enum { A0 = 10, A7 = 17 };

enum {
  CALL_CLOSE = 57,
  CALL_LSEEK = 62,
  CALL_READ = 63,
  CALL_WRITE = 64,
  CALL_FSTAT = 80,
  CALL_EXIT = 93,
  CALL_EXIT_GROUP = 94,
  CALL_BRK = 214,
  CALL_OPEN = 1024,
  CALL_UNLINK = 1026,
  // Ours:
  CALL_CORES = 0x1000,    // how many cores run
  CALL_ARGUMENT = 0x1001, // the text of an argument
  CALL_TIME = 0x1002,     // microseconds of simulated time, 64 bits
};

static uint32_t call_write(struct pulpsim *sim, const struct core *c, const uint32_t *a) {
  uint8_t part[256];
  if (a[0] != 1 && a[0] != 2)
    return host_files_call(sim, c->index, HOST_WRITE, a);
  for (uint32_t done = 0; done < a[2];) {
    uint32_t n = a[2] - done < sizeof part ? a[2] - done : (uint32_t)sizeof part;
    if (!pulpsim_read(sim, a[1] + done, part, n))
      return (uint32_t)-EFAULT;
    machine_print(sim, (int)a[0], (const char *)part, n);
    done += n;
  }
  return a[2];
}

static uint32_t call_brk(struct pulpsim *sim, uint32_t wanted) {
  uint32_t end;
  if (!sim->heap && pulpsim_symbol(sim, "_end", &end))
    sim->heap = (end + 15) & ~UINT32_C(15);
  if (wanted && machine_memory(sim, wanted))
    sim->heap = wanted;
  return sim->heap;
}

// newlib's kernel_stat: st_mode at offset 16, st_size at 48.
static uint32_t call_fstat(struct pulpsim *sim, const struct core *c, const uint32_t *a) {
  uint8_t stat[128] = {0};
  stat[17] = 0x20; // S_IFCHR
  if (a[0] > 2) {
    uint32_t size = host_files_call(sim, c->index, HOST_SIZE, (const uint32_t[3]){a[0]});
    if ((int32_t)size < 0)
      return size;
    stat[17] = 0x80; // S_IFREG
    memcpy(stat + 48, &size, sizeof size);
  }
  return machine_write(sim, a[1], stat, sizeof stat) ? 0 : (uint32_t)-EFAULT;
}

// Argument a[0] of the program, as much of it as fits into the a[2] bytes at a[1], and a 0. Returns
// its length.
static uint32_t call_argument(struct pulpsim *sim, const uint32_t *a) {
  if (a[0] >= (uint32_t)sim->argc)
    return (uint32_t)-ENOENT;
  const char *text = sim->argv[a[0]];
  uint32_t length = (uint32_t)strlen(text), n = length < a[2] ? length : a[2] - 1;
  if (a[2] == 0)
    return length;
  bool written = machine_write(sim, a[1], text, n) && machine_write(sim, a[1] + n, "", 1);
  return written ? length : (uint32_t)-EFAULT;
}

static uint32_t call_time(struct pulpsim *sim, const struct core *c, const uint32_t *a) {
  cycle_t now = machine_time(sim, c, c->engine->now);
  uint64_t microseconds = now / sim->config.soc_cluster_clock_mhz;
  return machine_write(sim, a[0], &microseconds, sizeof microseconds) ? 0 : (uint32_t)-EFAULT;
}

uint32_t host_call(struct pulpsim *sim, struct core *c, uint32_t number, const uint32_t *a) {
  switch (number) {
  case CALL_EXIT:
  case CALL_EXIT_GROUP:
    runner_end_program(sim, c, (int)a[0], c->engine->now);
    return 0;
  case CALL_WRITE:
    return call_write(sim, c, a);
  case CALL_OPEN:
    return host_files_call(sim, c->index, HOST_OPEN, a);
  case CALL_READ:
    return host_files_call(sim, c->index, HOST_READ, a);
  case CALL_CLOSE:
    return host_files_call(sim, c->index, HOST_CLOSE, a);
  case CALL_UNLINK:
    return host_files_call(sim, c->index, HOST_UNLINK, a);
  case CALL_TIME:
    return call_time(sim, c, a);
  case CALL_BRK:
    return call_brk(sim, a[0]);
  case CALL_FSTAT:
    return call_fstat(sim, c, a);
  case CALL_LSEEK:
    return host_files_call(sim, c->index, HOST_SEEK, a);
  case CALL_CORES:
    return config_active_cores(&sim->config);
  case CALL_ARGUMENT:
    return call_argument(sim, a);
  default:
    return (uint32_t)-ENOSYS;
  }
}

bool machine_host_call(void *self, struct core *c, cycle_t now) {
  struct pulpsim *sim = self;
  (void)now;
  uint32_t result = host_call(sim, c, c->r[A7], c->r + A0);
  if (sim->state != PULPSIM_READY)
    return false;
  c->r[A0] = result;
  return true;
}
