// kernels/compat/pulp_builtins.h: the PULP compiler's builtins and vector types, for the stock one.
//
// Each is the instruction of the same meaning (xpulp.h, made from the rows of isa/). A vector of
// four bytes or two halves and an integer are the same register here as there: compile with
// -flax-vector-conversions. Of builtins whose immediates may be variables that only optimization
// makes constants, the general form is computed. Names and operands: pulp_builtins.def of
// pulp-riscv-gcc.
#ifndef COMPAT_PULP_BUILTINS_H
#define COMPAT_PULP_BUILTINS_H

#include <stdint.h>

#include "xpulp.h"

typedef signed short v2s __attribute__((vector_size(4)));
typedef unsigned short v2u __attribute__((vector_size(4)));
typedef signed char v4s __attribute__((vector_size(4)));
typedef unsigned char v4u __attribute__((vector_size(4)));

// 16-bit floats: storage alone, until the compiler has them.
typedef unsigned short float16alt;
typedef unsigned short float16;

#define PULP_REGISTER_(x)          ((uint32_t)(x))
#define PULP_2_(name, a, b)        name(PULP_REGISTER_(a), PULP_REGISTER_(b))
#define PULP_SUM_(name, a, b, sum) name((int32_t)(sum), PULP_REGISTER_(a), PULP_REGISTER_(b))

// Dot products.
#define __builtin_pulp_dotsp4(a, b)         ((int32_t)PULP_2_(pv_dotsp_b, a, b))
#define __builtin_pulp_dotup4(a, b)         PULP_2_(pv_dotup_b, a, b)
#define __builtin_pulp_dotusp4(a, b)        ((int32_t)PULP_2_(pv_dotusp_b, a, b))
#define __builtin_pulp_dotsp2(a, b)         ((int32_t)PULP_2_(pv_dotsp_h, a, b))
#define __builtin_pulp_dotup2(a, b)         PULP_2_(pv_dotup_h, a, b)
#define __builtin_pulp_dotusp2(a, b)        ((int32_t)PULP_2_(pv_dotusp_h, a, b))
#define __builtin_pulp_sdotsp4(a, b, sum)   PULP_SUM_(pv_sdotsp_b, a, b, sum)
#define __builtin_pulp_sdotup4(a, b, sum)   PULP_SUM_(pv_sdotup_b, a, b, sum)
#define __builtin_pulp_sdotusp4(a, b, sum)  PULP_SUM_(pv_sdotusp_b, a, b, sum)
#define __builtin_pulp_sdotsp2(a, b, sum)   PULP_SUM_(pv_sdotsp_h, a, b, sum)
#define __builtin_pulp_sdotup2(a, b, sum)   PULP_SUM_(pv_sdotup_h, a, b, sum)
#define __builtin_pulp_sdotusp2(a, b, sum)  PULP_SUM_(pv_sdotusp_h, a, b, sum)
#define __builtin_pulp_sdotsp8(a, b, sum)   PULP_SUM_(pv_sdotsp_n, a, b, sum)
#define __builtin_pulp_sdotup8(a, b, sum)   PULP_SUM_(pv_sdotup_n, a, b, sum)
#define __builtin_pulp_sdotusp8(a, b, sum)  PULP_SUM_(pv_sdotusp_n, a, b, sum)
#define __builtin_pulp_sdotsp16(a, b, sum)  PULP_SUM_(pv_sdotsp_c, a, b, sum)
#define __builtin_pulp_sdotup16(a, b, sum)  PULP_SUM_(pv_sdotup_c, a, b, sum)
#define __builtin_pulp_sdotusp16(a, b, sum) PULP_SUM_(pv_sdotusp_c, a, b, sum)

