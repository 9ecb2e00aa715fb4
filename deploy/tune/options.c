// deploy/tune/options.c: see options.h.
#include "deploy/tune/options.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pulpsim.h"
#include "sim/results.h"

static const char help[] =
    "usage: pulpsim-tune layer (pointwise|linear) --shape SHAPE [OPTION...]\n"
    "       pulpsim-tune network MODEL --train [OPTION...]\n\n"
    "Finds, by simulation, the tile, the kernel and the order in which a layer's steps of "
    "training\n"
    "take the fewest cycles with their operands in L2, transfers included; of a network, of all "
    "its\n"
    "pointwise and fully connected layers. MODEL is what `pulpsim-deploy info` takes.\n\n"
    "  --train            the steps of training; the first layer has no ig\n"
    "  --shape SHAPE      CxHxW,F (pointwise) or INPUTS,OUTPUTS (linear)\n"
    "  --steps LIST       of fw, wg, ig (default: fw,wg,ig)\n"
    "  --l1 BYTES         for tiles, with k for 1024 (default: 50000, which is the most)\n"
    "  --published        Algorithm 1 of PULP-TrainLib beside: five tiles, 24 kernels\n"
    "  --exhaustive       every tile by every kernel: for small layers\n"
    "  --more-kernels FILE   kernels beside the list, too, where their bounds say that they can\n"
    "                     win; one that does is added to FILE, which is to be\n"
    "                     kernels/mm/mmt_f32_more.def for `make kernels`\n"
    "  --emit FILE        of a network: the C program that trains it, its tiles those found\n"
    "                     (- for stdout)\n"
    "  --untuned          with --emit: the largest tiles that fit, nothing is simulated\n"
    "  --learn N          with --emit: only the last N layers with weights learn\n"
    "  --batch N, --rate R   with --emit: examples a step (default: 1), and its rate (0.01)\n"
    "  --type NAME        with --emit: f32 (default), or fp16 or bf16, with weights in f32 beside\n"
    "  --loss-scale S     with --type: a power of 2, at first (fp16: 1024, bf16: 1)\n"
    "  --again NAME       with --emit: outputs computed again, not kept: fit (default), where L2 "
    "has\n"
    "                     no room, all, none;   --l3 NAME  weights in L3: fit, all, none\n"
    "  --loss NAME        with --emit: ce, cross entropy (default), or mse, mean squared error\n"
    "  --config NAME|FILE of the machine (default: trainlib)\n"
    "  --cores N          (default: 8)\n"
    "  --program FILE     (default: build/kernels/train_tiled.elf, or that installed)\n"
    "  --results FILE     what was measured before (default: build/tune.sqlite, if there is a "
    "build/)\n"
    "  --on NAME          local (default): by processes here; parallel: through GNU parallel,\n"
    "                     PARALLEL_OPTIONS, such as --sshloginfile HOSTS, say where; slurm: an\n"
    "                     array of jobs by sbatch, SBATCH_OPTIONS say where; all machines have\n"
    "                     the same folders\n"
    "  --jobs N           processes on a machine (default: as many as processors here)\n"
    "  --json             on stdout, and nothing else;   --version  the version\n\n"
    "Exit status: 0; 1 a run failed; 64 usage; 65, 66, 69 a model that is damaged,\n"
    "missing or not supported; 73 a file that cannot be written; 80 no tile fits into L1.\n";

int tune_fail(int status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("pulpsim-tune: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  return status;
}

// Bytes, with an optional k. False if it is not that.
static bool parse_bytes(const char *text, uint32_t *bytes) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  bool kilo = *end == 'k' || *end == 'K';
  if (end == text || end[kilo] != '\0' || value == 0 || value > PROGRAM_L1)
    return false;
  *bytes = (uint32_t)(value * (kilo ? 1024 : 1));
  return *bytes <= PROGRAM_L1;
}

static bool parse_count(const char *text, unsigned most, unsigned *count) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  *count = (unsigned)value;
  return end != text && *end == '\0' && value >= 1 && value <= most;
}

