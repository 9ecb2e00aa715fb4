#include "repeat_program.h"

#include <string.h>

enum { POINTER = 9, VALUE = 10, STEP = 11, SECOND = 12, THIRD = 13, FOURTH = 14, BASE = 8 };
enum { TARGET = 5, FIRST_REGISTER = 5, LAST_REGISTER = 15, RESULTS = RANDOM_PROGRAM_DATA + 0x400 };
enum { DEVICE = 31, WORDS = 64 };

static struct repeat_body *body;

static void put(uint32_t word) {
  body->word[body->count++] = word;
}

static void lui(unsigned rd, uint32_t value) {
  put(0x37u | rd << 7 | (value & 0xfffff000u));
}
static void addi(unsigned rd, unsigned rs1, int imm) {
  put(0x13u | rd << 7 | rs1 << 15 | (uint32_t)imm << 20);
}
static void sw(unsigned rs2, unsigned rs1, unsigned offset) {
  put(0x2023u | rs2 << 20 | rs1 << 15 | (offset >> 5) << 25 | (offset & 31) << 7);
}

// XpulpV2's accesses with increment, isa/rows/xpulp_ls.def; `size` as in funct3 of lb, lh, lw.
static void load_moving(unsigned size, unsigned rd, int step) {
  put(0x0bu | rd << 7 | size << 12 | (unsigned)POINTER << 15 | (uint32_t)step << 20);
}
static void load_moving_by(unsigned rd, unsigned step) {
  put(0x2000700bu | rd << 7 | (unsigned)POINTER << 15 | step << 20);
}
static void store_moving(unsigned size, unsigned rs2, unsigned step) {
  put(0x2bu | (step & 31) << 7 | size << 12 | (unsigned)POINTER << 15 | rs2 << 20 |
      (step >> 5) << 25);
}
static void store_moving_by(unsigned rs2, unsigned step) {
  put(0x602bu | step << 7 | (unsigned)POINTER << 15 | rs2 << 20);
}

enum { BYTE, HALF, WORD };

static void operation(unsigned which) {
  static const uint32_t words[REPEAT_OPERATIONS] = {
      0x1840f553, // fdiv.s f10,f1,f4: by zero
      0x1811f553, // fdiv.s f10,f3,f1
      0x58027553, // fsqrt.s f10,f4: of zero
      0x5801f553, // fsqrt.s f10,f3
      0x0020f553, // fadd.s f10,f1,f2
      0x1820f543, // fmadd.s f10,f1,f2,f3
  };
  put(words[which]);
}

static void filler(unsigned which, unsigned n) {
  while (n-- > 0)
    put(which ? 0x00b50463u : 0x02b60633u); // beq x10,x11,8: not taken; mul x12,x12,x11
}

static void several(unsigned n, void (*load)(unsigned, unsigned, int), unsigned size, int step) {
  for (unsigned i = 0; i < n; i++)
    load(size, VALUE + 2 + i, step);
}

// lp.setupi 0,3: the three instructions behind it, three times.
static void loop(void) {
  put(0x0030507bu | 6u << 15);
  load_moving(WORD, VALUE, 4);
  store_moving(WORD, VALUE, 8);
  put(0x13);
}

static void jump(uint32_t address) {
  body->landing = address + 4 * body->count + 12;
  load_moving(WORD, TARGET, 4);
  put(0x00028067u | 7u << 7); // jalr x7,0(x5)
  addi(VALUE, 0, 99);         // left out
}

static void load(unsigned size, unsigned rd, unsigned offset) {
  put(0x03u | rd << 7 | size << 12 | (unsigned)POINTER << 15 | offset << 20);
}
static void store(unsigned size, unsigned rs2, unsigned offset) {
  put(0x23u | offset << 7 | size << 12 | (unsigned)POINTER << 15 | rs2 << 20);
}
static void product(unsigned funct3, unsigned rd) {
  put(0x02000033u | rd << 7 | funct3 << 12 | (unsigned)VALUE << 15 | (unsigned)STEP << 20);
}

static void mistaken_access(enum repeat_access kind) {
  switch (kind) {
  case REPEAT_TAKEN_LOADS:
    load(WORD, SECOND, 5);
    load(HALF, THIRD, 11);
    load(WORD, FOURTH, 15);
    load(HALF | 4, FOURTH + 1, 19); // lhu
    break;
  case REPEAT_TAKEN_STORES:
    store(WORD, VALUE, 5);
    store(HALF, SECOND, 11);
    store(WORD, STEP, 14);
    break;
  default:
    for (unsigned high = 1; high <= 3; high++) // mulh, mulhsu, mulhu
      product(high, SECOND + high - 1);
    product(1, STEP);
    break;
  }
}

