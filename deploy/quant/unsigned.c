#include "unsigned.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

enum { HALF = 128, CODES = 256 };

static bool is_signed_byte(const struct net_tensor *t) {
  return t->bits == 8 && t->is_signed;
}

// Codes go through as they are; of an average, if it is one of pixels inside.
static bool keeps_codes(const struct net_layer *l) {
  bool padded = l->pad_top | l->pad_bottom | l->pad_left | l->pad_right;
  int32_t divisor = padded ? 0 : l->kernel_h * l->kernel_w;
  return l->kind == NET_MAXPOOL || (l->kind == NET_AVGPOOL && l->requant.kind == NET_DIVIDE &&
                                    (l->requant.divisor == 0 || l->requant.divisor == divisor));
}

// Zeros are codes of the signed tensor, or below.
static bool adds_codes(const struct net_layer *l) {
  for (uint32_t i = 0; l->scaled && i < l->input_count; i++)
    if (l->scaled[i].zero >= HALF)
      return false;
  return l->scaled != NULL;
}

static bool takes_other_input(const struct net_layer *l) {
  if (l->kind == NET_ADD)
    return adds_codes(l);
  return l->kind == NET_TABLE || (net_has_weights(l->kind) && !l->weight_zero &&
                                  (net_adds_zero(&l->requant) || l->requant.kind == NET_SUMS));
}

static bool gives_other_output(const struct net_layer *l) {
  bool others = l->kind == NET_ADD || net_has_weights(l->kind);
  return l->kind == NET_TABLE || (others && net_adds_zero(&l->requant) && l->requant.zero < HALF);
}

static void forbid_ends(const struct net *net, bool *free_to) {
  for (uint32_t i = 0; i < net->input_count; i++)
    free_to[net->inputs[i]] = false;
  for (uint32_t i = 0; i < net->output_count; i++)
    free_to[net->outputs[i]] = false;
}

// Of layers that keep codes both tensors change, or none.
static bool forbid(const struct net_layer *l, bool *free_to) {
  bool before = free_to[l->output], again = false;
  if (keeps_codes(l)) {
    bool both = free_to[l->inputs[0]] && free_to[l->output];
    again = both != free_to[l->inputs[0]] || both != before;
    free_to[l->inputs[0]] = free_to[l->output] = both;
    return again;
  }
  free_to[l->output] &= gives_other_output(l);
  again = free_to[l->output] != before;
  for (uint32_t i = 0; i < l->input_count && !takes_other_input(l); i++) {
    again |= free_to[l->inputs[i]];
    free_to[l->inputs[i]] = false;
  }
  return again;
}

// Which tensors can have unsigned codes; the caller frees.
static bool *find_signed(const struct net *net) {
  bool *free_to = memory_new(net->tensor_count, sizeof *free_to);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    free_to[i] = is_signed_byte(&net->tensors[i]);
  forbid_ends(net, free_to);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < net->layer_count; i++)
      again |= forbid(&net->layers[i], free_to);
  }
  return free_to;
}

// As codes of a table's input differ in their highest bit, so do places in it.
static void swap_halves(uint8_t *table) {
  for (unsigned i = 0; i < HALF; i++) {
    uint8_t first = table[i];
    table[i] = table[i + HALF];
    table[i + HALF] = first;
  }
}

static int32_t sum_of_filter(const struct net_layer *l, uint32_t filters, uint32_t f) {
  size_t taps = l->weight_count / filters;
  int32_t sum = 0;
  for (size_t i = 0; i < taps; i++)
    sum += l->weights[f * taps + i];
  return sum;
}

// Sums have HALF times the filter's weights too much.
static void shift_input(const struct net *net, struct net_layer *l, uint32_t input) {
  if (l->kind == NET_ADD)
    l->scaled[input].zero += HALF;
  if (l->kind == NET_TABLE)
    swap_halves(l->table);
  if (!net_has_weights(l->kind))
    return;
  uint32_t filters = net_output(net, l)->c;
  uint32_t point = l->requant.kind == NET_ICN ? l->requant.shift : 0;
  if (!l->requant.lambda)
    l->requant.lambda = memory_new(filters, sizeof *l->requant.lambda);
  for (uint32_t f = 0; f < filters; f++)
    l->requant.lambda[f] -= (int64_t)HALF * sum_of_filter(l, filters, f) * (1 << point);
  l->pad_value += HALF;
}

