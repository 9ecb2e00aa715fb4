// tests/fuzz/fuzz_tflite.c: any file as a TensorFlow Lite model, lowered to integers, written, and
// executed if it is small.
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/read/tflite_lower.h"
#include "tests/fuzz/fuzz.h"

enum { SMALL = 1 << 16 };

static bool is_small(const struct net *net) {
  uint64_t macs = 0, elements = 0;
  for (uint32_t i = 0; i < net->tensor_count; i++)
    elements += (uint64_t)net->tensors[i].h * net->tensors[i].w * net->tensors[i].c;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    const struct net_tensor *out = net_output(net, l);
    macs += net_macs(net, l) + (uint64_t)out->h * out->w * out->c * l->kernel_h * l->kernel_w;
  }
  return elements < SMALL && macs < SMALL;
}

static void execute(const struct net *net) {
  struct net_error error = {.text = ""};
  struct int_run *run = int_new(net);
  for (uint32_t i = 0; i < net->input_count; i++) // zeros are codes of every tensor
    memset(int_tensor(run, net->inputs[i]), 0, 4 * int_elements(run, net->inputs[i]));
  if (!int_execute(run, &error))
    abort();
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    const int32_t *values = int_tensor(run, l->output);
    for (size_t k = 0; k < int_elements(run, l->output); k++) {
      if (l->requant.kind != NET_SUMS &&
          (values[k] < l->requant.low || values[k] > l->requant.high))
        abort(); // no code
    }
  }
  int_free(run);
}

int fuzz_tflite(const uint8_t *data, size_t size) {
  struct net_error error = {.text = ""};
  struct tflite_model *model = tflite_parse("input", data, size, &error);
  struct net *net = model ? tflite_lower("input", model, &error) : NULL;
  if (!net && (!*error.text || !error.status))
    abort(); // a refusal has a reason
  if (net && is_small(net))
    execute(net);
  struct net_error second = {.text = ""};
  struct real_net *real = model ? tflite_lower_real("input", model, &second) : NULL;
  if (model && !real && (!*second.text || !second.status))
    abort();
  if (real && is_small(real->net)) {
    struct real_run *run = real_run_new(real);
    real_execute(run);
    real_run_free(run);
  }
  real_free(real);
  net_free(net);
  tflite_free(model);
  return 0;
}
