// deploy/tune/train_write.c: see train_write.h.
#include "deploy/tune/train_write.h"

#include <inttypes.h>

#include "kernels/mm/mmt_f32.h"

static const char *const kinds[] = {
    [TRAIN_NET_PATCHES] = "TRAIN_NET_PATCHES",     [TRAIN_NET_PRODUCT] = "TRAIN_NET_PRODUCT",
    [TRAIN_NET_DEPTHWISE] = "TRAIN_NET_DEPTHWISE", [TRAIN_NET_MAX] = "TRAIN_NET_MAX",
    [TRAIN_NET_MEAN_OF] = "TRAIN_NET_MEAN_OF",     [TRAIN_NET_MEAN] = "TRAIN_NET_MEAN"};

// From plane to plane.
static uint32_t pitch(const struct train_plan *plan, uint32_t pixels) {
  return plan->type == TRAIN_F32 ? pixels : train_net_half_pitch(pixels);
}

static uint32_t in_elements(const struct train_plan *plan) {
  const struct train_net_layer *l = &plan->layers[0].layer;
  return l->in_c * pitch(plan, (uint32_t)l->in_h * l->in_w);
}

static uint32_t out_elements(const struct train_plan *plan, const struct train_plan_layer *l) {
  return l->layer.out_c * pitch(plan, (uint32_t)l->layer.out_h * l->layer.out_w);
}

static const char *const types[] = {
    [TRAIN_F32] = "TRAIN_F32", [TRAIN_FP16] = "TRAIN_FP16", [TRAIN_BF16] = "TRAIN_BF16"};

static uint32_t largest(const struct train_plan *plan) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    most =
        out_elements(plan, &plan->layers[i]) > most ? out_elements(plan, &plan->layers[i]) : most;
  return (most + 1) / 2 * 2;
}

static uint32_t all_weights(const struct train_plan *plan) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    sum += train_plan_floats(&plan->layers[i]);
  return sum;
}

static uint32_t largest_weights(const struct train_plan *plan) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < plan->count; i++) {
    uint32_t floats = train_plan_floats(&plan->layers[i]);
    most = floats > most ? floats : most;
  }
  return most;
}

// Of arrays in L2; weights are floats, in 16 bits with copies.
static uint64_t l2_bytes(const struct train_plan *plan, const struct train_write_options *o,
                         bool at_once) {
  uint64_t elements = 2ull * largest(plan) + in_elements(plan), weights = all_weights(plan);
  uint32_t bytes = plan->type == TRAIN_F32 ? 4 : 2;
  for (uint32_t i = 0; i < plan->count; i++)
    elements += out_elements(plan, &plan->layers[i]);
  elements += at_once ? largest_weights(plan) : weights; // gradients
  elements += plan->type == TRAIN_F32 ? 0 : weights;
  return elements * bytes + weights * (o->batch > 1 ? 8 : 4);
}

// Whether L2 has no room for all gradients beside all weights: then each layer steps at once.
static bool at_once(const struct train_plan *plan, const struct train_write_options *o) {
  return o->batch == 1 && l2_bytes(plan, o, false) > TRAIN_WRITE_L2;
}

uint64_t train_write_l2(const struct train_plan *plan, const struct train_write_options *o) {
  return l2_bytes(plan, o, at_once(plan, o));
}

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
               "#include \"kernels/train/train_net.h\"\n"
               "#include \"kernels/train/train_typed.h\"\n\n");
  fprintf(out, "#define TYPE %s\nenum { PIXELS = %u, PITCH = %u };\n", types[plan->type], pixels,
          pitch(plan, pixels));
  fprintf(out, "enum { INPUTS = %u, CLASSES = %u, LAYERS = %u, WEIGHTS = %u, L1_FLOATS = %u };\n",
          in_elements(plan), out_elements(plan, &plan->layers[plan->count - 1]), plan->count,
          all_weights(plan), o->l1_bytes / 4);
  fprintf(out, "enum { GRADS = %u, GRADIENTS = %u, BATCH = %u, MSE = %d, MACS = %" PRIu64 " };\n\n",
          largest(plan), at_once(plan, o) ? largest_weights(plan) : all_weights(plan), o->batch,
          o->mse, train_plan_macs(plan));
}

static void write_floats(FILE *out, const float *values, uint32_t count, uint32_t *column) {
  for (uint32_t i = 0; i < count; i++) {
    fprintf(out, "%s%.8ef,", *column % 6 ? " " : "\n    ", (double)values[i]);
    ++*column;
  }
}

