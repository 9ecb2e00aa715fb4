# kernels/kernels.mk: the programs for the simulated machine, and the kernels compiled for the host.
# Included by the top Makefile; uses its BUILD, GEN, TOOLCHAIN, Q and say.
#
# All kernels go into one library, $(BUILD)/kernels/libkernels.a; the programs are listed in
# kernels/bench/list.txt. `make kernels` builds them, `make $(BUILD)/kernels/NAME.elf` one;
# own.mk builds programs that are not in the list.

# KMACHINE: the chip to compile for, where it is not as pulp-open: gap8, mrwolf or vega. Programs go
# to $(BUILD)/kernels-KMACHINE; those that need float registers are left out where there are none.
KMACHINE ?=
ifneq ($(filter-out gap8 mrwolf vega,$(KMACHINE)),)
$(error KMACHINE is '$(KMACHINE)': choose gap8, mrwolf or vega, or leave it out)
endif

KDIR  := $(BUILD)/kernels$(if $(KMACHINE),-$(KMACHINE))
KLIST := kernels/bench/list.txt

# KISA: encoding of the PULP instructions, xpulpv2 or corev (run those with --set core.isa=corev).
KISA ?= xpulpv2

# KDEBUG=1: operators end the program where they would refuse a shape (kernels/status.h).
KDEBUG ?= 0

# ------------------------------------------------------------------- compiler

# gap8 has no floats, vega has them in the integer registers; gap8 and mrwolf have the DMA's version 6.
KFLOATS := $(if $(filter gap8 vega,$(KMACHINE)),,f)
KARCH := -march=rv32im$(KFLOATS)c_zicsr$(if $(filter vega,$(KMACHINE)),_zfinx) -mabi=ilp32$(KFLOATS)
ifeq ($(TOOLCHAIN),llvm)
KCC := $(CCACHE) clang-19 --target=riscv32-unknown-elf $(KARCH) -mno-relax
KLD := clang-19 --target=riscv32-unknown-elf $(KARCH) --ld-path=$(shell command -v ld.lld-19)
KAR := $(shell command -v llvm-ar-19 || echo ar)
else ifeq ($(TOOLCHAIN),gnu)
KCC := $(CCACHE) riscv64-unknown-elf-gcc $(KARCH)
KLD := riscv64-unknown-elf-gcc $(KARCH)
KAR := riscv64-unknown-elf-ar
else
$(error TOOLCHAIN is '$(TOOLCHAIN)': choose gnu or llvm)
endif

# For 64-bit division and the like, should a program use it: the compiler's own library. The
# multilib of rv32imf serves rv32imfc.
KLIBGCC = $(shell riscv64-unknown-elf-gcc -march=rv32im$(KFLOATS)$(if $(KFLOATS),,c) -mabi=ilp32$(KFLOATS) \
            -print-libgcc-file-name)

# No C library and no small-data area (crt0.S sets up no gp).
KCPPFLAGS := -I. -I$(GEN) $(if $(filter corev,$(KISA)),-DXPULP_COREV) $(if $(filter 1,$(KDEBUG)),-DKERNEL_DEBUG) \
             $(if $(filter gap8 mrwolf,$(KMACHINE)),-DRT_DMA_VERSION=6)
# Those of the command line (make kernel KCFLAGS+=-DN=4) are for programs of your own: own.mk.
KUSER     := $(if $(findstring command,$(origin KCFLAGS)),$(KCFLAGS))
override KCFLAGS := -std=gnu17 -O3 -g -ffreestanding -fno-common -ffunction-sections -fdata-sections \
             -msmall-data-limit=0 -ffp-contract=off -fno-math-errno -Wall -Wextra -Wshadow -Wstrict-prototypes \
             -Wmissing-prototypes $(if $(MUTATE),,-Werror)
KLDFLAGS  := -nostdlib -static -Wl,-T,kernels/rt/link.ld -Wl,--gc-sections -Wl,--build-id=none

# ------------------------------------------------------------------- files

