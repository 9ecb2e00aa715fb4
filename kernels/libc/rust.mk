# kernels/libc/rust.mk: Rust without its standard library, on pulpsim's specs: make rust. Included by
# the top Makefile behind libc.mk.
#
# Debian's rustc has no `core` for this target; its package rust-src has what it is made of. Compiling
# that takes the switch that makes a released compiler accept what only the compiler's own libraries
# may use; programs do not need it. Integer division of 64 bits and the like come from libgcc, so the
# crate `compiler_builtins`, which rustc asks for, is empty.
RUSTC       ?= $(firstword $(wildcard /usr/bin/rustc) rustc)
RUST_TARGET := riscv32imc-unknown-none-elf
RUST        := $(LIBC)/rust
RUST_LIB    := $(RUST)/lib/rustlib/$(RUST_TARGET)/lib
RUST_SRC    ?= $(shell $(RUSTC) --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library
RUST_CRATE  := RUSTC_BOOTSTRAP=1 $(RUSTC) --edition 2021 --target $(RUST_TARGET) --sysroot $(RUST) --crate-type rlib \
               -C opt-level=2 -C panic=abort --cap-lints allow --out-dir $(RUST_LIB)

# A compiler that is not Debian's wants sources of its own version, which no package of Debian's has.
.PHONY: rust
rust:
	@case "$$(command -v '$(RUSTC)')" in ''|/usr/bin/*) tests/deps.sh rust ;; esac
	+@$(MAKE) --no-print-directory $(LIBC)/rust.args

$(RUST_LIB)/libcore.rlib: kernels/libc/rust.mk
	@[ -e '$(RUST_SRC)/core/src/lib.rs' ] || { echo "make rust: $(RUSTC) has no sources of its library in" \
	  "$(RUST_SRC): install the package rust-src (with rustup: rustup component add rust-src)" >&2; exit 1; }
	@mkdir -p $(@D)
	$(call say,RUSTC,$@)
	$(Q)$(RUST_CRATE) --crate-name core $(RUST_SRC)/core/src/lib.rs
	$(Q)echo '#![feature(no_core, compiler_builtins)] #![no_core] #![compiler_builtins]' | \
	  $(RUST_CRATE) --crate-name compiler_builtins -
# What rustc is to be told: rustc @build/kernels/libc/rust.args hello.rs
$(LIBC)/rust.args: $(RUST_LIB)/libcore.rlib $(LIBC)/pulpsim.specs
	@printf '%s\n' --edition=2021 --target=$(RUST_TARGET) --sysroot=$(abspath $(RUST)) -Cpanic=abort \
	  -Clinker=$(LIBC_CC) -Cdefault-linker-libraries -Clink-arg=--specs=$(abspath $(LIBC)/pulpsim.specs) \
	  -Clink-arg=-march=rv32imc_zicsr -Clink-arg=-mabi=ilp32 > $@
# The suite libc runs a program where compiler and sources are.
ifneq ($(and $(wildcard /usr/bin/rustc),$(wildcard /usr/lib/rustlib/src/rust/library/core)),)
$(BUILD)/tests/check: | $(if $(MUTATE),,$(LIBC)/rust.args)
endif
