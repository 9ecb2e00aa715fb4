// deploy/read/load.c
#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "deploy/family/family.h"
#include "deploy/lower/lower.h"
#include "deploy/lower/quantized.h"
#include "deploy/memory.h"
#include "onnx.h"
#include "sim/piped_file.h"
#include "tflite_lower.h"

enum { FILE_MOST = 1 << 30 };

static uint8_t *contents(const char **path, size_t *size, struct net_error *error) {
  struct stat status = {.st_size = 0};
  const char *why;
  FILE *file = piped_file_open(path, &why);
  if (!file) {
    net_fail(error, "%s: %s", *path, why);
    error->status = EX_NOINPUT;
    return NULL;
  }
  (void)fstat(fileno(file), &status); // else it is empty
  size_t room = status.st_size > 0 && status.st_size < FILE_MOST ? (size_t)status.st_size : 0;
  uint8_t *bytes = memory_new(room, 1);
  *size = fread(bytes, 1, room, file);
  fclose(file);
  return bytes;
}

// Beside a pipe there are no files.
static struct graph *parse(const char *name, const uint8_t *bytes, size_t size,
                           struct net_error *error) {
  return onnx_parse(bytes, size, piped_file_is(name) ? NULL : name, error);
}

static struct net *load_tflite(const char *name, const uint8_t *bytes, size_t size,
                               struct net_error *error) {
  struct tflite_model *model = tflite_parse(name, bytes, size, error);
  if (!model)
    return NULL;
  struct net *net = NULL;
  if (tflite_is_quantized(model)) {
    net = tflite_lower(name, model, error);
  } else {
    net_fail(error, "%s: a model in floats; `pulpsim-deploy quantize` makes integers of it", name);
    error->status = EX_UNAVAILABLE;
  }
  tflite_free(model);
  return net;
}

static struct net *load_onnx(const char *name, const uint8_t *bytes, size_t size,
                             const struct lower_options *options, struct net_error *error) {
  struct net_error reason = {.text = ""};
  struct graph *graph = parse(name, bytes, size, &reason);
  struct net *net = !graph                ? NULL
                    : quantized_is(graph) ? quantized_lower(name, graph, &reason)
                                          : lower_graph(name, graph, options, &reason);
  graph_free(graph);
  if (!net) {
    net_fail(error, "%.120s: %.600s", name, reason.text);
    error->status = reason.status;
  }
  return net;
}

// With colons, and no file: a name that is none, which is told the names that there are.
static bool is_name(const char *model) {
  return family_named(model) || (strchr(model, ':') && access(model, F_OK) != 0);
}

struct net *load_net_with(const char *model, const struct lower_options *options,
                          struct net_error *error) {
  size_t size;
  if (is_name(model))
    return family_build(model, error);
  uint8_t *bytes = contents(&model, &size, error);
  if (!bytes)
    return NULL;
  struct net *net = NULL;
  if (tflite_is(bytes, size)) {
    net = load_tflite(model, bytes, size, error);
  } else if (size >= 7 && memcmp(bytes, "format:", 7) == 0) {
    net = net_read(model, error);
  } else if (onnx_is(bytes, size)) {
    net = load_onnx(model, bytes, size, options, error);
  } else {
    net_fail(error, "%s: neither an ONNX or TensorFlow Lite model nor a network of pulpsim-deploy",
             model);
    error->status = EX_DATAERR;
  }
  free(bytes);
  return net;
}

struct net *load_net(const char *model, struct net_error *error) {
  return load_net_with(model, &(struct lower_options){.input_signed = false}, error);
}

static struct real_net *real_tflite(const char *name, const uint8_t *bytes, size_t size,
                                    struct net_error *error) {
  struct tflite_model *parsed = tflite_parse(name, bytes, size, error);
  struct real_net *real = parsed ? tflite_lower_real(name, parsed, error) : NULL;
  tflite_free(parsed);
  return real;
}

static struct real_net *real_onnx(const char *name, const uint8_t *bytes, size_t size,
                                  const struct tidy_shape *options, struct net_error *error) {
  struct net_error reason = {.text = ""};
  struct graph *graph = parse(name, bytes, size, &reason);
  struct real_net *real = graph ? lower_real(name, graph, options, &reason) : NULL;
  graph_free(graph);
  if (!real) {
    net_fail(error, "%.120s: %.600s", name, reason.text);
    error->status = reason.status;
  }
  return real;
}

struct real_net *load_real(const char *model, const struct tidy_shape *options,
                           struct net_error *error) {
  size_t size;
  uint8_t *bytes = contents(&model, &size, error);
  if (!bytes)
    return NULL;
  struct real_net *real = NULL;
  if (tflite_is(bytes, size)) {
    real = real_tflite(model, bytes, size, error);
  } else if (onnx_is(bytes, size)) {
    real = real_onnx(model, bytes, size, options, error);
  } else {
    net_fail(error, "%s: neither an ONNX nor a TensorFlow Lite model", model);
    error->status = EX_DATAERR;
  }
  free(bytes);
  return real;
}

struct graph *load_graph(const char *model, const struct tidy_shape *options,
                         struct net_error *error) {
  size_t size;
  uint8_t *bytes = contents(&model, &size, error);
  if (!bytes)
    return NULL;
  struct net_error reason = {.text = "not an ONNX file", .status = EX_DATAERR};
  bool onnx = !tflite_is(bytes, size) && onnx_is(bytes, size);
  struct graph *graph = onnx ? parse(model, bytes, size, &reason) : NULL;
  free(bytes);
  if (graph) {
    tidy_pieces(graph);
    tidy_shapes(graph, options);
  } else
    net_fail(error, "%.120s: %.600s", model, reason.text);
  error->status = graph ? 0 : reason.status;
  return graph;
}

bool load_is_float(const char *model) {
  struct net_error error = {.text = ""};
  struct graph *graph = load_graph(model, &(struct tidy_shape){0}, &error);
  bool is_float = graph != NULL;
  for (uint32_t i = 0; is_float && i < graph->input_count; i++)
    is_float = array_type_is_float(graph->values[graph->inputs[i]].array.type);
  graph_free(graph);
  return is_float;
}

// What follows the model's name.
static const char *without(const char *text, const char *model) {
  size_t n = strlen(model);
  return strncmp(text, model, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

struct net *load_any(const char *model, const struct tidy_shape *options, struct real_net **real,
                     struct net_error *error) {
  struct net_error second = {.text = ""};
  const char *kept = piped_file(model);
  model = kept ? kept : model; // as both sentences name it
  struct net *net = load_net(model, error);
  *real = NULL;
  if (net || error->status != EX_UNAVAILABLE)
    return net;
  struct net_error first = *error;
  *real = load_real(model, options, &second);
  if (!*real && strcmp(first.text, second.text) != 0)
    net_fail(error, "%.480s; in real numbers: %.490s", first.text, without(second.text, model));
  return NULL;
}
