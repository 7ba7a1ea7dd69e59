//! Functions, lines and inlined calls from DWARF, by `addr2line`.

use std::sync::Arc;

use addr2line::{Context, Frame};
use gimli::{Dwarf, Reader as _};

use super::SourceFrame;
use crate::image::Reader;

/// More inlined calls at one address than this are the work of a damaged file.
const MAX_INLINED: usize = 256;

/// The line tables of one module.
pub(super) struct Lines {
    context: Context<Reader>,
}

impl Lines {
    /// `None` if the debug information is damaged as a whole.
    pub(super) fn new(dwarf: Arc<Dwarf<Reader>>) -> Option<Self> {
        Some(Self { context: Context::from_arc_dwarf(dwarf).ok()? })
    }

    /// The frames of an address in the file's terms, innermost first; empty if nothing is known.
    pub(super) fn frames(&self, address: u64) -> Vec<SourceFrame> {
        let mut frames = Vec::new();
        let Ok(mut found) = self.context.find_frames(address).skip_all_loads() else {
            return frames;
        };
        let directory = self.compilation_directory(address);
        while frames.len() < MAX_INLINED
            && let Ok(Some(frame)) = found.next()
        {
            frames.push(source_frame(&frame, directory.clone(), address));
        }
        frames
    }

    fn compilation_directory(&self, address: u64) -> Option<String> {
        let unit = self.context.find_dwarf_and_unit(address).skip_all_loads()?;
        let directory = unit.comp_dir.as_ref()?.to_string_lossy().ok()?;
        Some(directory.into_owned())
    }
}

fn source_frame(frame: &Frame<'_, Reader>, directory: Option<String>, address: u64) -> SourceFrame {
    let location = frame.location.as_ref();
    let function = frame.function.as_ref().and_then(|function| {
        let symbol = function.raw_name().ok()?;
        Some(crate::mangled::source_name(&symbol).into_owned())
    });
    SourceFrame {
        function,
        file: location.and_then(|location| Some(location.file?.to_owned())),
        line: location.and_then(|location| location.line.filter(|line| *line > 0)),
        column: location.and_then(|location| location.column.filter(|column| *column > 0)),
        directory,
        ..SourceFrame::unknown(address)
    }
}
