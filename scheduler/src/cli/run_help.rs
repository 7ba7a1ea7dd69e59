//! What `rscale run --help` says beyond the options.

use crate::filters::{self, FilterInfo};
use crate::report::wrap;

/// The end of `rscale run --help`: the filters there are, and examples.
pub fn after_help() -> String {
    let names: Vec<String> = filters::listed().map(filter_usage).collect();
    let filters = wrap(&format!("Filters: {} (rscale list explains them)", names.join(", ")), 80, 9);
    filters.join("\n")
        + "\n\nExamples:\n  rscale run test.c --keep-going --time-limit 30s -- 4 fast\n  \
           rscale run ./a.out --filters db=30 --json result.json"
}

/// A filter as it is typed.
pub fn filter_usage(filter: &FilterInfo) -> String {
    match filter.argument.map(|argument| (argument, argument.trim_matches(['[', ']']))) {
        None => filter.name.to_owned(),
        Some((argument, bare)) if bare != argument => format!("{}[={bare}]", filter.name),
        Some((argument, _)) => format!("{}={argument}", filter.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_is_in_the_help() {
        let help = after_help();
        assert!(filters::registry().iter().all(|filter| help.contains(filter.name) != filter.is_test()), "{help}");
    }
}
