// C++: constructors, a template, a lambda on all cores, new and delete.
#include <stdio.h>

#include "kernels/libc/team.h"

struct object {
  int value;
  explicit object(int v) : value(v) {
    printf("made %d\n", value);
  }
  ~object() {
    printf("gone %d\n", value);
  }
};
static object first(7);

template <class F> static void on_all(F f) {
  team_run([](void *argument) { (*static_cast<F *>(argument))(); }, &f);
}

int main() {
  int sum[16] = {};
  on_all([&] { sum[team_core()] = static_cast<int>(team_core()); });
  object *second = new object(sum[team_cores() - 1]);
  delete second;
  return 0;
}
