// kernels/compat/pmsis_storage.h: RAM, flash and file systems of PMSIS's board support; a part of
// pmsis.h, and what the headers under bsp/ stand for.
//
// RAM is L3, through the uDMA, as the machine has it. A file system is what `pulpsim --files
// DIRECTORY` grants: its files are flash's, and reading them takes the time of a host call. One
// core uses these functions.
#ifndef COMPAT_PMSIS_STORAGE_H
#define COMPAT_PMSIS_STORAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pi_device;

// ---- RAM: addresses from 256 on, 8 MB; memory on the chip is L2

struct pi_ram_conf {
  int ram_start, ram_size, itf, cs;
};
#define pi_hyperram_conf    pi_ram_conf
#define pi_spiram_conf      pi_ram_conf
#define pi_default_ram_conf pi_ram_conf
void pi_ram_conf_init(struct pi_ram_conf *conf);
#define pi_hyperram_conf_init    pi_ram_conf_init
#define pi_spiram_conf_init      pi_ram_conf_init
#define pi_default_ram_conf_init pi_ram_conf_init

int32_t pi_ram_open(struct pi_device *device);
void pi_ram_close(struct pi_device *device);
// 0, with the address; -1 if there is no such piece left, with 0. `address`: of 32 bits.
int32_t pi_ram_alloc(struct pi_device *device, void *address, uint32_t size);
int32_t pi_ram_free(struct pi_device *device, uint32_t address, uint32_t size);
void pi_ram_read(struct pi_device *device, uint32_t address, void *memory, uint32_t size);
void pi_ram_write(struct pi_device *device, uint32_t address, void *memory, uint32_t size);

// Of the cluster: begun, and waited for.
typedef struct {
  uint32_t number, out;
} pi_cl_ram_req_t;
#define pi_cl_ram_alloc_req_t pi_cl_ram_req_t
#define pi_cl_ram_free_req_t  pi_cl_ram_req_t
void pi_cl_ram_alloc(struct pi_device *device, uint32_t size, pi_cl_ram_req_t *req);
int32_t pi_cl_ram_alloc_wait(pi_cl_ram_req_t *req, void *address);
void pi_cl_ram_free(struct pi_device *device, uint32_t address, uint32_t size,
                    pi_cl_ram_req_t *req);
int32_t pi_cl_ram_free_wait(pi_cl_ram_req_t *req);
void pi_cl_ram_copy(struct pi_device *device, uint32_t address, void *memory, uint32_t size,
                    int into_memory, pi_cl_ram_req_t *req);
// Lines of `length` bytes, `stride` apart in RAM, one behind the other in memory.
void pi_cl_ram_copy_2d(struct pi_device *device, uint32_t address, void *memory, uint32_t size,
                       uint32_t stride, uint32_t length, int into_memory, pi_cl_ram_req_t *req);
void pi_cl_ram_copy_wait(pi_cl_ram_req_t *req);
#define pi_cl_ram_read(device, address, memory, size, req)                                         \
  pi_cl_ram_copy(device, address, memory, size, 1, req)
#define pi_cl_ram_write(device, address, memory, size, req)                                        \
  pi_cl_ram_copy(device, address, memory, size, 0, req)
#define pi_cl_ram_read_2d(device, address, memory, size, stride, length, req)                      \
  pi_cl_ram_copy_2d(device, address, memory, size, stride, length, 1, req)
#define pi_cl_ram_write_2d(device, address, memory, size, stride, length, req)                     \
  pi_cl_ram_copy_2d(device, address, memory, size, stride, length, 0, req)
#define pi_cl_ram_read_wait  pi_cl_ram_copy_wait
#define pi_cl_ram_write_wait pi_cl_ram_copy_wait

// ---- flash and its file system

struct pi_flash_conf {
  int itf, cs;
};
#define pi_hyperflash_conf    pi_flash_conf
#define pi_spiflash_conf      pi_flash_conf
#define pi_mram_conf          pi_flash_conf
#define pi_default_flash_conf pi_flash_conf
void pi_flash_conf_init(struct pi_flash_conf *conf);
#define pi_hyperflash_conf_init    pi_flash_conf_init
#define pi_spiflash_conf_init      pi_flash_conf_init
#define pi_mram_conf_init          pi_flash_conf_init
#define pi_default_flash_conf_init pi_flash_conf_init
int32_t pi_flash_open(struct pi_device *device);
void pi_flash_close(struct pi_device *device);

struct pi_fs_conf {
  struct pi_device *flash;
  int type;
};
struct pi_readfs_conf {
  struct pi_fs_conf fs;
};
#define pi_hostfs_conf pi_readfs_conf
void pi_readfs_conf_init(struct pi_readfs_conf *conf);
#define pi_hostfs_conf_init pi_readfs_conf_init
#define PI_FS_FLAGS_READ    0
int32_t pi_fs_mount(struct pi_device *device);
void pi_fs_unmount(struct pi_device *device);

typedef struct pi_fs_file {
  uint32_t size;
  int host;
} pi_fs_file_t;
typedef struct {
  int result;
} pi_cl_fs_req_t;
pi_fs_file_t *pi_fs_open(struct pi_device *device, const char *name, int flags); // NULL: not there
void pi_fs_close(pi_fs_file_t *file);
int32_t pi_fs_read(pi_fs_file_t *file, void *memory, uint32_t size); // bytes read; negative: failed
int32_t pi_fs_seek(pi_fs_file_t *file, unsigned offset);             // 0, or -1
int32_t pi_fs_copy(pi_fs_file_t *file, uint32_t offset, void *memory, uint32_t size,
                   int into_memory); // 0, or -1; writing is refused
#define pi_fs_direct_read pi_fs_read
void pi_cl_fs_read(pi_fs_file_t *file, void *memory, uint32_t size, pi_cl_fs_req_t *req);
void pi_cl_fs_seek(pi_fs_file_t *file, uint32_t offset, pi_cl_fs_req_t *req);
void pi_cl_fs_copy(pi_fs_file_t *file, uint32_t offset, void *memory, uint32_t size,
                   int into_memory, pi_cl_fs_req_t *req);
int32_t pi_cl_fs_wait(pi_cl_fs_req_t *req);
#define pi_cl_fs_direct_read pi_cl_fs_read

#ifdef __cplusplus
}
#endif

#endif
