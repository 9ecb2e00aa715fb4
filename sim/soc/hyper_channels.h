// sim/soc/hyper_channels.h: the registers of the HyperBus with eight channels (pulp-sdk's chip
// `pulp`, peripheral 8 of the uDMA, 0x1a10_2480), in front of the same memory as those of hyper.h.
//
// 0x80 for each channel, then what they share:
//   +0x00 address in L2, +0x04 bytes, +0x08 configuration: from L3 to L2; +0x0c: the same, from L2
//   +0x18 command: bit 0 memory, not registers   +0x1c address in L3
//   +0x24 status: bit 0 busy, above it the number of transfers   (read)
//   +0x28 rows in L3, +0x2c bytes of a row, +0x30 its stride; +0x34: the same, in L2
//   +0x400 the bus's timing, which is the configuration's here; +0x420 chip select, 0: the RAM
//   +0x424 the first channel that is not busy, or 8                (read)
//
// A store of 1 << 4 to a configuration starts. Events of the SoC: 34 L3 to L2, 35 L2 to L3. Source:
// pulp-sdk at d4b5bcdd, archi/udma/hyper/udma_hyper_v3.h and drivers/hyperbus/hyperbus-v3.c. Times
// are those of hyper.h, each row in L3 with a latency of its own (unverified).
#ifndef PULPSIM_HYPER_CHANNELS_H
#define PULPSIM_HYPER_CHANNELS_H

#include "soc/hyper.h"

enum { HYPER_CHANNELS = 8, HYPER_CHANNELS_SIZE = 0x480, HYPER_CHANNEL_MOST = 8 };

struct hyper_channels {
  struct hyper *hyper;
  uint32_t reg[HYPER_CHANNELS_SIZE / 4];
};

// The device; `h` is there already.
struct device hyper_channels_device(struct hyper_channels *channels, struct hyper *h,
                                    uint32_t base);

#endif
