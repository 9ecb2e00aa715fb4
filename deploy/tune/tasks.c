// deploy/tune/tasks.c: see tasks.h.
#include "deploy/tune/tasks.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// $0: this program, $1: the folder, $2: the last task, $3: how many at a time.
static const char *const scripts[] = {
    [TUNE_PARALLEL] = "seq 0 \"$2\" | parallel --quote --jobs \"$3\" ${PARALLEL_OPTIONS:-} "
                      "\"$0\" --task \"$1\"",
    [TUNE_SLURM] = "exec sbatch --wait --array=\"0-$2\" --output=\"$1/slurm-%a.log\" "
                   "${SBATCH_OPTIONS:-} --wrap \"'$0' --task '$1'\" > /dev/null",
};

// ---------------------------------------------------------------- the folder

struct folder {
  char path[PATH_MAX];
  size_t count;
};

static FILE *open_in(const char *folder, const char *name, const char *mode) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, mode);
}

static FILE *open_numbered(const char *folder, size_t number, const char *ending,
                           const char *mode) {
  char name[32];
  snprintf(name, sizeof name, "%zu%s", number, ending);
  return open_in(folder, name, mode);
}

// A path as other machines find it; what is no file here is a name.
static const char *absolute(const char *path, char *buffer) {
  return access(path, R_OK) == 0 && realpath(path, buffer) ? buffer : path;
}

static bool make_folder(struct folder *folder, const struct tune_measure *with,
                        struct net_error *error) {
  char made[PATH_MAX];
  int length = snprintf(made, sizeof made, "%s.tasks-XXXXXX", with->results);
  if (length < (int)sizeof made && mkdtemp(made) && realpath(made, folder->path))
    return true;
  return net_fail(error, "%.400s.tasks-...: a folder for tasks cannot be made", with->results);
}

static void write_way(FILE *list, const struct tune_product *p, const struct tune_run *run,
                      const struct tune_way *way) {
  fprintf(list, "%u %u %u %d %u %d %u %u %u %d %u\n", p->n, p->m, p->k, (int)p->layout,
          run->warm_call, run->in_l1, way->tile_n, way->tile_m, way->tile_k, way->rows_inner,
          way->matmul);
}

static bool write_list(const struct folder *folder, const struct tune_measure *with,
                       const struct tune_product *product, const struct tune_run *run,
                       struct tune_way *const *ways, struct net_error *error) {
  char program[PATH_MAX], machine[PATH_MAX];
  FILE *list = open_in(folder->path, "list", "w");
  if (!list)
    return net_fail(error, "%.400s/list cannot be written", folder->path);
  fprintf(list, "%s\n%s\n%u\n", absolute(with->program, program), absolute(with->machine, machine),
          with->cores);
  for (size_t i = 0; i < folder->count; i++)
    write_way(list, product, run, ways[i]);
  bool bad = ferror(list);
  return (fclose(list) == 0 && !bad) || net_fail(error, "%.400s/list: write error", folder->path);
}

static void remove_in(const struct folder *folder, const char *begin, size_t number,
                      const char *end) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s%zu%s", folder->path, begin, number, end);
  unlink(path);
}

static void remove_folder(const struct folder *folder) {
  char list[PATH_MAX + 8];
  for (size_t i = 0; i < folder->count; i++) {
    remove_in(folder, "", i, "");
    remove_in(folder, "slurm-", i, ".log");
  }
  snprintf(list, sizeof list, "%s/list", folder->path);
  unlink(list);
  rmdir(folder->path);
}

// ---------------------------------------------------------------- here

// Returns the script's exit status.
static int spread(const struct folder *folder, const struct tune_measure *with) {
  char self[PATH_MAX] = "", last[24], jobs[24];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  snprintf(last, sizeof last, "%zu", folder->count - 1);
  snprintf(jobs, sizeof jobs, "%u", with->jobs);
  pid_t child = length > 0 ? fork() : -1;
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", scripts[with->on], self, folder->path, last, jobs, (char *)NULL);
    _exit(127);
  }
  int status;
  bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
  return ended ? WEXITSTATUS(status) : -1;
}

