// PMSIS over the runtime: teams, DMA, memory, counters; builtins against plain C. Prints what is
// wrong.
#include "pmsis.h"

enum { WORDS = 256, ROWS = 5, ROW = 24, STRIDE = 40, LONG = 30000 };

static int failures;
static uint32_t state = 1;
static uint8_t outside[4 * LONG];
static volatile int visits[16], behind[16];

static void expect(bool good, const char *what) {
  if (good)
    return;
  failures++;
  printf("wrong: %s\n", what);
}

static uint32_t draw(void) {
  state = state * 1664525 + 1013904223;
  return state ^ state >> 15;
}

// Everybody of the team sees at the barrier that everybody has been here.
static void member(void *argument) {
  int n = *(int *)argument, seen = 0;
  visits[pi_core_id()]++;
  pi_cl_team_barrier(0);
  for (int i = 0; i < n; i++)
    seen += visits[i];
  behind[pi_core_id()] = seen;
  pi_cl_team_barrier();
}

static void teams(void) {
  int all = pi_cl_cluster_nb_pe_cores();
  for (int n = 1; n <= all; n++) {
    memset((void *)visits, 0, sizeof visits);
    memset((void *)behind, 0, sizeof behind);
    pi_cl_team_fork(n == all ? 0 : n, member, &n);
    for (int i = 0; i < all; i++)
      expect(behind[i] == (i < n ? n : 0), "team");
  }
}

static void transfers(void) {
  uint8_t *l1 = pmsis_l1_malloc(ROWS * ROW);
  pi_cl_dma_cmd_t cmd;
  pi_cl_dma_copy_t copy = {.dir = PI_CL_DMA_DIR_LOC2EXT, .size = ROWS * ROW};
  for (unsigned i = 0; i < sizeof outside; i++)
    outside[i] = (uint8_t)draw();
  pi_cl_dma_cmd_2d((uint32_t)outside, (uint32_t)l1, ROWS * ROW, STRIDE, ROW, PI_CL_DMA_DIR_EXT2LOC,
                   &cmd);
  pi_cl_dma_cmd_wait(&cmd);
  for (int i = 0; i < ROWS * ROW; i++)
    expect(l1[i] == outside[i / ROW * STRIDE + i % ROW], "2D transfer");
  copy.ext = (uint32_t)outside + 1001;
  copy.loc = (uint32_t)l1;
  pi_cl_dma_memcpy(&copy);
  pi_cl_dma_wait(&copy);
  expect(memcmp(outside + 1001, l1, ROWS * ROW) == 0, "transfer out");
  pmsis_l1_malloc_free(l1, ROWS * ROW);
}

static void memories(void) {
  void *a = pmsis_l1_malloc(1000), *b = pmsis_l1_malloc(1000), *c = pmsis_l1_malloc(1000);
  expect(a && b && c && a != b && b != c && (uintptr_t)a >> 28 == 1, "L1");
  pmsis_l1_malloc_free(b, 1000);
  expect(pmsis_l1_malloc(1000) == b, "a hole in L1");
  pmsis_l1_malloc_free(c, 1000);
  pmsis_l1_malloc_free(a, 1000);
  pmsis_l1_malloc_free(b, 1000);
  expect(pmsis_l1_malloc(3000) == a, "holes in L1 join");
  pmsis_l1_malloc_free(a, 3000);
  expect(!pmsis_l1_malloc(1 << 20), "too much of L1");
  void *l2 = pi_l2_malloc(LONG);
  expect(l2 && (uintptr_t)l2 >> 24 == 0x1c, "L2");
  pi_l2_free(l2, LONG);
}

static void counters(void) {
  pi_perf_conf(1 << PI_PERF_CYCLES | 1 << PI_PERF_INSTR);
  pi_perf_reset();
  pi_perf_start();
  for (volatile int i = 0; i < 1000; i++)
    ;
  pi_perf_stop();
  unsigned cycles = pi_perf_read(PI_PERF_CYCLES), instructions = pi_perf_read(PI_PERF_INSTR);
  expect(instructions >= 4000 && instructions < 10000 && cycles >= instructions, "counters");
}

static int clip(int x, int low, int high) {
  return x < low ? low : x > high ? high : x;
}

