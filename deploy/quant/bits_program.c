// deploy/quant/bits_program.c
#include "bits_program.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

// Nodes of the search: a bound in seconds would let the result depend on the host.
enum { NODES = 20000 };

// The largest loss in the objective, and what a step of bits costs beside its loss: of assignments
// that lose as much, the one of more bits. GLPK's simplex takes differences below 1e-7 for none.
static const double largest = 1000, step_cost = 2e-6;

static const uint8_t choices[BITS_CHOICES] = {8, 4, 2};

// What is missing of the memories and of the cycles, where nothing fits: memories first.
enum { MISSING_RO, MISSING_RW, MISSING_CYCLES, MISSING };
static const double missing_cost[MISSING] = {1, 1, 1e-3};

// Columns of the program: numbers from 1 on, 0: none.
struct program {
  const struct bits_problem *p;
  const struct bits_budget *budget;
  glp_prob *lp;
  double scale;                 // of losses in the objective
  int (*weights)[BITS_CHOICES]; // per layer
  int (*groups)[BITS_CHOICES];  // per group that is not fixed
  int *folded;                  // per layer: weights and output have 8 bits
  int missing[MISSING];         // 0, or what a limit is too small by
  int *index;                   // of the row being written
  double *value;
  int count;
};

static bool is_used(const struct bits_problem *p, uint32_t group) {
  for (uint32_t i = 0; i < p->layer_count; i++) {
    for (uint32_t k = 0; k < p->layers[i].alive_count; k++) {
      if (p->layers[i].alive[k].group == group)
        return true;
    }
  }
  return false;
}

// ---------------------------------------------------------------------------- rows

static void put(struct program *g, int column, double value) {
  for (int i = 1; i <= g->count; i++) {
    if (g->index[i] == column) {
      g->value[i] += value;
      return;
    }
  }
  g->count++;
  g->index[g->count] = column, g->value[g->count] = value;
}

static void end_row(struct program *g, int type, double low, double high) {
  int row = glp_add_rows(g->lp, 1);
  glp_set_row_bnds(g->lp, row, type, low, high);
  glp_set_mat_row(g->lp, row, g->count, g->index, g->value);
  g->count = 0;
}

static int add_column(struct program *g, double cost) {
  int column = glp_add_cols(g->lp, 1);
  glp_set_col_kind(g->lp, column, GLP_BV);
  glp_set_obj_coef(g->lp, column, cost);
  return column;
}

static int add_missing(struct program *g) {
  int column = glp_add_cols(g->lp, 1);
  glp_set_col_bnds(g->lp, column, GLP_FX, 0, 0);
  return column;
}

// One precision for each tensor.
static void add_choice(struct program *g, int columns[BITS_CHOICES], const double *losses) {
  for (int k = 0; k < BITS_CHOICES; k++) {
    columns[k] = add_column(g, g->scale * losses[k] + k * step_cost);
    put(g, columns[k], 1);
  }
  end_row(g, GLP_FX, 1, 1);
}

static double bytes_of(uint64_t elements, uint8_t bits) {
  uint64_t bytes = (elements * bits + 7) / 8;
  return (double)bytes;
}

// The variable may be 1 only where this one is.
static void implies(struct program *g, int variable, int other) {
  put(g, variable, 1);
  put(g, other, -1);
  end_row(g, GLP_UP, 0, 0);
}

// Parameters that depend on bits: by the output's (thresholds), or on whether all is 8 (folded).
static double put_parameters(struct program *g, uint32_t i) {
  const struct bits_layer *l = &g->p->layers[i];
  const int *out = g->groups[l->y.group];
  double wide = (double)bits_parameter_bytes(g->budget, l->channels, 8, 8);
  double narrow = (double)bits_parameter_bytes(g->budget, l->channels, 4, 8);
  if (g->folded[i])
    put(g, g->folded[i], wide - narrow);
  for (int k = 0; k < BITS_CHOICES && out[0]; k++)
    put(g, out[k], (double)bits_parameter_bytes(g->budget, l->channels, 4, choices[k]) - narrow);
  return narrow;
}

static void add_read_only(struct program *g) {
  double fixed = 0;
  for (uint32_t i = 0; i < g->p->layer_count; i++) {
    const struct bits_layer *l = &g->p->layers[i];
    if (!l->weights)
      continue;
    fixed += put_parameters(g, i);
    for (int k = 0; k < BITS_CHOICES; k++)
      put(g, g->weights[i][k], bytes_of(l->weights, choices[k]));
  }
  put(g, g->missing[MISSING_RO], -1);
  end_row(g, GLP_UP, 0, (double)g->budget->read_only - fixed);
}

static void add_read_write(struct program *g, uint32_t layer) {
  const struct bits_layer *l = &g->p->layers[layer];
  double fixed = 0;
  for (uint32_t i = 0; i < l->alive_count; i++) {
    const int *columns = g->groups[l->alive[i].group];
    for (int k = 0; k < BITS_CHOICES && columns[0]; k++)
      put(g, columns[k], bytes_of(l->alive[i].elements, choices[k]));
    if (!columns[0])
      fixed += bytes_of(l->alive[i].elements, 8);
  }
  put(g, g->missing[MISSING_RW], -1);
  end_row(g, GLP_UP, 0, (double)g->budget->read_write - fixed);
}

