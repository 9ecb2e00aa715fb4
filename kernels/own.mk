# kernels/own.mk: a program of your own, from files anywhere: make kernel FILE=dot.c makes
# $(KDIR)/dot.elf; with FILE="dot.c loop.S" both are linked. Included by the top Makefile behind
# kernels.mk and examples.mk.
.PHONY: kernel
ifneq ($(FILE),)
KOWN := $(basename $(notdir $(firstword $(FILE))))
ifneq ($(filter $(KOWN),$(KPROGRAMS) $(KEXAMPLE_NAMES)),)
$(error $(KOWN).elf is a program of this project: give the file another name)
endif
ifneq ($(filter-out %.c %.S,$(FILE)),)
$(error FILE: '$(filter-out %.c %.S,$(FILE))' is neither a .c nor a .S file)
endif
define KOWN_OBJECT
$(KDIR)/own/$(notdir $(1)).o: $(1) $(KDIR)/flags | $(GEN)/xpulp.h $(GEN)/xpulp.S.h
	@mkdir -p $$(@D)
	$$(call say,KCC,$$<)
	$$(Q)$$(KCC) $$(KCPPFLAGS) $$(KCFLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach file,$(FILE),$(eval $(call KOWN_OBJECT,$(file))))
KOWN_OBJS := $(patsubst %,$(KDIR)/own/%.o,$(notdir $(FILE)))
$(KDIR)/$(KOWN).elf: $(KOWN_OBJS) $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)
kernel: $(KDIR)/$(KOWN).elf
-include $(KOWN_OBJS:.o=.d)
else
kernel:
	@echo 'make kernel: say which file: make kernel FILE=dot.c, or FILE="dot.c loop.S"' >&2; exit 64
endif
