// deploy/cli/fit.c: pulpsim-deploy fit.
#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "cli.h"
#include "deploy/family/family.h"
#include "deploy/family/mixed.h"
#include "deploy/memory.h"
#include "deploy/net/net_text.h"
#include "deploy/quant/bits_cycles.h"
#include "deploy/quant/bits_program.h"
#include "deploy/quant/bits_report.h"
#include "deploy/quant/shapes.h"
#include "deploy/read/load.h"
#include "root.h"

enum { FIT_SAMPLES = 64 };

struct settings {
  struct bits_budget budget;
  struct calibration calibration;
  const char *svg, *out, *root;
  uint64_t cycles; // at most; 0: not asked
  bool json;
};

static int help(void) {
  puts(
      "usage: pulpsim-deploy fit MODEL --read-only BYTES --read-write BYTES [OPTION...]\n\n"
      "Chooses 8, 4 or 2 bits for every weight and activation tensor, such that weights and\n"
      "parameters fit the read-only memory, and the tensors of each layer the read-write one\n"
      "(Rusci et al., MLSys 2020). MODEL: a file, - (stdin), or a member of a family as\n"
      "mobilenet_v1:224:0.75.\n\n"
      "  --read-only BYTES      for weights and parameters: 2M, 512k (binary) or a number\n"
      "  --read-write BYTES     for activations\n"
      "  --per-layer            one range of weights a layer (default)\n"
      "  --per-channel          one a channel\n"
      "  --scheme SCHEME        icn, folded (per layer only) or thresholds; by default per layer\n"
      "                         folded where weights and output have 8 bits, else icn; per channel "
      "icn\n"
      "  --json                 prints JSON, nothing else\n"
      "  --svg FILE             draws bits and bytes of each layer (- for stdout)\n"
      "  -o, --output FILE      of a family's member: the network with these bits, as `run` and\n"
      "                         the others read it (- for stdout); its weights are drawn from a "
      "seed\n"
      "  --calibrate DIR        not by sizes: measures with these inputs what fewer bits of each\n"
      "                         tensor cost, and takes the assignment of the least sum\n"
      "  --max-cycles N         with --calibrate: an image takes at most about so many cycles; "
      "layers\n"
      "                         are simulated with all bits first\n"
      "  --kernels DIR          for that: this project's folder, or what is installed of it\n"
      "  --samples N            at most so many inputs\n"
      "  --input-type, --input-shape, --mean, --scale, --channels   as `quantize` has them\n\n"
      "Exit status: 80 if there is no solution.");
  return 0;
}

// Bytes, k and M binary.
static bool read_bytes(const char *text, uint64_t *bytes) {
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  int suffix = tolower((unsigned char)*end);
  unsigned shift = suffix == 'k' ? 10 : suffix == 'm' ? 20 : 0;
  if (!isdigit((unsigned char)*text) || errno || end[shift != 0] || n > UINT64_MAX >> 24)
    return false;
  *bytes = (uint64_t)n << shift;
  return *bytes > 0;
}

static bool read_scheme(const char *text, enum bits_scheme *scheme) {
  static const char *const names[] = {
      [BITS_ICN] = "icn", [BITS_FOLDED] = "folded", [BITS_THRESHOLDS] = "thresholds"};
  for (int i = BITS_ICN; i <= BITS_THRESHOLDS; i++) {
    if (strcmp(text, names[i]) == 0) {
      *scheme = (enum bits_scheme)i;
      return true;
    }
  }
  return false;
}

static int report_result(const struct bits_report *report, const struct settings *s, bool solved,
                         const struct net_error *error) {
  int status = solved ? 0 : deploy_fail(DEPLOY_NO_FIT, "%s: %s", report->model, error->text);
  if (solved && s->json)
    bits_print_json(report, stdout);
  else if (!s->json)
    bits_print_table(report, stdout);
  struct result_file out;
  if (!s->svg)
    return status;
  if (!deploy_create(&out, s->svg))
    return DEPLOY_NO_OUTPUT;
  bits_draw(report, out.file);
  int written = deploy_finish(&out, s->svg);
  return written ? written : status;
}

