#include "tiles.h"

#include <inttypes.h>
#include <sysexits.h>

#include "cost.h"
#include "kernels/nn/nn_bits.h"
#include "kernels/rt/rt.h"
#include "kernels/rt/rt_host.h"
#include "kernels/tile/tile.h"
#include "lower.h"
#include "pack.h"
#include "pieces.h"

static uint32_t up(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

static bool is_here(const struct tile_layer *t, unsigned input) {
  return t->here >> input & 1;
}

uint32_t tiles_input_bytes(const struct tile_layer *t, unsigned input) {
  if (!is_here(t, input))
    return up(tile_in_bytes(t, input), TILE_WORD);
  uint32_t pixels = tile_one_pixel(t, input) ? 1 : (uint32_t)t->in_h * t->in_w;
  return up(pixels * tile_in_pixel(t, input, t->out_c), TILE_WORD);
}

bool tiles_twice(const struct tile_layer *t, enum tiles_part part) {
  bool patches = tile_patches(t) > 1, channels = t->tile_c < t->out_c, parts = t->tile_k < t->in_c;
  return part == TILES_W   ? channels || parts
         : part == TILES_X ? patches || parts || (tile_by_channel(t) && channels)
                           : patches || channels;
}

// A place in L1, and the next one behind it.
static uint16_t take(uint32_t *at, uint32_t bytes) {
  uint16_t place = (uint16_t)(*at / TILE_WORD);
  *at += up(bytes, TILE_WORD);
  return place;
}

// What is not needed twice has one place. Returns the bytes of all that is `again` or not.
static uint32_t place_slots(struct tile_layer *t, unsigned slot, uint32_t at) {
  bool again = slot == 1;
  for (unsigned k = 0; k < t->inputs; k++)
    t->x[k][slot] =
        again && !tiles_twice(t, TILES_X) ? t->x[k][0] : take(&at, tiles_input_bytes(t, k));
  t->w[slot] = again && !tiles_twice(t, TILES_W) ? t->w[0] : take(&at, t->weight_bytes);
  t->y[slot] = again && !tiles_twice(t, TILES_Y) ? t->y[0] : take(&at, tile_out_bytes(t));
  return at;
}

// Places in L1, one behind the other, of what the DMA moves; the kernel's scratch is last. Returns
// the end.
static uint32_t place_moved(struct tile_layer *t) {
  return place_slots(t, 1, place_slots(t, 0, TILE_L1_USED));
}

static uint32_t place(struct tile_layer *t) {
  t->scratch = place_moved(t);
  return t->scratch + up(tile_scratch_bytes(t), TILE_WORD);
}

// ---------------------------------------------------------------------------- estimates

// Cycles of a tile but for its products: mostly code that is not in the caches any more.
enum { CALL = 3000 };

// Products that a kernel makes in a cycle on 8 cores, in hundredths (docs/kernels-nn.md).
static uint32_t rate(const struct tile_layer *t) {
  if (t->kernel == &tile_direct)
    return 66;
  return t->kernel == &tile_parts ? 1200 : 1700;
}

static uint64_t sums(const struct tile_layer *t, uint64_t pixels, uint64_t c) {
  uint64_t add = 2; // cycles a core for each of a part's sums
  return t->kernel == &tile_parts ? pixels * c * add / 8 : 0;
}

// Cycles of a kernel on 8 cores, from the rates of docs/kernels-nn.md: pixels go in fours to the
// cores, filters in fours; a depthwise layer's channels in fours.
static uint64_t compute(const struct tile_layer *t) {
  uint64_t pixels = (uint64_t)t->tile_h * t->tile_w, c = up(t->tile_c, 4),
           taps = (uint64_t)t->kernel_h * t->kernel_w, k = t->tile_k;
  switch (t->kind) {
  case TILE_CONV:
    return CALL + sums(t, pixels, c) +
           up((uint32_t)pixels, 32) * (taps * k * c * 100 / rate(t) + c / 4 + taps * k / 8);
  case TILE_LINEAR:
  case TILE_SUMS:
    return CALL + sums(t, pixels, c) + (uint64_t)up((uint32_t)c, 64) * k / 12;
  case TILE_DEPTHWISE:
    return CALL + (uint64_t)up((uint32_t)c, 32) * pixels * taps / 5;
  default:
    return CALL + pixels * c * taps / 8;
  }
}

// Cycles of the DMA: 8 bytes a cycle, a row at least three; a command for each row of columns.
static uint64_t transfer(uint32_t pixels, uint32_t bytes, uint32_t stride, uint32_t commands) {
  enum { START = 60, COMMAND = 15 };
  uint64_t row = bytes == stride ? 0 : 3;
  return START + (uint64_t)COMMAND * (commands - 1) + (uint64_t)pixels * bytes / 7 + row * pixels;
}

static uint64_t inputs(const struct tile_layer *t) {
  uint64_t cycles = 0;
  bool columns = t->tile_w < t->out_w, in_parts = t->tile_k < t->in_c;
  for (unsigned k = 0; k < t->inputs; k++) {
    if (is_here(t, k))
      continue;
    uint32_t bytes = tile_in_pixel(t, k, t->tile_c), stride = tile_in_pixel(t, k, t->out_c);
    if (in_parts)
      bytes = nn_bits_bytes(t->tile_k, t->in_bits);
    cycles += transfer(tile_in_bytes(t, k) / bytes, bytes, stride,
                       columns || in_parts ? t->tile_h * t->stride_h : 1);
  }
  return cycles;
}

// Narrow tiles are to be better by what short transfers cost the cores' fetches.
static uint64_t estimate(const struct tile_layer *t) {
  uint64_t patches = tile_patches(t), channels = parts(t->out_c, t->tile_c),
           in_parts = parts(t->in_c, t->tile_k), all = patches * channels * in_parts;
  uint32_t rows = t->tile_w < t->out_w ? t->tile_h : 1;
  uint64_t x = inputs(t),
           w = t->weight_bytes ? transfer(1, t->weight_bytes, t->weight_bytes, 1) : 0,
           y = t->stays ? 0
                        : transfer((uint32_t)t->tile_h * t->tile_w, tile_out_pixel(t, t->tile_c),
                                   tile_out_pixel(t, t->out_c), rows);
  bool own = tile_by_channel(t), first = t->rows_first;
  uint64_t xs = in_parts > 1         ? all
                : first && !own      ? patches
                : own || patches > 1 ? patches * channels
                                     : 1,
           ws = in_parts > 1 || (first && channels > 1) ? all : channels;
  uint64_t dma = x * xs + w * ws + y * patches * channels, kernels = compute(t) * all;
  uint64_t cycles = (dma > kernels ? dma : kernels) + x + w + y;
  return cycles + (t->tile_w < t->out_w ? cycles / 8 : 0);
}

// No layer of so many tiles is estimated at less.
static uint64_t estimate_least(const struct tile_layer *t, uint64_t tiles) {
  uint64_t products = (uint64_t)t->out_h * t->out_w * t->out_c * t->kernel_h * t->kernel_w;
  bool filters = t->kind == TILE_CONV || t->kind == TILE_LINEAR || t->kind == TILE_SUMS;
  return CALL * tiles + (filters ? products * t->in_c * 100 / rate(t) : products / 8);
}

// What Eq. 7 has beside the bytes: rows in eights, columns in twos, channels in fours, and many of
// these, in the weights of Burrello et al., IEEE TC 70(8), 2021, section 5.
static uint64_t heuristics(const struct tile_layer *t, unsigned without) {
  enum { MANY = 100, WHOLE = 1000 * 1000 };
  uint32_t h = t->tile_h, w = t->tile_w, c = t->tile_c;
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

// ---------------------------------------------------------------------------- what fits

// The DMA's command has 16 bits for a length and a stride (version 6).
static bool movable(const struct tile_layer *t) {
  for (unsigned k = 0; k < t->inputs; k++) {
    if (tile_in_bytes(t, k) > UINT16_MAX || tile_in_pixel(t, k, t->out_c) > UINT16_MAX)
      return false;
  }
  return tile_out_bytes(t) <= UINT16_MAX && t->weight_bytes <= UINT16_MAX &&
         tile_out_pixel(t, t->out_c) <= UINT16_MAX;
}

// Whether all rows that the DMA puts anywhere begin with a word. Where it puts a row that begins
// within one, the bytes in front of it can be lost: mchan's aligner, held up on both sides at a
// row's first word, gives that out whole (sim/cluster/mchan_align.c, as the public RTL does).
static bool is_word(uint32_t bytes) {
  return bytes % TILE_WORD == 0;
}

// Of the input's pixels under all tiles' columns.
static bool columns_aligned(const struct tile_layer *t) {
  struct tile_layer one = *t;
  one.tile_h = t->out_h, one.tile_c = t->out_c, one.tile_k = t->in_c;
  tile_cut(&one);
  struct tile c = tile_first(&one);
  do {
    for (unsigned k = 0; k < t->inputs; k++) {
      if (!tile_one_pixel(t, k) && !is_word(c.in_columns * tile_in_pixel(t, k, t->out_c)))
        return false;
    }
  } while (tile_next(&one, &c, &c));
  return true;
}

static bool is_aligned(const struct tile_layer *t) {
  bool channels = t->tile_c < t->out_c, columns = t->tile_w < t->out_w, rows = t->tile_h < t->out_h;
  uint32_t pixel = tile_out_pixel(t, t->out_c), row = t->out_w * pixel;
  for (unsigned k = 0; k < t->inputs && channels && tile_by_channel(t); k++) {
    if (!is_word(tile_in_pixel(t, k, t->tile_c)))
      return false;
  }
  if (channels && !(is_word(pixel) && is_word(tile_out_pixel(t, t->tile_c))))
    return false;
  if (columns && !(is_word(row) && is_word(t->tile_w * pixel) && columns_aligned(t)))
    return false;
  if (t->tile_k < t->in_c && !is_word(nn_bits_bytes(t->tile_k, t->in_bits)))
    return false;
  return !(rows && !is_word(t->tile_h * row));
}

// What the tiles that were refused would have needed: the least of each memory, given the others.
enum { SHORT = 6 };

struct search {
  struct plan_layer *layer;
  const struct plan_options *options;
  const struct tiles_limit *limit;
  bool meets, movable;
  bool anywhere;                 // rows may begin within words
  bool in_parts;                 // the input's channels, of layers that are not whole in width
  bool explain;                  // nothing fits: what is the least that is missing
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

// FITS; or a larger tile may, of as many in all; or none does that is larger.
enum verdict { FITS, UNALIGNED, REFUSED };

static bool is_ours(const struct plan_options *o) {
  return o->objective == PLAN_CYCLES || o->objective == PLAN_ESTIMATE;
}

// The list has no room for what takes so long.
static bool too_late(const struct search *s, uint64_t cycles) {
  return is_ours(s->options) && s->count == SHORT && cycles >= s->list[SHORT - 1].estimate;
}

static enum verdict tries(struct search *s, struct plan_layer *now) {
  struct tile_layer *t = &now->tile;
  if (!as_whole(t))
    return REFUSED;
  pack_sizes(t);
  now->estimate = estimate(t);
  if (too_late(s, now->estimate))
    return REFUSED;
  tile_cut(t);
  if (!tile_meets_input(t))
    return UNALIGNED;
  s->meets = true;
  if (!movable(t))
    return REFUSED;
  s->movable = true;
  if (!s->anywhere && !is_aligned(t))
    return UNALIGNED;
  uint32_t weights = pieces_least(t);
  s->least_weights = lesser(s->least_weights, weights);
  if (weights > s->limit->weights)
    return REFUSED;
  if (!s->explain && place_moved(t) > s->options->l1)
    return REFUSED;
  tile_prepare(t);
  now->l1_bytes = place(t);
  s->least_l1 = lesser(s->least_l1, now->l1_bytes);
  if (now->l1_bytes > s->options->l1)
    return REFUSED;
  int32_t apart = s->limit->apart == INT32_MAX ? INT32_MIN : tile_overlap(t);
  s->least_apart = apart < s->least_apart ? apart : s->least_apart;
  return apart > s->limit->apart ? REFUSED : FITS;
}

// As many columns at once as there is room for: the more, the less often a core's cache changes
// from making columns to using them. Published systems make one group.
static enum verdict tries_fours(struct search *s, struct plan_layer *now) {
  enum { MOST = 8, BYTES = 20 << 10 };
  now->tile.fours = 1;
  if (!is_ours(s->options) || now->tile.kernel != &tile_conv)
    return tries(s, now);
  tile_cut(&now->tile);
  struct tile first = tile_first(&now->tile);
  uint32_t bytes = now->tile.kernel->scratch(&now->tile, &first), fours = MOST;
  while (fours > 1 && fours * bytes > BYTES)
    fours /= 2;
  for (; fours > 1; fours /= 2) {
    now->tile.fours = (uint8_t)fours;
    if (tries(s, now) == FITS)
      return FITS;
  }
  now->tile.fours = 1;
  return tries(s, now);
}

static bool alike(const struct tile_layer *a, const struct tile_layer *b) {
  return parts(a->out_h, a->tile_h) == parts(b->out_h, b->tile_h) &&
         parts(a->out_w, a->tile_w) == parts(b->out_w, b->tile_w) &&
         parts(a->in_c, a->tile_k) == parts(b->in_c, b->tile_k) &&
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

// ---------------------------------------------------------------------------- enumeration

// The sizes of tiles along one axis: from `size` down, in steps that end at multiples of `step`.
struct sizes {
  uint32_t total, step;
};

static struct sizes rows_of(const struct tile_layer *t) {
  return (struct sizes){t->out_h, 1};
}
static struct sizes columns_of(const struct tile_layer *t) { // as repetitions begin
  return (struct sizes){t->out_w, t->kind == TILE_RESIZE ? t->stride_w : 1};
}
static struct sizes channels_of(const struct tile_layer *t) {
  return (struct sizes){t->out_c, t->kind == TILE_CONCAT ? t->out_c : 4};
}
static struct sizes inputs_of(const struct tile_layer *t) { // whole words of the DMA's
  uint32_t words = 8 * TILE_WORD / t->in_bits;
  return (struct sizes){t->in_c, t->kernel == &tile_parts ? words : t->in_c};
}

// The next smaller one; 0: there is none.
static uint32_t smaller(const struct sizes *s, uint32_t size) {
  return size <= s->step ? 0 : up(size, s->step) - s->step;
}

// The least one of which there are as many tiles as of `size`.
static uint32_t least_alike(const struct sizes *s, uint32_t size) {
  uint32_t count = parts(s->total, size);
  return lesser(up(parts(s->total, count), s->step), s->total);
}

// The next larger one that still makes as many tiles; 0: there is none.
static uint32_t larger_alike(const struct sizes *s, uint32_t size) {
  uint32_t next = lesser(up(size + 1, s->step), s->total);
  return size < s->total && parts(s->total, next) == parts(s->total, size) ? next : 0;
}

// Among tiles of as many rows, columns and channels each the smallest takes least of everything,
// but it may begin within words.
static void try_alike(struct search *s, struct plan_layer *now) {
  const struct sizes rows = rows_of(&now->tile), columns = columns_of(&now->tile),
                     channels = channels_of(&now->tile);
  const struct tile_layer least = now->tile;
  for (uint32_t c = least.tile_c; c; c = larger_alike(&channels, c)) {
    for (uint32_t h = least.tile_h; h; h = larger_alike(&rows, h)) {
      for (uint32_t w = least.tile_w; w; w = larger_alike(&columns, w)) {
        now->tile.tile_c = (uint16_t)c, now->tile.tile_h = (uint16_t)h;
        now->tile.tile_w = (uint16_t)w;
        enum verdict verdict = tries_fours(s, now);
        if (verdict == FITS)
          keep(s, now);
        if (verdict != UNALIGNED)
          return;
      }
    }
  }
}

static void try_orders(struct search *s, struct plan_layer *now) {
  const struct tile_layer t = now->tile;
  bool both = t.tile_c < t.out_c && tile_patches(&t) > 1;
  for (unsigned order = 0; order < (both ? 2 : 1); order++) {
    now->tile = t;
    now->tile.rows_first = order;
    try_alike(s, now);
  }
  now->tile = t;
}

// For our objectives: one tile of each number of rows, columns, channels and inputs, as long as
// there may be one that takes fewer cycles.
static void search_numbers(struct search *s, struct plan_layer *now) {
  struct tile_layer *t = &now->tile;
  const struct sizes rows = rows_of(t), columns = columns_of(t), channels = channels_of(t),
                     ins = inputs_of(t);
  uint32_t most_parts = UINT8_MAX;
  for (uint32_t k = ins.total; k && parts(ins.total, k) <= most_parts; k = smaller(&ins, k)) {
    k = least_alike(&ins, k);
    uint64_t a = parts(ins.total, k);
    if (s->in_parts ? k == ins.total : k < ins.total)
      continue;
    for (uint32_t c = channels.total; c; c = smaller(&channels, c)) {
      c = least_alike(&channels, c);
      uint64_t b = a * parts(channels.total, c);
      if (too_late(s, estimate_least(t, b)))
        break;
      for (uint32_t h = rows.total; h; h = smaller(&rows, h)) {
        h = least_alike(&rows, h);
        uint64_t d = b * parts(rows.total, h);
        if (too_late(s, estimate_least(t, d)))
          break;
        for (uint32_t w = columns.total; w; w = smaller(&columns, w)) {
          w = least_alike(&columns, w);
          if (too_late(s, estimate_least(t, d * parts(columns.total, w))))
            break;
          t->tile_k = (uint16_t)k, t->tile_c = (uint16_t)c;
          t->tile_h = (uint16_t)h, t->tile_w = (uint16_t)w;
          try_orders(s, now);
        }
      }
    }
  }
}

// Eq. 6 and 7: of each number of rows and channels, the widest that fits; as Eq. 7 judges columns
// by their remainders up to 16, so many more.
static void try_widths(struct search *s, struct plan_layer *now) {
  enum { REMAINDERS = 16 };
  const struct sizes columns = columns_of(&now->tile);
  uint32_t left = s->options->objective == PLAN_DORY ? REMAINDERS : 1;
  bool some = false;
  for (uint32_t w = columns.total; w && left > 0; w = smaller(&columns, w)) {
    now->tile.tile_w = (uint16_t)w;
    if (tries_fours(s, now) == FITS) {
      keep(s, now);
      some = true;
    }
    left -= some;
  }
}

static void search_sizes(struct search *s, struct plan_layer *now) {
  struct tile_layer *t = &now->tile;
  const struct sizes rows = rows_of(t), channels = channels_of(t), ins = inputs_of(t);
  for (uint32_t k = ins.total; k && parts(ins.total, k) <= UINT8_MAX; k = smaller(&ins, k)) {
    if (s->in_parts ? k == ins.total : k < ins.total)
      continue;
    for (uint32_t c = channels.total; c; c = smaller(&channels, c)) {
      for (uint32_t h = rows.total; h; h = smaller(&rows, h)) {
        for (unsigned order = 0; order < (c < channels.total ? 2 : 1); order++) {
          t->tile_k = (uint16_t)k, t->tile_c = (uint16_t)c, t->tile_h = (uint16_t)h;
          t->rows_first = order;
          try_widths(s, now);
        }
      }
    }
  }
}

// On the host's runtime, as the first of the machine's cores: sizes of scratch depend on how many
// there are.
static int search(void *user) {
  struct search *s = user;
  const struct tile_layer *asked = &s->layer->tile;
  struct plan_layer now = *s->layer;
  now.tile = s->layer->lowered;
  now.tile.here = asked->here, now.tile.stays = asked->stays, now.tile.stored = asked->stored;
  if (s->in_parts && !lower_in_parts(&now.tile))
    return 0;
  if (is_ours(s->options))
    search_numbers(s, &now);
  else
    search_sizes(s, &now);
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

// Whole pixels of the input; where none fits, parts of their channels, whose kernel a program may
// have for them alone (12 kB).
static void search_both(struct search *s) {
  enum { CORES = 8 };
  s->in_parts = false;
  rt_host_first(CORES, search, s);
  s->in_parts = true;
  if (s->count == 0 && s->least_weights <= s->limit->weights)
    rt_host_first(CORES, search, s);
}

bool tiles_choose(struct plan_layer *layer, const char *name, const struct plan_options *options,
                  const struct tiles_limit *limit, struct net_error *error) {
  struct search s = {.layer = layer,
                     .options = options,
                     .limit = limit,
                     .least_weights = UINT32_MAX,
                     .least_l1 = UINT32_MAX,
                     .least_apart = INT32_MAX};
  search_both(&s);
  s.anywhere = s.count == 0;
  if (s.anywhere)
    search_both(&s);
  s.explain = s.count == 0;
  if (s.explain) {
    search_both(&s);
    return missing(&s, name, error);
  }
  choose(&s);
  return true;
}
