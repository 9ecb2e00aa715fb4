// tests/kernels/grid_sample.h: which grids a suite simulates on how many cores: each on every
// number. Under the sanitizers, where that takes ten times as long, each on one number, in turn.
#ifndef GRID_SAMPLE_H
#define GRID_SAMPLE_H

#ifdef __SANITIZE_ADDRESS__
#define GRID_RUNS(grids, numbers)        (grids)
#define GRID_OF_RUN(run, numbers)        ((unsigned)(run))
#define GRID_NUMBER_OF_RUN(run, numbers) ((unsigned)(run) % (numbers))
#else
#define GRID_RUNS(grids, numbers)        ((grids) * (numbers))
#define GRID_OF_RUN(run, numbers)        ((unsigned)(run) / (numbers))
#define GRID_NUMBER_OF_RUN(run, numbers) ((unsigned)(run) % (numbers))
#endif

#endif
