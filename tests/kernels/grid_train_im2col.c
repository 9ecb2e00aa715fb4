// tests/kernels/grid_train_im2col.c: patches by the cores and by the DMA, and back, element by
// element.
#include "grid_train.h"

#include "kernels/train/train_im2col.h"

enum { MAX_BYTES = 4 * 5 * 9 * 9, MAX_TAKEN = 4 };

static struct train_im2col l;
static enum { BY_CORE, BY_DMA, BACK, COL2IM, OPERATIONS } operation;
static uint32_t taken; // channels of what train_im2col_back() reads
static void *seen;

#ifdef __riscv
static uint32_t far_image[MAX_BYTES / 4]; // in L2, where the DMA reads
static void *take_far(uint32_t bytes) {
  (void)bytes;
  return far_image;
}
#else
static void *take_far(uint32_t bytes) {
  return grid_take(bytes, 0);
}
#endif

static uint32_t size_of(uint32_t count) {
  return count * (l.type == TRAIN_F32 ? 4 : 2);
}

static void shape(uint32_t number, uint32_t *seed) {
  l = (struct train_im2col){.channels = (uint16_t)grid_draw(seed, 1, 5),
                            .kernel_h = (uint8_t)grid_draw(seed, 1, 4),
                            .kernel_w = (uint8_t)grid_draw(seed, 1, 4),
                            .stride_h = (uint8_t)grid_draw(seed, 1, number % 2 ? 1 : 3),
                            .stride_w = (uint8_t)grid_draw(seed, 1, number % 2 ? 1 : 3),
                            .hwc = number / 4 % 2,
                            .type = (enum train_type)(number / 8 % TRAIN_TYPES)};
  l.pad_top = (uint8_t)grid_draw(seed, 0, l.kernel_h - 1u);
  l.pad_bottom = (uint8_t)grid_draw(seed, 0, l.kernel_h - 1u);
  l.pad_left = (uint8_t)grid_draw(seed, 0, l.kernel_w - 1u);
  l.pad_right = (uint8_t)grid_draw(seed, 0, l.kernel_w - 1u);
  l.h = (uint16_t)grid_draw(seed, number % 5 ? l.kernel_h : 1, 9);
  l.w = (uint16_t)grid_draw(seed, number % 5 ? l.kernel_w : 1, 9);
  if (l.h + l.pad_top + l.pad_bottom < l.kernel_h) // the kernel must fit
    l.h = l.kernel_h;
  if (l.w + l.pad_left + l.pad_right < l.kernel_w)
    l.w = l.kernel_w;
  taken = number % OPERATIONS == BACK ? grid_draw(seed, 1, MAX_TAKEN) : l.channels;
}

static void prepare(uint32_t number, uint32_t seed) {
  shape(number, &seed);
  operation = number % OPERATIONS;
  uint32_t outs = train_im2col_out_h(&l) * train_im2col_out_w(&l), ins = (uint32_t)l.h * l.w;
  l.pitch = taken * l.kernel_h * l.kernel_w + grid_draw(&seed, 0, 2);
  l.image = operation == BY_DMA ? take_far(size_of(ins * l.channels))
                                : grid_take(size_of(ins * l.channels), 0);
  const uint8_t *values = grid_values(ins * l.channels, l.type, &seed);
  for (uint32_t i = 0; i < size_of(ins * l.channels); i++)
    ((uint8_t *)l.image)[i] = values[i];
  seen = grid_values(outs * taken, l.type, &seed);
  l.patches = grid_values((operation == BACK ? ins : outs) * l.pitch, l.type, &seed);
}

static int run(void) {
  switch (operation) {
  case BY_CORE:
    return (int)train_im2col(&l);
  case BY_DMA:
    return (int)train_im2col_dma(&l);
  case BACK:
    return (int)train_im2col_back(&l, seen, taken);
  default:
    return (int)train_col2im(&l);
  }
}

