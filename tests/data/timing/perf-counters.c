#define R(csr)                                                                                     \
  ({                                                                                               \
    unsigned v;                                                                                    \
    asm volatile("csrr %0," #csr : "=r"(v));                                                       \
    v;                                                                                             \
  })
#define W(csr, x) asm volatile("csrw " #csr ",%0" ::"r"(x))
volatile unsigned buf[64];
static void out(unsigned v) {
  *(volatile unsigned *)0x80000008 = v;
}
__attribute__((noinline)) unsigned work(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    s += buf[i & 63];
    if (s & 1)
      buf[(i + 1) & 63] = s;
    s ^= i * 3;
  }
  return s;
}
int kernel(void) {
  out(R(0xb00));
  out(R(0xb02));
  static const int ev[] = {5, 6, 7, 8, 9, 10, 1, 0, 2};
  for (int k = 0; k < 9; k++) {
    W(0x323, 1u << ev[k]);
    W(0xb03, 0);
    unsigned c0 = R(0xb00), i0 = R(0xb02);
    work(50);
    unsigned h = R(0xb03);
    out(ev[k]);
    out(h);
    out(R(0xb00) - c0);
    out(R(0xb02) - i0);
  }
  W(0x320, 5);
  unsigned a = R(0xb00);
  asm volatile("nop;nop;nop");
  unsigned b = R(0xb00);
  out(b - a);
  W(0x320, 0);
  asm volatile("nop;nop");
  out(R(0xb00) - b);
  out(R(0xb02));
  W(0xb00, 1000);
  out(R(0xb00));
  W(0xb02, 500);
  asm volatile("nop;nop");
  out(R(0xb02));
  out(R(0x300));
  return 0;
}
