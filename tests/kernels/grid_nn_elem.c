// tests/kernels/grid_nn_elem.c: activation functions, concatenation and argmax, in turn.
#include "grid.h"

#include "kernels/nn/nn_act.h"
#include "kernels/nn/nn_argmax.h"
#include "kernels/nn/nn_bits.h"
#include "kernels/nn/nn_concat.h"
#include "kernels/ref/ref_add.h"

enum kind { CLIP, LEAKY, TABLE, CONCAT, ARGMAX, KINDS };
enum { GUARD = 0xa5, GUARDS = 8, PARTS = 3 };

static enum kind kind;
static struct nn_act act;
static int32_t low, high;
static uint8_t *table, *function, *out;
static const uint8_t any_bits[3] = {8, 4, 2};
static struct nn_concat concat;
static struct nn_concat_part parts[PARTS];
static struct nn_argmax head;
static uint32_t out_bytes;

static uint8_t *filled(uint32_t bytes, uint32_t offset, uint32_t *seed) {
  uint8_t *place = grid_take(bytes, offset);
  grid_fill(place, bytes, seed);
  return place;
}

static void prepare_act(uint32_t *seed) {
  act = (struct nn_act){.count = grid_draw(seed, 1, 90),
                        .bits = any_bits[grid_draw(seed, 0, 2)],
                        .is_signed = kind == LEAKY || grid_draw(seed, 0, 1)};
  uint32_t top = (1u << act.bits) - 1, bytes = nn_bits_bytes(act.count, act.bits);
  int32_t least = act.is_signed ? -(int32_t)(top / 2) - 1 : 0;
  act.in = filled(bytes, grid_draw(seed, 0, 3), seed);
  act.count = bytes * 8 / act.bits; // those left over are elements
  low = (int32_t)grid_draw(seed, 0, top) + least;
  high = low + (int32_t)grid_draw(seed, 0, top - (uint32_t)(low - least));
  if (kind == LEAKY)
    low = (int32_t)grid_draw(seed, 0, act.bits - 1);
  function = filled(256, 0, seed);
  table = grid_take(256, grid_draw(seed, 0, 3));
  if (act.bits == 8 && act.is_signed) // slope (low & 127) / 128
    nn_act_leaky_table(table, low & 127, 7);
  else if (act.bits < 8)
    nn_act_packed_table(table, function, act.bits);
  for (uint32_t i = 0; i < 256 && act.bits == 8 && !act.is_signed; i++)
    table[i] = function[i];
  out_bytes = bytes;
}

static void prepare_concat(uint32_t *seed) {
  concat = (struct nn_concat){.parts = parts,
                              .part_count = grid_draw(seed, 1, PARTS),
                              .pixels = grid_draw(seed, 1, 20),
                              .bits = any_bits[grid_draw(seed, 0, 2)],
                              .is_signed = grid_draw(seed, 0, 1)};
  for (uint32_t i = 0; i < concat.part_count; i++) {
    struct nn_concat_part *part = parts + i;
    *part = (struct nn_concat_part){
        .channels = (uint16_t)grid_draw(seed, 1, 13),
        .scaled = grid_draw(seed, 0, 1),
        .bits = any_bits[grid_draw(seed, 0, 2)],
        .shift = (uint8_t)grid_draw(seed, 0, 12),
        .kappa = (int32_t)grid_draw(seed, 0, 2000) - 500,
        .lambda = (int32_t)grid_draw(seed, 0, 60000) - 20000,
    };
    if (grid_draw(seed, 0, 1))
      part->kappa %= 128;
    if (i + 1 < concat.part_count)
      part->channels = (uint16_t)(part->channels * (8u / concat.bits)); // whole bytes
    if (!part->scaled)
      part->bits = concat.bits;
    part->in = filled(concat.pixels * nn_bits_bytes(part->channels, part->bits),
                      grid_draw(seed, 0, 3), seed);
  }
  out_bytes = concat.pixels * nn_concat_out_pixel(&concat);
}

static void prepare_argmax(uint32_t *seed) {
  static const uint8_t bits[4] = {32, 8, 4, 2};
  head = (struct nn_argmax){.count = grid_draw(seed, 1, 40),
                            .bits = bits[grid_draw(seed, 0, 3)],
                            .is_signed = grid_draw(seed, 0, 1)};
  uint32_t bytes = nn_bits_bytes(head.count, head.bits);
  uint8_t *scores = filled(bytes, head.bits == 32 ? 0 : grid_draw(seed, 0, 3), seed);
  for (uint32_t i = 0; i < bytes && grid_draw(seed, 0, 7) > 0; i++)
    scores[i] = i % 2 ? 0x80 : 0; // many equal scores, the least int32 and int8 among them
  head.scores = scores;
  head.scratch = grid_take(nn_argmax_buffer_size(), 0);
  out_bytes = 0;
}

