# kernels/compat/pmsis_rules.mk: programs whose Makefile ends with `include
# $(RULES_DIR)/pmsis_rules.mk`, as those for the PULP and GAP SDKs do: make all run in their folder, with
# RULES_DIR set to this one; `make peer` does that.
#
# Of the SDKs' variables: APP, APP_SRCS, APP_ASM_SRCS, APP_CFLAGS, APP_INC, APP_LDFLAGS, BUILD_DIR,
# and FLASH_FILES and READFS_FILES, which the program finds in its file system. Flags that only the PULP
# compiler has are left out.
PULPSIM_ROOT  := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
PULPSIM_BUILD ?= $(PULPSIM_ROOT)/build
PULPSIM       ?= $(or $(wildcard $(PULPSIM_BUILD)/pulpsim),pulpsim)
PULPSIM_CC    ?= riscv64-unknown-elf-gcc
PULPSIM_FLAGS ?= -q
# Each core's, in L1: what the program's buffers there leave.
STACK_SIZE    ?= 3408
BUILD_DIR     ?= $(CURDIR)/BUILD/pulpsim
SHELL         := /bin/bash

pmsis_foreign := -mhwloop% -mno-memcpy -mchip=% -mPE=% -mFC=% -mL2=% -mL1Cl=% -mL1Fc=% -mriscv%
pmsis_without  = $(filter-out -mno-%,$(filter -mno%,$(1))) # -mnohwloop, -mnopostmod, ...
pmsis_taken    = $(foreach f,$(filter-out $(pmsis_foreign) $(pmsis_without),$(1)),$(if $(findstring xpulp,$(f)),,$(f)))
pmsis_CFLAGS   = --specs=$(PULPSIM_BUILD)/kernels/libc/pulpsim.specs -D__PULPSIM__ -D__riscv__ \
                 -flax-vector-conversions -fno-toplevel-reorder -ffunction-sections -include pulp_builtins.h \
                 $(call pmsis_taken,$(APP_CFLAGS) $(APP_INC:%=-I%))
pmsis_LDFLAGS  = -Wl,--defsym=rt_stack_size=$(STACK_SIZE) $(call pmsis_taken,$(APP_LDFLAGS))
pmsis_object   = $(BUILD_DIR)/obj/$(subst /,-,$(abspath $(1))).o
pmsis_SOURCES  = $(APP_SRCS) $(APP_ASM_SRCS)
pmsis_ELF      = $(BUILD_DIR)/$(APP)
pmsis_FILES    = $(sort $(FLASH_FILES) $(READFS_FILES))

.PHONY: all build image flash conf run clean pmsis_force
all build image flash conf: $(pmsis_ELF)

# Everything is compiled anew when the flags are others.
$(BUILD_DIR)/flags: pmsis_force
	@mkdir -p $(@D)/obj
	@echo '$(subst ','\'',$(PULPSIM_CC) $(pmsis_CFLAGS) $(pmsis_LDFLAGS))' > $@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

define pmsis_RULE
$(call pmsis_object,$(1)): $(1) $(BUILD_DIR)/flags $(PULPSIM_BUILD)/kernels/libc/pulpsim.specs
	$(PULPSIM_CC) $(if $(filter %.S,$(1)),$$(filter-out -include pulp_builtins.h,$$(pmsis_CFLAGS)),$$(pmsis_CFLAGS)) \
	  -MD -MP -c -o $$@ $$<
endef
$(foreach source,$(pmsis_SOURCES),$(eval $(call pmsis_RULE,$(source))))

$(pmsis_ELF): $(foreach source,$(pmsis_SOURCES),$(call pmsis_object,$(source)))
	$(PULPSIM_CC) $(pmsis_CFLAGS) $^ $(pmsis_LDFLAGS) -o $@

run: $(pmsis_ELF)
	@rm -rf $(BUILD_DIR)/files && mkdir -p $(BUILD_DIR)/files
	@$(if $(strip $(pmsis_FILES)),cp $(pmsis_FILES) $(BUILD_DIR)/files)
	$(PULPSIM) $(PULPSIM_FLAGS) --files $(BUILD_DIR)/files $<

clean:
	rm -rf $(BUILD_DIR)

-include $(wildcard $(BUILD_DIR)/obj/*.d)
