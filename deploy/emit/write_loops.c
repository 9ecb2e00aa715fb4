#include "write_loops.h"

#include "kernels/nn/nn_finish.h"
#include "kernels/tile/tile_kernel.h"

enum { BITS = 33, ENDS = NN_END_TFLITE_RELU + 1 };

static const struct {
  const char *name, *constant;
} ends[ENDS] = {[NN_END_SCALE] = {"scale", "NN_END_SCALE"},
                [NN_END_ICN] = {"icn", "NN_END_ICN"},
                [NN_END_ICN_LEFT] = {"icn_left", "NN_END_ICN_LEFT"},
                [NN_END_THRESHOLDS] = {"thresholds", "NN_END_THRESHOLDS"},
                [NN_END_FOLDED] = {"folded", "NN_END_FOLDED"},
                [NN_END_TFLITE] = {"tflite", "NN_END_TFLITE"},
                [NN_END_TFLITE_RELU] = {"tflite_relu", "NN_END_TFLITE_RELU"}};

// What the layers need: strips by whether inputs are signed bytes, by the bits of weights and
// outputs (0: with an end of a scheme); ends and bits.
struct needs {
  bool mixed, add;
  bool strips[2][9][BITS], ends[ENDS][9];
};

static void need_strip(struct needs *n, const struct tile_layer *t, uint32_t out) {
  n->strips[t->in_signed && t->in_bits == 8][t->weight_bits][out] = true;
}

static void need_end(struct needs *n, const struct tile_layer *t, enum nn_end_kind end) {
  n->ends[end][t->out_bits] = true;
  need_strip(n, t, 0);
  if (t->kernel_h == 1 && t->kernel_w == 1 && t->in_bits == 8 && t->weight_bits == 8)
    need_strip(n, t, NN_STRIP_ROWS);
}

// What nn_mixed.h does with a requantization: an end, or sums. Where there is none for all
// channels, it depends on a tile's.
static void need_scheme(struct needs *n, const struct tile_layer *t) {
  const struct tile_requant *rq = &t->requant;
  if (rq->end.kind != NN_END_ASK) {
    need_end(n, t, (enum nn_end_kind)rq->end.kind);
    return;
  }
  need_strip(n, t, 32);
  if (rq->scheme == NN_ICN && !t->out_signed) {
    need_end(n, t, NN_END_ICN);
    need_end(n, t, NN_END_ICN_LEFT);
  } else if (rq->scheme == NN_TFLITE) {
    need_end(n, t, NN_END_TFLITE);
    if (t->out_bits == 8)
      need_end(n, t, NN_END_TFLITE_RELU);
  }
}

static void collect(const struct plan *plan, struct needs *n) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct tile_layer *t = &plan->layers[i].tile;
    n->add |= t->kernel == &tile_add;
    if (t->kernel != &tile_mixed && t->kernel != &tile_parts)
      continue;
    n->mixed = true;
    if (t->kernel == &tile_parts)
      need_strip(n, t, 32);
    else if (t->requant.used)
      need_scheme(n, t);
    else
      need_strip(n, t, t->out_bits);
  }
}

// A table of four, for 1 to 4 pixels, and its line in the function.
static void write_choice(FILE *f, const char *type, const char *name, const char *condition) {
  fprintf(f, "  static %s *const %s[] = {%s_u1, %s_u2, %s_u3, %s_u4};\n", type, name, name, name,
          name, name);
  fprintf(f, "  if (%s)\n    return %s[pixels - 1];\n", condition, name);
}

static void declare(FILE *f, const char *type, const char *name) {
  fprintf(f, "%s %s_u1, %s_u2, %s_u3, %s_u4;\n", type, name, name, name, name);
}

typedef void visit_fn(FILE *f, const char *name, const char *condition);

static void declare_strip(FILE *f, const char *name, const char *condition) {
  (void)condition;
  declare(f, "nn_strip_mixed_fn", name);
}
static void choose_strip(FILE *f, const char *name, const char *condition) {
  write_choice(f, "nn_strip_mixed_fn", name, condition);
}
static void declare_end(FILE *f, const char *name, const char *condition) {
  (void)condition;
  declare(f, "nn_finish_fn", name);
}
static void choose_end(FILE *f, const char *name, const char *condition) {
  write_choice(f, "nn_finish_fn", name, condition);
}

static void each_strip(const struct needs *n, FILE *f, visit_fn *visit) {
  for (uint32_t i = 0; i < 2 * 9 * BITS; i++) {
    uint32_t is_signed = i / (9 * BITS), w = i / BITS % 9, o = i % BITS;
    char name[48], condition[80];
    snprintf(name, sizeof name, "nn_strip_c%s8w%uo%u", is_signed ? "s" : "", w, o);
    snprintf(condition, sizeof condition, "is_signed == %u && weight == %u && out == %u", is_signed,
             w, o);
    if (n->strips[is_signed][w][o])
      visit(f, name, condition);
  }
}

