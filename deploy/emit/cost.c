#include "cost.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "deploy/memory.h"
#include "kernels/tile/tile.h"
#include "library.h"
#include "machine.h"
#include "sim/pulpsim.h"

// What is known of a layer: its cycles, or that they are more.
struct known {
  uint64_t key;
  uint32_t cycles;
  bool more;
};

struct cost {
  struct known *known;
  uint32_t known_count;
  FILE *file;
  struct pulpsim *sim; // NULL until something has to be simulated
  struct pulpsim_snapshot *ready;
  uint32_t layer, l2_bytes;
  char *machine, *elf;
  bool broken;
};

// FNV-1a, 64 bits.
static uint64_t hash(uint64_t value, const void *data, size_t bytes) {
  const uint8_t *at = data;
  for (size_t i = 0; i < bytes; i++)
    value = (value ^ at[i]) * UINT64_C(0x100000001b3);
  return value;
}

static bool hash_file(const char *path, uint64_t *value) {
  enum { BLOCK = 1 << 16 };
  FILE *f = fopen(path, "rb");
  if (!f)
    return false;
  uint8_t *block = memory_new(BLOCK, 1);
  for (size_t n; (n = fread(block, 1, BLOCK, f)) > 0;)
    *value = hash(*value, block, n);
  fclose(f);
  free(block);
  return true;
}

char *cost_default_cache(void) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && *cache)
    return memory_format("%s/pulpsim", cache);
  return memory_format("%s/.cache/pulpsim", home && *home ? home : ".");
}

