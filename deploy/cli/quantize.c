// deploy/cli/quantize.c: pulpsim-deploy quantize.
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "deploy/memory.h"
#include "deploy/quant/quantize.h"
#include "deploy/read/load.h"
#include "deploy/read/sample.h"

enum { SAMPLES_MOST = 512, LIST_MOST = 1024 };

struct settings {
  struct quantize_options options;
  struct sample_options sample;
  const char *calibrate, *output, *input_type;
  uint8_t weights[LIST_MOST], outputs[LIST_MOST];
  uint32_t weight_count, output_count, samples;
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
       "  --mean, --scale, --channels   of pictures, as `run` has them");
  return 0;
}

// ---------------------------------------------------------------------------- samples

static int visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static bool read_values(const char *path, const struct net_tensor *t, const struct settings *s,
                        float *values, struct net_error *error) {
  size_t count = (size_t)t->h * t->w * t->c;
  struct sample sample;
  enum sample_raw raw =
      t->scale > 0 ? t->is_signed ? SAMPLE_RAW_I8 : SAMPLE_RAW_U8 : SAMPLE_RAW_F32;
  if (!sample_read(path, raw, &s->sample, &sample, error))
    return false;
  struct net_error reason = {.text = ""};
  size_t *order = memory_new(count, sizeof *order);
  bool good = sample_order(&sample, t->h, t->w, t->c, order, &reason);
  double scale = t->scale > 0 ? t->scale : 1;
  int32_t shift = sample.kind == SAMPLE_PIXELS && t->is_signed ? 128 : 0;
  for (size_t i = 0; good && i < count; i++) {
    double x = sample.values[order[i]];
    values[i] = (float)(sample.kind == SAMPLE_REALS ? x : scale * (x - shift - t->zero));
  }
  if (!good) {
    net_fail(error, "%.200s: %.250s", path, reason.text);
    error->status = reason.status;
  }
  free(order);
  sample_free(&sample);
  return good;
}

static void free_samples(struct quantize_samples *samples) {
  for (uint32_t i = 0; i < samples->count; i++)
    free(samples->values[i]);
  free(samples->values);
}

// Spread evenly over the directory's files, in the order of their names.
static bool read_samples(const struct net *net, const struct settings *s,
                         struct quantize_samples *samples, struct net_error *error) {
  struct dirent **files = NULL;
  int count = scandir(s->calibrate, &files, visible, alphasort);
  if (count <= 0) {
    error->status = DEPLOY_NO_INPUT;
    return net_fail(error, "--calibrate %s: %s", s->calibrate,
                    count < 0 ? strerror(errno) : "no files");
  }
  const struct net_tensor *t = &net->tensors[net->inputs[0]];
  uint32_t taken = (uint32_t)count < s->samples ? (uint32_t)count : s->samples;
  samples->values = memory_new(taken, sizeof *samples->values);
  bool good = true;
  for (uint32_t i = 0; good && i < taken; i++) {
    char *path =
        memory_format("%s/%s", s->calibrate, files[(uint64_t)i * (uint64_t)count / taken]->d_name);
    samples->values[i] = memory_new((size_t)t->h * t->w * t->c, sizeof(float));
    samples->count++;
    good = read_values(path, t, s, samples->values[i], error);
    free(path);
  }
  for (int i = 0; i < count; i++)
    free(files[i]);
  free(files);
  return good;
}

// ---------------------------------------------------------------------------- work

static bool set_input_type(const char *text, struct net_tensor *t, struct net_error *error) {
  char type[8] = "";
  double scale = 0;
  int zero = 0, end = 0;
  error->status = DEPLOY_USAGE;
  if (!text)
    return true;
  if (sscanf(text, "%7[^:]:%lf:%d%n", type, &scale, &zero, &end) != 3 ||
      text[end] || // NOLINT(cert-err34-c)
      !(scale > 0) || (strcmp(type, "int8") != 0 && strcmp(type, "uint8") != 0))
    return net_fail(error, "--input-type %s: give int8:SCALE:ZERO or uint8:SCALE:ZERO", text);
  t->scale = scale, t->zero = zero, t->is_signed = *type == 'i';
  int32_t least = t->is_signed ? -128 : 0;
  error->status = zero >= least && zero <= least + 255 ? 0 : DEPLOY_USAGE;
  return !error->status || net_fail(error, "--input-type %s: the zero is no code", text);
}

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
  struct real_net *real = load_real(model, &error);
  if (!real)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct quantize_samples samples = {NULL, 0};
  struct net *net = NULL;
  if (set_input_type(s->input_type, &real->net->tensors[real->net->inputs[0]], &error) &&
      read_samples(real->net, s, &samples, &error))
    net = quantize(real, &samples, &s->options, &error);
  int status = net ? write_net(net, s->output) : deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  free_samples(&samples);
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

enum {
  CALIBRATE = 256,
  WEIGHTS,
  ACTIVATIONS,
  PER_LAYER,
  PER_CHANNEL,
  RANGE,
  SCHEME,
  PLAIN,
  NO_EQUALIZE,
  SAMPLES,
  INPUT_TYPE,
  MEAN,
  SCALE,
  CHANNELS
};

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
  case CALIBRATE:
    s->calibrate = optarg;
    return true;
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
  case SAMPLES:
    s->samples = (uint32_t)strtoul(optarg, NULL, 10);
    return s->samples > 0 && s->samples < 1000000;
  case INPUT_TYPE:
    s->input_type = optarg;
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
  static const struct option options[] = {{"calibrate", required_argument, NULL, CALIBRATE},
                                          {"output", required_argument, NULL, 'o'},
                                          {"weights", required_argument, NULL, WEIGHTS},
                                          {"activations", required_argument, NULL, ACTIVATIONS},
                                          {"per-layer", no_argument, NULL, PER_LAYER},
                                          {"per-channel", no_argument, NULL, PER_CHANNEL},
                                          {"range", required_argument, NULL, RANGE},
                                          {"scheme", required_argument, NULL, SCHEME},
                                          {"plain", no_argument, NULL, PLAIN},
                                          {"no-equalize", no_argument, NULL, NO_EQUALIZE},
                                          {"samples", required_argument, NULL, SAMPLES},
                                          {"input-type", required_argument, NULL, INPUT_TYPE},
                                          {"mean", required_argument, NULL, MEAN},
                                          {"scale", required_argument, NULL, SCALE},
                                          {"channels", required_argument, NULL, CHANNELS},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  static struct settings s = {.options = {.weight_bits = 8, .activation_bits = 8},
                              .samples = SAMPLES_MOST};
  for (int option, index = 0; (option = getopt_long(argc, argv, "ho:", options, &index)) != -1;) {
    struct net_error error = {.text = ""};
    if (option == 'h')
      return help();
    if (option == '?')
      return DEPLOY_USAGE;
    static const char *const flags[] = {"--mean", "--scale", "--channels"};
    if (option >= MEAN && !sample_option(&s.sample, flags[option - MEAN], optarg, &error))
      return deploy_fail(DEPLOY_USAGE, "%s", error.text);
    if (option < MEAN && !take_option(option, &s))
      return deploy_fail(DEPLOY_USAGE,
                         "--%s %s: no such choice; `pulpsim-deploy quantize --help` "
                         "lists them",
                         options[index].name, optarg);
  }
  if (argc - optind != 1 || !s.calibrate || !s.output)
    return deploy_fail(DEPLOY_USAGE, "give one model, --calibrate and -o; `pulpsim-deploy quantize "
                                     "--help` shows how");
  take_lists(&s);
  return work(argv[optind], &s);
}
