// deploy/read/load.h: an integer network, wherever it comes from.
#ifndef LOAD_H
#define LOAD_H

#include "deploy/net/net.h"

// A quantized .tflite file, or the text form (net_read). NULL with the sentence and its status.
struct net *load_net(const char *model, struct net_error *error);

#endif
