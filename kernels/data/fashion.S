// kernels/data/fashion.S: the sample of Fashion-MNIST; see README.md.
  .section .rodata.fashion, "a"
  .globl fashion_records
  .balign 4
fashion_records:
  .incbin "kernels/data/fashion.bin"
