#include "write.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "kernels/tile/tile_kernel.h"
#include "pieces.h"
#include "write_loops.h"

static const char *const kinds[] = {
    [TILE_CONV] = "TILE_CONV", [TILE_DEPTHWISE] = "TILE_DEPTHWISE", [TILE_LINEAR] = "TILE_LINEAR",
    [TILE_SUMS] = "TILE_SUMS", [TILE_MAXPOOL] = "TILE_MAXPOOL",     [TILE_AVGPOOL] = "TILE_AVGPOOL",
    [TILE_ADD] = "TILE_ADD",   [TILE_CONCAT] = "TILE_CONCAT",       [TILE_RESIZE] = "TILE_RESIZE"};

static const char *const schemes[] = {
    [NN_SCALE] = "NN_SCALE",          [NN_ICN] = "NN_ICN",   [NN_THRESHOLDS] = "NN_THRESHOLDS",
    [NN_FOLDED] = "NN_FOLDED",        [NN_WIDE] = "NN_WIDE", [NN_TFLITE] = "NN_TFLITE",
    [NN_WIDE_SCALE] = "NN_WIDE_SCALE"};

static const char *truth(bool value) {
  return value ? "true" : "false";
}

// A name from a file, fit for a comment.
static const char *plain(const char *name, char text[64]) {
  size_t n = 0;
  for (; *name && n < 63; name++)
    text[n++] = isalnum((unsigned char)*name) || strchr("._-:/", *name) ? *name : '_';
  text[n] = 0;
  return text;
}

// ---------------------------------------------------------------------------- net.c

static void write_inputs(FILE *f, const struct tile_layer *t) {
  fprintf(f, "    .inputs = %u, .more = {", t->inputs);
  for (unsigned i = 1; i < t->inputs; i++)
    fprintf(f, "{%u, %u, %s}, ", t->more[i - 1].c, t->more[i - 1].bits,
            truth(t->more[i - 1].pixel));
  fprintf(f, "},\n    .in = {");
  for (unsigned i = 0; i < t->inputs; i++)
    fprintf(f, "%u, ", t->in[i]);
  fprintf(f, "}, .out = %u,\n    .x = {", t->out);
  for (unsigned i = 0; i < t->inputs; i++)
    fprintf(f, "{%u, %u}, ", t->x[i][0], t->x[i][1]);
  fprintf(f, "}, .w = {%u, %u}, .y = {%u, %u}, .scratch = %u,\n", t->w[0], t->w[1], t->y[0],
          t->y[1], t->scratch);
}

static void write_first(FILE *f, const struct tile_layer *t) {
  const struct tile *a = &t->first;
  fprintf(f,
          "    .here = %u, .early = %s, .stays = %s, .stored = %s,\n"
          "    .ahead_piece = %u, .ahead_bytes = %u, .ahead_to = %u,\n"
          "    .early_x = %u, .ahead_x = %u, .ahead_x_bytes = %u, .ahead_x_to = %u,\n"
          "    .tiles = {%u, %u, %u, %u},\n"
          "    .first = {.rows = %u, .columns = %u, .channels = %u, .in_rows = %u, "
          ".in_columns = %u,\n"
          "              .top = %u, .bottom = %u, .left = %u, .right = %u, .new_x = true,\n"
          "              .new_w = true, .only = %s},\n",
          t->here, truth(t->early), truth(t->stays), truth(t->stored), t->ahead_piece,
          t->ahead_bytes, t->ahead_to, t->early_x, t->ahead_x, t->ahead_x_bytes, t->ahead_x_to,
          t->tiles.rows, t->tiles.columns, t->tiles.channels, t->tiles.parts, a->rows, a->columns,
          a->channels, a->in_rows, a->in_columns, a->top, a->bottom, a->left, a->right,
          truth(a->only));
}

// What its kernel knows beforehand.
static void write_prepared(FILE *f, const struct tile_layer *t) {
  if (!t->kernel->prepare)
    return;
  fprintf(f, "    .plane = %u, .plane_row = %u, .plane_fours = %u,\n    .share = {", t->plane,
          t->plane_row, t->plane_fours);
  for (unsigned i = 0; i < TILE_CORES; i++) {
    const struct tile_share *s = &t->share[i];
    fprintf(f, "%s{%u, %u, %u, %u}",
            i == 0  ? ""
            : i % 4 ? ", "
                    : ",\n              ",
            s->begin, s->end, s->fours_begin, s->fours_end);
  }
  fprintf(f, "},\n");
}

