#include "write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "kernels/tile/tile_kernel.h"

static const char *const kinds[] = {
    [TILE_CONV] = "TILE_CONV", [TILE_DEPTHWISE] = "TILE_DEPTHWISE", [TILE_LINEAR] = "TILE_LINEAR",
    [TILE_SUMS] = "TILE_SUMS", [TILE_MAXPOOL] = "TILE_MAXPOOL",     [TILE_AVGPOOL] = "TILE_AVGPOOL",
    [TILE_ADD] = "TILE_ADD"};

// ---------------------------------------------------------------------------- net.c

static void write_tile(FILE *f, uint32_t number, const struct tile_layer *t) {
  fprintf(f,
          "static const struct tile_layer tile_%02u = {\n"
          "    .kind = %s, .kernel = &%s,\n"
          "    .in_h = %u, .in_w = %u, .in_c = %u,\n"
          "    .out_h = %u, .out_w = %u, .out_c = %u,\n"
          "    .kernel_h = %u, .kernel_w = %u, .stride_h = %u, .stride_w = %u,\n"
          "    .pad_top = %u, .pad_left = %u, .pad_right = %u, .pad_value = %d,\n"
          "    .shift = %u, .scale_a = %d, .scale_b = %d, .lambda = %d,\n"
          "    .tile_h = %u, .tile_c = %u, .rows_first = %s, .weight_bytes = %u,\n"
          "    .x = {%u, %u}, .x2 = {%u, %u}, .w = {%u, %u}, .y = {%u, %u}, .scratch = %u,\n"
          "};\n",
          number, kinds[t->kind], t->kernel->name, t->in_h, t->in_w, t->in_c, t->out_h, t->out_w,
          t->out_c, t->kernel_h, t->kernel_w, t->stride_h, t->stride_w, t->pad_top, t->pad_left,
          t->pad_right, t->pad_value, t->shift, t->scale_a, t->scale_b, t->lambda, t->tile_h,
          t->tile_c, t->rows_first ? "true" : "false", t->weight_bytes, t->x[0], t->x[1], t->x2[0],
          t->x2[1], t->w[0], t->w[1], t->y[0], t->y[1], t->scratch);
}

static void write_call(FILE *f, const struct plan *plan, uint32_t number, struct tile_span span,
                       int piece) {
  const struct net_layer *layer = &plan->net->layers[number];
  char second[32] = "NULL", weights[48] = "NULL";
  if (layer->kind == NET_ADD)
    snprintf(second, sizeof second, "l2 + %u", plan->place[layer->inputs[1]]);
  if (piece >= 0) {
    fprintf(f, "  weights_wait(%d);\n", piece);
    snprintf(weights, sizeof weights, "l2 + %u", plan->ring + plan->pieces[piece].l2);
  }
  fprintf(f,
          "  status |= tile_run(&tile_%02u, &(struct tile_span){%u, %u, %u}, l2 + %u, %s, %s, l2 + "
          "%u, l1);\n",
          number, span.begin, span.end, span.weights_from, plan->place[layer->inputs[0]], second,
          weights, plan->place[layer->output]);
  if (piece >= 0)
    fprintf(f, "  weights_done(%d);\n", piece);
}

static void write_layer(FILE *f, const struct plan *plan, uint32_t number) {
  const struct net *net = plan->net;
  const struct net_layer *layer = &net->layers[number];
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  const struct plan_layer *l = &plan->layers[number];
  fprintf(f, "\n// Layer %u, %s: %s, %u x %u x %u to %u x %u x %u, %" PRIu64 " MAC.\n", number,
          layer->name, net_kind_name(layer->kind), in->h, in->w, in->c, out->h, out->w, out->c,
          net_macs(net, layer));
  fprintf(f, "// %u tiles of %u rows and %u channels; %u bytes of L1.\n", tile_count(&l->tile),
          l->tile.tile_h, l->tile.tile_c, l->l1_bytes);
  write_tile(f, number, &l->tile);
  fprintf(f, "static int layer_%02u(uint8_t *l1, uint8_t *l2) {\n  int status = 0;\n", number);
  if (!l->piece_count)
    write_call(f, plan, number, (struct tile_span){0, tile_count(&l->tile), 0}, -1);
  for (uint32_t i = 0; i < l->piece_count; i++)
    write_call(f, plan, number, plan->spans[l->first_piece + i], (int)(l->first_piece + i));
  fprintf(f, "  return status;\n}\n");
}

