// kernels/train/train_net_pass.c: see train_net_pass.h.
#include "train_net_pass.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

// Floats between the places of operands, which do not begin at one bank; the DMA moves pairs.
enum { GAP = 2 };

static RT_L1_BSS struct train_tiles tiles; // shared, as each core's stack is short

struct run {
  const struct train_net_pass *pass;
  uint8_t operand[TRAIN_NET_STREAMS]; // of each stream
  uint32_t used;                      // floats of L1
};

static void compute(void *layer, const struct train_tile_step *step, void *const *at) {
  const struct run *r = layer;
  const struct train_net_pass *p = r->pass;
  float *floats[TRAIN_NET_STREAMS];
  for (uint32_t i = 0; i < TRAIN_NET_STREAMS; i++)
    floats[i] = p->stream[i].array ? at[r->operand[i]] : NULL;
  uint32_t left = p->channels - step->at[0] * p->part;
  p->compute(p, left < p->part ? left : p->part, floats);
}

static struct train_tile_operand operand(const struct train_net_pass *p,
                                         const struct train_net_stream *s) {
  uint32_t bytes = s->floats * 4, last = p->channels - (tiles.count[0] - 1) * p->part;
  return (struct train_tile_operand){.ext = (char *)(uintptr_t)s->array,
                                     .step = {p->part * bytes, 0, 0},
                                     .rows = 1,
                                     .row_bytes = p->part * bytes,
                                     .last_row_bytes = last * bytes,
                                     .row_loop = TRAIN_TILE_NO_LOOP,
                                     .byte_loop = 0,
                                     .out = s->out};
}

static void plan(const struct train_net_pass *p, float *l1) {
  tiles.count[0] = (p->channels + p->part - 1) / p->part;
  tiles.count[1] = tiles.count[2] = 1;
  tiles.compute = compute;
  tiles.operands = 0;
  for (uint32_t i = 0; i < TRAIN_NET_STREAMS; i++) {
    const struct train_net_stream *s = &p->stream[i];
    if (!s->array)
      continue;
    struct train_tile_operand *o = &tiles.operand[tiles.operands++];
    *o = operand(p, s);
    for (uint32_t k = 0; k < 2; k++) {
      o->place[k] = l1;
      if (k == 1 || tiles.count[0] > 1)
        l1 += (p->part * s->floats + 1) / 2 * 2 + GAP;
    }
  }
}

// Operands and floats of L1, as plan() makes them.
static struct run run_of(const struct train_net_pass *p) {
  struct run r = {.pass = p};
  uint32_t operands = 0;
  for (uint32_t i = 0; i < TRAIN_NET_STREAMS; i++) {
    const struct train_net_stream *s = &p->stream[i];
    if (!s->array)
      continue;
    r.operand[i] = (uint8_t)operands++;
    r.used += ((p->part * s->floats + 1) / 2 * 2 + GAP) << (p->part < p->channels);
  }
  return r;
}

enum kernel_status train_net_pass(const struct train_net *net, struct train_net_pass *pass) {
  struct run r = run_of(pass);
  pass->scratch = net->l1 + r.used;
  if ((r.used + pass->scratch_floats) * 4 > net->l1_bytes)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  rt_barrier();
  if (rt_core_id() == 0)
    plan(pass, net->l1);
  rt_barrier();
  train_tiles_run(&tiles, &r);
  return KERNEL_OK;
}
