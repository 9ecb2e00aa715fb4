// deploy/cli/quantize.c: pulpsim-deploy quantize.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibration.h"
#include "cli.h"
#include "deploy/memory.h"
#include "deploy/quant/compare.h"
#include "deploy/quant/retrain.h"
#include "deploy/read/load.h"

enum { LIST_MOST = 1024 };

struct settings {
  struct quantize_options options;
  struct calibration calibration;
  const char *output;
  uint8_t weights[LIST_MOST], outputs[LIST_MOST];
  uint32_t weight_count, output_count;
  const char *retrain, *compare; // NULL: not
  uint32_t epochs, retrain_samples;
  bool per_channel; // asked for
};

static int help(void) {
  puts(
      "usage: pulpsim-deploy quantize MODEL --calibrate DIR -o FILE [OPTION...]\n\n"
      "Makes an integer network of MODEL, with inputs as it will meet them, without labels.\n\n"
      "  --calibrate DIR        inputs: .npy, .png, .ppm, .pgm, or raw (of the input's type)\n"
      "  -o, --output FILE      the network, as `run`, `fit` and the others read it (- for\n"
      "                         stdout)\n"
      "  --weights BITS         8 (default), 4 or 2; or a list, one for each layer with weights\n"
      "  --activations BITS     the same; inputs and outputs of the network have 8\n"
      "  --per-layer            one scale of weights for a layer that is folded; --per-channel\n"
      "                         (default): for each filter\n"
      "  --range METHOD         of activations: minmax, percentile, entropy, squares; by default\n"
      "                         minmax at 8 bits, entropy below\n"
      "  --weight-range METHOD  of weights: search (default): fewer than 8 bits are clipped where\n"
      "                         that errs less; or minmax: never\n"
      "  --batch-norm CHOICE    fold (default) or keep: with one scale of weights for a layer, "
      "that\n"
      "                         of the weights alone; its factors go into the requantization\n"
      "  --scheme SCHEME        icn, folded or thresholds; by default as `fit` has it\n"
      "  --bias FORMAT          of ICN's biases: q32.0 (default), or q30.2, where rounding them "
      "is felt\n"
      "  --plain                weights are rounded one by one, not layer by layer for their\n"
      "                         results\n"
      "  --no-equalize          channels between layers that a ReLU joins keep their ranges\n"
      "  --retrain DATA         then weights, biases and ranges learn, in their bits, what the "
      "model\n"
      "                         makes of these inputs\n"
      "  --epochs N             times that the samples are seen (2)\n"
      "  --retrain-samples N    at most so many of them (8000)\n"
      "  --compare DATA         counts on these, with labels, what the floats, the same network "
      "with\n"
      "                         fake-quantized tensors and its integers recognize; prints JSON\n"
      "  --samples N            at most so many inputs (512)\n"
      "  --input-type TYPE      int8:SCALE:ZERO or uint8:SCALE:ZERO: the codes that the inputs\n"
      "                         are, where the model takes floats\n"
      "  --input-shape CxHxW    where the model leaves it open\n"
      "  --mean, --scale, --channels   of pictures, as `run` has them");
  return 0;
}

// ---------------------------------------------------------------------------- work

static bool learn(const struct settings *s, const struct real_net *real, struct quantized *q,
                  struct net_error *error) {
  if (!s->retrain)
    return true;
  struct quantize_samples samples;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  struct retrain_options options = {
      .epochs = s->epochs, .threads = cores > 0 ? (uint32_t)cores : 1, .progress = stderr};
  bool good = calibration_load_from(&s->calibration, s->retrain, s->retrain_samples, real, &samples,
                                    error) &&
              retrain(real, q, &s->options, &samples, &options, error);
  calibration_free(&samples);
  return good;
}

static bool compare_all(const struct settings *s, const struct real_net *real,
                        const struct quantized *q, struct net_error *error) {
  if (!s->compare)
    return true;
  struct quantize_samples samples;
  struct compared c;
  bool good =
      calibration_load_from(&s->calibration, s->compare, UINT32_MAX, real, &samples, error) &&
      (samples.labels || net_fail(error, "--compare %.300s: no labels", s->compare)) &&
      compare(real, q, &samples, &c, error);
  calibration_free(&samples);
  if (good)
    printf("{\"inputs\": %u, \"float\": %u, \"fake_quantized\": %u, \"integer\": %u, "
           "\"same_class\": %u, \"same_code\": %.6f}\n",
           c.inputs, c.real, c.fake, c.integer, c.same_class, c.same_code);
  return good;
}

