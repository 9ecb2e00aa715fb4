// tests/sim/stats.c: the JSON and the summary of made-up statistics.
#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/summary.h"

static struct pulpsim_counts counts[2];
static struct pulpsim_core_stats cores[2];
static struct pulpsim_region region;
static struct pulpsim_stats stats;
static struct run_end end;
static char *text;
static size_t size;

static void setup(void) {
  static const struct pulpsim_marker markers[] = {{1, 10, 4}, {2, 30, 20}};
  static const struct pulpsim_bank_stats banks[] = {{7, 1}, {8, 0}};
  for (unsigned i = 0; i < 2; i++) {
    counts[i] =
        (struct pulpsim_counts){.cycles = 1234567, .instructions = 1234000, .macs = 4000000};
    counts[i].stalls[0] = 1234000;
    counts[i].stalls[1] = 560 + i; // too few for a column
    counts[i].stalls[PULPSIM_CAUSES - 1] = 7 - i;
    cores[i] = (struct pulpsim_core_stats){i, counts[i], 2, markers, 100};
  }
  region = (struct pulpsim_region){
      .id = 3, .useful_macs = 1000000, .entries = 2, .cycles = 1000000, .core = counts};
  strcpy(region.name, "conv \"2d\"\n\x1b[31m");
  stats = (struct pulpsim_stats){.machine = "pulp-open",
                                 .config_hash = 1,
                                 .elf_hash = 2,
                                 .cycles = 1234567,
                                 .core_count = 2,
                                 .core = cores,
                                 .region_count = 1,
                                 .region = &region,
                                 .bank_count = 2,
                                 .bank = banks};
  end = (struct run_end){.state = PULPSIM_EXITED, .status = 3, .reason = ""};
  text = NULL;
}

static void teardown(void) {
  free(text);
}

// ---- a checker of JSON's grammar (RFC 8259): returns what follows the value, or NULL

static const char *skip(const char *p) {
  while (p && isspace((unsigned char)*p))
    p++;
  return p;
}

static const char *json_string(const char *p) {
  if (*p++ != '"')
    return NULL;
  for (; *p != '"'; p++) {
    if ((unsigned char)*p < 0x20 || (*p == '\\' && !strchr("\"\\/bfnrtu", *++p)))
      return NULL;
  }
  return p + 1;
}

static const char *json_value(const char *p);

static const char *json_list(const char *p, char close) {
  p = skip(p + 1);
  if (*p == close)
    return p + 1;
  for (;; p++) {
    p = skip(p);
    if (close == '}') {
      p = skip(json_string(p));
      if (!p || *p++ != ':')
        return NULL;
    }
    p = skip(json_value(skip(p)));
    if (!p || *p == close)
      return p ? p + 1 : NULL;
    if (*p != ',')
      return NULL;
  }
}

static const char *json_value(const char *p) {
  if (*p == '{' || *p == '[')
    return json_list(p, *p == '{' ? '}' : ']');
  if (*p == '"')
    return json_string(p);
  if (strncmp(p, "true", 4) == 0 || strncmp(p, "false", 5) == 0)
    return p + (*p == 't' ? 4 : 5);
  size_t digits = strspn(p, "0123456789");
  return digits ? p + digits : NULL;
}

static void write_json(void) {
  FILE *out = open_memstream(&text, &size);
  ck_assert(stats_json_write(out, &stats, &end));
  fclose(out);
}

static void contains(const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "no %s in:\n%s", part, text);
}

START_TEST(json_is_well_formed) {
  write_json();
  const char *rest = skip(json_value(text));
  ck_assert_msg(rest && *rest == '\0', "not JSON:\n%s", text);
  ck_assert_ptr_null(json_value("{\"a\": 1,}")); // the checker can fail
  ck_assert_ptr_null(json_value("{\"a\" 1}"));
}
END_TEST

START_TEST(json_has_all_members) {
  write_json();
  contains("\"schema\": \"pulpsim-stats/1\"");
  contains("\"machine\": \"pulp-open\"");
  contains("\"config_hash\": \"0000000000000001\"");
  contains("\"end\": {\"state\": \"exited\", \"status\": 3, \"reason\": \"\"}");
  contains("\"cycles\": 1234567,\n");
  contains("\"instructions\": 2468000,\n");
  contains("\"core\": 1, \"hartid\": 1, \"cycles\": 1234567, \"instructions\": 1234000, "
           "\"macs\": 4000000, \"issue\": 1234000, \"stalls\": {\"load_use\": 561, ");
  contains("\"clock_mhz\": 100, \"markers\": [{\"value\": 1, \"cycle\": 10, \"instret\": 4}, "
           "{\"value\": 2, \"cycle\": 30, \"instret\": 20}]");
  contains("\"name\": \"conv \\\"2d\\\"\\u000a\\u001b[31m\", \"entries\": 2");
  contains("{\"grants\": 7, \"conflicts\": 1}");
}
END_TEST

