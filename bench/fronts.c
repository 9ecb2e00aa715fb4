// bench/fronts.c
#include "bench/fronts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_point(const char *line, struct front_point *p) {
  char scale[16] = "";
  int fields =
      sscanf(line, "%31[^\t]\t%31[^\t]\t%15[^\t]\t%u\t%u\t%lu\t%lu\t%lu\t%511[^\n]", p->network,
             p->how, scale, &p->right, &p->inputs, &p->bytes, &p->peak, &p->cycles, p->lists);
  p->per_channel = strcmp(scale, "channel") == 0;
  return fields == 9 && p->inputs > 0 && p->right <= p->inputs &&
         (p->per_channel || strcmp(scale, "layer") == 0);
}

static bool add_point(struct fronts *fronts, const struct front_point *p) {
  struct front_point *more = realloc(fronts->points, (fronts->count + 1) * sizeof *more);
  if (more) {
    more[fronts->count++] = *p;
    fronts->points = more;
  }
  return more != NULL;
}

static bool read_lines(struct fronts *fronts, FILE *f, const char *path, char *error,
                       size_t error_size) {
  char line[1024];
  for (unsigned number = 1; fgets(line, sizeof line, f); number++) {
    struct front_point p = {.right = 0};
    if (!read_point(line, &p)) {
      snprintf(error, error_size, "%s: line %u is not a point (bench/fronts.h)", path, number);
      return false;
    }
    if (!add_point(fronts, &p)) {
      snprintf(error, error_size, "out of memory");
      return false;
    }
  }
  return true;
}

bool fronts_read(struct fronts *fronts, const char *path, char *error, size_t error_size) {
  *fronts = (struct fronts){.points = NULL};
  FILE *f = fopen(path, "r");
  if (!f) {
    snprintf(error, error_size, "%s: %s; `make bench SUITE=fronts` writes it", path,
             strerror(errno));
    return false;
  }
  bool good = read_lines(fronts, f, path, error, error_size);
  fclose(f);
  return good;
}

void fronts_free(struct fronts *fronts) {
  free(fronts->points);
}

double front_accuracy(const struct front_point *point) {
  return 100.0 * point->right / point->inputs;
}

size_t fronts_of_network(const struct fronts *fronts, size_t first) {
  size_t end = first;
  while (end < fronts->count &&
         strcmp(fronts->points[end].network, fronts->points[first].network) == 0)
    end++;
  return end - first;
}

const struct front_point *fronts_by_layer(const struct fronts *fronts,
                                          const struct front_point *point) {
  for (size_t i = 0; i < fronts->count; i++) {
    const struct front_point *p = &fronts->points[i];
    if (!p->per_channel && strcmp(p->network, point->network) == 0 &&
        strcmp(p->lists, point->lists) == 0)
      return p;
  }
  return NULL;
}
