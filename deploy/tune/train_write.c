// deploy/tune/train_write.c: see train_write.h.
#include "deploy/tune/train_write.h"

#include <inttypes.h>

#include "deploy/tune/kernels.h"

static const char *const kinds[] = {
    [TRAIN_NET_PATCHES] = "TRAIN_NET_PATCHES",     [TRAIN_NET_PRODUCT] = "TRAIN_NET_PRODUCT",
    [TRAIN_NET_DEPTHWISE] = "TRAIN_NET_DEPTHWISE", [TRAIN_NET_MAX] = "TRAIN_NET_MAX",
    [TRAIN_NET_MEAN_OF] = "TRAIN_NET_MEAN_OF",     [TRAIN_NET_MEAN] = "TRAIN_NET_MEAN"};

// From plane to plane.
static uint32_t pitch(const struct train_plan *plan, uint32_t pixels) {
  return plan->type == TRAIN_F32 ? pixels : train_net_half_pitch(pixels);
}

static const char *const types[] = {
    [TRAIN_F32] = "TRAIN_F32", [TRAIN_FP16] = "TRAIN_FP16", [TRAIN_BF16] = "TRAIN_BF16"};

static void write_head(FILE *out, const struct train_plan *plan,
                       const struct train_write_options *o) {
  const struct train_net_layer *in = &plan->layers[0].layer;
  uint32_t pixels = (uint32_t)in->in_h * in->in_w;
  fprintf(out, "// Training of %s, made by `pulpsim-tune network %s --train --emit FILE`.\n",
          o->name, o->name);
  fprintf(out, "//\n// %" PRIu64 " MACs an example. Input: %u planes of %ux%u%s. Weights: %s.\n",
          train_plan_macs(plan), in->in_c, in->in_h, in->in_w,
          plan->turned ? ", which lie on their side: x before y" : "",
          plan->random ? "drawn by chance (He et al., ICCV 2015)" : "those of the model");
  fprintf(out, "//\n// make kernel FILE=this.c KSTACK='-Wl,--defsym=rt_stack_size=1696 "
               "-Wl,--defsym=rt_l2_size=0x1f8000'\n");
  fprintf(out, "#include \"kernels/mm/mmt_f32.h\"\n#include \"kernels/rt/rt.h\"\n"
               "#include \"kernels/train/train_net_far.h\"\n"
               "#include \"kernels/train/train_typed.h\"\n\n");
  fprintf(out, "#define TYPE %s\nenum { PIXELS = %u, PITCH = %u };\n", types[plan->type], pixels,
          pitch(plan, pixels));
  fprintf(out, "enum { INPUTS = %u, CLASSES = %u, LAYERS = %u, WEIGHTS = %u, L1_FLOATS = %u };\n",
          train_plan_in(plan), train_plan_out(plan, plan->count - 1), plan->count,
          train_memory_near(plan), o->l1_bytes / 4);
  fprintf(out, "enum { GRADS = %u, GRADIENTS = %u, BATCH = %u, MSE = %d, MACS = %" PRIu64 " };\n\n",
          train_memory_largest_out(plan),
          o->memory.at_once ? train_memory_largest(plan) : train_memory_near(plan), o->batch,
          o->mse, train_plan_macs(plan));
}

static void write_floats(FILE *out, const float *values, uint32_t count, uint32_t *column) {
  for (uint32_t i = 0; i < count; i++) {
    fprintf(out, "%s%.8ef,", *column % 6 ? " " : "\n    ", (double)values[i]);
    ++*column;
  }
}

// Of all layers in L3, or of all others; an array has an element in any case.
static void write_weights(FILE *out, const struct train_plan *plan, bool far) {
  static const float nothing[2] = {0, 0};
  uint32_t column = 0;
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct train_plan_layer *l = &plan->layers[i];
    if (!l->weights || l->far != far)
      continue;
    write_floats(out, l->weights, l->weight_count, &column);
    write_floats(out, l->bias, l->layer.out_c, &column);
    write_floats(out, nothing, (l->weight_count + l->layer.out_c) % 2, &column);
  }
  if (column == 0)
    write_floats(out, nothing, 2, &column);
  fprintf(out, "\n};\n");
}

