//! Rewrites a program as the scheduler will, and runs it with a small loader in the shim's place.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rscale_instrument::code::survey::Survey;
use rscale_instrument::rewrite::{Placement, Plan, length_bound};

use crate::support::{Compilers, Workshop, compilers};

/// Where the kernel loads position-independent programs when it does not randomise.
const LOAD_ADDRESS: u64 = 0x5555_5555_4000;
/// Between the region and the module, and where the region of a program at a fixed address goes.
const DISTANCE: u64 = 0x100_0000;
const ABOVE: u64 = 0x5000_0000;
const DYNAMIC: u8 = 3;
const PAGE: u64 = 4096;
/// Seconds that a program may take.
const DEADLINE: &str = "60";

/// A program with its region.
pub struct Rewritten<'a> {
    workshop: &'a Workshop,
    pub program: PathBuf,
    pub survey: Survey,
    pub plan: Plan,
    pub bias: u64,
}

/// What the loader's stubs saw.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    pub hooks: u64,
    pub addresses: u64,
    pub traps: u64,
}

/// How a program ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ending {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ending {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

/// Where a program and its region go.
pub fn placement(program: &Path, survey: &Survey) -> Placement {
    let bytes = std::fs::read(program).expect("the program is there");
    if bytes[16] == DYNAMIC {
        let length = length_bound(survey).next_multiple_of(PAGE);
        Placement { bias: LOAD_ADDRESS, base: LOAD_ADDRESS - DISTANCE - length }
    } else {
        Placement { bias: 0, base: ABOVE }
    }
}

impl<'a> Rewritten<'a> {
    /// Rewrites a program; `workshop` must have the loader.
    pub fn new(workshop: &'a Workshop, program: &Path) -> Self {
        let survey = Survey::of(program).expect("has code");
        let placement = placement(program, &survey);
        let plan = Plan::build(program, &survey, placement, &|_| false).expect("can be rewritten");
        assert!(plan.region.len() as u64 <= length_bound(&survey));
        workshop.write("region", &plan.region);
        Self { workshop, program: program.to_owned(), survey, plan, bias: placement.bias }
    }

    /// The program as it is.
    pub fn native(&self, arguments: &[&str]) -> Ending {
        let mut command = Command::new("timeout");
        command.args([DEADLINE, "setarch", "-R"]).arg(&self.program).args(arguments);
        self.output(&mut command)
    }

    /// The rewritten program, and what its hooks saw.
    pub fn rewritten(&self, arguments: &[&str]) -> (Ending, Counts) {
        let mut command = Command::new("timeout");
        command.arg(DEADLINE).args(self.command(arguments, false));
        let ending = self.output(&mut command);
        (ending, self.counts())
    }

    /// The command line of the program with the loader. All that ends up on the stack has the same length in both
    /// modes.
    pub fn command(&self, arguments: &[&str], is_stepped: bool) -> Vec<String> {
        self.workshop.write("counts", &[0; PAGE as usize]);
        let path = |name: &str| self.workshop.path(name).display().to_string();
        let mut command: Vec<String> = ["setarch", "-R", "env"].map(str::to_owned).into();
        command.push(format!("REGION={}", path("region")));
        command.push(format!("COUNTS={}", path("counts")));
        command.push(format!("STEPPED={}", u8::from(is_stepped)));
        command.push(format!("LD_PRELOAD={}", path("loader.so")));
        command.push(self.program.display().to_string());
        command.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        command
    }

    fn counts(&self) -> Counts {
        let bytes = std::fs::read(self.workshop.path("counts")).expect("was written before");
        let word = |index: usize| u64::from_le_bytes(bytes[8 * index..8 * index + 8].try_into().expect("eight bytes"));
        Counts { hooks: word(0), addresses: word(1), traps: word(2) }
    }

    fn output(&self, command: &mut Command) -> Ending {
        command.stdin(Stdio::null()).output().expect("the command can be started").into()
    }
}

/// A directory with the loader in it.
pub fn workshop() -> Workshop {
    workshop_with(compilers()[0])
}

/// The same, where programs are built with these compilers.
pub fn workshop_with(family: Compilers) -> Workshop {
    let workshop = Workshop::with(family);
    workshop.compile("loader.c", "loader.so", &["-O2", "-shared", "-fPIC"]);
    workshop
}