static void shift_output(const struct net *net, struct net_layer *l) {
  l->requant.low += HALF, l->requant.high += HALF;
  for (unsigned i = 0; l->kind == NET_TABLE && i < 1u << net_input(net, l, 0)->bits; i++)
    l->table[i] ^= HALF;
  if (net_adds_zero(&l->requant))
    l->requant.zero += HALF;
}

// ---------------------------------------------------------------------------- the network's ends

static bool contains(const int *list, uint32_t count, int tensor) {
  for (uint32_t i = 0; i < count; i++)
    if (list[i] == tensor)
      return true;
  return false;
}

// Whether the layers that have it as an input, if any, would take other codes.
static bool readers_take_other(const struct net *net, int tensor, bool *any) {
  bool all = true;
  *any = false;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    if (!contains(l->inputs, l->input_count, tensor))
      continue;
    *any = true;
    all &= takes_other_input(l);
  }
  return all;
}

static struct net_layer *writer_of(const struct net *net, int tensor) {
  for (uint32_t i = 0; i < net->layer_count; i++)
    if (net->layers[i].output == tensor)
      return &net->layers[i];
  return NULL;
}

// A tensor like it, for a side of a table whose codes may become others.
static int twin_of(struct net *net, int tensor) {
  struct net_tensor twin = net->tensors[tensor];
  char *name = memory_format("%s/unsigned", twin.name);
  twin.name = name;
  int number = net_add_tensor(net, &twin);
  free(name);
  return number;
}

// Gives the codes that it gets.
static void add_table(struct net *net, int from, int to) {
  struct net_layer l =
      net_plain_layer(NET_TABLE, memory_format("%s/codes", net->tensors[to].name), &from, 1);
  l.output = to;
  l.requant.kind = NET_COPY, l.requant.low = -HALF, l.requant.high = HALF - 1;
  l.table = memory_new(CODES, 1);
  for (unsigned i = 0; i < CODES; i++)
    l.table[i] = (uint8_t)i;
  net_add_layer(net, &l);
}

static void begin_with_last(struct net *net) {
  struct net_layer last = net->layers[net->layer_count - 1];
  memmove(net->layers + 1, net->layers, (net->layer_count - 1) * sizeof last);
  net->layers[0] = last;
}

static void add_table_behind_input(struct net *net, int input) {
  bool any, zero = net->tensors[input].zero == -HALF; // 0 in unsigned codes, as kernels pad
  if (!zero || !is_signed_byte(&net->tensors[input]) || !readers_take_other(net, input, &any) ||
      !any || contains(net->outputs, net->output_count, input))
    return;
  int twin = twin_of(net, input);
  for (uint32_t i = 0; i < net->layer_count; i++)
    for (uint32_t k = 0; k < net->layers[i].input_count; k++)
      if (net->layers[i].inputs[k] == input)
        net->layers[i].inputs[k] = twin;
  add_table(net, input, twin);
  begin_with_last(net);
}

static void add_table_before_output(struct net *net, int output) {
  bool any;
  struct net_layer *writer = writer_of(net, output);
  readers_take_other(net, output, &any);
  if (!is_signed_byte(&net->tensors[output]) || any || !writer || !gives_other_output(writer))
    return;
  int twin = twin_of(net, output);
  writer_of(net, output)->output = twin;
  add_table(net, twin, output);
}

static void add_tables(struct net *net) {
  for (uint32_t i = 0; i < net->input_count; i++)
    add_table_behind_input(net, net->inputs[i]);
  for (uint32_t i = 0; i < net->output_count; i++)
    add_table_before_output(net, net->outputs[i]);
}

uint32_t unsigned_codes(struct net *net) {
  add_tables(net);
  bool *other = find_signed(net);
  uint32_t count = 0;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct net_layer *l = &net->layers[i];
    for (uint32_t k = 0; k < l->input_count; k++)
      if (other[l->inputs[k]])
        shift_input(net, l, k);
    if (other[l->output])
      shift_output(net, l);
  }
  for (uint32_t i = 0; i < net->tensor_count; i++) {
    if (!other[i])
      continue;
    net->tensors[i].is_signed = false, net->tensors[i].zero += HALF;
    count++;
  }
  free(other);
  return count;
}
