// deploy/emit/folder.h: from a network to a program in a folder.
#ifndef FOLDER_H
#define FOLDER_H

#include "plan.h"

struct folder {
  const char *dir, *root; // where to; where the kernels' sources and libraries are (this project)
  const char *machine;    // a configuration whose cores are as GAP8's
  const char *cache;      // of simulated cycles (cost.h); NULL: the usual one
  struct plan_options plan;
};

// Writes the folder (write.h). NULL with the sentence.
struct plan *folder_write(const struct net *net, const struct folder *folder,
                          struct net_error *error);

// The same, and builds it with the folder's Makefile. How large the program is, shows when it is
// linked: then the plan is made again with that size, which folder->plan.code has in the end.
struct plan *folder_build(const struct net *net, struct folder *folder, struct net_error *error);

#endif
