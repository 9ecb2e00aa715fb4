// kernels/compat/pmsis_memory.c: L2 is the C library's heap; L1 what its data and the stacks leave.
#include "pieces.h"
#include "pmsis.h"

void *pi_l2_malloc(int size) {
  return malloc((size_t)size);
}

void pi_l2_free(void *memory, int size) {
  (void)size;
  free(memory);
}

void pi_cl_l2_malloc(uint32_t size, pi_cl_alloc_req_t *req) {
  req->memory = malloc(size);
}

void *pi_cl_l2_malloc_wait(pi_cl_alloc_req_t *req) {
  return req->memory;
}

void pi_cl_l2_free(void *memory, uint32_t size, pi_cl_free_req_t *req) {
  (void)size;
  free(memory);
  req->done = 1;
}

void pi_cl_l2_free_wait(pi_cl_free_req_t *req) {
  (void)req;
}

static struct pieces *l1(void) {
  extern char __l1_end[], __stack_top[], __stack_size[];
  static struct pieces pieces;
  static bool begun;
  if (!begun) {
    uintptr_t stacks = (uintptr_t)pi_cl_cluster_nb_pe_cores() * (uintptr_t)__stack_size;
    pieces.count = 1;
    pieces.free[0].begin =
        ((uintptr_t)__l1_end + PIECES_ALIGN - 1) & ~(uintptr_t)(PIECES_ALIGN - 1);
    pieces.free[0].end = (uintptr_t)__stack_top - stacks;
    begun = true;
  }
  return &pieces;
}

void *pi_cl_l1_malloc(struct pi_device *device, uint32_t size) {
  (void)device;
  return (void *)pieces_take(l1(), size);
}

void pi_cl_l1_free(struct pi_device *device, void *memory, int size) {
  (void)device;
  if (memory)
    pieces_give(l1(), (uintptr_t)memory, (uint32_t)size);
}
