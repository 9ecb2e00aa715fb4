# configs/install.mk: the shared library; make install, uninstall, deb, deb-source. Included by the top Makefile
# behind the others.
#
# What programs for the simulated machine are built with goes to $(TARGET), which is laid out as this
# folder is: a path that holds kernels/ and build/ serves pulpsim-deploy and a program's Makefile in
# both.

LIBDIR   ?= lib
STRIP    ?= strip
KSTRIP   ?= riscv64-unknown-elf-strip
TARGET   := $(PREFIX)/lib/pulpsim
SOVERSION := 0
SO       := libpulpsim.so.$(VERSION)
CHIPS    := gap8 mrwolf vega
COMMANDS := $(notdir $(PROGRAMS))
D        := $(DESTDIR)$(PREFIX)

$(BUILD)/$(SO): $(call objects,$(LIB_SRCS))
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libpulpsim.so.$(SOVERSION) -Wl,-z,defs -o $@ $^ $(LDLIBS)
$(BUILD)/libpulpsim.so: $(BUILD)/$(SO)
	$(Q)ln -sf $(SO) $(BUILD)/libpulpsim.so.$(SOVERSION) && ln -sf libpulpsim.so.$(SOVERSION) $@

$(BUILD)/pulpsim.pc: configs/pulpsim.pc.in Makefile FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	  -e 's|@LIBS@|$(LDLIBS)|' $< > $@

# Manual pages that are not in docs/ are made of what the programs say.
TITLE_pulpsim-deploy := neural networks on simulated PULP clusters
TITLE_pulpsim-tune   := tiles and kernels for training steps, by simulation
ENTRY_pulpsim-deploy := emit
$(BUILD)/man/%.1: $(BUILD)/% docs/man.sh
	@mkdir -p $(@D)
	$(Q)docs/man.sh $< '$(or $(TITLE_$*),a tool of pulpsim)' $(ENTRY_$*) > $@
MAN_PAGES = $(foreach p,$(COMMANDS),$(firstword $(wildcard docs/$(p).1) $(BUILD)/man/$(p).1))

.PHONY: install install-host install-target kernels-all
install: install-host install-target

