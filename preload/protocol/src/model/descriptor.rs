//! Waiting for file descriptors.
//!
//! The kernel knows whether a descriptor is ready, the model does not: the shim asks and puts the answer into
//! [`Action::count`] (0 for not ready) each time before it asks which threads are enabled.

use super::errno::ETIMEDOUT;
use super::{Choices, Model, Outcome};
use crate::action::{Action, Choice};
use crate::ops::Op;

pub(super) fn choices(_model: &Model, action: &Action) -> Choices {
    Choices::when(action.op != Op::DescriptorWait || action.count != 0, action)
}

pub(super) fn perform(_model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    let gives_up = action.op == Op::DescriptorWait && choice == Choice::TimeOut;
    Outcome::returns(if gives_up { ETIMEDOUT } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::variable::Variable;

    #[test]
    fn a_wait_follows_what_the_kernel_says() {
        let mut bench = Bench::with_threads(2);
        let pipe = Variable::descriptor(3).0;
        let blocked = Bench::action(1, Op::DescriptorWait, pipe);
        assert_eq!(bench.model.choices(&blocked), Choices::NONE);
        let ready = Action { count: 1, ..blocked };
        assert_eq!(bench.model.choices(&ready), Choices::PROCEED);
        assert_eq!(bench.model.perform(&ready, Choice::Proceed), Outcome::returns(0));
    }

    #[test]
    fn a_timed_wait_gives_up_only_while_it_is_not_ready() {
        let mut bench = Bench::with_threads(2);
        let timed = Action { deadline: 30, ..Bench::action(1, Op::DescriptorWait, Variable::descriptor(3).0) };
        assert_eq!(bench.model.choices(&timed), Choices { time_out: true, ..Choices::NONE });
        assert_eq!(bench.model.choices(&Action { count: 1, ..timed }), Choices::PROCEED);
        assert_eq!(bench.model.perform(&timed, Choice::TimeOut), Outcome::returns(ETIMEDOUT));
    }

    #[test]
    fn using_a_descriptor_never_waits() {
        let mut bench = Bench::with_threads(2);
        assert_eq!(bench.run(1, Op::DescriptorUse, Variable::descriptor(3).0), 0);
    }
}
