# kernels/examples/examples.mk: programs that the documentation refers to; `make kernels` builds them.
KEXAMPLES := $(KDIR)/stalls.elf $(KDIR)/mistakes.elf

$(KDIR)/stalls.elf: $(KDIR)/obj/examples/stalls.c.o $(KDIR)/obj/examples/stalls_loops.S.o \
    $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

$(KDIR)/mistakes.elf: $(KDIR)/obj/examples/mistakes.c.o $(KDIR)/libkernels.a kernels/rt/link.ld
	$(KLINK)

kernels: $(KEXAMPLES)
-include $(wildcard $(KDIR)/obj/examples/*.d)
