// deploy/cli/emit.c: pulpsim-deploy MODEL -o DIR.
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli.h"
#include "deploy/cli/given.h"
#include "deploy/emit/cost.h"
#include "deploy/emit/folder.h"
#include "deploy/emit/lives_stack.h"
#include "deploy/emit/machine.h"
#include "deploy/memory.h"
#include "deploy/read/load.h"
#include "report.h"
#include "root.h"

struct settings {
  struct folder folder;
  const char *json, *input_type;
  struct report_point point;
  const char *timeline[2];
  char *set; // settings of the machine, a comma in front of each
  bool run, check;
};

static int help(void) {
  puts("usage: pulpsim-deploy MODEL -o DIR [OPTION...]\n\n"
       "Writes C that executes a network on the cluster: net.c, main.c, its weights for L3, a\n"
       "Makefile. MODEL: a file, - (stdin), or a name such as mobilenet_v1:128:1.0.\n\n"
       "  -o DIR                 the folder\n"
       "  --l1 BYTES             of L1 for tiles (57600, 56192 are used); k, M binary; beyond 64k\n"
       "                         the machine has so much, up to 1M\n"
       "  --l2 BYTES             of L2, the program included (512k); a machine with more\n"
       "                         gets more\n"
       "  --tiles cycles|estimate|dory|eq6\n"
       "                         tiles by simulated cycles, by estimated ones, by DORY's Eq. 7 "
       "with\n"
       "                         its heuristics, or by the use of L1 (DORY's Eq. 6)\n"
       "  --without LIST         of --tiles dory: im2col, rows, columns, filters do not count\n"
       "  --places best|lowest|exact|stack\n"
       "                         of activations in L2: the lowest that are free, by integer\n"
       "                         programming, by DORY's two stacks; the best of the first two\n"
       "  --cache DIR            where simulated cycles are kept (~/.cache/pulpsim)\n"
       "  --run                  builds it, runs two images, compares the result\n"
       "  --check                compares every layer's output with the interpreter's, too\n"
       "  --json FILE            --run, and the report as JSON (- for stdout)\n"
       "  --timeline FILE        --run, and what cores, DMA and uDMA do: a picture (.svg), or "
       "events for\n"
       "                         ui.perfetto.dev (- for stdout); may come twice; the simulation is "
       "slower\n"
       "  --mhz F, --mw P        a clock and a power: time and energy in the report\n"
       "  --point gap8-100|gap8-260\n"
       "                         the same, as published of GAP8 (DORY, IEEE TC 70(8), 2021)\n"
       "  --config NAME|FILE     of a machine whose cores are as GAP8's (gap8)\n"
       "  --set KEY=VALUE        one of its settings, e.g. soc.cluster_clock_mhz=175; may come "
       "again\n"
       "  --input-type TYPE      int8 or uint8 (default), where graphs of the PULP tools leave it\n"
       "                         open\n"
       "  --kernels DIR          this project's folder, or what is installed of it");
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

static bool take_l1(const char *text, uint32_t *bytes) {
  enum { MOST = 1 << 20 }; // between the cluster's base and its peripherals (kernels/rt/link.ld)
  return take_bytes(text, bytes) && *bytes <= MOST;
}

static void print_plan(const struct plan *plan, const struct settings *s) {
  printf("%s: L2: %u bytes of activations (at least %u), with weights %u, %u for the program; "
         "L3: %u%s; DORY's stacks: %u, with the weights of two layers\n",
         plan->net->name, plan->lives.bytes, plan->lives.bound, plan->l2_bytes, s->folder.plan.code,
         plan->l3_bytes, plan->layers_far ? " with the layers' descriptions" : "",
         lives_stack_bytes(&plan->lives));
}

// ---------------------------------------------------------------------------- command

static int write_results(const struct plan *plan, const struct settings *s,
                         const struct machine_result *result, const struct timeline *timeline) {
  struct net_error error = {.text = ""};
  report_print(plan, result, &s->point);
  int status = s->json ? report_json(plan, result, &s->point, s->json) : 0;
  for (unsigned i = 0; i < 2 && s->timeline[i] && !status; i++) {
    if (!timeline_write(timeline, plan->net->name, s->timeline[i], &error))
      status = deploy_fail_with(&error, DEPLOY_NO_OUTPUT);
  }
  return status;
}

static int run(const struct plan *plan, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct machine_result result = {.first = NULL};
  struct timeline *timeline = s->timeline[0] ? timeline_new() : NULL;
  const struct machine_images images = {.check = s->check, .timeline = timeline};
  int status = 0;
  if (machine_run(plan, s->folder.dir, s->folder.machine, &images, &result, &error))
    status = write_results(plan, s, &result, timeline);
  else
    status = deploy_fail_with(&error, DEPLOY_INTERNAL);
  machine_result_free(&result);
  timeline_free(timeline);
  return status;
}

// NULL, and a word about it: tiles by estimates.
static struct cost *open_cost(const struct folder *folder) {
  struct net_error error = {.text = ""};
  char *cache = folder->cache ? memory_text(folder->cache) : cost_default_cache();
  const struct cost_machine machine = {folder->machine, plan_l1_size(&folder->plan),
                                       PLAN_L1_MOST + plan_l1_size(&folder->plan) - 65536};
  struct cost *cost = cost_new(&machine, folder->root, cache, &error);
  if (!cost)
    fprintf(stderr, "pulpsim-deploy: tiles by estimated cycles: %s\n", error.text);
  free(cache);
  return cost;
}

// The machine's name, with as much L1 as was asked for, and its settings.
static char *machine_text(const struct settings *s) {
  uint32_t l1 = plan_l1_size(&s->folder.plan);
  char *larger = l1 > 65536 ? memory_format(",cluster.tcdm.size=%u", l1) : memory_text("");
  char *text = memory_format("%s%s%s", s->folder.machine, larger, s->set ? s->set : "");
  free(larger);
  return text;
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
  char *machine = machine_text(s);
  s->folder.machine = machine;
  s->folder.plan.cost = s->folder.plan.objective == PLAN_CYCLES ? open_cost(&s->folder) : NULL;
  struct plan *plan =
      s->run ? folder_build(net, &s->folder, &error) : folder_write(net, &s->folder, &error);
  cost_free(s->folder.plan.cost);
  if (plan)
    print_plan(plan, s);
  int status = !plan ? deploy_fail_with(&error, DEPLOY_NO_OUTPUT) : s->run ? run(plan, s) : 0;
  plan_free(plan);
  free(machine);
  return status;
}

enum {
  L1 = 256,
  L2,
  TILES,
  RUN,
  CHECK,
  JSON,
  CONFIG,
  KERNELS,
  CACHE,
  SET,
  WITHOUT,
  MHZ,
  MW,
  POINT,
  PLACES,
  TIMELINE,
  INPUT_TYPE
};

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

static bool take_method(const char *text, enum lives_method *method) {
  static const char *const names[] = {[LIVES_BEST] = "best",
                                      [LIVES_LOWEST] = "lowest",
                                      [LIVES_EXACT] = "exact",
                                      [LIVES_STACK] = "stack"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) == 0) {
      *method = (enum lives_method)i;
      return true;
    }
  }
  return false;
}

