// tests/isa/lockstep/generate.c: random RV32IMFC programs for two simulators to agree on.
//
// usage: generate SEED [zfinx]
//
// With `zfinx`, floats are in the x registers, which then have no float loads, stores or moves.
// Writes one program as assembler to stdout. It runs segments of random instructions, each a few
// times over, and after each round of a segment writes a record to file descriptor 1: all x and f
// registers, fcsr, and the data buffer (layout: struct record in compare.c). It ends with exit
// status 0. Programs keep to what is defined: every address is in the buffer, every loop ends,
// frm is always valid, no time is read.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
  unsigned weight;
  const char *text;
  int jumps;
};

#define FORM(weight, text) {weight, text, 0},
#define JUMP(weight, text) {weight, text, 1},
static const struct form forms[] = {
#include "forms.def"
};
enum { FORMS = sizeof forms / sizeof *forms, SEGMENTS = 24 };

static uint64_t state;
static unsigned label;
static bool zfinx;

static uint32_t random_below(uint32_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32) % n;
}

static const char *one_of(const char *const *names, unsigned count) {
  return names[random_below(count)];
}
#define ONE_OF(...)                                                                                \
  one_of((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *written(void) {
  return ONE_OF("ra", "t0", "t1", "t2", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3",
                "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5");
}
static const char *read(void) {
  return random_below(8) == 0 ? ONE_OF("zero", "sp", "gp", "s0", "s1", "t6") : written();
}

static void instructions(unsigned count, int jumps);

static void immediate(char letter) {
  switch (letter) {
  case 'i':
    printf("%d", (int)random_below(4096) - 2048);
    break;
  case 'u':
    printf("0x%x", random_below(1 << 20));
    break;
  case 'h':
    printf("%u", random_below(32));
    break;
  case 'H':
    printf("%u", 1 + random_below(31));
    break;
  case 'j':
    printf("%d", random_below(2) ? 1 + (int)random_below(31) : -1 - (int)random_below(32));
    break;
  case 'k':
    printf("0x%x", random_below(2) ? 1 + random_below(31) : 0xfffe0 + random_below(32));
    break;
  case 'a':
    printf("%d", (int)random_below(1021) - 512);
    break;
  case 'c':
    printf("%u", 4 * random_below(32));
    break;
  case 'e':
  case 'w':
    printf("%u", 4 * random_below(64));
    break;
  case 'r':
    printf("%u", random_below(5));
    break;
  default:
    break;
  }
}

static void operand(char letter) {
  switch (letter) {
  case 'd':
    fputs(written(), stdout);
    break;
  case 's':
    fputs(read(), stdout);
    break;
  case 'q':
    fputs(ONE_OF("a0", "a1", "a2", "a3", "a4", "a5"), stdout);
    break;
  case 't':
    fputs(ONE_OF("s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5"), stdout);
    break;
  case 'f':
  case 'g':
    if (zfinx)
      fputs(written(), stdout);
    else
      printf("f%u", random_below(32));
    break;
  case 'F':
    printf("f%u", 8 + random_below(8));
    break;
  case 'm':
    fputs(random_below(2) ? "" : ONE_OF(",rne", ",rtz", ",rdn", ",rup", ",rmm"), stdout);
    break;
  case 'l':
    printf(".L%u", ++label);
    break;
  case 'L':
    printf(".L%u", label);
    break;
  case 'n':
    instructions(1 + random_below(3), 0);
    break;
  default:
    immediate(letter);
    break;
  }
}

static void instruction(const struct form *f) {
  putchar('\t');
  for (const char *c = f->text; *c != '\0'; c++) {
    if (*c == '%')
      operand(*++c);
    else
      putchar(*c);
  }
  putchar('\n');
}

// How often a form is to be taken here.
static unsigned weight_of(const struct form *f, int jumps) {
  bool moves = strstr(f->text, "flw") || strstr(f->text, "fsw") || strstr(f->text, "fmv.");
  return (f->jumps && !jumps) || (zfinx && moves) ? 0 : f->weight;
}

static void instructions(unsigned count, int jumps) {
  unsigned total = 0;
  for (int i = 0; i < FORMS; i++)
    total += weight_of(&forms[i], jumps);
  while (count-- > 0) {
    unsigned at = random_below(total);
    int i = 0;
    for (; at >= weight_of(&forms[i], jumps); i++)
      at -= weight_of(&forms[i], jumps);
    instruction(&forms[i]);
  }
}

static uint32_t random_float(void) {
  static const uint32_t edges[] = {
      0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x01000000, 0x33800000,
      0x34000000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
      0x40490fdb, 0x4b000000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x5f000000, 0x7f000000,
      0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
  uint32_t sign = random_below(2) << 31, man = random_below(1 << 23);
  switch (random_below(4)) {
  case 0:
    return sign | edges[random_below(sizeof edges / sizeof *edges)];
  case 1:
    return sign | random_below(256) << 23 | man;
  default:
    return sign | (117 + random_below(20)) << 23 | (random_below(2) ? man : man & 0x7f0000);
  }
}

static void start(void) {
  puts("\t.option norelax\n\t.globl _start\n\t.text\n_start:");
  puts("\tla sp,buffer\n\tla s0,buffer+512\n\tla s1,floats");
  for (int r = 1; r < 32; r++)
    if (r != 2 && r != 3 && r != 4 && r != 8 && r != 9)
      printf("\tli x%d,0x%x\n", r, random_below(3) ? random_below(UINT32_MAX) : random_below(64));
  for (int r = 0; r < 32 && !zfinx; r++)
    printf("\tflw f%d,%u(s1)\n", r, 4 * random_below(64));
  puts("\tfscsr zero");
}

// One round of the segment may move code by two bytes (compressed or not), so that words cross.
static void segment(int number) {
  printf("\tli gp,%u\n\t.option %s\n.Lsegment%d:\n", 2 + random_below(12),
         random_below(3) ? "rvc" : "norvc", number);
  // Compressed forms are written as such, whatever the assembler may do with the others.
  puts("\t.option rvc");
  instructions(20 + random_below(40), 1);
  printf("\tjal tp,checkpoint\n\taddi gp,gp,-1\n\tbeqz gp,.Lend%d\n\tj .Lsegment%d\n.Lend%d:\n",
         number, number, number);
}

static void checkpoint(void) {
  puts("\t.option norvc\ncheckpoint:\n\tsw tp,record+16,t6\n\tla tp,record");
  for (int r = 1; r < 31; r++)
    if (r != 4)
      printf("\tsw x%d,%d(tp)\n", r, 4 * r);
  for (int r = 0; r < 32 && !zfinx; r++)
    printf("\tfsw f%d,%d(tp)\n", r, 128 + 4 * r);
  puts("\tfrcsr t0\n\tsw t0,256(tp)\n\tli a7,64\n\tli a0,1\n\tla a1,record\n\tli a2,260\n\tecall");
  puts("\tli a7,64\n\tli a0,1\n\tla a1,buffer\n\tli a2,1024\n\tecall");
  for (int r = 1; r < 31; r++)
    if (r != 4)
      printf("\tlw x%d,%d(tp)\n", r, 4 * r);
  puts("\tlw tp,16(tp)\n\tjr tp");
}

static void data(void) {
  puts("\t.data\n\t.balign 16\nbuffer:");
  for (int i = 0; i < 256; i++)
    printf("\t.word 0x%x\n", random_below(UINT32_MAX));
  puts("floats:");
  for (int i = 0; i < 64; i++)
    printf("\t.word 0x%x\n", random_float());
  puts("record:\n\t.zero 260");
}

int main(int argc, char **argv) {
  zfinx = argc == 3 && strcmp(argv[2], "zfinx") == 0;
  if (argc < 2 || argc != 2 + zfinx || strtoul(argv[1], NULL, 10) == 0) {
    fputs("usage: generate SEED [zfinx] (SEED is a number above 0)\n", stderr);
    return 2;
  }
  state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 20; i++)
    random_below(2);
  start();
  for (int i = 0; i < SEGMENTS; i++)
    segment(i);
  puts("\tli a7,93\n\tli a0,0\n\tecall");
  checkpoint();
  data();
  return 0;
}
