// kernels/train/train_net_half_pixels.c: see train_net_half.h; products of weights and planes.
//
// Forward and for the input's gradient each core takes panels of four pixels against all weights
// (train_net_panels.h is the same in floats); two channels at a time, as vfdotpex takes them: pairs
// of weights are made once for all cores, those of a panel when it has come. A bias is one channel
// more, whose pixels are ones. Blocks of 6 x 4, sums in binary32, rounded once.
#include <stddef.h>

#include "kernels/mm/mmt_f32_tiles.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/mm/mmt_turn.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_half_gate.h"
#include "kernels/train/train_net_half.h"

enum { WIDE = 4, HIGH = 6 };
enum { APART = 8 }; // bytes between cores' places, which begin at different banks so

// out[n][plane] = weights * in[k][plane]; weights [n][k], or `turned`: [k][n].
struct panels {
  const uint16_t *weights, *bias, *in, *gate;
  uint16_t *out;
  uint32_t n, k, pixels, pitch, wide; // pixels from plane to plane; of a panel
  bool turned, relu;
  enum train_type type;
  const struct train_half_type *blocks;
};

// ---------------------------------------------------------------- where things are in L1

// `rows` of the result at a time; sizes in bytes.
struct room {
  uint32_t rows, pairs;
  uint32_t turned, raw, bias;        // shared: weights in pairs, as they come; biases
  uint32_t staged, paired, out, own; // each core's, of which staged and out twice
};

static uint32_t eights(uint32_t bytes) {
  return (bytes + 7) / 8 * 8;
}

static uint32_t shared_bytes(const struct room *r) {
  return r->turned + r->raw + r->bias;
}

static struct room room_of(const struct panels *p, uint32_t rows) {
  struct room r = {.rows = rows, .pairs = (p->k + (p->bias ? 1 : 0) + 1) / 2};
  r.turned = eights(r.pairs * rows * 4);
  r.raw = eights(p->k * rows * 2);
  r.bias = p->bias ? eights(rows * 2) : 0;
  r.staged = eights(2 * r.pairs * p->wide * 2);
  r.paired = eights(r.pairs * p->wide * 4);
  r.out = eights(rows * p->wide * 2);
  r.own = 2 * r.staged + r.paired + (p->gate ? 3 : 2) * r.out + APART;
  return r;
}

// As many rows as fit. False: not even two.
static bool fit(const struct train_net *net, const struct panels *p, struct room *r) {
  for (uint32_t rows = p->n; rows > 0; rows = rows > 2 ? (rows / 2 + 1) / 2 * 2 : 0) {
    *r = room_of(p, rows);
    if (shared_bytes(r) + rt_core_count() * r->own <= net->l1_bytes)
      return true;
  }
  return false;
}

struct run {
  const struct panels *panels;
  struct room room;
  uint32_t row, rows; // of the result
  uint16_t *staged[2], *out[2], *gate;
  train_two *paired;
  mmt_tile_fn *fn[2];
  struct mmt_groups groups; // of rows
  bool packed;              // weights in pairs are [group][pair][row], else [pair][row]
  struct mmt_tile tile[2];
  uint32_t c[2]; // bytes from the result's first row to theirs
  uint32_t calls;
};

static void place(struct run *r, char *own) {
  const struct room *m = &r->room;
  for (uint32_t i = 0; i < 2; i++) {
    r->staged[i] = (uint16_t *)(void *)(own + i * m->staged);
    r->out[i] = (uint16_t *)(void *)(own + 2 * m->staged + m->paired + i * m->out);
  }
  r->gate = r->out[1] + m->out / 2;
  r->paired = (train_two *)(void *)(own + 2 * m->staged);
}

// ---------------------------------------------------------------- weights in pairs

static uint32_t pair_of(const struct run *r, const uint16_t *raw, const uint16_t *bias,
                        uint32_t row, uint32_t pair) {
  const struct panels *p = r->panels;
  uint32_t k = 2 * pair, step = p->turned ? r->rows : 1;
  const uint16_t *at = raw + (p->turned ? k * r->rows + row : row * p->k + k);
  uint32_t last = p->bias ? bias[row] : 0;
  uint32_t low = k < p->k ? at[0] : last, high = k + 1 < p->k ? at[step] : k < p->k ? last : 0;
  return high << 16 | low;
}

