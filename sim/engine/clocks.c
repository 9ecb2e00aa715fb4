#include "engine/clocks.h"

static unsigned common_divisor(unsigned a, unsigned b) {
  while (b) {
    unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a ? a : 1;
}

void clocks_init(struct clocks *k, struct engine *cluster, struct engine *soc, unsigned cluster_hz,
                 unsigned soc_hz) {
  unsigned divisor = common_divisor(cluster_hz, soc_hz);
  *k = (struct clocks){.cluster = cluster,
                       .soc = cluster_hz == soc_hz ? cluster : soc,
                       .cluster_hz = cluster_hz / divisor,
                       .soc_hz = soc_hz / divisor};
}

// t * by / per, rounded down; times that do not fit are never.
static cycle_t scaled(cycle_t t, unsigned by, unsigned per) {
  cycle_t whole = t / per;
  return whole >= CYCLE_NEVER / by ? CYCLE_NEVER : whole * by + t % per * by / per;
}

static cycle_t rounded_up(cycle_t t, unsigned by, unsigned per) {
  cycle_t down = scaled(t, by, per);
  return down + (down != CYCLE_NEVER && t % per * by % per);
}

cycle_t clocks_to_soc(const struct clocks *k, cycle_t t) {
  return clocks_equal(k) ? t : rounded_up(t, k->soc_hz, k->cluster_hz);
}

cycle_t clocks_to_cluster(const struct clocks *k, cycle_t t) {
  return clocks_equal(k) ? t : rounded_up(t, k->cluster_hz, k->soc_hz);
}

cycle_t clocks_soc_cycle_scaled(const struct clocks *k, cycle_t t) {
  return scaled(t, k->soc_hz, k->cluster_hz);
}

cycle_t clocks_cluster_cycle(const struct clocks *k, cycle_t t) {
  return clocks_equal(k) ? t : scaled(t, k->cluster_hz, k->soc_hz);
}

// The SoC's last edge in front of the cluster's edge `t` > 0.
static cycle_t soc_before(const struct clocks *k, cycle_t t) {
  return rounded_up(t, k->soc_hz, k->cluster_hz) - 1;
}

void clocks_yield(struct clocks *k) {
  if (!clocks_equal(k))
    k->cluster->last = k->cluster->now;
}

cycle_t clocks_enter_soc(struct clocks *k, cycle_t now) {
  if (clocks_equal(k))
    return now;
  cycle_t there = clocks_to_soc(k, now);
  clocks_yield(k);
  engine_advance(k->soc, there);
  return there;
}

cycle_t clocks_enter_cluster(struct clocks *k, cycle_t now) {
  if (clocks_equal(k))
    return now;
  cycle_t there = clocks_cluster_cycle(k, now) + 1;
  k->soc->last = k->soc->now;
  engine_advance(k->cluster, there);
  return there;
}

void clocks_stop(struct clocks *k) {
  k->cluster->stop = k->soc->stop = true;
}

// The side whose edge is next goes on up to the other's next one. Either may bring that forward, by
// ending its own run early.
static bool run_both(struct clocks *k, cycle_t last) {
  for (;;) {
    cycle_t cluster = engine_next(k->cluster), soc = engine_next(k->soc);
    if (cluster == CYCLE_NEVER && soc == CYCLE_NEVER)
      return false;
    cycle_t meets = soc == CYCLE_NEVER ? CYCLE_NEVER : clocks_cluster_cycle(k, soc);
    if (cluster > last && meets > last)
      return true;
    if (cluster <= meets) {
      engine_run(k->cluster, meets < last ? meets : last);
      if (k->cluster->stop)
        return true;
    } else {
      engine_run(k->soc, soc_before(k, cluster <= last ? cluster : last + 1));
      if (k->soc->stop)
        return true;
    }
  }
}

bool clocks_run(struct clocks *k, cycle_t last) {
  if (clocks_equal(k))
    return engine_run(k->cluster, last);
  k->cluster->stop = k->soc->stop = false;
  if (!run_both(k, last))
    return false;
  if (!k->cluster->stop && k->cluster->now < last)
    engine_advance(k->cluster, last);
  return true;
}