// Scalars. clip: -m-1..m, clipu: 0..m; the immediate forms want 2^k - 1, which m may be here or
// not.
#define __builtin_pulp_clip_r(x, m)     ((int32_t)PULP_2_(p_clipr, x, m))
#define __builtin_pulp_clipu_r(x, m)    ((int32_t)PULP_2_(p_clipur, x, m))
#define __builtin_pulp_clip(x, low, m)  __builtin_pulp_clip_r(x, m)
#define __builtin_pulp_clipu(x, low, m) __builtin_pulp_clipu_r(x, m)
#define __builtin_pulp_fl1(x)           p_fl1(PULP_REGISTER_(x))
#define __builtin_pulp_ff1(x)           p_ff1(PULP_REGISTER_(x))
#define __builtin_pulp_cnt(x)           p_cnt(PULP_REGISTER_(x))
#define __builtin_pulp_clb(x)           p_clb(PULP_REGISTER_(x))
#define __builtin_pulp_abs(x)           p_abs(PULP_REGISTER_(x))
#define __builtin_pulp_mac(a, b, sum)   PULP_SUM_(p_mac, a, b, sum)
#define __builtin_pulp_msu(a, b, sum)   PULP_SUM_(p_msu, a, b, sum)
#define __builtin_pulp_minsi(a, b)      ((int32_t)PULP_2_(p_min, a, b))
#define __builtin_pulp_maxsi(a, b)      ((int32_t)PULP_2_(p_max, a, b))
#define __builtin_pulp_minusi(a, b)     PULP_2_(p_minu, a, b)
#define __builtin_pulp_maxusi(a, b)     PULP_2_(p_maxu, a, b)
#define __builtin_pulp_rotr(a, b)       PULP_2_(p_ror, a, b)
#define __builtin_pulp_bextract(x, size, offset)                                                   \
  ((int32_t)(PULP_REGISTER_(x) << (32 - (size) - (offset))) >> (32 - (size)))
#define __builtin_pulp_bextractu(x, size, offset)                                                  \
  ((PULP_REGISTER_(x) << (32 - (size) - (offset))) >> (32 - (size)))
#define __builtin_pulp_binsert(to, keep, from, mask, offset)                                       \
  ((int32_t)((PULP_REGISTER_(to) & (uint32_t)(keep)) |                                             \
             ((PULP_REGISTER_(from) << (offset)) & (uint32_t)(mask))))
#define PULP_BITS_(size, offset)             ((0xffffffffu >> (32 - (size))) << (offset))
#define __builtin_pulp_bset(x, size, offset) (PULP_REGISTER_(x) | PULP_BITS_(size, offset))
#define __builtin_pulp_bclr(x, size, offset) (PULP_REGISTER_(x) & ~PULP_BITS_(size, offset))

// Vectors.
#define __builtin_pulp_pack4(x, y, z, t)                                                           \
  ((v4s){(signed char)(x), (signed char)(y), (signed char)(z), (signed char)(t)})
