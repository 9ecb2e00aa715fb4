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

static void entry(void *argument) {
  expect(argument == &failures, "argument");
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
