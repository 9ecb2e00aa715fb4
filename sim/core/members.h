// sim/core/members.h: members of a structure that have their own names, and can be copied as one.
#ifndef PULPSIM_MEMBERS_H
#define PULPSIM_MEMBERS_H

#define MEMBERS(tag, name, ...)                                                                    \
  union {                                                                                          \
    struct __VA_ARGS__;                                                                            \
    struct tag __VA_ARGS__ name;                                                                   \
  }

#endif
