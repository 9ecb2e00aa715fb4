// bench/speed.c: the speed of the simulator: retired instructions per second of host time, the time
// from its start to the first instruction of the program, its peak memory.
#include "bench/speed.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/case.h"
#include "bench/json.h"
#include "bench/list.h"
#include "bench/suite.h"
#include "sim/result_file.h"
#include "sim/results.h"

enum { MAX_RUNS = 99, MAX_WORKLOADS = 32 };

struct workload {
  const char *name;
  uint64_t instructions, cycles;
  double seconds, low, high; // median, fastest, slowest run
};

struct speed {
  const struct speed_options *options;
  struct workload workload[MAX_WORKLOADS];
  size_t count;
  double startup;   // seconds
  double memory_kb; // with 64 kB of L1, 2 MB of L2
};

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, unsigned count) {
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

// ---------------------------------------------------------------- the simulator as a program

// Runs it without output. False if it could not be started. Status 124: the cycle limit.
static bool spawn(char *const argv[], double *seconds, double *memory_kb) {
  posix_spawn_file_actions_t actions;
  struct rusage usage;
  pid_t pid;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  double start = bench_seconds();
  bool ok = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0 &&
            wait4(pid, &status, 0, &usage) == pid;
  *seconds = bench_seconds() - start;
  posix_spawn_file_actions_destroy(&actions);
  ok = ok && WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 124);
  if (ok)
    *memory_kb = (double)usage.ru_maxrss;
  else
    fprintf(stderr, "pulpsim-bench: %s could not run %s\n", argv[0], argv[1]);
  return ok;
}

static bool is_there(const char *elf) {
  if (access(elf, R_OK) == 0)
    return true;
  char text[600];
  bench_list_missing(elf, text, sizeof text);
  fprintf(stderr, "pulpsim-bench: %s\n", text);
  return false;
}

// From the start of the process to its end after one cycle: a little more than to the first
// instruction.
static bool measure_startup(struct speed *s) {
  char elf[512];
  double seconds[MAX_RUNS], memory;
  snprintf(elf, sizeof elf, "%s/hello.elf", s->options->kernels);
  if (!is_there(elf))
    return false;
  char *const argv[] = {(char *)s->options->simulator, elf, "--quiet", "--max-cycles", "1", NULL};
  for (unsigned i = 0; i < s->options->runs; i++) {
    if (!spawn(argv, &seconds[i], &memory))
      return false;
  }
  s->startup = median(seconds, s->options->runs);
  return true;
}

static bool measure_memory(struct speed *s) {
  char elf[512];
  double seconds;
  snprintf(elf, sizeof elf, "%s/mm_i8_4x4.elf", s->options->kernels);
  char *const argv[] = {(char *)s->options->simulator, elf, "--quiet", "--set", "l2.size=2M", NULL};
  return spawn(argv, &seconds, &s->memory_kb);
}

// ---------------------------------------------------------------- workloads

static bool run_case(struct speed *s, const struct bench_case *c) {
  char elf[512];
  double seconds[MAX_RUNS];
  struct bench_result r;
  snprintf(elf, sizeof elf, "%s/%s.elf", s->options->kernels, c->program);
  const struct bench_job job = {.elf = elf,
                                .machine = c->machine,
                                .cores = c->core_count[0],
                                .set = c->set,
                                .set_count = c->set_count,
                                .data = c->data,
                                .data_count = c->data_count,
                                .max_cycles = PULPSIM_NO_LIMIT};
  for (unsigned i = 0; i < s->options->runs; i++) {
    bench_case_run(&r, &job);
    if (!r.ok) {
      fprintf(stderr, "pulpsim-bench: %s: %s\n", c->name, r.message);
      return false;
    }
    seconds[i] = r.seconds;
  }
  double middle = median(seconds, s->options->runs);
  s->workload[s->count++] = (struct workload){
      c->name, r.instructions, r.run_cycles, middle, seconds[0], seconds[s->options->runs - 1]};
  return true;
}

// In a process of its own: one that crashes leaves the others be.
static bool measure_case(struct speed *s, const struct bench_case *c) {
  int ends[2], status = -1;
  if (pipe(ends) != 0)
    return false;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    struct workload *w = &s->workload[s->count];
    bool ok = run_case(s, c) && write(ends[1], w, sizeof *w) == (ssize_t)sizeof *w;
    _exit(ok ? 0 : 1);
  }
  close(ends[1]);
  struct workload *w = &s->workload[s->count];
  bool ok = pid > 0 && read(ends[0], w, sizeof *w) == (ssize_t)sizeof *w;
  close(ends[0]);
  ok = pid > 0 && waitpid(pid, &status, 0) == pid && ok && status == 0;
  if (ok)
    s->count++;
  else if (pid > 0 && WIFSIGNALED(status))
    fprintf(stderr, "pulpsim-bench: %s: the simulator died of signal %d\n", c->name,
            WTERMSIG(status));
  return ok;
}