START_TEST(json_without_anything) {
  stats.core_count = 0;
  stats.region_count = 0;
  stats.bank_count = 0;
  end = (struct run_end){.state = PULPSIM_TRAPPED, .reason = "core 0: \\ illegal"};
  write_json();
  const char *rest = skip(json_value(text));
  ck_assert_msg(rest && *rest == '\0', "not JSON:\n%s", text);
  contains("\"state\": \"trapped\"");
}
END_TEST

START_TEST(ends_have_names) {
  static const struct {
    struct run_end end;
    const char *name;
  } cases[] = {{{.state = PULPSIM_EXITED}, "exited"},
               {{.state = PULPSIM_TRAPPED}, "trapped"},
               {{.state = PULPSIM_DEADLOCK}, "deadlock"},
               {{.state = PULPSIM_READY, .limit = true}, "limit"},
               {{.state = PULPSIM_BREAK, .reached = true}, "reached"},
               {{.state = PULPSIM_BREAK}, "interrupted"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_str_eq(run_end_name(&cases[i].end), cases[i].name);
}
END_TEST

// A part of the work in a part of the time is no speed.
START_TEST(open_regions_have_no_useful_macs) {
  region.open = true;
  FILE *out = open_memstream(&text, &size);
  summary_print(out, &stats, &end, false);
  ck_assert(stats_json_write(out, &stats, &end));
  fclose(out);
  contains("  2.47        -     8.00");
  contains(" has not been left by all cores: figures so far.\n");
  contains("\"open\": true");
}
END_TEST

START_TEST(summary_is_aligned_and_clean) {
  FILE *out = open_memstream(&text, &size);
  summary_print(out, &stats, &end, false);
  fclose(out);
  contains("pulp-open, 2 cores: exit status 3 after 1,234,567 cycles\n");
  contains("     0      1234567      1234000  1.00     3.24");
  contains("   all                   2468000  2.00     6.48");
  contains("2.00     8.00");                    // useful and executed MAC/clk of the region
  ck_assert_ptr_null(strstr(text, "load_use")); // under a tenth of a percent
  ck_assert_ptr_null(strstr(text, "so far"));
  for (const char *p = text; *p; p++)
    ck_assert_msg(*p == '\n' || (*p >= ' ' && *p < 0x7f), "byte %d goes to the terminal", *p);
  counts[0].stalls[1] = 123456;
  cores[0].total = counts[0];
  free(text);
  out = open_memstream(&text, &size);
  summary_print(out, &stats, &end, true);
  fclose(out);
  contains("load_use");
  contains("\033[1m");
}
END_TEST

START_TEST(numbers_have_commas) {
  char number[SUMMARY_NUMBER_SIZE];
  ck_assert_str_eq(summary_number(0, number), "0");
  ck_assert_str_eq(summary_number(999, number), "999");
  ck_assert_str_eq(summary_number(1000, number), "1,000");
  ck_assert_str_eq(summary_number(UINT64_MAX, number), "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(documentation_names_every_cause) {
  char page[16384], name[64];
  FILE *f = fopen("docs/stats.md", "r");
  ck_assert_ptr_nonnull(f);
  page[fread(page, 1, sizeof page - 1, f)] = '\0';
  fclose(f);
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++) {
    snprintf(name, sizeof name, "| `%s` | ", pulpsim_cause_name(i));
    ck_assert_msg(strstr(page, name) != NULL, "docs/stats.md does not explain %s", name);
  }
}
END_TEST

Suite *stats_suite(void);
Suite *stats_suite(void) {
  Suite *suite = suite_create("stats");
  TCase *tc = tcase_create("stats");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, json_is_well_formed);
  tcase_add_test(tc, json_has_all_members);
  tcase_add_test(tc, json_without_anything);
  tcase_add_test(tc, ends_have_names);
  tcase_add_test(tc, open_regions_have_no_useful_macs);
  tcase_add_test(tc, summary_is_aligned_and_clean);
  tcase_add_test(tc, numbers_have_commas);
  tcase_add_test(tc, documentation_names_every_cause);
  suite_add_tcase(suite, tc);
  return suite;
}
