// deploy/cli/emit.c: pulpsim-deploy MODEL -o DIR.
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli.h"
#include "deploy/emit/machine.h"
#include "deploy/emit/write.h"
#include "deploy/memory.h"
#include "deploy/read/load.h"

struct settings {
  struct plan_options plan;
  const char *out, *machine, *json, *root;
  bool run, check;
};

static int help(void) {
  puts("usage: pulpsim-deploy MODEL -o DIR [OPTION...]\n\n"
       "Writes C that executes a network on the cluster: net.c, main.c, its weights for L3, a\n"
       "Makefile. MODEL: a file, or a name such as mobilenet_v1:128:1.0.\n\n"
       "  -o DIR                 the folder\n"
       "  --l1 BYTES             of L1 for tiles (57600); k and M are binary\n"
       "  --l2 BYTES             of L2, the program included (512k)\n"
       "  --tiles estimate|eq6   tiles by estimated cycles, or by the use of L1 (DORY's Eq. 6)\n"
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

// ---------------------------------------------------------------------------- report

static uint64_t sum(const uint32_t *cycles, uint32_t count) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; i++)
    all += cycles[i];
  return all;
}

static uint64_t all_macs(const struct net *net) {
  uint64_t macs = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    macs += net_macs(net, &net->layers[i]);
  return macs;
}

static void print_plan(const struct plan *plan, const struct settings *s) {
  printf("%s: L2: %u bytes of activations (at least %u), with weights %u, %u for the program; "
         "L3: %u\n",
         plan->net->name, plan->lives.bytes, plan->lives.bound, plan->l2_bytes, s->plan.code,
         plan->l3_bytes);
}

static void print_result(const struct plan *plan, const struct machine_result *r) {
  const struct net *net = plan->net;
  printf("%-12s %10s %12s %9s %8s  %s\n", "layer", "cycles", "MAC", "MAC/clk", "L1",
         "tile (rows x channels)");
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct plan_layer *l = &plan->layers[i];
    uint64_t macs = net_macs(net, &net->layers[i]);
    printf("%-12s %10u %12" PRIu64 " %9.2f %8u  %u x %u\n", net->layers[i].name, r->second[i], macs,
           (double)macs / r->second[i], l->l1_bytes, l->tile.tile_h, l->tile.tile_c);
  }
  uint64_t cycles = sum(r->second, net->layer_count);
  printf("%-12s %10" PRIu64 " %12" PRIu64 " %9.2f  (first image: %" PRIu64 ")\n", "all", cycles,
         all_macs(net), (double)all_macs(net) / (double)cycles, sum(r->first, net->layer_count));
}

static int write_json(const struct plan *plan, const struct machine_result *r, const char *path) {
  const struct net *net = plan->net;
  uint64_t cycles = sum(r->second, net->layer_count), macs = all_macs(net);
  FILE *f = deploy_create(path);
  if (!f)
    return DEPLOY_NO_OUTPUT;
  fprintf(f,
          "{\"cycles\": %" PRIu64 ", \"first_cycles\": %" PRIu64 ", \"macs\": %" PRIu64
          ", \"mac_per_cycle\": %.4f, \"layers\": [",
          cycles, sum(r->first, net->layer_count), macs, (double)macs / (double)cycles);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct plan_layer *l = &plan->layers[i];
    fprintf(f,
            "%s\n {\"name\": \"%s\", \"cycles\": %u, \"first_cycles\": %u, \"macs\": %" PRIu64
            ", \"tile\": {\"h\": %u, \"w\": %u, \"c\": %u}, \"l1_bytes\": %u}",
            i ? "," : "", net->layers[i].name, r->second[i], r->first[i],
            net_macs(net, &net->layers[i]), l->tile.tile_h, l->tile.out_w, l->tile.tile_c,
            l->l1_bytes);
  }
  fputs("]}\n", f);
  return fclose(f) == 0 ? 0 : deploy_fail(DEPLOY_NO_OUTPUT, "%s: cannot be written", path);
}

// ---------------------------------------------------------------------------- command

// `l2`: how much of it the linker may use.
static int build(const struct settings *s, uint32_t l2) {
  if (strchr(s->out, '\''))
    return deploy_fail(DEPLOY_USAGE, "%s: a folder to build in has no ' in its name", s->out);
  char *command = memory_format("make -s -B -C '%s' L2=%u 1>&2", s->out, l2);
  int status = system(command); // NOLINT(cert-env33-c): make is the user's
  free(command);
  return status == 0 ? 0 : deploy_fail(DEPLOY_INTERNAL, "%s: make failed", s->out);
}