static void write_requant(FILE *f, const struct tile_layer *t) {
  const struct tile_requant *rq = &t->requant;
  if (rq->used)
    fprintf(f,
            "    .requant = {.used = true, .scheme = %s, .per_channel = %s, .shift = %u,\n"
            "                .zero = %d, .low = %d, .high = %d, .m = %d, .end = {%u, %u}},\n",
            schemes[rq->scheme], truth(rq->per_channel), rq->shift, rq->zero, rq->low, rq->high,
            rq->m, rq->end.kind, rq->end.left);
  if (t->clip)
    fprintf(f, "    .clip = true, .low = %d, .high = %d,\n", t->low, t->high);
}

// What stands between its braces.
static void write_tile(FILE *f, const struct tile_layer *t) {
  fprintf(f,
          "    .kind = %s, .kernel = &%s,\n"
          "    .in_h = %u, .in_w = %u, .in_c = %u, .in_bits = %u, .in_signed = %s,\n"
          "    .out_h = %u, .out_w = %u, .out_c = %u, .out_bits = %u, .out_signed = %s,\n"
          "    .kernel_h = %u, .kernel_w = %u, .stride_h = %u, .stride_w = %u,\n"
          "    .dilation_h = %u, .dilation_w = %u, .groups = %u, .weight_bits = %u,\n"
          "    .pad_top = %u, .pad_left = %u, .pad_right = %u, .pad_value = %d,\n"
          "    .shift = %u, .scale_a = %d, .scale_b = %d, .lambda = %d,\n"
          "    .inside = %s, .nearest = %s, .joint = %u,\n"
          "    .tile_h = %u, .tile_w = %u, .tile_c = %u, .tile_k = %u, .rows_first = %s, "
          ".fours = %u,\n"
          "    .weight_bytes = %u, .filter_bytes = %u, .piece = %u, .piece_tiles = %u,\n",
          kinds[t->kind], t->kernel->name, t->in_h, t->in_w, t->in_c, t->in_bits,
          truth(t->in_signed), t->out_h, t->out_w, t->out_c, t->out_bits, truth(t->out_signed),
          t->kernel_h, t->kernel_w, t->stride_h, t->stride_w, t->dilation_h, t->dilation_w,
          t->groups, t->weight_bits, t->pad_top, t->pad_left, t->pad_right, t->pad_value, t->shift,
          t->scale_a, t->scale_b, t->lambda, truth(t->inside), truth(t->nearest), t->joint,
          t->tile_h, t->tile_w, t->tile_c, t->tile_k, truth(t->rows_first), t->fours,
          t->weight_bytes, t->filter_bytes, t->piece, t->piece_tiles);
  write_requant(f, t);
  write_inputs(f, t);
  write_first(f, t);
  write_prepared(f, t);
}

// Its description without the places.
static char *text_of(const struct tile_layer *t) {
  struct tile_layer plain = *t;
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  memset(plain.in, 0, sizeof plain.in);
  plain.out = 0, plain.piece = plain.ahead_piece = 0;
  if (f) {
    write_tile(f, &plain);
    fclose(f);
  }
  return text;
}

// Of each layer the one whose description it has: of stripes, the first alike but for its places;
// in L3, where there is room, its own. The caller frees.
static uint32_t *find_alike(const struct plan *plan) {
  const struct stripes_layer *stripes = plan->stripes.layers;
  uint32_t count = plan->net->layer_count, *alike = memory_new(count, sizeof *alike), first = 0;
  char **text = memory_new(count, sizeof *text);
  for (uint32_t i = 0; i < count; i++) {
    first = stripes[i].of == stripes[first].of ? first : i;
    text[i] = stripes[i].cut && !plan->layers_far ? text_of(&plan->layers[i].tile) : NULL;
    alike[i] = first;
    while (alike[i] < i && !(text[i] && text[alike[i]] && strcmp(text[i], text[alike[i]]) == 0))
      alike[i]++;
  }
  for (uint32_t i = 0; i < count; i++)
    free(text[i]);
  free(text);
  return alike;
}

