// deploy/emit/lives_exact.c
#include "lives_exact.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

enum { WORD = 8 };

// Where the bit `choice` is set, tensor `upper` begins `distance` words behind tensor `lower`, or
// later.
struct order {
  uint32_t lower, upper;
  int32_t distance;
  int choice;
};

struct program {
  glp_prob *lp;
  const struct lives *lives;
  struct order *orders;
  uint32_t order_count;
  int *place;   // column of a tensor's place
  int end;      // of H
  int32_t most; // no place is beyond it
  unsigned nodes, limit;
};

// sum of coefficient[i] * column[i] >= low
static void at_least(struct program *g, int count, const int *column, const double *coefficient,
                     double low) {
  int row = glp_add_rows(g->lp, 1), index[5];
  double value[5];
  for (int i = 0; i < count; i++)
    index[i + 1] = column[i], value[i + 1] = coefficient[i];
  glp_set_row_bnds(g->lp, row, GLP_LO, low, 0);
  glp_set_mat_row(g->lp, row, count, index, value);
}

static void add_order(struct program *g, struct order o) {
  double slack = g->most + fabs((double)o.distance);
  at_least(g, 3, (int[]){g->place[o.upper], g->place[o.lower], o.choice}, (double[]){1, -1, -slack},
           o.distance - slack);
  MEMORY_APPEND(g->orders, g->order_count);
  g->orders[g->order_count++] = o;
}

static int new_bit(struct program *g) {
  int column = glp_add_cols(g->lp, 1);
  glp_set_col_kind(g->lp, column, GLP_BV);
  return column;
}

static int32_t words(const struct life *l) {
  return (int32_t)(l->bytes / WORD);
}

static void add_tensor(struct program *g, uint32_t i) {
  const struct life *l = &g->lives->life[i];
  g->place[i] = glp_add_cols(g->lp, 1);
  bool movable = words(l) < g->most;
  glp_set_col_bnds(g->lp, g->place[i], movable ? GLP_DB : GLP_FX, 0,
                   movable ? g->most - words(l) : 0);
  at_least(g, 2, (int[]){g->end, g->place[i]}, (double[]){1, -1}, words(l));
}

// The tensor that x may lie over: y begins `apart` behind it or later.
static bool may_lie_over(const struct life *x, uint32_t y) {
  return x->apart != INT32_MAX && (x->dying[0] == (int)y || x->dying[1] == (int)y);
}

// x, a layer's output, lies over y, which begins `apart` behind it or later.
static int add_over(struct program *g, uint32_t x, uint32_t y) {
  double apart = ceil((double)g->lives->life[x].apart / WORD);
  int32_t distance = apart < -g->most ? -g->most : (int32_t)apart;
  int over = new_bit(g);
  add_order(g, (struct order){x, y, distance, over});
  return over;
}

static void add_pair(struct program *g, uint32_t a, uint32_t b) {
  const struct life *x = &g->lives->life[a], *y = &g->lives->life[b];
  if (words(x) == 0 || words(y) == 0)
    return;
  int below = new_bit(g), above = new_bit(g), over = 0;
  add_order(g, (struct order){a, b, words(x), below});
  add_order(g, (struct order){b, a, words(y), above});
  if (may_lie_over(x, b))
    over = add_over(g, a, b);
  else if (may_lie_over(y, a))
    over = add_over(g, b, a);
  at_least(g, over ? 3 : 2, (int[]){below, above, over}, (double[]){1, 1, 1}, 1);
}

static void state(struct program *g) {
  const struct lives *all = g->lives;
  uint32_t least = all->bound / WORD;
  g->end = glp_add_cols(g->lp, 1);
  glp_set_obj_coef(g->lp, g->end, 1);
  glp_set_col_kind(g->lp, g->end, GLP_IV);
  glp_set_col_bnds(g->lp, g->end, GLP_DB, least, g->most);
  for (uint32_t i = 0; i < all->count; i++)
    add_tensor(g, i);
  for (uint32_t i = 0; i < all->count; i++) {
    for (uint32_t j = i + 1; j < all->count; j++) {
      if (lives_meet(&all->life[i], &all->life[j]))
        add_pair(g, i, j);
    }
  }
}

static void count_nodes(glp_tree *tree, void *user) {
  struct program *g = user;
  if (glp_ios_reason(tree) == GLP_ISELECT && ++g->nodes > g->limit)
    glp_ios_terminate(tree);
}

enum outcome { NOTHING, BETTER, BEST, NONE_BETTER };

static enum outcome solve(struct program *g) {
  glp_iocp how;
  glp_init_iocp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.presolve = GLP_ON;
  how.cb_func = count_nodes;
  how.cb_info = g;
  int ended = glp_intopt(g->lp, &how), status = glp_mip_status(g->lp);
  if (ended == GLP_ENOPFS || (ended == 0 && status == GLP_NOFEAS))
    return NONE_BETTER;
  if (status != GLP_OPT && status != GLP_FEAS)
    return NOTHING;
  return ended == 0 && status == GLP_OPT ? BEST : BETTER;
}

// The choices alone are taken from the solution, whose places are only as exact as its arithmetic:
// the least places that keep the chosen orders follow from them. False, and nothing has changed, if
// these contradict each other or are no better.
static bool take(const struct program *g, struct lives *all) {
  int32_t *place = memory_new(all->count, sizeof *place), most = 0;
  bool moved = true;
  for (uint32_t round = 0; moved && round <= all->count; round++) {
    moved = false;
    for (uint32_t i = 0; i < g->order_count; i++) {
      const struct order *o = &g->orders[i];
      int32_t least = place[o->lower] + o->distance;
      if (glp_mip_col_val(g->lp, o->choice) < 0.5 || place[o->upper] >= least)
        continue;
      place[o->upper] = least;
      moved = true;
    }
  }
  for (uint32_t i = 0; i < all->count; i++)
    most = place[i] + words(&all->life[i]) > most ? place[i] + words(&all->life[i]) : most;
  bool better = !moved && most <= g->most;
  for (uint32_t i = 0; better && i < all->count; i++)
    all->life[i].place = WORD * (uint32_t)place[i];
  all->bytes = better ? WORD * (uint32_t)most : all->bytes;
  free(place);
  return better;
}

void lives_place_exactly(struct lives *all, unsigned nodes) {
  if (all->bytes <= all->bound)
    return;
  struct program g = {.lp = glp_create_prob(),
                      .lives = all,
                      .place = memory_new(all->count, sizeof *g.place),
                      .most = (int32_t)(all->bytes / WORD) - 1, // what is not better is of no use
                      .limit = nodes};
  glp_term_out(GLP_OFF);
  state(&g);
  enum outcome outcome = solve(&g);
  bool taken = (outcome == BEST || outcome == BETTER) && take(&g, all);
  if (outcome == NONE_BETTER || (outcome == BEST && taken))
    all->bound = all->bytes;
  glp_delete_prob(g.lp);
  free(g.place);
  free(g.orders);
}
