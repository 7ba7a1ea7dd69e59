//! Rewrites the code of a program so that its accesses to memory can be seen.
//!
//! Every function that the survey understands is cloned into a region near the module, with a hook before each access
//! that another thread may see. The original code keeps its calls, so that return addresses, and with them backtraces,
//! exceptions and debuggers, know nothing of clones. Wherever execution may arrive in the original code a jump leads to
//! the clone, and everything else becomes breakpoints: nothing runs unseen.
//!
//! The result is bytes: the region with everything in its final place, and what to write over the original. Whoever
//! maps it needs to know no more than [`rscale_protocol::region`].

mod clones;
mod code;
mod error;
mod hooks;
mod image;
mod lanes;
mod operand;
mod patches;
mod plan;
mod points;
mod prefetch;
mod select;
mod text;
mod translate;

pub use error::RewriteError;
pub use plan::{Omission, Omitted, Placement, Plan, Unhooked, length_bound};
