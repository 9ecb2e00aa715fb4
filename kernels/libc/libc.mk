# kernels/libc/libc.mk: what links ordinary C and C++ programs: make libc. Included by the top
# Makefile behind kernels.mk.
LIBC      := $(KDIR)/libc
PICOLIBC  ?= /usr/lib/picolibc/riscv64-unknown-elf
LIBC_ABIS := ilp32f ilp32
LIBC_SRCS := $(filter-out %/string.c,$(KSRCS_RT)) $(wildcard kernels/libc/*.c kernels/libc/*.S kernels/compat/*.c) \
             $(filter-out %/crt0.S,$(wildcard kernels/rt/*.S))
LIBC_CC   := riscv64-unknown-elf-gcc
LIBC_CXX  := riscv64-unknown-elf-g++
LIBC_FLAGS = -isystem $(PICOLIBC)/include -I. -I$(GEN) -Ikernels/compat -DRT_LIBC -std=gnu17 -O2 -g -fno-common \
             -ffunction-sections -fdata-sections -msmall-data-limit=0 -ftls-model=local-exec -Wall -Wextra \
             -Wshadow -Werror
libc_gcc   = $(shell $(LIBC_CC) -march=rv32im$(if $(filter ilp32f,$(1)),f) -mabi=$(1) -print-libgcc-file-name)

.PHONY: libc libc-there
libc: $(LIBC)/pulpsim.specs
libc-there:
	@[ -e '$(PICOLIBC)/include' ] || { echo "make libc: there is no C library in $(PICOLIBC): install the package" \
	  "picolibc-riscv64-unknown-elf" >&2; exit 1; }

define LIBC_RULES
$(LIBC)/$(1)/%.o: kernels/% $(KDIR)/flags | $(GEN)/xpulp.h libc-there
	@mkdir -p $$(@D)
	$$(call say,KCC,$$@)
	$$(Q)$$(CCACHE) $(LIBC_CC) -march=rv32im$(if $(filter ilp32f,$(1)),f)c_zicsr -mabi=$(1) $$(LIBC_FLAGS) \
	    -MMD -MP -c -o $$@ $$<
$(LIBC)/$(1)/crt0.o: $(LIBC)/$(1)/rt/crt0.S.o
	$$(Q)cp $$< $$@
$(LIBC)/$(1)/libstdc++.a: kernels/libc/cxx.cpp $(KDIR)/flags
	@mkdir -p $$(@D)
	$$(call say,KCC,$$@)
	$$(Q)$(LIBC_CXX) -march=rv32im$(if $(filter ilp32f,$(1)),f)c_zicsr -mabi=$(1) -isystem $(PICOLIBC)/include -O2 -g \
	    -fno-exceptions -fno-rtti -ffunction-sections -Wall -Wextra -Werror -c -o $$(@:.a=.o) $$<
	$$(Q)rm -f $$@ && riscv64-unknown-elf-ar rcs $$@ $$(@:.a=.o)
$(LIBC)/$(1)/libpulpsim-c.a: kernels/libc/libc.mk $(patsubst kernels/%,$(LIBC)/$(1)/%.o,$(LIBC_SRCS))
	$$(call say,KAR,$$@)
	$$(Q)rm -f $$@ && riscv64-unknown-elf-ar rcs $$@ $$(filter %.o,$$^)
endef
$(foreach abi,$(LIBC_ABIS),$(eval $(call LIBC_RULES,$(abi))))

$(LIBC)/pulpsim.ld: kernels/libc/pulpsim.ld
	@mkdir -p $(@D)
	$(Q)cp $< $@
# Names every library by its file: the compiler's own search finds those of another machine.
$(LIBC)/pulpsim.specs: kernels/libc/pulpsim.specs.in $(LIBC)/pulpsim.ld \
    $(foreach abi,$(LIBC_ABIS),$(LIBC)/$(abi)/libpulpsim-c.a $(LIBC)/$(abi)/libstdc++.a $(LIBC)/$(abi)/crt0.o)
	$(call say,GEN,$@)
	$(Q)sed -e '/^#/d' -e 's|@LIB@|$(abspath $(LIBC))|g' -e 's|@PICOLIBC@|$(PICOLIBC)|g' \
	    -e 's|@INCLUDE@|$(CURDIR) -isystem $(CURDIR)/kernels/compat -isystem $(abspath $(GEN))|g' \
	    -e 's|@LIBGCC_SOFT@|$(call libc_gcc,ilp32)|g' -e 's|@LIBGCC_HARD@|$(call libc_gcc,ilp32f)|g' $< > $@
# The kernels for programs that have the runtime with the C library: -lkernels.
$(LIBC)/ilp32f/libkernels.a: $(filter-out $(KDIR)/obj/rt/%,$(KLIB_OBJS))
	$(call say,KAR,$@)
	$(Q)rm -f $@ && $(KAR) rcs $@ $^
ifneq ($(KFLOATS),)
libc: $(LIBC)/ilp32f/libkernels.a
endif
# What the suite libc runs.
ifeq ($(KMACHINE),)
$(BUILD)/tests/check: | $(if $(MUTATE),,$(LIBC)/pulpsim.specs $(LIBC)/ilp32f/libkernels.a)
endif
-include $(shell find $(LIBC) -name '*.d' 2>/dev/null)
