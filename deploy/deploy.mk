# deploy/deploy.mk: networks; the objects, which the tests link.

DEPLOY_SRCS := $(sort $(wildcard deploy/*.c deploy/*/*.c))
DEPLOY_OBJS := $(call objects,$(DEPLOY_SRCS))
# All but `main`, for the tests.
DEPLOY_PARTS := $(filter-out $(call objects,deploy/main.c),$(DEPLOY_OBJS))

# Products of rows of integers, which this level turns into the host's vectors.
$(BUILD)/obj/deploy/host/%.o: OPTIMIZE := $(OPTIMIZE:-O2=-O3)

$(BUILD)/tests/check: $(DEPLOY_PARTS)
