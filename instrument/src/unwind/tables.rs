//! Finds the unwind entry of an address in a module's `.eh_frame`.
//!
//! The linker's `.eh_frame_hdr` is a sorted table that makes this a binary search. A file without a usable one
//! is searched from its start.

use std::ops::Range;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, EhFrameHdr, EhFrameOffset, FrameDescriptionEntry, ParsedEhFrameHdr,
    UnwindContext, UnwindSection, X86_64,
};

use crate::image::{Area, Image, Reader};

const ADDRESS_SIZE: u8 = 8;

/// The encoding that linkers use for the number of entries. gimli multiplies this number without a
/// check, so wider encodings, which only damaged files have, are not accepted.
const COUNT_AS_U32: u8 = 0x03;

/// The unwind information of one module, in the addresses of its file.
pub(crate) struct UnwindTables {
    pub(super) entries: EhFrame<Reader>,
    index: Option<ParsedEhFrameHdr<Reader>>,
    pub(super) bases: BaseAddresses,
}

/// A function's unwind information together with the section that its rules refer to.
pub(super) struct Entry<'a> {
    pub(super) description: FrameDescriptionEntry<Reader>,
    pub(super) section: &'a EhFrame<Reader>,
    pub(super) bases: &'a BaseAddresses,
}

/// The range of one entry.
#[derive(Clone, Debug)]
pub(crate) struct UnwindRange {
    pub(crate) range: Range<u64>,
    /// It begins within a frame that other code has set up, as the `.cold` parts of functions do.
    pub(crate) is_part: bool,
}

impl UnwindTables {
    /// Reads the tables of a file; `None` if it has none.
    pub(crate) fn new(image: &Image) -> Option<Self> {
        let mut bases = BaseAddresses::default();
        if let Some(text) = image.section(".text") {
            bases = bases.set_text(text.address);
        }
        if let Some(got) = image.section(".got") {
            bases = bases.set_got(got.address);
        }
        let header = image.eh_frame_header().or_else(|| image.section(".eh_frame_hdr"));
        let mut index = None;
        if let Some(header) = header {
            bases = bases.set_eh_frame_hdr(header.address);
            index = parse_index(header, &bases);
        }
        let section = image.section(".eh_frame").or_else(|| {
            let start = index.as_ref()?.eh_frame_ptr().direct().ok()?;
            image.rest_of_segment(start)
        })?;
        let mut entries = EhFrame::from(section.data);
        entries.set_address_size(ADDRESS_SIZE);
        Some(Self { entries, index, bases: bases.set_eh_frame(section.address) })
    }

    /// The entry of the function that contains an address.
    pub(super) fn entry(&self, address: u64) -> Option<Entry<'_>> {
        let description = match &self.index {
            Some(index) => self.indexed(index, address),
            None => self.entries.fde_for_address(&self.bases, address, EhFrame::cie_from_offset).ok(),
        }?;
        Some(Entry { description, section: &self.entries, bases: &self.bases })
    }

    /// The code that shares an entry with an address: a function, or a part of one.
    pub(crate) fn range(&self, address: u64) -> Option<Range<u64>> {
        self.entry(address).map(|entry| range_of(&entry.description))
    }

    /// All functions that have an entry, in the order of the file.
    pub(crate) fn functions(&self) -> Vec<UnwindRange> {
        let mut found = Vec::new();
        let mut context = UnwindContext::new();
        let mut entries = self.entries.entries(&self.bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            let Ok(description) = partial.parse(EhFrame::cie_from_offset) else { continue };
            found.push(UnwindRange {
                range: range_of(&description),
                is_part: !self.starts_at_call(&description, &mut context),
            });
        }
        found
    }

    /// Whether only the return address is on the stack when execution arrives at the start.
    fn starts_at_call(&self, description: &FrameDescriptionEntry<Reader>, context: &mut UnwindContext<usize>) -> bool {
        let Ok(mut rows) = description.rows(&self.entries, &self.bases, context) else { return false };
        let Ok(Some(first)) = rows.next_row() else { return false };
        *first.cfa() == CfaRule::RegisterAndOffset { register: X86_64::RSP, offset: i64::from(ADDRESS_SIZE) }
    }

    fn indexed(&self, index: &ParsedEhFrameHdr<Reader>, address: u64) -> Option<FrameDescriptionEntry<Reader>> {
        let pointer = index.table()?.lookup(address, &self.bases).ok()?;
        let section_start = self.bases.eh_frame.section?;
        let offset = pointer.direct().ok()?.checked_sub(section_start)?;
        let offset = EhFrameOffset(usize::try_from(offset).ok()?);
        self.entries
            .fde_from_offset(&self.bases, offset, EhFrame::cie_from_offset)
            .ok()
            .filter(|description| description.contains(address))
    }
}

/// The code that an entry is about.
fn range_of(description: &FrameDescriptionEntry<Reader>) -> Range<u64> {
    let start = description.initial_address();
    start..start.saturating_add(description.len())
}

fn parse_index(header: Area, bases: &BaseAddresses) -> Option<ParsedEhFrameHdr<Reader>> {
    if header.data.bytes().get(2) != Some(&COUNT_AS_U32) {
        return None;
    }
    let parsed = EhFrameHdr::from(header.data).parse(bases, ADDRESS_SIZE).ok()?;
    parsed.table().is_some().then_some(parsed)
}
