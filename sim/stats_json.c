// sim/stats_json.c: writes the statistics as JSON; each level is one function.
#include "sim/stats_json.h"

#include <inttypes.h>

const char *run_end_name(const struct run_end *end) {
  switch (end->state) {
  case PULPSIM_EXITED:
    return "exited";
  case PULPSIM_TRAPPED:
    return "trapped";
  case PULPSIM_DEADLOCK:
    return "deadlock";
  case PULPSIM_READY:
    return end->limit ? "limit" : "ready";
  default:
    return end->reached ? "reached" : "interrupted";
  }
}

static void write_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20 || c >= 0x7f) // names come from the guest: any byte may be there
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void write_counts(FILE *out, const struct pulpsim_counts *c) {
  fprintf(out, "\"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"macs\": %" PRIu64,
          c->cycles, c->instructions, c->macs);
  fprintf(out, ", \"issue\": %" PRIu64 ", \"stalls\": {", c->stalls[0]);
  for (unsigned i = 1; i < PULPSIM_CAUSES; i++)
    fprintf(out, "%s\"%s\": %" PRIu64, i > 1 ? ", " : "", pulpsim_cause_name(i), c->stalls[i]);
  fputc('}', out);
}

static void write_core(FILE *out, const struct pulpsim_core_stats *core, unsigned index) {
  fprintf(out, "    {\"core\": %u, \"hartid\": %u, ", index, core->hartid);
  write_counts(out, &core->total);
  fprintf(out, ", \"clock_mhz\": %u, \"markers\": [", core->clock_mhz);
  for (size_t i = 0; i < core->marker_count; i++) {
    const struct pulpsim_marker *m = &core->markers[i];
    fprintf(out, "%s{\"value\": %" PRIu32 ", \"cycle\": %" PRIu64 ", \"instret\": %" PRIu64 "}",
            i ? ", " : "", m->value, m->cycle, m->instret);
  }
  fputs("]}", out);
}

static void write_region(FILE *out, const struct pulpsim_region *r, unsigned cores) {
  fprintf(out, "    {\"id\": %" PRIu32 ", \"name\": ", r->id);
  char name[sizeof r->name + 1];
  snprintf(name, sizeof name, "%.*s", (int)sizeof r->name, r->name);
  write_string(out, name);
  fprintf(out,
          ", \"entries\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"useful_macs\": %" PRIu64
          ", \"open\": %s, \"cores\": [\n",
          r->entries, r->cycles, r->useful_macs, r->open ? "true" : "false");
  for (unsigned i = 0; i < cores; i++) {
    fprintf(out, "      {\"core\": %u, ", i);
    write_counts(out, &r->core[i]);
    fprintf(out, "}%s\n", i + 1 < cores ? "," : "");
  }
  fputs("    ]}", out);
}

static void write_head(FILE *out, const struct pulpsim_stats *s, const struct run_end *end) {
  struct pulpsim_counts sum = {0};
  for (unsigned i = 0; i < s->core_count; i++) {
    sum.instructions += s->core[i].total.instructions;
    sum.macs += s->core[i].total.macs;
  }
  fputs("{\n  \"schema\": \"pulpsim-stats/1\",\n  \"simulator\": \"" PULPSIM_VERSION "\",\n", out);
  fputs("  \"machine\": ", out);
  write_string(out, s->machine);
  fprintf(out,
          ",\n  \"config_hash\": \"%016" PRIx64 "\",\n  \"elf_hash\": \"%016" PRIx64 "\",\n"
          "  \"end\": {\"state\": \"%s\", \"status\": %d, \"reason\": ",
          s->config_hash, s->elf_hash, run_end_name(end), end->status);
  write_string(out, end->reason ? end->reason : "");
  fprintf(out,
          "},\n  \"cycles\": %" PRIu64 ",\n  \"instructions\": %" PRIu64 ",\n  \"macs\": %" PRIu64
          ",\n",
          s->cycles, sum.instructions, sum.macs);
}

bool stats_json_write(FILE *out, const struct pulpsim_stats *s, const struct run_end *end) {
  write_head(out, s, end);
  fputs("  \"cores\": [\n", out);
  for (unsigned i = 0; i < s->core_count; i++) {
    write_core(out, &s->core[i], i);
    fputs(i + 1 < s->core_count ? ",\n" : "\n", out);
  }
  fputs("  ],\n  \"regions\": [\n", out);
  for (size_t i = 0; i < s->region_count; i++) {
    write_region(out, &s->region[i], s->core_count);
    fputs(i + 1 < s->region_count ? ",\n" : "\n", out);
  }
  fputs("  ],\n  \"banks\": [", out);
  for (unsigned i = 0; i < s->bank_count; i++)
    fprintf(out, "%s\n    {\"grants\": %" PRIu64 ", \"conflicts\": %" PRIu64 "}", i ? "," : "",
            s->bank[i].grants, s->bank[i].conflicts);
  fputs("\n  ]\n}\n", out);
  return fflush(out) == 0 && !ferror(out);
}
