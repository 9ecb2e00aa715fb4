// tests/sim/config.c: keys, files, machines, and what is said about mistakes.
#include "sim/config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pulpsim_config config;
static char error[CONFIG_ERROR_SIZE];

static void setup(void) {
  config_init(&config);
  *error = '\0';
}

static bool parse(const char *text) {
  return config_parse(&config, text, strlen(text), "m.yml", error);
}

// The text is refused with exactly this sentence.
static void refuses(const char *text, const char *sentence) {
  config_init(&config);
  ck_assert_msg(!parse(text), "accepted: %s", text);
  ck_assert_str_eq(error, sentence);
}

static const char *expected_of(const struct config_key *key) {
  static char text[CONFIG_TEXT_SIZE];
  config_format(key, config_value(&config, key), text);
  return text;
}

START_TEST(defaults_are_in_range) {
  for (size_t i = 0; i < config_key_count; i++) {
    const struct config_key *key = &config_keys[i];
    ck_assert_msg(config_set_key(&config, key, expected_of(key), error), "%s", error);
    ck_assert_msg(*key->meaning && *key->source, "%s says nothing of itself", key->name);
    ck_assert_int_eq(config_find_key(key->name), (int)i); // no name twice
  }
  ck_assert_msg(config_check(&config, error), "%s", error);
}
END_TEST

// Just outside the range is refused, the ends are taken.
START_TEST(ranges_hold_for_every_key) {
  for (size_t i = 0; i < config_key_count; i++) {
    const struct config_key *key = &config_keys[i];
    char text[32], last[CONFIG_TEXT_SIZE];
    if (key->type == CONFIG_CHOICE || key->type == CONFIG_BOOL) {
      ck_assert(!config_set_key(&config, key, "nonsense", error));
      config_format(key, key->max, last);
      ck_assert_msg(config_set_key(&config, key, last, error), "%s", error);
      ck_assert_uint_eq(config_value(&config, key), key->max);
      continue;
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)key->max + 1);
    ck_assert(!config_set_key(&config, key, text, error));
    ck_assert_msg(strstr(error, "out of range (allowed: ") && strstr(error, key->name), "%s",
                  error);
    if (key->min > 0) {
      snprintf(text, sizeof text, "%u", key->min - 1);
      ck_assert(!config_set_key(&config, key, text, error));
    }
    snprintf(text, sizeof text, "%u", key->min);
    ck_assert_msg(config_set_key(&config, key, text, error), "%s", error);
    snprintf(text, sizeof text, "%u", key->max);
    ck_assert_msg(config_set_key(&config, key, text, error), "%s", error);
    ck_assert_uint_eq(config_value(&config, key), key->max);
  }
}
END_TEST

START_TEST(maps_join_to_keys) {
  ck_assert_msg(parse("cluster:\n  cores: 4\n  tcdm: {banks: 32, size: 128k, arbiter: xbar}\n"
                      "l2.base: 0x1d000000\ncore: {fpu: {present: false}}\n"),
                "%s", error);
  ck_assert_uint_eq(config.cluster_cores, 4);
  ck_assert_uint_eq(config.cluster_tcdm_banks, 32);
  ck_assert_uint_eq(config.cluster_tcdm_size, 131072);
  ck_assert_uint_eq(config.cluster_tcdm_arbiter, CONFIG_ARBITER_XBAR);
  ck_assert_uint_eq(config.l2_base, 0x1d000000);
  ck_assert_uint_eq(config.core_fpu_present, false);
}
END_TEST

START_TEST(empty_files_change_nothing) {
  uint64_t before = config_hash(&config);
  ck_assert(parse("") && parse("# only a comment\n") && parse("---\n...") && parse("cluster:\n"));
  ck_assert_uint_eq(config_hash(&config), before);
}
END_TEST

