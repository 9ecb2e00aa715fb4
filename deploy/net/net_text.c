// deploy/net/net_text.c: reads what net_write.c writes, by libyaml.
//
// A map's keys may stand in any order, each once; a key that is not known is an error. What is
// optional is left as zero: the arrays.
#include "net_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "deploy/memory.h"
#include "net_base64.h"

struct reader {
  yaml_document_t doc;
  const char *path;
  struct net_error *error;
};

static const char *const requant_names[] = {[NET_SUMS] = "sums",
                                            [NET_NORM] = "norm",
                                            [NET_SCALE] = "scale",
                                            [NET_ICN] = "icn",
                                            [NET_THRESHOLDS] = "thresholds",
                                            [NET_FOLDED] = "folded",
                                            [NET_TFLITE] = "tflite",
                                            [NET_DIVIDE] = "divide",
                                            [NET_COPY] = "copy"};

const char *net_requant_name(enum net_requant_kind kind) {
  return (unsigned)kind <= NET_COPY ? requant_names[kind] : "unknown";
}

void net_layer_arrays(const struct net *net, struct net_layer *layer,
                      struct net_array arrays[NET_ARRAYS]) {
  struct net_requant *rq = &layer->requant;
  size_t kappas = net_kappa_count(net, layer);
  uint32_t bits = net_output(net, layer)->bits, in_bits = net_input(net, layer, 0)->bits;
  size_t steps = bits <= 8 ? (1u << bits) - 1 : 0, codes = in_bits <= 8 ? 1u << in_bits : 0;
  size_t zeros = layer->weight_zero_per_channel ? net_output(net, layer)->c : 1;
  const struct net_array list[NET_ARRAYS] = {
      {"kappa", (void **)&rq->kappa, rq->kappa, kappas, 4, false},
      {"lambda", (void **)&rq->lambda, rq->lambda, net_lambda_count(net, layer), 8, false},
      {"shifts", (void **)&rq->shifts, rq->shifts, kappas, 1, false},
      {"weight_zero", (void **)&layer->weight_zero, layer->weight_zero, zeros, 2, false},
      {"thresholds", (void **)&rq->thresholds, rq->thresholds, kappas * steps, 4, true},
      {"table", (void **)&layer->table, layer->table, codes, 1, true},
      {"weights", (void **)&layer->weights, layer->weights, net_weight_count(net, layer), 1, true}};
  memcpy(arrays, list, sizeof list);
}

