//! The bytes of a region, as [`rscale_protocol::region`] lays them out.

use std::mem::offset_of;

use rscale_protocol::region::{Area, Header, MAGIC, Site, Span};

use super::code::Code;

pub(super) const PAGE: usize = 4096;
const WORD: usize = 8;

/// Appends a part that begins at a multiple of eight.
pub(super) fn append(code: &mut Code, length: usize, fill: impl FnOnce(&mut Vec<u8>)) -> Span {
    code.align(WORD, 0);
    let offset = code.offset();
    code.bytes.reserve(length);
    fill(&mut code.bytes);
    Span { offset, length: code.offset() - offset }
}

/// A hook in its place in the array.
pub(super) fn put_site(bytes: &mut Vec<u8>, site: &Site) {
    bytes.extend_from_slice(&site.returns_to.to_le_bytes());
    bytes.extend_from_slice(&site.original_end.to_le_bytes());
    bytes.extend_from_slice(&[site.kind, site.shape]);
    bytes.extend_from_slice(&site.size.to_le_bytes());
    bytes.extend_from_slice(&[site.flags, site.register, site.length, site.string]);
}

/// Writes the header over the start of the region; the slots stay empty.
pub(super) fn write_header(bytes: &mut [u8], header: &Header) {
    let words = [
        (offset_of!(Header, magic), MAGIC),
        (offset_of!(Header, base), header.base),
        (offset_of!(Header, bias), header.bias),
        (offset_of!(Header, length), header.length),
        (offset_of!(Header, code), packed(header.code)),
        (offset_of!(Header, sites), packed(header.sites)),
        (offset_of!(Header, patches), packed(header.patches)),
        (offset_of!(Header, is_partial), header.is_partial),
    ];
    words.into_iter().for_each(|(offset, word)| write(bytes, offset, word));
    for (index, area) in header.areas.iter().enumerate() {
        let offset = offset_of!(Header, areas) + index * size_of::<Area>();
        write(bytes, offset + offset_of!(Area, start), area.start);
        write(bytes, offset + offset_of!(Area, length), area.length);
        write(bytes, offset + offset_of!(Area, table), packed(area.table));
    }
}

/// A span as one word, in the order of its fields.
fn packed(span: Span) -> u64 {
    u64::from(span.offset) | u64::from(span.length) << 32
}

fn write(bytes: &mut [u8], offset: usize, word: u64) {
    bytes[offset..offset + WORD].copy_from_slice(&word.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_takes_as_many_bytes_as_in_memory() {
        let site = Site {
            returns_to: 1,
            original_end: 2,
            kind: 3,
            shape: 4,
            size: 5,
            flags: 6,
            register: 7,
            length: 8,
            string: 9,
        };
        let mut bytes = Vec::new();
        put_site(&mut bytes, &site);
        assert_eq!(bytes.len(), size_of::<Site>());
        assert_eq!(bytes[offset_of!(Site, size)], 5);
        assert_eq!(bytes[offset_of!(Site, length)], 8);
        assert_eq!(bytes[offset_of!(Site, string)], 9);
    }
}
