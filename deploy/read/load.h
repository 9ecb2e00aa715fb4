// deploy/read/load.h: a network, wherever it comes from.
#ifndef LOAD_H
#define LOAD_H

#include "deploy/lower/lower.h"
#include "deploy/lower/real.h"
#include "deploy/net/net.h"

// A quantized .tflite file, an ONNX file of integers (deploy/lower/lower.h), the text form
// (net_read), or a name (deploy/family/family.h). NULL with the sentence and its status.
struct net *load_net(const char *model, struct net_error *error);
// The same, with what ONNX files of integers do not say.
struct net *load_net_with(const char *model, const struct lower_options *options,
                          struct net_error *error);

// In real numbers: an .onnx or .tflite file in floats, or a quantized one, whose codes are taken
// for the numbers that they stand for. NULL likewise.
struct real_net *load_real(const char *model, const struct tidy_shape *options,
                           struct net_error *error);

// Whether it is an ONNX file whose inputs are of floats.
bool load_is_float(const char *model);

// An ONNX file as its operators, dimensions that it leaves open filled in (the first: 1). NULL
// likewise.
struct graph *load_graph(const char *model, const struct tidy_shape *options,
                         struct net_error *error);

// In integers, or, if a file is not, in real numbers: `real`, which is NULL otherwise. Both NULL:
// neither, with the sentence.
struct net *load_any(const char *model, const struct tidy_shape *options, struct real_net **real,
                     struct net_error *error);

#endif