static double mips(const struct workload *w) {
  return (double)w->instructions * 1e-6 / w->seconds;
}

// ---------------------------------------------------------------- results

static void host_name(char *text, size_t size) {
  struct utsname name;
  char line[256], model[200] = "unknown processor";
  FILE *f = fopen("/proc/cpuinfo", "r");
  while (f && fgets(line, sizeof line, f)) {
    if (sscanf(line, "model name : %199[^\n]", model) == 1)
      break;
  }
  if (f)
    fclose(f);
  snprintf(text, size, "%s, %s", uname(&name) == 0 ? name.nodename : "unknown host", model);
}

static void print_table(const struct speed *s, const char *host) {
  printf("Host: %s; one thread; median of %u runs\n\n", host, s->options->runs);
  printf("| workload | instructions | cycles | wall time | MIPS | fastest .. slowest run |\n"
         "|---|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < s->count; i++) {
    const struct workload *w = &s->workload[i];
    double millions = (double)w->instructions * 1e-6;
    printf("| %s | %.1f M | %.2f M | %.3f s | %.0f | %.0f .. %.0f |\n", w->name, millions,
           (double)w->cycles * 1e-6, w->seconds, mips(w), millions / w->low, millions / w->high);
  }
  printf("\nStart-up to the first instruction: %.1f ms. Peak memory, 64 kB L1 and 2 MB L2: %.1f "
         "MiB.\n",
         s->startup * 1e3, s->memory_kb / 1024);
}

static bool write_json(const struct speed *s, const char *host) {
  struct result_file out;
  FILE *f = result_file_open(&out, s->options->json);
  if (!f)
    return false;
  fputs("{\"schema\": \"pulpsim-speed/1\", \"simulator\": \"" PULPSIM_VERSION "\", \"host\": ", f);
  json_string(f, host);
  fprintf(f, ", \"runs\": %u, \"startup_seconds\": %.6f, \"memory_kb\": %.0f, \"workloads\": [",
          s->options->runs, s->startup, s->memory_kb);
  for (size_t i = 0; i < s->count; i++) {
    const struct workload *w = &s->workload[i];
    fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", f);
    json_string(f, w->name);
    fprintf(f,
            ", \"instructions\": %llu, \"cycles\": %llu, \"seconds\": %.6f, \"fastest\": %.6f, "
            "\"slowest\": %.6f, \"mips\": %.1f}",
            (unsigned long long)w->instructions, (unsigned long long)w->cycles, w->seconds, w->low,
            w->high, mips(w));
  }
  fputs("\n]}\n", f);
  return result_file_close(&out, true);
}

// Before minutes of work. With "-" the table goes to stderr.
static bool can_write(const char *path) {
  char text[512];
  const struct result_name name = {"-o", path, false};
  if (results_check(&name, 1, text, sizeof text) == 0)
    return true;
  fprintf(stderr, "pulpsim-bench: %s\n", text);
  return false;
}

static enum speed_end measure(struct speed *s, const struct bench_suite *suite) {
  char host[512];
  // First: this process is still small, and a child's peak counts what it had before exec.
  if (!measure_startup(s) || !measure_memory(s))
    return SPEED_FAILED;
  bool all = true;
  for (size_t i = 0; i < suite->case_count && i < MAX_WORKLOADS; i++)
    all = measure_case(s, &suite->cases[i]) && all;
  host_name(host, sizeof host);
  print_table(s, host);
  if (s->options->json && !write_json(s, host)) {
    fprintf(stderr, "pulpsim-bench: %s: %s\n", s->options->json, strerror(errno));
    return SPEED_NO_OUTPUT;
  }
  return all ? SPEED_DONE : SPEED_FAILED;
}

enum speed_end bench_speed(const struct speed_options *options) {
  char error[600];
  struct speed s = {.options = options};
  struct bench_suite suite;
  enum speed_end end = SPEED_BAD_FILE;
  if (!bench_suite_read(&suite, options->workloads, error, sizeof error))
    fprintf(stderr, "pulpsim-bench: %s\n", error);
  else
    end = can_write(options->json) ? measure(&s, &suite) : SPEED_NO_OUTPUT;
  bench_suite_free(&suite);
  return end;
}
