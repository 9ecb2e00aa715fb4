#include "core/cause.h"

const char *const cause_names[CAUSE_COUNT] = {
#define CAUSE(id, name, meaning) name,
    CAUSE_LIST(CAUSE)
#undef CAUSE
};

const char *const cause_meanings[CAUSE_COUNT] = {
#define CAUSE(id, name, meaning) meaning,
    CAUSE_LIST(CAUSE)
#undef CAUSE
};
