# kernels/own.mk: a program of your own, from files anywhere: make kernel FILE=dot.c makes
# $(KDIR)/dot.elf; with FILE="dot.c part.cpp loop.S" all are linked. KCFLAGS+=-DN=4 adds options of
# the compiler; warnings of your files are no errors. Included by the top Makefile behind kernels.mk and
# examples.mk.
.PHONY: kernel
ifneq ($(FILE),)
KOWN := $(basename $(notdir $(firstword $(FILE))))
ifneq ($(filter $(KOWN),$(KPROGRAMS) $(KEXAMPLE_NAMES)),)
$(error $(KOWN).elf is a program of this project: give the file another name)
endif
ifneq ($(filter-out %.c %.cpp %.S,$(FILE)),)
$(error FILE: '$(filter-out %.c %.cpp %.S,$(FILE))' is neither a .c nor a .cpp nor a .S file)
endif
ifneq ($(filter-out $(wildcard $(FILE)),$(FILE)),)
$(error FILE: there is no file '$(filter-out $(wildcard $(FILE)),$(FILE))')
endif
KOWN_CFLAGS := $(filter-out -Werror -Wshadow -Wmissing-prototypes,$(KCFLAGS))
KOWN_CXXFLAGS := -x c++ -std=gnu++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
                 $(filter-out -x -std=% -Wstrict-prototypes,$(KOWN_CFLAGS))
$(KDIR)/own/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(KFLAGS_TEXT) $(KUSER)' | cmp -s - $@ || echo '$(KFLAGS_TEXT) $(KUSER)' > $@
# The name holds the whole path: files of one name in two places are two.
kown_object = $(KDIR)/own/$(subst /,-,$(1)).o
define KOWN_OBJECT
$(call kown_object,$(1)): $(1) $(KDIR)/own/flags | $(GEN)/xpulp.h $(GEN)/xpulp.S.h
	@mkdir -p $$(@D)
	$$(call say,KCC,$$<)
	$$(Q)$$(KCC) $$(KCPPFLAGS) $$(if $$(filter %.cpp,$$<),$$(KOWN_CXXFLAGS),$$(KOWN_CFLAGS)) $$(KUSER) -MMD -MP -c -o $$@ $$<
endef
$(foreach file,$(FILE),$(eval $(call KOWN_OBJECT,$(file))))
KOWN_OBJS := $(foreach file,$(FILE),$(call kown_object,$(file)))
$(KDIR)/$(KOWN).elf: $(KOWN_OBJS) $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)
kernel: $(KDIR)/$(KOWN).elf
-include $(KOWN_OBJS:.o=.d)
else
kernel:
	@echo 'make kernel: say which file: make kernel FILE=dot.c, or FILE="dot.c loop.S"' >&2; exit 64
endif
