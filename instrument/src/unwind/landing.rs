//! Where exceptions may continue: the landing pads in the language-specific data of C++ and its relatives.
//!
//! The unwinder puts these addresses into the instruction pointer without any instruction mentioning them. The format
//! is that of the Itanium C++ ABI, which other languages have taken over.

use gimli::{CieOrFde, EhFrame, FrameDescriptionEntry, Pointer, Reader as _, UnwindSection};

use super::tables::UnwindTables;
use crate::image::{Image, Reader};

/// The value is not there.
const OMITTED: u8 = 0xff;
const FORMAT: u8 = 0x0f;
const APPLICATION: u8 = 0x70;
const RELATIVE_TO_ITSELF: u8 = 0x10;

impl UnwindTables {
    /// The landing pads of all functions, in the order of the file. Damaged tables give fewer.
    pub(crate) fn landing_pads(&self, image: &Image) -> Vec<u64> {
        let mut pads = Vec::new();
        let mut entries = self.entries.entries(&self.bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            if let Ok(description) = partial.parse(EhFrame::cie_from_offset) {
                // What was read before the damage is as good as any.
                let _ = add_pads(&description, image, &mut pads);
            }
        }
        pads
    }
}

fn add_pads(description: &FrameDescriptionEntry<Reader>, image: &Image, pads: &mut Vec<u64>) -> Option<()> {
    let Pointer::Direct(address) = description.lsda()? else { return None };
    let area = image.rest_of_segment(address)?;
    let mut table = Table { whole: area.data.clone(), rest: area.data, address };
    let start = match table.byte()? {
        OMITTED => description.initial_address(),
        encoding => table.value(encoding)?,
    };
    if table.byte()? != OMITTED {
        table.rest.read_uleb128().ok()?;
    }
    let encoding = table.byte()?;
    let length = table.rest.read_uleb128().ok()?;
    let end = table.rest.len().checked_sub(usize::try_from(length).ok()?)?;
    while table.rest.len() > end {
        table.value(encoding)?;
        table.value(encoding)?;
        let pad = table.value(encoding)?;
        table.rest.read_uleb128().ok()?;
        if pad != 0 {
            pads.push(start.wrapping_add(pad));
        }
    }
    Some(())
}

/// Encoded values, one after the other.
struct Table {
    whole: Reader,
    rest: Reader,
    /// Of the first byte of the whole.
    address: u64,
}

impl Table {
    fn byte(&mut self) -> Option<u8> {
        self.rest.read_u8().ok()
    }

    fn value(&mut self, encoding: u8) -> Option<u64> {
        let place = self.address + (self.whole.len() - self.rest.len()) as u64;
        let rest = &mut self.rest;
        let value = match encoding & FORMAT {
            0x00 | 0x04 | 0x0c => rest.read_u64().ok()?,
            0x01 => rest.read_uleb128().ok()?,
            0x02 => u64::from(rest.read_u16().ok()?),
            0x03 => u64::from(rest.read_u32().ok()?),
            0x09 => rest.read_sleb128().ok()? as u64,
            0x0a => i64::from(rest.read_i16().ok()?) as u64,
            0x0b => i64::from(rest.read_i32().ok()?) as u64,
            _ => return None,
        };
        match encoding & APPLICATION {
            0 => Some(value),
            RELATIVE_TO_ITSELF => Some(value.wrapping_add(place)),
            _ => None,
        }
    }
}
