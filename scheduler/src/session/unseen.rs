//! Functions of libc and libm that store through a pointer of the program, and that nobody wraps: what they do to memory
//! is not seen. Where a program calls one, a note names it.
//!
//! Those that only fill an object of their own kind are left out (attributes, sets of signals): threads hardly ever
//! share one.

use rscale_instrument::elf::Program;

/// In the order of the alphabet.
const FUNCTIONS: [&str; 69] = [
    "argz_create",
    "asctime_r",
    "clock_getres",
    "confstr",
    "copy_file_range",
    "ctime_r",
    "dirname",
    "drand48_r",
    "ecvt_r",
    "fcvt_r",
    "fegetenv",
    "fgetpos",
    "fmemopen",
    "frexp",
    "frexpf",
    "frexpl",
    "gcvt",
    "getaddrinfo",
    "gethostname",
    "getitimer",
    "getloadavg",
    "getpwnam_r",
    "getpwuid_r",
    "getsockname",
    "getsockopt",
    "getsubopt",
    "glob",
    "hsearch_r",
    "iconv",
    "inet_aton",
    "inet_ntop",
    "inet_pton",
    "insque",
    "ioctl",
    "lgamma_r",
    "lsearch",
    "mbrtoc16",
    "mbrtoc32",
    "mbrtowc",
    "mbsrtowcs",
    "mbstowcs",
    "mbtowc",
    "memfrob",
    "modf",
    "modff",
    "modfl",
    "open_memstream",
    "random_r",
    "readdir_r",
    "realpath",
    "regcomp",
    "regexec",
    "remquo",
    "scandir",
    "select",
    "sincos",
    "statvfs",
    "strerror_r",
    "strfmon",
    "strfry",
    "strftime",
    "strptime",
    "strtol_l",
    "swab",
    "timerfd_gettime",
    "wcrtomb",
    "wcstol",
    "wcstombs",
    "wctomb",
];

/// What to tell the user of a program with several threads whose memory accesses are looked at.
pub fn note(program: &Program) -> Option<String> {
    let is_known = |import: &&str| FUNCTIONS.binary_search(import).is_ok();
    let names: Vec<&str> = program.imports.iter().map(String::as_str).filter(is_known).collect();
    (!names.is_empty()).then(|| {
        format!(
            "what these functions store through pointers is not seen, so nobody is let run before or behind it: {}",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::symbols;

    #[test]
    fn functions_are_found_by_name_and_nobody_wraps_them() {
        assert!(FUNCTIONS.is_sorted());
        for name in FUNCTIONS {
            assert!(symbols::lookup(name).is_none(), "{name}");
        }
    }
}