static void write_pieces(FILE *f, const struct plan *plan) {
  fprintf(f, "// Weights in the order of their use: place in L3, in the ring, bytes, pieces that\n"
             "// must be done with before.\n"
             "static const struct tile_piece pieces[] = {\n");
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    const struct tile_piece *p = &plan->pieces[i];
    fprintf(f, "    {%u, %u, %u, %u},\n", p->l3, p->l2, p->bytes, p->after);
  }
  fprintf(f,
          "};\n"
          "static struct tile_stream stream = {.pieces = pieces, .count = %u};\n\n",
          plan->piece_count);
  fprintf(f, "static void weights_wait(uint32_t piece) {\n"
             "  if (rt_core_id() == 0)\n    tile_stream_wait(&stream, piece);\n"
             "  rt_barrier();\n}\n\n"
             "static void weights_done(uint32_t piece) {\n"
             "  if (rt_core_id() == 0)\n    tile_stream_done(&stream, piece);\n}\n");
}

static void write_run(FILE *f, const struct plan *plan) {
  uint32_t count = plan->net->layer_count;
  fprintf(f, "\nuint32_t net_cycles[NET_LAYERS + 1];\n\n"
             "static int (*const layers[NET_LAYERS])(uint8_t *l1, uint8_t *l2) = {\n");
  for (uint32_t i = 0; i < count; i++)
    fprintf(f, "    layer_%02u, // %s\n", i, plan->net->layers[i].name);
  fprintf(f,
          "};\n\n"
          "int net_run(uint8_t *l1, uint8_t *l2, uint32_t l3) {\n"
          "  int status = 0;\n"
          "  if (rt_core_id() == 0) {\n"
          "    stream.l3 = l3;\n"
          "    stream.l2 = l2 + %u;\n"
          "    tile_stream_begin(&stream);\n"
          "    net_cycles[0] = net_clock();\n"
          "  }\n"
          "  rt_barrier();\n"
          "  for (int i = 0; i < NET_LAYERS && status == 0; i++) {\n"
          "    status = layers[i](l1, l2);\n"
          "    if (rt_core_id() == 0)\n"
          "      net_cycles[i + 1] = net_clock();\n"
          "  }\n"
          "  return status;\n"
          "}\n",
          plan->ring);
}

static bool write_net(const struct plan *plan, FILE *f) {
  fprintf(f, "// %s: generated by pulpsim-deploy; the network's functions (net.h).\n",
          plan->net->name);
  fprintf(f, "#include \"net.h\"\n\n#include <stddef.h>\n\n"
             "#include \"kernels/rt/rt.h\"\n#include \"kernels/tile/tile_kernel.h\"\n"
             "#include \"kernels/tile/tile_stream.h\"\n\n");
  write_pieces(f, plan);
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    write_layer(f, plan, i);
  write_run(f, plan);
  return true;
}

// ---------------------------------------------------------------------------- the other files