// A row's place, and bytes from pair to pair.
static train_two *row_at(const struct run *r, train_two *to, uint32_t row, uint32_t *step) {
  const struct mmt_groups *g = &r->groups;
  uint32_t wide = g->size * g->wide, lines = g->size - (row >= wide);
  *step = 4 * (r->packed ? lines : r->rows);
  if (!r->packed)
    return to + row;
  uint32_t begin = row >= wide ? wide : 0;
  begin += mmt_quotient(row - begin, lines) * lines;
  return to + begin * r->room.pairs + row - begin;
}

// All weights in pairs, by all cores.
static void turn(const struct run *r, train_two *to, const uint16_t *raw, const uint16_t *bias) {
  const struct panels *p = r->panels;
  bool whole = p->k % 2 == 0 && (!p->turned || r->rows % 2 == 0);
  uint32_t words = p->k / 2, done = whole ? words : 0, step;
  if (whole && p->turned)
    mmt_turn_pairs((uint32_t *)to, raw, r->rows, p->k, r->rows);
  for (uint32_t row = rt_core_id(); row < r->rows; row += rt_core_count()) {
    train_two *at = row_at(r, to, row, &step);
    if (whole && !p->turned)
      mmt_turn_line((uint32_t *)at, (const uint32_t *)(const void *)raw + row * words, step, words);
    for (uint32_t pair = done; pair < r->room.pairs; pair++)
      at[pair * (step / 4)] = pair_of(r, raw, bias, row, pair);
  }
}

static void load_weights(const struct run *r, uint16_t *raw, uint16_t *bias) {
  const struct panels *p = r->panels;
  if (p->bias)
    rt_dma_also_in(bias, p->bias + r->row, r->rows * 2);
  if (p->turned && r->rows < p->n)
    rt_dma_also_in_2d(raw, p->weights + r->row, p->k, r->rows * 2, p->n * 2);
  else if (p->turned)
    rt_dma_also_in(raw, p->weights, p->k * p->n * 2);
  else
    rt_dma_also_in(raw, p->weights + r->row * p->k, r->rows * p->k * 2);
}

// Blocks for groups of rows of one size, and of one less; packed, if there are such.
static void choose_blocks(struct run *r) {
  const struct panels *p = r->panels;
  const struct train_half_type *blocks = p->blocks;
  r->groups = mmt_groups_of(r->rows, HIGH);
  r->calls = r->groups.rest ? 2 : 1;
  r->packed = !p->turned;
  for (uint32_t i = 0; i < r->calls; i++)
    r->packed = r->packed && blocks->tnp[r->groups.size - i - 1][p->wide - 1];
  for (uint32_t i = 0; i < r->calls; i++)
    r->fn[i] = (r->packed ? blocks->tnp : blocks->tn)[r->groups.size - i - 1][p->wide - 1];
}

// A core's calls on a panel.
static void plan_rows(struct run *r, const train_two *weights) {
  const struct panels *p = r->panels;
  const struct mmt_groups *groups = &r->groups;
  uint32_t lines = groups->size, blocks = groups->wide, c = 0, line = p->wide * 2;
  for (uint32_t i = 0; i < r->calls; i++, lines--, blocks = groups->rest) {
    struct mmt_tile *t = &r->tile[i]; // field by field: the compiler would call memset()
    t->a = r->packed ? (struct mmt_operand){weights, 4 * lines, 4 * lines * r->room.pairs}
                     : (struct mmt_operand){weights, 4 * r->rows, 4 * lines};
    t->b = (struct mmt_operand){r->paired, 4 * p->wide, 0};
    t->c_step = line;
    t->c_next = lines * line;
    t->k = r->room.pairs;
    t->blocks = blocks;
    t->add = 0;
    r->c[i] = c;
    weights += blocks * lines * (r->packed ? r->room.pairs : 1);
    c += blocks * lines * line;
  }
}

// ---------------------------------------------------------------- panels

static uint32_t pixel_of(const struct panels *p, uint32_t panel) {
  uint32_t pixel = panel * p->wide;
  return pixel + p->wide <= p->pitch ? pixel : p->pitch - p->wide;
}