// Lists of bits have as many numbers as the network has layers with weights.
static bool check_lists(const struct settings *s, const struct net *net, struct net_error *error) {
  uint32_t weighted = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    weighted += net_has_weights(net->layers[i].kind);
  bool weights = s->weight_count < 2 || s->weight_count == weighted;
  if (weights && (s->output_count < 2 || s->output_count == weighted))
    return true;
  error->status = DEPLOY_USAGE;
  return net_fail(error, "--%s has %u numbers, and the model %u layers with weights",
                  weights ? "activations" : "weights", weights ? s->output_count : s->weight_count,
                  weighted);
}

static int work(const char *model, struct settings *s) {
  struct net_error error = {.text = ""};
  int status = deploy_results(&(struct result_name){"-o", s->output, false}, 1);
  if (status)
    return status;
  struct real_net *real = load_real(model, &s->calibration.shape, &error);
  if (!real)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct quantize_samples samples = {NULL, NULL, 0};
  struct quantized q = {NULL};
  struct net *net = NULL;
  if (check_lists(s, real->net, &error) &&
      calibration_load(&s->calibration, real, &samples, &error) &&
      quantize_begin(real, &samples, &s->options, &q, &error) && learn(s, real, &q, &error) &&
      compare_all(s, real, &q, &error))
    net = quantize_end(&q, &s->options);
  quantized_free(&q);
  status = net ? deploy_write_net(net, s->output) : deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  calibration_free(&samples);
  net_free(net);
  real_free(real);
  return status;
}

// ---------------------------------------------------------------------------- command line

// "4", or "8,4,4,2": brackets and spaces are let pass, as in what `fit --json` prints.
static bool read_bits(const char *text, uint8_t *one, uint8_t *list, uint32_t *count) {
  for (*count = 0; *text && *count < LIST_MOST;) {
    text += strspn(text, " ,[]");
    if (!*text)
      break;
    if (!strchr("842", *text) || (text[1] && !strchr(" ,[]", text[1])))
      return false;
    list[(*count)++] = (uint8_t)(*text++ - '0');
  }
  *one = list[0];
  return *count > 0 && !*text;
}

static bool read_count(const char *text, uint32_t *count) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  *count = (uint32_t)value;
  return *text >= '0' && *text <= '9' && !*end && value > 0 && value < 1000000;
}

static bool read_choice(const char *text, const char *const names[], int count, int *choice) {
  for (int i = 0; i < count; i++) {
    if (strcmp(text, names[i]) == 0) {
      *choice = i;
      return true;
    }
  }
  return false;
}

enum {
  WEIGHTS = 256,
  ACTIVATIONS,
  PER_LAYER,
  PER_CHANNEL,
  RANGE,
  SCHEME,
  BIAS,
  WEIGHT_RANGE,
  BATCH_NORM,
  PLAIN,
  NO_EQUALIZE,
  RETRAIN,
  EPOCHS,
  RETRAIN_COUNT,
  COMPARE
};

static bool take_choice(int option, struct settings *s) {
  static const char *const ranges[] = {"auto", "minmax", "percentile", "entropy", "squares"};
  static const char *const weight_ranges[] = {"search", "minmax"};
  static const char *const points[] = {"q32.0", "q31.1", "q30.2"};
  static const char *const schemes[] = {"default", "icn", "folded", "thresholds"};
  static const char *const norms[] = {"fold", "keep"};
  int choice = 0;
  if (option == BATCH_NORM) {
    bool good = read_choice(optarg, norms, 2, &choice);
    s->options.keep_norms = choice == 1;
    return good;
  }
  if (option == RANGE) {
    bool good = read_choice(optarg, ranges, 5, &choice);
    s->options.range = (enum ranges_method)choice;
    return good;
  }
  if (option == WEIGHT_RANGE) {
    bool good = read_choice(optarg, weight_ranges, 2, &choice);
    s->options.whole_weights = choice == 1;
    return good;
  }
  if (option == BIAS) {
    bool good = read_choice(optarg, points, 3, &choice);
    s->options.point = (uint8_t)choice;
    return good;
  }
  bool good = read_choice(optarg, schemes, 4, &choice);
  s->options.scheme = (enum bits_scheme)choice;
  return good;
}

