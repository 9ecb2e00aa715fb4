// tests/kernels/grid_nn_elem.c: activation functions, concatenation and argmax, in turn.
#include "grid.h"

#include "kernels/nn/nn_act.h"
#include "kernels/nn/nn_argmax.h"
#include "kernels/nn/nn_bits.h"
#include "kernels/nn/nn_concat.h"

enum kind { CLIP_U8, CLIP_I8, LEAKY, TABLE, CONCAT, ARGMAX, KINDS };
enum { GUARD = 0xa5, GUARDS = 8, PARTS = 3 };

static enum kind kind;
static struct nn_act act;
static uint8_t low, high, *table, *out;
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
  uint32_t count = grid_draw(seed, 1, 90);
  low = (uint8_t)grid_draw(seed, 0, 255);
  high = (uint8_t)grid_draw(seed, 0, 255);
  bool swapped = kind == CLIP_I8 ? (int8_t)low > (int8_t)high : low > high;
  if (kind == LEAKY)
    low %= 8;
  else if (swapped && kind != TABLE)
    high = low; // one value
  act = (struct nn_act){filled(count, grid_draw(seed, 0, 3), seed), NULL, count};
  table = filled(256, grid_draw(seed, 0, 3), seed);
  if (kind == TABLE && low % 2) // slope (low & 127) / 128
    nn_act_leaky_table(table, low & 127, 7);
  out_bytes = count;
}

static void prepare_concat(uint32_t *seed) {
  static const uint8_t bits[3] = {8, 4, 2};
  concat = (struct nn_concat){.parts = parts,
                              .part_count = grid_draw(seed, 1, PARTS),
                              .pixels = grid_draw(seed, 1, 20),
                              .bits = bits[grid_draw(seed, 0, 2)]};
  for (uint32_t i = 0; i < concat.part_count; i++) {
    uint16_t channels = (uint16_t)grid_draw(seed, 1, 13);
    if (i + 1 < concat.part_count)
      channels = (uint16_t)(channels * (8u / concat.bits)); // whole bytes
    parts[i] = (struct nn_concat_part){
        .in = filled(concat.pixels * nn_bits_bytes(channels, concat.bits), grid_draw(seed, 0, 3),
                     seed),
        .channels = channels,
        .scaled = concat.bits == 8 && grid_draw(seed, 0, 1),
        .shift = (uint8_t)grid_draw(seed, 0, 12),
        .kappa = (int32_t)grid_draw(seed, 0, 2000) - 500,
        .lambda = (int32_t)grid_draw(seed, 0, 60000) - 20000,
    };
  }
  out_bytes = concat.pixels * nn_concat_out_pixel(&concat);
}

static void prepare_argmax(uint32_t *seed) {
  head = (struct nn_argmax){.count = grid_draw(seed, 1, 40),
                            .type = (enum nn_argmax_type)grid_draw(seed, 0, 2)};
  uint32_t bytes = head.count * (head.type == NN_ARGMAX_I32 ? 4 : 1);
  uint8_t *scores = filled(bytes, head.type == NN_ARGMAX_I32 ? 0 : grid_draw(seed, 0, 3), seed);
  for (uint32_t i = 0; i < bytes && grid_draw(seed, 0, 7) > 0; i++)
    scores[i] = i % 2 ? 0x80 : 0; // many equal scores, the least int32 and int8 among them
  head.scores = scores;
  head.scratch = grid_take(nn_argmax_buffer_size(), 0);
  out_bytes = 0;
}

static void prepare(uint32_t number, uint32_t seed) {
  kind = (enum kind)(number % KINDS);
  (kind < CONCAT ? prepare_act : kind == CONCAT ? prepare_concat : prepare_argmax)(&seed);
  out = grid_take(out_bytes + GUARDS, grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    out[i] = GUARD;
  act.out = concat.out = out;
}

static int run(void) {
  switch (kind) {
  case CLIP_U8:
    return (int)nn_clip_u8(&act, low, high);
  case CLIP_I8:
    return (int)nn_clip_i8(&act, (int8_t)low, (int8_t)high);
  case LEAKY:
    return (int)nn_leaky_i8(&act, low);
  case TABLE:
    return (int)nn_table(&act, table);
  case CONCAT:
    return (int)nn_concat(&concat);
  default:
    return (int)nn_argmax(&head);
  }
}

static uint8_t activated(uint8_t byte) {
  int32_t x = kind == CLIP_U8 ? byte : (int8_t)byte;
  int32_t from = kind == CLIP_U8 ? low : (int8_t)low, to = kind == CLIP_U8 ? high : (int8_t)high;
  if (kind == TABLE && low % 2 == 0)
    return table[byte];
  if (kind == TABLE) // rounded down: a quotient of non-negative numbers
    return (uint8_t)(x >= 0 ? x : -((-x * (low & 127) + 127) / 128));
  if (kind == LEAKY)
    return (uint8_t)(x >= 0 ? x : -((-x + (1 << low) - 1) / (1 << low)));
  return (uint8_t)(x < from ? from : x > to ? to : x);
}

static uint8_t joined(uint32_t i) {
  uint32_t step = nn_concat_out_pixel(&concat), pixel = i / step, at = i % step;
  const struct nn_concat_part *part = parts;
  while (at >= nn_bits_bytes(part->channels, concat.bits))
    at -= nn_bits_bytes(part++->channels, concat.bits);
  uint8_t byte = part->in[pixel * nn_bits_bytes(part->channels, concat.bits) + at];
  if (!part->scaled)
    return byte;
  int32_t y = (part->kappa * byte + part->lambda) >> part->shift;
  return (uint8_t)(y < 0 ? 0 : y > 255 ? 255 : y);
}

static int32_t score(uint32_t i) {
  return head.type == NN_ARGMAX_I32  ? ((const int32_t *)head.scores)[i]
         : head.type == NN_ARGMAX_U8 ? ((const uint8_t *)head.scores)[i]
                                     : ((const int8_t *)head.scores)[i];
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
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++) {
    uint8_t want = i >= out_bytes   ? GUARD
                   : kind == CONCAT ? joined(i)
                                    : activated(((const uint8_t *)act.in)[i]);
    if (out[i] != want) {
      rt_printf("kind %d: output %u of %u = %u, expected %u\n", (int)kind, (unsigned)i,
                (unsigned)out_bytes, out[i], want);
      return 1;
    }
  }
  return kind == ARGMAX ? check_argmax() : 0;
}

int grid_nn_elem(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("nn_elem", &what);
}