static void write_arrays(FILE *out, const struct train_plan *plan,
                         const struct train_write_options *o) {
  static const float nothing = 0;
  uint32_t column = 0;
  const char *element = plan->type == TRAIN_F32 ? "float" : "uint16_t";
  fprintf(out, "%s train_input[INPUTS];\nfloat train_weights[WEIGHTS] = {", element);
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct train_plan_layer *l = &plan->layers[i];
    if (!l->weights)
      continue;
    write_floats(out, l->weights, l->weight_count, &column);
    write_floats(out, l->bias, l->layer.out_c, &column);
    if ((l->weight_count + l->layer.out_c) % 2)
      write_floats(out, &nothing, 1, &column);
  }
  fprintf(out,
          "\n};\nfloat train_target[CLASSES]; // of the mean squared error\n"
          "static %s gradients[GRADIENTS], grads[2][GRADS]%s;\n%s",
          element, plan->type == TRAIN_F32 ? "" : ", half_weights[WEIGHTS]",
          o->batch > 1 ? "static float sums[WEIGHTS];\n" : "");
  for (uint32_t i = 0; i < plan->count; i++)
    fprintf(out, "static %s out_%u[%u]; // %s\n", element, i, out_elements(plan, &plan->layers[i]),
            plan->layers[i].name);
  fprintf(out, "static RT_L1_BSS float l1[L1_FLOATS] __attribute__((aligned(8)));\n\n");
}

static void write_tile(FILE *out, const char *step, const struct train_net_tile *t) {
  fprintf(out, ",\n     .%s = {%u, %u, %u, %s, ", step, t->n, t->m, t->k,
          t->rows_inner ? "true" : "false");
  if (t->matmul)
    fprintf(out, "1 + MMT_F32_%s}", mmt_f32_names[t->matmul - 1] + sizeof "mmt_f32_" - 1);
  else
    fprintf(out, "0}");
}

static void write_layer(FILE *out, const struct train_plan_layer *p, uint32_t number,
                        uint32_t weights_at) {
  const struct train_net_layer *l = &p->layer;
  fprintf(out, "    {.kind = %s%s%s,\n", kinds[l->kind], l->relu ? ", .relu = true" : "",
          l->frozen ? ", .frozen = true" : "");
  fprintf(out, "     .in_c = %u, .in_h = %u, .in_w = %u, .out_c = %u, .out_h = %u, .out_w = %u,\n",
          l->in_c, l->in_h, l->in_w, l->out_c, l->out_h, l->out_w);
  if (l->kind != TRAIN_NET_PRODUCT)
    fprintf(
        out,
        "     .kernel_h = %u, .kernel_w = %u, .stride_h = %u, .stride_w = %u, .pad_top = %u,\n"
        "     .pad_bottom = %u, .pad_left = %u, .pad_right = %u, .part_fw = %u, .part_bw = %u,\n",
        l->kernel_h, l->kernel_w, l->stride_h, l->stride_w, l->pad_top, l->pad_bottom, l->pad_left,
        l->pad_right, l->part_fw, l->part_bw);
  if (p->weights)
    fprintf(out, "     .weights = train_weights + %u, .bias = train_weights + %u,\n", weights_at,
            weights_at + p->weight_count);
  fprintf(out, "     .out = out_%u", number);
  if (l->kind == TRAIN_NET_PRODUCT) {
    write_tile(out, "fw", &l->fw);
    write_tile(out, "wg", &l->wg);
    write_tile(out, "ig", &l->ig);
  }
  fprintf(out, "},\n");
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
  uint32_t weights_at = 0;
  fprintf(out, "// In L1: a word from L2 takes 20 cycles.\n"
               "static RT_L1 struct train_net_layer layers[LAYERS] = {\n");
  for (uint32_t i = 0; i < plan->count; i++) {
    write_layer(out, &plan->layers[i], i, weights_at);
    weights_at += train_plan_floats(&plan->layers[i]);
  }
  fprintf(out, "};\n\n");
  write_half(out, plan, o->scale);
  fprintf(out,
          "RT_L1 struct train_net train_network = {\n"
          "    .layers = layers, .count = LAYERS, .input = train_input,\n"
          "    .grads = {grads[0], grads[1]}, .weights = train_weights, "
          "%s,\n"
          "    .weight_count = WEIGHTS,%s%s%s .rate = %.8ef / BATCH,\n"
          "    .l1 = l1, .l1_bytes = sizeof l1};\n\n",
          plan->type == TRAIN_F32 ? ".gradients = gradients" : ".half = &train_half",
          o->batch > 1 ? " .sums = sums," : "", at_once(plan, o) ? " .at_once = true," : "",
          o->mse ? " .target = train_target," : "", o->rate);
}

static const char main_text[] =
    "#ifndef TRAIN_NO_MAIN\n"
    "RT_REGION(1, \"training step\");\n"
    "static RT_L1_BSS float loss;\n"
    "enum { STEPS = 6, EXAMPLES = 2 };\n\n"
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
    "  }\n"
    "  return 0;\n"
    "}\n"
    "#endif\n";

void train_write(FILE *out, const struct train_plan *plan,
                 const struct train_write_options *options) {
  write_head(out, plan, options);
  write_arrays(out, plan, options);
  write_tables(out, plan, options);
  fputs(main_text, out);
}
