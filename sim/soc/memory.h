// sim/soc/memory.h: a block of bytes in the address map.
#ifndef PULPSIM_MEMORY_H
#define PULPSIM_MEMORY_H

#include <stdint.h>

struct memory {
  uint32_t base, size;
  uint8_t *bytes;   // size + 8 bytes: word reads at the end stay inside
  uint8_t *code;    // per 64 bytes: CODE_* of core/ports.h; NULL while there is none
  uint8_t *fetched; // bit per word: a core keeps what it has fetched there
};

#endif
