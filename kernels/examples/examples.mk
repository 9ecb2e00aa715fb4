# kernels/examples/examples.mk: programs that the documentation refers to; `make kernels` builds them.
KEXAMPLES := $(patsubst %,$(KDIR)/%.elf,stalls mistakes idle_before idle_after)

$(KDIR)/stalls.elf: $(KDIR)/obj/examples/stalls.c.o $(KDIR)/obj/examples/stalls_loops.S.o \
    $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

$(KDIR)/mistakes.elf: $(KDIR)/obj/examples/mistakes.c.o $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

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
