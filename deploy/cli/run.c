// deploy/cli/run.c: pulpsim-deploy run.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calibration.h"
#include "classify.h"
#include "cli.h"
#include "deploy/cli/dump.h"
#include "deploy/cli/given.h"
#include "deploy/cli/golden.h"
#include "deploy/cli/run_graph.h"
#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/read/dataset.h"
#include "deploy/read/load.h"
#include "deploy/read/sample.h"
#include "on_sim.h"
#include "root.h"

enum { INPUTS_MOST = 16, SHOWN = 16 };

struct settings {
  const char *inputs[INPUTS_MOST];
  uint32_t input_count;
  const char *dump, *list, *golden;
  const char *kernels; // this project's folder
  const char *input_type;
  bool on_sim;
  struct sample_options sample;
  struct tidy_shape shape;
};

static int help(void) {
  puts(
      "usage: pulpsim-deploy run MODEL --input FILE... [--dump DIR]\n"
      "       pulpsim-deploy run MODEL --classify LIST\n"
      "       pulpsim-deploy run MODEL --golden DIR\n\n"
      "Executes a network on the host: one in integers exactly, one in floats in floats.\n\n"
      "  --on sim               on the simulated machine too (--on host: the default), deployed "
      "into\n"
      "                         a folder of its own: every tensor must be equal; cycles of each "
      "layer\n"
      "  --kernels DIR          for that: this project's folder, or what is installed of it\n"
      "  --input FILE           .npy, .png, .ppm, .pgm, or raw: of the input's type; one for each\n"
      "                         input of the network\n"
      "  --dump DIR             writes every tensor as DIR/NUMBER_NAME.npy: integers as height x\n"
      "                         width x channels, floats in the file's shapes\n"
      "  --classify LIST        rows of a file and a label, or images as MNIST's (idx3); prints "
      "JSON:\n"
      "                         inputs, right, accuracy\n"
      "  --golden DIR           compares every layer with DIR/out_layerM.txt for DIR/input.txt, "
      "or\n"
      "                         with DIR/out_N_layerM.txt for DIR/input_N.txt; status 0: all "
      "equal\n"
      "  --mean M --scale S     of pictures: (pixel - M) / S, one number or one per channel\n"
      "  --channels ORDER       of pictures: rgb (default), bgr or grey\n"
      "  --input-shape CxHxW    where a network in floats leaves it open\n"
      "  --input-type TYPE      int8 or uint8, where graphs of the PULP tools leave it open: by\n"
      "                         default int8 if --input, or the list's first, has numbers below "
      "0");
  return 0;
}

// ---------------------------------------------------------------------------- one input

static bool put_input(const struct net *net, const struct int_run *run, uint32_t i,
                      const char *path, const struct settings *s, struct net_error *error) {
  int number = net->inputs[i];
  const struct net_tensor *t = &net->tensors[number];
  struct sample sample;
  if (!sample_read(path, sample_raw_of(t), &s->sample, &sample, error))
    return false;
  struct net_error reason = {.text = ""};
  bool good = sample_codes(&sample, t, int_tensor(run, number), &reason);
  sample_free(&sample);
  if (!good) {
    net_fail(error, "%.200s: %.250s", path, reason.text);
    error->status = reason.status;
  }
  return good;
}

static void print_output(const struct net *net, const struct int_run *run, int number) {
  const struct net_tensor *t = &net->tensors[number];
  const int32_t *values = int_tensor(run, number);
  size_t count = int_elements(run, number), best = int_largest(run, number);
  printf("%s: %u x %u x %u, largest %d at %zu\n ", t->name, t->h, t->w, t->c, values[best], best);
  for (size_t i = 0; i < count && i < SHOWN; i++)
    printf(" %d", values[i]);
  puts(count > SHOWN ? " ..." : "");
}

// Where the file clips nothing, results have 8 bits all the same (net.h: unclipped).
static void print_cut(const struct net *net, const struct int_run *run) {
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    size_t at_end = 0;
    for (size_t k = 0; l->requant.unclipped && k < int_elements(run, l->output); k++)
      at_end += int_tensor(run, l->output)[k] == l->requant.high;
    if (at_end)
      printf("layer %s: %zu results are %d or cut there, as on the machine; the file clips "
             "nothing (--golden computes what it has)\n",
             l->name, at_end, l->requant.high);
  }
}

