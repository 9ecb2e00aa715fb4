#include "sim/host_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/out_of_memory.h"
#include "sim/machine.h"

enum { FIRST = 3, READ_MOST = 1 << 20 };

// What has been done for a core: a call, its result, and what was read.
struct host_record {
  uint8_t call;
  uint32_t argument[3], result, count;
  uint8_t *bytes;
};

// ---- the calls themselves

static uint32_t failed(void) {
  return (uint32_t)-errno;
}

static int host_flags(uint32_t flags) { // newlib's: sys/_default_fcntl.h
  static const struct {
    uint32_t guest;
    int host;
  } bits[] = {{0x8, O_APPEND}, {0x200, O_CREAT}, {0x400, O_TRUNC}, {0x800, O_EXCL}};
  int host = (int)(flags & 3) | O_CLOEXEC;
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
    if (flags & bits[i].guest)
      host |= bits[i].host;
  return host;
}

static bool read_path(const struct pulpsim *sim, uint32_t address, char path[HOST_PATH]) {
  for (uint32_t i = 0; i < HOST_PATH && pulpsim_read(sim, address + i, &path[i], 1); i++)
    if (!path[i])
      return i > 0;
  return false;
}

// Neither ".." nor a link leads out of the directory.
static int open_beneath(const struct host_files *f, const char *path, int flags) {
  struct open_how how = {.flags = (uint64_t)flags,
                         .mode = flags & O_CREAT ? 0666 : 0,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, f->directory - 1, path, &how, sizeof how);
}

static bool granted(struct host_files *f, const char *path) {
  if (!f->directory && !*f->refused)
    snprintf(f->refused, sizeof f->refused, "%.150s", path);
  return f->directory != 0;
}

static uint32_t call_open(struct pulpsim *sim, const uint32_t *a) {
  struct host_files *f = &sim->files;
  char path[HOST_PATH];
  unsigned place = 0;
  if (!read_path(sim, a[0], path))
    return (uint32_t)-EFAULT;
  if (!granted(f, path))
    return (uint32_t)-EACCES;
  while (place < HOST_FILES && f->file[place])
    place++;
  if (place == HOST_FILES)
    return (uint32_t)-EMFILE;
  int fd = open_beneath(f, path, host_flags(a[1]));
  if (fd < 0)
    return failed();
  f->file[place] = fd + 1;
  return place + FIRST;
}

static uint32_t call_unlink(struct pulpsim *sim, const uint32_t *a) {
  struct host_files *f = &sim->files;
  char path[HOST_PATH];
  if (!read_path(sim, a[0], path))
    return (uint32_t)-EFAULT;
  if (!granted(f, path))
    return (uint32_t)-EACCES;
  int fd = open_beneath(f, path, O_PATH | O_NOFOLLOW | O_CLOEXEC); // it is there
  if (fd < 0)
    return failed();
  close(fd);
  if (strchr(path, '/')) // of the directory itself alone: nobody can exchange a part of the path
    return (uint32_t)-EACCES;
  return unlinkat(f->directory - 1, path, 0) == 0 ? 0 : failed();
}

// The host's descriptor; -1: there is none.
static int host_fd(const struct host_files *f, uint32_t fd) {
  if (fd == 0 && f->input)
    return STDIN_FILENO;
  return fd >= FIRST && fd - FIRST < HOST_FILES ? f->file[fd - FIRST] - 1 : -1;
}

static uint32_t call_read(struct pulpsim *sim, const uint32_t *a, struct host_record *r) {
  int fd = host_fd(&sim->files, a[0]);
  uint32_t count = a[2] < READ_MOST ? a[2] : READ_MOST;
  if (a[0] == 0 && fd < 0)
    return 0; // nothing to be read
  if (fd < 0)
    return (uint32_t)-EBADF;
  r->bytes = must_have(malloc(count + 1));
  ssize_t got = read(fd, r->bytes, count);
  if (got < 0)
    return failed();
  r->count = (uint32_t)got;
  return r->count;
}

static uint32_t call_write(struct pulpsim *sim, const uint32_t *a) {
  int fd = host_fd(&sim->files, a[0]);
  uint8_t part[4096];
  if (fd < 0 || a[0] < FIRST)
    return (uint32_t)-EBADF;
  for (uint32_t done = 0; done < a[2];) {
    uint32_t n = a[2] - done < sizeof part ? a[2] - done : (uint32_t)sizeof part;
    if (!pulpsim_read(sim, a[1] + done, part, n))
      return (uint32_t)-EFAULT;
    ssize_t put = write(fd, part, n);
    if (put <= 0)
      return done ? done : failed();
    done += (uint32_t)put;
  }
  return a[2];
}

