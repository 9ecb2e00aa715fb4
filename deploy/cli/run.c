// deploy/cli/run.c: pulpsim-deploy run.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "deploy/cli/dump.h"
#include "deploy/cli/golden.h"
#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/read/load.h"
#include "deploy/read/sample.h"

enum { INPUTS_MOST = 16, LINE_MOST = 4096 };

struct settings {
  const char *inputs[INPUTS_MOST];
  uint32_t input_count;
  const char *dump, *list, *golden;
  struct sample_options sample;
};

static int help(void) {
  puts(
      "usage: pulpsim-deploy run MODEL --input FILE... [--dump DIR]\n"
      "       pulpsim-deploy run MODEL --classify LIST\n"
      "       pulpsim-deploy run MODEL --golden DIR\n\n"
      "Executes an integer network on the host, exactly.\n\n"
      "  --input FILE           .npy, .png, .ppm, .pgm, or raw: of the input's type; one for each\n"
      "                         input of the network\n"
      "  --dump DIR             writes every tensor as DIR/NUMBER_NAME.npy, height x width x\n"
      "                         channels\n"
      "  --classify LIST        rows of a file and a label; prints JSON: inputs, right, accuracy\n"
      "  --golden DIR           compares every layer with DIR/out_layerM.txt for DIR/input.txt, "
      "or\n"
      "                         with DIR/out_N_layerM.txt for DIR/input_N.txt; status 0: all "
      "equal\n"
      "  --mean M --scale S     of pictures: (pixel - M) / S, one number or one per channel\n"
      "  --channels ORDER       of pictures: rgb (default), bgr or grey");
  return 0;
}

// ---------------------------------------------------------------------------- one input

static bool put_input(const struct net *net, const struct int_run *run, uint32_t i,
                      const char *path, const struct settings *s, struct net_error *error) {
  int number = net->inputs[i];
  const struct net_tensor *t = &net->tensors[number];
  struct sample sample;
  if (!sample_read(path, t->is_signed ? SAMPLE_RAW_I8 : SAMPLE_RAW_U8, &s->sample, &sample, error))
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

static size_t largest(const int32_t *values, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    best = values[i] > values[best] ? i : best;
  return best;
}

static void print_output(const struct net *net, const struct int_run *run, int number) {
  enum { SHOWN = 16 };
  const struct net_tensor *t = &net->tensors[number];
  const int32_t *values = int_tensor(run, number);
  size_t count = int_elements(run, number), best = largest(values, count);
  printf("%s: %u x %u x %u, largest %d at %zu\n ", t->name, t->h, t->w, t->c, values[best], best);
  for (size_t i = 0; i < count && i < SHOWN; i++)
    printf(" %d", values[i]);
  puts(count > SHOWN ? " ..." : "");
}

static int run_inputs(const struct net *net, struct int_run *run, const struct settings *s) {
  struct net_error error = {.text = ""};
  if (s->input_count != net->input_count)
    return deploy_fail(DEPLOY_USAGE, "the network has %u inputs, --input is given %u times",
                       net->input_count, s->input_count);
  for (uint32_t i = 0; i < s->input_count; i++) {
    if (!put_input(net, run, i, s->inputs[i], s, &error))
      return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  }
  if (!int_execute(run, &error))
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  for (uint32_t i = 0; i < net->output_count; i++)
    print_output(net, run, net->outputs[i]);
  return s->dump ? dump_tensors(net, run, s->dump) : 0;
}

// ---------------------------------------------------------------------------- a list

// A path that is not absolute counts from the list's directory.
static char *resolved(const char *list, const char *path) {
  const char *slash = strrchr(list, '/');
  if (*path == '/' || !slash)
    return memory_text(path);
  return memory_format("%.*s/%s", (int)(slash - list), list, path);
}

// "FILE LABEL" with tabs or spaces between; the label is the last word.
static bool split_row(char *line, char **path, size_t *label) {
  line[strcspn(line, "\r\n")] = 0;
  char *last = strrchr(line, '\t');
  last = last ? last : strrchr(line, ' ');
  if (!last)
    return false;
  char *end;
  long value = strtol(last + 1, &end, 10);
  if (end == last + 1 || *end || value < 0)
    return false;
  *last = 0;
  *path = line, *label = (size_t)value;
  return true;
}

struct score {
  size_t inputs, right;
};

static int classify_row(const struct net *net, struct int_run *run, const struct settings *s,
                        char *line, struct score *score) {
  struct net_error error = {.text = ""};
  char *path;
  size_t label;
  if (!split_row(line, &path, &label))
    return deploy_fail(DEPLOY_BAD_MODEL, "%s:%zu: not a file and a label", s->list,
                       score->inputs + 1);
  char *file = resolved(s->list, path);
  bool good = put_input(net, run, 0, file, s, &error) && int_execute(run, &error);
  free(file);
  if (!good)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  int output = net->outputs[0];
  score->inputs++;
  score->right += largest(int_tensor(run, output), int_elements(run, output)) == label;
  return 0;
}

static int classify(const struct net *net, struct int_run *run, const struct settings *s) {
  if (net->input_count != 1)
    return deploy_fail(DEPLOY_USAGE, "--classify needs a network with one input");
  FILE *list = fopen(s->list, "r");
  if (!list)
    return deploy_fail(DEPLOY_NO_INPUT, "%s: cannot be opened", s->list);
  struct score score = {0, 0};
  int status = 0;
  for (char line[LINE_MOST]; status == 0 && fgets(line, sizeof line, list);) {
    if (*line != '#' && line[strspn(line, " \t\r\n")])
      status = classify_row(net, run, s, line, &score);
  }
  fclose(list);
  if (status == 0 && !score.inputs)
    return deploy_fail(DEPLOY_BAD_MODEL, "%s: no rows", s->list);
  if (status == 0)
    printf("{\"inputs\": %zu, \"right\": %zu, \"accuracy\": %.6f}\n", score.inputs, score.right,
           (double)score.right / (double)score.inputs);
  return status;
}

// ---------------------------------------------------------------------------- command line

static int run(const char *model, const struct settings *s) {
  struct net_error error = {.text = ""};
  struct net *net = load_net(model, &error);
  if (!net)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct int_run *interpreter = int_new(net);
  int status = s->list ? classify(net, interpreter, s) : run_inputs(net, interpreter, s);
  int_free(interpreter);
  net_free(net);
  return status;
}

enum { INPUT = 256, DUMP, CLASSIFY, GOLDEN, MEAN, SCALE, CHANNELS };

static int take_option(int option, const char *name, struct settings *s) {
  struct net_error error = {.text = ""};
  char *flag = memory_format("--%s", name);
  bool good = true;
  if (option == INPUT && s->input_count < INPUTS_MOST)
    s->inputs[s->input_count++] = optarg;
  else if (option == INPUT)
    good = net_fail(&error, "--input: at most %d are supported", INPUTS_MOST);
  else if (option == DUMP)
    s->dump = optarg;
  else if (option == CLASSIFY)
    s->list = optarg;
  else if (option == GOLDEN)
    s->golden = optarg;
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
                                          {"mean", required_argument, NULL, MEAN},
                                          {"scale", required_argument, NULL, SCALE},
                                          {"channels", required_argument, NULL, CHANNELS},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  struct settings s = {.input_count = 0};
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
  if (s.golden)
    return golden_run(argv[optind], s.golden);
  return run(argv[optind], &s);
}