START_TEST(mistakes_name_file_line_and_key) {
  refuses("cluster:\n  cores: 8\n  corse: 4\n",
          "m.yml:3: unknown key 'cluster.corse'; did you mean 'cluster.cores'?");
  refuses("cores: 4\n", "m.yml:1: unknown key 'cores'; did you mean 'cluster.cores'?");
  refuses("clutser:\n  cores: 4\n", "m.yml:1: unknown key 'clutser'; did you mean 'cluster'?");
  refuses("core:\n  fup:\n    present: true\n",
          "m.yml:2: unknown key 'core.fup'; did you mean 'core.fpu'?");
  refuses("zebra: 4\n", "m.yml:1: unknown key 'zebra'; `pulpsim config --list` shows all keys");
  refuses("cluster:\n  cores: 17\n",
          "m.yml:2: cluster.cores: '17' is out of range (allowed: 1..16)");
  refuses("cluster:\n  cores: many\n",
          "m.yml:2: cluster.cores: 'many' is not a number (allowed: 1..16)");
  refuses("cluster: {tcdm: {banks: 12}}\n",
          "m.yml:1: cluster.tcdm.banks: '12' is not a power of two (allowed: 1..256, a power of "
          "two)");
  refuses("\n\ncluster: {tcdm: {arbiter: fast}}\n",
          "m.yml:3: cluster.tcdm.arbiter: 'fast' is not one of its words (allowed: lic|xbar)");
  refuses("core: {zfinx: yes}\n",
          "m.yml:1: core.zfinx: 'yes' is not one of its words (allowed: true|false)");
  refuses("cluster:\n  cores: 4\n  cores: 4\n",
          "m.yml:3: cluster.cores: already set in line 2; remove one of the two");
  refuses("cluster:\n  cores: [1, 2]\n", "m.yml:2: cluster.cores: takes a single value");
  refuses("cluster: 4\n", "m.yml:1: cluster: takes a map of keys, one per line");
  refuses("- cluster\n", "m.yml:1: a configuration is a map of keys");
  refuses("cluster: {cores: 4}\n---\ncluster: {cores: 2}\n",
          "m.yml:3: a second document; a configuration is one");
  refuses("[1]: 4\n", "m.yml:1: the name of a key must be a plain word");
  refuses(
      "include: nowhere\n",
      "m.yml:1: include: no configuration is called 'nowhere'; there are cluster-rtl, "
      "cv32e40p, gap8, generic, mrwolf, pulp-cluster-1.3, pulp-cluster-2.0, "
      "pulp-cluster-master, pulp-open, trainlib, vega, xpulpnn, or give the path of a .yml file");
}
END_TEST

START_TEST(broken_yaml_names_its_line) {
  ck_assert(!parse("cluster:\n  cores: {4\n"));
  ck_assert_msg(strstr(error, "m.yml:") == error && strstr(error, "not YAML"), "%s", error);
  ck_assert(!parse("cluster:\n  cores: \xff\xff\n"));
  ck_assert_msg(strstr(error, "m.yml:") == error, "%s", error);
  ck_assert(!parse("a: &a {b: *a}\n"));
}
END_TEST

START_TEST(numbers_are_plain) {
  static const char *const bad[] = {
      "-1", "+4", " 4", "4 ", "0x", "x4", "4q", "4kk", "08.5", "", "99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_assert_msg(!config_set_key(&config, &config_keys[config_find_key("l2.size")], bad[i], error),
                  "'%s' was taken", bad[i]);
  }
  ck_assert(config_set(&config, "l2.size=1M", error) && config.l2_size == 1u << 20);
  ck_assert(config_set(&config, "l2.size=0x2000", error) && config.l2_size == 0x2000);
  ck_assert(config_set(&config, "l2.size=08192", error) && config.l2_size == 8192);
}
END_TEST

