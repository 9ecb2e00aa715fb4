// tests/kernels/nn_variants.c: the assembly of the quantized inference kernels, all of it: a
// program that takes every variant against the references executes each instruction of each routine
// that kernels/nn/*.S defines.
#include <check.h>
#include <elf.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pulpsim.h"

Suite *nn_variants_suite(void);

enum { LIMIT = 400 * 1000 * 1000, L2_BASE = 0x1c000000, L2_SIZE = 512 * 1024 };

static bool executed[L2_SIZE / 2]; // by half word

static void mark(void *user, const struct pulpsim_insn_event *event) {
  (void)user;
  if (event->pc - L2_BASE < L2_SIZE)
    executed[(event->pc - L2_BASE) / 2] = true;
}

static struct pulpsim *run_marked(const char *program) {
  struct pulpsim_error error = {""};
  struct pulpsim_config *config = pulpsim_config_new("xpulpnn", &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  ck_assert(pulpsim_config_set(config, "cluster.cores=1", &error));
  struct pulpsim *sim = pulpsim_new(config, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(config);
  const struct pulpsim_observer observer = {.insn = mark};
  ck_assert(pulpsim_observe(sim, &observer));
  ck_assert_msg(pulpsim_load(sim, program, &error), "%s", error.text);
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 0);
  pulpsim_observe_end(sim);
  return sim;
}

// What was not, one line each.
static char missed[800];
static size_t missed_used;

static void look_at(struct pulpsim *sim, const char *name, uint32_t size) {
  uint32_t begin;
  ck_assert_msg(pulpsim_symbol(sim, name, &begin), "%s is not in the program", name);
  ck_assert_msg(begin - L2_BASE < L2_SIZE - size, "%s is not in L2", name);
  for (uint32_t at = begin; at < begin + size;) {
    uint16_t half;
    ck_assert(pulpsim_read(sim, at, &half, sizeof half));
    if (!executed[(at - L2_BASE) / 2] && missed_used < sizeof missed)
      missed_used += (size_t)snprintf(missed + missed_used, sizeof missed - missed_used, "%s+%u\n",
                                      name, at - begin);
    at += (half & 3) == 3 ? 4 : 2;
  }
}

// The file's bytes; the caller frees.
static char *read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  long size = ftell(file);
  ck_assert_int_gt(size, 0);
  rewind(file);
  char *bytes = malloc((size_t)size);
  ck_assert_ptr_nonnull(bytes);
  ck_assert_uint_eq(fread(bytes, 1, (size_t)size, file), (size_t)size);
  fclose(file);
  return bytes;
}

// The functions that an object file defines. Returns their number.
static unsigned assert_object(struct pulpsim *sim, const char *path) {
  char *bytes = read_whole(path);
  const Elf32_Ehdr *header = (const void *)bytes;
  const Elf32_Shdr *section = (const void *)(bytes + header->e_shoff);
  unsigned functions = 0;
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (section[i].sh_type != SHT_SYMTAB)
      continue;
    const Elf32_Sym *symbol = (const void *)(bytes + section[i].sh_offset);
    const char *names = bytes + section[section[i].sh_link].sh_offset;
    for (size_t k = 0; k < section[i].sh_size / sizeof *symbol; k++) {
      if (ELF32_ST_TYPE(symbol[k].st_info) != STT_FUNC)
        continue;
      look_at(sim, names + symbol[k].st_name, symbol[k].st_size);
      functions++;
    }
  }
  free(bytes);
  return functions;
}

START_TEST(every_instruction_is_executed) {
  struct pulpsim *sim = run_marked(TEST_BUILD_DIR "/kernels/test/nn_variants.elf");
  glob_t objects;
  ck_assert_int_eq(glob(TEST_BUILD_DIR "/kernels/obj/nn/*.S.o", 0, NULL, &objects), 0);
  for (size_t i = 0; i < objects.gl_pathc; i++)
    ck_assert_msg(assert_object(sim, objects.gl_pathv[i]) > 0, "%s has no functions",
                  objects.gl_pathv[i]);
  globfree(&objects);
  ck_assert_msg(missed_used == 0, "never executed:\n%s", missed);
  pulpsim_free(sim);
}
END_TEST

Suite *nn_variants_suite(void) {
  Suite *suite = suite_create("nn_variants");
  TCase *tcase = tcase_create("coverage");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, every_instruction_is_executed);
  suite_add_tcase(suite, tcase);
  return suite;
}
