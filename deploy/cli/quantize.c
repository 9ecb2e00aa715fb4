// deploy/cli/quantize.c: pulpsim-deploy quantize.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "cli.h"
#include "deploy/read/load.h"

enum { LIST_MOST = 1024 };

struct settings {
  struct quantize_options options;
  struct calibration calibration;
  const char *output;
  uint8_t weights[LIST_MOST], outputs[LIST_MOST];
  uint32_t weight_count, output_count;
};

static int help(void) {
  puts("usage: pulpsim-deploy quantize MODEL --calibrate DIR -o FILE [OPTION...]\n\n"
       "Makes an integer network of MODEL, with inputs as it will meet them, without labels.\n\n"
       "  --calibrate DIR        inputs: .npy, .png, .ppm, .pgm, or raw (of the input's type)\n"
       "  -o, --output FILE      the network, as `run`, `fit` and the others read it\n"
       "  --weights BITS         8 (default), 4 or 2; or a list, one for each layer with weights\n"
       "  --activations BITS     the same; inputs and outputs of the network have 8\n"
       "  --per-layer            one scale of weights a layer; --per-channel (default): a filter\n"
       "  --range METHOD         of activations: minmax, percentile, entropy, squares; by default\n"
       "                         minmax at 8 bits, entropy below\n"
       "  --scheme SCHEME        icn (default) or thresholds\n"
       "  --plain                weights are rounded one by one, not layer by layer for their\n"
       "                         results\n"
       "  --no-equalize          channels between layers that a ReLU joins keep their ranges\n"
       "  --samples N            at most so many inputs (512)\n"
       "  --input-type TYPE      int8:SCALE:ZERO or uint8:SCALE:ZERO: the codes that the inputs\n"
       "                         are, where the model takes floats\n"
       "  --input-shape CxHxW    where the model leaves it open\n"
       "  --mean, --scale, --channels   of pictures, as `run` has them");
  return 0;
}

// ---------------------------------------------------------------------------- work

static int write_net(const struct net *net, const char *path) {
  FILE *out = deploy_create(path);
  if (!out)
    return DEPLOY_NO_OUTPUT;
  net_write(net, out);
  bool good = !ferror(out);
  good &= fclose(out) == 0;
  return good ? 0 : deploy_fail(DEPLOY_NO_OUTPUT, "%s: cannot be written", path);
}

static int work(const char *model, struct settings *s) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(model, &s->calibration.shape, &error);
  if (!real)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct quantize_samples samples;
  struct net *net = NULL;
  if (calibration_load(&s->calibration, real, &samples, &error))
    net = quantize(real, &samples, &s->options, &error);
  int status = net ? write_net(net, s->output) : deploy_fail_with(&error, DEPLOY_BAD_MODEL);
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

static bool read_choice(const char *text, const char *const names[], int count, int *choice) {
  for (int i = 0; i < count; i++) {
    if (strcmp(text, names[i]) == 0) {
      *choice = i;
      return true;
    }
  }
  return false;
}

enum { WEIGHTS = 256, ACTIVATIONS, PER_LAYER, PER_CHANNEL, RANGE, SCHEME, PLAIN, NO_EQUALIZE };

static bool take_choice(int option, struct settings *s) {
  static const char *const ranges[] = {"auto", "minmax", "percentile", "entropy", "squares"};
  static const char *const schemes[] = {"icn", "thresholds"};
  int choice = 0;
  if (option == RANGE) {
    bool good = read_choice(optarg, ranges, 5, &choice);
    s->options.range = (enum ranges_method)choice;
    return good;
  }
  bool good = read_choice(optarg, schemes, 2, &choice);
  s->options.thresholds = choice == 1;
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
    o->per_layer = option == PER_LAYER;
    return true;
  case PLAIN:
    o->no_reconstruct = true;
    return true;
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
                                      {"plain", no_argument, NULL, PLAIN},
                                      {"no-equalize", no_argument, NULL, NO_EQUALIZE},
                                      {"help", no_argument, NULL, 'h'}};
  enum { OWN = sizeof own / sizeof *own };
  struct option options[OWN + CALIBRATION_OPTIONS + 1] = {{NULL, 0, NULL, 0}};
  memcpy(options, own, sizeof own);
  memcpy(options + OWN, calibration_options, sizeof calibration_options);
  static struct settings s = {.options = {.weight_bits = 8, .activation_bits = 8},
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
  take_lists(&s);
  return work(argv[optind], &s);
}