static void write_layer(FILE *f, const struct plan *plan, uint32_t number) {
  const struct net *net = plan->net;
  const struct net_layer *layer = &net->layers[number];
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  const struct plan_layer *l = &plan->layers[number];
  char name[64];
  fprintf(f, "\n// Layer %u, %s: %s, %u x %u x %u to %u x %u x %u, %" PRIu64 " MAC.\n", number,
          plain(layer->name, name), net_kind_name(layer->kind), in->h, in->w, in->c, out->h, out->w,
          out->c, net_macs(net, layer));
  fprintf(f, "// %u tiles of %u rows, %u columns and %u channels; %u bytes of L1.\n",
          tile_count(&l->tile), l->tile.tile_h, l->tile.tile_w, l->tile.tile_c, l->l1_bytes);
  if (plan->layers_far)
    fprintf(f, "[%u] = {.layer = {\n", number);
  else
    fprintf(f, "static const struct tile_layer tile_%02u = {\n", number);
  write_tile(f, &l->tile);
  fprintf(f, plan->layers_far ? "}},\n" : "};\n");
}

// Descriptions in the program, or in a section that the linker places in L3; then the stream's
// pieces that bring them.
static void write_layers(FILE *f, const struct plan *plan, const uint32_t *alike) {
  if (plan->layers_far)
    fprintf(f, "\n// In L3, behind the filters (kernels/tile/tile_describe.h).\n"
               "static const union {\n  struct tile_layer layer;\n  uint8_t bytes[TILE_L1_EACH];\n"
               "} layers[NET_LAYERS] __attribute__((used, section(\".l3\"))) = {\n");
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    if (alike[i] == i)
      write_layer(f, plan, i);
  }
  if (!plan->layers_far)
    return;
  fprintf(f, "};\n\nstatic const uint16_t description_pieces[NET_LAYERS] = {");
  for (uint32_t i = 0, n = 0; i < plan->piece_count; i++) {
    if (plan->piece_tensors[i] == PLAN_DESCRIPTION)
      fprintf(f, "%s%u", n == 0 ? "\n    " : n % 12 ? ", " : ",\n    ", i), n++;
  }
  fprintf(f, "};\n");
}

static void write_pieces(FILE *f, const struct plan *plan) {
  fprintf(f, "// What comes, in the order of its use: place in L3, in L2, bytes, the step (of\n"
             "// kernels/tile/tile_stream.h) that frees the place.\n"
             "static const struct tile_piece pieces[] = {\n");
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    const struct tile_piece *p = &plan->pieces[i];
    fprintf(f, "    {%u, %u, %u, %u},\n", p->l3, p->l2, p->bytes, p->after);
  }
  fprintf(
      f,
      "%s};\n"
      "static RT_L1 struct tile_stream weights = {.pieces = pieces, .count = %u, .keeps = %u};\n",
      plan->piece_count ? "" : "    {0},\n", plan->piece_count, pieces_kept(plan));
}

static void write_places(FILE *f, const struct tile_layer *t) {
  fprintf(f, "    {{");
  for (unsigned i = 0; i < TILE_INPUTS; i++)
    fprintf(f, "%u, ", t->in[i]);
  fprintf(f, "}, %u, %u, %u},\n", t->out, t->piece, t->ahead_piece);
}

// What goes, what each layer waits for, and its places (kernels/tile/tile_stripes.h).
static void write_stripes(FILE *f, const struct plan *plan) {
  fprintf(f, "\nstatic const struct tile_stripe leaving[] = {\n");
  for (uint32_t i = 0; i < plan->leaving_count; i++)
    fprintf(f, "    {%u, %u, %u},\n", plan->leaving[i].l3, plan->leaving[i].l2,
            plan->leaving[i].bytes);
  fprintf(f, "%s};\nstatic const struct tile_meeting meetings[NET_LAYERS] = {\n",
          plan->leaving_count ? "" : "    {0},\n");
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    fprintf(f, "    {%u, %u, %u},\n", plan->meetings[i].arrive, plan->meetings[i].leave,
            plan->meetings[i].gone);
  fprintf(f, "};\n");
  if (plan->layers_far) {
    fprintf(f, "static const struct tile_stripes stripes = {leaving, meetings, NULL};\n");
    return;
  }
  fprintf(f, "static const struct tile_places places[NET_LAYERS] = {\n");
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    write_places(f, &plan->layers[i].tile);
  fprintf(f, "};\nstatic const struct tile_stripes stripes = {leaving, meetings, places};\n");
}