// Which of `names` it is; `count` if none.
static unsigned name_number(const char *text, const char *const *names, unsigned count) {
  unsigned i = 0;
  while (i < count && strcmp(text, names[i]) != 0)
    i++;
  return i;
}

static bool parse_type(const char *text, enum train_type *type) {
  static const char *const names[] = {
      [TRAIN_F32] = "f32", [TRAIN_FP16] = "fp16", [TRAIN_BF16] = "bf16"};
  *type = (enum train_type)name_number(text, names, TRAIN_TYPES);
  return *type < TRAIN_TYPES;
}

static bool parse_wish(const char *text, enum train_wish *wish) {
  static const char *const names[] = {
      [TRAIN_FIT] = "fit", [TRAIN_ALL] = "all", [TRAIN_NONE] = "none"};
  *wish = (enum train_wish)name_number(text, names, TRAIN_WISHES);
  return *wish < TRAIN_WISHES;
}

static bool parse_scale(const char *text, double *scale) {
  char *end;
  int exponent;
  *scale = strtod(text, &end);
  return end != text && *end == '\0' && *scale >= 1 && *scale <= 0x1p24 &&
         frexp(*scale, &exponent) == 0.5;
}

static bool parse_on(const char *text, enum tune_on *on) {
  static const char *const names[] = {
      [TUNE_LOCAL] = "local", [TUNE_PARALLEL] = "parallel", [TUNE_SLURM] = "slurm"};
  *on = (enum tune_on)name_number(text, names, TUNE_ONS);
  return *on < TUNE_ONS;
}

static bool parse_rate(const char *text, double *rate) {
  char *end;
  *rate = strtod(text, &end);
  return end != text && *end == '\0' && *rate > 0 && *rate < 1000;
}

// Steps with commas between them.
static bool parse_steps(const char *text, const char **steps) {
  *steps = text;
  for (;; text++) {
    size_t n = strcspn(text, ",");
    unsigned i = 0;
    while (i < TUNE_STEPS &&
           (strlen(tune_step_names[i]) != n || strncmp(text, tune_step_names[i], n) != 0))
      i++;
    text += n;
    if (i == TUNE_STEPS || !*text)
      return i < TUNE_STEPS;
  }
}

// Of --emit.
static bool parse_emit_option(struct tune_options *o, int option, const char *text) {
  switch (option) {
  case 'E':
    o->emit = text;
    return true;
  case 'u':
    o->untuned = true;
    return true;
  case 'n':
    return parse_count(text, 1000, &o->learn);
  case 'b':
    return parse_count(text, 10000, &o->batch);
  case 'R':
    return parse_rate(text, &o->rate);
  case 'y':
    return parse_type(text, &o->type);
  case 'S':
    return parse_scale(text, &o->scale);
  case '3':
    return parse_wish(text, &o->l3);
  case 'a':
    return parse_wish(text, &o->again);
  case 'o':
    o->mse = strcmp(text, "mse") == 0;
    return o->mse || strcmp(text, "ce") == 0;
  default:
    return false;
  }
}

static bool parse_option(struct tune_options *o, int option, const char *text) {
  switch (option) {
  case 's':
    o->shape = text;
    return true;
  case 't':
    return parse_steps(text, &o->steps);
  case 'l':
    return parse_bytes(text, &o->l1_bytes);
  case 'p':
    o->published = true;
    return true;
  case 'x':
    o->exhaustive = true;
    return true;
  case 'm':
    o->with.machine = text;
    return true;
  case 'c':
    return parse_count(text, 16, &o->with.cores);
  case 'e':
    o->with.program = text;
    return true;
  case 'r':
    o->with.results = text;
    return true;
  case 'j':
    return parse_count(text, 256, &o->with.jobs);
  case 'J':
    o->json = true;
    return true;
  case 'T':
    o->train = true;
    return true;
  case 'k':
    o->more = text;
    return true;
  case 'O':
    return true; // looked at before
  default:
    return parse_emit_option(o, option, text);
  }
}

