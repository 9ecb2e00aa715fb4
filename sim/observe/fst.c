#include "observe/fst.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK_HEADER = 0, BLOCK_HEAD = 9 }; // GTKWave's fstapi.h: FST_BL_HDR is first

// In a process group of its own, as an interrupt from the terminal is for the simulator, which then
// writes the end. What the program says is about a text that the user has not seen.
static int spawn(pid_t *program, int from, const char *path) {
  char *arguments[] = {"vcd2fst", "-v", "/dev/stdin", "-f", (char *)path, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  int error = posix_spawnp(program, "vcd2fst", &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == ENOENT ? ENOEXEC : error;
}

FILE *fst_open(struct fst *fst, const char *path) {
  int ends[2];
  *fst = (struct fst){.vcd = NULL};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return NULL;
  int error = spawn(&fst->program, ends[0], path);
  close(ends[0]);
  if (!error && (fst->vcd = fdopen(ends[1], "wb")) != NULL)
    return fst->vcd;
  close(ends[1]);
  errno = error ? error : ENOMEM;
  return NULL;
}

// What follows the byte of kind: the block's length without it, most significant byte first. 0:
// there is no such block.
static uint64_t block_length(FILE *f, long at) {
  uint8_t head[BLOCK_HEAD];
  uint64_t length = 0;
  if (fseek(f, at, SEEK_SET) != 0 || fread(head, 1, sizeof head, f) != sizeof head ||
      (at == 0 && head[0] != BLOCK_HEADER))
    return 0;
  for (unsigned i = 1; i < BLOCK_HEAD; i++)
    length = length << 8 | head[i];
  return length;
}

static bool is_whole(const char *path) {
  FILE *f = fopen(path, "rb");
  long at = 0, end = 0;
  if (!f)
    return false;
  bool good = fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) > 0;
  while (good && at < end) {
    uint64_t length = block_length(f, at);
    good = length > 0 && length < (uint64_t)(end - at);
    at += good ? 1 + (long)length : 0;
  }
  fclose(f);
  return good;
}

bool fst_close(struct fst *fst, const char *path) {
  int status = 0;
  bool good = fclose(fst->vcd) == 0;
  while (waitpid(fst->program, &status, 0) < 0 && errno == EINTR)
    ;
  good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_whole(path);
  errno = good ? 0 : EIO;
  return good;
}