// ---------------------------------------------------------------------------- the program

static void add_folded(struct program *g, uint32_t i) {
  const struct bits_layer *l = &g->p->layers[i];
  if (g->budget->scheme != BITS_DEFAULT || g->budget->per_channel)
    return;
  g->folded[i] = add_column(g, 0);
  implies(g, g->folded[i], g->weights[i][0]);
  if (g->groups[l->y.group][0])
    implies(g, g->folded[i], g->groups[l->y.group][0]);
}

// The column that may not be 0 where both of these are 1; 0 stands for one that is always 1.
static int add_pair(struct program *g, int a, int b) {
  int pair = add_column(g, 0);
  put(g, pair, 1);
  if (a)
    put(g, a, -1);
  if (b)
    put(g, b, -1);
  end_row(g, GLP_LO, 1 - (a != 0) - (b != 0), 0);
  return pair;
}

enum { PAIRS = BITS_CHOICES * BITS_CHOICES };

// Whether the bits of a layer's output are a choice of their own.
static bool chooses_output(const struct bits_problem *p, const struct bits_layer *l) {
  return !p->fixed[l->y.group] && l->y.group != l->x.group;
}

// Columns for each pair of bits of weights and input, input and output; 0: none.
static void add_pairs(struct program *g, uint32_t i, int inputs[PAIRS], int outputs[PAIRS]) {
  const struct bits_layer *l = &g->p->layers[i];
  const int *x = g->groups[l->x.group], *y = g->groups[l->y.group];
  const int *weights = l->weights ? g->weights[i] : NULL;
  for (int k = 0; k < PAIRS; k++) {
    int first = k / BITS_CHOICES, second = k % BITS_CHOICES;
    if ((weights || first == 0) && (x[0] || second == 0))
      inputs[k] = add_pair(g, weights ? weights[first] : 0, x[second]);
    if (chooses_output(g->p, l) && (x[0] || first == 0))
      outputs[k] = add_pair(g, x[first], y[second]);
  }
}

static double least_of(double values[BITS_CHOICES][BITS_CHOICES]) {
  double least = 0;
  for (int k = 0; k < PAIRS; k++)
    least = fmin(least, values[k / BITS_CHOICES][k % BITS_CHOICES]);
  return least;
}

// All cycles are `most` at most. What is negative for a pair counts from the least one, as columns
// of pairs are bounded from below.
static void add_cycles(struct program *g, const struct bits_cycles *cycles, double most) {
  int(*inputs)[PAIRS] = memory_new(g->p->layer_count, sizeof *inputs);
  int(*outputs)[PAIRS] = memory_new(g->p->layer_count, sizeof *outputs);
  for (uint32_t i = 0; i < g->p->layer_count; i++)
    add_pairs(g, i, inputs[i], outputs[i]);
  for (uint32_t i = 0; i < g->p->layer_count; i++) {
    double least = least_of(cycles->outputs[i]);
    bool chooses = chooses_output(g->p, &g->p->layers[i]);
    for (int k = 0; k < PAIRS; k++) {
      if (inputs[i][k])
        put(g, inputs[i][k], cycles->layers[i][k / BITS_CHOICES][k % BITS_CHOICES]);
      if (outputs[i][k])
        put(g, outputs[i][k], cycles->outputs[i][k / BITS_CHOICES][k % BITS_CHOICES] - least);
    }
    most -= chooses ? least : 0;
  }
  put(g, g->missing[MISSING_CYCLES], -1);
  end_row(g, GLP_UP, 0, most);
  free(inputs);
  free(outputs);
}

static double scale_of(const struct bits_problem *p, const struct bits_losses *losses) {
  double most = 0;
  for (uint32_t i = 0; i < p->layer_count; i++)
    most = p->layers[i].weights ? fmax(most, losses->weights[i][BITS_CHOICES - 1]) : most;
  for (uint32_t i = 0; i < p->group_count; i++)
    most = p->fixed[i] || !is_used(p, i) ? most : fmax(most, losses->groups[i][BITS_CHOICES - 1]);
  return most > 0 ? largest / most : 1;
}

static void build(struct program *g, const struct bits_losses *losses) {
  g->scale = scale_of(g->p, losses);
  for (int i = 0; i < MISSING; i++)
    g->missing[i] = add_missing(g);
  for (uint32_t i = 0; i < g->p->group_count; i++) {
    if (!g->p->fixed[i] && is_used(g->p, i))
      add_choice(g, g->groups[i], losses->groups[i]);
  }
  for (uint32_t i = 0; i < g->p->layer_count; i++) {
    if (!g->p->layers[i].weights)
      continue;
    add_choice(g, g->weights[i], losses->weights[i]);
    add_folded(g, i);
  }
  add_read_only(g);
  for (uint32_t i = 0; i < g->p->layer_count; i++)
    add_read_write(g, i);
}

