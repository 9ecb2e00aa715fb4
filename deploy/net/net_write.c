// deploy/net/net_write.c: a network as YAML; net_text.c reads it. Every member is written; numbers
// that are real have the digits that give them again, long arrays stand in base64, little-endian.
#include <inttypes.h>

#include "net.h"
#include "net_base64.h"
#include "net_text.h"

// Names come from files of any kind: bytes that are no UTF-8 are read as U+FFFD each.
static uint32_t next_point(const unsigned char **text) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *p = *text;
  unsigned more = *p < 0xc0 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
  uint32_t point = more ? *p & (0x3fu >> more) : *p;
  *text = p + 1;
  if (*p < 0x80)
    return point;
  for (unsigned i = 1; i <= more; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0xfffd;
    point = point << 6 | (p[i] & 0x3f);
  }
  if (!more || *p >= 0xf8 || point < least[more] || point > 0x10ffff || point >> 11 == 0x1b)
    return 0xfffd;
  *text = p + 1 + more;
  return point;
}

// What YAML 1.1 takes as it is within a line (section 5.1), and no line break of its own (5.4).
static bool is_plain(uint32_t point) {
  return (point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point != 0x2028 && point != 0x2029 &&
                                             point != 0xfeff && point != 0xfffe && point != 0xffff);
}

static void write_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    const unsigned char *start = p;
    uint32_t point = next_point(&p);
    if (point == '"' || point == '\\')
      fprintf(out, "\\%c", (int)point);
    else if (!is_plain(point))
      fprintf(out, "\\u%04x", (unsigned)point);
    else if (point == 0xfffd)
      fputs("\xef\xbf\xbd", out);
    else
      fwrite(start, 1, (size_t)(p - start), out);
  }
  fputc('"', out);
}

static const char *truth(bool value) {
  return value ? "true" : "false";
}

static void write_tensor(FILE *out, const struct net_tensor *t) {
  fputs("- {name: ", out);
  write_string(out, t->name);
  fprintf(out, ", shape: [%u, %u, %u], bits: %u, signed: %s, scale: %.17g, zero: %d%s%s}\n", t->h,
          t->w, t->c, t->bits, truth(t->is_signed), t->scale, t->zero,
          t->planes ? ", planes: true" : "", t->even ? ", even: true" : "");
}

static void write_numbers(FILE *out, const char *key, const int *numbers, uint32_t count) {
  fprintf(out, "%s: [", key);
  for (uint32_t i = 0; i < count; i++)
    fprintf(out, "%s%d", i ? ", " : "", numbers[i]);
  fputs("]\n", out);
}

static int64_t element(const struct net_array *array, size_t i) {
  switch (array->size) {
  case 1:
    return ((const int8_t *)array->data)[i];
  case 2:
    return ((const int16_t *)array->data)[i];
  case 4:
    return ((const int32_t *)array->data)[i];
  default:
    return ((const int64_t *)array->data)[i];
  }
}

static void write_array(FILE *out, const struct net_array *array) {
  if (!array->data)
    return;
  if (array->base64) {
    fprintf(out, "  %s: |\n", array->key);
    net_base64_write(out, array->data, array->count * array->size, 4);
    return;
  }
  int column = fprintf(out, "  %s: [", array->key);
  for (size_t i = 0; i < array->count; i++) {
    if (i && column > 85)
      column = fprintf(out, ",\n    ") - 2;
    else if (i)
      column += fprintf(out, ", ");
    column += fprintf(out, "%" PRId64, element(array, i));
  }
  fputs("]\n", out);
}

static void write_scaled(FILE *out, const struct net_layer *layer) {
  if (!layer->scaled)
    return;
  fputs("  scaled:\n", out);
  for (uint32_t i = 0; i < layer->input_count; i++) {
    const struct net_scaled *s = &layer->scaled[i];
    fprintf(out, "  - {mul: %d, add: %d, zero: %d, shift: %u, fixed: %s, left: %d}\n", s->mul,
            s->add, s->zero, s->shift, truth(s->fixed), s->left);
  }
}

static void write_window(FILE *out, const struct net_layer *l) {
  fprintf(out, "  window: {kernel: [%u, %u], stride: [%u, %u], dilation: [%u, %u], ", l->kernel_h,
          l->kernel_w, l->stride_h, l->stride_w, l->dilation_h, l->dilation_w);
  fprintf(out, "pad: [%u, %u, %u, %u], pad_value: %d, groups: %u}\n", l->pad_top, l->pad_bottom,
          l->pad_left, l->pad_right, l->pad_value, l->groups);
}

static void write_requant(FILE *out, const struct net_requant *rq) {
  fprintf(out, "  requant: {kind: %s, per_channel: %s, wide: %s, round: %s, shift: %u, m: %d,\n",
          net_requant_name(rq->kind), truth(rq->per_channel), truth(rq->wide), truth(rq->round),
          rq->shift, rq->m);
  fprintf(out, "    zero: %d, divisor: %d, clip: [%d, %d]}\n", rq->zero, rq->divisor, rq->low,
          rq->high);
}

static void write_layer(FILE *out, const struct net *net, struct net_layer *layer) {
  fputs("- name: ", out);
  write_string(out, layer->name);
  fprintf(out, "\n  kind: %s\n", net_kind_name(layer->kind));
  write_numbers(out, "  inputs", layer->inputs, layer->input_count);
  fprintf(out, "  output: %d\n", layer->output);
  write_window(out, layer);
  fprintf(out, "  weight_bits: %u\n  weight_zero_per_channel: %s\n", layer->weight_bits,
          truth(layer->weight_zero_per_channel));
  write_scaled(out, layer);
  write_requant(out, &layer->requant);
  struct net_array arrays[NET_ARRAYS];
  net_layer_arrays(net, layer, arrays);
  for (int i = 0; i < NET_ARRAYS; i++)
    write_array(out, &arrays[i]);
}

void net_write(const struct net *net, FILE *out) {
  fprintf(out, "format: %d # an integer network of pulpsim-deploy\nname: ", NET_FORMAT);
  write_string(out, net->name);
  fputs("\ntensors:\n", out);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    write_tensor(out, &net->tensors[i]);
  write_numbers(out, "inputs", net->inputs, net->input_count);
  write_numbers(out, "outputs", net->outputs, net->output_count);
  fputs(net->layer_count ? "layers:\n" : "layers: []\n", out);
  for (uint32_t i = 0; i < net->layer_count; i++)
    write_layer(out, net, &net->layers[i]);
}