static void write_tensors(FILE *f, const struct plan *plan, bool inputs) {
  const struct net *net = plan->net;
  uint32_t count = inputs ? net->input_count : net->output_count, l3 = plan->l3_bytes;
  fprintf(f, "\nconst struct net_tensor %s = {\n",
          inputs ? "net_inputs[NET_INPUTS]" : "net_outputs[NET_OUTPUTS]");
  for (uint32_t i = 0; i < count; i++) {
    int number = inputs ? net->inputs[i] : net->outputs[i];
    uint32_t bytes = (uint32_t)net_tensor_bytes(&net->tensors[number]);
    char place[16] = "NET_IN_L3";
    if (plan->stripes.tensors[number].role != STRIPES_FAR)
      snprintf(place, sizeof place, "%u", plan_place(plan, number));
    fprintf(f, "    {%s, %u, %u},\n", place, bytes, inputs ? l3 : 0);
    l3 += bytes;
  }
  fprintf(f, "};\n");
}

static void write_list(FILE *f, const struct plan *plan, const uint32_t *alike) {
  char name[64];
  fprintf(f, "\nstatic const struct tile_layer *const layers[NET_LAYERS] = {\n");
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    fprintf(f, "    &tile_%02u, // %s\n", alike[i], plain(plan->net->layers[i].name, name));
  fprintf(f, "};\n");
}

static void write_run(FILE *f, const struct plan *plan) {
  bool far = plan->layers_far, striped = plan_is_striped(plan);
  fprintf(f,
          "\nuint32_t net_cycles[NET_LAYERS + 1];\n\n"
          "void net_forget(void) {\n  weights.kept = false;\n}\n\n"
          "int net_run(uint8_t *l1, uint8_t *l2, uint32_t l3) {\n"
          "  int status = 0;\n"
          "  if (rt_core_id() == rt_core_count() - 1)\n"
          "    tile_stream_begin(&weights, l2, l3);\n"
          "  if (rt_core_id() == 0)\n"
          "    net_cycles[0] = net_clock();\n"
          "  rt_barrier();\n"
          "  struct tile_work work;\n"
          "  tile_begin(&work, %s, &weights, l1);\n"
          "  for (unsigned i = 0; i < NET_LAYERS && status == 0; i++) {\n"
          "%s%s    status = (int)tile_run(&work, i);\n%s"
          "    if (rt_core_id() == 0)\n"
          "      net_cycles[i + 1] = net_clock();\n"
          "  }\n"
          "  if (status == 0 && rt_core_id() == rt_core_count() - 1)\n"
          "    tile_stream_end(&weights);\n"
          "  return status;\n"
          "}\n",
          far ? "NULL, 0" : "layers, NET_LAYERS",
          far ? "    tile_describe(&work, i, description_pieces[i]);\n" : "",
          striped ? "    tile_stripes_before(&stripes, &work, i);\n" : "",
          striped ? "    tile_stripes_behind(&stripes, &work, i);\n" : "");
}

static bool write_net(const struct plan *plan, FILE *f) {
  char name[64];
  fprintf(f, "// %s: generated by pulpsim-deploy; the network's functions (net.h).\n",
          plain(plan->net->name, name));
  fprintf(f, "#include \"net.h\"\n\n#include <stddef.h>\n\n"
             "#include \"kernels/nn/nn_add_words.h\"\n#include \"kernels/nn/nn_dw_quad.h\"\n"
             "#include \"kernels/nn/nn_finish.h\"\n"
             "#include \"kernels/rt/rt.h\"\n#include \"kernels/tile/tile_describe.h\"\n"
             "#include \"kernels/tile/tile_kernel.h\"\n"
             "#include \"kernels/tile/tile_stripes.h\"\n\n");
  write_pieces(f, plan);
  if (plan_is_striped(plan))
    write_stripes(f, plan);
  write_loops(plan, f);
  uint32_t *alike = find_alike(plan);
  write_layers(f, plan, alike);
  if (!plan->layers_far)
    write_list(f, plan, alike);
  write_tensors(f, plan, true);
  write_tensors(f, plan, false);
  write_run(f, plan);
  free(alike);
  return true;
}

