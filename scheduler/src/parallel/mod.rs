//! Several workers on one search: who explores what.
//!
//! A [`Controller`] knows the part of the search that workers share ([`Board`](crate::reduce::Board)) and what each of
//! them does. It is told what workers have done and says what they are to do, and knows nothing of threads, channels
//! and programs: the same code runs in the scheduler process, and in a simulation of more workers than this machine
//! has.

mod controller;
mod message;
pub mod model;

pub use controller::{Controller, Nonsense, Report};
pub use message::{Account, Assignment, Unreadable, open, seal};
