#include "sim/misread.h"

#include <stdio.h>
#include <string.h>

#include "core/pipeline.h"
#include "sim/machine.h"
#include "sim/sets.h"

struct misread {
  uint32_t word, place; // 0: in no function
  bool known;           // `here` is what it means on this machine
  struct isa_insn here;
};

static bool is_wide(uint32_t word) {
  return (word & 3) == 3;
}

static bool is_misread(const struct pulpsim *sim, uint32_t word, struct misread *m) {
  uint32_t usual = 0;
  char text[80];
  *m = (struct misread){.word = word};
  m->known = isa_decode(sim->decoder, word, &m->here);
  if (m->known && isa_encode(&m->here, &usual) && usual == word)
    return false;
  return sets_elsewhere(&sim->config, word, 0, text, sizeof text) != NULL;
}

// Among the words that a core has decoded, those that mean something here.
static bool find_run(const struct pulpsim *sim, const struct core *core, struct misread *m) {
  const struct pipeline *p = core->pipeline;
  for (size_t i = 0; p && i < sizeof p->decoded / sizeof *p->decoded; i++)
    if (is_wide(p->decoded[i].word) && is_misread(sim, p->decoded[i].word, m) && m->known)
      return true;
  return false;
}

// The first word of the program's functions that is `word`, or, if that is 0, that only another set
// knows.
static bool find_placed(const struct pulpsim *sim, uint32_t word, struct misread *m) {
  for (size_t i = 0; sim->elf && i < sim->elf->symbol_count; i++) {
    const struct elf_symbol *f = &sim->elf->symbols[i];
    uint32_t at = 0;
    if (f->kind != ELF_FUNCTION)
      continue;
    for (uint32_t here = 0; at + 4 <= f->size; at += is_wide(here) ? 4 : 2) {
      if (!pulpsim_read(sim, f->address + at, &here, 4))
        break;
      if (!is_wide(here) || (word ? here != word : !is_misread(sim, here, m) || m->known))
        continue;
      m->place = f->address + at;
      return true;
    }
  }
  return false;
}

// " at 0x1c008010 (main+0x10)"; nothing for a word that is in no function.
static void put_place(const struct pulpsim *sim, uint32_t place, char *text, size_t size) {
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(sim, place, &offset);
  *text = '\0';
  if (place && name)
    snprintf(text, size, " at 0x%08x (%.80s+0x%x)", (unsigned)place, name, (unsigned)offset);
}

static void put_note(const struct pulpsim *sim, const struct misread *m, char *text, size_t size) {
  char there[80], here[80], place[120];
  const struct set_setting *set =
      sets_elsewhere(&sim->config, m->word, m->place, there, sizeof there);
  const char *name = isa_set_names[set->set];
  put_place(sim, m->place, place, sizeof place);
  if (m->known) {
    isa_disassemble(&m->here, m->place, here, sizeof here);
    snprintf(text, size, "0x%08x%s is %s of %s, which this machine has not (%s); it ran as %s",
             (unsigned)m->word, place, there, name, set->setting, here);
  } else {
    snprintf(text, size,
             "the program has instructions of %s, which this machine has not (%s), such as %s%s; "
             "others of them may have run as something else",
             name, set->setting, there, place);
  }
}

static bool ended_strangely(const struct pulpsim *sim) {
  return sim->state == PULPSIM_DEADLOCK ||
         (sim->state == PULPSIM_TRAPPED && strcmp(sim->failure.text, "illegal instruction") != 0);
}

bool misread_note(const struct pulpsim *sim, char *text, size_t size) {
  struct misread m;
  bool found = false;
  for (unsigned i = 0; i < sim->core_count && !found; i++)
    found = find_run(sim, &sim->core[i], &m);
  if (found)
    find_placed(sim, m.word, &m);
  else if (ended_strangely(sim))
    found = find_placed(sim, 0, &m);
  if (found)
    put_note(sim, &m, text, size);
  return found;
}