static bool make_folder(const char *path) {
  char *text = memory_text(path);
  for (char *slash = strchr(text + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    (void)mkdir(text, 0777);
    *slash = '/';
  }
  free(text);
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

// ---------------------------------------------------------------------------- the file

static void read_known(struct cost *c) {
  char line[64];
  rewind(c->file);
  while (fgets(line, sizeof line, c->file)) {
    struct known k = {0};
    char mark = 0;
    if (sscanf(line, "%" SCNx64 " %" SCNu32 "%c", &k.key, &k.cycles, &mark) < 2)
      continue;
    k.more = mark == '+';
    MEMORY_APPEND(c->known, c->known_count);
    c->known[c->known_count++] = k;
  }
}

static void remember(struct cost *c, struct known k) {
  MEMORY_APPEND(c->known, c->known_count);
  c->known[c->known_count++] = k;
  fprintf(c->file, "%016" PRIx64 " %" PRIu32 "%s\n", k.key, k.cycles, k.more ? "+" : "");
  fflush(c->file);
}

// ---------------------------------------------------------------------------- the program

// Linked once for each library, beside the file.
static bool link_probe(const struct cost *c, const struct cost_machine *m, const char *root) {
  if (access(c->elf, R_OK) == 0)
    return true;
  char *command = memory_format(
      "cd '%s' && riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -std=gnu17 -O2 "
      "-ffreestanding -ffunction-sections -fdata-sections -msmall-data-limit=0 -I. -Ibuild/gen "
      "-DRT_DMA_VERSION=6 -DL1_BYTES=%u -nostdlib -static -Wl,--defsym=rt_stack_size=1152 "
      "-Wl,--defsym=rt_l1_size=%u "
      "-Wl,--defsym=rt_l2_base=0x1c000000 -Wl,--defsym=rt_l2_size=0x200000 "
      "-Wl,-T,kernels/rt/link.ld -Wl,--gc-sections -o '%s.%d' "
      "build/kernels-gap8/obj/rt/crt0.S.o kernels/tile/probe/main.c "
      "build/kernels-gap8/libkernels.a "
      "$(riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -print-libgcc-file-name) "
      "2>/dev/null && mv '%s.%d' '%s'",
      root, m->tiles, m->l1, c->elf, (int)getpid(), c->elf, (int)getpid(), c->elf);
  int status = system(command); // NOLINT(cert-env33-c): the user's toolchain
  free(command);
  return status == 0;
}

// Runs it to where it waits for its layer.
static bool start(struct cost *c) {
  struct pulpsim_error reason = {""};
  uint32_t at = 0;
  c->sim = machine_new(c->machine, "l2.size=2M", &reason);
  if (c->sim && pulpsim_load(c->sim, c->elf, &reason) &&
      pulpsim_symbol(c->sim, "probe_layer", &c->layer) &&
      pulpsim_symbol(c->sim, "probe_ready", &at) &&
      pulpsim_run_until(c->sim, at, UINT64_C(10) * 1000 * 1000) == PULPSIM_BREAK)
    c->ready = pulpsim_save(c->sim);
  c->broken = !c->ready;
  return c->ready != NULL;
}

struct cost *cost_new(const struct cost_machine *machine, const char *root, const char *cache,
                      struct net_error *error) {
  struct cost *c = memory_new(1, sizeof *c);
  uint64_t key = hash(UINT64_C(0xcbf29ce484222325), machine->name, strlen(machine->name));
  key = hash(key, &machine->l1, sizeof machine->l1);
  char *library = memory_format("%s/build/kernels-gap8/libkernels.a", root), *file = NULL;
  bool good = library_is_there(root, error);
  if (good && !(hash_file("/proc/self/exe", &key) && hash_file(library, &key)))
    good = net_fail(error, "%.300s: cannot be read", library);
  if (good && !make_folder(cache))
    good = net_fail(error, "%.300s: %s", cache, strerror(errno));
  c->machine = memory_text(machine->name);
  c->elf = memory_format("%s/probe-%016" PRIx64 ".elf", cache, key);
  file = memory_format("%s/tiles-%016" PRIx64 ".txt", cache, key);
  c->file = good ? fopen(file, "a+") : NULL;
  if (good && !c->file)
    good = net_fail(error, "%.300s: %s", file, strerror(errno));
  if (good && !link_probe(c, machine, root))
    good = net_fail(error, "the program that measures tiles could not be linked in %.300s", root);
  if (good)
    read_known(c);
  free(library);
  free(file);
  if (good)
    return c;
  cost_free(c);
  return NULL;
}

void cost_free(struct cost *c) {
  if (!c)
    return;
  if (c->file)
    fclose(c->file);
  pulpsim_snapshot_free(c->ready);
  pulpsim_free(c->sim);
  free(c->known);
  free(c->machine);
  free(c->elf);
  free(c);
}

// ---------------------------------------------------------------------------- cycles

enum { L2_BYTES = 1 << 20, PIECES = 1024 }; // kernels/tile/probe/main.c

// Of a description, what both sides have alike: the machine's pointers have 32 bits.
static const size_t from = offsetof(struct tile_layer, in_h),
                    described = offsetof(struct tile_layer, scratch) + sizeof(uint32_t) -
                                offsetof(struct tile_layer, in_h);

// As the probe wants it, and as it is looked for: places in L2 do not matter.
static struct tile_layer probed(const struct tile_layer *layer) {
  struct tile_layer t = *layer;
  t.piece = 0, t.piece_tiles = 1;
  memset(t.in, 0, sizeof t.in);
  t.out = 0;
  return t;
}

static bool runs(const struct tile_layer *t) {
  uint32_t in = 0, out = (uint32_t)t->out_h * t->out_w * tile_out_pixel(t, t->out_c);
  for (unsigned i = 0; i < t->inputs; i++) {
    uint32_t bytes = (uint32_t)t->in_h * t->in_w * tile_in_pixel(t, i, t->out_c);
    in = bytes > in ? bytes : in;
  }
  return in <= L2_BYTES && out <= L2_BYTES && tile_filters(t) <= PIECES;
}

static bool write_layer(struct cost *c, const struct tile_layer *t) {
  uint32_t head[2] = {(uint32_t)t->kind, 0};
  return pulpsim_symbol(c->sim, t->kernel->name, &head[1]) &&
         pulpsim_write(c->sim, c->layer, head, sizeof head) &&
         pulpsim_write(c->sim, c->layer + 8, (const uint8_t *)t + from, described);
}

static uint32_t simulate(struct cost *c, const struct tile_layer *t, uint32_t limit) {
  uint32_t at = 0, cycles = limit;
  if (c->broken || (!c->ready && !start(c)))
    return limit;
  pulpsim_restore(c->sim, c->ready);
  uint64_t begin = pulpsim_now(c->sim);
  if (!write_layer(c, t))
    return limit;
  enum pulpsim_state state = pulpsim_run(c->sim, begin + limit);
  if (state == PULPSIM_EXITED && pulpsim_exit_status(c->sim) == 0 &&
      pulpsim_symbol(c->sim, "probe_cycles", &at))
    pulpsim_read(c->sim, at, &cycles, sizeof cycles);
  return cycles < limit ? cycles : limit;
}

static uint64_t key_of(const struct tile_layer *t) {
  uint64_t key = hash(UINT64_C(0xcbf29ce484222325), t->kernel->name, strlen(t->kernel->name));
  return hash(key, (const uint8_t *)t + from, described);
}

uint32_t cost_cycles(struct cost *c, const struct tile_layer *layer, uint32_t limit) {
  struct tile_layer t = probed(layer);
  struct known k = {.key = key_of(&t)};
  for (uint32_t i = c->known_count; i-- > 0;) {
    const struct known *old = &c->known[i];
    if (old->key == k.key && (!old->more || old->cycles >= limit))
      return old->cycles < limit ? old->cycles : limit;
  }
  if (!runs(&t))
    return limit;
  k.cycles = simulate(c, &t, limit);
  k.more = k.cycles == limit;
  remember(c, k);
  return k.cycles;
}