// What lies in L3: weights, and behind them, without numbers to load, sums.
static void write_far_arrays(FILE *out, const struct train_plan *plan,
                             const struct train_write_options *o) {
  const struct train_memory *m = &o->memory;
  fprintf(out,
          "enum { FAR = %" PRIu64 ", SLOT = %u };\n"
          "float train_far[FAR] __attribute__((section(\".l3\"), aligned(8))) = {",
          m->l3_floats, m->slot_floats);
  write_weights(out, plan, true);
  fprintf(out, "static float slots[%u][SLOT] __attribute__((aligned(8)))%s;\n", m->slots,
          o->batch > 1 ? ", sum_slots[2][SLOT] __attribute__((aligned(8)))" : "");
}

static void write_arrays(FILE *out, const struct train_plan *plan,
                         const struct train_write_options *o) {
  const struct train_memory *m = &o->memory;
  const char *element = plan->type == TRAIN_F32 ? "float" : "uint16_t";
  fprintf(out, "%s train_input[INPUTS];\nfloat train_weights[] = {", element);
  write_weights(out, plan, false);
  if (m->slots)
    write_far_arrays(out, plan, o);
  fprintf(out,
          "float train_target[CLASSES]; // of the mean squared error\n"
          "static %s gradients[GRADIENTS], grads[2][GRADS]%s;\n%s",
          element, plan->type == TRAIN_F32 ? "" : ", half_weights[WEIGHTS]",
          o->batch > 1 ? "static float sums[WEIGHTS + 2];\n" : "");
  if (m->shared)
    fprintf(out, "static %s shared[%u]; // outputs that are computed again\n", element, m->shared);
  for (uint32_t i = 0; i < plan->count; i++)
    if (!plan->layers[i].shared && !plan->layers[i].passes)
      fprintf(out, "static %s out_%u[%u]; // %s\n", element, i, train_plan_out(plan, i),
              plan->layers[i].name);
  fprintf(out, "static RT_L1_BSS float l1[L1_FLOATS] __attribute__((aligned(8)));\n\n");
}

static void write_tile(FILE *out, const char *step, const struct train_net_tile *t) {
  fprintf(out, ",\n     .%s = {%u, %u, %u, %s, ", step, t->n, t->m, t->k,
          t->rows_inner ? "true" : "false");
  if (t->matmul)
    fprintf(out, "1 + MMT_F32_%s}", tune_kernel_name(t->matmul));
  else
    fprintf(out, "0}");
}

// Where a table's entry lies among those in L3 or L2.
struct place {
  uint32_t near, far, order; // floats; the order of those in L3
};

static void step_over(struct place *at, const struct train_plan_layer *l) {
  uint32_t floats = train_plan_floats(l);
  at->far += l->far ? floats : 0;
  at->near += l->far ? 0 : floats;
  at->order += l->far;
}

static void write_places(FILE *out, const struct train_plan_layer *p, uint32_t number,
                         const struct place *at, uint32_t slots) {
  if (p->far)
    fprintf(out, "     .weights = slots[%u], .bias = slots[%u] + %u,\n", at->order % slots,
            at->order % slots, p->weight_count);
  else if (p->weights)
    fprintf(out, "     .weights = train_weights + %u, .bias = train_weights + %u,\n", at->near,
            at->near + p->weight_count);
  if (p->passes)
    fprintf(out, "     .out = grads[%u]", number % 2);
  else if (p->shared)
    fprintf(out, "     .out = shared");
  else
    fprintf(out, "     .out = out_%u", number);
}

