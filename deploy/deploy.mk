# deploy/deploy.mk: the program $(BUILD)/pulpsim-deploy, and its objects, which the tests link.

DEPLOY_SRCS := $(sort $(wildcard deploy/*.c deploy/*/*.c))
DEPLOY_LIBS := -lpng -lglpk
DEPLOY_OBJS := $(call objects,$(DEPLOY_SRCS))
# All but `main`, for the tests.
DEPLOY_PARTS := $(filter-out $(call objects,deploy/main.c),$(DEPLOY_OBJS))

# Products of rows of numbers, which this level turns into the host's vectors.
$(BUILD)/obj/deploy/host/%.o $(BUILD)/obj/deploy/quant/%.o: OPTIMIZE := $(OPTIMIZE:-O2=-O3)

$(BUILD)/pulpsim-deploy: $(DEPLOY_OBJS) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(DEPLOY_LIBS)

$(BUILD)/tests/check: $(DEPLOY_PARTS)
$(BUILD)/tests/check: private LDLIBS += $(DEPLOY_LIBS)
