//! A library to preload: makes the n-th call of a kind fail, as on a full or failing disk or without memory. `tests/cli/faults.rs`
//! compiles it.
//!
//! Environment: `FAULT_KIND` is `disk` (open for writing, write, flush, truncate, rename, make a folder) or `memory` (allocate), `FAULT_AT` the
//! number of the call that fails, from 1. A failing call writes its name to standard error.

#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

type ssize_t = isize;
type mode_t = u32;

const ENOSPC: c_int = 28;
const EIO: c_int = 5;
const ENOMEM: c_int = 12;
const O_ACCMODE: c_int = 3;
const RTLD_NEXT: *mut c_void = -1_isize as *mut c_void;

#[repr(C)]
struct IoSlice {
    base: *const c_void,
    length: usize,
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn getenv(name: *const c_char) -> *const c_char;
    fn __errno_location() -> *mut c_int;
    fn syscall(number: i64, ...) -> i64;
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
}

/// The calls that are still to come before the one that fails; `i64::MAX` until the environment has been read.
static LEFT: AtomicI64 = AtomicI64::new(i64::MAX);

/// The kind of calls that are counted: 0 none, 1 disk, 2 memory; `u32::MAX` until the environment has been read.
static KIND: AtomicU32 = AtomicU32::new(u32::MAX);

const DISK: u32 = 1;
const MEMORY: u32 = 2;

/// The number of the system call `write`, which must not be intercepted here.
#[cfg(target_arch = "x86_64")]
const SYS_WRITE: i64 = 1;
#[cfg(target_arch = "aarch64")]
const SYS_WRITE: i64 = 64;

/// Reads the environment once. It must not allocate.
unsafe fn prepare() {
    unsafe {
        let kind = getenv(c"FAULT_KIND".as_ptr());
        let at = getenv(c"FAULT_AT".as_ptr());
        if kind.is_null() || at.is_null() {
            KIND.store(0, Ordering::Relaxed);
            return;
        }
        let mut number = 0_i64;
        let mut digit = at;
        while *digit != 0 {
            number = number * 10 + i64::from(*digit as u8 - b'0');
            digit = digit.add(1);
        }
        LEFT.store(number, Ordering::Relaxed);
        KIND.store(if *kind as u8 == b'd' { DISK } else { MEMORY }, Ordering::Relaxed);
    }
}

/// Counts a call; whether it is the one that fails. Sets the error number if so.
unsafe fn fails(kind: u32, name: &str, error: c_int) -> bool {
    unsafe {
        if KIND.load(Ordering::Relaxed) == u32::MAX {
            prepare();
        }
        if KIND.load(Ordering::Relaxed) != kind || LEFT.fetch_sub(1, Ordering::Relaxed) != 1 {
            return false;
        }
        for part in ["[fault: ", name, "]\n"] {
            syscall(SYS_WRITE, 2_i64, part.as_ptr(), part.len());
        }
        *__errno_location() = error;
        true
    }
}

/// The function of this name and type in the C library.
macro_rules! next {
    ($name:literal, $kind:ty) => {
        std::mem::transmute::<*mut c_void, $kind>(dlsym(RTLD_NEXT, $name.as_ptr()))
    };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    unsafe {
        if flags & O_ACCMODE != 0 && fails(DISK, "open", ENOSPC) {
            return -1;
        }
        next!(c"open64", unsafe extern "C" fn(*const c_char, c_int, mode_t) -> c_int)(path, flags, mode)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(file: c_int, bytes: *const c_void, length: usize) -> ssize_t {
    unsafe {
        if file > 2 && fails(DISK, "write", ENOSPC) {
            return -1;
        }
        next!(c"write", unsafe extern "C" fn(c_int, *const c_void, usize) -> ssize_t)(file, bytes, length)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(file: c_int, parts: *const IoSlice, count: c_int) -> ssize_t {
    unsafe {
        if file > 2 && fails(DISK, "write", ENOSPC) {
            return -1;
        }
        next!(c"writev", unsafe extern "C" fn(c_int, *const IoSlice, c_int) -> ssize_t)(file, parts, count)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fsync(file: c_int) -> c_int {
    unsafe {
        if fails(DISK, "flush", EIO) {
            return -1;
        }
        next!(c"fsync", unsafe extern "C" fn(c_int) -> c_int)(file)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate64(file: c_int, length: i64) -> c_int {
    unsafe {
        if fails(DISK, "truncate", EIO) {
            return -1;
        }
        next!(c"ftruncate64", unsafe extern "C" fn(c_int, i64) -> c_int)(file, length)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    unsafe {
        if fails(DISK, "rename", ENOSPC) {
            return -1;
        }
        next!(c"rename", unsafe extern "C" fn(*const c_char, *const c_char) -> c_int)(from, to)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
    unsafe {
        if fails(DISK, "make a folder", ENOSPC) {
            return -1;
        }
        next!(c"mkdir", unsafe extern "C" fn(*const c_char, mode_t) -> c_int)(path, mode)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    unsafe { if fails(MEMORY, "malloc", ENOMEM) { std::ptr::null_mut() } else { __libc_malloc(size) } }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    unsafe { if fails(MEMORY, "calloc", ENOMEM) { std::ptr::null_mut() } else { __libc_calloc(count, size) } }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    unsafe { if fails(MEMORY, "realloc", ENOMEM) { std::ptr::null_mut() } else { __libc_realloc(old, size) } }
}
