// kernels/bench/train.h: what the training programs share: tensors of any type in an arena in L1,
// one pass of a layer, and checks against double precision on a sample of the results.
#ifndef BENCH_TRAIN_H
#define BENCH_TRAIN_H

#include "bench.h"
#include "kernels/ref/ref_train_half.h"
#include "kernels/ref/ref_train_mm.h"

// PASS fw, wg or ig, of elements of TYPE F32, FP16 or BF16.
#ifndef PASS
#define PASS fw
#endif
#ifndef TYPE
#define TYPE F32
#endif
enum { fw, wg, ig };
#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define TEXT_(name)  #name
#define TEXT(name)   TEXT_(name)
#define ELEMENT_TYPE JOIN(TRAIN_, TYPE)

#ifndef ARENA_BYTES
#define ARENA_BYTES (55 * 1024 + 512)
#endif
static RT_L1_BSS float arena[ARENA_BYTES / 4];

// `bytes`, in whole words; ends the program when there are no more.
static inline void *take_bytes(uint32_t bytes, unsigned core) {
  static uint32_t used[RT_MAX_CORES];
  float *place = arena + used[core];
  used[core] += (bytes + 3) / 4;
  if (used[core] > ARENA_BYTES / 4) {
    rt_printf("%u bytes of L1 wanted\n", (unsigned)used[core] * 4);
    rt_exit(1);
  }
  return place;
}

// `count` floats.
static inline float *take(uint32_t count, unsigned core, uint32_t seed) {
  float *place = take_bytes(count * 4, core);
  if (core == 0 && seed)
    bench_fill_floats(place, count, seed);
  return place;
}

// `count` elements of a type. 16-bit ones are multiples of 2^-7 in [-1, 1), which both types have.
static inline void *take_typed(uint32_t count, unsigned core, uint32_t seed, enum train_type type) {
  if (type == TRAIN_F32)
    return take(count, core, seed);
  uint16_t *place = take_bytes(count * 2, core);
  enum mmt_f16_format format = type == TRAIN_FP16 ? MMT_FP16 : MMT_BF16;
  for (uint32_t i = 0; core == 0 && seed && i < count; i++)
    place[i] = ref_half_round((float)(int8_t)(rt_random(&seed) >> 9) * 0x1p-7f, format);
  return place;
}

// Every `step`-th element of `count`, the cores sharing the work.
#define CHECK_TYPED(what, got, type, count, step, reference)                                       \
  ({                                                                                               \
    int failed_ = 0;                                                                               \
    uint32_t each_ = (step)*rt_core_count();                                                       \
    for (uint32_t i_ = (step)*rt_core_id(); i_ < (count) && !failed_; i_ += each_) {               \
      struct ref_sum want_ = (reference);                                                          \
      failed_ = !ref_typed_near((got), i_, (type), &want_);                                        \
      if (failed_)                                                                                 \
        rt_printf("%s[%u] = %08x, expected %08x\n", (what), (unsigned)i_,                          \
                  (unsigned)rt_float_bits(ref_typed((got), i_, (type))),                           \
                  (unsigned)rt_float_bits((float)ref_value(&want_)));                              \
    }                                                                                              \
    failed_;                                                                                       \
  })
#define CHECK(what, got, count, step, reference)                                                   \
  CHECK_TYPED(what, got, TRAIN_F32, count, step, reference)

// A word between the tensors, so that the cores' lines of two of them do not begin at one bank.
#ifndef PAD
#define PAD (ELEMENT_TYPE == TRAIN_F32 ? 1 : 2)
#endif

// Gives layer `l` of train_KIND.h the tensors of its pass, with these numbers of elements, runs the
// pass, and checks every `step`-th result: the program's exit status.
#define RUN_PASS(kind, l, ins, outs, weight_count, macs, step)                                     \
  ({                                                                                               \
    unsigned core_ = rt_core_id();                                                                 \
    (l).type = ELEMENT_TYPE;                                                                       \
    uint32_t counts_[] = {(outs), (weight_count), (ins)};                                          \
    if (PASS != ig)                                                                                \
      (l).in = take_typed((ins) + PAD, core_, 1, ELEMENT_TYPE);                                    \
    else                                                                                           \
      (l).out_grad = take_typed((outs) + PAD, core_, 1, ELEMENT_TYPE);                             \
    if (PASS != wg)                                                                                \
      (l).weights = take_typed((weight_count) + PAD, core_, 2, ELEMENT_TYPE);                      \
    else                                                                                           \
      (l).out_grad = take_typed((outs) + PAD, core_, 2, ELEMENT_TYPE);                             \
    void *result_ = take_typed(counts_[PASS], core_, 0, ELEMENT_TYPE);                             \
    if (PASS == fw)                                                                                \
      (l).out = result_;                                                                           \
    else if (PASS == wg)                                                                           \
      (l).weights_grad = result_;                                                                  \
    else                                                                                           \
      (l).in_grad = result_;                                                                       \
    uint32_t bytes_ = JOIN(JOIN(train_##kind##_, PASS), _buffer_size)(&(l));                       \
    if (bytes_)                                                                                    \
      (l).scratch = take_bytes(bytes_, core_);                                                     \
    rt_region_macs(1, (macs));                                                                     \
    enum kernel_status status_;                                                                    \
    bench_measure_step(status_, JOIN(train_##kind##_, PASS)(&(l)));                                \
    status_ != KERNEL_OK ? 1                                                                       \
                         : CHECK_TYPED(TEXT(PASS), result_, ELEMENT_TYPE, counts_[PASS], step,     \
                                       JOIN(ref_train_##kind##_, PASS)(&(l), i_));                 \
  })

// A product of {n, m, k} in the arena, its lines without gaps.
static inline struct mmt_f32 take_product(const uint32_t size[3], enum mmt_layout layout,
                                          unsigned core) {
  uint32_t n = size[0], m = size[1], k = size[2];
  struct mmt_f32 mm = {.n = n, .m = m, .k = k, .ldc = m, .layout = layout};
  mm.lda = layout == MMT_TN ? n : k;
  mm.ldb = layout == MMT_NT ? k : m;
  mm.a = take(n * k, core, 1);
  mm.b = take(m * k, core, 2);
  mm.c = take(n * m, core, 0);
  return mm;
}

// Multiplies by `call` and checks every element: the program's exit status.
#define RUN_PRODUCT(mm, call)                                                                      \
  ({                                                                                               \
    rt_region_macs(1, (uint64_t)(mm).n *(mm).m *(mm).k);                                           \
    enum kernel_status status_;                                                                    \
    bench_measure_step(status_, call);                                                             \
    status_ != KERNEL_OK                                                                           \
        ? 1                                                                                        \
        : CHECK("C", (mm).c, (mm).n *(mm).m, 1, ref_mmt_f32_sum(&(mm), i_ / (mm).m, i_ % (mm).m)); \
  })

#endif
