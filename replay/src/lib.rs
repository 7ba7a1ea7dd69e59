//! Recorded schedules: the trace file that hands a found bug from one run of rscale to the next.
//!
//! A trace is the one thing rscale gives away that must still mean the same next year, on another machine, after a
//! person has edited it by hand. It is kept apart from the search for that reason: it depends on nothing but the
//! names of threads and choices.

pub mod atomic;
pub mod trace;
