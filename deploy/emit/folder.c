#include "folder.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "bound.h"
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

// A plan for the size that the program has. From below: what more of L2 would have stripes for, has
// fewer descriptions in the program, so that the first size that is enough is the least.
static struct plan *fit_code(const struct net *net, struct folder *folder,
                             struct net_error *error) {
  enum { ROUNDS = 8, LITTLE = 16 << 10, WITHOUT_LIMIT = 7 << 20, SPARE = 512 };
  folder->plan.code = LITTLE; // less than any has
  for (unsigned i = 0;; i++) {
    bool last = i + 1 == ROUNDS;
    struct plan *plan = folder_write(net, folder, error);
    if (!plan)
      return NULL;
    uint32_t code = 0;
    bool built = build(folder, last ? folder->plan.l2 : WITHOUT_LIMIT, error);
    if (built)
      code = machine_code_bytes(plan, folder->dir, folder->machine);
    if (built && (last || code <= folder->plan.code))
      return plan;
    plan_free(plan);
    if (!built)
      return NULL;
    folder->plan.code = (code + SPARE + 15) & ~15u;
  }
}

// Where L2 is short of room, the descriptions of the layers are in L3, if that is sooner done.
struct plan *folder_build(const struct net *net, struct folder *folder, struct net_error *error) {
  if (!library_is_there(folder->root, error))
    return NULL;
  struct plan *plan = fit_code(net, folder, error);
  if (plan ? !plan_is_striped(plan) : error->status != EX_CANTCREAT)
    return plan;
  uint64_t before = plan ? bound_estimate(plan) : UINT64_MAX;
  plan_free(plan);
  folder->plan.layers_far = true;
  plan = fit_code(net, folder, error);
  if (before == UINT64_MAX || (plan && bound_estimate(plan) <= before))
    return plan;
  plan_free(plan);
  folder->plan.layers_far = false;
  return fit_code(net, folder, error);
}
