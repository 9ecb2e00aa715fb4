// tests/fuzz/fuzz_yaml.c: any text as a configuration, and as single settings.
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"
#include "tests/fuzz/fuzz.h"

int fuzz_yaml(const uint8_t *data, size_t size) {
  static struct pulpsim_config initial;
  struct pulpsim_config config;
  char error[CONFIG_ERROR_SIZE] = "";
  if (!initial.cluster_cores)
    config_init(&initial);
  char *text = malloc(size + 1);
  if (!text)
    return 0;
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  // Files named by `include` are not the input's business.
  bool names_files = strstr(text, "include") != NULL;
  config = initial;
  if (!names_files && !config_parse(&config, text, size, "input", error) && !error[0])
    abort();
  config = initial;
  error[0] = '\0';
  if (!config_set(&config, text, error)) {
    if (!error[0] || memcmp(&config, &initial, sizeof config) != 0)
      abort(); // refused without a reason, or half done
  } else {
    (void)config_check(&config, error);
  }
  free(text);
  return 0;
}
