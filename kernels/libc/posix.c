// kernels/libc/posix.c: what picolibc wants of an operating system, by host calls.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "kernels/libc/host.h"
#include "kernels/rt/rt.h"

enum {
  CALL_UNLINK = 1026,
  CALL_OPEN = 1024,
  CALL_CLOSE = 57,
  CALL_LSEEK = 62,
  CALL_READ = 63,
  CALL_WRITE = 64,
  CALL_FSTAT = 80,
  CALL_TIME = 0x1002, // microseconds of simulated time
};

static int result(int value) {
  if (value >= 0)
    return value;
  errno = -value;
  return -1;
}

// The flags of host calls are newlib's, whatever this library's are.
static int host_flags(int flags) {
  int host = flags & O_ACCMODE;
  host |= flags & O_APPEND ? 0x8 : 0;
  host |= flags & O_CREAT ? 0x200 : 0;
  host |= flags & O_TRUNC ? 0x400 : 0;
  return host | (flags & O_EXCL ? 0x800 : 0);
}

int open(const char *path, int flags, ...) {
  return result(host_call(CALL_OPEN, (int)path, host_flags(flags), 0));
}

int close(int fd) {
  return result(host_call(CALL_CLOSE, fd, 0, 0));
}

ssize_t read(int fd, void *buffer, size_t count) {
  return result(host_call(CALL_READ, fd, (int)buffer, (int)count));
}

ssize_t write(int fd, const void *buffer, size_t count) {
  return result(host_call(CALL_WRITE, fd, (int)buffer, (int)count));
}

off_t lseek(int fd, off_t offset, int whence) {
  return result(host_call(CALL_LSEEK, fd, (int)offset, whence));
}

int unlink(const char *path) {
  return result(host_call(CALL_UNLINK, (int)path, 0, 0));
}

// The host's record is newlib's kernel_stat.
int fstat(int fd, struct stat *info) {
  uint32_t record[32];
  int value = result(host_call(CALL_FSTAT, fd, (int)record, 0));
  if (value == 0) {
    memset(info, 0, sizeof *info);
    info->st_mode = (mode_t)record[4];
    info->st_size = (off_t)record[12];
  }
  return value;
}

int stat(const char *path, struct stat *info) {
  int fd = open(path, O_RDONLY);
  int value = fd < 0 ? -1 : fstat(fd, info);
  if (fd >= 0)
    close(fd);
  return value;
}

int isatty(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISCHR(info.st_mode);
}

// The simulated time, from reset on.
int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  uint32_t microseconds[2];
  int value = host_call(CALL_TIME, (int)microseconds, 0, 0);
  uint64_t all = (uint64_t)microseconds[1] << 32 | microseconds[0];
  now->tv_sec = (time_t)(all / 1000000);
  now->tv_usec = (suseconds_t)(all % 1000000);
  return result(value);
}

clock_t times(struct tms *spent) {
  struct timeval now;
  gettimeofday(&now, NULL);
  clock_t ticks = (clock_t)((uint64_t)now.tv_sec * CLOCKS_PER_SEC +
                            (uint64_t)now.tv_usec * CLOCKS_PER_SEC / 1000000);
  *spent = (struct tms){.tms_utime = ticks};
  return ticks;
}

// The heap lies behind the program's data in L2; callers hold the library's lock.
void *sbrk(ptrdiff_t more) {
  extern char _end[], __heap_end[];
  static uintptr_t end;
  uintptr_t before = end ? end : (uintptr_t)_end, after = before + (uintptr_t)more;
  if (after < (uintptr_t)_end || after > (uintptr_t)__heap_end) {
    errno = ENOMEM;
    return (void *)-1;
  }
  end = after;
  return (void *)before;
}

// abort() and raise() come here: the program ends as a process does that a signal ends.
pid_t getpid(void) {
  return 1;
}

int kill(pid_t pid, int signal) {
  if (pid == getpid())
    _exit(128 + signal);
  return result(-ESRCH);
}

_Noreturn void _exit(int status) {
  host_flush();
  rt_exit(status);
}
