// kernels/compat/pmsis_dma.c: the cluster's DMA by the runtime. Longer transfers than a command can
// say are waited for but for their last part.
#include "kernels/rt/rt.h"
#include "pmsis.h"

enum { MOST = 65536 };

static unsigned begin(uint32_t ext, uint32_t loc, uint32_t size, pi_cl_dma_dir_e dir) {
  return dir == PI_CL_DMA_DIR_EXT2LOC ? rt_dma_in((void *)loc, (void *)ext, size)
                                      : rt_dma_out((void *)ext, (void *)loc, size);
}

void pi_cl_dma_cmd(uint32_t ext, uint32_t loc, uint32_t size, pi_cl_dma_dir_e dir,
                   pi_cl_dma_cmd_t *cmd) {
  for (; size > MOST; size -= MOST, ext += MOST, loc += MOST)
    rt_dma_wait(begin(ext, loc, MOST, dir));
  cmd->id = size ? (int)begin(ext, loc, size, dir) + 1 : 0;
}

// Lines of `length` bytes, `stride` apart outside, one behind the other in L1; the last may be
// shorter.
void pi_cl_dma_cmd_2d(uint32_t ext, uint32_t loc, uint32_t size, uint32_t stride, uint32_t length,
                      pi_cl_dma_dir_e dir, pi_cl_dma_cmd_t *cmd) {
  bool in = dir == PI_CL_DMA_DIR_EXT2LOC;
  uint32_t most = length && length < MOST ? MOST / length : 1;
  cmd->id = 0;
  for (uint32_t rows = length ? size / length : 0; rows;) {
    uint32_t n = rows < most ? rows : most;
    pi_cl_dma_cmd_wait(cmd);
    cmd->id = 1 + (int)(in ? rt_dma_in_2d((void *)loc, (void *)ext, n, length, stride)
                           : rt_dma_out_2d((void *)ext, (void *)loc, n, length, stride));
    rows -= n;
    ext += n * stride;
    loc += n * length;
    size -= n * length;
  }
  if (size) {
    pi_cl_dma_cmd_wait(cmd);
    pi_cl_dma_cmd(ext, loc, size, dir, cmd);
  }
}

void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t *cmd) {
  if (cmd->id)
    rt_dma_wait((unsigned)cmd->id - 1);
  cmd->id = 0;
}

void pi_cl_dma_memcpy(pi_cl_dma_copy_t *copy) {
  pi_cl_dma_cmd_t cmd;
  pi_cl_dma_cmd(copy->ext, copy->loc, copy->size, copy->dir, &cmd);
  copy->id = (uint32_t)cmd.id;
}

void pi_cl_dma_memcpy_2d(pi_cl_dma_copy_2d_t *copy) {
  pi_cl_dma_cmd_t cmd;
  pi_cl_dma_cmd_2d(copy->ext, copy->loc, copy->size, copy->stride, copy->length, copy->dir, &cmd);
  copy->id = (uint32_t)cmd.id;
}

void pi_cl_dma_wait(void *copy) {
  pi_cl_dma_copy_t *c = copy; // both kinds begin alike
  pi_cl_dma_cmd_t cmd = {.id = (int)c->id};
  pi_cl_dma_cmd_wait(&cmd);
  c->id = 0;
}
