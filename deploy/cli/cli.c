// deploy/cli/cli.c
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/result_file.h"

int deploy_fail(int status, const char *format, ...) {
  va_list args;
  fputs("pulpsim-deploy: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return status;
}

int deploy_fail_with(const struct net_error *error, int otherwise) {
  return deploy_fail(error->status ? error->status : otherwise, "%s", error->text);
}

FILE *deploy_create(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    deploy_fail(DEPLOY_NO_OUTPUT, "%s: %s", path, strerror(errno));
  return file;
}

int deploy_write_net(const struct net *net, const char *path) {
  struct result_file out;
  if (result_file_open(&out, path)) {
    net_write(net, out.file);
    if (result_file_close(&out, true))
      return 0;
  }
  return deploy_fail(DEPLOY_NO_OUTPUT, "%s: %s", path, strerror(errno));
}