// Transfers in two dimensions, each under an identifier of its own (rt.h).
static void load(const struct run *r, uint32_t panel) {
  const struct panels *p = r->panels;
  rt_dma_also_in_2d(r->staged[panel % 2], p->in + pixel_of(p, panel), p->k, p->wide * 2,
                    p->pitch * 2);
}

static void load_gate(const struct run *r, uint32_t panel) {
  const struct panels *p = r->panels;
  rt_dma_also_in_2d(r->gate, p->gate + r->row * p->pitch + pixel_of(p, panel), r->rows, p->wide * 2,
                    p->pitch * 2);
}

static void store(const struct run *r, uint32_t panel) {
  const struct panels *p = r->panels;
  rt_dma_also_out_2d(p->out + r->row * p->pitch + pixel_of(p, panel), r->out[panel % 2], r->rows,
                     p->wide * 2, p->pitch * 2);
}

// Behind the channels: ones for a bias, zeros for what a pair lacks.
static void fill_rest(const struct run *r) {
  const struct panels *p = r->panels;
  uint16_t one = p->type == TRAIN_FP16 ? 0x3c00 : 0x3f80;
  for (uint32_t i = p->k * p->wide; i < 2 * r->room.pairs * p->wide; i++)
    r->staged[0][i] = r->staged[1][i] = p->bias && i < (p->k + 1) * p->wide ? one : 0;
}

static void make_pairs(const struct run *r, const uint16_t *staged) {
  const train_two *from = (const train_two *)(const void *)staged;
  train_two *to = r->paired;
  if (r->panels->wide == WIDE) {
    mmt_turn_fours((uint32_t *)to, staged, r->room.pairs);
    return;
  }
  for (uint32_t i = 0; i < r->room.pairs; i++, from += 2, to += 2) {
    uint32_t a = from[0], c = from[1];
    to[0] = (uint32_t)pv_pack(c, a);
    to[1] = (uint32_t)pv_pack_h(c, a);
  }
}

// The last element of planes of an odd number of pixels is 0.
static void clear_last(const struct run *r, uint16_t *out) {
  uint32_t wide = r->panels->wide;
  for (uint32_t i = 1; i <= r->rows; i++)
    out[i * wide - 1] = 0;
}

static void multiply(struct run *r, uint32_t panel) {
  uint16_t *out = r->out[panel % 2];
  for (uint32_t i = 0; i < r->calls; i++) {
    r->tile[i].c = (char *)out + r->c[i];
    r->fn[i](&r->tile[i]);
  }
}

static void gate(const struct run *r, uint32_t panel) {
  const struct panels *p = r->panels;
  uint16_t *out = r->out[panel % 2];
  uint32_t words = r->rows * p->wide / 2;
  if (p->relu)
    train_half_relu(out, words);
  if (p->gate)
    train_half_gate(out, r->gate, words);
  if (p->pixels % 2 && pixel_of(p, panel) + p->wide == p->pitch)
    clear_last(r, out);
}

// The core's panels; `in`: the transfer of the first. The other one is of what leaves, and of the
// gate meanwhile: there are two for each core.
static void stream(struct run *r, struct rt_range mine, unsigned in) {
  unsigned other = rt_dma_open();
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    rt_dma_wait(in);
    make_pairs(r, r->staged[i % 2]);
    in = rt_dma_open();
    if (i + 1 < mine.end)
      load(r, i + 1);
    if (r->panels->gate) {
      rt_dma_wait(other);
      other = rt_dma_open();
      load_gate(r, i);
    }
    multiply(r, i);
    rt_dma_wait(other);
    gate(r, i);
    other = rt_dma_open();
    store(r, i);
  }
  rt_dma_wait(in);
  rt_dma_wait(other);
}

