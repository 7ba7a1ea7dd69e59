//! Functions of the program that rscale calls: invariants, and what the user asks for in a replay.

use rscale_instrument::maps;
use rscale_instrument::symbols::Width;
use rscale_protocol::Callee;
use std::path::PathBuf;

/// An `int f(void)` of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name, as a person reads it.
    pub name: String,
    /// Where it is defined.
    pub location: String,
    /// The executable or library that has it.
    pub file: PathBuf,
    /// Its address in that file.
    pub address: u64,
    /// How large its result is; None where that is not known, and it is taken for an `int`.
    pub width: Option<Width>,
}

impl Function {
    /// Name and place: `sorted (list.c:12)`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.location)
    }

    /// How it is called in a process that has loaded its file.
    ///
    /// # Errors
    /// Where the process has not.
    pub fn callee_in(&self, pid: i32) -> Result<Callee, String> {
        let Width { bytes, is_signed } = self.width.unwrap_or(Width::INT);
        Ok(Callee { address: self.address_in(pid)?, bytes, is_signed })
    }

    /// Where it is in a process that has loaded its file.
    ///
    /// # Errors
    /// Where the process has not.
    fn address_in(&self, pid: i32) -> Result<u64, String> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/maps")).map_err(|error| error.to_string())?;
        let file = self.file.canonicalize().unwrap_or_else(|_| self.file.clone());
        let load = |path: &std::path::Path| (path == file).then(|| maps::start_of_file(path)).flatten();
        let modules = maps::modules(&maps::parse(&text), &load);
        let module = modules.iter().find(|module| module.path == file);
        let module = module.ok_or_else(|| format!("{} is not loaded by the program", self.file.display()))?;
        Ok(self.address.wrapping_add(module.bias))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_where_its_file_is_loaded() {
        let file = std::env::current_exe().expect("there is one");
        let function = Function { name: "f".into(), location: "a.c:1".into(), file, address: 0x40, width: None };
        let own = std::process::id() as i32;
        let next = Function { address: 0x48, ..function.clone() };
        let address = function.address_in(own).expect("loaded");
        assert_eq!(next.address_in(own), Ok(address + 8));
        assert_eq!(function.callee_in(own), Ok(Callee { address, bytes: 4, is_signed: true }));
        let truth = Function { width: Some(Width { bytes: 1, is_signed: false }), ..function.clone() };
        assert_eq!(truth.callee_in(own), Ok(Callee { address, bytes: 1, is_signed: false }));
        assert_eq!(function.label(), "f (a.c:1)");
        let other = Function { file: "/bin/true".into(), ..function };
        assert!(other.address_in(own).is_err_and(|error| error.contains("/bin/true is not loaded")));
    }
}
