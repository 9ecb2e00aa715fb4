// sim/engine/limit.h: sizes that change no result, and that `make HOSTILE=1` makes tiny, so that
// small programs reach them.
#ifndef PULPSIM_LIMIT_H
#define PULPSIM_LIMIT_H

#ifdef PULPSIM_TINY
#define LIMIT(usual, tiny) (tiny)
#else
#define LIMIT(usual, tiny) (usual)
#endif

#endif
