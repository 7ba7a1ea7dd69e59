//! `rscale list`: everything that has a name, out of the registries.

use super::print_text;
use super::run_help::filter_usage;
use crate::exit::{Exit, Failure};
use crate::{filters, property};
use clap::Args;
use rscale_protocol::MemoryModel;
use rscale_protocol::symbols::{self, Status};
use std::fmt::Write as _;

/// List filters, properties, memory models, wrapped functions
#[derive(Args, Debug)]
pub struct ListArgs {}

/// Prints the list.
pub fn execute() -> Result<Exit, Failure> {
    print_text(&render())?;
    Ok(Exit::Clean)
}

fn render() -> String {
    let filters = filters::listed().map(|filter| (filter_usage(filter), filter.summary.to_owned()));
    let properties =
        property::registry().iter().map(|property| (property.name.to_owned(), property.summary.to_owned()));
    let memory = MemoryModel::ALL.map(|model| (model.name().to_owned(), about(model).to_owned()));
    let functions = symbols::ALL.iter().map(|symbol| {
        let status = match symbol.status {
            Status::Modelled => "modelled",
            Status::Harmless => "harmless",
            Status::Unsupported => "unsupported",
        };
        let note = if symbol.note.is_empty() { String::new() } else { format!(": {}", symbol.note) };
        (symbol.name.to_owned(), format!("{status}{note}"))
    });
    let mut text = String::new();
    section(&mut text, "filters (--filters)", filters.collect());
    section(&mut text, "properties", properties.collect());
    section(&mut text, "memory models (--memory)", memory.into());
    section(&mut text, "functions", functions.collect());
    text
}

fn about(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "sequential consistency: every load sees the last store",
        MemoryModel::Tso => "total store order, as x86 has it: a thread's stores become visible later, in their order",
        MemoryModel::Pso => "partial store order: stores to different locations become visible in any order",
    }
}

fn section(text: &mut String, title: &str, rows: Vec<(String, String)>) {
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{title}");
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, summary) in rows {
        let _ = writeln!(text, "  {name:width$}  {summary}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_registered_is_listed() {
        let text = render();
        let titles =
            ["filters (--filters)\n", "\nproperties\n", "\nmemory models (--memory)\n  sc   ", "\nfunctions\n"];
        assert!(titles.iter().all(|title| text.contains(title)), "{text}");
        assert!(filters::registry().iter().all(|filter| text.contains(filter.summary) != filter.is_test()));
        assert!(property::registry().iter().all(|property| text.contains(property.summary)));
        assert!(symbols::ALL.iter().all(|symbol| text.contains(symbol.name)));
    }

    #[test]
    fn names_are_aligned() {
        let mut text = String::new();
        section(&mut text, "things", vec![("a".into(), "first".into()), ("bcd".into(), "second".into())]);
        assert_eq!(text, "things\n  a    first\n  bcd  second\n");
    }
}
