// bench/list.c: reads the list of programs.
#include "bench/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "1,8" into the program's numbers of cores.
static bool parse_cores(struct bench_program *p, const char *text) {
  while (p->core_counts < sizeof p->core_count / sizeof *p->core_count) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (end == text || n < 1 || n > 16)
      return false;
    p->core_count[p->core_counts++] = (unsigned)n;
    if (*end == '\0')
      return true;
    if (*end != ',')
      return false;
    text = end + 1;
  }
  return false;
}

// Returns 1 for a program, 0 for an empty line, -1 for a mistake.
static int parse_line(char *line, struct bench_program *p) {
  char cores[64];
  *p = (struct bench_program){.core_counts = 0};
  line[strcspn(line, "#\n")] = '\0';
  int fields = sscanf(line, "%63s %*s %63s %63s", p->name, p->machine, cores);
  if (fields <= 0)
    return 0;
  return fields == 3 && parse_cores(p, cores) ? 1 : -1;
}

void bench_list_missing(const char *path, char *text, size_t size) {
  static const char *const chips[] = {"gap8", "mrwolf", "vega"}; // of KMACHINE in kernels.mk
  const char *why = strerror(errno), *setting = "", *chip = "";
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
    char folder[32];
    snprintf(folder, sizeof folder, "kernels-%s/", chips[i]);
    if (strstr(path, folder))
      setting = " KMACHINE=", chip = chips[i];
  }
  snprintf(text, size, "%s: %s; `make kernels%s%s` makes it", path, why, setting, chip);
}

bool bench_list_read(struct bench_list *list, const char *path, char *error, size_t error_size) {
  char line[512];
  *list = (struct bench_list){0};
  FILE *f = fopen(path, "r");
  if (!f) {
    bench_list_missing(path, error, error_size);
    return false;
  }
  bool ok = true;
  for (unsigned number = 1; ok && fgets(line, sizeof line, f); number++) {
    struct bench_program p;
    int found = parse_line(line, &p);
    if (found < 0) {
      snprintf(error, error_size, "%s:%u: takes a name, a source, a machine, cores as in 1,8", path,
               number);
      ok = false;
    } else if (found > 0) {
      struct bench_program *more = realloc(list->program, (list->count + 1) * sizeof p);
      ok = more != NULL;
      if (ok) {
        list->program = more;
        list->program[list->count++] = p;
      } else {
        snprintf(error, error_size, "out of memory");
      }
    }
  }
  fclose(f);
  return ok;
}

void bench_list_free(struct bench_list *list) {
  free(list->program);
  *list = (struct bench_list){0};
}
