// kernels/ref/ref_train_linear.c
#include "ref_train_linear.h"

#include "ref_train_half.h"

struct ref_sum ref_train_linear_fw(const struct train_linear *l, uint32_t index) {
  struct ref_sum sum = {0};
  size_t b = index / l->out_n, o = index % l->out_n;
  for (size_t i = 0; i < l->in_n; i++)
    ref_add_product(&sum, ref_typed(l->weights, o * l->in_n + i, l->type),
                    ref_typed(l->in, b * l->in_n + i, l->type));
  if (l->bias)
    ref_add(&sum, ref_typed(l->bias, o, l->type));
  return sum;
}

struct ref_sum ref_train_linear_wg(const struct train_linear *l, uint32_t index) {
  struct ref_sum sum = {0};
  size_t o = index / l->in_n, i = index % l->in_n;
  for (size_t b = 0; b < l->batch; b++)
    ref_add_product(&sum, ref_typed(l->out_grad, b * l->out_n + o, l->type),
                    ref_typed(l->in, b * l->in_n + i, l->type));
  return sum;
}

struct ref_sum ref_train_linear_ig(const struct train_linear *l, uint32_t index) {
  struct ref_sum sum = {0};
  size_t b = index / l->in_n, i = index % l->in_n;
  for (size_t o = 0; o < l->out_n; o++)
    ref_add_product(&sum, ref_typed(l->out_grad, b * l->out_n + o, l->type),
                    ref_typed(l->weights, o * l->in_n + i, l->type));
  return sum;
}
