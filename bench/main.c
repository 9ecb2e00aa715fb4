// bench/main.c: the program `pulpsim-bench`.
//
// Four commands: see help.c.
//
// Exit status: 0; 1 if a run failed or something got slower; 64 for a mistake on the command line,
// 65 in a file; 73 when a report cannot be written.
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/case.h"
#include "bench/diff.h"
#include "bench/help.h"
#include "bench/list.h"
#include "bench/report.h"
#include "bench/runner.h"
#include "bench/speed.h"
#include "bench/table.h"
#include "sim/stdout_check.h"

enum { USAGE = 64, BAD_FILE = 65, NO_OUTPUT = 73, MAX_CYCLES = 1000000000 };

struct options {
  const char *command, *kernels, *suites, *out, *workloads, *commit;
  unsigned jobs, seconds, runs;
  double percent;
  bool fresh;
  char **names;
  int name_count;
};

// ---------------------------------------------------------------- run

static bool is_wanted(const struct options *o, const char *name) {
  for (int i = 0; i < o->name_count; i++) {
    if (strcmp(o->names[i], name) == 0)
      return true;
  }
  return o->name_count == 0;
}

// Runs a program on each of its numbers of cores. Returns how many runs failed; `*marked`: its
// machine, if a figure is marked.
static unsigned run_program(const struct options *o, const struct bench_program *p,
                            const char **marked) {
  char elf[512];
  uint64_t single = 0;
  unsigned failures = 0;
  snprintf(elf, sizeof elf, "%s/%s.elf", o->kernels, p->name);
  for (unsigned i = 0; i < p->core_counts; i++) {
    struct bench_result result;
    const struct bench_job job = {
        .elf = elf, .machine = p->machine, .cores = p->core_count[i], .max_cycles = MAX_CYCLES};
    bench_case_run(&result, &job);
    if (p->core_count[i] == 1)
      single = result.ok ? result.cycles : 0;
    if (bench_table_row(stdout, p, p->core_count[i], &result, single))
      *marked = p->machine;
    fflush(stdout);
    failures += !result.ok;
  }
  return failures;
}

static bool is_listed(const struct bench_list *list, const char *name) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->program[i].name, name) == 0)
      return true;
  }
  return false;
}

static int command_run(const struct options *o) {
  char path[512], error[600];
  struct bench_list list;
  unsigned failures = 0;
  const char *marked = "";
  snprintf(path, sizeof path, "%s/list.txt", o->kernels);
  if (!bench_list_read(&list, path, error, sizeof error)) {
    fprintf(stderr, "pulpsim-bench: %s\n", error);
    bench_list_free(&list);
    return BAD_FILE;
  }
  for (int i = 0; i < o->name_count; i++) {
    if (!is_listed(&list, o->names[i])) {
      fprintf(stderr, "pulpsim-bench: no program '%s' in %s\n", o->names[i], path);
      bench_list_free(&list);
      return USAGE;
    }
  }
  bench_table_head(stdout);
  for (size_t i = 0; i < list.count; i++) {
    if (is_wanted(o, list.program[i].name))
      failures += run_program(o, &list.program[i], &marked);
  }
  if (failures)
    printf("\n%u run%s FAILED\n", failures, failures == 1 ? "" : "s");
  else
    bench_table_foot(stdout, marked);
  bench_list_free(&list);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

// ---------------------------------------------------------------- report

static bool write_form(const struct options *o, const char *suffix,
                       bool (*form)(FILE *out, const struct bench_report *report),
                       const struct bench_report *report) {
  char path[1024];
  snprintf(path, sizeof path, "%s/report.%s", o->out, suffix);
  FILE *f = fopen(path, "w");
  bool ok = f && form(f, report);
  if (f)
    ok = fclose(f) == 0 && ok;
  if (ok)
    printf("%s\n", path);
  else
    fprintf(stderr, "pulpsim-bench: %s: %s\n", path, strerror(errno));
  return ok;
}

static bool write_forms(const struct options *o, const struct bench_report *report) {
  bool ok = write_form(o, "md", report_markdown, report);
  ok = write_form(o, "html", report_html, report) && ok;
  ok = write_form(o, "json", report_json, report) && ok;
  return write_form(o, "csv", report_csv, report) && ok;
}

// A limit that is passed was counted for another kernel than the one that runs now.
static void say_limit(const struct bench_run *run) {
  if (run->status == RUN_OK && run->c->limit > 0 && run_limit(run) <= 0)
    printf("%s: %s, %u cores: %.3f MAC/clk is above the stated limit of %.3f: correct the suite\n",
           run->suite->id, run->c->name, run->cores, run_mac_per_clock(run),
           run->c->limit * run->cores);
}

static void say_failures(const struct bench_report *report) {
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (run->status == RUN_FAILED)
      printf("FAILED %s: %s, %u cores: %s\n", run->suite->id, run->c->name, run->cores,
             run->result.message);
    say_limit(run);
  }
}