static bool fail(const struct reader *r, const yaml_node_t *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const struct reader *r, const yaml_node_t *at, const char *format, ...) {
  char reason[NET_ERROR_TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  return net_fail(r->error, "%.200s:%zu: %s", r->path, at ? at->start_mark.line + 1 : 1, reason);
}

// ---------------------------------------------------------------------------- scalars

static yaml_node_t *node_of(struct reader *r, int id) {
  return yaml_document_get_node(&r->doc, id);
}

static const char *scalar(const yaml_node_t *node) {
  if (!node || node->type != YAML_SCALAR_NODE)
    return NULL;
  const char *text = (const char *)node->data.scalar.value;
  return strlen(text) == node->data.scalar.length ? text : NULL;
}

static bool read_integer(struct reader *r, const yaml_node_t *node, int64_t low, int64_t high,
                         int64_t *value) {
  const char *text = scalar(node);
  char *end = NULL;
  errno = 0;
  *value = text ? strtoll(text, &end, 10) : 0;
  if (!text || !*text || *end || errno || *value < low || *value > high)
    return fail(r, node, "'%.40s' should be a whole number in %lld..%lld", text ? text : "this",
                (long long)low, (long long)high);
  return true;
}

static bool read_truth(struct reader *r, const yaml_node_t *node, bool *value) {
  const char *text = scalar(node);
  *value = text && strcmp(text, "true") == 0;
  return *value || (text && strcmp(text, "false") == 0) ||
         fail(r, node, "'%.40s' should be true or false", text ? text : "this");
}

static bool read_real(struct reader *r, const yaml_node_t *node, double *value) {
  const char *text = scalar(node);
  char *end = NULL;
  *value = text ? strtod(text, &end) : 0;
  return (text && *text && !*end && isfinite(*value)) ||
         fail(r, node, "'%.40s' should be a number", text ? text : "this");
}

static bool read_string(struct reader *r, const yaml_node_t *node, char **value) {
  const char *text = scalar(node);
  if (!text)
    return fail(r, node, "a name must be text");
  *value = memory_text(text);
  return true;
}

// ---------------------------------------------------------------------------- maps by description

enum field_type { F_U8, F_I8, F_U32, F_I32, F_TRUTH, F_REAL, F_STRING, F_PAIR8, F_QUAD8 };

struct field {
  const char *key;
  enum field_type type;
  void *at;
};

enum { FIELDS_MAX = 16 };

static bool read_bytes(struct reader *r, const yaml_node_t *node, uint8_t *const at[], size_t n) {
  if (node->type != YAML_SEQUENCE_NODE ||
      (size_t)(node->data.sequence.items.top - node->data.sequence.items.start) != n)
    return fail(r, node, "there should be %zu numbers", n);
  for (size_t i = 0; i < n; i++) {
    int64_t value;
    if (!read_integer(r, node_of(r, node->data.sequence.items.start[i]), 0, 255, &value))
      return false;
    *at[i] = (uint8_t)value;
  }
  return true;
}

static bool read_number(struct reader *r, const yaml_node_t *node, const struct field *f) {
  static const int64_t ranges[][2] = {[F_U8] = {0, 255},
                                      [F_I8] = {-128, 127},
                                      [F_U32] = {0, UINT32_MAX},
                                      [F_I32] = {INT32_MIN, INT32_MAX}};
  int64_t value;
  if (!read_integer(r, node, ranges[f->type][0], ranges[f->type][1], &value))
    return false;
  if (f->type == F_U8)
    *(uint8_t *)f->at = (uint8_t)value;
  else if (f->type == F_I8)
    *(int8_t *)f->at = (int8_t)value;
  else if (f->type == F_U32)
    *(uint32_t *)f->at = (uint32_t)value;
  else
    *(int32_t *)f->at = (int32_t)value;
  return true;
}

static bool read_field(struct reader *r, const yaml_node_t *node, const struct field *f) {
  uint8_t *bytes = f->at;
  switch (f->type) {
  case F_TRUTH:
    return read_truth(r, node, f->at);
  case F_REAL:
    return read_real(r, node, f->at);
  case F_STRING:
    return read_string(r, node, f->at);
  case F_PAIR8:
    return read_bytes(r, node, (uint8_t *[]){bytes, bytes + 1}, 2);
  case F_QUAD8:
    return read_bytes(r, node, (uint8_t *[]){bytes, bytes + 1, bytes + 2, bytes + 3}, 4);
  default:
    return read_number(r, node, f);
  }
}

// The node of each field, by its key; other keys are refused unless `rest` is given: they are
// counted there, for somebody else.
static bool find_fields(struct reader *r, const yaml_node_t *map, const char *const keys[],
                        size_t n, yaml_node_t **found) {
  memset(found, 0, n * sizeof *found);
  if (!map || map->type != YAML_MAPPING_NODE)
    return fail(r, map, "there should be a map of keys");
  for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = node_of(r, p->key);
    const char *text = scalar(key);
    size_t i = 0;
    while (i < n && (!text || strcmp(keys[i], text) != 0))
      i++;
    if (i == n)
      return fail(r, key, "unknown key '%.60s'", text ? text : "?");
    if (found[i])
      return fail(r, key, "'%s' stands twice", text);
    found[i] = node_of(r, p->value);
  }
  return true;
}

static bool read_map(struct reader *r, const yaml_node_t *map, const struct field *fields,
                     size_t n) {
  const char *keys[FIELDS_MAX];
  yaml_node_t *found[FIELDS_MAX];
  for (size_t i = 0; i < n; i++)
    keys[i] = fields[i].key;
  if (!find_fields(r, map, keys, n, found))
    return false;
  for (size_t i = 0; i < n; i++) {
    if (!found[i])
      return fail(r, map, "'%s' is missing", keys[i]);
    if (!read_field(r, found[i], &fields[i]))
      return false;
  }
  return true;
}

// ---------------------------------------------------------------------------- lists

