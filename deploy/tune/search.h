// deploy/tune/search.h: the fastest way of a product, by simulation.
//
// Ways are run in rounds, those first that are predicted to be the fastest: by their estimates,
// times what runs of the same kernel took against theirs. Which ones are run does not depend on how
// many processes there are.
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include "deploy/tune/store.h"

// Searches the space; the fastest way's cycles are those of call TUNE_WARM_CALL. False with the
// sentence; figures->simulated counts the runs.
struct tune_search {
  const struct tune_measure *with;
  struct tune_store *store; // NULL: nothing is kept
  bool exhaustive;          // all ways are run
};
bool tune_search(const struct tune_search *search, const struct tune_product *product,
                 struct tune_way *ways, size_t count, struct tune_way *best,
                 struct tune_figures *figures, struct net_error *error);

#endif