// Compilers differ: the stock one makes no hardware loops.
static void find_compiler(struct bench_report *report, const char *kernels) {
  char elf[1024];
  for (size_t i = 0; i < report->run_count && !*report->origin.compiler; i++) {
    const struct bench_run *run = &report->runs[i];
    if (run->status != RUN_OK || !*run->c->program)
      continue;
    bench_program(run, kernels, elf, sizeof elf);
    compiler_of(elf, report->origin.compiler);
  }
}

// The folder for reports, made if it is not there. False with the sentence.
static bool make_folder(const char *path) {
  char inside[1024];
  snprintf(inside, sizeof inside, "%s/.", path);
  if ((mkdir(path, 0777) == 0 || errno == EEXIST) && access(inside, W_OK | X_OK) == 0)
    return true;
  fprintf(stderr, "pulpsim-bench: %s: reports cannot be written here: %s\n", path, strerror(errno));
  return false;
}

static int command_report(const struct options *o) {
  char error[600], cache[1024], fronts[1024];
  struct bench_report report;
  int status = EXIT_SUCCESS;
  snprintf(fronts, sizeof fronts, "%s/fronts.tsv", o->out);
  snprintf(cache, sizeof cache, "%s/cache", o->out);
  const struct runner_options runner = {o->kernels, cache, o->jobs, o->seconds, o->fresh};
  if (!make_folder(o->out))
    return NO_OUTPUT;
  if (!bench_report_read(&report, o->suites, fronts, o->names, (size_t)o->name_count, error,
                         sizeof error) ||
      (report.run_count && !bench_runner(&report, &runner, error, sizeof error))) {
    fprintf(stderr, "pulpsim-bench: %s\n", error);
    status = BAD_FILE;
  } else {
    say_failures(&report);
    bench_origin_read(&report.origin, o->commit);
    find_compiler(&report, o->kernels);
    status = bench_report_failures(&report) ? EXIT_FAILURE : EXIT_SUCCESS;
    if (!write_forms(o, &report))
      status = NO_OUTPUT;
  }
  bench_report_free(&report);
  return status;
}

// ---------------------------------------------------------------- the others

static int command_speed(const struct options *o) {
  char simulator[1024] = "";
  ssize_t length = readlink("/proc/self/exe", simulator, sizeof simulator - 16);
  char *slash = length > 0 ? strrchr(simulator, '/') : NULL;
  if (!slash)
    return NO_OUTPUT;
  snprintf(slash, 16, "/pulpsim"); // it stands beside this program
  const struct speed_options speed = {o->workloads, o->kernels, simulator, o->out, o->runs};
  static const int statuses[] = {[SPEED_DONE] = EXIT_SUCCESS,
                                 [SPEED_FAILED] = EXIT_FAILURE,
                                 [SPEED_BAD_FILE] = BAD_FILE,
                                 [SPEED_NO_OUTPUT] = NO_OUTPUT};
  return statuses[bench_speed(&speed)];
}