static int run_inputs(const struct net *net, struct int_run *run, const struct settings *s,
                      struct on_sim *sim) {
  struct net_error error = {.text = ""};
  if (s->input_count != net->input_count)
    return deploy_fail(DEPLOY_USAGE, "the network has %u inputs, --input is given %u times",
                       net->input_count, s->input_count);
  for (uint32_t i = 0; i < s->input_count; i++) {
    if (!put_input(net, run, i, s->inputs[i], s, &error))
      return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  }
  if (!on_sim_or_host(sim, run, &error))
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  if (sim)
    on_sim_print(sim);
  for (uint32_t i = 0; i < net->output_count; i++)
    print_output(net, run, net->outputs[i]);
  print_cut(net, run);
  return s->dump ? dump_tensors(net, run, s->dump) : 0;
}

// ---------------------------------------------------------------------------- floats

static void print_real(const struct real_net *real, const struct real_run *run, int number) {
  const struct net_tensor *t = &real->net->tensors[number];
  const float *values = real_tensor(run, number);
  size_t count = real_elements(run, number), best = real_largest(run, number);
  printf("%s: %u x %u x %u, largest %g at %zu\n ", t->name, t->h, t->w, t->c, (double)values[best],
         best);
  for (size_t i = 0; i < count && i < SHOWN; i++)
    printf(" %g", (double)values[i]);
  puts(count > SHOWN ? " ..." : "");
}

static int run_real_input(const struct real_net *real, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct real_run *run = real_run_new(real);
  int input = real->net->inputs[0];
  const struct net_tensor *t = &real->net->tensors[input];
  struct dataset one = {.count = 1, .files = (char *[]){(char *)s->inputs[0]}};
  bool good = dataset_reals(&one, 0, t, &s->sample, real_tensor(run, input), &error);
  if (good)
    real_execute(run);
  for (uint32_t i = 0; good && i < real->net->output_count; i++)
    print_real(real, run, real->net->outputs[i]);
  real_run_free(run);
  return good ? 0 : deploy_fail_with(&error, DEPLOY_BAD_MODEL);
}

// ---------------------------------------------------------------------------- command line

static int run_net(const struct net *net, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct on_sim *sim = s->on_sim ? on_sim_new(net, s->kernels, &error) : NULL;
  if (s->on_sim && !sim)
    return deploy_fail_with(&error, DEPLOY_INTERNAL);
  struct int_run *interpreter = int_new(net);
  int status =
      s->list ? classify_net(net, s->list, &s->sample, sim) : run_inputs(net, interpreter, s, sim);
  int_free(interpreter);
  on_sim_free(sim);
  return status;
}

static int run_real(const struct real_net *real, const struct settings *s) {
  if (s->list)
    return classify_real(real, s->list, &s->sample);
  if (s->dump || s->input_count != 1 || real->net->input_count != 1)
    return deploy_fail(DEPLOY_USAGE, "a network in floats is run on one --input, without --dump");
  return run_real_input(real, s);
}

// A network in floats gives what its file's operators give, where that is ONNX; many inputs are
// faster layer by layer.
static int run_floats(const char *model, const struct real_net *real, const struct settings *s,
                      const struct net_error *error) {
  struct net_error second = {.text = ""};
  if (real && s->on_sim)
    return deploy_fail(
        DEPLOY_UNSUPPORTED,
        "%s is in floats; the machine takes integers, which `pulpsim-deploy quantize` "
        "makes of it",
        model);
  struct graph *graph =
      s->input_count && !s->on_sim && (real || error->status == DEPLOY_UNSUPPORTED)
          ? load_graph(model, &s->shape, &second)
          : NULL;
  int status = graph  ? run_graph(graph, s->inputs, s->input_count, &s->sample, s->dump)
               : real ? run_real(real, s)
                      : deploy_fail_with(error, DEPLOY_BAD_MODEL);
  graph_free(graph);
  return status;
}

