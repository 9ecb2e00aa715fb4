#include "sim/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/results.h"

enum { TRIES = 100 };

// A new file beside `path`, with the rights of the one that it will replace. -1 with errno.
static int open_part(struct result_file *r, const struct stat *older) {
  int fd = -1;
  for (unsigned i = 0; fd < 0 && i < TRIES; i++) {
    free(r->part);
    r->part = NULL;
    if (asprintf(&r->part, "%s.%ld.part", r->path, (long)getpid() + i) < 0) {
      r->part = NULL;
      errno = ENOMEM;
      return -1;
    }
    fd = open(r->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST)
      return -1;
  }
  if (fd >= 0 && older && fchmod(fd, older->st_mode & 07777) != 0)
    errno = 0; // its contents count
  return fd;
}

static FILE *open_at_once(struct result_file *r, const char *path) {
  free(r->part);
  free(r->path);
  r->part = r->path = NULL;
  return r->file = fopen(path, "wb");
}

FILE *result_file_open(struct result_file *r, const char *path) {
  struct stat info;
  *r = (struct result_file){.file = NULL};
  int out = result_stdout_give(path);
  if (out >= 0)
    return r->file = fdopen(out, "wb");
  bool exists = stat(path, &info) == 0;
  if (!*path || (exists && !S_ISREG(info.st_mode)) || (exists && access(path, W_OK) != 0))
    return open_at_once(r, path);                         // or says what is wrong with it
  r->path = exists ? realpath(path, NULL) : strdup(path); // a link stays one
  int fd = r->path ? open_part(r, exists ? &info : NULL) : -1;
  if (fd < 0 && exists && (errno == EACCES || errno == EPERM || errno == EROFS))
    return open_at_once(r, path);
  r->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (!r->file) {
    int saved = errno;
    free(r->part);
    free(r->path);
    r->part = r->path = NULL;
    errno = saved;
  }
  return r->file;
}

static bool take_place(struct result_file *r) {
  errno = 0;
  bool good = !ferror(r->file);
  good = fclose(r->file) == 0 && good;
  good = good && (!r->part || rename(r->part, r->path) == 0);
  if (!good && !errno)
    errno = EIO;
  return good;
}

bool result_file_close(struct result_file *r, bool whole) {
  if (!r->file)
    return true;
  bool good = whole && take_place(r);
  int saved = errno;
  if (!whole)
    fclose(r->file);
  if (!good && r->part)
    unlink(r->part);
  free(r->part);
  free(r->path);
  *r = (struct result_file){.file = NULL};
  errno = saved;
  return good;
}
