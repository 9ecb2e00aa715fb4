// tests/kernels/doc_figures.c: the cycles that docs/labs.md, docs/first-kernel.md and
// docs/bottleneck-to-remedy.md state are those that the programs take.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/pulpsim.h"

Suite *doc_figures_suite(void);

enum { LIMIT = 10 * 1000 * 1000, NAME = 48, LINE = 512 };

static void ignore(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

// A program on pulp-open, run to its end.
static struct pulpsim *run(const char *program, unsigned cores, const char *set) {
  struct pulpsim_error error = {""};
  char text[256];
  struct pulpsim_config *config = pulpsim_config_new("pulp-open", &error);
  snprintf(text, sizeof text, "cluster.cores=%u", cores);
  ck_assert_msg(config && pulpsim_config_set(config, text, &error) &&
                    (!set || pulpsim_config_set(config, set, &error)),
                "%s", error.text);
  struct pulpsim *sim = pulpsim_new(config, &error);
  pulpsim_config_free(config);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_on_output(sim, ignore, NULL);
  snprintf(text, sizeof text, "%s/kernels/%s.elf", TEST_BUILD_DIR, program);
  ck_assert_msg(pulpsim_load(sim, text, &error), "%s", error.text);
  ck_assert_msg(pulpsim_run(sim, LIMIT) == PULPSIM_EXITED && pulpsim_exit_status(sim) == 0, "%s",
                program);
  return sim;
}

static const struct pulpsim_region *region_of(struct pulpsim *sim, const char *name) {
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  for (size_t i = 0; i < stats->region_count; i++)
    if (strcmp(stats->region[i].name, name) == 0)
      return &stats->region[i];
  ck_abort_msg("no region is called '%s'", name);
  return NULL;
}

static uint64_t lost_to(const struct pulpsim_stats *stats, const struct pulpsim_region *region,
                        const char *cause) {
  uint64_t lost = 0;
  for (unsigned k = 0; k < PULPSIM_CAUSES; k++)
    for (unsigned i = 0; i < stats->core_count && strcmp(pulpsim_cause_name(k), cause) == 0; i++)
      lost += region ? region->core[i].stalls[k] : stats->core[i].total.stalls[k];
  return lost;
}

// "12,722"
static uint64_t number(const char *text) {
  uint64_t value = 0;
  for (; *text; text++)
    if (*text != ',')
      value = 10 * value + (uint64_t)(*text - '0');
  return value;
}

// Where code lies decides on a few cycles, and compilers differ.
static void is_near(const char *what, uint64_t is, const char *stated) {
  uint64_t said = number(stated), apart = is > said ? is - said : said - is;
  ck_assert_msg(apart <= 40 + said / 20, "%s: %llu, documented as %s", what, (unsigned long long)is,
                stated);
}

static FILE *open_page(const char *path) {
  FILE *page = fopen(path, "r");
  ck_assert_msg(page != NULL, "%s", path);
  return page;
}

START_TEST(labs_take_what_their_table_says) {
  FILE *page = open_page("docs/labs.md");
  char line[LINE], program[NAME], region[NAME], cycles[16];
  unsigned rows = 0;
  while (fgets(line, sizeof line, page)) {
    if (sscanf(line, "| `%47[a-z_]` | %47[^|] | %15[0-9,]", program, region, cycles) != 3)
      continue;
    region[strlen(region) - 1] = '\0'; // the blank before the bar
    struct pulpsim *sim = run(program, 8, NULL);
    is_near(region, region_of(sim, region)->cycles, cycles);
    pulpsim_free(sim);
    rows++;
  }
  fclose(page);
  ck_assert_uint_eq(rows, 8);
}
END_TEST

START_TEST(the_first_kernel_takes_what_is_printed) {
  FILE *page = open_page("docs/first-kernel.md");
  char line[LINE], one[16], eight[16];
  bool found = false;
  while (!found && fgets(line, sizeof line, page))
    found = sscanf(line, "| plain C | %15[0-9,] | %15[0-9,]", one, eight) == 2;
  fclose(page);
  ck_assert(found);
  for (unsigned cores = 1; cores <= 8; cores += 7) {
    struct pulpsim *sim = run("test/first_kernel", cores, NULL);
    is_near("dot", region_of(sim, "dot")->cycles, cores == 1 ? one : eight);
    pulpsim_free(sim);
  }
}
END_TEST

// One half of a remedy: "before" or "after".
static void check_half(const char *cause, const char *half, const char *cycles, const char *lost) {
  bool idle = strcmp(cause, "idle") == 0, contention = strcmp(cause, "fpu_contention") == 0;
  char name[NAME];
  snprintf(name, sizeof name, idle ? "idle_%s" : "stalls", half);
  struct pulpsim *sim = run(name, 8,
                            idle         ? "soc.boot=soc"
                            : contention ? "cluster.fpu.sharing=shared"
                                         : NULL);
  snprintf(name, sizeof name, "%s %s", cause, half);
  const struct pulpsim_region *region = idle ? NULL : region_of(sim, name);
  is_near(name, region ? region->cycles : pulpsim_stats(sim)->cycles, cycles);
  is_near(name, lost_to(pulpsim_stats(sim), region, cause), lost);
  pulpsim_free(sim);
}

START_TEST(remedies_gain_what_is_stated) {
  FILE *page = open_page("docs/bottleneck-to-remedy.md");
  char line[LINE], cause[NAME] = "", figure[4][16];
  unsigned rows = 0;
  while (fgets(line, sizeof line, page)) {
    sscanf(line, "## %*[^`]`%47[a-z0-9_]`", cause);
    if (sscanf(line, "%15[0-9,] -> %15[0-9,] cycles, %15[0-9,] -> %15[0-9,] lost", figure[0],
               figure[1], figure[2], figure[3]) != 4)
      continue;
    check_half(cause, "before", figure[0], figure[2]);
    check_half(cause, "after", figure[1], figure[3]);
    rows++;
  }
  fclose(page);
  ck_assert_uint_eq(rows, PULPSIM_CAUSES - 1); // all but issue
}
END_TEST

Suite *doc_figures_suite(void) {
  Suite *suite = suite_create("doc_figures");
  TCase *tc = tcase_create("pages");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, labs_take_what_their_table_says);
  tcase_add_test(tc, the_first_kernel_takes_what_is_printed);
  tcase_add_test(tc, remedies_gain_what_is_stated);
  suite_add_tcase(suite, tc);
  return suite;
}