static bool take_result(const struct folder *folder, size_t number, struct tune_way *way) {
  FILE *file = open_numbered(folder->path, number, "", "r");
  bool taken = file && fscanf(file, "%" SCNu64 " %" SCNu64, &way->cycles, &way->cold_cycles) == 2;
  if (file)
    fclose(file);
  return taken;
}

static bool say_why(const struct folder *folder, size_t number, int status,
                    struct net_error *error) {
  char text[400] = "";
  FILE *file = open_numbered(folder->path, number, ".error", "r");
  if (file && !fgets(text, sizeof text, file))
    text[0] = '\0';
  if (file)
    fclose(file);
  text[strcspn(text, "\n")] = '\0';
  if (text[0])
    return net_fail(error, "%s", text);
  return net_fail(error, "task %zu left no result in %.300s; the tasks' exit status is %d", number,
                  folder->path, status);
}

bool tune_tasks_run(const struct tune_measure *with, const struct tune_product *product,
                    const struct tune_run *run, struct tune_way *const *ways, size_t count,
                    struct net_error *error) {
  struct folder folder = {.count = count};
  if (!make_folder(&folder, with, error) || !write_list(&folder, with, product, run, ways, error))
    return false;
  int status = spread(&folder, with);
  for (size_t i = 0; i < count; i++)
    if (!take_result(&folder, i, ways[i]))
      return say_why(&folder, i, status, error);
  remove_folder(&folder);
  return true;
}

// ---------------------------------------------------------------- on the other machine

struct task {
  struct tune_measure with;
  struct tune_product product;
  struct tune_run run;
  struct tune_way way;
};

static bool read_line(FILE *list, char *line, size_t size) {
  bool read = fgets(line, (int)size, list) != NULL;
  if (read)
    line[strcspn(line, "\n")] = '\0';
  return read;
}

static bool read_way(struct task *t, const char *line) {
  int layout, in_l1, rows_inner;
  unsigned matmul;
  bool read = sscanf(line, "%u %u %u %d %u %d %u %u %u %d %u", &t->product.n, &t->product.m,
                     &t->product.k, &layout, &t->run.warm_call, &in_l1, &t->way.tile_n,
                     &t->way.tile_m, &t->way.tile_k, &rows_inner, &matmul) == 11;
  if (read) {
    t->product.layout = (enum mmt_layout)layout;
    t->run.in_l1 = in_l1;
    t->way.rows_inner = rows_inner;
    t->way.matmul = (uint8_t)matmul;
  }
  return read;
}

// `program` and `machine`: PATH_MAX bytes each, of which the task keeps the addresses.
static bool read_task(struct task *t, const char *folder, unsigned number, char *program,
                      char *machine) {
  char line[PATH_MAX];
  FILE *list = open_in(folder, "list", "r");
  bool read = list && read_line(list, program, PATH_MAX) && read_line(list, machine, PATH_MAX) &&
              read_line(list, line, sizeof line) && sscanf(line, "%u", &t->with.cores) == 1;
  for (unsigned i = 0; read && i <= number; i++)
    read = read_line(list, line, sizeof line);
  if (list)
    fclose(list);
  t->with.program = program;
  t->with.machine = machine;
  return read && read_way(t, line);
}

static bool write_result(const char *folder, unsigned number, const struct tune_way *way) {
  FILE *file = open_numbered(folder, number, "", "w");
  return file && fprintf(file, "%" PRIu64 " %" PRIu64 "\n", way->cycles, way->cold_cycles) > 0 &&
         fclose(file) == 0;
}

bool tune_tasks_do(const char *folder, unsigned number, struct net_error *error) {
  char program[PATH_MAX], machine[PATH_MAX];
  struct task t = {.way = {.cycles = 0}};
  if (!read_task(&t, folder, number, program, machine))
    return net_fail(error, "%.400s has no task %u", folder, number);
  if (tune_run(&t.with, &t.product, &t.run, &t.way, error)) {
    if (write_result(folder, number, &t.way))
      return true;
    net_fail(error, "%.400s/%u cannot be written", folder, number);
  }
  FILE *file = open_numbered(folder, number, ".error", "w");
  if (file) {
    fprintf(file, "%s\n", error->text);
    fclose(file);
  }
  return false;
}
