// deploy/cli/cli.c
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

FILE *deploy_create(struct result_file *out, const char *path) {
  if (!result_file_open(out, path))
    deploy_fail(DEPLOY_NO_OUTPUT, "%s: %s", path, strerror(errno));
  return out->file;
}

int deploy_finish(struct result_file *out, const char *path) {
  if (result_file_close(out, true))
    return 0;
  return deploy_fail(DEPLOY_NO_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
}

int deploy_write_net(const struct net *net, const char *path) {
  struct result_file out;
  if (!deploy_create(&out, path))
    return DEPLOY_NO_OUTPUT;
  net_write(net, out.file);
  return deploy_finish(&out, path);
}
