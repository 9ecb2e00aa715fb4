// sim/observe/check_layout.h: what of memory is meant for what, by the program's segments and
// symbols.
#ifndef PULPSIM_CHECK_LAYOUT_H
#define PULPSIM_CHECK_LAYOUT_H

#include "sim/pulpsim.h"

enum { LAYOUT_SEGMENTS = 32 };

struct layout {
  struct {
    uint32_t begin, end;
    bool writable;
  } segment[LAYOUT_SEGMENTS];
  unsigned segments;
  uint32_t l1_base, l1_size, l1_data; // shared L1; bytes of static data in it. 0: none
  uint32_t l1_end;                    // behind its data; 0: unknown
  uint32_t stack_top, stack_size;     // of core 0, and of each; 0: unknown
  unsigned cores;
  bool low; // the program is linked for addresses near 0 too
};

void layout_read(struct layout *l, const struct pulpsim *sim);

bool layout_is_l1(const struct layout *l, uint32_t address);
bool layout_is_memory(const struct layout *l, uint32_t address); // L1, or near the program
bool layout_is_loaded(const struct layout *l, uint32_t address); // part of the program's segments
bool layout_is_stack(const struct layout *l, uint32_t address);
uint32_t layout_stack_bottom(const struct layout *l, unsigned core); // 0: unknown

// Whether the program has something there to load or store.
bool layout_allows(const struct layout *l, uint32_t address, unsigned size, bool write);

#endif
