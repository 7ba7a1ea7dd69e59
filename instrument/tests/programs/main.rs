//! Tests on programs that the system's compilers build, since nothing else tells what they emit.

mod hostile;
mod inspecting;
mod naming;
mod rewriting;
mod rewriting_support;
mod stepping;
mod support;
mod surveying;
mod unwinding;
