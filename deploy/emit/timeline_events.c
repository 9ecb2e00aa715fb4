// deploy/emit/timeline_events.c: Chrome's trace event format (JSON object form): complete events
// "X", counters "C", names "M".
#include <inttypes.h>

#include "bench/json.h"
#include "timeline_parts.h"

enum { LAYERS = 1, UDMA = 2, DMA = 10 }; // tracks

static void put_track(FILE *f, unsigned track, const char *name) {
  fprintf(
      f,
      ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"args\":{\"name\":\"%s\"}},"
      "\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"args\":"
      "{\"sort_index\":%u}}",
      track, name, track, track);
}

static void put_slice(FILE *f, const char *name, unsigned track, uint64_t from, uint64_t to) {
  fputs(",\n{\"name\":", f);
  json_string(f, name);
  fprintf(f, ",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 "}", track,
          from, to - from);
}

static void put_transfers(FILE *f, const struct timeline_list *list, unsigned track, bool each,
                          uint64_t start) {
  char name[48];
  for (uint32_t i = 0; i < list->count; i++) {
    const struct timeline_transfer *x = &list->item[i];
    snprintf(name, sizeof name, "%" PRIu32 " bytes%s", x->bytes, !each && x->number ? " out" : "");
    uint64_t from = x->begin < start ? start : x->begin;
    if (x->end > start)
      put_slice(f, name, track + (each ? x->number : 0), from - start, x->end - start);
  }
}

static void put_counters(FILE *f, const struct timeline *t, uint32_t i) {
  double share[BENCH_GROUPS];
  uint64_t at = t->sample[i].cycle - t->sample[0].cycle;
  timeline_shares(t, i, i + 1, TIMELINE_CORES, share);
  fprintf(f,
          ",\n{\"name\":\"cores: %% of cycles\",\"ph\":\"C\",\"pid\":1,\"ts\":%" PRIu64
          ",\"args\":{",
          at);
  for (unsigned g = 0; g < BENCH_GROUPS; g++)
    fprintf(f, "%s\"%s\":%.1f", g ? "," : "", bench_groups[g].title, 100 * share[g]);
  fputs("}}", f);
  for (unsigned c = 0; c < TIMELINE_CORES; c++) {
    timeline_shares(t, i, i + 1, c, share);
    fprintf(f,
            ",\n{\"name\":\"core %u: %% issuing\",\"ph\":\"C\",\"pid\":1,\"ts\":%" PRIu64
            ",\"args\":{\"issue\":%.1f}}",
            c, at, 100 * share[0]);
  }
}

void timeline_write_events(const struct timeline *t, const char *title, FILE *f) {
  uint64_t start = t->samples ? t->sample[0].cycle : 0, from = start;
  fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is one cycle\"},"
        "\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":",
        f);
  json_string(f, title);
  fputs("}}", f);
  put_track(f, LAYERS, "layers");
  put_track(f, UDMA, "uDMA, L3");
  for (unsigned n = 0; n < 16; n++) {
    char name[16];
    snprintf(name, sizeof name, "DMA %u", n);
    put_track(f, DMA + n, name);
  }
  for (uint32_t i = 0; i < t->layers; i++) {
    put_slice(f, t->layer[i].name, LAYERS, from - start, t->layer[i].end - start);
    from = t->layer[i].end;
  }
  put_transfers(f, &t->l3, UDMA, false, start);
  put_transfers(f, &t->dma, DMA, true, start);
  for (uint32_t i = 0; i + 1 < t->samples; i++)
    put_counters(f, t, i);
  fputs("\n]}\n", f);
}
