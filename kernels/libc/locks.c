// kernels/libc/locks.c: picolibc's locks, of which malloc() and stdio use the recursive one: the
// mutex of the event unit, for all of them together.
#include <sys/lock.h>

#include "kernels/rt/platform.h"
#include "kernels/rt/rt.h"
#include "xpulp.h"

struct __lock {
  char unused;
};
struct __lock __lock___libc_recursive_mutex;

static volatile unsigned depth, owner; // of the mutex; the owner counts from 1

static void acquire(void) {
  unsigned self = rt_core_id() + 1;
  if (owner != self && rt_core_count() > 1)
    (void)p_elw((void *)RT_EU_BASE, RT_EU_MUTEX);
  owner = self;
  depth++;
  __asm__ volatile("" ::: "memory");
}

static void release(void) {
  __asm__ volatile("" ::: "memory");
  if (--depth)
    return;
  owner = 0;
  if (rt_core_count() > 1)
    *(volatile uint32_t *)(RT_EU_BASE + RT_EU_MUTEX) = 0;
}

void __retarget_lock_init(_LOCK_T *lock) {
  *lock = &__lock___libc_recursive_mutex;
}

void __retarget_lock_init_recursive(_LOCK_T *lock) {
  *lock = &__lock___libc_recursive_mutex;
}

void __retarget_lock_close(_LOCK_T lock) {
  (void)lock;
}

void __retarget_lock_close_recursive(_LOCK_T lock) {
  (void)lock;
}

void __retarget_lock_acquire(_LOCK_T lock) {
  (void)lock;
  acquire();
}

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
  (void)lock;
  acquire();
}

int __retarget_lock_try_acquire(_LOCK_T lock) {
  (void)lock;
  acquire();
  return 1;
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock) {
  (void)lock;
  acquire();
  return 1;
}

void __retarget_lock_release(_LOCK_T lock) {
  (void)lock;
  release();
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
  (void)lock;
  release();
}
