// tests/cluster/micro.c: the figures of the cluster in docs/timing-cluster.md are those of the
// model. With UPDATE_DOCS=1 in the environment the suite writes them there.
#include "micro.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *cluster_micro_suite(void);

struct guest micro;

enum { PAGE = 1 << 14, DOCUMENT = 1 << 17 };
static char page[PAGE], document[DOCUMENT];
static size_t length;
static struct pulpsim *machine;

static const char path[] = "docs/timing-cluster.md",
                  begins[] = "<!-- measured: cluster_micro -->\n", ends[] = "<!-- end -->\n";

void micro_row(const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(page + length, PAGE - length, format, args);
  va_end(args);
  ck_assert(n >= 0 && (size_t)n < PAGE - length);
  length += (size_t)n;
}

void micro_run(unsigned cores, const char *settings) {
  pulpsim_free(machine);
  machine = guest_load(&micro, cores, settings);
  guest_run(machine);
}

uint64_t micro_cycles(unsigned core) {
  return guest_mark(machine, core, 1) - guest_mark(machine, core, 0) - 1;
}

uint64_t micro_l2_wait(const char *settings) {
  pulpsim_free(machine);
  machine = guest_boot(&micro, GUEST_L2, 1, settings, PULPSIM_FAST);
  guest_run(machine);
  return guest_stalls(machine, 0, "l2_wait");
}

uint64_t micro_between(unsigned index) {
  return guest_mark(machine, 0, index + 1) - guest_mark(machine, 0, index) - 1;
}

uint64_t micro_slowest(unsigned cores) {
  uint64_t most = 0;
  for (unsigned i = 0; i < cores; i++)
    most = micro_cycles(i) > most ? micro_cycles(i) : most;
  return most;
}

void micro_walk(int rd, int rs1, int step) {
  word(&micro, (uint32_t)step << 20 | (uint32_t)rs1 << 15 | 2 << 12 | (uint32_t)rd << 7 | 0x0b);
}

static void measure(void) {
  micro_barrier();
  micro_fork();
  micro_conflicts();
  micro_fpu();
  micro_dma();
  micro_l2();
  micro_icache();
}

static void read_document(void) {
  FILE *f = fopen(path, "r");
  ck_assert(f != NULL);
  size_t n = fread(document, 1, DOCUMENT - 1, f);
  fclose(f);
  ck_assert_uint_lt(n, DOCUMENT - 1);
  document[n] = '\0';
}

static void write_document(const char *rest) {
  FILE *f = fopen(path, "w");
  ck_assert(f != NULL);
  fputs(document, f);
  fputs(page, f);
  fputs(rest, f);
  fclose(f);
}

START_TEST(the_document_holds_the_figures) {
  measure();
  pulpsim_free(machine);
  machine = NULL;
  read_document();
  char *from = strstr(document, begins);
  ck_assert_msg(from != NULL, "%s has no place for them", path);
  from += strlen(begins);
  const char *until = strstr(from, ends);
  ck_assert(until != NULL);
  bool same = (size_t)(until - from) == length && memcmp(from, page, length) == 0;
  if (!same && getenv("UPDATE_DOCS")) {
    static char rest[DOCUMENT];
    strcpy(rest, until);
    *from = '\0';
    write_document(rest);
    same = true;
  }
  ck_assert_msg(same, "%s: the figures have changed; UPDATE_DOCS=1 make check SUITES=cluster_micro",
                path);
}
END_TEST

Suite *cluster_micro_suite(void) {
  Suite *s = suite_create("cluster_micro");
  TCase *t = tcase_create("figures");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, the_document_holds_the_figures);
  suite_add_tcase(s, t);
  return s;
}
