// deploy/cli/given.c: see given.h.
#include "given.h"

#include <math.h>
#include <string.h>

#include "cli.h"
#include "deploy/read/dataset.h"

// Only codes of unknown scale and no sign can be something else.
static bool is_open(const struct net_tensor *t) {
  return !t->is_signed && t->bits == 8 && !(t->scale > 0);
}

static enum given given_file(const struct net_tensor *t, const char *path,
                             const struct sample_options *options) {
  struct net_error error = {.text = ""};
  struct sample sample;
  if (!is_open(t) || !sample_read(path, sample_raw_of(t), options, &sample, &error))
    return GIVEN_UNSIGNED;
  enum given given = GIVEN_UNSIGNED;
  for (size_t i = 0; i < sample.count && given != GIVEN_REALS; i++) {
    double x = sample.values[i];
    if (x < floor(x) || x > floor(x) || x != x)
      given = GIVEN_REALS;
    else if (x < 0)
      given = GIVEN_SIGNED;
  }
  sample_free(&sample);
  return given;
}

enum given given_by(const struct net *net, const char *const *files, uint32_t count,
                    const struct sample_options *options) {
  enum given most = GIVEN_UNSIGNED;
  for (uint32_t i = 0; i < count && i < net->input_count; i++) {
    enum given one = given_file(&net->tensors[net->inputs[i]], files[i], options);
    most = one > most ? one : most;
  }
  return most;
}

enum given given_by_list(const struct net *net, const char *list,
                         const struct sample_options *options) {
  struct net_error error = {.text = ""};
  struct dataset *d = dataset_open(list, &error);
  enum given given = d && d->files && d->count
                         ? given_by(net, (const char *const *)d->files, 1, options)
                         : GIVEN_UNSIGNED;
  dataset_free(d);
  return given;
}

bool given_option(const char *text, struct lower_options *options, struct net_error *error) {
  options->input_signed = strcmp(text, "int8") == 0;
  return options->input_signed || strcmp(text, "uint8") == 0 ||
         net_fail(error, "--input-type %.80s: int8 and uint8 are supported", text);
}

bool given_agrees(const char *text, const struct net *net, struct net_error *error) {
  for (uint32_t i = 0; text && i < net->input_count; i++) {
    const struct net_tensor *t = &net->tensors[net->inputs[i]];
    if (t->is_signed == (strcmp(text, "int8") == 0))
      continue;
    error->status = DEPLOY_USAGE;
    return net_fail(error, "--input-type %s: the file says that '%.80s' is %s", text, t->name,
                    t->is_signed ? "signed" : "unsigned");
  }
  return true;
}