// Some rows of the result.
static void run_rows(struct run *r, char *l1, struct rt_range mine) {
  train_two *turned = (train_two *)(void *)l1;
  uint16_t *raw = (uint16_t *)(void *)(l1 + r->room.turned);
  uint16_t *bias = raw + r->room.raw / 2;
  choose_blocks(r);
  plan_rows(r, turned); // before code is slow to come from L2, as it is beside the weights
  rt_barrier();
  unsigned open = rt_dma_open();
  if (rt_core_id() == 0)
    load_weights(r, raw, bias);
  if (r->row == 0)
    fill_rest(r);
  rt_dma_wait(open);
  rt_barrier(); // the weights are there
  open = rt_dma_open();
  if (mine.begin < mine.end)
    load(r, mine.begin);
  turn(r, turned, raw, bias);
  rt_barrier(); // and in pairs
  if (mine.begin < mine.end)
    stream(r, mine, open);
  else
    rt_dma_wait(open);
}

static __attribute__((noinline)) enum kernel_status run_panels(const struct train_net *net,
                                                               const struct panels *p) {
  struct run r;
  struct rt_range mine = rt_share((p->pitch + p->wide - 1) / p->wide);
  if (!fit(net, p, &r.room))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  char *l1 = (char *)net->l1;
  r.panels = p;
  place(&r, l1 + shared_bytes(&r.room) + rt_core_id() * r.room.own);
  for (r.row = 0; r.row < p->n; r.row += r.rows) {
    r.rows = p->n - r.row < r.room.rows ? p->n - r.row : r.room.rows;
    run_rows(&r, l1, mine);
  }
  return KERNEL_OK;
}

static struct panels panels_of(const struct train_net_layer *l, const struct train_half_place *at) {
  uint32_t pixels = (uint32_t)l->out_h * l->out_w, pitch = train_net_half_pitch(pixels);
  return (struct panels){.weights = at->weights,
                         .pixels = pixels,
                         .pitch = pitch,
                         .wide = pitch < WIDE ? pitch : WIDE,
                         .type = at->type,
                         .blocks = at->blocks};
}

static struct panels panels_fw(const struct train_net_layer *l, const struct train_half_place *at) {
  struct panels p = panels_of(l, at);
  p.bias = at->bias;
  p.in = at->in;
  p.out = l->out;
  p.n = l->out_c;
  p.k = l->in_c;
  p.relu = l->relu;
  return p;
}

static struct panels panels_ig(const struct train_net_layer *l, const struct train_half_place *at) {
  struct panels p = panels_of(l, at);
  p.gate = at->gated ? at->in : NULL;
  p.in = at->out_grad;
  p.out = at->in_grad;
  p.n = l->in_c;
  p.k = l->out_c;
  p.turned = true;
  return p;
}

enum kernel_status train_half_pixels_fw(const struct train_net *net,
                                        const struct train_net_layer *l,
                                        const struct train_half_place *at) {
  const struct panels p = panels_fw(l, at);
  return run_panels(net, &p);
}

static enum kernel_status pixels_ig(const struct train_net *net, const struct train_net_layer *l,
                                    const struct train_half_place *at) {
  const struct panels p = panels_ig(l, at);
  return run_panels(net, &p);
}

// ---------------------------------------------------------------- the weights' gradient

// Each core's filters, a few at a time, against all channels' planes, which stay; pairs of pixels
// are pairs as they lie.
enum { FILTERS = 4, CHANNELS = 4, CHANNELS_LINED = 6 }; // at most

struct filters {
  const struct train_net_layer *layer;
  const struct train_half_place *at;
  uint32_t filters;                  // at a time
  uint32_t pitch, channel, channels; // of the channels at hand
  const uint16_t *in;                // in L1, their planes
  uint16_t *grad[2], *out[2], *bias; // this core's
  uint32_t begin;                    // its first filter
};

// Planes of one pitch have blocks that walk along all lines by one pointer.
static bool is_lined(const struct filters *f) {
  return f->pitch == 2 * MMT_TILE_PITCH_PAIRS;
}

static mmt_tile_fn *block_of(const struct filters *f, uint32_t filters, uint32_t channels) {
  mmt_tile_fn *fn = is_lined(f) ? f->at->blocks->ntp[filters - 1][channels - 1] : NULL;
  return fn ? fn : f->at->blocks->nt[filters - 1][channels - 1];
}

// A core's calls on some filters: blocks of so many channels each, and others.
struct columns {
  uint32_t wide[2], blocks[2];
};

