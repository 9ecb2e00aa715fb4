// tests/isa/isa_aliases.c: the names that objdump prints by default (GNU binutils 2.40).
//
// One difference is meant: of c.addi, c.slli and their like objdump 2.40 says "add a0,a0,1", later
// ones, as here, "addi".
#include <check.h>

#include "isa/isa.h"

Suite *isa_aliases_suite(void);

static const struct {
  uint32_t pc, word;
  const char *text;
} cases[] = {
    {0x00, 0x00000013, "nop"},
    {0x04, 0xffb00513, "li a0,-5"},
    {0x08, 0x00060593, "mv a1,a2"},
    {0x0c, 0xfff5c513, "not a0,a1"},
    {0x10, 0x40b00533, "neg a0,a1"},
    {0x14, 0x0015b513, "seqz a0,a1"},
    {0x18, 0x00b03533, "snez a0,a1"},
    {0x1c, 0x0005a533, "sltz a0,a1"},
    {0x20, 0x00b02533, "sgtz a0,a1"},
    {0x24, 0x00050463, "beqz a0,2c"},
    {0x28, 0x00051463, "bnez a0,30"},
    {0x2c, 0x00a05463, "blez a0,34"},
    {0x30, 0x00055463, "bgez a0,38"},
    {0x34, 0x00054463, "bltz a0,3c"},
    {0x38, 0x00a04463, "bgtz a0,40"},
    {0x3c, 0x0080006f, "j 44"},
    {0x40, 0x008000ef, "jal 48"},
    {0x44, 0x008002ef, "jal t0,4c"},
    {0x48, 0x00008067, "ret"},
    {0x4c, 0x00050067, "jr a0"},
    {0x50, 0x000500e7, "jalr a0"},
    {0x54, 0x00450067, "jr 4(a0)"},
    {0x58, 0x004500e7, "jalr 4(a0)"},
    {0x5c, 0x004502e7, "jalr t0,4(a0)"},
    {0x60, 0x34102573, "csrr a0,mepc"},
    {0x64, 0x34151073, "csrw mepc,a0"},
    {0x68, 0x34152073, "csrs mepc,a0"},
    {0x6c, 0x34153073, "csrc mepc,a0"},
    {0x70, 0x3411d073, "csrw mepc,3"},
    {0x74, 0x3411e073, "csrs mepc,3"},
    {0x78, 0x3411f073, "csrc mepc,3"},
    {0x7c, 0x34159573, "csrrw a0,mepc,a1"},
    {0x80, 0x0ff0000f, "fence"},
    {0x84, 0x0210000f, "fence r,w"},
    {0x88, 0x20b58553, "fmv.s fa0,fa1"},
    {0x8c, 0x20b5a553, "fabs.s fa0,fa1"},
    {0x90, 0x20b59553, "fneg.s fa0,fa1"},
    {0x94, 0x20c58553, "fsgnj.s fa0,fa1,fa2"},
    {0x98, 0x00c58533, "add a0,a1,a2"},
    {0x9c, 0x40c58533, "sub a0,a1,a2"},
    {0xa0, 0x0001, "nop"},
    {0xa2, 0x450d, "li a0,3"},
    {0xa4, 0x852e, "mv a0,a1"},
    {0xa6, 0x8082, "ret"},
    {0xa8, 0x8502, "jr a0"},
    {0xaa, 0x9502, "jalr a0"},
    {0xac, 0xa021, "j b4"},
    {0xae, 0xc501, "beqz a0,b6"},
    {0xb0, 0x41c8, "lw a0,4(a1)"},
    {0xb2, 0x0505, "addi a0,a0,1"},
    {0xb4, 0x6105, "addi sp,sp,32"},
    {0xb6, 0x0028, "addi a0,sp,8"},
    {0xb8, 0x9002, "ebreak"},
    {0xba, 0xe1c8, "fsw fa0,4(a1)"},
    {0xbc, 0x6515, "lui a0,0x5"},
    {0xbe, 0x050e, "slli a0,a0,0x3"},
    {0xc0, 0x952e, "add a0,a0,a1"},
    {0xc2, 0x8d6d, "and a0,a0,a1"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

START_TEST(as_objdump) {
  struct isa_decoder *d =
      isa_decoder_new(ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_RV32F) |
                          ISA_BIT(ISA_RV32CF) | ISA_BIT(ISA_ZICSR),
                      false);
  struct isa_insn insn;
  char text[64];
  ck_assert(isa_decode(d, cases[_i].word, &insn));
  isa_disassemble_alias(&insn, cases[_i].pc, text, sizeof text);
  ck_assert_str_eq(text, cases[_i].text);
  isa_decoder_free(d);
}
END_TEST

Suite *isa_aliases_suite(void) {
  Suite *s = suite_create("isa_aliases");
  TCase *c = tcase_create("aliases");
  tcase_add_loop_test(c, as_objdump, 0, CASES);
  suite_add_tcase(s, c);
  return s;
}
