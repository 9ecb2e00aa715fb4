// sim/soc/test_device.h: the device at 0x8000_0000 of the test benches behind the RTL measurements.
//
//   store +0x00 halts the core with that exit code          load +0x0c  cycle
//   store +0x04 prints a character                          load +0x10  retired instructions
//   store +0x08 records a marker                            load +0x14  number of active cores
//                                                           load +0x20  ideal barrier
//
// It sits in front of the demultiplexer: granted at once, data in the next cycle. The ideal
// barrier grants all cores in the cycle in which the last one asks.
#ifndef PULPSIM_TEST_DEVICE_H
#define PULPSIM_TEST_DEVICE_H

#include "soc/hooks.h"

enum { TEST_DEVICE_CORES = 16 };

struct test_device {
  struct engine *engine;
  unsigned actor; // rank: arbiter
  struct soc_hooks hooks;
  unsigned cores;
  struct core *waiting[TEST_DEVICE_CORES];
  unsigned count;
};

void test_device_init(struct test_device *t, struct engine *e, unsigned actor, unsigned cores,
                      struct soc_hooks hooks);

// The access in c->acc (any address of the device). Rank CORES.
void test_device_request(struct test_device *t, struct core *c, cycle_t now);

#endif
