#include "sim/cli/outputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES = OBSERVE_TRACES + 8 };

// A file that the command line names. One that does not exist yet is its name in its directory.
struct file {
  const char *option, *argument; // as given
  const char *name;              // "" if it exists; "-" for stdout
  size_t length;
  dev_t device;
  ino_t inode;
};

struct files {
  struct file file[FILES];
  unsigned count;
};

// The directory that holds `path`, whose last component begins at `name`.
static bool look_at_directory(const char *path, const char *name, struct stat *info) {
  size_t length = (size_t)(name - path);
  char *directory = length ? strndup(path, length) : strdup(".");
  bool found = directory && stat(directory, info) == 0;
  free(directory);
  return found;
}

// False if it cannot be told, or is not a plain file: it may be used twice then.
static bool identify(struct file *f, const char *path) {
  struct stat info;
  if (!*path) // no name at all, which whoever opens it will say
    return false;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  bool exists = stat(path, &info) == 0;
  if (exists ? !S_ISREG(info.st_mode) : !look_at_directory(path, name, &info))
    return false;
  f->name = exists ? "" : name;
  f->device = info.st_dev;
  f->inode = info.st_ino;
  return true;
}

static bool same(const struct file *a, const struct file *b) {
  return a->device == b->device && a->inode == b->inode && a->length == b->length &&
         strncmp(a->name, b->name, a->length) == 0;
}

// `path` ends at a comma: what follows are a trace's settings.
static void add(struct files *all, const char *option, const char *argument, const char *path) {
  struct file *f = &all->file[all->count];
  char *copy = path ? strdup(path) : NULL;
  if (!copy)
    return;
  if (strcmp(option, "--trace") == 0)
    copy[strcspn(copy, ",")] = '\0';
  *f = (struct file){.option = option, .argument = argument};
  if (strcmp(copy, "-") == 0) {
    f->name = path;
    f->length = 1;
    all->count++;
  } else if (identify(f, copy)) {
    f->length = strlen(f->name);
    if (f->length)
      f->name = path + (f->name - copy);
    all->count++;
  }
  free(copy);
}

static int check_each(const struct files *out) {
  for (unsigned i = 1; i < out->count; i++)
    for (unsigned k = 0; k < i; k++) {
      const struct file *a = &out->file[k], *b = &out->file[i];
      if (same(a, b))
        return cli_fail(CLI_USAGE, "%s %s and %s %s go to the same file: give each its own",
                        a->option, a->argument, b->option, b->argument);
    }
  return 0;
}

static int check_input(const struct files *out, const char *path, const char *what) {
  struct file in = {0};
  if (!identify(&in, path))
    return 0;
  for (unsigned i = 0; i < out->count; i++)
    if (same(&in, &out->file[i]))
      return cli_fail(CLI_USAGE, "%s %s would write over %s %s: choose another file",
                      out->file[i].option, out->file[i].argument, what, path);
  return 0;
}

static bool is_stdout(const char *path) {
  return path && strcmp(path, "-") == 0;
}

bool outputs_take_stdout(const struct run_options *o) {
  for (unsigned i = 0; i < o->observe.traces; i++) {
    const char *equals = strchr(o->observe.trace[i], '=');
    if (equals && equals[1] == '-' && (equals[2] == '\0' || equals[2] == ','))
      return true;
  }
  return is_stdout(o->stats) || is_stdout(o->observe.profile) || is_stdout(o->observe.flame);
}

int outputs_check(const struct run_options *o) {
  struct files out = {.count = 0};
  for (unsigned i = 0; i < o->observe.traces; i++) {
    const char *spec = o->observe.trace[i], *equals = strchr(spec, '=');
    add(&out, "--trace", spec, equals ? equals + 1 : NULL);
  }
  add(&out, "--stats", o->stats, o->stats);
  add(&out, "--signature", o->signature, o->signature);
  add(&out, "--profile", o->observe.profile, o->observe.profile);
  add(&out, "--flame", o->observe.flame, o->observe.flame);
  int status = check_each(&out);
  if (status == 0)
    status = check_input(&out, o->program, "the program");
  if (status == 0 && o->config)
    status = check_input(&out, o->config, "the configuration");
  for (unsigned i = 0; status == 0 && i < o->load_count; i++)
    status = check_input(&out, o->loads[i].path, "--load");
  return status;
}
