// tests/kernels/kernels_host.c: the kernels compiled for this machine, on 1..8 threads, against
// the references; and what they refuse.
#include <check.h>

#include "grid.h"
#include "kernels/mm/mm_f32.h"
#include "kernels/mm/mm_i8.h"
#include "kernels/nn/nn_conv2d.h"
#include "kernels/vec/vec_axpy.h"

#define HOST_GRIDS(GRID)   GRIDS(GRID) VARIANT_GRIDS(GRID)
#define HOST_GRIDS_PROGRAM "/tests/grids_sanitized"
#include "host_grids.h"

Suite *kernels_host_suite(void);

START_TEST(mm_f32_refuses) {
  float a[4], b[4], c[4];
  const struct mm_f32 good = {a, b, c, 2, 2, 2, 2, 2, 2, NULL};
  struct mm_f32 bad = good;
  bad.k = 0;
  ck_assert_int_eq(mm_f32(MM_F32_4x4_rows, &bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.lda = 1;
  ck_assert_int_eq(mm_f32(MM_F32_4x4_rows, &bad), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(mm_f32(MM_F32_COUNT, &good), KERNEL_BAD_SHAPE);
  bad = good;
  bad.c = NULL;
  ck_assert_int_eq(mm_f32(MM_F32_4x4_rows, &bad), KERNEL_BAD_POINTER);
  ck_assert_int_eq(mm_f32(MM_F32_2x4_cols, &good), KERNEL_BAD_POINTER); // needs scratch
}
END_TEST

START_TEST(mm_i8_refuses) {
  int8_t a[64], b[64];
  int32_t c[64];
  const struct mm_i8 good = {a, b, c, 2, 2, 8, 8, 8, 2};
  struct mm_i8 bad = good;
  bad.k = 7; // shorter than two words
  ck_assert_int_eq(mm_i8_4x4_rows(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.k = bad.lda = bad.ldb = 10; // 4x2 takes whole words only
  ck_assert_int_eq(mm_i8_4x2_rows(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.c = (int32_t *)(void *)((char *)c + 1);
  ck_assert_int_eq(mm_i8_4x4_cols(&bad), KERNEL_BAD_POINTER);
}
END_TEST

START_TEST(conv2d_refuses) {
  uint8_t in[64], out[64];
  uint32_t filters[64], scratch[64];
  const struct nn_conv2d good = {.in = in,
                                 .filters = filters,
                                 .out = out,
                                 .scratch = scratch,
                                 .in_h = 2,
                                 .in_w = 2,
                                 .in_c = 4,
                                 .out_c = 1,
                                 .kernel_h = 2,
                                 .kernel_w = 2,
                                 .stride_h = 1,
                                 .stride_w = 1};
  struct nn_conv2d bad = good;
  bad.kernel_w = 3; // larger than the input
  ck_assert_int_eq(nn_conv2d_u8_i8_u8(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.stride_h = 0;
  ck_assert_int_eq(nn_conv2d_u8_i8_u8(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.shift = 32;
  ck_assert_int_eq(nn_conv2d_u8_i8_u8(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.scratch = NULL;
  ck_assert_int_eq(nn_conv2d_u8_i8_u8(&bad), KERNEL_BAD_POINTER);
}
END_TEST

START_TEST(axpy_refuses) {
  int32_t x[4] = {0}, y[4] = {0};
  _Alignas(8) int32_t buffer[32];
  struct vec_axpy_tiled bad = {y, x, 1, 4, 0, buffer};
  ck_assert_int_eq(vec_axpy_i32_tiled(&bad), KERNEL_BAD_SHAPE);
  bad.tile = 2;
  bad.buffer = buffer + 1;
  ck_assert_int_eq(vec_axpy_i32_tiled(&bad), KERNEL_BAD_POINTER);
}
END_TEST

// TOOLCHAIN=llvm: where clang-19 is there, it takes every assembler file that GNU as takes.
START_TEST(clang_assembles_the_kernels) {
  static const char command[] =
      "command -v clang-19 > /dev/null || exit 0; for f in kernels/*/*.S; do clang-19 "
      "--target=riscv32-unknown-elf -march=rv32imfc_zicsr -mabi=ilp32f -mno-relax -I. "
      "-I" TEST_BUILD_DIR "/gen -c $f -o /dev/null || exit 1; done";
  ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c)
}
END_TEST

Suite *kernels_host_suite(void) {
  Suite *suite = suite_create("kernels_host");
  add_grids(suite);
  TCase *clang = tcase_create("clang");
  tcase_set_timeout(clang, 120);
  tcase_add_test(clang, clang_assembles_the_kernels);
  suite_add_tcase(suite, clang);
  TCase *refuse = tcase_create("refusals");
  tcase_add_test(refuse, mm_f32_refuses);
  tcase_add_test(refuse, mm_i8_refuses);
  tcase_add_test(refuse, conv2d_refuses);
  tcase_add_test(refuse, axpy_refuses);
  suite_add_tcase(suite, refuse);
  return suite;
}
