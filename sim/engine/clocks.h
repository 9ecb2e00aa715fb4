// sim/engine/clocks.h: the cluster's clock and the SoC's, whose ratio is constant.
//
// Each side has an engine that counts its own cycles from the release of reset, where both clocks
// have an edge. Edges are processed in the order of time, the cluster's first where two meet; what
// one side does is seen by the other at an edge that is still to come. With equal clocks both sides
// have the same engine, and everything here is the identity.
#ifndef PULPSIM_CLOCKS_H
#define PULPSIM_CLOCKS_H

#include "engine/engine.h"

struct clocks {
  struct engine *cluster, *soc;
  unsigned cluster_hz, soc_hz; // their ratio, reduced
};

// `soc` is left alone if the frequencies (MHz or any unit) are equal: the cluster's engine serves
// both then.
void clocks_init(struct clocks *k, struct engine *cluster, struct engine *soc, unsigned cluster_hz,
                 unsigned soc_hz);

static inline bool clocks_equal(const struct clocks *k) {
  return k->cluster == k->soc;
}

// The first edge of the other side that is not before the edge of cycle `t`.
cycle_t clocks_to_soc(const struct clocks *k, cycle_t t);
cycle_t clocks_to_cluster(const struct clocks *k, cycle_t t);

// The cycle of the other side in which cycle `t` begins.
cycle_t clocks_soc_cycle_scaled(const struct clocks *k, cycle_t t);
static inline cycle_t clocks_soc_cycle(const struct clocks *k, cycle_t t) {
  return clocks_equal(k) ? t : clocks_soc_cycle_scaled(k, t);
}
cycle_t clocks_cluster_cycle(const struct clocks *k, cycle_t t);

// While the edge of cycle `now` of one side is processed, brings the other side to the cycle in
// which it sees what happens, before anything else of that cycle; returns it. The other side's
// units may then be called.
cycle_t clocks_enter_soc(struct clocks *k, cycle_t now);
cycle_t clocks_enter_cluster(struct clocks *k, cycle_t now);

// The cluster, in its cycle `now`, is about to schedule an actor of the SoC.
void clocks_yield(struct clocks *k);

// engine_run() of both sides, up to and including the cluster's cycle `last`.
bool clocks_run(struct clocks *k, cycle_t last);

// Ends clocks_run() after the actor that calls this has returned.
void clocks_stop(struct clocks *k);

#endif
