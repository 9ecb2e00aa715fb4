// bench/network.c
#include "bench/network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cache.h"
#include "bench/tree.h"
#include "deploy/cli/root.h"
#include "sim/config.h"

enum { TOO_LONG = 124 }; // status of timeout(1)

// What stands beside this program.
static bool build_path(char *path, size_t size, const char *name) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length <= 0)
    return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  size_t used = slash ? (size_t)(slash - path) : 0;
  return (size_t)snprintf(path + used, size - used, "/%s", name) < size - used;
}

// What the job says, but for the region, as the tool's arguments.
static void arguments(const struct bench_job *job, char *text, size_t size) {
  int used =
      snprintf(text, size, "'%s' %s --check --config %s", job->network, job->deploy, job->machine);
  for (size_t i = 0; i < job->set_count && used > 0 && (size_t)used < size; i++)
    used += snprintf(text + used, size - (size_t)used, " --set %s=%s", job->set[i].key,
                     job->set[i].value);
}

static bool report_key(const struct bench_job *job, uint64_t *key, struct pulpsim_error *error) {
  char tool[1024], library[1024], text[2048];
  arguments(job, text, sizeof text);
  if (strpbrk(text + 1 + strlen(job->network) + 1, "'\"\\;&|<>$`\n") ||
      strchr(job->network, '\'')) {
    snprintf(error->text, sizeof error->text, "%.400s: not fit for a command", text);
    return false;
  }
  *key = cache_hash(CACHE_HASH_BASIS, text, strlen(text));
  snprintf(library, sizeof library, "%s/build/kernels-gap8/libkernels.a", root_default());
  return build_path(tool, sizeof tool, "pulpsim-deploy") && cache_hash_file(key, tool, error) &&
         cache_hash_file(key, library, error);
}

bool network_key(const struct bench_job *job, uint64_t *key, struct pulpsim_error *error) {
  static const char form[] = "network 1"; // of the record
  bool good = report_key(job, key, error);
  *key = cache_hash(*key, form, sizeof form);
  *key = cache_hash(*key, job->region, strlen(job->region));
  return good;
}

// ---------------------------------------------------------------- the tool's report

static bool is_counted(const char *region, const char *layer) {
  size_t n = strlen(region);
  return n && region[n - 1] == '*' && strncmp(layer, region, n - 1) == 0;
}

static void add(struct bench_result *r, struct tree *t, node *part, unsigned cores) {
  uint64_t cycles = tree_get_count(t, part, "cycles");
  node *causes = tree_get(t, part, "causes");
  r->cycles += cycles;
  r->useful_macs += tree_get_count(t, part, "macs");
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++) {
    double share = tree_get_number(t, causes, pulpsim_cause_name(i), 0);
    uint64_t lost = (uint64_t)(share * (double)cycles * cores + 0.5);
    r->sum.stalls[i] += lost;
    r->sum.cycles += lost;
  }
  r->sum.instructions = r->instructions = r->sum.stalls[0];
}

static void read_report(struct bench_result *r, const struct bench_job *job, struct tree *t) {
  node *root = tree_root(t), *layers = tree_get(t, root, "layers");
  snprintf(r->region, sizeof r->region, "%s", *job->region ? job->region : "network");
  if (!*job->region)
    add(r, t, root, job->cores);
  for (size_t i = 0; *job->region && i < tree_count(layers); i++) {
    node *layer = tree_item(t, layers, i);
    if (is_counted(job->region, tree_get_text(t, layer, "name", "")))
      add(r, t, layer, job->cores);
  }
  r->run_cycles = r->cycles;
  r->entries = 1;
  r->bytes = tree_get_count(t, tree_get(t, root, "l2"), "program");
  if (!r->cycles)
    snprintf(r->message, sizeof r->message, "no layer of the network is called '%s'", job->region);
}

// ---------------------------------------------------------------- runs

// The end of what the tool said: its last lines.
static void read_end(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "r");
  if (!f)
    return;
  if (fseek(f, -(long)size / 2, SEEK_END) != 0)
    rewind(f);
  text[fread(text, 1, size - 1, f)] = '\0';
  fclose(f);
}

static bool deploy(const struct bench_job *job, const char *report, struct bench_result *r) {
  char tool[1024], text[2048], log[1100], command[16384];
  arguments(job, text, sizeof text);
  snprintf(log, sizeof log, "%s.log", report);
  if (!build_path(tool, sizeof tool, "pulpsim-deploy"))
    return false;
  snprintf(command, sizeof command,
           "timeout %u '%s' %s -o '%s.%d' --json '%s.%d.json' > '%s' 2>&1; status=$?; "
           "rm -rf '%s.%d'; [ $status -ne 0 ] || mv '%s.%d.json' '%s'; exit $status",
           job->seconds, tool, text, report, (int)getpid(), report, (int)getpid(), log, report,
           (int)getpid(), report, (int)getpid(), report);
  int status = system(command); // NOLINT(cert-env33-c): the tool builds with the user's make
  if (status == 0)
    return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == TOO_LONG)
    snprintf(r->message, sizeof r->message, "took longer than %u s", job->seconds);
  else
    read_end(log, r->message, sizeof r->message);
  return false;
}

void network_run(struct bench_result *r, const struct bench_job *job, const char *cache,
                 bool fresh) {
  struct pulpsim_error error = {""};
  char report[1024];
  uint64_t key;
  *r = (struct bench_result){.ok = false};
  struct pulpsim_config *config = bench_case_config(job, &error);
  if (config)
    r->machine = bench_machine_of(config);
  pulpsim_config_free(config);
  if (!config || !report_key(job, &key, &error)) {
    snprintf(r->message, sizeof r->message, "%s", error.text);
    return;
  }
  snprintf(report, sizeof report, "%s/network-%016" PRIx64 ".report", cache, key);
  double start = bench_seconds();
  if ((fresh || access(report, R_OK) != 0) && !deploy(job, report, r))
    return;
  r->seconds = bench_seconds() - start;
  struct tree tree;
  if (tree_open(&tree, report))
    read_report(r, job, &tree);
  if (*tree.error)
    snprintf(r->message, sizeof r->message, "%s", tree.error);
  tree_close(&tree);
  r->ok = !*r->message;
}