static void prepare(uint32_t number, uint32_t seed) {
  kind = (enum kind)(number % KINDS);
  act.bits = 8;
  (kind < CONCAT ? prepare_act : kind == CONCAT ? prepare_concat : prepare_argmax)(&seed);
  out = grid_take(out_bytes + GUARDS, grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    out[i] = GUARD;
  act.out = concat.out = out;
}

static int run(void) {
  switch (kind) {
  case CLIP:
    return (int)nn_clip(&act, low, high);
  case LEAKY:
    return (int)nn_leaky(&act, (uint8_t)low);
  case TABLE:
    return (int)nn_table(&act, table);
  case CONCAT:
    return (int)nn_concat(&concat);
  default:
    return (int)nn_argmax(&head);
  }
}

static int32_t element(const void *data, uint32_t i, uint32_t bits, bool is_signed) {
  return is_signed ? nn_bits_signed(data, i, bits) : (int32_t)nn_bits_unsigned(data, i, bits);
}

static int32_t rounded_down(int32_t x, int32_t times, int32_t by) {
  return x >= 0 ? x : -((-x * times + by - 1) / by);
}

static uint32_t activated(uint32_t i) {
  int32_t x = element(act.in, i, act.bits, act.is_signed), y;
  if (kind == TABLE && (act.bits < 8 || !act.is_signed))
    y = function[nn_bits_unsigned(act.in, i, act.bits)];
  else if (kind == TABLE)
    y = rounded_down(x, low & 127, 128);
  else if (kind == LEAKY)
    y = rounded_down(x, 1, 1 << low);
  else
    y = x < low ? low : x > high ? high : x;
  return (uint32_t)y & ((1u << act.bits) - 1);
}

// Element i of the output, those that fill up its pixels' last bytes among them.
static uint32_t joined(uint32_t i) {
  uint32_t step = nn_concat_out_pixel(&concat) * 8 / concat.bits, pixel = i / step, at = i % step;
  const struct nn_concat_part *part = parts;
  while (at >= part->channels && part + 1 < parts + concat.part_count)
    at -= part++->channels;
  if (at >= part->channels)
    return 0;
  if (!part->scaled)
    return nn_bits_unsigned(part->in + pixel * nn_bits_bytes(part->channels, part->bits), at,
                            part->bits);
  const struct nn_add sum = {.a = part->in,
                             .b = part->in,
                             .channels = part->channels,
                             .scale_a = part->kappa,
                             .lambda = part->lambda,
                             .shift = part->shift,
                             .a_bits = part->bits,
                             .b_bits = part->bits,
                             .out_bits = concat.bits,
                             .in_signed = concat.is_signed,
                             .out_signed = concat.is_signed};
  return ref_add(&sum, pixel, at);
}

static int32_t score(uint32_t i) {
  return head.bits == 32 ? ((const int32_t *)head.scores)[i]
                         : element(head.scores, i, head.bits, head.is_signed);
}

static int check_argmax(void) {
  uint32_t best = nn_argmax_index(&head);
  for (uint32_t i = 0; i < head.count; i++) {
    if (score(i) > score(best) || (i < best && score(i) == score(best))) {
      rt_printf("argmax of %u scores: %u, but %u\n", (unsigned)head.count, (unsigned)best,
                (unsigned)i);
      return 1;
    }
  }
  return 0;
}

static int check(void) {
  uint32_t bits = kind == CONCAT ? concat.bits : act.bits;
  for (uint32_t i = 0; i < out_bytes * 8 / bits; i++) {
    uint32_t got = nn_bits_unsigned(out, i, bits), want = kind == CONCAT ? joined(i) : activated(i);
    if (got != want) {
      rt_printf("kind %d, %u bits: output %u of %u bytes = %u, expected %u\n", (int)kind,
                (unsigned)bits, (unsigned)i, (unsigned)out_bytes, (unsigned)got, (unsigned)want);
      return 1;
    }
  }
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (out[out_bytes + i] != GUARD)
      return 1;
  }
  return kind == ARGMAX ? check_argmax() : 0;
}

int grid_nn_elem(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run_by_cores("nn_elem", &what);
}
