// deploy/cli/on_sim.c
#include "on_sim.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "deploy/emit/folder.h"
#include "deploy/memory.h"
#include "report.h"

struct on_sim {
  struct plan *plan;
  struct folder folder;
  char *dir, *root;
  struct machine_result result;
};

static bool make_folder(struct on_sim *s, const char *root, struct net_error *error) {
  const char *temporary = getenv("TMPDIR");
  s->dir = memory_format("%s/pulpsim-deploy-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  s->root = realpath(root, NULL);
  const char *missing = !s->root ? root : !mkdtemp(s->dir) ? s->dir : NULL;
  if (missing) {
    net_fail(error, "%.300s: %s", missing, strerror(errno));
    error->status = s->root ? DEPLOY_NO_OUTPUT : DEPLOY_NO_INPUT;
    if (s->root)
      *s->dir = 0; // nothing to be removed
  }
  return !missing;
}

struct on_sim *on_sim_new(const struct net *net, const char *root, struct net_error *error) {
  struct on_sim *s = memory_new(1, sizeof *s);
  if (make_folder(s, root, error)) {
    s->folder = (struct folder){
        .dir = s->dir,
        .root = s->root,
        .machine = "gap8",
        .plan = {.l1 = 57600, .l2 = 512 << 10, .code = 60 << 10, .objective = PLAN_ESTIMATE}};
    s->plan = folder_build(net, &s->folder, error);
  }
  if (s->plan)
    return s;
  on_sim_free(s);
  return NULL;
}

void on_sim_free(struct on_sim *s) {
  static const char *const files[] = {"net.c",  "net.h",   "main.c", "Makefile",
                                      "l3.bin", "net.elf", "."};
  if (!s)
    return;
  for (size_t i = 0; s->dir && *s->dir && i + 1 < sizeof files / sizeof *files; i++) {
    char *path = memory_format("%s/%s", s->dir, files[i]);
    (void)unlink(path);
    free(path);
  }
  if (s->dir && *s->dir)
    (void)rmdir(s->dir);
  machine_result_free(&s->result);
  plan_free(s->plan);
  free(s->dir);
  free(s->root);
  free(s);
}

bool on_sim_execute(struct on_sim *s, struct int_run *run, struct net_error *error) {
  struct machine_images images = {.check = true, .given = run};
  machine_result_free(&s->result);
  return int_execute(run, error) &&
         machine_run(s->plan, s->folder.dir, s->folder.machine, &images, &s->result, error);
}

void on_sim_print(const struct on_sim *s) {
  report_print(s->plan, &s->result, &(struct report_point){0});
}

bool on_sim_or_host(struct on_sim *s, struct int_run *run, struct net_error *error) {
  return s ? on_sim_execute(s, run, error) : int_execute(run, error);
}
