// kernels/rt/platform.h: addresses of the PULP cluster that the runtime uses.
//
// Source: public RTL of pulp-open (pulp_cluster, event_unit_flex, mchan v7) and of its
// runtimes; GAP8, Vega and Mr. Wolf have the same cluster map. Also read by assembly.
#ifndef RT_PLATFORM_H
#define RT_PLATFORM_H

// Cluster peripherals, seen by all cores.
#define RT_ICACHE_ENABLE 0x10201400 // all ones: caches of all cores on

// Event unit of the own core (demux: one cycle, no arbitration).
#define RT_EU_BASE       0x10204000
#define RT_EU_MASK       0x000 // events that end a wait
#define RT_EU_WAIT_CLEAR 0x03C // event load: sleep until a masked event, then clear it
#define RT_EU_MUTEX      0x0C0 // event load: sleep until it is free, then have it; write: free it
#define RT_EU_BARRIER    0x200 // barrier 0: trigger mask; +0xC target mask
#define RT_EU_BARRIER_TO 0x20C
#define RT_EU_BARRIER_GO 0x21C // event load: arrive, sleep until all have, clear

#define RT_EU_SOC_QUEUE 0x10200F00 // read: takes the next event of the SoC

#define RT_EVENT_DMA   8
#define RT_EVENT_SOC   27      // high while that queue is not empty
#define RT_EVENT_TEAM  0x70000 // barrier (16), mutex (17), dispatch (18)
#define RT_BARRIER_BIT 16

// DMA (mchan v7), command queue of the own core.
#define RT_DMA_CMD    0x10204400 // read: allocate an id; write: the words of a command
#define RT_DMA_STATUS 0x10204404 // [15:0] running; write 1 << id: release the id

// L3 (HyperRAM) behind the uDMA: from L3 to L2; the other direction 0x10 behind.
#define RT_L3_BASE 0x1A102180

// SoC: one character register per core, and the end of the program.
#define RT_STDOUT     0x1A10F000 // + (core << 3) + (cluster << 7)
#define RT_EXIT       0x1A1040A0
#define RT_EXIT_VALID 0x80000000
#define RT_HOST_CORES 0x1000 // ecall number (a7): a0 = number of cores that run
#define RT_HOST_ARGUMENT                                                                           \
  0x1001                   // text of argument a0 into the a2 bytes at a1: a0 = length, < 0: none
#define RT_STACK_ERROR 125 // exit status: no room for that many stacks
#define RT_DMA_ERROR   126 // exit status: transfer too long, or empty

#endif
