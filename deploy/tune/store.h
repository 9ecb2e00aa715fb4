// deploy/tune/store.h: measured cycles, kept in a file (SQLite).
#ifndef TUNE_STORE_H
#define TUNE_STORE_H

#include "deploy/tune/measure.h"

struct tune_store;

// Opens the file, or makes it. NULL with the sentence.
struct tune_store *tune_store_open(const struct tune_measure *with, struct net_error *error);
void tune_store_close(struct tune_store *store); // NULL does nothing

// Fills in the cycles of a way that has been measured; false if it has not.
bool tune_store_get(struct tune_store *store, const struct tune_product *product,
                    const struct tune_run *run, struct tune_way *way);
// Between begin and end as one transaction. If the file cannot be written, that is said once.
void tune_store_begin(struct tune_store *store);
void tune_store_put(struct tune_store *store, const struct tune_product *product,
                    const struct tune_run *run, const struct tune_way *way);
void tune_store_end(struct tune_store *store);

// In how much L1, and among how many kernels, a search has chosen.
struct tune_extent {
  uint32_t l1_bytes;
  unsigned kernels;
};
// What it has chosen, with its cycles, and after how many runs. False if there was none.
bool tune_store_get_choice(struct tune_store *store, const struct tune_product *product,
                           const struct tune_extent *in, struct tune_way *way, size_t *runs);
void tune_store_put_choice(struct tune_store *store, const struct tune_product *product,
                           const struct tune_extent *in, const struct tune_way *way, size_t runs);

#endif
