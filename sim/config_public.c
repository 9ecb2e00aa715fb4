// sim/config_public.c: the configuration part of pulpsim.h.
#include <stdlib.h>

#include "sim/config.h"
#include "sim/elf.h"
#include "sim/pulpsim.h"

_Static_assert(sizeof(struct pulpsim_error) >= CONFIG_ERROR_SIZE, "messages must fit");

struct pulpsim_config *pulpsim_config_new(const char *name, struct pulpsim_error *error) {
  struct pulpsim_config *config = malloc(sizeof *config);
  if (!config) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return NULL;
  }
  if (config_load(config, name, error->text))
    return config;
  free(config);
  return NULL;
}

const char *pulpsim_config_for(const char *elf_path) {
  char error[ELF_ERROR_SIZE];
  struct elf_image *elf = elf_open(elf_path, error);
  bool suite = elf && elf->entry >> 28 == 8 && elf_symbol_named(elf, "tohost");
  elf_free(elf);
  return suite ? "generic" : "pulp-open";
}

void pulpsim_config_free(struct pulpsim_config *config) {
  free(config);
}

bool pulpsim_config_set(struct pulpsim_config *config, const char *assignment,
                        struct pulpsim_error *error) {
  return config_set(config, assignment, error->text);
}

bool pulpsim_config_check(const struct pulpsim_config *config, struct pulpsim_error *error) {
  return config_check(config, error->text);
}

void pulpsim_config_show(const struct pulpsim_config *config, FILE *out) {
  config_show(config, out);
}

void pulpsim_config_list(FILE *out, bool markdown) {
  config_list(out, markdown);
}

const char *pulpsim_config_name(size_t index) {
  return config_builtin_name(index);
}
