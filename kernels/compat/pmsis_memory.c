// kernels/compat/pmsis_memory.c: L2 is the C library's heap; L1 what its data and the stacks leave.
#include "pmsis.h"

enum { ALIGN = 8 };

// A free piece of L1, by ascending address; the list is in L2.
static struct piece { uintptr_t begin, end; } pieces[64];
static unsigned count;

void *pi_l2_malloc(int size) {
  return malloc((size_t)size);
}

void pi_l2_free(void *memory, int size) {
  (void)size;
  free(memory);
}

static void begin_once(void) {
  extern char __l1_end[], __stack_top[], __stack_size[];
  static bool begun;
  if (begun)
    return;
  begun = true;
  uintptr_t stacks = (uintptr_t)pi_cl_cluster_nb_pe_cores() * (uintptr_t)__stack_size;
  pieces[count++] = (struct piece){(uintptr_t)__l1_end, (uintptr_t)__stack_top - stacks};
}

void *pi_cl_l1_malloc(struct pi_device *device, uint32_t size) {
  (void)device;
  begin_once();
  size = (size + ALIGN - 1) & ~(uint32_t)(ALIGN - 1);
  for (unsigned i = 0; i < count && size; i++)
    if (pieces[i].end - pieces[i].begin >= size) {
      void *memory = (void *)pieces[i].begin;
      pieces[i].begin += size;
      return memory;
    }
  return NULL;
}

// Joins it to the piece in front, or behind; a piece of its own otherwise. Of more pieces than the
// list has room for one is lost.
void pi_cl_l1_free(struct pi_device *device, void *memory, int size) {
  (void)device;
  uintptr_t begin = (uintptr_t)memory, end = begin + (((unsigned)size + ALIGN - 1) & ~7u);
  unsigned i = 0;
  while (i < count && pieces[i].begin < begin)
    i++;
  if (i > 0 && pieces[i - 1].end == begin) {
    pieces[i - 1].end = end;
    if (i < count && pieces[i].begin == end) {
      pieces[i - 1].end = pieces[i].end;
      memmove(&pieces[i], &pieces[i + 1], (--count - i) * sizeof *pieces);
    }
  } else if (i < count && pieces[i].begin == end) {
    pieces[i].begin = begin;
  } else if (count < sizeof pieces / sizeof *pieces) {
    memmove(&pieces[i + 1], &pieces[i], (count++ - i) * sizeof *pieces);
    pieces[i] = (struct piece){begin, end};
  }
}
