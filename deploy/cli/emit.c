// deploy/cli/emit.c: pulpsim-deploy MODEL -o DIR.
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli.h"
#include "deploy/emit/cost.h"
#include "deploy/emit/folder.h"
#include "deploy/emit/machine.h"
#include "deploy/memory.h"
#include "deploy/read/load.h"
#include "report.h"

struct settings {
  struct folder folder;
  const char *json;
  bool run, check;
};

static int help(void) {
  puts(
      "usage: pulpsim-deploy MODEL -o DIR [OPTION...]\n\n"
      "Writes C that executes a network on the cluster: net.c, main.c, its weights for L3, a\n"
      "Makefile. MODEL: a file, or a name such as mobilenet_v1:128:1.0.\n\n"
      "  -o DIR                 the folder\n"
      "  --l1 BYTES             of L1 for tiles (57600, 56240 are used); k, M binary\n"
      "  --l2 BYTES             of L2, the program included (512k); a machine with more\n"
      "                         gets more\n"
      "  --tiles cycles|estimate|eq6\n"
      "                         tiles by simulated cycles, by estimated ones, or by the use of L1\n"
      "                         (DORY's Eq. 6)\n"
      "  --cache DIR            where simulated cycles are kept (~/.cache/pulpsim)\n"
      "  --run                  builds it, runs two images, compares the result\n"
      "  --check                compares every layer's output with the interpreter's, too\n"
      "  --json FILE            the report as JSON (with --run or --check)\n"
      "  --machine NAME         a configuration whose cores are as GAP8's (gap8)\n"
      "  --kernels DIR          this project's folder, for the Makefile (.)");
  return 0;
}

static bool take_bytes(const char *text, uint32_t *bytes) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  unsigned shift = *end == 'k' ? 10 : *end == 'M' ? 20 : 0;
  if (end == text || end[shift ? 1 : 0] || value == 0 || *text == '-' ||
      value > UINT32_MAX >> shift)
    return false;
  *bytes = (uint32_t)value << shift;
  return true;
}

static void print_plan(const struct plan *plan, const struct settings *s) {
  printf("%s: L2: %u bytes of activations (at least %u), with weights %u, %u for the program; "
         "L3: %u\n",
         plan->net->name, plan->lives.bytes, plan->lives.bound, plan->l2_bytes, s->folder.plan.code,
         plan->l3_bytes);
}

// ---------------------------------------------------------------------------- command

static int run(const struct plan *plan, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct machine_result result = {NULL, NULL};
  if (!machine_run(plan, s->folder.dir, s->folder.machine,
                   &(struct machine_images){.check = s->check}, &result, &error))
    return deploy_fail_with(&error, DEPLOY_INTERNAL);
  report_print(plan, &result);
  int status = s->json ? report_json(plan, &result, s->json) : 0;
  free(result.first);
  free(result.second);
  return status;
}

// NULL, and a word about it: tiles by estimates.
static struct cost *open_cost(const struct folder *folder) {
  struct net_error error = {.text = ""};
  char *cache = folder->cache ? memory_text(folder->cache) : cost_default_cache();
  struct cost *cost = cost_new(folder->machine, folder->root, cache, &error);
  if (!cost)
    fprintf(stderr, "pulpsim-deploy: tiles by estimated cycles: %s\n", error.text);
  free(cache);
  return cost;
}

static int emit(const struct net *net, const struct settings *given) {
  struct net_error error = {.text = ""};
  struct settings own = *given, *s = &own;
  char root[PATH_MAX];
  if (!realpath(s->folder.root, root))
    return deploy_fail(DEPLOY_NO_INPUT, "%s: no such folder", s->folder.root);
  s->folder.root = root;
  if (!net_check(net, &error))
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  s->folder.plan.cost = s->folder.plan.objective == PLAN_CYCLES ? open_cost(&s->folder) : NULL;
  struct plan *plan =
      s->run ? folder_build(net, &s->folder, &error) : folder_write(net, &s->folder, &error);
  cost_free(s->folder.plan.cost);
  if (!plan)
    return deploy_fail_with(&error, DEPLOY_NO_OUTPUT);
  print_plan(plan, s);
  int status = s->run ? run(plan, s) : 0;
  plan_free(plan);
  return status;
}

enum { L1 = 256, L2, TILES, RUN, CHECK, JSON, MACHINE, KERNELS, CACHE };

static bool take_objective(const char *text, enum plan_objective *objective) {
  static const char *const names[] = {[PLAN_CYCLES] = "cycles",
                                      [PLAN_ESTIMATE] = "estimate",
                                      [PLAN_EQ6] = "eq6",
                                      [PLAN_DORY] = "dory"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) == 0) {
      *objective = (enum plan_objective)i;
      return true;
    }
  }
  return false;
}

static int take_option(int option, struct settings *s) {
  bool good = true;
  if (option == L1 || option == L2)
    good = take_bytes(optarg, option == L1 ? &s->folder.plan.l1 : &s->folder.plan.l2);
  else if (option == TILES)
    good = take_objective(optarg, &s->folder.plan.objective);
  else if (option == RUN || option == CHECK)
    s->run = true, s->check |= option == CHECK;
  else
    *(option == 'o'       ? &s->folder.dir
      : option == CACHE   ? &s->folder.cache
      : option == JSON    ? &s->json
      : option == MACHINE ? &s->folder.machine
                          : &s->folder.root) = optarg;
  return good ? 0
              : deploy_fail(DEPLOY_USAGE, "%s: `pulpsim-deploy MODEL --help` says what is taken",
                            optarg);
}

int cli_emit(int argc, char **argv) {
  static const struct option options[] = {{"l1", required_argument, NULL, L1},
                                          {"l2", required_argument, NULL, L2},
                                          {"tiles", required_argument, NULL, TILES},
                                          {"run", no_argument, NULL, RUN},
                                          {"check", no_argument, NULL, CHECK},
                                          {"json", required_argument, NULL, JSON},
                                          {"cache", required_argument, NULL, CACHE},
                                          {"machine", required_argument, NULL, MACHINE},
                                          {"kernels", required_argument, NULL, KERNELS},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  // L1 less the stacks of eight cores (kernels/rt/link.ld); code and tables of up to 60 kB.
  struct settings s = {.folder = {.plan = {57600, 512 << 10, 60 << 10, PLAN_CYCLES, NULL},
                                  .machine = "gap8",
                                  .root = "."}};
  for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
    if (option == 'h')
      return help();
    int status = option == '?' ? DEPLOY_USAGE : take_option(option, &s);
    if (status)
      return status;
  }
  if (argc - optind != 1 || !s.folder.dir)
    return deploy_fail(DEPLOY_USAGE, "give one model and -o DIR; `pulpsim-deploy MODEL --help`");
  struct net_error error = {.text = ""};
  struct net *net = load_net(argv[optind], &error);
  if (!net)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  int status = emit(net, &s);
  net_free(net);
  return status;
}