// Element of a tensor [n][h][w] or [h][w][n]; 0 outside.
static float at(const void *tensor, uint32_t n, uint32_t h, uint32_t w, uint32_t c, int32_t y,
                int32_t x) {
  if (y < 0 || x < 0 || y >= (int32_t)h || x >= (int32_t)w)
    return 0;
  uint32_t pixel = (uint32_t)y * w + (uint32_t)x;
  return ref_typed(tensor, l.hwc ? pixel * n + c : c * h * w + pixel, l.type);
}

static int32_t divided(int32_t value, int32_t by) {
  return value >= 0 && value % by == 0 ? value / by : -1;
}

// What row (y, x) of the patches holds at channel c, tap (i, j).
static float expected(uint32_t y, uint32_t x, uint32_t c, int32_t i, int32_t j) {
  if (operation == BACK)
    return at(seen, taken, train_im2col_out_h(&l), train_im2col_out_w(&l), c,
              divided((int32_t)y + l.pad_top - i, l.stride_h),
              divided((int32_t)x + l.pad_left - j, l.stride_w));
  return at(l.image, l.channels, l.h, l.w, c, (int32_t)(y * l.stride_h) + i - l.pad_top,
            (int32_t)(x * l.stride_w) + j - l.pad_left);
}

static bool row_is_right(uint32_t row, uint32_t width) {
  uint32_t area = (uint32_t)l.kernel_h * l.kernel_w;
  for (uint32_t k = 0; k < l.pitch; k++) {
    uint32_t c = l.hwc ? k % taken : k / area, tap = l.hwc ? k / taken : k % area;
    float want = k >= taken * area
                     ? 0
                     : expected(row / width, row % width, c, (int32_t)(tap / l.kernel_w),
                                (int32_t)(tap % l.kernel_w));
    if (ref_typed(l.patches, row * l.pitch + k, l.type) != want) {
      rt_printf("row %u, element %u\n", (unsigned)row, (unsigned)k);
      return false;
    }
  }
  return true;
}

// The sum, exact: numbers are few and have few bits.
static bool pixel_is_right(uint32_t c, uint32_t y, uint32_t x) {
  uint32_t out_w = train_im2col_out_w(&l), outs = train_im2col_out_h(&l) * out_w;
  uint32_t area = (uint32_t)l.kernel_h * l.kernel_w;
  struct ref_sum want = {0};
  for (uint32_t p = 0; p < outs; p++) {
    int32_t i = (int32_t)y + l.pad_top - (int32_t)(p / out_w) * l.stride_h;
    int32_t j = (int32_t)x + l.pad_left - (int32_t)(p % out_w) * l.stride_w;
    if (i < 0 || j < 0 || i >= l.kernel_h || j >= l.kernel_w)
      continue;
    uint32_t tap = (uint32_t)i * l.kernel_w + (uint32_t)j;
    ref_add(&want,
            ref_typed(l.patches, p * l.pitch + (l.hwc ? tap * l.channels + c : c * area + tap),
                      l.type));
  }
  uint32_t pixel = y * l.w + x;
  if (ref_typed_near(l.image, l.hwc ? pixel * l.channels + c : c * l.h * l.w + pixel, l.type,
                     &want))
    return true;
  rt_printf("pixel %u %u %u\n", (unsigned)c, (unsigned)y, (unsigned)x);
  return false;
}

static int check(void) {
  bool right = true;
  uint32_t outs = train_im2col_out_h(&l) * train_im2col_out_w(&l), ins = (uint32_t)l.h * l.w;
  if (operation == COL2IM) {
    for (uint32_t n = 0; n < ins * l.channels && right; n += GRID_EACH)
      right = pixel_is_right(n / ins, n % ins / l.w, n % l.w);
  } else {
    uint32_t rows = operation == BACK ? ins : outs;
    for (uint32_t row = 0; row < rows && right; row += GRID_EACH)
      right = row_is_right(row, operation == BACK ? l.w : train_im2col_out_w(&l));
  }
  if (!right)
    rt_printf("operation %u type %u hwc %u: %ux%ux%u, %ux%u\n", (unsigned)operation,
              (unsigned)l.type, l.hwc, l.channels, l.h, l.w, l.kernel_h, l.kernel_w);
  return !right;
}

int grid_train_im2col(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_im2col", &what);
}