KSRCS_RT   := $(filter-out %/rt_host.c,$(wildcard kernels/rt/*.c))
KSRCS      := $(wildcard kernels/mm/*.c kernels/nn/*.c kernels/train/*.c kernels/vec/*.c \
                kernels/ref/*.c kernels/tile/*.c)
KSRCS_ASM  := $(wildcard kernels/rt/*.S kernels/mm/*.S kernels/nn/*.S kernels/train/*.S \
                kernels/vec/*.S kernels/data/*.S)
KPROGRAMS  := $(shell sed -e 's/\#.*//' -e '/^ *$$/d' $(KLIST) | cut -d' ' -f1)
ifneq ($(KMACHINE),) # none of them has XpulpNN, or 16-bit floats
KPROGRAMS  := $(filter-out %_nn mmt_f16% mmt_bf16% train_%,$(KPROGRAMS))
endif
KLIB_SRCS  := $(sort $(KSRCS_RT) $(KSRCS) $(KSRCS_ASM))
ifeq ($(KFLOATS),)
KPROGRAMS  := $(filter-out mm_f32_% mm_any mmt_% speed_mm_f32,$(KPROGRAMS))
KLIB_SRCS  := $(filter-out kernels/mm/mm_f32% kernels/mm/mmt_% kernels/train/% kernels/ref/ref_train%,$(KLIB_SRCS))
endif
KLIB_OBJS  := $(patsubst kernels/%,$(KDIR)/obj/%.o,$(KLIB_SRCS))
KELFS      := $(patsubst %,$(KDIR)/%.elf,$(KPROGRAMS))

# A source that is no more, in the dependency file of an older build, must not stop make.
kernels/bench/%.c: ;

# The tests' own programs: a grid of shapes each (tests/kernels/grid.h).
KGRIDS    := $(patsubst tests/kernels/grid_%.c,%,$(wildcard tests/kernels/grid_*.c))
KGRID_ELFS := $(patsubst %,$(KDIR)/test/grid_%.elf,$(KGRIDS))
KTEST_MAINS := $(patsubst tests/kernels/target/%_main.c,$(KDIR)/test/%.elf,\
                 $(filter-out %/grid_main.c,$(wildcard tests/kernels/target/*_main.c)))
KTESTS    := $(KGRID_ELFS) $(KTEST_MAINS) $(KDIR)/test/first_kernel.elf

# What the tests need of the kernels on the host: the same sources, rt_host.c for rt.c.
HOST_KERNEL_OBJS := $(call objects,$(KSRCS) kernels/rt/rt_host.c)

# ------------------------------------------------------------------- rules

# Changes when the way of compiling does: everything depends on it.
KFLAGS_TEXT := $(KCC) $(KCPPFLAGS) $(KCFLAGS) $(KLDFLAGS)
$(KDIR)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(KFLAGS_TEXT)' | cmp -s - $@ || echo '$(KFLAGS_TEXT)' > $@

# What is printed is not measured: small.
$(patsubst %,$(KDIR)/obj/rt/%.c.o,printf printf_float decimal): override KCFLAGS += -Os
# What stands between the strips of a convolution runs cold: smaller is faster.
$(patsubst %,$(KDIR)/obj/nn/nn_%.c.o,conv2d im2col im2col_27 mixed mixed_plan): override KCFLAGS += -O2
# Nor does a network's program grow by loops that its layers seldom take.
$(KDIR)/obj/tile/%.o $(patsubst %,$(KDIR)/obj/nn/nn_%.c.o,pool act): override KCFLAGS += -O2
$(patsubst %,$(KDIR)/obj/nn/nn_%.c.o,depthwise linear dw_quad dw_filter planes channel requant_i32): override KCFLAGS += -O2
# A call of a training step is short: a line fetched for half an instruction costs it as much as any, and
# so does a check taken out of line.
KSHORT := -falign-functions=16 $(if $(filter gnu,$(TOOLCHAIN)),-fno-partial-inlining)
$(KDIR)/obj/mm/mmt_%.o $(KDIR)/obj/train/%.o $(KDIR)/obj/mmt_%.o $(KDIR)/obj/train_%.o: override KCFLAGS += $(KSHORT)
# Its loops keep all float registers busy: scheduling for the pipeline before registers are given would spill.
$(KDIR)/obj/train/train_linear_product.c.o: override KCFLAGS += -fno-schedule-insns
# What a call runs once: fewer registers to save.
$(KDIR)/obj/train/train_depthwise_edges.c.o: override KCFLAGS += -fno-schedule-insns
# What runs between tiles is cold, too.
$(KDIR)/obj/train/train_tile%.o $(KDIR)/obj/train/train_net%.o $(KDIR)/obj/train/train_stream%.o: override KCFLAGS += -O2
$(KDIR)/obj/%.o: kernels/% $(KDIR)/flags | $(GEN)/xpulp.h $(GEN)/xpulp.S.h
	@mkdir -p $(@D)
	$(call say,KCC,$<)
	$(Q)$(KCC) $(KCPPFLAGS) $(KCFLAGS) -MMD -MP -c -o $@ $<

# A program's own line of the list: a file that changes when the line does.
$(KDIR)/obj/%.line: $(KLIST)
	@mkdir -p $(@D)
	@sed -n 's/^$* \+//p' $< | cmp -s - $@ || sed -n 's/^$* \+//p' $< > $@

# $(call kline,NAME,FIELD): fields of the list: 1 source, 2 machine, 3 cores, 4- options, of which
# -D... go to the compiler and -Wl,... to the linker.
kline = $(shell sed -n 's/^$(1) \+//p' $(KLIST) | tr -s ' ' | cut -d' ' -f$(2))

define KPROGRAM
$(KDIR)/obj/$(1).o: kernels/bench/$(call kline,$(1),1).c $(KDIR)/obj/$(1).line $(KDIR)/flags \
    | $(GEN)/xpulp.h
	$$(call say,KCC,$$@)
	$$(Q)$$(KCC) $$(KCPPFLAGS) $$(KCFLAGS) $(filter -D%,$(call kline,$(1),4-)) -MMD -MP -c -o $$@ $$<
endef
$(foreach program,$(KPROGRAMS),$(eval $(call KPROGRAM,$(program))))

$(KDIR)/obj/tests/%.o: tests/kernels/%.c $(KDIR)/flags | $(GEN)/xpulp.h
	@mkdir -p $(@D)
	$(call say,KCC,$<)
	$(Q)$(KCC) $(KCPPFLAGS) $(KCFLAGS) -MMD -MP -c -o $@ $<

$(KDIR)/obj/test/%.o: tests/kernels/target/grid_main.c $(KDIR)/flags
	@mkdir -p $(@D)
	$(call say,KCC,$@)
	$(Q)$(KCC) $(KCPPFLAGS) $(KCFLAGS) -DGRID_NAME=$(patsubst grid_%,%,$*) -MMD -MP -c -o $@ $<

$(KDIR)/test/nn_variants.elf: $(patsubst %,$(KDIR)/obj/tests/%.o,grid grid_conv2d grid_nn_mixed \
    grid_nn_depthwise grid_nn_map)
$(KDIR)/test/nn_variants.elf: KSTACK := -Wl,--defsym=rt_stack_size=1280
$(KDIR)/test/xpulpnn.elf: $(KDIR)/obj/tests/grid.o $(KDIR)/obj/tests/grid_nn_mixed.o
$(KTEST_MAINS): $(KDIR)/test/%.elf: $(KDIR)/obj/tests/target/%_main.o $(KDIR)/libkernels.a \
    kernels/rt/link.ld
	$(KLINK)

# The program that docs/first-kernel.md prints, as it is printed there.
$(KDIR)/test/first_kernel.c: docs/first-kernel.md
	@mkdir -p $(@D)
	@sed -e '1,/^```c$$/d' -e '/^```$$/,$$d' $< > $@
$(KDIR)/obj/test/first_kernel.o: $(KDIR)/test/first_kernel.c $(KDIR)/flags | $(GEN)/xpulp.h
	@mkdir -p $(@D)
	$(call say,KCC,$<)
	$(Q)$(KCC) $(KCPPFLAGS) $(KCFLAGS) -c -o $@ $<
$(KDIR)/test/first_kernel.elf: $(KDIR)/obj/test/first_kernel.o $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

$(KDIR)/libkernels.a: $(KLIB_OBJS)
	$(call say,KAR,$@)
	$(Q)rm -f $@ && $(KAR) rcs $@ $^

# A program's --defsym must come before the linker script that asks for it.
define KLINK
	@mkdir -p $(@D)
	$(call say,KLD,$@)
	$(Q)$(KLD) $(filter -Wl%,$(call kline,$(notdir $*),4-)) $(KSTACK) $(KLDFLAGS) -o $@ \
	    $(KDIR)/obj/rt/crt0.S.o $(filter %.o,$^) $(KDIR)/libkernels.a $(KLIBGCC)
endef
$(KELFS): $(KDIR)/%.elf: $(KDIR)/obj/%.o $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)
$(KGRID_ELFS): KSTACK := -Wl,--defsym=rt_stack_size=1536
$(KDIR)/test/grid_train_tiles.elf: KSTACK := -Wl,--defsym=rt_stack_size=1760
$(KGRID_ELFS): $(KDIR)/test/grid_%.elf: $(KDIR)/obj/test/grid_%.o $(KDIR)/obj/tests/grid_%.o \
    $(KDIR)/obj/tests/grid.o $(KDIR)/obj/tests/train_layers.o $(KDIR)/obj/tests/train_layers_space.o \
    $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

# For programs anywhere: riscv64-unknown-elf-gcc --specs=kernels.specs dot.c
$(KDIR)/kernels.specs: kernels/rt/kernels.specs.in $(KDIR)/libkernels.a $(KDIR)/flags
	$(call say,GEN,$@)
	$(Q)sed -e '/^#/d' -e 's|@ARCH@|$(patsubst -march=%,%,$(firstword $(KARCH)))|' -e 's|@ABI@|$(patsubst -mabi=%,%,$(lastword $(KARCH)))|' \
	    -e 's|@LIB@|$(abspath $(KDIR))|g' -e 's|@ROOT@|$(CURDIR)|g' -e 's|@LIBGCC@|$(KLIBGCC)|g' \
	    -e 's|@INCLUDE@|-isystem $(CURDIR) -isystem $(abspath $(GEN))$(patsubst -D%, -D%,$(filter -DRT_%,$(KCPPFLAGS)))|g' $< > $@

$(KDIR)/list.txt: $(KLIST) $(KDIR)/flags kernels/kernels.mk
	@mkdir -p $(@D)
	@awk -v made='$(KPROGRAMS)' -v machine='$(KMACHINE)' \
	  'BEGIN { split(made, a); for (i in a) is[a[i]] = 1 } \
	  $$1 in is { if (machine) $$3 = machine; print }' $< > $@

kernels: $(KELFS) $(KDIR)/list.txt $(KDIR)/kernels.specs

# The host's objects are compiled by the top Makefile's rule; the test runner links them, and runs
# the programs.
# (tests/mutate.sh runs suites that need no programs.)
$(BUILD)/tests/check: $(HOST_KERNEL_OBJS) | $(if $(MUTATE),,$(KTESTS) kernels)

-include $(shell find $(KDIR)/obj -name '*.d' 2>/dev/null)

# The kernels and their grids for the host, under the sanitizers.
KSAN_SRCS := $(KSRCS) $(wildcard isa/fp*.c tests/kernels/grid*.c) kernels/rt/rt_host.c \
             tests/kernels/train_layers.c tests/kernels/train_layers_space.c \
             tests/kernels/sanitized/main.c
KSAN_OBJS := $(patsubst %.c,$(BUILD)/sanitized/%.o,$(KSAN_SRCS))
KSAN      := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all

$(BUILD)/sanitized/%.o: %.c $(BUILD)/flags | $(GEN_FILES)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) $(KSAN) -MMD -MP -c -o $@ $<
$(BUILD)/tests/grids_sanitized: $(KSAN_OBJS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(KSAN) -o $@ $^ -lpthread -lm
$(BUILD)/tests/check: | $(if $(MUTATE),,$(BUILD)/tests/grids_sanitized)
-include $(KSAN_OBJS:.o=.d)

# The sample of Fashion-MNIST, made again from the files of its Debian package (kernels/data/README.md).
FASHION ?= /usr/share/datasets/fashion-mnist
.PHONY: data
data:
	@test -r $(FASHION)/train-images-idx3-ubyte.gz || { \
	  echo 'make data: no Fashion-MNIST in $(FASHION): apt-get install dataset-fashion-mnist' >&2; \
	  exit 66; }
	@mkdir -p $(BUILD)
	$(Q)$(CC) $(CFLAGS) -o $(BUILD)/fashion_sample kernels/data/fashion_sample.c -lz
	$(Q)$(BUILD)/fashion_sample $(FASHION) kernels/data/fashion.bin
$(KDIR)/obj/data/fashion.S.o: kernels/data/fashion.bin
