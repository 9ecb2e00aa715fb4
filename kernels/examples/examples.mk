# kernels/examples/examples.mk: programs that the documentation refers to; `make kernels` builds them.
KEXAMPLE_NAMES := $(if $(KFLOATS),stalls) mistakes idle_before idle_after lab_banks lab_loop lab_barrier lab_dma
KEXAMPLES := $(patsubst %,$(KDIR)/%.elf,$(KEXAMPLE_NAMES))

$(KDIR)/stalls.elf: $(KDIR)/obj/examples/stalls.c.o $(KDIR)/obj/examples/stalls_loops.S.o \
    $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

$(patsubst %,$(KDIR)/%.elf,mistakes lab_banks lab_loop lab_barrier lab_dma): $(KDIR)/%.elf: \
    $(KDIR)/obj/examples/%.c.o $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)
$(KDIR)/lab_loop.elf: $(KDIR)/obj/examples/lab_loop_sum.S.o

# Twice the same sources; idle_start.S takes the place of the usual entry.
$(KDIR)/obj/examples/before/%.o: kernels/examples/% $(KDIR)/flags
	@mkdir -p $(@D)
	$(call say,KCC,$@)
	$(Q)$(KCC) $(KCPPFLAGS) $(KCFLAGS) -DCONTROLLER_PREPARES -MMD -MP -c -o $@ $<
$(KDIR)/idle_before.elf: $(KDIR)/obj/examples/before/idle.c.o $(KDIR)/obj/examples/before/idle_start.S.o
$(KDIR)/idle_after.elf: $(KDIR)/obj/examples/idle.c.o $(KDIR)/obj/examples/idle_start.S.o
$(KDIR)/idle_before.elf $(KDIR)/idle_after.elf: KSTACK := -Wl,-e,idle_start
$(KDIR)/idle_before.elf $(KDIR)/idle_after.elf: $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

kernels: $(KEXAMPLES)
-include $(wildcard $(KDIR)/obj/examples/*.d $(KDIR)/obj/examples/*/*.d)
