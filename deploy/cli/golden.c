// deploy/cli/golden.c: see golden.h.
#include "golden.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/read/load.h"
#include "on_sim.h"

enum { INPUTS_MOST = 10000 };

struct numbers {
  int64_t *values;
  size_t count;
};

// ---------------------------------------------------------------------------- files

// "57.000," and "57.000,\" are what the tools' versions write.
static bool read_line(char *line, struct numbers *n) {
  for (char *at = line; *at;) {
    at += strspn(at, " \t\r\n,\\");
    if (!*at || *at == '#')
      return true;
    char *end;
    double value = strtod(at, &end);
    if (end == at || value != floor(value) || fabs(value) > 0x1p53)
      return false;
    MEMORY_APPEND(n->values, n->count);
    n->values[n->count++] = (int64_t)value;
    at = end;
  }
  return true;
}

// 0 or an exit status.
static int read_numbers(const char *path, struct numbers *n) {
  *n = (struct numbers){NULL, 0};
  FILE *file = fopen(path, "r");
  if (!file)
    return deploy_fail(DEPLOY_NO_INPUT, "%s: %s", path, strerror(errno));
  char *line = NULL;
  size_t room = 0, number = 0;
  bool good = true;
  while (good && getline(&line, &room, file) >= 0) {
    good = read_line(line, n) || (number == 0 && isalpha((unsigned char)*line)); // a title
    number++;
  }
  free(line);
  fclose(file);
  if (good)
    return 0;
  free(n->values);
  n->values = NULL;
  return deploy_fail(DEPLOY_BAD_MODEL, "%s:%zu: not a whole number", path, number);
}

// input.txt (set -1), or input_N.txt.
static char *input_path(const char *directory, int set) {
  return set < 0 ? memory_format("%s/input.txt", directory)
                 : memory_format("%s/input_%d.txt", directory, set);
}

static char *layer_path(const char *directory, int set, uint32_t layer) {
  return set < 0 ? memory_format("%s/out_layer%u.txt", directory, layer)
                 : memory_format("%s/out_%d_layer%u.txt", directory, set, layer);
}

static bool exists(char *path) {
  bool there = access(path, F_OK) == 0;
  free(path);
  return there;
}

// Number of inputs that are numbered; 0: there is one, without a number.
static int count_sets(const char *directory) {
  int sets = 0;
  while (sets < INPUTS_MOST && exists(input_path(directory, sets)))
    sets++;
  return sets;
}

// "out_layerM.txt" or "out_N_layerM.txt", and nothing else. *set is -1 without a number.
static bool is_layer_file(const char *name, int *set, long *layer) {
  char *end;
  *set = -1;
  if (strncmp(name, "out_", 4) != 0)
    return false;
  name += 4;
  if (isdigit((unsigned char)*name)) {
    *set = (int)strtol(name, &end, 10);
    if (*end != '_')
      return false;
    name = end + 1;
  }
  if (strncmp(name, "layer", 5) != 0 || !isdigit((unsigned char)name[5]))
    return false;
  *layer = strtol(name + 5, &end, 10);
  return strcmp(end, ".txt") == 0;
}

// Files of layers or inputs that the network, or the directory, has not.
static int count_surplus(const char *directory, uint32_t layers, int sets) {
  int surplus = 0, set;
  long layer;
  DIR *files = opendir(directory);
  for (struct dirent *f = files ? readdir(files) : NULL; f; f = readdir(files)) {
    if (!is_layer_file(f->d_name, &set, &layer))
      continue;
    if (layer < (long)layers && (sets ? set >= 0 && set < sets : set < 0))
      continue;
    printf("%s: surplus: the network has %u layers, 0 to %u\n", f->d_name, layers, layers - 1);
    surplus++;
  }
  if (files)
    closedir(files);
  return surplus;
}

// ---------------------------------------------------------------------------- compare

struct tally {
  bool all;   // every layer has a file
  bool first; // values stand channels first
  bool quiet;
  size_t layers, different;
  size_t beyond;      // values that 8 bits would cut
  struct on_sim *sim; // or NULL
};

