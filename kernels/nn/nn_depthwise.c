// kernels/nn/nn_depthwise.c: four channels at a time: planes, then dot products along their rows.
//
// Slots of an output of nine MAC: nn_planes.S 1.4 a value and nn_dw_3.S 9.25, together 10.6 with
// stride 1, 6.8 MAC/clk on 8 cores; four times 1.4 and 10 with stride 2, 4.6 MAC/clk. Other
// kernels: nn_dw_slide.S.
#include "nn_depthwise.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_channel.h"
#include "nn_dw_3.h"
#include "nn_dw_filter.h"
#include "nn_dw_pack.h"
#include "nn_dw_quad.h"
#include "nn_dw_slide.h"
#include "nn_finish.h"
#include "nn_planes.h"
#include "nn_split.h"
#include "nn_window.h"
#include "nn_word.h"

uint32_t nn_depthwise_out_h(const struct nn_depthwise *l) {
  return nn_window_count(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
uint32_t nn_depthwise_out_w(const struct nn_depthwise *l) {
  return nn_window_count(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

// A core's work, and its scratch: four planes of a band of rows; filters; of a band a channel's
// sums where they are not outputs at once, and bytes of four channels where those are to be packed.
struct job {
  const struct nn_depthwise *layer;
  struct nn_planes_at at;
  uint32_t out_h, out_w;
  struct nn_split_bands split;
  nn_dw_3_fn *three;                 // or NULL
  uint32_t words, outputs;           // nn_dw_slide.h
  bool staged;                       // sums first
  bool tflite;                       // at once, by that scheme
  uint32_t plane_rows, filter_words; // at most
  uint32_t batch;                    // groups
  uint32_t sums_words, byte_words, core_words;
  uint8_t *planes;
  uint32_t *filters, *bytes;
  int32_t *sums;
};

static nn_dw_3_fn *three_of(const struct nn_depthwise *l) {
  static nn_dw_3_fn *const all[2][3] = {{nn_dw_3_s1_u, nn_dw_3_s1_s, nn_dw_3_s1_sums},
                                        {nn_dw_3_s2_u, nn_dw_3_s2_s, nn_dw_3_s2_sums}};
  if (l->kernel_h != 3 || l->kernel_w > 3 || l->stride_w > 2)
    return NULL;
  return all[l->stride_w - 1][l->requant || l->out_bits == 32 ? 2 : l->out_signed];
}

static uint32_t sums_within(const struct nn_depthwise *l) {
  return nn_end_sums((uint32_t)l->kernel_h * l->kernel_w, l->in_bits, l->weight_bits);
}

// Whether NN_TFLITE's outputs of these channels are made at once: those of a ReLU, over all codes.
static bool tflite_at_once(const struct nn_depthwise *l, uint32_t begin, uint32_t end) {
  const struct nn_requant_i32 *rq = l->requant;
  if (!rq || rq->scheme != NN_TFLITE || rq->bits != 8 || !three_of(l))
    return false;
  int32_t least = rq->out_signed ? INT8_MIN : 0;
  if (rq->zero != least || rq->low != least || rq->high != least + UINT8_MAX)
    return false;
  return rq->end.kind == NN_END_TFLITE_RELU || nn_end_tflite(rq, begin, end, sums_within(l), 0);
}

static nn_dw_3_fn *tflite_of(const struct nn_depthwise *l) {
  static nn_dw_3_fn *const all[2][2] = {{nn_dw_3_s1_tflite_u, nn_dw_3_s1_tflite_s},
                                        {nn_dw_3_s2_tflite_u, nn_dw_3_s2_tflite_s}};
  return all[l->stride_w - 1][l->out_signed];
}

// A batch has planes of at most so many bytes, unless it is one group.
enum { BATCH_BYTES = 2560, BATCH_GROUPS = 16 };

// Whether no channel takes planes.
static bool all_quads(const struct nn_depthwise *l, uint32_t out_h, uint32_t out_w) {
  return l->channels % 4 == 0 && nn_dw_quads_fit(l, out_h, out_w);
}

static uint32_t batch_of(uint32_t plane, uint32_t groups) {
  uint32_t batch = 1;
  while (batch < BATCH_GROUPS && batch < groups && 8 * batch * plane <= BATCH_BYTES)
    batch *= 2;
  return batch;
}

// All that does not depend on the core.
static void plan(struct job *j) {
  const struct nn_depthwise *l = j->layer;
  j->three = three_of(l);
  j->outputs = nn_dw_slide_outputs(l->stride_w);
  j->words = nn_dw_slide_words(l->kernel_w, l->stride_w);
  j->staged = l->requant || !j->three;
  j->plane_rows = (j->split.most_rows - 1) * l->stride_h + l->kernel_h;
  uint32_t row = (uint32_t)l->in_w + l->pad_left + l->pad_right;
  j->at.row = (row + 3) / 4 * 4 + 4; // the last words read reach beyond the padding
  j->at.plane = ((j->at.row * j->plane_rows / 4 + 1) | 1) * 4; // of odd words: other banks
  j->batch = batch_of(j->at.plane, j->split.most_groups);
  j->filter_words = 4 * j->batch * NN_DW_3_WORDS;
  if (!j->three)
    j->filter_words = 2 + l->kernel_h * j->words * j->outputs;
  uint32_t pixels = j->split.most_rows * j->out_w;
  j->sums_words = j->staged ? pixels + 3 : 0;
  j->byte_words = l->out_bits < 8 ? pixels + 1 : 0; // nn_dw_pack.h
  j->core_words = (j->batch * j->at.plane + j->filter_words + j->sums_words + j->byte_words) | 1;
}

uint32_t nn_depthwise_buffer_size(const struct nn_depthwise *l) {
  struct job j = {.layer = l, .out_h = nn_depthwise_out_h(l), .out_w = nn_depthwise_out_w(l)};
  if (j.out_h == 0 || j.out_w == 0 || all_quads(l, j.out_h, j.out_w))
    return 0;
  nn_split_bands_of(&j.split, j.out_h, (l->channels + 3u) / 4);
  plan(&j);
  return rt_core_count() * j.core_words * 4;
}

static enum kernel_status check(const struct nn_depthwise *l, uint32_t out_h, uint32_t out_w) {
  if (!out_h || !out_w || !l->in_h || !l->in_w || !l->channels || !l->kernel_h || !l->kernel_w ||
      l->shift > 31 || !nn_bits_valid(l->in_bits) || !nn_bits_valid(l->weight_bits) ||
      !(nn_bits_valid(l->out_bits) || l->out_bits == 32) || (l->in_chw && l->in_bits != 8) ||
      (l->out_chw && l->out_bits != 8) ||
      (l->requant &&
       (l->requant->out_signed != l->out_signed || l->requant->bits != l->out_bits)) ||
      !nn_bits_holds(l->pad_value, l->in_bits, l->in_signed))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->weights || (!(l->kappa && l->lambda) && !(l->requant || l->out_bits == 32)) ||
      !l->out || (l->out_bits == 32 && (uintptr_t)l->out % 4) || !l->scratch ||
      (uintptr_t)l->scratch % 4)
    return KERNEL_BAD_POINTER;
  return l->requant ? nn_requant_i32_check(l->requant) : KERNEL_OK;
}

// Where this core's scratch is, and its band of the input.
static void place(struct job *j) {
  const struct nn_depthwise *l = j->layer;
  uint32_t *own = (uint32_t *)l->scratch + rt_core_id() * j->core_words;
  j->planes = (uint8_t *)own;
  j->filters = own + j->batch * j->at.plane; // bytes of a plane, words of four
  j->bytes = j->filters + j->filter_words;
  j->sums = (int32_t *)j->bytes + j->byte_words;
  int32_t top = (int32_t)(j->split.rows.begin * l->stride_h) - l->pad_top;
  int32_t end = (int32_t)((j->split.rows.end - 1) * l->stride_h) - l->pad_top + l->kernel_h;
  int32_t first = top < 0 ? 0 : top, last = end < l->in_h ? end : l->in_h;
  j->at.first = (uint32_t)first;
  j->at.above = (uint32_t)(first - top);
  j->at.rows = last > first ? (uint32_t)(last - first) : 0;
  if (l->pad_top | l->pad_bottom | l->pad_left | l->pad_right) {
    uint32_t pad = ((uint32_t)l->pad_value & ((1u << l->in_bits) - 1)) ^ nn_planes_flip(l);
    nn_planes_fill(own, j->batch * j->at.plane, pad * 0x01010101);
  }
}

// Bytes of four channels to nibbles or crumbs of theirs.
static __attribute__((noinline)) void pack(const struct job *j, uint32_t c, uint32_t count) {
  const struct nn_depthwise *l = j->layer;
  uint32_t bits = l->out_bits, pixel = nn_bits_bytes(l->channels, bits);
  uint32_t bytes = nn_bits_bytes(count, bits), mask = ((1u << bits) - 1) * 0x01010101;
  uint32_t pixels = (j->split.rows.end - j->split.rows.begin) * j->out_w;
  uint8_t *out = l->out + j->split.rows.begin * j->out_w * pixel + c * bits / 8;
  if (count == 4 && bits == 4) {
    nn_dw_pack_4(out, j->bytes, pixels, pixel);
    return;
  }
  if (count < 4)
    mask &= 0xffffffff >> (32 - 8 * count); // what is left over of a byte is 0
  for (uint32_t i = 0; i < pixels; i++, out += pixel) {
    uint32_t w = j->bytes[i] & mask;
    w |= w >> (8 - bits);
    if (bits == 2)
      w = (w & 15) | (w >> 16 & 15) << 4;
    out[0] = (uint8_t)w;
    if (bytes > 1)
      out[1] = (uint8_t)(w >> 16);
  }
}

// Channel c, its plane and where its outputs go, by way of sums.
static void staged(struct job *j, uint32_t c, const uint8_t *plane, uint8_t *out, uint32_t step) {
  const struct nn_depthwise *l = j->layer;
  uint32_t rows = j->split.rows.end - j->split.rows.begin, row_next = l->stride_h * j->at.row;
  bool sums = l->requant || l->out_bits == 32;
  struct nn_channel ch = {.sums = j->sums,
                          .out = out,
                          .count = rows * j->out_w,
                          .step = step,
                          .shift = l->shift,
                          .high = (1 << (l->out_bits - l->out_signed) % 32) - 1};
  if (j->three) {
    nn_dw_filters_3(l, j->filters, c, 1, sums);
    struct nn_dw_3 three = {.plane = plane,
                            .row = j->at.row,
                            .row_next = row_next,
                            .out = (uint8_t *)j->sums,
                            .step = 4,
                            .out_w = j->out_w,
                            .out_h = rows,
                            .filters = j->filters,
                            .count = 1};
    j->three(&three);
  } else {
    nn_dw_filter_slide(l, j->filters, c, sums, j->words, j->outputs);
    const struct nn_dw_slide slide = {plane, j->at.row,      row_next,    j->sums,  j->out_w,
                                      rows,  j->filters + 2, l->kernel_h, j->words, l->stride_w};
    (j->outputs == 4 ? nn_dw_slide_4 : j->outputs == 2 ? nn_dw_slide_2 : nn_dw_slide_1)(&slide);
    ch.kappa = (int32_t)j->filters[0];
    ch.lambda = (int32_t)j->filters[1];
  }
  if (l->requant)
    nn_channel_by(l->requant, &ch, c, sums_within(l));
  else
    (l->out_bits == 32 ? nn_channel_sums : l->out_signed ? nn_channel_s : nn_channel_u)(&ch);
}

// Channels c..end - 1, three rows of taps to each, whose sums are outputs at once.
static void at_once(struct job *j, uint32_t c, uint32_t end, const uint8_t *plane, uint8_t *out,
                    uint32_t out_next, uint32_t step) {
  const struct nn_depthwise *l = j->layer;
  if (j->tflite)
    nn_dw_filters_3_tflite(l, j->filters, c, end - c);
  else
    nn_dw_filters_3(l, j->filters, c, end - c, l->out_bits == 32);
  struct nn_dw_3 three = {.plane = plane,
                          .plane_next = j->at.plane,
                          .row = j->at.row,
                          .row_next = l->stride_h * j->at.row,
                          .out = out,
                          .out_next = out_next,
                          .step = step,
                          .out_w = j->out_w,
                          .out_h = j->split.rows.end - j->split.rows.begin,
                          .filters = j->filters,
                          .count = end - c,
                          .shift = l->shift,
                          .most = (1 << (l->out_bits - l->out_signed) % 32) - 1};
  if (j->tflite) {
    three.shifts_step = l->requant->per_channel;
    three.shifts = l->requant->shifts + c * three.shifts_step;
  }
  if (l->out_bits >= 8) {
    j->three(&three);
    return;
  }
  for (; c < end; c += 4) {
    three.out = out;
    three.count = end - c < 4 ? end - c : 4;
    uint32_t count = three.count;
    j->three(&three);
    pack(j, c, count);
  }
}

// Channels c..end - 1 of the band, at most a batch of them.
static __attribute__((noinline)) void channels(struct job *j, uint32_t c, uint32_t end) {
  const struct nn_depthwise *l = j->layer;
  uint32_t bytes = l->out_bits == 32 ? 4 : 1, first = j->split.rows.begin * j->out_w;
  uint32_t out_next = l->out_chw ? j->out_h * j->out_w : bytes;
  uint32_t step = l->out_chw ? 1 : l->channels * bytes;
  uint8_t *out = l->out + (size_t)c * out_next + (size_t)first * step;
  if (l->out_bits < 8) {
    out = (uint8_t *)j->bytes;
    out_next = 1;
    step = 4;
  }
  const uint8_t *plane = nn_planes_of(l, &j->at, j->planes, c, end);
  if (!j->staged) {
    at_once(j, c, end, plane, out, out_next, step);
    return;
  }
  for (uint32_t i = c; i < end; i++, plane += j->at.plane) {
    staged(j, i, plane, out + (l->out_bits < 8 ? i % 4 : (i - c) * out_next), step);
    if (l->out_bits < 8 && (i % 4 == 3 || i + 1 == end))
      pack(j, i / 4 * 4, i % 4 + 1);
  }
}

// Channels begin..end - 1.
static __attribute__((noinline)) void by_planes(const struct nn_depthwise *l, uint32_t out_h,
                                                uint32_t out_w, const struct nn_split_bands *split,
                                                uint32_t begin, uint32_t end) {
  const struct nn_depthwise layer = *l; // that one may lie in L2
  struct job j;
  j.layer = &layer;
  j.out_h = out_h;
  j.out_w = out_w;
  j.split = *split;
  plan(&j);
  place(&j);
  j.tflite = tflite_at_once(l, begin, end);
  if (j.tflite) {
    j.three = tflite_of(l);
    j.staged = false;
  }
  for (uint32_t c = begin; c < end; c += 4 * j.batch)
    channels(&j, c, end - c < 4 * j.batch ? end : c + 4 * j.batch);
}

enum kernel_status nn_depthwise(const struct nn_depthwise *given) {
  const struct nn_depthwise layer = *given, *l = &layer;                   // that one may lie in L2
  KERNEL_CHECK(l->stride_h && l->stride_w ? KERNEL_OK : KERNEL_BAD_SHAPE); // of divisions
  uint32_t out_h = nn_depthwise_out_h(l), out_w = nn_depthwise_out_w(l);
  KERNEL_CHECK(check(l, out_h, out_w));
  struct nn_split_bands split;
  nn_split_bands_of(&split, out_h, (l->channels + 3u) / 4);
  uint32_t begin = split.groups.begin * 4, end = split.groups.end * 4;
  if (end > l->channels)
    end = l->channels;
  if (split.rows.begin >= split.rows.end)
    end = begin;
  if (begin < end && nn_dw_quads_fit(l, out_h, out_w)) {
    nn_dw_quads(l, out_w, split.rows, (struct rt_range){begin, end});
    begin = end - end % 4;
  }
  if (begin < end)
    by_planes(l, out_h, out_w, &split, begin, end);
  return KERNEL_OK;
}
