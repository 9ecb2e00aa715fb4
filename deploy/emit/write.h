// deploy/emit/write.h: a plan as C, with its weights and a Makefile, in a folder.
#ifndef WRITE_H
#define WRITE_H

#include "plan.h"

// DIR/net.c, net.h, main.c, l3.bin, Makefile; the folder is made if it is not there. `root`: where
// the kernels' sources and libraries are (this project). False with the sentence.
bool write_folder(const struct plan *plan, const struct plan_options *options, const char *dir,
                  const char *root, struct net_error *error);

#endif