// Lined: sixes and a rest, as pairs of results that begin at an odd channel would cross words.
static struct columns columns_of(const struct filters *f) {
  if (is_lined(f)) {
    uint32_t sixes = mmt_quotient(f->channels, CHANNELS_LINED);
    uint32_t rest = f->channels - sixes * CHANNELS_LINED;
    return (struct columns){{CHANNELS_LINED, rest}, {sixes, rest ? 1 : 0}};
  }
  const struct mmt_groups groups = mmt_groups_of(f->channels, CHANNELS);
  return (struct columns){{groups.size, groups.size - 1}, {groups.wide, groups.rest}};
}

static uint32_t core_bytes(const struct filters *f, uint32_t channels, uint32_t own) {
  return 2 * eights(f->filters * f->pitch * 2) + 2 * eights(f->filters * channels * 2) +
         eights(own * 2);
}

// As many channels as fit; 0: none.
static uint32_t channels_that_fit(const struct train_net *net, const struct filters *f) {
  uint32_t cores = rt_core_count(), own = (f->layer->out_c + cores - 1) / cores;
  uint32_t channels = f->layer->in_c;
  while (channels > 0 &&
         eights(channels * f->pitch * 2) + cores * core_bytes(f, channels, own) > net->l1_bytes)
    channels = channels > 1 ? (channels + 1) / 2 : 0;
  return channels;
}

// Fewer filters at a time, where planes are large.
static bool fit_filters(const struct train_net *net, struct filters *f) {
  for (f->filters = FILTERS; f->filters > 0; f->filters /= 2) {
    f->channels = channels_that_fit(net, f);
    if (f->channels > 0)
      return true;
  }
  return false;
}

static uint32_t filters_of(const struct filters *f, uint32_t filter, uint32_t end) {
  return end - filter < f->filters ? end - filter : f->filters;
}

static void load_grad(const struct filters *f, uint32_t filter, uint32_t end, uint32_t slot) {
  rt_dma_also_in(f->grad[slot], f->at->out_grad + filter * f->pitch,
                 filters_of(f, filter, end) * f->pitch * 2);
}

// The last under its identifier, as it may have two dimensions (rt.h).
static void store_weights(const struct filters *f, uint32_t filter, uint32_t end, uint32_t slot) {
  uint32_t all = f->layer->in_c, count = filters_of(f, filter, end);
  uint16_t *to = f->at->weights_grad + filter * all + f->channel;
  if (f->channels == all)
    rt_dma_also_out(to, f->out[slot], count * all * 2);
  else
    rt_dma_also_out_2d(to, f->out[slot], count, f->channels * 2, all * 2);
}

static void multiply_filters(const struct filters *f, uint32_t count, uint32_t slot) {
  const struct columns all = columns_of(f);
  uint32_t line = f->pitch * 2;
  const uint16_t *in = f->in;
  uint16_t *out = f->out[slot];
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t columns = all.wide[i], blocks = all.blocks[i];
    if (blocks == 0)
      continue;
    const struct mmt_tile t = {.a = {f->grad[slot], line, 0},
                               .b = {in, line, columns * line},
                               .c = out,
                               .c_step = f->channels * 2,
                               .c_next = columns * 2,
                               .k = f->pitch / 2,
                               .blocks = blocks};
    block_of(f, count, columns)(&t);
    in += (size_t)blocks * columns * f->pitch;
    out += blocks * columns;
  }
}

static void sum_filters(const struct filters *f, uint32_t filter, uint32_t count, uint32_t slot) {
  for (uint32_t i = 0; i < count; i++) {
    const uint16_t *plane = f->grad[slot] + i * f->pitch;
    float sum = TRAIN_BY_HALF(f->at->type, train_half_sum, plane, f->pitch / 2);
    if (f->at->type == TRAIN_FP16)
      train_put(f->bias, filter + i - f->begin, sum, TRAIN_FP16);
    else
      train_put(f->bias, filter + i - f->begin, sum, TRAIN_BF16);
  }
}