// ---------------------------------------------------------------------------- the other files

static uint32_t most_l1(const struct plan *plan) {
  return (plan->l1_bytes + 15) & ~15u;
}

static bool write_header(const struct plan *plan, const struct plan_options *o, FILE *f) {
  const struct net *net = plan->net;
  (void)o;
  char name[64];
  fprintf(f,
          "// %s: generated by pulpsim-deploy.\n#ifndef NET_H\n#define NET_H\n\n"
          "#include <stdint.h>\n\n",
          plain(net->name, name));
  fprintf(f,
          "enum {\n  NET_LAYERS = %u,\n  NET_L1_BYTES = %u,\n  NET_L2_BYTES = %u,\n"
          "  NET_INPUTS = %u,\n  NET_OUTPUTS = %u,\n};\n\n",
          net->layer_count, most_l1(plan), plan->l2_bytes, net->input_count, net->output_count);
  fprintf(f,
          "// Places in L2; of the inputs also in L3, behind the weights: NET_IN_L3: only there.\n"
          "#define NET_IN_L3 UINT32_MAX\nstruct net_tensor {\n  uint32_t l2, bytes, l3;\n};\n"
          "extern const struct net_tensor net_inputs[NET_INPUTS], net_outputs[NET_OUTPUTS];\n\n");
  fprintf(f,
          "// All cores; the inputs are in L2. 0, or a kernel's status. `l3`: where l3.bin is;\n"
          "// with the inputs and activations behind it, %u bytes.\n"
          "int net_run(uint8_t *l1, uint8_t *l2, uint32_t l3);\n\n"
          "// %u of %u pieces of the filters stay in L2 for the next run at the same l2 and l3. If "
          "other\n"
          "// data were there meanwhile, any core calls this before it.\n"
          "void net_forget(void);\n\n"
          "// The clock at the start, and behind each layer.\n"
          "extern uint32_t net_cycles[NET_LAYERS + 1];\n"
          "uint32_t net_clock(void); // the caller's\n\n#endif\n",
          plan->l3_bytes + plan->far_bytes, pieces_kept(plan), plan->piece_count);
  return true;
}

static bool has_far_inputs(const struct plan *plan) {
  for (uint32_t i = 0; i < plan->net->input_count; i++) {
    if (plan->stripes.tensors[plan->net->inputs[i]].role == STRIPES_FAR)
      return true;
  }
  return false;
}

static bool write_main(const struct plan *plan, FILE *f) {
  fprintf(f,
          "// Generated by pulpsim-deploy: runs the network twice on the input that is in L3.\n"
          "#include \"kernels/rt/rt.h\"\n#include \"net.h\"\n\n"
          "RT_L1_BSS __attribute__((aligned(16))) uint8_t net_l1[NET_L1_BYTES];\n"
          "__attribute__((aligned(16))) uint8_t net_l2[NET_L2_BYTES];\n"
          "uint32_t net_first[NET_LAYERS + 1]; // net_cycles of the first image\n\n"
          "uint32_t net_clock(void) {\n"
          "  uint32_t now;\n"
          "  __asm__ volatile(\"csrr %%0, 0x780\" : \"=r\"(now)); // RI5CY's counter of cycles\n"
          "  return now;\n"
          "}\n\n"
          "static void bring_inputs(void) {\n"
          "  for (int i = 0; i < NET_INPUTS && rt_core_id() == 0; i++)\n"
          "%s    rt_l3_wait(rt_l3_in(net_l2 + net_inputs[i].l2, net_inputs[i].l3, "
          "net_inputs[i].bytes));\n"
          "  rt_barrier();\n"
          "}\n\n"
          "int main(void) {\n"
          "  __asm__ volatile(\"csrwi 0xcc0, 1; csrwi 0xcc1, 1\"); // counts, and which\n"
          "  bring_inputs();\n"
          "  int status = net_run(net_l1, net_l2, 0);\n"
          "  for (int i = 0; i <= NET_LAYERS && rt_core_id() == 0; i++)\n"
          "    net_first[i] = net_cycles[i];\n"
          "  if (status)\n"
          "    return status;\n"
          "  bring_inputs();\n"
          "  return net_run(net_l1, net_l2, 0);\n"
          "}\n",
          has_far_inputs(plan) ? "    if (net_inputs[i].l2 != NET_IN_L3)\n  " : "");
  return true;
}

