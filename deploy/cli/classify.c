// deploy/cli/classify.c
#include "classify.h"

#include "cli.h"
#include "deploy/host/int_run.h"
#include "deploy/read/dataset.h"

// A network at work: one of both.
struct classifier {
  const struct net *net; // shapes and tensors
  struct int_run *integers;
  struct real_run *reals;
  const struct sample_options *options;
  struct on_sim *sim; // integers: or NULL
};

static bool class_of(const struct classifier *c, const struct dataset *d, uint32_t i, size_t *class,
                     struct net_error *error) {
  int input = c->net->inputs[0], output = c->net->outputs[0];
  const struct net_tensor *t = &c->net->tensors[input];
  bool good;
  if (c->reals) {
    good = dataset_reals(d, i, t, c->options, real_tensor(c->reals, input), error);
    if (good)
      real_execute(c->reals);
  } else {
    good = dataset_codes(d, i, t, c->options, int_tensor(c->integers, input), error) &&
           on_sim_or_host(c->sim, c->integers, error);
  }
  if (good)
    *class = c->reals ? real_largest(c->reals, output) : int_largest(c->integers, output);
  return good;
}

static int classify(const struct classifier *c, const char *data) {
  struct net_error error = {.text = ""};
  if (c->net->input_count != 1)
    return deploy_fail(DEPLOY_USAGE, "--classify needs a network with one input");
  struct dataset *d = dataset_open(data, &error);
  if (!d)
    return deploy_fail_with(&error, DEPLOY_BAD_MODEL);
  const int32_t *labels = d->labels;
  bool good = labels != NULL;
  if (!good)
    net_fail(&error, "--classify %.300s: no labels; give a list", data);
  uint32_t right = 0;
  for (uint32_t i = 0; good && labels && i < d->count; i++) {
    size_t class = 0;
    good = class_of(c, d, i, &class, &error);
    right += class == (size_t)labels[i];
  }
  if (good)
    printf("{\"inputs\": %u, \"right\": %u, \"accuracy\": %.6f}\n", d->count, right,
           (double)right / (double)d->count);
  dataset_free(d);
  return good ? 0 : deploy_fail_with(&error, DEPLOY_BAD_MODEL);
}

int classify_net(const struct net *net, const char *data, const struct sample_options *options,
                 struct on_sim *sim) {
  struct int_run *run = int_new(net);
  int status = classify(&(struct classifier){net, run, NULL, options, sim}, data);
  int_free(run);
  return status;
}

int classify_real(const struct real_net *real, const char *data,
                  const struct sample_options *options) {
  struct real_run *run = real_run_new(real);
  if (real->quantizers)
    deploy_fail(0, "%u QuantizeLinear are left out: the floats between them are counted",
                real->quantizers);
  int status = classify(&(struct classifier){real->net, NULL, run, options, NULL}, data);
  real_run_free(run);
  return status;
}