static void each_end(const struct needs *n, FILE *f, visit_fn *visit) {
  for (int end = NN_END_SCALE; end < ENDS; end++) {
    for (uint32_t b = 2; b <= 8; b++) {
      char name[48], condition[64];
      snprintf(name, sizeof name, "nn_finish_%s_%u", ends[end].name, b);
      snprintf(condition, sizeof condition, "end == %s && bits == %u", ends[end].constant, b);
      if (n->ends[end][b])
        visit(f, name, condition);
    }
  }
}

static void write_mixed(const struct needs *n, FILE *f) {
  fprintf(f, "\n// The inner loops of nn_mixed.h that these layers need.\n");
  each_strip(n, f, declare_strip);
  fprintf(f,
          "nn_strip_mixed_fn *nn_strip_mixed(uint32_t compute, bool is_signed, uint32_t weight,\n"
          "                                  uint32_t out, uint32_t pixels) {\n"
          "  (void)compute, (void)is_signed;\n");
  each_strip(n, f, choose_strip);
  fprintf(f, "  return NULL;\n}\n\n");
  each_end(n, f, declare_end);
  fprintf(f, "nn_finish_fn *nn_finish(enum nn_end_kind end, uint32_t bits, uint32_t pixels) {\n"
             "  (void)end, (void)bits, (void)pixels;\n");
  each_end(n, f, choose_end);
  fprintf(f, "  return NULL;\n}\n");
}

// ---------------------------------------------------------------------------- additions

static void add_name(const struct tile_layer *t, char name[32]) {
  snprintf(name, 32, "nn_add_%u_%u_%u%c%c", t->in_bits, t->more[0].bits, t->out_bits,
           t->in_signed ? 's' : 'u', t->out_signed ? 's' : 'u');
}

static void write_add(const struct plan *plan, FILE *f) {
  fprintf(f,
          "\nnn_add_words_fn *nn_add_words(uint32_t a, uint32_t b, uint32_t out, bool in_signed,\n"
          "                              bool out_signed) {\n");
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct tile_layer *t = &plan->layers[i].tile;
    char name[32];
    if (t->kernel != &tile_add)
      continue;
    add_name(t, name);
    fprintf(f, "  extern nn_add_words_fn %s;\n", name);
    fprintf(f,
            "  if (a == %u && b == %u && out == %u && in_signed == %u && out_signed == %u)\n"
            "    return %s;\n",
            t->in_bits, t->more[0].bits, t->out_bits, t->in_signed, t->out_signed, name);
  }
  fprintf(f, "  return NULL;\n}\n");
}

// ---------------------------------------------------------------------------- depthwise quads,
// clips

// Loops by the bits and the signs of inputs and outputs, of layers that may call them.
static void write_quads(const struct plan *plan, FILE *f) {
  bool needs[8] = {false}, any = false;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct tile_layer *t = &plan->layers[i].tile;
    if (t->kernel == &tile_quads || t->kernel == &tile_depthwise)
      any = needs[4 * (t->in_bits == 4) + 2 * t->in_signed + t->out_signed] = true;
  }
  if (!any)
    return;
  fprintf(f, "\nnn_dw_quads_fn *nn_dw_quads_of(uint32_t bits, bool in_signed, bool out_signed) {\n"
             "  (void)bits, (void)in_signed, (void)out_signed;\n");
  for (unsigned i = 0; i < 8; i++) {
    unsigned bits = i / 4 ? 4 : 8, in = i / 2 % 2, out = i % 2;
    if (needs[i])
      fprintf(f,
              "  if (bits == %u && in_signed == %u && out_signed == %u)\n"
              "    return nn_dw_quads_%u%c%c;\n",
              bits, in, out, bits, in ? 's' : 'u', out ? 's' : 'u');
  }
  fprintf(f, "  return NULL;\n}\n");
}

static void write_no_clip(const struct plan *plan, FILE *f) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    if (plan->layers[i].tile.clip)
      return;
  }
  fprintf(f,
          "\n// No layer's outputs end within their range.\n"
          "enum kernel_status tile_clip(const struct tile_layer *layer, const struct tile *tile,\n"
          "                             uint8_t *l1) {\n"
          "  (void)layer, (void)tile, (void)l1;\n"
          "  return KERNEL_OK;\n}\n");
}

void write_loops(const struct plan *plan, FILE *f) {
  struct needs needs = {.mixed = false};
  collect(plan, &needs);
  if (needs.mixed)
    write_mixed(&needs, f);
  if (needs.add)
    write_add(plan, f);
  write_quads(plan, f);
  write_no_clip(plan, f);
}