static void accesses(enum repeat_access kind, uint32_t address) {
  switch (kind) {
  case REPEAT_LOAD:
    several(3, load_moving, WORD, 4);
    break;
  case REPEAT_LOAD_REGISTER:
    load_moving_by(VALUE, STEP);
    load_moving_by(SECOND, STEP);
    break;
  case REPEAT_LOAD_CROSSING:
    several(3, load_moving, WORD, 5);
    break;
  case REPEAT_LOAD_POINTER:
    load_moving(WORD, POINTER, 4);
    break;
  case REPEAT_STORE:
    store_moving(WORD, STEP, 4);
    store_moving(WORD, VALUE, 4);
    break;
  case REPEAT_STORE_REGISTER:
    store_moving_by(STEP, STEP);
    store_moving_by(VALUE, STEP);
    break;
  case REPEAT_STORE_CROSSING:
    store_moving(HALF, STEP, 3);
    store_moving(HALF, VALUE, 4);
    store_moving(WORD, SECOND, 4);
    break;
  case REPEAT_BYTES:
    store_moving(BYTE, STEP, 1);
    load_moving(BYTE, SECOND, 1);
    store_moving(BYTE, SECOND, 1);
    break;
  case REPEAT_LOOP:
    loop();
    break;
  case REPEAT_JUMP:
    jump(address);
    break;
  case REPEAT_EVENT:
    put(0x00046003u | (unsigned)SECOND << 7); // p.elw x12,0(x8)
    load_moving(WORD, VALUE, 4);
    store_moving(WORD, SECOND, 4);
    break;
  default:
    put(0x02b54633u); // div x12,x10,x11
    put(0x02b516b3u); // mulh x13,x10,x11
    load_moving(WORD, FOURTH, 4);
    break;
  }
}

void repeat_body(unsigned number, uint32_t address, struct repeat_body *b) {
  unsigned between = number % REPEAT_FILLERS, distance = number / REPEAT_FILLERS % REPEAT_DISTANCES;
  bool mistaken = number >= REPEAT_TWICE;
  unsigned kinds = mistaken ? REPEAT_KINDS - REPEAT_ACCESSES : REPEAT_ACCESSES;
  number = (mistaken ? number - REPEAT_TWICE : number) / (REPEAT_FILLERS * REPEAT_DISTANCES);
  unsigned kind = number % kinds + (mistaken ? REPEAT_ACCESSES : 0);
  body = b;
  body->count = 0;
  body->landing = 0;
  operation(number / kinds % REPEAT_OPERATIONS);
  filler(between, distance);
  if (mistaken)
    mistaken_access((enum repeat_access)kind);
  else
    accesses((enum repeat_access)kind, address);
  for (unsigned n = 0; n < 24; n++)
    addi(0, 0, 0);
}

// ---- a program of its own

static void set_up(void) {
  lui(BASE, RANDOM_PROGRAM_DATA);
  lui(POINTER, RANDOM_PROGRAM_DATA);
  lui(DEVICE, 0x80000000);
  lui(VALUE, 0x7654321 << 4);
  addi(STEP, 0, 12);
  addi(SECOND, 0, 35);
  addi(THIRD, 0, 7);
  for (unsigned f = 1; f <= 4; f++) // flw
    put(0x2007u | f << 7 | (unsigned)BASE << 15 | (0x200 + 4 * f) << 20);
  for (unsigned n = 0; n < 4; n++)
    addi(0, 0, 0);
}

static void store_all(void) {
  for (unsigned r = FIRST_REGISTER; r <= LAST_REGISTER; r++)
    sw(r, BASE, RESULTS - RANDOM_PROGRAM_DATA + 4 * r);
  put(0x40a42027u); // fsw f10,0x400(x8)
  sw(0, DEVICE, 0);
  put(0x0000006f); // j .
}

static void fill_data(uint8_t *data) {
  static const uint32_t floats[] = {0x3f800000, 0x40400000, 0x40e00000, 0}; // 1, 3, 7, 0
  for (uint32_t i = 0; i < WORDS; i++) {
    uint32_t word = (i + 1) * UINT32_C(0x01030507);
    memcpy(data + 4 * i, &word, sizeof word);
  }
  memcpy(data + 0x204, floats, sizeof floats);
}

// What `fill` puts goes to `at`. Returns the address behind it.
static uint32_t add(uint8_t *image, uint32_t at, void (*fill)(void)) {
  struct repeat_body part = {.count = 0};
  body = &part;
  fill();
  memcpy(image + at, part.word, 4 * part.count);
  return at + 4 * part.count;
}

void repeat_program(unsigned number, uint8_t image[RANDOM_PROGRAM_SIZE]) {
  struct repeat_body b;
  memset(image, 0, RANDOM_PROGRAM_SIZE);
  fill_data(image + RANDOM_PROGRAM_DATA);
  uint32_t at = add(image, RANDOM_PROGRAM_ENTRY, set_up);
  repeat_body(number, at, &b);
  memcpy(image + at, b.word, 4 * b.count);
  if (b.landing)
    memcpy(image + RANDOM_PROGRAM_DATA, &b.landing, sizeof b.landing);
  add(image, at + 4 * b.count, store_all);
}