START_TEST(settings_say_what_is_wrong) {
  static const char *const cases[][2] = {
      {"cluster.cores", "--set cluster.cores: a setting has the form key=value"},
      {"=4", "--set =4: a setting has the form key=value"},
      {"cluster.corse=4", "--set cluster.corse=4: unknown key 'cluster.corse'; did you mean "
                          "'cluster.cores'?"},
      {"cluster.cores=99", "--set cluster.cores: '99' is out of range (allowed: 1..16)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t before = config_hash(&config);
    ck_assert(!config_set(&config, cases[i][0], error));
    ck_assert_str_eq(error, cases[i][1]);
    ck_assert_uint_eq(config_hash(&config), before);
  }
}
END_TEST

START_TEST(rules_among_keys) {
  static const struct {
    const char *settings[3], *about;
  } cases[] = {
      {{"cluster.tcdm.size=1025"}, "cluster.tcdm.size"},
      {{"cluster.tcdm.banks=256", "cluster.tcdm.size=1536"}, "cluster.tcdm.size"},
      {{"l2.base=0x1c000100"}, "l2.base"},
      {{"l2.base=0xfffff000", "l2.size=8k"}, "l2.base"},
      {{"memory.size=4097"}, "memory.size"},
      {{"cluster.icache.private_size=64", "cluster.icache.private_ways=8"}, "private_size"},
      {{"cluster.icache.shared_size=256", "cluster.icache.shared_ways=16"}, "shared_size"},
      {{"soc.map=cv32e40p"}, "cluster.cores"},
      {{"soc.map=cluster-rtl", "soc.boot=soc"}, "soc.boot"},
      {{"cluster.cores=4", "cluster.active=5"}, "cluster.active"},
      {{"cluster.tcdm.external_ports=0"}, "cluster.tcdm.external_ports"},
      {{"cluster.tcdm.external_ports=16", "cluster.cores=16"}, "cluster.tcdm.external_ports"},
      {{"core.zfinx=true", "core.fpu.present=false"}, "core.zfinx"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    config_init(&config);
    for (int k = 0; k < 3 && cases[i].settings[k]; k++)
      ck_assert_msg(config_set(&config, cases[i].settings[k], error), "%s", error);
    ck_assert_msg(!config_check(&config, error), "%s passed", cases[i].settings[0]);
    ck_assert_msg(strstr(error, cases[i].about), "%s", error);
  }
}
END_TEST

START_TEST(shipped_machines_load_and_read_back) {
  size_t count = 0;
  for (const char *name; (name = config_builtin_name(count)) != NULL; count++) {
    ck_assert_msg(config_load(&config, name, error), "%s", error);
    ck_assert_msg(config_check(&config, error), "%s: %s", name, error);
    ck_assert_str_eq(config.machine, name);
    uint64_t hash = config_hash(&config);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    config_show(&config, out);
    fclose(out);
    config_init(&config);
    ck_assert_msg(config_parse(&config, text, size, name, error), "%s", error);
    ck_assert_uint_eq(config_hash(&config), hash);
    free(text);
  }
  ck_assert_uint_ge(count, 7);
}
END_TEST

START_TEST(files_and_includes) {
  char dir[] = "/tmp/pulpsim-config-XXXXXX", path[64], base[64];
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/mine.yml", dir);
  snprintf(base, sizeof base, "%s/base.yml", dir);
  FILE *f = fopen(base, "w");
  fputs("include: gap8\ncluster: {cores: 2}\n", f);
  fclose(f);
  f = fopen(path, "w");
  fputs("cluster: {id: 3}\ninclude: base.yml\n", f); // order within the file does not matter
  fclose(f);
  ck_assert_msg(config_load(&config, path, error), "%s", error);
  ck_assert_uint_eq(config.cluster_cores, 2);
  ck_assert_uint_eq(config.cluster_id, 3);
  ck_assert_uint_eq(config.cluster_dma_version, 6);
  ck_assert_str_eq(config.machine, "mine");
  f = fopen(base, "w");
  fputs("include: mine.yml\n", f);
  fclose(f);
  ck_assert(!config_load(&config, path, error));
  ck_assert_msg(strstr(error, "does a file include itself?"), "%s", error);
  f = fopen(base, "w");
  fputs("\ncluster: {cores: 99}\n", f);
  fclose(f);
  ck_assert(!config_load(&config, path, error));
  ck_assert_msg(strstr(error, "/base.yml:2: cluster.cores"), "%s", error);
  remove(base);
  ck_assert(!config_load(&config, path, error));
  ck_assert_msg(strstr(error, "No such file"), "%s", error);
  remove(path);
  rmdir(dir);
}
END_TEST

START_TEST(unreadable_files_are_refused) {
  ck_assert(!config_load(&config, "/", error));
  ck_assert_msg(strstr(error, "Is a directory"), "%s", error);
  ck_assert(!config_load(&config, "/dev/zero", error)); // endless
  ck_assert_msg(strstr(error, "File too large"), "%s", error);
  ck_assert(!config_load(&config, "", error));
}
END_TEST

START_TEST(hash_tells_machines_apart) {
  uint64_t first = config_hash(&config);
  for (size_t i = 0; i < config_key_count; i++) {
    const struct config_key *key = &config_keys[i];
    char text[CONFIG_TEXT_SIZE];
    if (key->min == key->max)
      continue;
    config_init(&config);
    config_format(key, key->initial == key->min ? key->max : key->min, text);
    ck_assert_msg(config_set_key(&config, key, text, error), "%s", error);
    ck_assert_msg(config_hash(&config) != first, "%s does not count", key->name);
  }
}
END_TEST

START_TEST(documentation_is_current) {
  char *text = NULL, page[65536];
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  config_list(out, true);
  fclose(out);
  FILE *f = fopen("docs/configuration.md", "r");
  ck_assert_ptr_nonnull(f);
  page[fread(page, 1, sizeof page - 1, f)] = '\0';
  fclose(f);
  ck_assert_msg(strcmp(page, text) == 0, "docs/configuration.md is out of date; run `make docs`");
  free(text);
}
END_TEST

Suite *config_suite(void);
Suite *config_suite(void) {
  Suite *suite = suite_create("config");
  TCase *tc = tcase_create("config");
  tcase_add_checked_fixture(tc, setup, NULL);
  tcase_add_test(tc, defaults_are_in_range);
  tcase_add_test(tc, ranges_hold_for_every_key);
  tcase_add_test(tc, maps_join_to_keys);
  tcase_add_test(tc, empty_files_change_nothing);
  tcase_add_test(tc, mistakes_name_file_line_and_key);
  tcase_add_test(tc, broken_yaml_names_its_line);
  tcase_add_test(tc, numbers_are_plain);
  tcase_add_test(tc, settings_say_what_is_wrong);
  tcase_add_test(tc, rules_among_keys);
  tcase_add_test(tc, shipped_machines_load_and_read_back);
  tcase_add_test(tc, files_and_includes);
  tcase_add_test(tc, unreadable_files_are_refused);
  tcase_add_test(tc, hash_tells_machines_apart);
  tcase_add_test(tc, documentation_is_current);
  suite_add_tcase(suite, tc);
  return suite;
}
