// kernels/compat/pulp_builtins.h: the PULP compiler's builtins and vector types, for the stock one.
//
// Each is the instruction of the same meaning (xpulp.h); those that follow from the rows of isa/
// are made of them (pulp_builtins.inc). A vector of four bytes or two halves and an integer are the
// same register here as there: compile with -flax-vector-conversions. Of builtins whose immediates
// may be variables that only optimization makes constants, the general form is computed. Names and
// operands: pulp_builtins.def of pulp-riscv-gcc. Not there: Viterbi, and 16-bit floats.
#ifndef COMPAT_PULP_BUILTINS_H
#define COMPAT_PULP_BUILTINS_H

#include <stdint.h>

#include "xpulp.h"

typedef signed short v2s __attribute__((vector_size(4)));
typedef unsigned short v2u __attribute__((vector_size(4)));
typedef signed char v4s __attribute__((vector_size(4)));
typedef unsigned char v4u __attribute__((vector_size(4)));

// 16-bit floats: storage alone, which the compiler says wherever they are used.
typedef unsigned short float16alt
    __attribute__((deprecated("this compiler has no 16-bit floats: it computes with integers")));
typedef unsigned short float16
    __attribute__((deprecated("this compiler has no 16-bit floats: it computes with integers")));

#define PULP_REGISTER_(x)          ((uint32_t)(x))
#define PULP_2_(name, a, b)        name(PULP_REGISTER_(a), PULP_REGISTER_(b))
#define PULP_SUM_(name, a, b, sum) name((int32_t)(sum), PULP_REGISTER_(a), PULP_REGISTER_(b))

// The word of mac&load's immediate: b's register, a's, and which of them takes the next word.
#define PULP_NN_(a_update, b_update, a, b)                                                         \
  ((b) + 2 * (a) + 8 * ((b_update) != 0) + 16 * ((a_update) != 0))

#include "pulp_builtins.inc"

// Mac&load: the instruction moves the pointer itself, so that its new value is there already; the
// first words are loaded by sums that nobody reads.
#define __builtin_pulp_mlinitspr_v3(a_update, b_update, a, b, pointer)                             \
  __extension__({                                                                                  \
    __typeof__(pointer) pulp_pointer_ = (pointer);                                                 \
    (void)pv_mlsdotup_h(0, pulp_pointer_, PULP_NN_(a_update, b_update, a, b));                     \
    pulp_pointer_;                                                                                 \
  })
#define __builtin_pulp_mlupdatespr_v3(pointer) (pointer)
#define __builtin_pulp_mlassignspr_v3(pointer) (pointer)

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
#define __builtin_pulp_bset(x, mask)         ((int32_t)(PULP_REGISTER_(x) | (uint32_t)(mask)))
#define __builtin_pulp_bclr(x, mask)         ((int32_t)(PULP_REGISTER_(x) & (uint32_t)(mask)))
#define __builtin_pulp_bset_r(x, field)      PULP_2_(p_bsetr, x, field) // field: size-1 << 5 | offset
#define __builtin_pulp_bclr_r(x, field)      PULP_2_(p_bclrr, x, field)
#define __builtin_pulp_bextract_r(x, field)  PULP_2_(p_extractr, x, field)
#define __builtin_pulp_bextractu_r(x, field) PULP_2_(p_extractur, x, field)
#define __builtin_pulp_binsert_r(to, from, field)                                                  \
  p_insertr((int32_t)(to), PULP_REGISTER_(from), PULP_REGISTER_(field))
#define __builtin_pulp_parity(x)         (p_cnt(PULP_REGISTER_(x)) & 1)
#define __builtin_pulp_trunch(x)         ((int16_t)(x))
#define __builtin_pulp_truncb(x)         ((int8_t)(x))
#define __builtin_pulp_muls(a, b)        PULP_2_(p_muls, a, b)
#define __builtin_pulp_mulu(a, b)        PULP_2_(p_mulu, a, b)
#define __builtin_pulp_mulhhs(a, b)      PULP_2_(p_mulhhs, a, b)
#define __builtin_pulp_mulhhu(a, b)      PULP_2_(p_mulhhu, a, b)
#define __builtin_pulp_macs(a, b, sum)   PULP_SUM_(p_macs, a, b, sum)
#define __builtin_pulp_macu(a, b, sum)   PULP_SUM_(p_macu, a, b, sum)
#define __builtin_pulp_machhs(a, b, sum) PULP_SUM_(p_machhs, a, b, sum)
#define __builtin_pulp_machhu(a, b, sum) PULP_SUM_(p_machhu, a, b, sum)
#define __builtin_pulp_nop()             __asm__ volatile("nop")

// Vectors.
#define __builtin_pulp_pack4(x, y, z, t)                                                           \
  ((v4s){(signed char)(x), (signed char)(y), (signed char)(z), (signed char)(t)})
#define __builtin_pulp_pack2(x, y)    ((v2s){(short)(x), (short)(y)})
#define __builtin_pulp_shuffleb(a, m) ((v4s)PULP_2_(pv_shuffle_b, a, m))
#define __builtin_pulp_shuffleh(a, m) ((v2s)PULP_2_(pv_shuffle_h, a, m))
// Lanes of a where the mask's bit 2 (halves: 1) is clear, of b where it is set.
#define __builtin_pulp_shuffle4b(a, b, m)                                                          \
  ((v4s)pv_shuffle2_b((int32_t)PULP_REGISTER_(a), PULP_REGISTER_(b), PULP_REGISTER_(m)))
#define __builtin_pulp_shuffle2h(a, b, m)                                                          \
  ((v2s)pv_shuffle2_h((int32_t)PULP_REGISTER_(a), PULP_REGISTER_(b), PULP_REGISTER_(m)))
#define __builtin_pulp_neg2(a)         ((v2s) - (v2s)PULP_REGISTER_(a))
#define __builtin_pulp_neg4(a)         ((v4s) - (v4s)PULP_REGISTER_(a))
#define __builtin_pulp_cplx_conj(a)    ((v2s)pv_cplxconj_h(PULP_REGISTER_(a)))
#define __builtin_pulp_sub2rotmj(a, b) ((v2s)PULP_2_(pv_subrotmj_h, a, b))
#define __builtin_pulp_add2div2(a, b)  ((v2s)PULP_2_(pv_add_h_div2, a, b))
#define __builtin_pulp_add2div4(a, b)  ((v2s)PULP_2_(pv_add_h_div4, a, b))
#define __builtin_pulp_sub2div2(a, b)  ((v2s)PULP_2_(pv_sub_h_div2, a, b))
#define __builtin_pulp_sub2div4(a, b)  ((v2s)PULP_2_(pv_sub_h_div4, a, b))

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