static void write_layer(FILE *out, const struct train_plan_layer *p, uint32_t number,
                        const struct place *at, uint32_t slots) {
  const struct train_net_layer *l = &p->layer;
  fprintf(out, "    {.kind = %s%s%s%s,\n", kinds[l->kind], l->relu ? ", .relu = true" : "",
          l->frozen ? ", .frozen = true" : "", l->again ? ", .again = true" : "");
  fprintf(out, "     .in_c = %u, .in_h = %u, .in_w = %u, .out_c = %u, .out_h = %u, .out_w = %u,\n",
          l->in_c, l->in_h, l->in_w, l->out_c, l->out_h, l->out_w);
  if (l->kind != TRAIN_NET_PRODUCT)
    fprintf(
        out,
        "     .kernel_h = %u, .kernel_w = %u, .stride_h = %u, .stride_w = %u, .pad_top = %u,\n"
        "     .pad_bottom = %u, .pad_left = %u, .pad_right = %u, .part_fw = %u, .part_bw = %u,\n",
        l->kernel_h, l->kernel_w, l->stride_h, l->stride_w, l->pad_top, l->pad_bottom, l->pad_left,
        l->pad_right, l->part_fw, l->part_bw);
  write_places(out, p, number, at, slots);
  if (l->kind == TRAIN_NET_PRODUCT) {
    write_tile(out, "fw", &l->fw);
    write_tile(out, "wg", &l->wg);
    write_tile(out, "ig", &l->ig);
  }
  fprintf(out, "},\n");
}

static void write_ring(FILE *out, const char *name, const char *l3, const char *array,
                       uint32_t slots) {
  fprintf(out, "    .%s = {.l3 = %s, .slots = %u, .slot = {", name, l3, slots);
  for (uint32_t i = 0; i < slots; i++)
    fprintf(out, "{.floats = %s[%u]}, ", array, i);
  fprintf(out, "}},\n");
}

// Tables of what lies in L3.
static void write_far(FILE *out, const struct train_plan *plan,
                      const struct train_write_options *o) {
  struct place at = {0, 0, 0};
  fprintf(out, "static const struct train_net_far_layer far_layers[LAYERS] = {\n");
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct train_plan_layer *l = &plan->layers[i];
    fprintf(out, "    {.floats = %u, .far = %s, .order = %u, .at = %u},\n", train_plan_floats(l),
            l->far ? "true" : "false", at.order, at.far * 4);
    step_over(&at, l);
  }
  fprintf(out, "};\nstatic struct train_net_far train_far_places = {\n"
               "    .calls = &train_net_far_calls, .layer = far_layers,\n");
  write_ring(out, "weights", "(uint32_t)train_far", "slots", o->memory.slots);
  if (o->batch > 1)
    write_ring(out, "sums", "(uint32_t)(train_far + FAR)", "sum_slots", 2);
  fprintf(out, "};\n\n");
}

// The loss grows until something overflows, in binary16; bfloat16 reaches as far as floats.
static void write_half(FILE *out, const struct train_plan *plan, double scale) {
  if (plan->type != TRAIN_F32)
    fprintf(out,
            "RT_L1 struct train_net_half train_half = {\n"
            "    .type = &%s, .weights = half_weights, .gradients = gradients,\n"
            "    .scale = %.8ef, .growth = %d};\n\n",
            plan->type == TRAIN_FP16 ? "train_half_fp16" : "train_half_bf16", scale,
            plan->type == TRAIN_FP16 ? 1000 : 0);
}

static void write_tables(FILE *out, const struct train_plan *plan,
                         const struct train_write_options *o) {
  struct place at = {0, 0, 0};
  fprintf(out, "// In L1: a word from L2 takes 20 cycles.\n"
               "static RT_L1 struct train_net_layer layers[LAYERS] = {\n");
  for (uint32_t i = 0; i < plan->count; i++) {
    write_layer(out, &plan->layers[i], i, &at, o->memory.slots);
    step_over(&at, &plan->layers[i]);
  }
  fprintf(out, "};\n\n");
  if (o->memory.slots)
    write_far(out, plan, o);
  write_half(out, plan, o->scale);
  fprintf(out,
          "RT_L1 struct train_net train_network = {\n"
          "    .layers = layers, .count = LAYERS, .input = train_input,\n"
          "    .grads = {grads[0], grads[1]}, .weights = train_weights, "
          "%s,\n"
          "    .weight_count = WEIGHTS,%s%s%s%s .rate = %.8ef / BATCH,\n"
          "    .l1 = l1, .l1_bytes = sizeof l1};\n\n",
          plan->type == TRAIN_F32 ? ".gradients = gradients" : ".half = &train_half",
          o->batch > 1 ? " .sums = sums," : "", o->memory.at_once ? " .at_once = true," : "",
          o->memory.slots ? " .far = &train_far_places," : "",
          o->mse ? " .target = train_target," : "", o->rate);
}

