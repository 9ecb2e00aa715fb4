// tests/fuzz/fuzz_corpus.c: the collected inputs, and some thousand mutations of them.
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/observe/tool.h"

enum { INPUT_MOST = 1 << 16, MUTATIONS = 3000 };

static const struct {
  const char *name;
  fuzz_target *run;
} targets[] = {
    {"elf", fuzz_elf},
    {"yaml", fuzz_yaml},
    {"word", fuzz_word},
    {"program", fuzz_program},
    {"packet", fuzz_packet},
    {"gdb", fuzz_gdb},
    {"tflite", fuzz_tflite},
    {"net", fuzz_net},
    {"sample", fuzz_sample},
    {"onnx", fuzz_onnx},
    {"operators", fuzz_operators},
};
enum { TARGETS = sizeof targets / sizeof *targets };

static uint8_t input[INPUT_MOST], changed[INPUT_MOST];

static size_t read_input(const char *directory, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *f = fopen(path, "rb");
  ck_assert_ptr_nonnull(f);
  size_t n = fread(input, 1, sizeof input, f);
  fclose(f);
  return n;
}

static uint32_t next(uint32_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  return *seed ^= *seed << 5;
}

// Changes a few bytes, and cuts now and then.
static void mutate(fuzz_target *run, size_t size, uint32_t *seed, unsigned times) {
  for (unsigned i = 0; i < times && size; i++) {
    memcpy(changed, input, size);
    for (unsigned k = next(seed) % 4 + 1; k > 0; k--)
      changed[next(seed) % size] = (uint8_t)next(seed);
    run(changed, next(seed) % 8 ? size : next(seed) % size);
  }
}

START_TEST(inputs_do_no_harm) {
  const char *dir = tool_directory();
  tool(NULL, "mkdir -p %s/corpus && tar -xzf tests/data/fuzz/%s.tar.gz -C %s/corpus", dir,
       targets[_i].name, dir);
  char path[128];
  snprintf(path, sizeof path, "%s/corpus", dir);
  DIR *d = opendir(path);
  ck_assert_ptr_nonnull(d);
  unsigned inputs = 0;
  uint32_t seed = 1;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    if (e->d_name[0] == '.')
      continue;
    size_t size = read_input(path, e->d_name);
    targets[_i].run(input, size);
    mutate(targets[_i].run, size, &seed, MUTATIONS / 100);
    inputs++;
  }
  closedir(d);
  ck_assert_uint_ge(inputs, 10);
}
END_TEST

Suite *fuzz_corpus_suite(void);
Suite *fuzz_corpus_suite(void) {
  Suite *s = suite_create("fuzz_corpus");
  TCase *c = tcase_create("fuzz_corpus");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, inputs_do_no_harm, 0, TARGETS);
  suite_add_tcase(s, c);
  return s;
}
