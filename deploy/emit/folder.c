#include "folder.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "library.h"
#include "machine.h"
#include "write.h"

struct plan *folder_write(const struct net *net, const struct folder *folder,
                          struct net_error *error) {
  struct plan *plan = plan_new(net, &folder->plan, error);
  if (plan && write_folder(plan, &folder->plan, folder->dir, folder->root, error))
    return plan;
  plan_free(plan);
  return NULL;
}

static bool fail(struct net_error *error, int status) {
  if (error)
    error->status = status;
  return false;
}

// `l2`: how much of it the linker may use.
static bool build(const struct folder *folder, uint32_t l2, struct net_error *error) {
  if (strchr(folder->dir, '\'')) {
    net_fail(error, "%.300s: a folder to build in has no ' in its name", folder->dir);
    return fail(error, EX_USAGE);
  }
  char *command = memory_format("make -s -B -C '%s' L2=%u 1>&2", folder->dir, l2);
  int status = system(command); // NOLINT(cert-env33-c): make is the user's
  free(command);
  if (status == 0)
    return true;
  net_fail(error, "%.300s: make failed", folder->dir);
  return fail(error, EX_SOFTWARE);
}

// A plan for the size that the program has; the one that is there if that is near enough.
static struct plan *fit_code(const struct net *net, struct folder *folder, struct plan *plan,
                             struct net_error *error) {
  enum { ROUNDS = 4, WITHOUT_LIMIT = 7 << 20, SPARE = 512, WORTH = 4096 };
  for (unsigned i = 0; plan && i < ROUNDS; i++) {
    if (!build(folder, WITHOUT_LIMIT, error)) {
      plan_free(plan);
      return NULL;
    }
    uint32_t code = machine_code_bytes(plan, folder->dir, folder->machine);
    if (code == 0 || (code <= folder->plan.code && code + WORTH > folder->plan.code))
      return plan;
    folder->plan.code = (code + SPARE + 15) & ~15u;
    plan_free(plan);
    plan = folder_write(net, folder, error);
  }
  if (plan && build(folder, folder->plan.l2, error))
    return plan;
  plan_free(plan);
  return NULL;
}

struct plan *folder_build(const struct net *net, struct folder *folder, struct net_error *error) {
  enum { LITTLE_CODE = 16 << 10 };
  if (!library_is_there(folder->root, error))
    return NULL;
  struct plan *plan = folder_write(net, folder, error);
  if (!plan && error && error->status == EX_CANTCREAT && folder->plan.code > LITTLE_CODE) {
    folder->plan.code = LITTLE_CODE; // less than any has: how much it is will show
    plan = folder_write(net, folder, error);
  }
  return fit_code(net, folder, plan, error);
}
