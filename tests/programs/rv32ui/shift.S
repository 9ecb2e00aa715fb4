// sll, srl, sra and their immediate forms; only the low five bits of the amount count
#include "selfcheck.h"
        begin
        rr sll, 0x12345678, 0, 0x12345678
        rr sll, 0x12345678, 4, 0x23456780
        rr sll, 0x12345679, 31, 0x80000000
        rr sll, 0x12345678, 36, 0x23456780
        rr sll, 0x12345678, 0xffffffe4, 0x23456780
        rr srl, 0x87654321, 0, 0x87654321
        rr srl, 0x87654321, 4, 0x08765432
        rr srl, 0x87654321, 31, 1
        rr srl, 0x87654321, 0x80000021, 0x43b2a190
        rr sra, 0x87654321, 0, 0x87654321
        rr sra, 0x87654321, 4, 0xf8765432
        rr sra, 0x87654321, 31, 0xffffffff
        rr sra, 0x7fffffff, 30, 1
        rr sra, 0x87654321, 0x21, 0xc3b2a190
        ri slli, 0x12345678, 0, 0x12345678
        ri slli, 0x12345678, 12, 0x45678000
        ri slli, 3, 31, 0x80000000
        ri srli, 0x87654321, 8, 0x00876543
        ri srli, 0x87654321, 31, 1
        ri srai, 0x87654321, 8, 0xff876543
        ri srai, 0x87654321, 31, 0xffffffff
        ri srai, 0x7fffffff, 31, 0
        end
