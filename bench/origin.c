// bench/origin.c
#include "bench/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "sim/pulpsim.h"

// Reproducible builds give their date so: https://reproducible-builds.org/specs/source-date-epoch
static time_t now(void) {
  const char *given = getenv("SOURCE_DATE_EPOCH");
  return given && *given ? (time_t)strtoll(given, NULL, 10) : time(NULL);
}

void bench_origin_read(struct bench_origin *origin, const char *commit) {
  struct utsname u;
  struct tm day;
  time_t time = now();
  *origin = (struct bench_origin){.host = "unknown"};
  if (gmtime_r(&time, &day))
    strftime(origin->date, sizeof origin->date, "%Y-%m-%d", &day);
  if (uname(&u) == 0)
    snprintf(origin->host, sizeof origin->host, "%.60s (%.20s %.40s, %.20s, %ld processors)",
             u.nodename, u.sysname, u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN));
  snprintf(origin->commit, sizeof origin->commit, "%s", commit ? commit : "not given");
}

const char *origin_citation(const struct bench_origin *origin, char text[ORIGIN_CITATION]) {
  snprintf(text, ORIGIN_CITATION,
           "pulpsim " PULPSIM_VERSION ", a cycle-exact simulator of PULP clusters, commit %s: "
           "benchmark report of %s.",
           origin->commit, origin->date);
  return text;
}
