# deploy/deploy.mk: the programs $(BUILD)/pulpsim-deploy and pulpsim-tune, and their objects, which
# the tests link.

TUNE_SRCS   := $(sort $(wildcard deploy/tune/*.c))
DEPLOY_SRCS := $(filter-out deploy/tune.c deploy/models/% $(TUNE_SRCS),$(sort $(wildcard deploy/*.c deploy/*/*.c)))
DEPLOY_LIBS := -lpng -lglpk -lpthread -lprotobuf-c
DEPLOY_OBJS := $(call objects,$(DEPLOY_SRCS) bench/groups.c bench/json.c bench/unverified.c) $(BUILD)/obj/onnx.pb-c.o

# Retraining's layers and the kernels under them once more, for newer hosts: one object that shows no
# more than its entries.
FAST_SRCS := deploy/quant/fake_weighted.c $(wildcard kernels/mm/mmt_*.c kernels/train/*.c isa/fp*.c)
FAST_OBJS := $(FAST_SRCS:%.c=$(BUILD)/fast/%.o)
FAST      := fake_weighted_forward fake_weighted_backward fake_weighted_scratch
ifneq ($(if $(filter 1,$(SANITIZE)),,$(AVX2_CFLAGS)),)
DEPLOY_OBJS += $(BUILD)/fast/all.o
$(BUILD)/obj/deploy/quant/fake_run.o: CPPFLAGS += -DFAKE_AVX2
endif
$(BUILD)/fast/%.o: CPPFLAGS += $(foreach name,$(FAST),-D$(name)=$(name)_avx2)
$(BUILD)/fast/%.o: %.c $(BUILD)/flags | $(GEN_FILES)
	@mkdir -p $(@D)
	$(call say,CC,$<: avx2)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -O3 $(AVX2_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/fast/all.o: $(FAST_OBJS)
	$(call say,LINK,$@)
	$(Q)$(LD) -r -o $@ $^
	$(Q)objcopy $(FAST:%=--keep-global-symbol=%_avx2) $@
-include $(FAST_OBJS:.o=.d)

# All but `main`, for the tests.
DEPLOY_PARTS := $(filter-out $(call objects,deploy/main.c),$(DEPLOY_OBJS))

# The parser of ONNX files, made from their schema.
$(GEN)/onnx.pb-c.h: deploy/read/onnx.proto
	@mkdir -p $(@D)
	$(call say,PROTOC,$<)
	$(Q)protoc-c --c_out=$(GEN) --proto_path=deploy/read $<
$(GEN)/onnx.pb-c.c: $(GEN)/onnx.pb-c.h ;
$(BUILD)/obj/onnx.pb-c.o: $(GEN)/onnx.pb-c.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# Products of rows of numbers, which this level turns into the host's vectors.
$(BUILD)/obj/deploy/host/%.o $(BUILD)/obj/deploy/quant/%.o: OPTIMIZE := $(OPTIMIZE:-O2=-O3)

$(BUILD)/pulpsim-deploy: $(DEPLOY_OBJS) $(HOST_KERNEL_OBJS) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(DEPLOY_LIBS)

# The tuner asks the kernels compiled for the host what L1 they take.
$(BUILD)/pulpsim-tune: $(call objects,deploy/tune.c $(TUNE_SRCS)) $(DEPLOY_PARTS) $(HOST_KERNEL_OBJS) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(DEPLOY_LIBS) -lsqlite3

$(BUILD)/tests/check: $(DEPLOY_PARTS) $(call objects,$(TUNE_SRCS))
$(BUILD)/tests/check: private LDLIBS += $(DEPLOY_LIBS) -lsqlite3

include deploy/models/models.mk
# Suite emit builds what it generates, and runs it.
$(BUILD)/tests/check: | $(if $(MUTATE),,$(BUILD)/pulpsim-deploy $(BUILD)/pulpsim-tune)
