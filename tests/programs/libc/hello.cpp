// C++: constructors, a template, a lambda on all cores, virtual functions, new and delete.
#include <stdio.h>

#include "kernels/libc/team.h"

struct object {
  int value;
  explicit object(int v) : value(v) {
    printf("made %d\n", value);
  }
  virtual ~object() {
    printf("gone %d\n", value);
  }
  virtual int twice() const = 0;
};
struct number : object {
  using object::object;
  int twice() const override {
    return 2 * value;
  }
};
static number first(7);

template <class F> static void on_all(F f) {
  team_run([](void *argument) { (*static_cast<F *>(argument))(); }, &f);
}

int main() {
  int sum[16] = {};
  on_all([&] { sum[team_core()] = static_cast<int>(team_core()); });
  const object *second = new number(sum[team_cores() - 1]);
  int status = second->twice();
  delete second;
  return status;
}
