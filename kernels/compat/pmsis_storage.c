// kernels/compat/pmsis_storage.c: RAM by the uDMA, files by host calls.
#include "pmsis_storage.h"

#include <fcntl.h>
#include <unistd.h>

#include "kernels/rt/rt.h"
#include "pieces.h"
#include "pmsis.h"

// ---- RAM

enum { FIRST = 256, RAM_BYTES = 8 << 20 }; // a HyperRAM of 64 Mbit; no piece is at 0

static struct pieces ram = {1, {{FIRST, RAM_BYTES}}};

void pi_ram_conf_init(struct pi_ram_conf *conf) {
  *conf = (struct pi_ram_conf){.ram_size = RAM_BYTES};
}

int32_t pi_ram_open(struct pi_device *device) {
  (void)device;
  return 0;
}

void pi_ram_close(struct pi_device *device) {
  (void)device;
}

int32_t pi_ram_alloc(struct pi_device *device, void *address, uint32_t size) {
  (void)device;
  uint32_t found = pieces_take(&ram, size);
  memcpy(address, &found, sizeof found);
  return found ? 0 : -1;
}

int32_t pi_ram_free(struct pi_device *device, uint32_t address, uint32_t size) {
  (void)device;
  if (address)
    pieces_give(&ram, address, size);
  return 0;
}

void pi_ram_read(struct pi_device *device, uint32_t address, void *memory, uint32_t size) {
  pi_cl_ram_req_t req;
  pi_cl_ram_copy(device, address, memory, size, 1, &req);
  pi_cl_ram_copy_wait(&req);
}

void pi_ram_write(struct pi_device *device, uint32_t address, void *memory, uint32_t size) {
  pi_cl_ram_req_t req;
  pi_cl_ram_copy(device, address, memory, size, 0, &req);
  pi_cl_ram_copy_wait(&req);
}

void pi_cl_ram_alloc(struct pi_device *device, uint32_t size, pi_cl_ram_req_t *req) {
  pi_ram_alloc(device, &req->number, size);
}

int32_t pi_cl_ram_alloc_wait(pi_cl_ram_req_t *req, void *address) {
  memcpy(address, &req->number, sizeof req->number);
  return req->number ? 0 : -1;
}

void pi_cl_ram_free(struct pi_device *device, uint32_t address, uint32_t size,
                    pi_cl_ram_req_t *req) {
  (void)req;
  pi_ram_free(device, address, size);
}

int32_t pi_cl_ram_free_wait(pi_cl_ram_req_t *req) {
  (void)req;
  return 0;
}

void pi_cl_ram_copy(struct pi_device *device, uint32_t address, void *memory, uint32_t size,
                    int into_memory, pi_cl_ram_req_t *req) {
  pi_cl_ram_copy_2d(device, address, memory, size, size, size, into_memory, req);
}

void pi_cl_ram_copy_2d(struct pi_device *device, uint32_t address, void *memory, uint32_t size,
                       uint32_t stride, uint32_t length, int into_memory, pi_cl_ram_req_t *req) {
  (void)device;
  char *at = memory;
  *req = (pi_cl_ram_req_t){.out = !into_memory}; // transfer 0 is done
  while (size && length) {
    uint32_t bytes = size < length ? size : length;
    struct rt_l3 last = into_memory ? rt_l3_in(at, address, bytes) : rt_l3_out(address, at, bytes);
    req->number = last.number;
    address += stride;
    at += bytes;
    size -= bytes;
  }
}

void pi_cl_ram_copy_wait(pi_cl_ram_req_t *req) {
  rt_l3_wait((struct rt_l3){.number = req->number, .out = req->out});
}

// ---- flash and its file system

void pi_flash_conf_init(struct pi_flash_conf *conf) {
  *conf = (struct pi_flash_conf){0};
}

int32_t pi_flash_open(struct pi_device *device) {
  (void)device;
  return 0;
}

void pi_flash_close(struct pi_device *device) {
  (void)device;
}

void pi_readfs_conf_init(struct pi_readfs_conf *conf) {
  *conf = (struct pi_readfs_conf){0};
}

int32_t pi_fs_mount(struct pi_device *device) {
  (void)device;
  return 0;
}

void pi_fs_unmount(struct pi_device *device) {
  (void)device;
}

pi_fs_file_t *pi_fs_open(struct pi_device *device, const char *name, int flags) {
  (void)device;
  (void)flags;
  int host = open(name, O_RDONLY);
  if (host < 0)
    return NULL;
  off_t size = lseek(host, 0, SEEK_END);
  pi_fs_file_t *file = size < 0 || lseek(host, 0, SEEK_SET) < 0 ? NULL : malloc(sizeof *file);
  if (file)
    *file = (pi_fs_file_t){.size = (uint32_t)size, .host = host};
  else
    close(host);
  return file;
}

void pi_fs_close(pi_fs_file_t *file) {
  close(file->host);
  free(file);
}

int32_t pi_fs_read(pi_fs_file_t *file, void *memory, uint32_t size) {
  return read(file->host, memory, size);
}

int32_t pi_fs_seek(pi_fs_file_t *file, unsigned offset) {
  return lseek(file->host, (off_t)offset, SEEK_SET) < 0 ? -1 : 0;
}

int32_t pi_fs_copy(pi_fs_file_t *file, uint32_t offset, void *memory, uint32_t size,
                   int into_memory) {
  if (!into_memory || pi_fs_seek(file, offset) != 0)
    return -1;
  return pi_fs_read(file, memory, size) == (int32_t)size ? 0 : -1;
}

void pi_cl_fs_read(pi_fs_file_t *file, void *memory, uint32_t size, pi_cl_fs_req_t *req) {
  req->result = pi_fs_read(file, memory, size);
}

void pi_cl_fs_seek(pi_fs_file_t *file, uint32_t offset, pi_cl_fs_req_t *req) {
  req->result = pi_fs_seek(file, offset);
}

void pi_cl_fs_copy(pi_fs_file_t *file, uint32_t offset, void *memory, uint32_t size,
                   int into_memory, pi_cl_fs_req_t *req) {
  req->result = pi_fs_copy(file, offset, memory, size, into_memory);
}

int32_t pi_cl_fs_wait(pi_cl_fs_req_t *req) {
  return req->result;
}
