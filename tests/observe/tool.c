#include "tests/observe/tool.h"

#include <check.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];
static pid_t owner;

static void remove_directory(void) {
  char command[96];
  if (getpid() != owner)
    return;
  snprintf(command, sizeof command, "rm -rf %s", directory);
  if (system(command) != 0)
    fprintf(stderr, "%s: not removed\n", directory);
}

const char *tool_directory(void) {
  if (owner != getpid()) {
    strcpy(directory, "/tmp/pulpsim-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    owner = getpid();
    atexit(remove_directory);
  }
  return directory;
}

static char *read_all(FILE *f) {
  size_t used = 0, room = 1 << 16;
  char *text = malloc(room);
  ck_assert_ptr_nonnull(text);
  for (size_t n; (n = fread(text + used, 1, room - used - 1, f)) > 0;) {
    used += n;
    if (room - used < 2) {
      room *= 2;
      text = realloc(text, room);
      ck_assert_ptr_nonnull(text);
    }
  }
  text[used] = '\0';
  return text;
}

char *tool_file(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f)
    return NULL;
  char *text = read_all(f);
  fclose(f);
  return text;
}

const char *tool(int *status, const char *format, ...) {
  static char *output;
  char command[2048], line[2200];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  snprintf(line, sizeof line, "{ %s ; } 2>&1", command);
  FILE *f = popen(line, "r");
  ck_assert_ptr_nonnull(f);
  free(output);
  output = read_all(f);
  int wait = pclose(f);
  int code = WIFEXITED(wait) ? WEXITSTATUS(wait) : -1;
  if (status)
    *status = code;
  else
    ck_assert_msg(code == 0, "%s: status %d\n%.1500s", command, code, output);
  return output;
}

bool tool_lines_match(const char *text, const char *expression, const char **bad) {
  static char line[1024];
  regex_t regex;
  bool all = true;
  ck_assert_int_eq(regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB), 0);
  for (const char *p = text; *p && all;) {
    size_t n = strcspn(p, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, p);
    all = regexec(&regex, line, 0, NULL, 0) == 0;
    p += n + (p[n] != '\0');
  }
  regfree(&regex);
  *bad = all ? NULL : line;
  return all;
}