// In the type that its inputs have: NULL, with `real`, if they are no codes.
static struct net *load_as_given(const char *model, const struct settings *s,
                                 struct real_net **real, struct net_error *error) {
  struct lower_options options = {.input_signed = false};
  struct net *net = load_any(model, &s->shape, real, error);
  if (!net)
    return NULL;
  enum given given = s->list ? given_by_list(net, s->list, &s->sample)
                             : given_by(net, s->inputs, s->input_count, &s->sample);
  if (s->input_type && given_option(s->input_type, &options, error))
    given = options.input_signed ? GIVEN_SIGNED : GIVEN_UNSIGNED;
  if (given == GIVEN_SIGNED) {
    net_free(net);
    options.input_signed = true;
    net = load_net_with(model, &options, error);
  } else if (given == GIVEN_REALS && load_is_float(model)) {
    net_free(net);
    net = NULL;
    *real = load_real(model, &s->shape, error);
  }
  if (!net || given_agrees(s->input_type, net, error))
    return net;
  net_free(net);
  return NULL;
}

static int run(const char *model, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct real_net *real = NULL;
  struct net *net = load_as_given(model, s, &real, &error);
  int status = net ? run_net(net, s) : run_floats(model, real, s, &error);
  net_free(net);
  real_free(real);
  return status;
}

enum {
  INPUT = 256,
  DUMP,
  CLASSIFY,
  GOLDEN,
  MEAN,
  SCALE,
  CHANNELS,
  INPUT_SHAPE,
  INPUT_TYPE,
  ON,
  KERNELS
};

static bool take_place(const char *text, struct settings *s, struct net_error *error) {
  s->on_sim = strcmp(text, "sim") == 0;
  return s->on_sim || strcmp(text, "host") == 0 ||
         net_fail(error, "--on %.80s: host and sim are supported", text);
}

static int take_option(int option, const char *name, struct settings *s) {
  struct net_error error = {.text = ""};
  char *flag = memory_format("--%s", name);
  bool good = true;
  if (option == INPUT_SHAPE)
    good = calibration_shape(optarg, &s->shape, &error);
  else if (option == INPUT && s->input_count < INPUTS_MOST)
    s->inputs[s->input_count++] = optarg;
  else if (option == INPUT)
    good = net_fail(&error, "--input: at most %d are supported", INPUTS_MOST);
  else if (option == DUMP)
    s->dump = optarg;
  else if (option == CLASSIFY)
    s->list = optarg;
  else if (option == GOLDEN)
    s->golden = optarg;
  else if (option == KERNELS)
    s->kernels = optarg;
  else if (option == INPUT_TYPE)
    good = given_option(s->input_type = optarg, &(struct lower_options){0}, &error);
  else if (option == ON)
    good = take_place(optarg, s, &error);
  else
    good = sample_option(&s->sample, flag, optarg, &error);
  free(flag);
  return good ? 0 : deploy_fail(DEPLOY_USAGE, "%s", error.text);
}

int cli_run(int argc, char **argv) {
  static const struct option options[] = {{"input", required_argument, NULL, INPUT},
                                          {"dump", required_argument, NULL, DUMP},
                                          {"classify", required_argument, NULL, CLASSIFY},
                                          {"golden", required_argument, NULL, GOLDEN},
                                          {"on", required_argument, NULL, ON},
                                          {"kernels", required_argument, NULL, KERNELS},
                                          {"mean", required_argument, NULL, MEAN},
                                          {"scale", required_argument, NULL, SCALE},
                                          {"channels", required_argument, NULL, CHANNELS},
                                          {"input-shape", required_argument, NULL, INPUT_SHAPE},
                                          {"input-type", required_argument, NULL, INPUT_TYPE},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  struct settings s = {.input_count = 0, .kernels = root_default()};
  for (int option, index = 0; (option = getopt_long(argc, argv, "h", options, &index)) != -1;) {
    if (option == 'h')
      return help();
    int status = option == '?' ? DEPLOY_USAGE : take_option(option, options[index].name, &s);
    if (status)
      return status;
  }
  if (argc - optind != 1)
    return deploy_fail(DEPLOY_USAGE, "give one model; `pulpsim-deploy run --help` shows how");
  if ((s.list != NULL) + (s.input_count > 0) + (s.golden != NULL) != 1)
    return deploy_fail(DEPLOY_USAGE, "give one of --input, --classify and --golden");
  int status = deploy_folder("--dump", s.dump);
  if (status)
    return status;
  if (s.golden)
    return golden_run(argv[optind], s.golden, s.on_sim ? s.kernels : NULL);
  return run(argv[optind], &s);
}