static const char main_text[] =
    "#ifndef TRAIN_NO_MAIN\n"
    "RT_REGION(1, \"training step\");\n"
    "static RT_L1_BSS float loss;\n"
    "#ifndef TRAIN_STEPS\n"
    "#define TRAIN_STEPS 6\n"
    "#endif\n"
    "enum { STEPS = TRAIN_STEPS, EXAMPLES = 2 };\n\n"
    "static float wave(uint32_t i, uint32_t period) {\n"
    "  uint32_t at = i % period;\n"
    "  return 2.0f * (float)(at < period / 2 ? at : period - at) / (float)period - 0.5f;\n"
    "}\n\n"
    "// Example `which`: a triangle wave of its own length; as a target, too.\n"
    "static void make_input(uint32_t which) {\n"
    "  uint32_t period = 4u << which;\n"
    "  for (uint32_t i = rt_core_id(); i < INPUTS; i += rt_core_count())\n"
    "    train_put(train_input, i, i % PITCH < PIXELS ? wave(i, period) : 0, TYPE);\n"
    "  for (uint32_t i = rt_core_id(); i < CLASSES && MSE; i += rt_core_count())\n"
    "    train_target[i] = wave(i % INPUTS, period);\n"
    "  rt_barrier();\n"
    "}\n\n"
    "static enum kernel_status step(uint32_t number) {\n"
    "  for (uint32_t i = 0; i < BATCH; i++) {\n"
    "    uint32_t which = (number * BATCH + i) % EXAMPLES;\n"
    "    make_input(which);\n"
    "    KERNEL_CHECK(train_net_forward(&train_network));\n"
    "    KERNEL_CHECK(train_net_backward(&train_network, which, &loss));\n"
    "    if (BATCH > 1)\n"
    "      KERNEL_CHECK(train_net_add(&train_network, i == 0));\n"
    "  }\n"
    "  return train_net_descend(&train_network);\n"
    "}\n\n"
    "int main(void) {\n"
    "  if (rt_core_id() == 0)\n"
    "    rt_region_macs(1, (uint64_t)MACS * BATCH);\n"
    "  rt_barrier();\n"
    "  if (TYPE != TRAIN_F32 && train_net_round(&train_network) != KERNEL_OK)\n"
    "    return 1;\n"
    "  for (uint32_t i = 0; i < STEPS; i++) {\n"
    "    rt_region_begin_if(1, i == STEPS - 2);\n"
    "    if (step(i) != KERNEL_OK)\n"
    "      return 1;\n"
    "    rt_region_end_if(1, i == STEPS - 2);\n"
    "    if (rt_core_id() == 0)\n"
    "      rt_printf(\"step %u: loss %u millionths\\n\", (unsigned)i, (unsigned)(loss * 1e6f));\n"
    "    rt_barrier();\n"
    "  }\n";

static const char main_end[] = "  return 0;\n"
                               "}\n"
                               "#endif\n";

static void write_main(FILE *out, bool far) {
  fputs(main_text, out);
  if (far)
    fputs("  train_net_far_settle(&train_network);\n", out);
  fputs(main_end, out);
}

void train_write(FILE *out, const struct train_plan *plan,
                 const struct train_write_options *options) {
  write_head(out, plan, options);
  write_arrays(out, plan, options);
  write_tables(out, plan, options);
  write_main(out, options->memory.slots > 0);
}