static bool take_option(int option, struct settings *s) {
  struct quantize_options *o = &s->options;
  switch (option) {
  case 'o':
    s->output = optarg;
    return true;
  case WEIGHTS:
    return read_bits(optarg, &o->weight_bits, s->weights, &s->weight_count);
  case ACTIVATIONS:
    return read_bits(optarg, &o->activation_bits, s->outputs, &s->output_count);
  case PER_LAYER:
  case PER_CHANNEL:
    o->per_layer = option == PER_LAYER, s->per_channel = option == PER_CHANNEL;
    return true;
  case PLAIN:
    o->no_reconstruct = true;
    return true;
  case RETRAIN:
    s->retrain = optarg;
    return true;
  case COMPARE:
    s->compare = optarg;
    return true;
  case EPOCHS:
    return read_count(optarg, &s->epochs);
  case RETRAIN_COUNT:
    return read_count(optarg, &s->retrain_samples);
  case NO_EQUALIZE:
    o->no_equalize = true;
    return true;
  default:
    return take_choice(option, s);
  }
}

static void take_lists(struct settings *s) {
  struct quantize_options *o = &s->options;
  o->weight_list = s->weight_count > 1 ? s->weights : NULL;
  o->output_list = s->output_count > 1 ? s->outputs : NULL;
  o->list_count = s->weight_count > s->output_count ? s->weight_count : s->output_count;
}

int cli_quantize(int argc, char **argv) {
  static const struct option own[] = {{"output", required_argument, NULL, 'o'},
                                      {"weights", required_argument, NULL, WEIGHTS},
                                      {"activations", required_argument, NULL, ACTIVATIONS},
                                      {"per-layer", no_argument, NULL, PER_LAYER},
                                      {"per-channel", no_argument, NULL, PER_CHANNEL},
                                      {"range", required_argument, NULL, RANGE},
                                      {"scheme", required_argument, NULL, SCHEME},
                                      {"weight-range", required_argument, NULL, WEIGHT_RANGE},
                                      {"bias", required_argument, NULL, BIAS},
                                      {"batch-norm", required_argument, NULL, BATCH_NORM},
                                      {"plain", no_argument, NULL, PLAIN},
                                      {"no-equalize", no_argument, NULL, NO_EQUALIZE},
                                      {"retrain", required_argument, NULL, RETRAIN},
                                      {"epochs", required_argument, NULL, EPOCHS},
                                      {"compare", required_argument, NULL, COMPARE},
                                      {"retrain-samples", required_argument, NULL, RETRAIN_COUNT},
                                      {"help", no_argument, NULL, 'h'}};
  enum { OWN = sizeof own / sizeof *own };
  struct option options[OWN + CALIBRATION_OPTIONS + 1] = {{NULL, 0, NULL, 0}};
  memcpy(options, own, sizeof own);
  memcpy(options + OWN, calibration_options, sizeof calibration_options);
  static struct settings s = {.epochs = RETRAIN_EPOCHS,
                              .retrain_samples = RETRAIN_SAMPLES,
                              .options = {.weight_bits = 8, .activation_bits = 8},
                              .calibration = {.samples = CALIBRATION_SAMPLES}};
  for (int option, index = 0; (option = getopt_long(argc, argv, "ho:", options, &index)) != -1;) {
    struct net_error error = {.text = ""};
    if (option == 'h')
      return help();
    if (option == '?')
      return DEPLOY_USAGE;
    if (option >= CALIBRATION_FIRST && !calibration_take(&s.calibration, option, optarg, &error))
      return deploy_fail(DEPLOY_USAGE, "%s", error.text);
    if (option < CALIBRATION_FIRST && !take_option(option, &s))
      return deploy_fail(DEPLOY_USAGE,
                         "--%s %s: no such choice; `pulpsim-deploy quantize --help` "
                         "lists them",
                         options[index].name, optarg);
  }
  if (argc - optind != 1 || !s.calibration.data || !s.output)
    return deploy_fail(DEPLOY_USAGE, "give one model, --calibrate and -o; `pulpsim-deploy quantize "
                                     "--help` shows how");
  struct net_error error = {.text = ""};
  if (!bits_scheme_possible(s.per_channel, s.options.scheme, &error))
    return deploy_fail_with(&error, DEPLOY_USAGE);
  take_lists(&s);
  return work(argv[optind], &s);
}
