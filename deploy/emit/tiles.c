#include "tiles.h"

#include <inttypes.h>
#include <sysexits.h>

#include "cost.h"
#include "kernels/rt/rt.h"
#include "kernels/rt/rt_host.h"
#include "kernels/tile/tile.h"
#include "pack.h"
#include "pieces.h"

static uint32_t up(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

// What the DMA moves at once. Where it puts a row that begins within a word, the bytes in front of
// it can be lost: mchan's aligner, held up on both sides at a row's first word, gives that out
// whole (sim/cluster/mchan_align.c, as the public RTL does).
enum { WORD = 8 };

static bool is_here(const struct tile_layer *t, unsigned input) {
  return t->here >> input & 1;
}

uint32_t tiles_input_bytes(const struct tile_layer *t, unsigned input) {
  if (!is_here(t, input))
    return up(tile_in_bytes(t, input), WORD);
  uint32_t pixels = tile_one_pixel(t, input) ? 1 : (uint32_t)t->in_h * t->in_w;
  return up(pixels * tile_in_pixel(t, input, t->out_c), WORD);
}

bool tiles_twice(const struct tile_layer *t, enum tiles_part part) {
  bool rows = t->tile_h < t->out_h, channels = t->tile_c < t->out_c;
  return part == TILES_W   ? channels
         : part == TILES_X ? rows || (tile_by_channel(t) && channels)
                           : rows || channels;
}

// Places in L1, one behind the other; what is not needed twice has one place. Returns the end.
static uint32_t place(struct tile_layer *t) {
  bool more_x = tiles_twice(t, TILES_X), more_w = tiles_twice(t, TILES_W),
       more_y = tiles_twice(t, TILES_Y);
  uint32_t y = up(tile_out_bytes(t), WORD), w = up(t->weight_bytes, WORD);
  uint32_t at = TILE_L1_USED + up(tile_scratch_bytes(t), WORD);
  t->scratch = TILE_L1_USED;
  for (unsigned i = 0; i < 2; i++) {
    bool again = i == 1;
    for (unsigned k = 0; k < t->inputs; k++) {
      t->x[k][i] = again && !more_x ? t->x[k][0] : at;
      at += again && !more_x ? 0 : tiles_input_bytes(t, k);
    }
    t->w[i] = again && !more_w ? t->w[0] : at;
    at += again && !more_w ? 0 : w;
    t->y[i] = again && !more_y ? t->y[0] : at;
    at += again && !more_y ? 0 : y;
  }
  return at;
}

// Cycles of a kernel on 8 cores, from the rates of docs/kernels-nn.md: pixels go in fours to the
// cores, filters in fours; a depthwise layer's channels in fours.
static uint64_t compute(const struct tile_layer *t) {
  enum { CALL = 3000 }; // mostly code that is not in the caches any more
  uint64_t pixels = (uint64_t)t->tile_h * t->out_w, c = up(t->tile_c, 4),
           taps = (uint64_t)t->kernel_h * t->kernel_w;
  switch (t->kind) {
  case TILE_CONV:
    return CALL + up((uint32_t)pixels, 32) * (taps * t->in_c * c / 17 + c / 4 + taps * t->in_c / 8);
  case TILE_LINEAR:
  case TILE_SUMS:
    return CALL + (uint64_t)up((uint32_t)c, 64) * t->in_c / 12;
  case TILE_DEPTHWISE:
    return CALL + (uint64_t)up((uint32_t)c, 32) * pixels * taps / 5;
  default:
    return CALL + pixels * c * taps / 8;
  }
}

// Cycles of the DMA: 8 bytes a cycle, a row at least three.
static uint64_t transfer(uint32_t pixels, uint32_t bytes, uint32_t stride) {
  enum { START = 60 };
  uint64_t row = bytes == stride ? 0 : 3;
  return START + (uint64_t)pixels * bytes / 7 + row * pixels;
}

static uint64_t inputs(const struct tile_layer *t) {
  uint64_t cycles = 0;
  for (unsigned k = 0; k < t->inputs; k++) {
    if (is_here(t, k))
      continue;
    uint32_t bytes = tile_in_pixel(t, k, t->tile_c);
    cycles += transfer(tile_in_bytes(t, k) / bytes, bytes, tile_in_pixel(t, k, t->out_c));
  }
  return cycles;
}

static uint64_t estimate(const struct tile_layer *t) {
  uint64_t rows = parts(t->out_h, t->tile_h), channels = parts(t->out_c, t->tile_c);
  bool by_channel = tile_by_channel(t);
  uint64_t x = inputs(t), w = t->weight_bytes ? transfer(1, t->weight_bytes, t->weight_bytes) : 0,
           y = t->stays ? 0
                        : transfer((uint32_t)t->tile_h * t->out_w, tile_out_pixel(t, t->tile_c),
                                   tile_out_pixel(t, t->out_c));
  uint64_t xs =
               by_channel || !t->rows_first ? (rows > 1 || by_channel ? rows * channels : 1) : rows,
           ws = t->rows_first ? (channels > 1 ? rows * channels : 1) : channels;
  uint64_t dma = x * xs + w * ws + y * rows * channels, kernels = compute(t) * rows * channels;
  return (dma > kernels ? dma : kernels) + x + w + y;
}

// What Eq. 7 has beside the bytes: rows in eights, columns in twos, channels in fours, and many of
// these, in the weights of Burrello et al., IEEE TC 70(8), 2021, section 5.
static uint64_t heuristics(const struct tile_layer *t, unsigned without) {
  enum { MANY = 100, WHOLE = 1000 * 1000 };
  uint32_t h = t->tile_h, w = t->out_w, c = t->tile_c;
  uint32_t rows = t->out_h >= 8 ? (h - 1) % 8 : (h * w - 1) % 16;
  uint32_t whole = (without & PLAN_ROWS ? 0 : rows) + (without & PLAN_COLUMNS ? 0 : (w - 1) % 2) +
                   (without & PLAN_FILTERS ? 0 : (c - 1) % 4);
  return (without & PLAN_IM2COL ? 0 : (uint64_t)MANY * c) + (uint64_t)WHOLE * whole;
}

// Less is better.
static uint64_t worth(const struct plan_layer *l, const struct plan_options *o) {
  enum plan_objective objective = o->objective;
  if (objective == PLAN_DORY)
    return UINT64_MAX / 2 - heuristics(&l->tile, o->without) - l->l1_bytes / 2;
  return objective == PLAN_EQ6 ? UINT32_MAX - (uint64_t)l->l1_bytes : l->estimate;
}

// The DMA's command has 16 bits for a length and a stride (version 6).
static bool movable(const struct tile_layer *t) {
  for (unsigned k = 0; k < t->inputs; k++) {
    if (tile_in_bytes(t, k) > UINT16_MAX || tile_in_pixel(t, k, t->out_c) > UINT16_MAX)
      return false;
  }
  return tile_out_bytes(t) <= UINT16_MAX && t->weight_bytes <= UINT16_MAX &&
         tile_out_pixel(t, t->out_c) <= UINT16_MAX;
}

// Whether all rows that the DMA puts anywhere begin with a word.
static bool is_aligned(const struct tile_layer *t) {
  bool channels = t->tile_c < t->out_c, rows = t->tile_h < t->out_h;
  uint32_t pixel = tile_out_pixel(t, t->out_c);
  for (unsigned k = 0; k < t->inputs && channels && tile_by_channel(t); k++) {
    if (tile_in_pixel(t, k, t->tile_c) % WORD)
      return false;
  }
  return !(channels && (pixel % WORD || tile_out_pixel(t, t->tile_c) % WORD)) &&
         !(rows && (uint32_t)t->tile_h * t->out_w * pixel % WORD);
}

// What the tiles that were refused would have needed: the least of each memory, given the others.
enum { SHORT = 6 };

struct search {
  struct plan_layer *layer;
  const struct plan_options *options;
  const struct tiles_limit *limit;
  bool meets, movable;
  bool anywhere;                 // rows may begin within words
  struct plan_layer list[SHORT]; // the best, one for each number of tiles
  uint32_t count;
  uint32_t least_weights, least_l1;
  int32_t least_apart;
};

static uint32_t lesser(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// What is in L1 is there as a whole.
static bool as_whole(const struct tile_layer *t) {
  return (!t->here || !tiles_twice(t, TILES_X)) && (!t->stays || tile_count(t) == 1);
}

static bool tries(struct search *s, struct plan_layer *now) {
  struct tile_layer *t = &now->tile;
  if (!as_whole(t))
    return false;
  pack_sizes(t);
  if (!tile_meets_input(t))
    return false;
  s->meets = true;
  if (!movable(t))
    return false;
  s->movable = true;
  if (!s->anywhere && !is_aligned(t))
    return false;
  uint32_t weights = pieces_least(t);
  s->least_weights = lesser(s->least_weights, weights);
  if (weights > s->limit->weights)
    return false;
  tile_prepare(t);
  now->l1_bytes = place(t);
  s->least_l1 = lesser(s->least_l1, now->l1_bytes);
  if (now->l1_bytes > s->options->l1)
    return false;
  int32_t apart = s->limit->apart == INT32_MAX ? INT32_MIN : tile_overlap(t);
  s->least_apart = apart < s->least_apart ? apart : s->least_apart;
  if (apart > s->limit->apart)
    return false;
  now->estimate = estimate(t);
  return true;
}

// As many columns at once as there is room for: the more, the less often a core's cache changes
// from making columns to using them. Published systems make one group.
static bool tries_fours(struct search *s, struct plan_layer *now) {
  enum { MOST = 8, BYTES = 20 << 10 };
  bool ours = s->options->objective == PLAN_CYCLES || s->options->objective == PLAN_ESTIMATE;
  now->tile.fours = 1;
  if (!ours || now->tile.kernel != &tile_conv)
    return tries(s, now);
  uint32_t bytes = tile_scratch_bytes(&now->tile);
  uint32_t fours = MOST;
  while (fours > 1 && fours * bytes > BYTES)
    fours /= 2;
  for (; fours > 1; fours /= 2) {
    now->tile.fours = (uint8_t)fours;
    if (tries(s, now))
      return true;
  }
  now->tile.fours = 1;
  return tries(s, now);
}

static bool alike(const struct tile_layer *a, const struct tile_layer *b) {
  return parts(a->out_h, a->tile_h) == parts(b->out_h, b->tile_h) &&
         parts(a->out_c, a->tile_c) == parts(b->out_c, b->tile_c) && a->rows_first == b->rows_first;
}

// Into the list, which is in order; of tiles alike the best stays.
static void keep(struct search *s, const struct plan_layer *now) {
  uint64_t value = worth(now, s->options);
  uint32_t at = 0, from = s->count;
  while (at < s->count && worth(&s->list[at], s->options) <= value) {
    if (alike(&s->list[at++].tile, &now->tile))
      return;
  }
  for (uint32_t i = at; i < s->count; i++)
    from = alike(&s->list[i].tile, &now->tile) ? i : from;
  if (at == SHORT)
    return;
  if (from == s->count)
    from = s->count < SHORT ? s->count++ : SHORT - 1;
  for (; from > at; from--)
    s->list[from] = s->list[from - 1];
  s->list[at] = *now;
}

// On the host's runtime, as the first of the machine's cores: sizes of scratch depend on how many
// there are.
static int search(void *user) {
  struct search *s = user;
  if (rt_core_id() != 0)
    return 0;
  struct plan_layer now = *s->layer;
  uint32_t out_c = now.tile.out_c, out_h = now.tile.out_h;
  bool whole = now.tile.kind == TILE_CONCAT; // all channels
  for (uint32_t c = out_c; c > 0; c = c <= 4 || whole ? 0 : up(c, 4) - 4) {
    for (uint32_t n = 0; n < 2 * out_h; n++) {
      now.tile.tile_c = (uint16_t)c, now.tile.tile_h = (uint16_t)(out_h - n / 2);
      now.tile.rows_first = n % 2 == 1;
      if (now.tile.rows_first && (n == 1 || c == out_c)) // the other order again
        continue;
      if (tries_fours(s, &now))
        keep(s, &now);
    }
  }
  return 0;
}

// The first of the list, or the fastest.
static void choose(struct search *s) {
  uint32_t best = 0, least = UINT32_MAX;
  for (uint32_t i = 0; i < s->count && s->options->cost; i++) {
    uint32_t cycles = cost_cycles(s->options->cost, &s->list[i].tile, least);
    s->list[i].cycles = cycles == UINT32_MAX ? 0 : cycles;
    if (cycles < least)
      least = cycles, best = i;
  }
  *s->layer = s->list[best];
}

static bool missing(const struct search *s, const char *name, struct net_error *error) {
  bool weights = s->movable && s->least_weights > s->limit->weights;
  if (error)
    error->status = EX_CANTCREAT;
  if (s->limit->missing && s->movable && (weights || s->least_l1 <= s->options->l1))
    *s->limit->missing =
        weights ? s->least_weights - s->limit->weights : (int64_t)s->least_apart - s->limit->apart;
  if (!s->meets)
    return net_fail(error,
                    "layer %.80s: rows of windows lie in the padding altogether; at least one row "
                    "of the input in each tile is supported",
                    name);
  if (!s->movable)
    return net_fail(error,
                    "layer %.80s: DMA: a row of its tensors, or the filters of four channels, is "
                    "longer than a transfer (%u bytes)",
                    name, UINT16_MAX);
  if (s->least_weights > s->limit->weights)
    return net_fail(error,
                    "layer %.80s: L2: the filters of its smallest tile take %u bytes, activations "
                    "and program leave %u: %u are missing",
                    name, s->least_weights, s->limit->weights,
                    s->least_weights - s->limit->weights);
  if (s->least_l1 <= s->options->l1)
    return net_fail(error,
                    "layer %.80s: L2: activations and program do not fit, even if output and input "
                    "overlap as far as tiles of %u bytes of L1 let them: %" PRId64
                    " bytes are missing",
                    name, s->options->l1, (int64_t)s->least_apart - s->limit->apart);
  return net_fail(error,
                  "layer %.80s: L1: its smallest tile takes %u bytes, there are %u: %u are missing",
                  name, s->least_l1, s->options->l1, s->least_l1 - s->options->l1);
}

bool tiles_choose(struct plan_layer *layer, const char *name, const struct plan_options *options,
                  const struct tiles_limit *limit, struct net_error *error) {
  enum { CORES = 8 };
  struct search s = {.layer = layer,
                     .options = options,
                     .limit = limit,
                     .least_weights = UINT32_MAX,
                     .least_l1 = UINT32_MAX,
                     .least_apart = INT32_MAX};
  rt_host_run(CORES, search, &s);
  s.anywhere = s.count == 0;
  if (s.anywhere)
    rt_host_run(CORES, search, &s);
  if (s.count == 0)
    return missing(&s, name, error);
  choose(&s);
  return true;
}