static uint8_t chosen(const struct program *g, const int columns[BITS_CHOICES]) {
  for (int k = 0; k < BITS_CHOICES && columns[0]; k++) {
    if (glp_mip_col_val(g->lp, columns[k]) > 0.5)
      return choices[k];
  }
  return 8;
}

static void count_nodes(glp_tree *tree, void *cut_off) {
  int nodes = 0;
  glp_ios_tree_size(tree, NULL, NULL, &nodes);
  if (nodes < NODES)
    return;
  *(bool *)cut_off = true;
  glp_ios_terminate(tree);
}

static bool solve(struct program *g, bool *cut_off) {
  glp_iocp how;
  glp_init_iocp(&how);
  how.presolve = GLP_ON;
  how.msg_lev = GLP_MSG_OFF;
  how.cb_func = count_nodes;
  how.cb_info = cut_off;
  glp_intopt(g->lp, &how);
  int status = glp_mip_status(g->lp);
  return status == GLP_OPT || status == GLP_FEAS;
}

// The assignment that misses the limits by least, whatever it loses.
static void solve_missing(struct program *g, bool *cut_off) {
  for (int i = 1; i <= glp_get_num_cols(g->lp); i++)
    glp_set_obj_coef(g->lp, i, 0);
  for (int i = 0; i < MISSING; i++) {
    glp_set_col_bnds(g->lp, g->missing[i], GLP_LO, 0, 0);
    glp_set_obj_coef(g->lp, g->missing[i], missing_cost[i]);
  }
  solve(g, cut_off);
}

static void take_solution(const struct program *g, struct bits_result *r) {
  for (uint32_t i = 0; i < g->p->group_count; i++)
    r->groups[i] = chosen(g, g->groups[i]);
  for (uint32_t i = 0; i < g->p->layer_count; i++)
    r->weights[i] = g->p->layers[i].weights ? chosen(g, g->weights[i]) : 0;
}

static bool judge_cycles(const struct program *g, const struct bits_cycles *cycles, double most,
                         const struct bits_result *r, struct net_error *error) {
  double taken = cycles ? bits_cycles_of(g->p, cycles, r) : most;
  return taken <= most + 0.5 ||
         net_fail(
             error,
             "no solution: the fewest cycles found within the memories are %.0f, %.0f more than "
             "%.0f",
             taken, taken - most, most);
}

static void free_program(struct program *g) {
  glp_delete_prob(g->lp);
  free(g->weights);
  free(g->groups);
  free(g->folded);
  free(g->index);
  free(g->value);
}

bool bits_optimize(const struct bits_problem *p, const struct bits_budget *budget,
                   const struct bits_losses *losses, const struct bits_cycles *cycles, double limit,
                   struct bits_result *r, struct net_error *error) {
  size_t most = 1 + MISSING + (size_t)BITS_CHOICES * (p->layer_count + p->group_count) +
                (1 + 2 * (size_t)PAIRS) * p->layer_count;
  struct program g = {.p = p,
                      .budget = budget,
                      .lp = glp_create_prob(),
                      .weights = memory_new(p->layer_count, sizeof *g.weights),
                      .groups = memory_new(p->group_count, sizeof *g.groups),
                      .folded = memory_new(p->layer_count, sizeof *g.folded),
                      .index = memory_new(most, sizeof *g.index),
                      .value = memory_new(most, sizeof *g.value)};
  *r = (struct bits_result){.groups = memory_new(p->group_count, 1),
                            .weights = memory_new(p->layer_count, 1)};
  glp_term_out(GLP_OFF);
  build(&g, losses);
  if (cycles)
    add_cycles(&g, cycles, limit);
  bool cut_off = false;
  if (!solve(&g, &r->cut_off))
    solve_missing(&g, &cut_off);
  take_solution(&g, r);
  bool good = bits_judge(p, budget, r, error) && judge_cycles(&g, cycles, limit, r, error);
  free_program(&g);
  return good;
}

static int choice_of(uint8_t bits) {
  return bits == 8 ? 0 : bits == 4 ? 1 : 2;
}

double bits_loss(const struct bits_problem *p, const struct bits_losses *losses,
                 const struct bits_result *r) {
  double sum = 0;
  for (uint32_t i = 0; i < p->layer_count; i++)
    sum += p->layers[i].weights ? losses->weights[i][choice_of(r->weights[i])] : 0;
  for (uint32_t i = 0; i < p->group_count; i++)
    sum += p->fixed[i] || !is_used(p, i) ? 0 : losses->groups[i][choice_of(r->groups[i])];
  return sum;
}

double bits_cycles_of(const struct bits_problem *p, const struct bits_cycles *cycles,
                      const struct bits_result *r) {
  double sum = 0;
  for (uint32_t i = 0; i < p->layer_count; i++) {
    const struct bits_layer *l = &p->layers[i];
    int weights = l->weights ? choice_of(r->weights[i]) : 0;
    int x = choice_of(r->groups[l->x.group]), y = choice_of(r->groups[l->y.group]);
    sum += cycles->layers[i][weights][x] + (chooses_output(p, l) ? cycles->outputs[i][x][y] : 0);
  }
  return sum;
}