static uint32_t call_close(struct host_files *f, const uint32_t *a) {
  int fd = host_fd(f, a[0]);
  if (a[0] < FIRST)
    return 0;
  if (fd < 0)
    return (uint32_t)-EBADF;
  f->file[a[0] - FIRST] = 0;
  return close(fd) == 0 ? 0 : failed();
}

static uint32_t call_seek(const struct host_files *f, const uint32_t *a) {
  int fd = host_fd(f, a[0]);
  if (fd < 0)
    return (uint32_t)(a[0] < FIRST ? -ESPIPE : -EBADF);
  off_t at = a[2] <= 2 ? lseek(fd, (int32_t)a[1], (int)a[2]) : (errno = EINVAL, -1);
  return at < 0 ? failed() : (uint32_t)at;
}

static uint32_t call_size(const struct host_files *f, const uint32_t *a) {
  struct stat info;
  int fd = host_fd(f, a[0]);
  if (fd < 0 || fstat(fd, &info) != 0)
    return (uint32_t)-EBADF;
  return info.st_size > INT32_MAX ? (uint32_t)-EFBIG : (uint32_t)info.st_size;
}

static uint32_t perform(struct pulpsim *sim, enum host_file_call call, struct host_record *r) {
  const uint32_t *a = r->argument;
  switch (call) {
  case HOST_OPEN:
    return call_open(sim, a);
  case HOST_CLOSE:
    return call_close(&sim->files, a);
  case HOST_READ:
    return call_read(sim, a, r);
  case HOST_WRITE:
    return call_write(sim, a);
  case HOST_SEEK:
    return call_seek(&sim->files, a);
  case HOST_SIZE:
    return call_size(&sim->files, a);
  default:
    return call_unlink(sim, a);
  }
}

// ---- once

static void forget_from(struct host_files *f, unsigned core, size_t first) {
  for (size_t i = first; i < f->log[core].count; i++)
    free(f->log[core].record[i].bytes);
  if (first < f->log[core].count)
    f->log[core].count = first;
}

// The record of this call if it has been done before.
static struct host_record *known(struct pulpsim *sim, unsigned core, const struct host_record *r) {
  struct host_files *f = &sim->files;
  size_t place = sim->files_done[core];
  if (place >= f->log[core].count)
    return NULL;
  struct host_record *old = &f->log[core].record[place];
  if (old->call == r->call && memcmp(old->argument, r->argument, sizeof r->argument) == 0)
    return old;
  forget_from(f, core, place); // somebody has changed the past
  return NULL;
}

static struct host_record *add(struct host_files *f, unsigned core, const struct host_record *r) {
  if (f->log[core].count == f->log[core].room) {
    f->log[core].room = f->log[core].room ? 2 * f->log[core].room : 16;
    f->log[core].record =
        must_have(realloc(f->log[core].record, f->log[core].room * sizeof *f->log[core].record));
  }
  struct host_record *place = &f->log[core].record[f->log[core].count++];
  *place = *r;
  return place;
}

uint32_t host_files_call(struct pulpsim *sim, unsigned core, enum host_file_call call,
                         const uint32_t argument[3]) {
  struct host_record r = {.call = (uint8_t)call,
                          .argument = {argument[0], argument[1], argument[2]}};
  const struct host_record *done = known(sim, core, &r);
  if (!done) {
    r.result = perform(sim, call, &r);
    done = add(&sim->files, core, &r);
  }
  sim->files_done[core]++;
  if (done->count && !machine_write(sim, argument[1], done->bytes, done->count))
    return (uint32_t)-EFAULT;
  return done->result;
}

bool pulpsim_grant(struct pulpsim *sim, const char *directory, bool input,
                   struct pulpsim_error *error) {
  int fd = -1;
  sim->files.input = input;
  if (directory && (fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
    snprintf(error->text, sizeof error->text, "%.300s: %s", directory, strerror(errno));
    return false;
  }
  if (sim->files.directory)
    close(sim->files.directory - 1);
  sim->files.directory = fd + 1;
  return true;
}

void host_files_free(struct host_files *f) {
  for (unsigned i = 0; i < HOST_FILES; i++)
    if (f->file[i])
      close(f->file[i] - 1);
  if (f->directory)
    close(f->directory - 1);
  for (unsigned i = 0; i < sizeof f->log / sizeof *f->log; i++) {
    forget_from(f, i, 0);
    free(f->log[i].record);
  }
}