// The family's network with the bits that were found.
static int write_mixed(const char *model, const struct bits_problem *problem,
                       const struct bits_result *result, const char *path) {
  struct net_error error = {.text = ""};
  struct net *net = family_build(model, &error);
  if (!net)
    return deploy_fail_with(&error, DEPLOY_USAGE);
  if (net->layer_count != problem->layer_count) {
    net_free(net);
    return deploy_fail(DEPLOY_UNSUPPORTED, "%s: such networks are not written", model);
  }
  uint8_t *tensors = memory_new(net->tensor_count, 1);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    tensors[net->layers[i].inputs[0]] = result->groups[problem->layers[i].x.group];
    tensors[net->layers[i].output] = result->groups[problem->layers[i].y.group];
  }
  family_mix(net, result->weights, tensors);
  int status = deploy_write_net(net, path);
  free(tensors);
  net_free(net);
  return status;
}

// Algorithms 1 and 2.
static int fit_by_sizes(const char *model, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct real_net *real = NULL;
  struct net *net = shapes_named(model) ? shapes_new(model, &error)
                                        : load_any(model, &s->calibration.shape, &real, &error);
  if (!net && !real)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct bits_problem *problem = bits_problem_new(net ? net : real->net);
  struct bits_result result;
  bool solved = bits_assign(problem, &s->budget, &result, &error);
  struct bits_report report = {model, problem, &s->budget, &result, 0};
  int status = report_result(&report, s, solved, &error);
  if (status == 0 && s->out)
    status = write_mixed(model, problem, &result, s->out);
  bits_result_free(&result);
  bits_problem_free(problem);
  net_free(net);
  real_free(real);
  return status;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at) {
  (void)status, (void)kind, (void)at;
  return remove(path);
}

