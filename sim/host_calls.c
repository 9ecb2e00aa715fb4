// Host calls: `ecall` without a trap handler, with the numbers and arguments of newlib's RISC-V
// port (libgloss/riscv): number in a7, arguments in a0.., result in a0 (negative: -errno).
#include <errno.h>
#include <string.h>

#include "sim/machine.h"
#include "sim/runner.h"

enum { A0 = 10, A1 = 11, A2 = 12, A7 = 17 };

enum {
  CALL_CLOSE = 57,
  CALL_LSEEK = 62,
  CALL_READ = 63,
  CALL_WRITE = 64,
  CALL_FSTAT = 80,
  CALL_EXIT = 93,
  CALL_EXIT_GROUP = 94,
  CALL_BRK = 214,
  // Ours:
  CALL_CORES = 0x1000,    // how many cores run
  CALL_ARGUMENT = 0x1001, // the text of an argument
};

static uint32_t call_write(struct pulpsim *sim, const uint32_t *r) {
  uint8_t part[256];
  if (r[A0] != 1 && r[A0] != 2)
    return (uint32_t)-EBADF;
  for (uint32_t done = 0; done < r[A2];) {
    uint32_t n = r[A2] - done < sizeof part ? r[A2] - done : (uint32_t)sizeof part;
    if (!pulpsim_read(sim, r[A1] + done, part, n))
      return (uint32_t)-EFAULT;
    machine_print(sim, (int)r[A0], (const char *)part, n);
    done += n;
  }
  return r[A2];
}

static uint32_t call_brk(struct pulpsim *sim, uint32_t wanted) {
  uint32_t end;
  if (!sim->heap && pulpsim_symbol(sim, "_end", &end))
    sim->heap = (end + 15) & ~UINT32_C(15);
  if (wanted && machine_memory(sim, wanted))
    sim->heap = wanted;
  return sim->heap;
}

// newlib's kernel_stat for a character device: st_mode at offset 16.
static uint32_t call_fstat(struct pulpsim *sim, const uint32_t *r) {
  uint8_t stat[128] = {0};
  stat[17] = 0x20; // S_IFCHR
  if (r[A0] > 2)
    return (uint32_t)-EBADF;
  return machine_write(sim, r[A1], stat, sizeof stat) ? 0 : (uint32_t)-EFAULT;
}

// Argument a0 of the program, as much of it as fits into the a2 bytes at a1, and a 0. Returns its
// length.
static uint32_t call_argument(struct pulpsim *sim, const uint32_t *r) {
  if (r[A0] >= (uint32_t)sim->argc)
    return (uint32_t)-ENOENT;
  const char *text = sim->argv[r[A0]];
  uint32_t length = (uint32_t)strlen(text), n = length < r[A2] ? length : r[A2] - 1;
  if (r[A2] == 0)
    return length;
  bool written = machine_write(sim, r[A1], text, n) && machine_write(sim, r[A1] + n, "", 1);
  return written ? length : (uint32_t)-EFAULT;
}

bool machine_host_call(void *self, struct core *c, cycle_t now) {
  struct pulpsim *sim = self;
  uint32_t *r = c->r;
  switch (r[A7]) {
  case CALL_EXIT:
  case CALL_EXIT_GROUP:
    runner_end_program(sim, c, (int)r[A0], now);
    return false;
  case CALL_WRITE:
    r[A0] = call_write(sim, r);
    return true;
  case CALL_READ:
    r[A0] = 0;
    return true;
  case CALL_BRK:
    r[A0] = call_brk(sim, r[A0]);
    return true;
  case CALL_FSTAT:
    r[A0] = call_fstat(sim, r);
    return true;
  case CALL_CLOSE:
    r[A0] = 0;
    return true;
  case CALL_LSEEK:
    r[A0] = (uint32_t)-ESPIPE;
    return true;
  case CALL_CORES:
    r[A0] = sim->config.cluster_cores;
    return true;
  case CALL_ARGUMENT:
    r[A0] = call_argument(sim, r);
    return true;
  default:
    r[A0] = (uint32_t)-ENOSYS;
    return true;
  }
}
