#include "soc/hyper_channels.h"

enum {
  CHANNEL = 0x80,
  TO_L2 = 0x00,
  FROM_L2 = 0x0c,
  CONFIG = 0x08, // behind either
  COMMAND = 0x18,
  EXTERNAL = 0x1c,
  STATUS = 0x24,
  ROWS_L3 = 0x28,
  ROWS_L2 = 0x34,
  SELECT = 0x420,
  FREE = 0x424
};
enum { ENABLE = 1 << 4, COMMAND_MEMORY = 1, EVENT_TO_L2 = 34, EVENT_FROM_L2 = 35 };

static struct hyper_rows rows(const uint32_t *reg) {
  return reg[0] & 1 ? (struct hyper_rows){reg[1], reg[2]} : (struct hyper_rows){0, 0};
}

static void start(const struct hyper_channels *s, unsigned channel, bool to_l2, struct core *c,
                  cycle_t now) {
  const uint32_t *reg = &s->reg[channel * CHANNEL / 4], *way = &reg[(to_l2 ? TO_L2 : FROM_L2) / 4];
  struct hyper_transfer t = {.l2 = way[0],
                             .l3 = reg[EXTERNAL / 4],
                             .bytes = way[1],
                             .to_l2 = to_l2,
                             .channel = channel,
                             .event = to_l2 ? EVENT_TO_L2 : EVENT_FROM_L2,
                             .l2_rows = rows(&reg[ROWS_L2 / 4]),
                             .l3_rows = rows(&reg[ROWS_L3 / 4])};
  if (s->reg[SELECT / 4] || !(reg[COMMAND / 4] & COMMAND_MEMORY))
    s->hyper->fault(s->hyper->self, c,
                    s->reg[SELECT / 4] ? "transfer of HyperFlash, which nobody models"
                                       : "access to a register of HyperRAM, which nobody models",
                    now);
  else
    hyper_start(s->hyper, t, HYPER_CHANNEL_MOST, c, now);
}

static uint32_t free_channel(const struct hyper_channels *s) {
  uint32_t channel = 0;
  while (channel < HYPER_CHANNELS && hyper_waiting(s->hyper, channel))
    channel++;
  return channel;
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c, (void)when;
  const struct hyper_channels *s = self;
  unsigned channel = offset / CHANNEL, in = offset % CHANNEL,
           waiting = hyper_waiting(s->hyper, channel);
  if (offset == FREE)
    return free_channel(s);
  if (channel < HYPER_CHANNELS && in == STATUS)
    return (waiting ? 1 : 0) | waiting << 1;
  if (channel < HYPER_CHANNELS && (in == TO_L2 + CONFIG || in == FROM_L2 + CONFIG))
    return waiting ? ENABLE : 0;
  return s->reg[offset / 4];
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  struct hyper_channels *s = self;
  unsigned channel = offset / CHANNEL, in = offset % CHANNEL;
  s->reg[offset / 4] = value;
  if (channel < HYPER_CHANNELS && value & ENABLE &&
      (in == TO_L2 + CONFIG || in == FROM_L2 + CONFIG))
    start(s, channel, in == TO_L2 + CONFIG, c, when);
}

struct device hyper_channels_device(struct hyper_channels *channels, struct hyper *h,
                                    uint32_t base) {
  channels->hyper = h;
  return (struct device){base, HYPER_CHANNELS_SIZE, channels, read, write};
}
