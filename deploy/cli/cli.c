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

int deploy_stdout(const struct result_name *names, size_t count) {
  char text[200];
  int status = result_stdout_take(names, count, text, sizeof text);
  return status ? deploy_fail(status, "%s", text) : 0;
}

int deploy_results(const struct result_name *names, size_t count) {
  char text[512];
  int status = results_check(names, count, text, sizeof text);
  return status ? deploy_fail(status, "%s", text) : 0;
}

int deploy_folder(const char *option, const char *path) {
  return path && strcmp(path, "-") == 0
             ? deploy_fail(DEPLOY_USAGE,
                           "%s -: a folder, which stdout is not; ./- is one of that name", option)
             : 0;
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