static void builtins(void) {
  for (int k = 0; k < 200; k++) {
    uint32_t x = draw(), y = draw();
    int sum = (int)draw() >> 8, sp = sum, usp = sum, s2 = sum;
    for (int i = 0; i < 4; i++) {
      sp += (int8_t)(x >> 8 * i) * (int8_t)(y >> 8 * i);
      usp += (uint8_t)(x >> 8 * i) * (int8_t)(y >> 8 * i);
    }
    for (int i = 0; i < 2; i++)
      s2 += (int16_t)(x >> 16 * i) * (int16_t)(y >> 16 * i);
    v4s a = (v4s)x, b = (v4s)y;
    expect(__builtin_pulp_sdotsp4(a, b, sum) == sp, "sdotsp4");
    expect(__builtin_pulp_sdotusp4((v4u)x, b, sum) == usp, "sdotusp4");
    expect(__builtin_pulp_sdotsp2((v2s)x, (v2s)y, sum) == s2, "sdotsp2");
    expect(__builtin_pulp_clipu_r((int)x, 255) == clip((int)x, 0, 255), "clipu_r");
    expect(__builtin_pulp_clip_r((int)x >> 20, 127) == clip((int)x >> 20, -128, 127), "clip_r");
    expect(__builtin_pulp_bextract((int)x, 5, 9) == (int)(x << 18) >> 27, "bextract");
    expect(__builtin_pulp_bextractu(x, 32, 0) == x, "bextractu");
    uint32_t field = (uint32_t)__builtin_pulp_binsert(x, ~0xf0, y, 0xf0, 4);
    expect(field >> 8 == x >> 8 && (field & 15) == (x & 15) && (field >> 4 & 15) == (y & 15),
           "binsert");
    v4s packed = __builtin_pulp_pack4(x, y, x >> 8, y >> 8);
    v4u most = __builtin_pulp_maxu4(a, b);
    for (int i = 0; i < 4; i++) {
      uint8_t u = (uint8_t)(x >> 8 * i), v = (uint8_t)(y >> 8 * i);
      expect((uint8_t)packed[i] == (uint8_t)((i & 1 ? y : x) >> 8 * (i / 2)), "pack4");
      expect(most[i] == (u > v ? u : v), "maxu4");
    }
    expect(__builtin_pulp_maxsi((int)x, (int)y) == ((int)x > (int)y ? (int)x : (int)y), "maxsi");
    expect((int)__builtin_pulp_fl1(x | 1) == 31 - __builtin_clz(x | 1), "fl1");
    expect((int)__builtin_pulp_cnt(x) == __builtin_popcount(x), "cnt");
    expect(__builtin_pulp_mac((int16_t)x, (int16_t)y, sum) == sum + (int16_t)x * (int16_t)y, "mac");
  }
}

static int shifted(long long value, int by) {
  return (int)(value >> by);
}

// Those that are made of the rows: lanes, one operand for all lanes, sums and products shifted.
static void builtins_of_the_rows(void) {
  for (int k = 0; k < 200; k++) {
    uint32_t x = draw(), y = draw(), mask = draw() & 0x07070707;
    v4s a = (v4s)x, b = (v4s)y, sum = __builtin_pulp_add4(a, b);
    v4s scaled = __builtin_pulp_addsc4(a, y), mixed = __builtin_pulp_shuffle4b(a, b, (v4s)mask);
    v4s negative = __builtin_pulp_neg4(a);
    for (int i = 0; i < 4; i++) {
      expect(sum[i] == (int8_t)(a[i] + b[i]), "add4");
      expect(scaled[i] == (int8_t)(a[i] + b[0]), "addsc4");
      expect(negative[i] == (int8_t)-a[i], "neg4");
      int lane = mask >> 8 * i & 7;
      expect(mixed[i] == (lane < 4 ? a[lane] : b[lane - 4]), "shuffle4b");
    }
    v2s p = (v2s)x, q = (v2s)y, most = __builtin_pulp_max2(p, q), off = __builtin_pulp_exor2(p, q);
    for (int i = 0; i < 2; i++) {
      expect(most[i] == (p[i] > q[i] ? p[i] : q[i]), "max2");
      expect(off[i] == (short)(p[i] ^ q[i]), "exor2");
    }
    long long product = (long long)p[0] * q[0];
    int small = (int)x >> 8, other = (int)y >> 8;
    expect(__builtin_pulp_mulsN(p[0], q[0], 5) == shifted(product, 5), "mulsN");
    expect(__builtin_pulp_mulsRN(p[0], q[0], 5, 16) == shifted(product + 16, 5), "mulsRN");
    expect(__builtin_pulp_macsN(p[0], q[0], small, 3) == shifted(product + small, 3), "macsN");
    expect(__builtin_pulp_addRN(small, other, 4, 8) == (small + other + 8) >> 4, "addRN");
    expect(__builtin_pulp_subN_r(small, other, 7) == (small - other) >> 7, "subN_r");
    expect((__builtin_pulp_bset(x, 0xff0) ^ (int)x) == (int)(~x & 0xff0), "bset");
    expect((uint32_t)__builtin_pulp_bclr_r(x, 7 << 5 | 4) == (x & ~0xff0u), "bclr_r");
    expect(__builtin_pulp_bextract_r((int)x, 7 << 5 | 4) == (int)(x << 20) >> 24, "bextract_r");
  }
}

