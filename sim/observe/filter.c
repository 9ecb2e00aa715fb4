#include "observe/filter.h"

#include <string.h>

#include "sim/number.h"

void filter_init(struct filter *f) {
  *f =
      (struct filter){.to = UINT64_MAX, .cores = UINT32_MAX, .region = -1, .code_size = UINT32_MAX};
}

static bool fail(struct pulpsim_error *error, const char *setting, const char *remedy) {
  snprintf(error->text, sizeof error->text, "'%s': %s", setting, remedy);
  return false;
}

// All that symbols place in it, but not what it calls.
static bool take_function(struct filter *f, const struct pulpsim *sim, const char *name) {
  uint32_t offset;
  if (!pulpsim_symbol(sim, name, &f->code))
    return false;
  f->code_size = 0;
  while (pulpsim_symbol_at(sim, f->code + f->code_size, &offset) && offset == f->code_size)
    f->code_size += 2;
  return f->code_size > 0;
}

static bool set_region(struct filter *f, const struct pulpsim *sim, const char *name) {
  uint64_t n;
  f->region = number_parse(name, 1000, &n) ? (int)n : pulpsim_region_named(sim, name);
  return f->region >= 0 || take_function(f, sim, name);
}

bool filter_set(struct filter *f, const struct pulpsim *sim, const char *setting,
                struct pulpsim_error *error) {
  const char *value = strchr(setting, '=');
  uint64_t n = 0;
  if (!value)
    return fail(error, setting, "takes from=CYCLE, to=CYCLE, core=N or region=NAME");
  size_t length = (size_t)(value++ - setting);
  bool is_number = number_parse(value, 1000, &n);
  f->chooses = true;
  if (strncmp(setting, "from", length) == 0 && length == 4)
    return f->from = n,
           is_number || fail(error, setting, "needs a cycle, e.g. from=1000 or from=10k");
  if (strncmp(setting, "to", length) == 0 && length == 2)
    return f->to = n, is_number || fail(error, setting, "needs a cycle, e.g. to=2000 or to=1M");
  if (strncmp(setting, "core", length) == 0 && length == 4) {
    if (!is_number || n >= pulpsim_cores(sim)) {
      snprintf(error->text, sizeof error->text,
               "'%s': the machine has no such core; the last one is %u", setting,
               pulpsim_cores(sim) - 1);
      return false;
    }
    f->cores = UINT32_C(1) << n;
    return true;
  }
  if (strncmp(setting, "region", length) == 0 && length == 6)
    return set_region(f, sim, value) ||
           fail(error, setting, "the program has no region and no function of that name");
  return fail(error, setting, "takes from=CYCLE, to=CYCLE, core=N or region=NAME");
}

void filter_region(struct filter *f, unsigned core, uint32_t id, bool begin) {
  if (f->region < 0 || id != (uint32_t)f->region)
    return;
  if (begin)
    f->inside |= UINT32_C(1) << core;
  else
    f->inside &= ~(UINT32_C(1) << core);
}