// Where an addition's result goes through a function, the PULP tools write either both or the
// function's result alone, as one layer: the number of files tells.
static bool is_counted(const struct net *net, uint32_t layer, bool all) {
  if (all || net->layers[layer].kind != NET_ADD || layer + 1 == net->layer_count)
    return true;
  const struct net_layer *next = &net->layers[layer + 1];
  return next->kind != NET_TABLE || next->inputs[0] != net->layers[layer].output;
}

// Element i of the file, in the tensor's order.
static size_t place(const struct net_tensor *t, bool first, size_t i) {
  size_t pixels = (size_t)t->h * t->w;
  return first ? i % pixels * t->c + i / pixels : i;
}

static bool equal_layer(const struct net *net, const struct net_layer *layer, const char *path,
                        const int32_t *values, const struct numbers *golden,
                        const struct tally *tally) {
  const struct net_tensor *t = net_output(net, layer);
  size_t first = 0, different = 0, count = (size_t)t->h * t->w * t->c;
  if (!golden->values || golden->count != count) {
    if (!tally->quiet)
      printf("%s: %zu values, layer '%s' has %zu\n", path, golden->count, layer->name, count);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (golden->values[i] == values[place(t, tally->first, i)])
      continue;
    first = different++ ? first : i;
  }
  if (different && !tally->quiet)
    printf("%s: layer '%s' (%s): %zu of %zu values differ; number %zu is %d here, %lld there\n",
           path, layer->name, net_kind_name(layer->kind), different, count, first,
           values[place(t, tally->first, first)], (long long)golden->values[first]);
  return !different;
}

static int compare_layer(const struct net *net, const struct int_run *run, const char *path,
                         uint32_t i, struct tally *tally) {
  const struct net_layer *layer = &net->layers[i];
  struct numbers golden;
  tally->layers++;
  if (access(path, F_OK) != 0) {
    if (!tally->quiet)
      printf("%s: missing: layer '%s' (%s) has nothing to be compared with\n", path, layer->name,
             net_kind_name(layer->kind));
    tally->different++;
    return 0;
  }
  int status = read_numbers(path, &golden);
  if (status)
    return status;
  tally->different +=
      !equal_layer(net, layer, path, int_tensor(run, layer->output), &golden, tally);
  free(golden.values);
  return 0;
}

static int put_input(const struct net *net, const struct int_run *run, const char *path,
                     const struct numbers *input, bool first) {
  size_t at = 0, count = 0;
  for (uint32_t i = 0; i < net->input_count; i++)
    count += int_elements(run, net->inputs[i]);
  if (!input->values || input->count != count)
    return deploy_fail(DEPLOY_BAD_MODEL, "%s: %zu values; the network's input has %zu", path,
                       input->count, count);
  for (uint32_t i = 0; i < net->input_count; i++)
    for (size_t k = 0; k < int_elements(run, net->inputs[i]); k++)
      int_tensor(run, net->inputs[i])[place(&net->tensors[net->inputs[i]], first, k)] =
          (int32_t)input->values[at++];
  return 0;
}

static size_t count_beyond(const struct net *net, const struct int_run *run) {
  size_t beyond = 0;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_tensor *t = net_output(net, &net->layers[i]);
    const int32_t *values = int_tensor(run, net->layers[i].output);
    int32_t low = t->is_signed ? -128 : 0;
    for (size_t k = 0; t->bits == 8 && k < int_elements(run, net->layers[i].output); k++)
      beyond += values[k] < low || values[k] > low + 255;
  }
  return beyond;
}

static int compare_set(const struct net *net, struct int_run *run, const char *directory, int set,
                       struct tally *tally) {
  struct net_error error = {.text = ""};
  struct numbers input;
  char *path = input_path(directory, set);
  int status = read_numbers(path, &input);
  if (!status)
    status = put_input(net, run, path, &input, tally->first);
  free(input.values);
  if (!status && !on_sim_or_host(tally->sim, run, &error)) {
    deploy_fail(0, "%s: %s", path, error.text);
    status = error.status ? error.status : DEPLOY_BAD_MODEL;
  }
  free(path);
  tally->beyond += status ? 0 : count_beyond(net, run);
  for (uint32_t i = 0, number = 0; !status && i < net->layer_count; i++) {
    if (!is_counted(net, i, tally->all))
      continue;
    path = layer_path(directory, set, number++);
    status = compare_layer(net, run, path, i, tally);
    free(path);
  }
  return status;
}