static int run(const struct plan *plan, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct machine_result result = {NULL, NULL};
  int status = build(s, s->plan.l2);
  if (status)
    return status;
  if (!machine_run(plan, s->out, s->machine, s->check, &result, &error))
    return deploy_fail_with(&error, DEPLOY_INTERNAL);
  print_result(plan, &result);
  status = s->json ? write_json(plan, &result, s->json) : 0;
  free(result.first);
  free(result.second);
  return status;
}

// Plans and writes. `plan` is NULL where the status is not 0.
static int write(const struct net *net, const struct settings *s, const char *root,
                 struct plan **plan) {
  struct net_error error = {.text = ""};
  *plan = plan_new(net, &s->plan, &error);
  if (!*plan)
    return deploy_fail_with(&error, DEPLOY_NO_OUTPUT);
  if (write_folder(*plan, &s->plan, s->out, root, &error))
    return 0;
  plan_free(*plan);
  *plan = NULL;
  return deploy_fail_with(&error, DEPLOY_NO_OUTPUT);
}

// How large the program is, shows when it is linked: then the plan is made again with that size.
static int fit_code(const struct net *net, struct settings *s, const char *root,
                    struct plan **plan) {
  enum { ROUNDS = 4, WITHOUT_LIMIT = 4 << 20, SPARE = 512, WORTH = 4096 };
  for (unsigned i = 0; i < ROUNDS; i++) {
    int status = build(s, WITHOUT_LIMIT);
    uint32_t code = status ? 0 : machine_code_bytes(*plan, s->out, s->machine);
    if (status || code == 0 || (code <= s->plan.code && code + WORTH > s->plan.code))
      return status;
    s->plan.code = (code + SPARE + 15) & ~15u;
    plan_free(*plan);
    status = write(net, s, root, plan);
    if (status)
      return status;
  }
  return 0;
}

static int emit(const struct net *net, struct settings *s) {
  struct net_error error = {.text = ""};
  struct plan *plan = NULL;
  char root[PATH_MAX];
  if (!realpath(s->root, root))
    return deploy_fail(DEPLOY_NO_INPUT, "%s: no such folder", s->root);
  if (!net_check(net, &error))
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  int status = write(net, s, root, &plan);
  if (status == 0 && s->run)
    status = fit_code(net, s, root, &plan);
  if (status == 0 && plan)
    print_plan(plan, s);
  if (status == 0 && plan && s->run)
    status = run(plan, s);
  plan_free(plan);
  return status;
}

enum { L1 = 256, L2, TILES, RUN, CHECK, JSON, MACHINE, KERNELS };

static int take_option(int option, struct settings *s) {
  bool good = true;
  if (option == L1 || option == L2)
    good = take_bytes(optarg, option == L1 ? &s->plan.l1 : &s->plan.l2);
  else if (option == TILES && strcmp(optarg, "eq6") == 0)
    s->plan.objective = PLAN_EQ6;
  else if (option == TILES)
    good = strcmp(optarg, "estimate") == 0;
  else if (option == RUN || option == CHECK)
    s->run = true, s->check |= option == CHECK;
  else
    *(option == 'o'       ? &s->out
      : option == JSON    ? &s->json
      : option == MACHINE ? &s->machine
                          : &s->root) = optarg;
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
                                          {"machine", required_argument, NULL, MACHINE},
                                          {"kernels", required_argument, NULL, KERNELS},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  // L1 less the stacks of eight cores (kernels/rt/link.ld); code and tables of up to 60 kB.
  struct settings s = {
      .plan = {57600, 512 << 10, 60 << 10, PLAN_ESTIMATE}, .machine = "gap8", .root = "."};
  for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
    if (option == 'h')
      return help();
    int status = option == '?' ? DEPLOY_USAGE : take_option(option, &s);
    if (status)
      return status;
  }
  if (argc - optind != 1 || !s.out)
    return deploy_fail(DEPLOY_USAGE, "give one model and -o DIR; `pulpsim-deploy MODEL --help`");
  struct net_error error = {.text = ""};
  struct net *net = load_net(argv[optind], &error);
  if (!net)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  int status = emit(net, &s);
  net_free(net);
  return status;
}