static bool write_header(const struct plan *plan, const struct plan_options *o, FILE *f) {
  const struct net *net = plan->net;
  uint32_t l1 = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    l1 = plan->layers[i].l1_bytes > l1 ? plan->layers[i].l1_bytes : l1;
  (void)o;
  fprintf(f,
          "// %s: generated by pulpsim-deploy.\n#ifndef NET_H\n#define NET_H\n\n"
          "#include <stdint.h>\n\n",
          net->name);
  fprintf(f,
          "enum {\n  NET_LAYERS = %u,\n  NET_L1_BYTES = %u,\n  NET_L2_BYTES = %u,\n"
          "  NET_L3_INPUT = %u, // in L3, behind the weights\n"
          "  NET_INPUT = %u,    // in L2\n  NET_INPUT_BYTES = %u,\n"
          "  NET_OUTPUT = %u,\n  NET_OUTPUT_BYTES = %u,\n};\n\n",
          net->layer_count, l1, plan->ring + plan->ring_bytes, plan->l3_bytes,
          plan->place[net->inputs[0]], (uint32_t)net_tensor_bytes(&net->tensors[net->inputs[0]]),
          plan->place[net->outputs[0]], (uint32_t)net_tensor_bytes(&net->tensors[net->outputs[0]]));
  fprintf(f, "// All cores; the input is in L2. 0, or a kernel's status. `l3`: where l3.bin is.\n"
             "int net_run(uint8_t *l1, uint8_t *l2, uint32_t l3);\n\n"
             "// The clock at the start, and behind each layer.\n"
             "extern uint32_t net_cycles[NET_LAYERS + 1];\n"
             "uint32_t net_clock(void); // the caller's\n\n#endif\n");
  return true;
}

static bool write_main(const struct plan *plan, FILE *f) {
  (void)plan;
  fputs("// Generated by pulpsim-deploy: runs the network twice on the input that is in L3.\n"
        "#include \"kernels/rt/rt.h\"\n#include \"net.h\"\n\n"
        "static RT_L1_BSS __attribute__((aligned(16))) uint8_t l1[NET_L1_BYTES];\n"
        "__attribute__((aligned(16))) uint8_t net_l2[NET_L2_BYTES];\n"
        "uint32_t net_first[NET_LAYERS + 1]; // net_cycles of the first image\n\n"
        "uint32_t net_clock(void) {\n"
        "  uint32_t now;\n"
        "  __asm__ volatile(\"csrr %0, 0x780\" : \"=r\"(now)); // RI5CY's counter of cycles\n"
        "  return now;\n"
        "}\n\n"
        "static void bring_input(void) {\n"
        "  if (rt_core_id() == 0)\n"
        "    rt_l3_wait(rt_l3_in(net_l2 + NET_INPUT, NET_L3_INPUT, NET_INPUT_BYTES));\n"
        "  rt_barrier();\n"
        "}\n\n"
        "int main(void) {\n"
        "  __asm__ volatile(\"csrwi 0xcc0, 1; csrwi 0xcc1, 1\"); // counts, and which\n"
        "  bring_input();\n"
        "  int status = net_run(l1, net_l2, 0);\n"
        "  for (int i = 0; i <= NET_LAYERS && rt_core_id() == 0; i++)\n"
        "    net_first[i] = net_cycles[i];\n"
        "  if (status)\n"
        "    return status;\n"
        "  bring_input();\n"
        "  return net_run(l1, net_l2, 0);\n"
        "}\n",
        f);
  return true;
}

static bool write_makefile(const char *root, FILE *f) {
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
      "           -I$(PULPSIM)/build/gen -DRT_DMA_VERSION=6\n\n"
      "net.elf: net.c main.c net.h $(KERNELS)/libkernels.a\n"
      "\t$(CC) $(CFLAGS) -nostdlib -static -Wl,--defsym=rt_stack_size=1280 "
      "-Wl,-T,$(PULPSIM)/kernels/rt/link.ld -Wl,--gc-sections "
      "\\\n"
      "\t  -o $@ $(KERNELS)/obj/rt/crt0.S.o net.c main.c $(KERNELS)/libkernels.a \\\n"
      "\t  $(shell $(CC) -march=rv32imc -mabi=ilp32 -print-libgcc-file-name)\n",
      root);
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
      write_makefile(root, f);
    else
      write_weights(plan, f);
    if (!finish(f, dir, error))
      return false;
  }
  return true;
}