// `mistake`: one sentence, without the full stop.
static int usage(const char *mistake) {
  fprintf(stderr, "pulpsim-bench: %s\nTry `pulpsim-bench --help' for more information.\n", mistake);
  return USAGE;
}

static unsigned number(const char *text, unsigned low, unsigned high) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value < low || value > high) {
    fprintf(stderr, "pulpsim-bench: '%s': takes a number from %u to %u\n", text, low, high);
    exit(USAGE);
  }
  return (unsigned)value;
}

static double percent(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0)) {
    fprintf(stderr, "pulpsim-bench: '%s': takes percent, 0 or more\n", text);
    exit(USAGE);
  }
  return value;
}

static const struct option long_options[] = {
    {"kernels", required_argument, NULL, 'k'},
    {"suites", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {"jobs", required_argument, NULL, 'j'},
    {"timeout", required_argument, NULL, 't'},
    {"fresh", no_argument, NULL, 'f'},
    {"percent", required_argument, NULL, 'p'},
    {"workloads", required_argument, NULL, 'w'},
    {"runs", required_argument, NULL, 'n'},
    {"commit", required_argument, NULL, 'c'},
    {NULL, 0, NULL, 0},
};

// The options behind the command. False, after a message, when there is a mistake.
static bool read_options(struct options *o, int argc, char **argv) {
  for (int c; (c = getopt_long(argc, argv, "k:d:o:j:t:fp:w:n:c:", long_options, NULL)) != -1;) {
    switch (c) {
    case 'k':
      o->kernels = optarg;
      break;
    case 'd':
      o->suites = optarg;
      break;
    case 'o':
      o->out = optarg;
      break;
    case 'c':
      o->commit = optarg;
      break;
    case 'w':
      o->workloads = optarg;
      break;
    case 'f':
      o->fresh = true;
      break;
    case 'j':
      o->jobs = number(optarg, 1, 256);
      break;
    case 't':
      o->seconds = number(optarg, 1, 86400);
      break;
    case 'n':
      o->runs = number(optarg, 1, 99);
      break;
    case 'p':
      o->percent = percent(optarg);
      break;
    default: // getopt_long has said what is wrong
      fputs("Try `pulpsim-bench --help' for more information.\n", stderr);
      return false;
    }
  }
  o->names = argv + optind;
  o->name_count = argc - optind;
  return true;
}

static int execute(struct options *o) {
  if (strcmp(o->command, "run") == 0)
    return command_run(o);
  if (strcmp(o->command, "speed") == 0)
    return o->name_count ? usage("speed takes no names") : command_speed(o);
  if (strcmp(o->command, "diff") == 0)
    return o->name_count == 2 ? (int)bench_diff(stdout, o->names[0], o->names[1], o->percent)
                              : usage("diff takes two reports: BEFORE.json AFTER.json");
  if (strcmp(o->command, "report") != 0)
    return usage("the command is one of run, report, diff, speed");
  o->out = o->out ? o->out : "build/bench";
  if (strcmp(o->out, "-") == 0)
    return usage("-o -: reports go into a folder, which stdout is not; ./- is one of that name");
  return command_report(o);
}

int main(int argc, char **argv) {
  stdout_check_at_exit("pulpsim-bench");
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct options o = {.command = argc > 1 ? argv[1] : "",
                      .kernels = "build/kernels",
                      .suites = "bench/suites",
                      .workloads = "bench/speed.yml",
                      .jobs = processors > 0 && processors <= 256 ? (unsigned)processors : 1,
                      .seconds = 300,
                      .runs = 7,
                      .percent = 1};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0) {
      bench_help(stdout);
      return EXIT_SUCCESS;
    }
    if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
      puts("pulpsim-bench " PULPSIM_VERSION);
      return EXIT_SUCCESS;
    }
  }
  if (argc < 2)
    return usage("the command is one of run, report, diff, speed");
  static char name[] = "pulpsim-bench";
  argv[1] = name; // what getopt_long begins its messages with
  return read_options(&o, argc - 1, argv + 1) ? execute(&o) : USAGE;
}
