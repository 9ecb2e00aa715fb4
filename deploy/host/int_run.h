// deploy/host/int_run.h: the integer interpreter: what a network computes, exactly, tensor by
// tensor, on the host.
//
// Sums are 32-bit and wrap, as the kernels' are; what becomes of them is net_ref.h. Values are
// codes (struct net_tensor), one int32_t each, in HWC order.
#ifndef INT_RUN_H
#define INT_RUN_H

#include "deploy/net/net.h"

struct int_run;

// Prepares a network that has passed net_check(); it must outlive the interpreter.
struct int_run *int_new(const struct net *net);
void int_free(struct int_run *run);

// The memory of tensor `number`: inputs are written here before int_execute(), everything else is
// read here after it.
int32_t *int_tensor(const struct int_run *run, int number);
size_t int_elements(const struct int_run *run, int number);

size_t int_largest(const struct int_run *run, int number); // the element, the first of equals

// All layers. False, with the sentence, if an input holds what is no code of its tensor.
bool int_execute(struct int_run *run, struct net_error *error);

// One layer, whose inputs are there.
void int_execute_layer(struct int_run *run, uint32_t layer);

// The weights of a layer have been changed: the interpreter reads them again.
void int_reload(struct int_run *run, uint32_t layer);

#endif