static bool take_number(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end != text && !*end && *number > 0 && *number < 1e6;
}

static bool take_heuristics(const char *text, unsigned *without) {
  static const char *const names[] = {"im2col", "rows", "columns", "filters"};
  for (size_t n = strcspn(text, ","); *text; text += n + (text[n] == ','), n = strcspn(text, ",")) {
    unsigned i = 0;
    while (i < 4 && (strlen(names[i]) != n || strncmp(text, names[i], n) != 0))
      i++;
    if (i == 4)
      return false;
    *without |= 1u << i;
  }
  return *without != 0;
}

// The network runs, then: in two forms at most.
static bool take_timeline(const char *path, struct settings *s) {
  unsigned i = s->timeline[0] ? 1 : 0;
  if (s->timeline[i])
    return false;
  s->timeline[i] = path;
  s->run = true;
  return true;
}

// Behind the machine's name, which comes to stand in front of them.
static bool take_setting(const char *text, struct settings *s) {
  if (!strchr(text, '=') || strchr(text, ','))
    return false;
  char *more = memory_format("%s,%s", s->set ? s->set : "", text);
  free(s->set);
  s->set = more;
  return true;
}

static int take_option(int option, const char *name, struct settings *s) {
  bool good = true;
  if (option == L1)
    good = take_l1(optarg, &s->folder.plan.l1);
  else if (option == L2)
    good = take_bytes(optarg, &s->folder.plan.l2);
  else if (option == TILES)
    good = take_objective(optarg, &s->folder.plan.objective);
  else if (option == WITHOUT)
    good = take_heuristics(optarg, &s->folder.plan.without);
  else if (option == PLACES)
    good = take_method(optarg, &s->folder.plan.places);
  else if (option == MHZ || option == MW)
    good = take_number(optarg, option == MHZ ? &s->point.mhz : &s->point.mw);
  else if (option == POINT)
    good = report_point_find(optarg, &s->point);
  else if (option == TIMELINE)
    good = take_timeline(optarg, s);
  else if (option == SET)
    good = take_setting(optarg, s);
  else if (option == INPUT_TYPE)
    good = given_option(s->input_type = optarg, &(struct lower_options){0}, NULL);
  else if (option == RUN || option == CHECK)
    s->run = true, s->check |= option == CHECK;
  else if (option == JSON)
    s->run = true, s->json = optarg;
  else
    *(option == 'o'      ? &s->folder.dir
      : option == CACHE  ? &s->folder.cache
      : option == CONFIG ? &s->folder.machine
                         : &s->folder.root) = optarg;
  return good ? 0
              : deploy_fail(DEPLOY_USAGE,
                            "--%s %s: `pulpsim-deploy MODEL --help` says what is taken", name,
                            optarg);
}