// What only programs have, and loss scales only those in 16 bits. `of_emit`: the last such option.
static int check_emit(const struct tune_options *o, const char *of_emit) {
  if (of_emit && !o->emit)
    return tune_fail(TUNE_USAGE, "--%s is of the program that --emit writes: give --emit FILE",
                     of_emit);
  const struct result_name names[] = {{"--json", o->json ? "-" : NULL, true},
                                      {"--emit", o->emit, false}};
  char text[512];
  int status = results_check(names, 2, text, sizeof text);
  if (status)
    return tune_fail(status, "%s", text);
  if (o->scale > 0 && o->type == TRAIN_F32)
    return tune_fail(TUNE_USAGE, "--loss-scale is of --type fp16 or bf16");
  return 0;
}

static int check_machine(const char *name) {
  struct pulpsim_error why;
  struct pulpsim_config *config = pulpsim_config_new(name, &why);
  if (!config)
    return tune_fail(TUNE_USAGE, "%s", why.text);
  pulpsim_config_free(config);
  return 0;
}

int tune_options_parse(struct tune_options *o, int argc, char **argv) {
  static const struct option names[] = {{"shape", 1, NULL, 's'},        {"steps", 1, NULL, 't'},
                                        {"l1", 1, NULL, 'l'},           {"published", 0, NULL, 'p'},
                                        {"exhaustive", 0, NULL, 'x'},   {"config", 1, NULL, 'm'},
                                        {"machine", 1, NULL, 'm'},      {"cores", 1, NULL, 'c'},
                                        {"program", 1, NULL, 'e'},      {"results", 1, NULL, 'r'},
                                        {"jobs", 1, NULL, 'j'},         {"json", 0, NULL, 'J'},
                                        {"train", 0, NULL, 'T'},        {"emit", 1, NULL, 'E'},
                                        {"untuned", 0, NULL, 'u'},      {"learn", 1, NULL, 'n'},
                                        {"batch", 1, NULL, 'b'},        {"rate", 1, NULL, 'R'},
                                        {"loss", 1, NULL, 'o'},         {"type", 1, NULL, 'y'},
                                        {"loss-scale", 1, NULL, 'S'},   {"on", 1, NULL, 'O'},
                                        {"l3", 1, NULL, '3'},           {"again", 1, NULL, 'a'},
                                        {"more-kernels", 1, NULL, 'k'}, {"help", 0, NULL, 'h'},
                                        {"version", 0, NULL, 'V'},      {NULL, 0, NULL, 0}};
  const char *of_emit = NULL;
  for (int option, i = 0; (option = getopt_long(argc, argv, "hV", names, &i)) != -1;) {
    if (option == 'O' && !parse_on(optarg, &o->with.on))
      return tune_fail(TUNE_USAGE, "--on %s: local, parallel and slurm are supported", optarg);
    if (option == 'h' || option == 'V') {
      fputs(option == 'h' ? help : "pulpsim-tune " PULPSIM_VERSION "\n", stdout);
      exit(0);
    }
    if (option == '?')
      return TUNE_USAGE;
    if (!parse_option(o, option, optarg))
      return tune_fail(TUNE_USAGE, "--%s %s: `pulpsim-tune --help` says what is taken",
                       names[i].name, optarg);
    if (strchr("unbRyS3ao", option))
      of_emit = names[i].name;
  }
  bool layer = argc - optind == 2 && strcmp(argv[optind], "layer") == 0 && o->shape;
  bool network = argc - optind == 2 && strcmp(argv[optind], "network") == 0 && o->train;
  if (!layer && !network)
    return tune_fail(TUNE_USAGE,
                     "say `layer pointwise --shape 64x25x5,64` or `network autoencoder --train`, "
                     "or see `pulpsim-tune --help`");
  int status = check_emit(o, of_emit);
  if (!status)
    status = check_machine(o->with.machine);
  if (status)
    return status;
  *(layer ? &o->layer : &o->model) = argv[optind + 1];
  return 0;
}