// ---------------------------------------------------------------------------- all

// Files of integers do not say whether inputs are signed: the inputs do.
static int any_negative(const char *directory, int sets, bool *negative) {
  *negative = false;
  for (int set = sets ? 0 : -1; set < sets; set++) {
    struct numbers input;
    char *path = input_path(directory, set);
    int status = read_numbers(path, &input);
    free(path);
    if (status)
      return status;
    for (size_t i = 0; input.values && i < input.count; i++)
      *negative |= input.values[i] < 0;
    free(input.values);
    if (set < 0)
      break;
  }
  return 0;
}

static uint32_t count_layers(const struct net *net, bool all) {
  uint32_t layers = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    layers += is_counted(net, i, all);
  return layers;
}

static int compare_sets(const struct net *net, const char *directory, int sets,
                        struct tally *tally) {
  int status = 0;
  struct int_run *run = int_new(net);
  tally->layers = tally->different = tally->beyond = 0;
  if (sets == 0)
    status = compare_set(net, run, directory, -1, tally);
  for (int set = 0; !status && set < sets; set++)
    status = compare_set(net, run, directory, set, tally);
  int_free(run);
  return status;
}

// The tools write pictures channels last, or (some) first: what differs in both orders is shown in
// the usual one.
static int compare(const struct net *net, const char *directory, int sets, struct on_sim *sim) {
  struct tally tally = {.quiet = true};
  tally.all = exists(layer_path(directory, sets ? 0 : -1, net->layer_count - 1));
  int status = compare_sets(net, directory, sets, &tally);
  for (int first = 1; !status && tally.different && first >= 0; first--) {
    tally.first = first, tally.quiet = first || sim;
    status = compare_sets(net, directory, sets, &tally);
  }
  tally.sim = sim, tally.quiet = false;
  if (sim && !status) // once, in the order found
    status = compare_sets(net, directory, sets, &tally);
  if (status)
    return status;
  if (tally.beyond)
    printf("%zu values are beyond 8 bits, where the file clips nothing: the machine cuts them\n",
           tally.beyond);
  int surplus = count_surplus(directory, count_layers(net, tally.all), sets);
  printf("%zu of %zu layers equal%s, %d inputs, %d files of surplus layers\n",
         tally.layers - tally.different, tally.layers, tally.first ? " (channels first)" : "",
         sets ? sets : 1, surplus);
  return tally.different || surplus || !tally.layers ? DEPLOY_DIFFERENT : 0;
}

// The outputs are of the file's operators: where it clips nothing, nothing is cut, though 8 bits
// would. The machine's are cut.
static void widen(struct net *net) {
  bool *wide = memory_new(net->tensor_count, 1);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    struct net_requant *rq = &net->layers[i].requant;
    bool pool = l->kind == NET_MAXPOOL || (l->kind == NET_AVGPOOL && rq->kind == NET_DIVIDE);
    if (!rq->unclipped && !(pool && wide[l->inputs[0]]))
      continue;
    wide[l->output] = true;
    rq->low = rq->low < 0 ? INT16_MIN : 0, rq->high = INT16_MAX;
  }
  free(wide);
}

// How many files of layers there are for the first input.
static uint32_t count_files(const char *directory, int set) {
  uint32_t files = 0;
  while (exists(layer_path(directory, set, files)))
    files++;
  return files;
}

int golden_run(const char *model, const char *directory, const char *kernels) {
  struct net_error error = {.text = ""};
  struct lower_options options = {.split = false};
  int sets = count_sets(directory);
  int status = any_negative(directory, sets, &options.input_signed);
  if (status)
    return status;
  struct net *net = load_net_with(model, &options, &error);
  if (net && count_files(directory, sets ? 0 : -1) > net->layer_count) {
    net_free(net); // additions and their functions have a file each
    options.split = true;
    net = load_net_with(model, &options, &error);
  }
  if (!net)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  struct on_sim *sim = kernels ? on_sim_new(net, kernels, &error) : NULL;
  if (!kernels)
    widen(net);
  if (kernels && !sim)
    status = deploy_fail_with(&error, DEPLOY_INTERNAL);
  else
    status = compare(net, directory, sets, sim);
  on_sim_free(sim);
  net_free(net);
  return status;
}
