// sim/soc/hooks.h: what devices tell the machine.
#ifndef PULPSIM_HOOKS_H
#define PULPSIM_HOOKS_H

#include "engine/engine.h"

struct core;

struct soc_hooks {
  void *self;
  void (*put)(void *self, unsigned hartid, char character);
  void (*exit)(void *self, struct core *c, int status);                   // ends the program
  void (*core_exit)(void *self, struct core *c, int status, cycle_t now); // ends this core's run
  void (*start)(void *self, unsigned core, uint32_t pc, cycle_t now);     // fetch enable; or NULL
  void (*fault)(void *self, struct core *c, const char *text,
                cycle_t now); // the core asked for nonsense
  void (*mark)(void *self, struct core *c, uint32_t value, cycle_t now);
  uint64_t (*instructions)(void *self, struct core *c, cycle_t now); // retired by now
};

#endif