enum { LINES = 3, LINE = 100, APART = 130 };

// RAM from the cluster and from the fabric controller, also in lines.
static void ram(void) {
  struct pi_device device;
  struct pi_hyperram_conf conf;
  pi_hyperram_conf_init(&conf);
  pi_open_from_conf(&device, &conf);
  expect(pi_ram_open(&device) == 0, "RAM");
  uint32_t first, second, none = 1;
  pi_cl_ram_alloc_req_t wish;
  pi_cl_ram_req_t in, out;
  expect(pi_ram_alloc(&device, &first, 100001) == 0 && first, "piece of RAM");
  pi_cl_ram_alloc(&device, sizeof outside, &wish);
  expect(pi_cl_ram_alloc_wait(&wish, &second) == 0 && second >= first + 100001, "second piece");
  expect(pi_ram_alloc(&device, &none, 1 << 24) == -1 && none == 0, "too much RAM");
  uint8_t *back = pi_l2_malloc(LINES * APART);
  pi_cl_ram_write(&device, second, outside, sizeof outside, &out);
  pi_cl_ram_write_wait(&out);
  pi_cl_ram_read_2d(&device, second + 5, back, LINES * LINE, APART, LINE, &in);
  pi_cl_ram_read_wait(&in);
  for (int i = 0; i < LINES * LINE; i++)
    expect(back[i] == outside[5 + i / LINE * APART + i % LINE], "lines from RAM");
  memset(back, 0, LINES * APART);
  pi_ram_read(&device, second + 1000, back, LINES * APART);
  expect(memcmp(back, outside + 1000, LINES * APART) == 0, "RAM keeps");
  pi_ram_free(&device, first, 100001);
  expect(pi_ram_alloc(&device, &none, 100001) == 0 && none == first, "RAM that was given back");
  pi_l2_free(back, LINES * APART);
}

// The file system is the directory that was granted, or empty.
static void files(void) {
  struct pi_device flash, device;
  struct pi_hyperflash_conf flash_conf;
  struct pi_readfs_conf conf;
  char text[8] = "", again[8] = "";
  pi_cl_fs_req_t req;
  pi_hyperflash_conf_init(&flash_conf);
  pi_open_from_conf(&flash, &flash_conf);
  expect(pi_flash_open(&flash) == 0, "flash");
  pi_readfs_conf_init(&conf);
  conf.fs.flash = &flash;
  pi_open_from_conf(&device, &conf);
  expect(pi_fs_mount(&device) == 0, "mount");
  expect(pi_fs_open(&device, "not there", 0) == NULL, "no such file");
  pi_fs_file_t *file = pi_fs_open(&device, "words.txt", 0);
  if (!file)
    return;
  printf("%u bytes in words.txt\n", (unsigned)file->size);
  expect(pi_fs_read(file, text, 4) == 4 && strcmp(text, "one ") == 0, "read");
  pi_cl_fs_read(file, text, 3, &req);
  expect(pi_cl_fs_wait(&req) == 3 && strcmp(text, "two ") == 0, "read of the cluster");
  pi_cl_fs_copy(file, 4, again, 3, 1, &req);
  expect(pi_cl_fs_wait(&req) == 0 && strcmp(again, "two") == 0, "copy");
  pi_fs_close(file);
}

static void critical(void *argument) {
  for (int i = 0; i < 50; i++) {
    pi_cl_team_critical_enter();
    int before = *(volatile int *)argument;
    *(volatile int *)argument = before + 1;
    pi_cl_team_critical_exit();
  }
}

static void entry(void *argument) {
  int count = 0;
  expect(argument == &failures, "argument");
  builtins_of_the_rows();
  ram();
  files();
  pi_cl_team_fork(0, critical, &count);
  expect(count == 50 * pi_cl_cluster_nb_pe_cores(), "critical section");
  teams();
  transfers();
  memories();
  counters();
  builtins();
}

int main(void) {
  struct pi_device device;
  struct pi_cluster_conf conf;
  struct pi_cluster_task task;
  pi_cluster_conf_init(&conf);
  pi_open_from_conf(&device, &conf);
  expect(pi_cluster_open(&device) == 0, "open");
  pi_cluster_send_task_to_cl(&device, pi_cluster_task(&task, entry, &failures));
  pi_cluster_close(&device);
  pmsis_exit(failures ? 1 : 0);
}
