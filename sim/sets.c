#include "sim/sets.h"

static const struct set_setting settings[] = {
    {ISA_RV32F, "core.fpu.present=true"},  {ISA_RV32CF, "core.fpu.present=true"},
    {ISA_XPULPNN, "core.xpulpnn=true"},    {ISA_XPULPV2, "core.isa=xpulpv2"},
    {ISA_COREV, "core.isa=corev"},         {ISA_XF16, "core.smallfloat=true"},
    {ISA_XF16ALT, "core.smallfloat=true"}, {ISA_XFVEC, "core.smallfloat=true"},
};

uint32_t sets_enabled(const struct pulpsim_config *k) {
  uint32_t sets = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) |
                  ISA_BIT(ISA_ZICSR) | ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV);
  bool corev = k->core_isa == CONFIG_ISA_COREV ||
               (k->core_isa == CONFIG_ISA_AUTO && k->core_model == CONFIG_MODEL_CV32E40P);
  sets |= corev ? ISA_BIT(ISA_COREV) : ISA_BIT(ISA_XPULPV2);
  if (k->core_fpu_present) {
    sets |= ISA_BIT(ISA_RV32F);
    if (!k->core_zfinx)
      sets |= ISA_BIT(ISA_RV32CF);
  }
  if (k->core_smallfloat)
    sets |= ISA_BIT(ISA_XF16) | ISA_BIT(ISA_XF16ALT) | ISA_BIT(ISA_XFVEC);
  if (k->core_xpulpnn)
    sets |= ISA_BIT(ISA_XPULPNN);
  return sets;
}

const struct set_setting *sets_elsewhere(const struct pulpsim_config *config, uint32_t word,
                                         uint32_t pc, char *text, size_t size) {
  uint32_t here = sets_enabled(config);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    struct isa_insn insn;
    if (here & ISA_BIT(settings[i].set))
      continue;
    struct isa_decoder *decoder = isa_decoder_new(ISA_BIT(settings[i].set), config->core_zfinx);
    bool known = decoder && isa_decode(decoder, word, &insn);
    isa_decoder_free(decoder);
    if (!known)
      continue;
    isa_disassemble(&insn, pc, text, size);
    return &settings[i];
  }
  return NULL;
}
