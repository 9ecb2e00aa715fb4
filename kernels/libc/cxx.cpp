// kernels/libc/cxx.cpp: what C++ programs link to, there being no libstdc++: new and delete, and the
// end of a call of what is not there. No exceptions: without memory the program is aborted.
#include <stddef.h>
#include <stdlib.h>

static void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory)
    abort();
  return memory;
}

void *operator new(size_t size) {
  return allocate(size);
}

void *operator new[](size_t size) {
  return allocate(size);
}

void operator delete(void *memory) noexcept {
  free(memory);
}

void operator delete[](void *memory) noexcept {
  free(memory);
}

void operator delete(void *memory, size_t) noexcept {
  free(memory);
}

void operator delete[](void *memory, size_t) noexcept {
  free(memory);
}

extern "C" {
void *__dso_handle;
[[noreturn]] void __cxa_pure_virtual() {
  abort();
}
}
