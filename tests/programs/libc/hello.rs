// tests/programs/libc/hello.rs: Rust on the C library: output, 64-bit division, floats, a panic.
#![no_std]
#![no_main]
use core::fmt::{self, Write};

extern "C" {
    fn write(file: i32, text: *const u8, bytes: usize) -> isize;
    fn abort() -> !;
}

struct Stdout;
impl Write for Stdout {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match unsafe { write(1, text.as_ptr(), text.len()) } == text.len() as isize {
            true => Ok(()),
            false => Err(fmt::Error),
        }
    }
}

#[panic_handler]
fn panic(what: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(Stdout, "{}", what);
    unsafe { abort() }
}

// The status is 10 without arguments, 100 with one; with more, it panics.
#[no_mangle]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let table = [1u64, 10, 100];
    let _ = writeln!(Stdout, "hello from Rust: {} {:.3}", u64::MAX / table[1], 22.0f64 / 7.0);
    table[argc as usize] as i32
}