// The core's filters; `open`: the transfer of the first.
static void stream_filters(const struct filters *f, struct rt_range mine, unsigned open,
                           bool biases) {
  uint32_t slot = 0;
  for (uint32_t i = mine.begin; i < mine.end; i += f->filters, slot ^= 1) {
    rt_dma_wait(open);
    open = rt_dma_open();
    if (i + f->filters < mine.end)
      load_grad(f, i + f->filters, mine.end, !slot);
    if (i > mine.begin)
      store_weights(f, i - f->filters, mine.end, !slot);
    if (biases)
      sum_filters(f, i, filters_of(f, i, mine.end), slot);
    multiply_filters(f, filters_of(f, i, mine.end), slot);
    train_half_watch(f->out[slot], filters_of(f, i, mine.end) * f->channels, f->at->type);
  }
  rt_dma_wait(open);
  uint32_t last = mine.begin + (mine.end - mine.begin - 1) / f->filters * f->filters;
  open = rt_dma_open();
  if (biases) {
    train_half_watch(f->bias, mine.end - mine.begin, f->at->type);
    rt_dma_also_out(f->at->bias_grad + mine.begin, f->bias, (mine.end - mine.begin) * 2);
  }
  store_weights(f, last, mine.end, !slot);
  rt_dma_wait(open);
}

static void place_filters(struct filters *f, char *l1, uint32_t channels, uint32_t own) {
  uint32_t each = core_bytes(f, channels, own), planes = eights(channels * f->pitch * 2);
  uint32_t grad = eights(f->filters * f->pitch * 2), out = eights(f->filters * channels * 2);
  char *at = l1 + planes + rt_core_id() * each;
  f->in = (const uint16_t *)(const void *)l1;
  for (uint32_t i = 0; i < 2; i++) {
    f->grad[i] = (uint16_t *)(void *)(at + i * grad);
    f->out[i] = (uint16_t *)(void *)(at + 2 * grad + i * out);
  }
  f->bias = (uint16_t *)(void *)(at + 2 * grad + 2 * out);
}

static struct filters filters_at(const struct train_net_layer *l, const struct train_half_place *at,
                                 uint32_t begin) {
  return (struct filters){.layer = l,
                          .at = at,
                          .pitch = train_net_half_pitch((uint32_t)l->out_h * l->out_w),
                          .begin = begin};
}

static __attribute__((noinline)) enum kernel_status pixels_wg(const struct train_net *net,
                                                              const struct train_net_layer *l,
                                                              const struct train_half_place *at) {
  struct rt_range mine = rt_share(l->out_c);
  uint32_t cores = rt_core_count();
  struct filters f = filters_at(l, at, mine.begin);
  if (!fit_filters(net, &f))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  uint32_t channels = f.channels;
  place_filters(&f, (char *)net->l1, channels, (l->out_c + cores - 1) / cores);
  for (f.channel = 0; f.channel < l->in_c; f.channel += f.channels) {
    f.channels = l->in_c - f.channel < channels ? l->in_c - f.channel : channels;
    rt_barrier();
    unsigned open = rt_dma_open();
    if (mine.begin < mine.end)
      load_grad(&f, mine.begin, mine.end, 0);
    if (rt_core_id() == 0)
      rt_dma_also_in((void *)(uintptr_t)f.in, at->in + (size_t)f.channel * f.pitch,
                     f.channels * f.pitch * 2);
    rt_dma_wait(open);
    rt_barrier(); // the planes are there
    if (mine.begin < mine.end)
      stream_filters(&f, mine, rt_dma_open(), f.channel == 0 && at->bias_grad);
  }
  return KERNEL_OK;
}

enum kernel_status train_half_pixels_bw(const struct train_net *net,
                                        const struct train_net_layer *l,
                                        const struct train_half_place *at) {
  if (at->weights_grad)
    KERNEL_CHECK(pixels_wg(net, l, at));
  return at->in_grad ? pixels_ig(net, l, at) : KERNEL_OK;
}

bool train_half_pixels_fit(const struct train_net *net, const struct train_net_layer *l,
                           bool backward) {
  static const uint16_t some;
  const struct train_half_place all = {
      .blocks = &train_half_fp16, .in = &some, .bias = &some, .gated = true};
  const struct panels forward = panels_fw(l, &all), back = panels_ig(l, &all);
  struct filters f = filters_at(l, &all, 0);
  struct room room;
  return fit(net, &forward, &room) &&
         (!backward || (fit(net, &back, &room) && fit_filters(net, &f)));
}
