// deploy/family/tiny.h: networks of MLPerf Tiny (the fourth is a MobileNetV1).
#ifndef FAMILY_TINY_H
#define FAMILY_TINY_H

#include "builder.h"

struct net *tiny_ds_cnn(const char *name);
struct net *tiny_resnet8(const char *name);
struct net *tiny_autoencoder(const char *name);

#endif