#define __builtin_pulp_pack2(x, y)    ((v2s){(short)(x), (short)(y)})
#define __builtin_pulp_shuffleb(a, m) ((v4s)PULP_2_(pv_shuffle_b, a, m))
#define __builtin_pulp_shuffleh(a, m) ((v2s)PULP_2_(pv_shuffle_h, a, m))
#define __builtin_pulp_add4(a, b)     ((v4s)PULP_2_(pv_add_b, a, b))
#define __builtin_pulp_sub4(a, b)     ((v4s)PULP_2_(pv_sub_b, a, b))
#define __builtin_pulp_max4(a, b)     ((v4s)PULP_2_(pv_max_b, a, b))
#define __builtin_pulp_maxu4(a, b)    ((v4u)PULP_2_(pv_maxu_b, a, b))
#define __builtin_pulp_min4(a, b)     ((v4s)PULP_2_(pv_min_b, a, b))
#define __builtin_pulp_minu4(a, b)    ((v4u)PULP_2_(pv_minu_b, a, b))
#define __builtin_pulp_avg4(a, b)     ((v4s)PULP_2_(pv_avg_b, a, b))
#define __builtin_pulp_avgu4(a, b)    ((v4u)PULP_2_(pv_avgu_b, a, b))
#define __builtin_pulp_add2(a, b)     ((v2s)PULP_2_(pv_add_h, a, b))
#define __builtin_pulp_sub2(a, b)     ((v2s)PULP_2_(pv_sub_h, a, b))
#define __builtin_pulp_max2(a, b)     ((v2s)PULP_2_(pv_max_h, a, b))
#define __builtin_pulp_maxu2(a, b)    ((v2u)PULP_2_(pv_maxu_h, a, b))
#define __builtin_pulp_min2(a, b)     ((v2s)PULP_2_(pv_min_h, a, b))
#define __builtin_pulp_minu2(a, b)    ((v2u)PULP_2_(pv_minu_h, a, b))
#define __builtin_pulp_avg2(a, b)     ((v2s)PULP_2_(pv_avg_h, a, b))
#define __builtin_pulp_avgu2(a, b)    ((v2u)PULP_2_(pv_avgu_h, a, b))
#define __builtin_pulp_max8(a, b)     PULP_2_(pv_max_n, a, b)
#define __builtin_pulp_maxu8(a, b)    PULP_2_(pv_maxu_n, a, b)
#define __builtin_pulp_min8(a, b)     PULP_2_(pv_min_n, a, b)
#define __builtin_pulp_minu8(a, b)    PULP_2_(pv_minu_n, a, b)
#define __builtin_pulp_avgu8(a, b)    PULP_2_(pv_avgu_n, a, b)
#define __builtin_pulp_max16(a, b)    PULP_2_(pv_max_c, a, b)
#define __builtin_pulp_maxu16(a, b)   PULP_2_(pv_maxu_c, a, b)
#define __builtin_pulp_min16(a, b)    PULP_2_(pv_min_c, a, b)
#define __builtin_pulp_minu16(a, b)   PULP_2_(pv_minu_c, a, b)
#define __builtin_pulp_avgu16(a, b)   PULP_2_(pv_avgu_c, a, b)

// The machine.
#define PULP_CSR_(number)                                                                          \
  __extension__({                                                                                  \
    uint32_t value_;                                                                               \
    __asm__ volatile("csrr %0, %1" : "=r"(value_) : "i"(number));                                  \
    value_;                                                                                        \
  })
#define __builtin_pulp_CoreId()         (PULP_CSR_(0xf14) & 31)
#define __builtin_pulp_ClusterId()      (PULP_CSR_(0xf14) >> 5 & 63)
#define __builtin_pulp_spr_read(number) PULP_CSR_(number)
#define __builtin_pulp_spr_write(number, value)                                                    \
  __asm__ volatile("csrw %0, %1" ::"i"(number), "r"(value))
#define __builtin_pulp_OffsetedRead(base, offset) (*(volatile int *)((uintptr_t)(base) + (offset)))
#define __builtin_pulp_OffsetedWrite(value, base, offset)                                          \
  (*(volatile int *)((uintptr_t)(base) + (offset)) = (int)(value))

#define __builtin_pulp_spr_read_then_clr(number, bits)                                             \
  __extension__({                                                                                  \
    uint32_t value_;                                                                               \
    __asm__ volatile("csrrc %0, %1, %2" : "=r"(value_) : "i"(number), "r"(bits));                  \
    value_;                                                                                        \
  })
#define __builtin_pulp_spr_read_then_set(number, bits)                                             \
  __extension__({                                                                                  \
    uint32_t value_;                                                                               \
    __asm__ volatile("csrrs %0, %1, %2" : "=r"(value_) : "i"(number), "r"(bits));                  \
    value_;                                                                                        \
  })
#define __builtin_pulp_event_unit_read(base, offset)                                               \
  ((int)p_elw((void *)((uintptr_t)(base) + (offset)), 0))
#define __builtin_pulp_event_unit_read_fenced __builtin_pulp_event_unit_read

#endif
