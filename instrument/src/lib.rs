//! Reads the ELF and DWARF data of the tested program.
//!
//! The scheduler process knows the target only by numbers: a program counter, a stack pointer, the address of a mutex.
//! This crate turns them into what a developer recognises: is this file something that can be tested at all ([`elf`]),
//! which file is mapped where ([`maps`]), which function, line and variable an address belongs to ([`symbols`]), and
//! how a thread got there ([`unwind`]). It also tells where the program's code accesses memory ([`code`]), which is
//! what instrumenting it starts from, and makes the instrumented copy ([`rewrite`]).
//!
//! Everything read here comes from outside and may be stripped, truncated or hostile. Missing
//! information makes an answer coarser, never wrong on purpose, and nothing panics. Strings are
//! handed out as the file has them: whoever prints them escapes them.

pub mod code;
pub mod elf;
mod image;
mod mangled;
pub mod maps;
pub mod rewrite;
pub mod symbols;
pub mod unwind;
