// What benchmarks of the field ask of a board, on the machine `cv32e40p`: its test device's cycle
// (docs/memory-map.md) as clock(), so that a second of CoreMark's is a million cycles, and as
// time(); Embench's and Dhrystone's marks of the part that is timed.
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define CYCLE (*(volatile uint32_t *)0x8000000c)

static uint32_t started;

clock_t clock(void) {
  return (clock_t)CYCLE;
}

// Embench's statemate has a variable of this name.
__attribute__((weak)) time_t time(time_t *at) {
  time_t now = (time_t)CYCLE;
  if (at)
    *at = now;
  return now;
}

void initialise_board(void);
void start_trigger(void);
void stop_trigger(void);
void setStats(int);

void initialise_board(void) {}

void start_trigger(void) {
  started = CYCLE;
}

void stop_trigger(void) {
  uint32_t stopped = CYCLE;
  printf("cycles %lu\n", (unsigned long)(stopped - started));
}

// riscv-tests' Dhrystone: 1 in front of the runs, 0 behind them.
void setStats(int on) {
  (on ? start_trigger : stop_trigger)();
}