// Files may be in the folder, which is made later.
static int check_results(const struct settings *s) {
  const struct result_name names[] = {{"--json", s->json, false},
                                      {"--timeline", s->timeline[0], false},
                                      {"--timeline", s->timeline[1], false}};
  int status = deploy_folder("-o", s->folder.dir);
  return status ? status : deploy_stdout(names, 3);
}

int cli_emit(int argc, char **argv) {
  static const struct option options[] = {{"l1", required_argument, NULL, L1},
                                          {"l2", required_argument, NULL, L2},
                                          {"tiles", required_argument, NULL, TILES},
                                          {"run", no_argument, NULL, RUN},
                                          {"check", no_argument, NULL, CHECK},
                                          {"json", required_argument, NULL, JSON},
                                          {"cache", required_argument, NULL, CACHE},
                                          {"config", required_argument, NULL, CONFIG},
                                          {"machine", required_argument, NULL, CONFIG},
                                          {"mhz", required_argument, NULL, MHZ},
                                          {"mw", required_argument, NULL, MW},
                                          {"point", required_argument, NULL, POINT},
                                          {"places", required_argument, NULL, PLACES},
                                          {"timeline", required_argument, NULL, TIMELINE},
                                          {"set", required_argument, NULL, SET},
                                          {"without", required_argument, NULL, WITHOUT},
                                          {"kernels", required_argument, NULL, KERNELS},
                                          {"input-type", required_argument, NULL, INPUT_TYPE},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  // L1 less the stacks of eight cores (kernels/rt/link.ld); code and tables of up to 60 kB.
  struct settings s = {
      .folder = {.plan = {.l1 = 57600, .l2 = 512 << 10, .code = 60 << 10, .objective = PLAN_CYCLES},
                 .machine = "gap8",
                 .root = root_default()}};
  for (int option, i = 0; (option = getopt_long(argc, argv, "ho:", options, &i)) != -1;) {
    if (option == 'h')
      return help();
    const char *name = options[i].name; // -o takes anything
    int status = option == '?' ? DEPLOY_USAGE : take_option(option, name, &s);
    if (status)
      return status;
  }
  if (s.folder.plan.without && s.folder.plan.objective != PLAN_DORY)
    return deploy_fail(DEPLOY_USAGE, "--without takes --tiles dory beside it");
  if (s.point.mw > 0 && s.point.mhz <= 0)
    return deploy_fail(DEPLOY_USAGE, "--mw takes a --mhz beside it, for the time");
  if (argc - optind != 1 || !s.folder.dir)
    return deploy_fail(DEPLOY_USAGE, "give one model and -o DIR; `pulpsim-deploy MODEL --help`");
  int status = check_results(&s);
  if (status)
    return status;
  struct net_error error = {.text = ""};
  struct lower_options given = {.input_signed = s.input_type && *s.input_type == 'i'};
  struct net *net = load_net_with(argv[optind], &given, &error);
  status = net && given_agrees(s.input_type, net, &error)
               ? emit(net, &s)
               : deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  free(s.set);
  net_free(net);
  return status;
}