// In a folder that is made for it, and removed.
static bool measure_cycles(const struct settings *s, struct real_net *real,
                           const struct bits_problem *problem,
                           const struct quantize_samples *samples,
                           const struct quantize_options *options, struct bits_cycles *cycles,
                           struct net_error *error) {
  enum { DEPTH = 8 };
  char dir[] = "/tmp/pulpsim-fit-XXXXXX", root[PATH_MAX];
  if (!s->cycles)
    return true;
  if (!realpath(s->root, root) || !mkdtemp(dir)) {
    error->status = DEPLOY_NO_OUTPUT;
    return net_fail(error, "a folder for the programs cannot be made: %s", strerror(errno));
  }
  struct folder folder = {
      .dir = dir,
      .root = root,
      .machine = "gap8",
      .plan = {.l1 = 57600, .l2 = 512 << 10, .code = 60 << 10, .objective = PLAN_ESTIMATE}};
  bool good = bits_cycles_measure(real, problem, samples, options, &folder, cycles, error);
  nftw(dir, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
  return good;
}

// The integer program.
static int fit_by_losses(const char *model, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(model, &s->calibration.shape, &error);
  if (!real)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct bits_problem *problem = bits_problem_new(real->net);
  struct quantize_options options = {.per_layer = !s->budget.per_channel,
                                     .scheme = s->budget.scheme};
  struct quantize_samples samples;
  struct bits_losses losses = {NULL, NULL};
  struct bits_cycles cycles = {NULL, NULL};
  int status;
  if (calibration_load(&s->calibration, real, &samples, &error) &&
      measure_cycles(s, real, problem, &samples, &options, &cycles, &error) &&
      bits_losses_measure(real, problem, &samples, &options, &losses, &error)) {
    struct bits_result result;
    bool solved = bits_optimize(problem, &s->budget, &losses, cycles.layers ? &cycles : NULL,
                                (double)s->cycles, &result, &error);
    struct bits_report report = {model, problem, &s->budget, &result, 0};
    report.cycles = cycles.layers ? bits_cycles_of(problem, &cycles, &result) : 0;
    status = report_result(&report, s, solved, &error);
    bits_result_free(&result);
  } else {
    status = deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  }
  calibration_free(&samples);
  bits_losses_free(&losses);
  bits_cycles_free(&cycles);
  bits_problem_free(problem);
  real_free(real);
  return status;
}

enum {
  READ_ONLY = 256,
  READ_WRITE,
  PER_LAYER,
  PER_CHANNEL,
  SCHEME,
  JSON,
  SVG,
  OUTPUT,
  MOST_CYCLES,
  KERNELS
};

static bool take_option(int option, struct settings *s) {
  switch (option) {
  case READ_ONLY:
    return read_bytes(optarg, &s->budget.read_only);
  case READ_WRITE:
    return read_bytes(optarg, &s->budget.read_write);
  case SCHEME:
    return read_scheme(optarg, &s->budget.scheme);
  case PER_LAYER:
  case PER_CHANNEL:
    s->budget.per_channel = option == PER_CHANNEL;
    return true;
  case MOST_CYCLES:
    return read_bytes(optarg, &s->cycles);
  case KERNELS:
    s->root = optarg;
    return true;
  case JSON:
    s->json = true;
    return true;
  case OUTPUT:
    s->out = optarg;
    return true;
  default:
    s->svg = optarg;
    return true;
  }
}

// What cannot be asked for together.
static int check_settings(const struct settings *s, const char *model) {
  if (!s->budget.read_only || !s->budget.read_write)
    return deploy_fail(DEPLOY_USAGE, "give --read-only and --read-write, in bytes");
  struct net_error error = {.text = ""};
  if (!bits_scheme_possible(s->budget.per_channel, s->budget.scheme, &error))
    return deploy_fail_with(&error, DEPLOY_USAGE);
  if (s->out && (s->calibration.data || !family_named(model)))
    return deploy_fail(DEPLOY_USAGE,
                       "-o writes a family's member, chosen by sizes; for other models "
                       "`quantize` takes the lists of bits");
  if (s->calibration.data && family_named(model))
    return deploy_fail(DEPLOY_USAGE,
                       "%s has no trained weights: what bits cost (--calibrate) is measured on a "
                       "model's file",
                       model);
  if (s->cycles && !s->calibration.data)
    return deploy_fail(DEPLOY_USAGE, "--max-cycles needs --calibrate: what bits cost is measured");
  const struct result_name names[] = {
      {"--json", s->json ? "-" : NULL, true}, {"--svg", s->svg, false}, {"-o", s->out, false}};
  return deploy_results(names, 3);
}

int cli_fit(int argc, char **argv) {
  static const struct option own[] = {{"read-only", required_argument, NULL, READ_ONLY},
                                      {"read-write", required_argument, NULL, READ_WRITE},
                                      {"per-layer", no_argument, NULL, PER_LAYER},
                                      {"per-channel", no_argument, NULL, PER_CHANNEL},
                                      {"scheme", required_argument, NULL, SCHEME},
                                      {"json", no_argument, NULL, JSON},
                                      {"svg", required_argument, NULL, SVG},
                                      {"output", required_argument, NULL, OUTPUT},
                                      {"max-cycles", required_argument, NULL, MOST_CYCLES},
                                      {"kernels", required_argument, NULL, KERNELS},
                                      {"help", no_argument, NULL, 'h'}};
  enum { OWN = sizeof own / sizeof *own };
  struct option options[OWN + CALIBRATION_OPTIONS + 1] = {{NULL, 0, NULL, 0}};
  memcpy(options, own, sizeof own);
  memcpy(options + OWN, calibration_options, sizeof calibration_options);
  struct settings s = {.root = root_default(), .calibration = {.samples = FIT_SAMPLES}};
  for (int option, index = 0; (option = getopt_long(argc, argv, "ho:", options, &index)) != -1;) {
    struct net_error error = {.text = ""};
    if (option == 'h')
      return help();
    if (option == '?')
      return DEPLOY_USAGE;
    if (option == 'o')
      option = OUTPUT;
    if (option >= CALIBRATION_FIRST && !calibration_take(&s.calibration, option, optarg, &error))
      return deploy_fail(DEPLOY_USAGE, "%s", error.text);
    if (option < CALIBRATION_FIRST && !take_option(option, &s))
      return deploy_fail(DEPLOY_USAGE, "--%s %s: give %s", options[index].name, optarg,
                         option == SCHEME        ? "icn, folded or thresholds"
                         : option == MOST_CYCLES ? "a number, as 515000"
                                                 : "bytes, as 524288, 512k or 2M");
  }
  if (argc - optind != 1)
    return deploy_fail(DEPLOY_USAGE, "give one model; `pulpsim-deploy fit --help` shows how");
  int status = check_settings(&s, argv[optind]);
  if (status)
    return status;
  return s.calibration.data ? fit_by_losses(argv[optind], &s) : fit_by_sizes(argv[optind], &s);
}
