#include "measured.h"

#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/pulpsim.h"

static char *read_gz(const char *path, size_t *size) {
  gzFile f = gzopen(path, "rb");
  ck_assert_msg(f != NULL, "%s: cannot be opened", path);
  size_t room = 1 << 16, n = 0;
  char *text = malloc(room);
  for (int got; (got = gzread(f, text + n, (unsigned)(room - n - 1))) > 0;) {
    n += (size_t)got;
    if (room - n < 4096)
      text = realloc(text, room *= 2);
  }
  gzclose(f);
  text[n] = '\0';
  *size = n;
  return text;
}

static char *next_field(char **line) {
  char *field = *line;
  *line = field + strcspn(field, "\t\n");
  if (**line)
    *(*line)++ = '\0';
  return field;
}

void measured_open(struct measured *m) {
  size_t size;
  m->programs = read_gz("tests/data/cluster/programs.bin.gz", &m->programs_size);
  m->cases = read_gz("tests/data/cluster/cases.tsv.gz", &size);
  m->item = NULL;
  m->count = 0;
  char *line = strchr(m->cases, '\n') + 1;
  while (*line) {
    m->item = realloc(m->item, (m->count + 1) * sizeof *m->item);
    const char **field = (const char **)&m->item[m->count++];
    for (unsigned i = 0; i < MEASURED_FIELDS; i++)
      field[i] = next_field(&line);
  }
}

void measured_close(struct measured *m) {
  free(m->programs);
  free(m->cases);
  free(m->item);
}

// ---- programs: "program NAME ENTRY SEGMENTS\n", then "segment ADDRESS SIZE\n" and its bytes

enum { SEGMENTS = 4 };

struct program {
  uint32_t entry;
  unsigned count;
  struct {
    uint32_t address, size;
    const char *bytes;
  } segment[SEGMENTS];
};

static const char *parse_segments(struct program *p, const char *at) {
  for (unsigned i = 0; i < p->count; i++) {
    ck_assert_int_eq(sscanf(at, "segment %x %u", &p->segment[i].address, &p->segment[i].size), 2);
    p->segment[i].bytes = strchr(at, '\n') + 1;
    at = p->segment[i].bytes + p->segment[i].size;
  }
  return at;
}

static struct program find_program(const struct measured *m, const char *name) {
  const char *at = m->programs;
  while (at < m->programs + m->programs_size) {
    struct program p;
    char found[64];
    ck_assert_int_eq(sscanf(at, "program %63s %x %u", found, &p.entry, &p.count), 3);
    ck_assert_uint_le(p.count, SEGMENTS);
    at = parse_segments(&p, strchr(at, '\n') + 1);
    if (!strcmp(found, name))
      return p;
  }
  ck_abort_msg("no program %s", name);
}

static void write_elf(const struct program *p, FILE *f) {
  uint32_t start = sizeof(Elf32_Ehdr) + p->count * (uint32_t)sizeof(Elf32_Phdr);
  Elf32_Ehdr header = {.e_type = ET_EXEC,
                       .e_machine = EM_RISCV,
                       .e_version = EV_CURRENT,
                       .e_entry = p->entry,
                       .e_phoff = sizeof header,
                       .e_ehsize = sizeof header,
                       .e_phentsize = sizeof(Elf32_Phdr),
                       .e_phnum = (Elf32_Half)p->count};
  memcpy(header.e_ident, "\177ELF\1\1\1", 7);
  fwrite(&header, sizeof header, 1, f);
  for (unsigned i = 0; i < p->count; i++) {
    uint32_t size = p->segment[i].size, address = p->segment[i].address;
    Elf32_Phdr s = {.p_type = PT_LOAD,
                    .p_offset = start,
                    .p_vaddr = address,
                    .p_paddr = address,
                    .p_filesz = size,
                    .p_memsz = size,
                    .p_flags = PF_R | PF_W | PF_X};
    fwrite(&s, sizeof s, 1, f);
    start += size;
  }
  for (unsigned i = 0; i < p->count; i++)
    fwrite(p->segment[i].bytes, 1, p->segment[i].size, f);
}

// ---- machines

static void set(struct pulpsim_config *k, const char *key, const char *value) {
  struct pulpsim_error error;
  char text[96];
  snprintf(text, sizeof text, "%s=%s", key, value);
  ck_assert_msg(pulpsim_config_set(k, text, &error), "%s", error.text);
}

static struct pulpsim *machine(const struct measured_case *c, const struct measured_run *run) {
  struct pulpsim_error error;
  struct pulpsim_config *k = pulpsim_config_new("cluster-rtl", &error);
  ck_assert_msg(k != NULL, "%s", error.text);
  set(k, "cluster.cores", c->cores);
  set(k, "cluster.tcdm.arbiter", c->arbiter);
  set(k, "cluster.icache.model", c->instruction_memory);
  set(k, "cluster.icache.refill_latency", c->refill_latency);
  set(k, "l2.latency", c->l2_latency);
  set(k, "cluster.dma.memory_latency", c->dma_latency);
  struct pulpsim *sim = pulpsim_new(k, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(k);
  if (run->plain)
    pulpsim_set_engine(sim, PULPSIM_PLAIN);
  if (run->shuffle)
    pulpsim_shuffle(sim, run->shuffle);
  return sim;
}

static void load(struct pulpsim *sim, const struct program *p) {
  struct pulpsim_error error;
  char path[] = "/tmp/pulpsim-measured-XXXXXX";
  int fd = mkstemp(path);
  FILE *f = fdopen(fd, "wb");
  ck_assert_ptr_nonnull(f);
  write_elf(p, f);
  fclose(f);
  bool ok = pulpsim_load(sim, path, &error);
  unlink(path);
  ck_assert_msg(ok, "%s", error.text);
}

static void print_marks(const struct pulpsim_stats *s, FILE *out) {
  uint64_t first = UINT64_MAX;
  for (unsigned i = 0; i < s->core_count; i++)
    if (s->core[i].marker_count && s->core[i].markers[0].cycle < first)
      first = s->core[i].markers[0].cycle;
  const char *comma = "";
  fputc('{', out);
  for (unsigned i = 0; i < s->core_count; i++) {
    const struct pulpsim_core_stats *c = &s->core[i];
    if (!c->marker_count)
      continue;
    fprintf(out, "%s\"%u\":[", comma, i);
    for (size_t k = 0; k < c->marker_count; k++)
      fprintf(out, "%s[%u,%llu,%llu]", k ? "," : "", c->markers[k].value,
              (unsigned long long)(c->markers[k].cycle - first),
              (unsigned long long)(c->markers[k].instret - c->markers[0].instret));
    fputc(']', out);
    comma = ",";
  }
  fputc('}', out);
}

char *measured_run(const struct measured *m, const struct measured_case *c,
                   const struct measured_run *run) {
  struct program p = find_program(m, c->program);
  struct pulpsim *sim = machine(c, run);
  load(sim, &p);
  uint64_t limit = strtoull(c->max_cycles, NULL, 10);
  enum pulpsim_state state = pulpsim_run(sim, limit ? limit : PULPSIM_NO_LIMIT);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (state == PULPSIM_EXITED || limit)
    print_marks(pulpsim_stats(sim), out);
  else
    fprintf(out, "%s", pulpsim_reason(sim));
  fclose(out);
  pulpsim_free(sim);
  return text;
}
