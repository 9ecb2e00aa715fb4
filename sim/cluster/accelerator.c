#include "cluster/accelerator.h"

#include <string.h>

enum { START = 0x00, ACQUIRE = 0x04, STATUS = 0x0c, CLEAR = 0x14, JOB = 0x40, SUM = 0x54 };
enum { ADDRESS, TRANSFERS, STEP, STORES, WORD, JOB_REGISTERS };
enum { WINDOW = 0x100000 }; // in which the memory is

static uint32_t offset_of(const struct accelerator *a, uint32_t address) {
  return (address & (WINDOW - 1) & ~3u) % a->tcdm->size;
}

// Behind the last word the memory begins anew.
static void move(struct accelerator *a) {
  for (unsigned i = 0; i < a->tcdm->wide.words; i++) {
    uint8_t *p = a->tcdm->bytes + offset_of(a, a->at + 4 * i);
    uint32_t word = a->job[WORD];
    if (a->job[STORES]) {
      memcpy(p, &word, sizeof word);
    } else {
      memcpy(&word, p, sizeof word);
      a->sum += word;
    }
  }
}

static void granted(void *self, uint32_t ports, cycle_t now) {
  (void)ports;
  struct accelerator *a = self;
  move(a);
  a->at = offset_of(a, a->at + a->job[STEP]);
  a->ends = --a->left == 0;
  engine_wake(a->engine, a->actor, now + 1);
}

static void step(void *self, cycle_t now) {
  struct accelerator *a = self;
  if (!a->ends) {
    tcdm_wide_post(a->tcdm, a->at);
    return;
  }
  a->ends = false;
  if (a->event)
    a->event(a->event_self, now);
}

static void start(struct accelerator *a, cycle_t now) {
  if (a->left || !a->job[TRANSFERS])
    return;
  a->left = a->job[TRANSFERS];
  a->at = offset_of(a, a->job[ADDRESS]);
  engine_wake(a->engine, a->actor, now + 1);
}

static uint32_t read(const struct accelerator *a, uint32_t offset) {
  if (offset == ACQUIRE)
    return a->left ? UINT32_MAX : 0;
  if (offset == STATUS)
    return a->left != 0;
  if (offset == SUM)
    return a->sum;
  return offset >= JOB && offset < JOB + 4 * JOB_REGISTERS ? a->job[(offset - JOB) / 4] : 0;
}

static void write(struct accelerator *a, uint32_t offset, uint32_t value, cycle_t now) {
  if (offset == START)
    start(a, now);
  else if (offset == CLEAR)
    a->sum = 0;
  else if (offset >= JOB && offset < JOB + 4 * JOB_REGISTERS && !a->left)
    a->job[(offset - JOB) / 4] = value;
}

static void access(void *self, const struct periph_access *request, cycle_t now) {
  struct accelerator *a = self;
  uint32_t offset = request->addr & 0x3fc, data = 0;
  if (request->write)
    write(a, offset, request->data, now);
  else
    data = read(a, offset);
  periph_respond(a->periph, request->port, data, now + 1);
}

void accelerator_init(struct accelerator *a, struct engine *e, unsigned actor,
                      struct periph *periph, struct tcdm *tcdm) {
  *a = (struct accelerator){.engine = e, .actor = actor, .periph = periph, .tcdm = tcdm};
  tcdm_wide_attach(tcdm, granted, a);
  periph_attach(periph, PERIPH_ACCELERATOR, (struct periph_slave){.self = a, .access = access});
  engine_add(e, actor, step, a);
}