// What the tiles and the runtime's data leave of L1 is the eight stacks' (kernels/rt/link.ld).
static uint32_t stack_bytes(const struct plan *plan) {
  enum { CORES = 8 };
  return (plan->l1 - PLAN_RUNTIME - most_l1(plan)) / CORES & ~15u;
}

static bool write_makefile(const struct plan *plan, const struct plan_options *o, const char *root,
                           FILE *f) {
  fprintf(
      f,
      "# Generated by pulpsim-deploy. PULPSIM: where the kernels are; make there builds their\n"
      "# library: make KMACHINE=gap8 build/kernels-gap8/libkernels.a\n"
      "PULPSIM ?= %s\n"
      "KERNELS ?= $(PULPSIM)/build/kernels-gap8\n"
      "CC      := riscv64-unknown-elf-gcc\n"
      "CFLAGS  := -march=rv32imc_zicsr -mabi=ilp32 -std=gnu17 -O2 -ffreestanding -fno-common \\\n"
      "           -ffunction-sections -fdata-sections -msmall-data-limit=0 -Wall -Wextra "
      "-I$(PULPSIM) \\\n"
      "           -I$(PULPSIM)/build/gen -DRT_DMA_VERSION=6\n"
      "# Bytes of L2, with the program.\n"
      "L2      ?= %u\n\n"
      "net.elf: net.c main.c net.h $(KERNELS)/libkernels.a\n"
      "\t$(CC) $(CFLAGS) -nostdlib -static -Wl,--defsym=rt_stack_size=%u \\\n"
      "\t  -Wl,--defsym=rt_l1_size=%u \\\n"
      "\t  -Wl,--defsym=rt_l3_data=%u -Wl,--defsym=rt_close=1 \\\n"
      "\t  -Wl,--defsym=rt_l2_base=0x1c000000 -Wl,--defsym=rt_l2_size=$(L2) "
      "-Wl,-T,$(PULPSIM)/kernels/rt/link.ld -Wl,--gc-sections "
      "\\\n"
      "\t  -o $@ $(KERNELS)/obj/rt/crt0.S.o net.c main.c $(KERNELS)/libkernels.a \\\n"
      "\t  $(shell $(CC) -march=rv32imc -mabi=ilp32 -print-libgcc-file-name)\n",
      root, o->l2, stack_bytes(plan), plan->l1, plan->layers_l3);
  return true;
}

static FILE *create(const char *dir, const char *name, struct net_error *error) {
  char *path = memory_format("%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  if (!f) {
    net_fail(error, "%.300s: %s", path, strerror(errno));
    if (error)
      error->status = EX_CANTCREAT;
  }
  free(path);
  return f;
}

static bool finish(FILE *f, const char *dir, struct net_error *error) {
  bool good = !ferror(f);
  good = fclose(f) == 0 && good;
  if (!good) {
    net_fail(error, "%.300s: cannot be written", dir);
    if (error)
      error->status = EX_CANTCREAT;
  }
  return good;
}

static bool write_weights(const struct plan *plan, FILE *f) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    if (plan->layers[i].weights)
      fwrite(plan->layers[i].weights, 1, plan->layers[i].weight_bytes, f);
  return true;
}

bool write_folder(const struct plan *plan, const struct plan_options *options, const char *dir,
                  const char *root, struct net_error *error) {
  static const char *const names[] = {"net.c", "net.h", "main.c", "Makefile", "l3.bin"};
  if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
    net_fail(error, "%.300s: %s", dir, strerror(errno));
    return false;
  }
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    FILE *f = create(dir, names[i], error);
    if (!f)
      return false;
    if (i == 0)
      write_net(plan, f);
    else if (i == 1)
      write_header(plan, options, f);
    else if (i == 2)
      write_main(plan, f);
    else if (i == 3)
      write_makefile(plan, options, root, f);
    else
      write_weights(plan, f);
    if (!finish(f, dir, error))
      return false;
  }
  return true;
}