install-host: all $(MAN_PAGES) $(BUILD)/libpulpsim.so $(BUILD)/pulpsim.pc
	install -d $(D)/bin $(D)/$(LIBDIR)/pkgconfig $(D)/include/pulpsim $(D)/share/pulpsim/configs \
	  $(D)/share/pulpsim/suites $(D)/share/man/man1 $(D)/share/bash-completion/completions
	install -m 755 $(PROGRAMS) $(D)/bin
	install -m 644 $(BUILD)/$(SO) $(BUILD)/libpulpsim.a $(D)/$(LIBDIR)
	$(STRIP) $(addprefix $(D)/bin/,$(COMMANDS))
	$(STRIP) --strip-unneeded $(D)/$(LIBDIR)/$(SO)
	$(STRIP) --strip-debug $(D)/$(LIBDIR)/libpulpsim.a
	ln -sf $(SO) $(D)/$(LIBDIR)/libpulpsim.so.$(SOVERSION)
	ln -sf libpulpsim.so.$(SOVERSION) $(D)/$(LIBDIR)/libpulpsim.so
	install -m 644 $(BUILD)/pulpsim.pc $(D)/$(LIBDIR)/pkgconfig
	install -m 644 sim/pulpsim.h $(D)/include/pulpsim
	install -m 644 $(CONFIG_FILES) $(D)/share/pulpsim/configs
	install -m 644 bench/suites/*.yml bench/published.yml $(D)/share/pulpsim/suites
	install -m 644 $(MAN_PAGES) $(D)/share/man/man1
	for p in $(COMMANDS); do \
	  install -m 644 docs/$$p.bash $(D)/share/bash-completion/completions/$$p || exit 1; done

# What lies where in $(TARGET): headers, linker scripts and specs, libraries.
TARGET_FILES := $(filter-out kernels/bench/% kernels/examples/%,$(shell find kernels -name '*.h' -o -name '*.def' \
                  -o -name '*.inc')) kernels/rt/link.ld kernels/tile/probe/main.c kernels/compat/pmsis_rules.mk
TARGET_BUILD := gen/xpulp.h gen/xpulp.S.h gen/pulp_builtins.inc kernels/train_tiled.elf $(foreach abi,$(LIBC_ABIS), \
                $(addprefix kernels/libc/$(abi)/,crt0.o libpulpsim-c.a libstdc++.a)) kernels/libc/ilp32f/libkernels.a \
                $(foreach chip,kernels $(CHIPS:%=kernels-%),$(addprefix $(chip)/,libkernels.a obj/rt/crt0.S.o)) \
                kernels/libc/pulpsim.ld
TARGET_SPECS := kernels/libc/pulpsim.specs $(foreach chip,kernels $(CHIPS:%=kernels-%),$(chip)/kernels.specs)

# One chip after the other: they share build/gen.
kernels-all: $(KDIR)/kernels.specs $(KDIR)/train_tiled.elf libc
	+@for chip in $(CHIPS); do \
	  $(MAKE) --no-print-directory KMACHINE=$$chip $(BUILD)/kernels-$$chip/kernels.specs || exit 1; done

install-target: kernels-all
	for f in $(TARGET_FILES); do install -D -m 644 $$f $(DESTDIR)$(TARGET)/$$f || exit 1; done
	for f in $(TARGET_BUILD); do install -D -m 644 $(BUILD)/$$f $(DESTDIR)$(TARGET)/build/$$f || exit 1; done
	find $(DESTDIR)$(TARGET)/build -name '*.[ao]' -exec $(KSTRIP) --strip-debug {} +
	for f in $(TARGET_SPECS); do sed -e 's|$(abspath $(BUILD))|$(TARGET)/build|g' -e 's|$(CURDIR)|$(TARGET)|g' \
	  $(BUILD)/$$f > $(DESTDIR)$(TARGET)/build/$$f && chmod 644 $(DESTDIR)$(TARGET)/build/$$f || exit 1; done

uninstall:
	rm -f $(addprefix $(D)/bin/,$(COMMANDS)) $(COMMANDS:%=$(D)/share/man/man1/%.1) \
	  $(COMMANDS:%=$(D)/share/bash-completion/completions/%)
	rm -f $(D)/$(LIBDIR)/libpulpsim.a $(D)/$(LIBDIR)/libpulpsim.so* $(D)/$(LIBDIR)/pkgconfig/pulpsim.pc
	rm -rf $(D)/include/pulpsim $(D)/share/pulpsim $(DESTDIR)$(TARGET)

# What the suite install installs; the chip that others need as well is made by the top Makefile.
ifeq ($(KMACHINE),)
$(BUILD)/tests/check: | $(if $(MUTATE),,$(BUILD)/libpulpsim.so $(KDIR)/kernels.specs $(KDIR)/train_tiled.elf)
endif

# Packages of what is built here, into $(BUILD)/deb; lintian looks at them. configs/debian is what
# Debian has as debian/.
DEB := $(abspath $(BUILD))/deb
.PHONY: deb deb-tools
deb-tools:
	@command -v dh >/dev/null && command -v dh_python3 >/dev/null && command -v lintian >/dev/null || { \
	  echo 'make deb: apt-get install debhelper dh-python lintian' >&2; exit 69; }
deb: deb-tools all kernels-all $(BUILD)/libpulpsim.so
	rm -rf $(DEB) && mkdir -p $(DEB)/pulpsim && cp -r configs/debian $(DEB)/pulpsim/debian
	cd $(DEB)/pulpsim && env -u MAKEFLAGS TREE=$(CURDIR) BUILD=$(BUILD) dpkg-buildpackage -d -b -us -uc >../build.log 2>&1 \
	  || { tail -30 ../build.log; exit 1; }
	lintian --fail-on error,warning $(DEB)/*.changes
	@tests/programs/install/deb.sh $(BUILD)
	@ls $(DEB)/*.deb

# The source package of what is committed, into $(BUILD)/deb-source.
DEB_SOURCE := $(abspath $(BUILD))/deb-source
.PHONY: deb-source
deb-source:
	@command -v dpkg-source >/dev/null && command -v lintian >/dev/null && git rev-parse -q --verify HEAD >/dev/null || { \
	  echo 'make deb-source: wants a git checkout, and apt-get install dpkg-dev lintian' >&2; exit 69; }
	rm -rf $(DEB_SOURCE) && mkdir -p $(DEB_SOURCE)/pulpsim-$(VERSION)
	git archive HEAD | tar x -C $(DEB_SOURCE)/pulpsim-$(VERSION)
	mv $(DEB_SOURCE)/pulpsim-$(VERSION)/configs/debian $(DEB_SOURCE)/pulpsim-$(VERSION)/debian
	cd $(DEB_SOURCE) && dpkg-source -b pulpsim-$(VERSION) && rm -r pulpsim-$(VERSION)
	lintian --fail-on error,warning $(DEB_SOURCE)/*.dsc