static size_t items(const yaml_node_t *node) {
  return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

static yaml_node_t *item(struct reader *r, const yaml_node_t *node, size_t i) {
  return node_of(r, node->data.sequence.items.start[i]);
}

static bool is_list(struct reader *r, const yaml_node_t *node) {
  return (node && node->type == YAML_SEQUENCE_NODE) || fail(r, node, "there should be a list");
}

static bool read_tensor_numbers(struct reader *r, const struct net *net, const yaml_node_t *node,
                                int **numbers, uint32_t *count) {
  if (!is_list(r, node))
    return false;
  *numbers = memory_new(items(node), sizeof **numbers);
  for (size_t i = 0; i < items(node); i++) {
    int64_t value;
    if (!read_integer(r, item(r, node, i), 0, (int64_t)net->tensor_count - 1, &value))
      return false;
    (*numbers)[(*count)++] = (int)value;
  }
  return true;
}

static bool read_tensor(struct reader *r, struct net *net, const yaml_node_t *node) {
  enum { NAME, SHAPE, BITS, SIGNED, SCALE, ZERO, PLANES, EVEN, COUNT };
  static const char *const keys[COUNT] = {"name",  "shape", "bits",   "signed",
                                          "scale", "zero",  "planes", "even"};
  yaml_node_t *found[COUNT];
  struct net_tensor t = {0};
  if (!find_fields(r, node, keys, COUNT, found))
    return false;
  for (int i = 0; i < PLANES; i++) {
    if (!found[i])
      return fail(r, node, "'%s' is missing", keys[i]);
  }
  int64_t side[3], bits, zero;
  if (!is_list(r, found[SHAPE]) || items(found[SHAPE]) != 3)
    return fail(r, found[SHAPE], "a shape has three numbers: height, width, channels");
  for (size_t i = 0; i < 3; i++) {
    if (!read_integer(r, item(r, found[SHAPE], i), 1, UINT32_MAX, &side[i]))
      return false;
  }
  if (!read_integer(r, found[BITS], 1, 32, &bits) ||
      !read_integer(r, found[ZERO], INT32_MIN, INT32_MAX, &zero) ||
      !read_truth(r, found[SIGNED], &t.is_signed) || !read_real(r, found[SCALE], &t.scale) ||
      (found[PLANES] && !read_truth(r, found[PLANES], &t.planes)) ||
      (found[EVEN] && !read_truth(r, found[EVEN], &t.even)) ||
      !read_string(r, found[NAME], &t.name))
    return false;
  t.h = (uint32_t)side[0], t.w = (uint32_t)side[1], t.c = (uint32_t)side[2];
  t.bits = (uint8_t)bits, t.zero = (int32_t)zero;
  net_add_tensor(net, &t);
  free(t.name);
  return true;
}

// ---------------------------------------------------------------------------- layers

enum layer_key {
  L_NAME,
  L_KIND,
  L_INPUTS,
  L_OUTPUT,
  L_WINDOW,
  L_BITS,
  L_ZERO_PC,
  L_SCALED,
  L_REQUANT,
  L_ARRAYS,
  L_COUNT = L_ARRAYS + NET_ARRAYS
};

static bool read_word(struct reader *r, const yaml_node_t *node, const char *(*name)(unsigned),
                      unsigned count, unsigned *word) {
  const char *text = scalar(node);
  for (*word = 0; text && *word < count; ++*word) {
    if (strcmp(text, name(*word)) == 0)
      return true;
  }
  return fail(r, node, "'%.40s' is no known kind", text ? text : "this");
}

static const char *kind_word(unsigned i) {
  return net_kind_name((enum net_kind)i);
}

static const char *requant_word(unsigned i) {
  return net_requant_name((enum net_requant_kind)i);
}

static bool read_window(struct reader *r, const yaml_node_t *node, struct net_layer *l) {
  uint8_t kernel[2], stride[2], dilation[2], pad[4];
  const struct field fields[] = {
      {"kernel", F_PAIR8, kernel},         {"stride", F_PAIR8, stride},
      {"dilation", F_PAIR8, dilation},     {"pad", F_QUAD8, pad},
      {"pad_value", F_I32, &l->pad_value}, {"groups", F_U32, &l->groups}};
  if (!read_map(r, node, fields, sizeof fields / sizeof *fields))
    return false;
  l->kernel_h = kernel[0], l->kernel_w = kernel[1], l->stride_h = stride[0],
  l->stride_w = stride[1];
  l->dilation_h = dilation[0], l->dilation_w = dilation[1];
  l->pad_top = pad[0], l->pad_bottom = pad[1], l->pad_left = pad[2], l->pad_right = pad[3];
  return true;
}

static bool read_scaled(struct reader *r, const yaml_node_t *node, struct net_layer *l) {
  if (!is_list(r, node))
    return false;
  if (items(node) != l->input_count)
    return fail(r, node, "there should be one map for each of the %u inputs", l->input_count);
  l->scaled = memory_new(l->input_count, sizeof *l->scaled);
  for (uint32_t i = 0; i < l->input_count; i++) {
    struct net_scaled *s = &l->scaled[i];
    const struct field fields[] = {{"mul", F_I32, &s->mul},       {"add", F_I32, &s->add},
                                   {"zero", F_I32, &s->zero},     {"shift", F_U8, &s->shift},
                                   {"fixed", F_TRUTH, &s->fixed}, {"left", F_I8, &s->left}};
    if (!read_map(r, item(r, node, i), fields, sizeof fields / sizeof *fields))
      return false;
  }
  return true;
}

static bool read_requant(struct reader *r, const yaml_node_t *node, struct net_requant *rq) {
  enum { KIND, PER_CHANNEL, WIDE, ROUND, SHIFT, M, ZERO, DIVISOR, CLIP, COUNT };
  static const char *const keys[COUNT] = {"kind", "per_channel", "wide",    "round", "shift",
                                          "m",    "zero",        "divisor", "clip"};
  yaml_node_t *found[COUNT];
  if (!find_fields(r, node, keys, COUNT, found))
    return false;
  for (int i = 0; i < COUNT; i++) {
    if (!found[i])
      return fail(r, node, "'%s' is missing", keys[i]);
  }
  unsigned kind;
  const struct field fields[COUNT] = {[PER_CHANNEL] = {"", F_TRUTH, &rq->per_channel},
                                      [WIDE] = {"", F_TRUTH, &rq->wide},
                                      [ROUND] = {"", F_TRUTH, &rq->round},
                                      [SHIFT] = {"", F_U8, &rq->shift},
                                      [M] = {"", F_I32, &rq->m},
                                      [ZERO] = {"", F_I32, &rq->zero},
                                      [DIVISOR] = {"", F_I32, &rq->divisor}};
  for (int i = PER_CHANNEL; i < CLIP; i++) {
    if (!read_field(r, found[i], &fields[i]))
      return false;
  }
  int64_t clip[2];
  if (!is_list(r, found[CLIP]) || items(found[CLIP]) != 2)
    return fail(r, found[CLIP], "a clip has two numbers");
  for (size_t i = 0; i < 2; i++) {
    if (!read_integer(r, item(r, found[CLIP], i), INT32_MIN, INT32_MAX, &clip[i]))
      return false;
  }
  rq->low = (int32_t)clip[0], rq->high = (int32_t)clip[1];
  if (!read_word(r, found[KIND], requant_word, NET_COPY + 1, &kind))
    return false;
  rq->kind = (enum net_requant_kind)kind;
  return true;
}

static void put(void *data, size_t size, size_t i, int64_t value) {
  if (size == 1)
    ((int8_t *)data)[i] = (int8_t)value;
  else if (size == 2)
    ((int16_t *)data)[i] = (int16_t)value;
  else if (size == 4)
    ((int32_t *)data)[i] = (int32_t)value;
  else
    ((int64_t *)data)[i] = value;
}

// The counts follow from shapes in the file: what is written must be there before it is allocated.
static bool read_array(struct reader *r, const yaml_node_t *node, const struct net_array *array) {
  const char *text = array->base64 ? scalar(node) : NULL;
  if (array->base64 && (!text || node->data.scalar.length < array->count * array->size))
    return fail(r, node, "'%s' should be %zu bytes in base64", array->key,
                array->count * array->size);
  if (!array->base64 && (!is_list(r, node) || items(node) != array->count))
    return fail(r, node, "'%s' should be a list of %zu numbers", array->key, array->count);
  *array->member = memory_new(array->count, array->size);
  if (array->base64)
    return net_base64_read(text, node->data.scalar.length, *array->member,
                           array->count * array->size) ||
           fail(r, node, "'%s' should be %zu bytes in base64", array->key,
                array->count * array->size);
  int64_t most = INT64_MAX >> (64 - 8 * array->size), value;
  for (size_t i = 0; i < array->count; i++) {
    if (!read_integer(r, item(r, node, i), -most - 1, most, &value))
      return false;
    put(*array->member, array->size, i, value);
  }
  return true;
}

static bool read_arrays(struct reader *r, const struct net *net, yaml_node_t *const found[],
                        struct net_layer *layer) {
  struct net_array arrays[NET_ARRAYS];
  net_layer_arrays(net, layer, arrays);
  for (int i = 0; i < NET_ARRAYS; i++) {
    if (found[i] && !read_array(r, found[i], &arrays[i]))
      return false;
  }
  layer->weight_count = layer->weights ? net_weight_count(net, layer) : 0;
  return true;
}

static bool read_head(struct reader *r, const struct net *net, yaml_node_t *const found[L_COUNT],
                      struct net_layer *layer) {
  unsigned kind;
  int64_t output, bits;
  if (!read_string(r, found[L_NAME], &layer->name) ||
      !read_word(r, found[L_KIND], kind_word, NET_KINDS, &kind) ||
      !read_tensor_numbers(r, net, found[L_INPUTS], &layer->inputs, &layer->input_count) ||
      !read_integer(r, found[L_OUTPUT], 0, (int64_t)net->tensor_count - 1, &output) ||
      !read_integer(r, found[L_BITS], 0, 8, &bits) ||
      !read_truth(r, found[L_ZERO_PC], &layer->weight_zero_per_channel))
    return false;
  layer->kind = (enum net_kind)kind, layer->output = (int)output,
  layer->weight_bits = (uint8_t)bits;
  if (!layer->input_count)
    return fail(r, found[L_INPUTS], "a layer has at least one input");
  return true;
}

static bool read_members(struct reader *r, const struct net *net, const yaml_node_t *node,
                         struct net_layer *layer) {
  static const char *const keys[L_COUNT] = {
      "name",   "kind",    "inputs", "output", "window", "weight_bits", "weight_zero_per_channel",
      "scaled", "requant", "kappa",  "lambda", "shifts", "weight_zero", "thresholds",
      "table",  "weights"};
  yaml_node_t *found[L_COUNT];
  if (!find_fields(r, node, keys, L_COUNT, found))
    return false;
  for (int i = 0; i < L_ARRAYS; i++) {
    if (!found[i] && i != L_SCALED)
      return fail(r, node, "'%s' is missing", keys[i]);
  }
  return read_head(r, net, found, layer) && read_window(r, found[L_WINDOW], layer) &&
         (!found[L_SCALED] || read_scaled(r, found[L_SCALED], layer)) &&
         read_requant(r, found[L_REQUANT], &layer->requant) &&
         read_arrays(r, net, found + L_ARRAYS, layer);
}

// ---------------------------------------------------------------------------- the whole

static bool read_top(struct reader *r, struct net *net) {
  enum { FORMAT, NAME, TENSORS, INPUTS, OUTPUTS, LAYERS, COUNT };
  static const char *const keys[COUNT] = {"format", "name",    "tensors",
                                          "inputs", "outputs", "layers"};
  yaml_node_t *found[COUNT], *root = yaml_document_get_root_node(&r->doc);
  if (!find_fields(r, root, keys, COUNT, found))
    return false;
  for (int i = 0; i < COUNT; i++) {
    if (!found[i])
      return fail(r, root, "'%s' is missing", keys[i]);
  }
  int64_t format;
  if (!read_integer(r, found[FORMAT], NET_FORMAT, NET_FORMAT, &format))
    return false;
  free(net->name);
  net->name = NULL;
  if (!read_string(r, found[NAME], &net->name) || !is_list(r, found[TENSORS]) ||
      !is_list(r, found[LAYERS]))
    return false;
  for (size_t i = 0; i < items(found[TENSORS]); i++) {
    if (!read_tensor(r, net, item(r, found[TENSORS], i)))
      return false;
  }
  for (size_t i = 0; i < items(found[LAYERS]); i++) {
    struct net_layer layer = {0};
    bool good = read_members(r, net, item(r, found[LAYERS], i), &layer);
    net_add_layer(net, &layer); // also the broken one: the network frees it
    if (!good)
      return false;
  }
  return read_tensor_numbers(r, net, found[INPUTS], &net->inputs, &net->input_count) &&
         read_tensor_numbers(r, net, found[OUTPUTS], &net->outputs, &net->output_count);
}

static bool load(struct reader *r, FILE *in) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    return net_fail(r->error, "%s: out of memory", r->path);
  yaml_parser_set_input_file(&parser, in);
  bool good = yaml_parser_load(&parser, &r->doc);
  if (!good)
    net_fail(r->error, "%.200s:%zu: %s", r->path, parser.problem_mark.line + 1,
             parser.problem ? parser.problem : "not YAML");
  yaml_parser_delete(&parser);
  return good;
}

struct net *net_read_stream(FILE *in, const char *name, struct net_error *error) {
  struct reader r = {.path = name, .error = error};
  if (!load(&r, in))
    return NULL;
  struct net *net = net_new("");
  struct net_error reason = {.text = ""};
  bool good = read_top(&r, net);
  if (good && !net_check(net, &reason))
    good = net_fail(error, "%.200s: %.300s", name, reason.text);
  yaml_document_delete(&r.doc);
  if (good)
    return net;
  net_free(net);
  return NULL;
}

struct net *net_read(const char *path, struct net_error *error) {
  FILE *in = fopen(path, "r");
  if (!in) {
    net_fail(error, "%s: %s", path, strerror(errno));
    return NULL;
  }
  struct net *net = net_read_stream(in, path, error);
  fclose(in);
  return net;
}
