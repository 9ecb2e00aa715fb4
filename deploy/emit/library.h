// deploy/emit/library.h: the kernels' library that generated programs are linked with.
#ifndef LIBRARY_H
#define LIBRARY_H

#include "deploy/net/net.h"

// Whether `root`, this project's folder, has the machine's library, and that is as new as the
// sources that the compiler read for it. False with the sentence, and what makes one; EX_NOINPUT.
bool library_is_there(const char *root, struct net_error *error);

#endif
