//! Why a function can not be instrumented, in words for the coverage line.

use std::fmt;

use super::decode::Fault;
use super::functions::Function;

/// A function that runs as it is, unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The function.
    pub function: Function,
    /// Why.
    pub reason: SkipReason,
}

/// `foo (undecodable bytes at +0x12)`
impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.function.label(), self.reason)
    }
}

/// Why a function can not be instrumented. Offsets count from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// The bytes there are no instruction.
    Undecodable {
        /// Where they are.
        offset: u64,
    },
    /// Its last instruction reaches into what follows.
    CutInstruction {
        /// Where that instruction is.
        offset: u64,
    },
    /// The program reads these bytes, or calls them a variable: cloning them would do no harm, patching would.
    DataInCode {
        /// Where they are.
        offset: u64,
    },
    /// A jump leads between the start and the end of an instruction.
    JumpIntoInstruction {
        /// Where to.
        offset: u64,
        /// Where from, as an address in the file.
        from: u64,
    },
    /// An access through the GS segment, whose address only the processor knows.
    OtherSegment {
        /// Where it is.
        offset: u64,
    },
    /// Nothing is known to lead there, or only an address that is computed: it may be code or data.
    Unreferenced,
}

impl From<Fault> for SkipReason {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Undecodable(offset) => Self::Undecodable { offset },
            Fault::Cut(offset) => Self::CutInstruction { offset },
            Fault::Zeroes(offset) => Self::DataInCode { offset },
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecodable { offset } => write!(f, "undecodable bytes at +{offset:#x}"),
            Self::CutInstruction { offset } => write!(f, "instruction at +{offset:#x} reaches beyond the end"),
            Self::DataInCode { offset } => write!(f, "data in code at +{offset:#x}"),
            Self::JumpIntoInstruction { offset, from } => {
                write!(f, "jump from {from:#x} into the middle of an instruction at +{offset:#x}")
            }
            Self::OtherSegment { offset } => write!(f, "access through GS at +{offset:#x}"),
            Self::Unreferenced => f.write_str("code or data that nothing is seen to call"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::functions::{Origin, Role};
    use super::*;

    #[test]
    fn names_the_function_and_the_place() {
        let mut function = Function {
            range: 16..20,
            names: vec!["foo".to_owned()],
            role: Role::Program,
            origin: Origin::Symbol,
            is_part: false,
        };
        let shown = |function: &Function, reason| Skipped { function: function.clone(), reason }.to_string();
        assert_eq!(shown(&function, Fault::Undecodable(0x12).into()), "foo (undecodable bytes at +0x12)");
        function.names[0] = "_ZN2ns5checkEi".to_owned();
        assert_eq!(shown(&function, Fault::Zeroes(3).into()), "ns::check(int) (data in code at +0x3)");
        function.names.clear();
        let reason = SkipReason::JumpIntoInstruction { offset: 2, from: 0x40 };
        assert_eq!(
            shown(&function, reason),
            "function at 0x10 (jump from 0x40 into the middle of an instruction at +0x2)"
        );
    }
}
