//! Values of memory, as a person reads them.

use super::moment::Moment;
use super::names::{Named, Names};
use rscale_instrument::symbols::Value;
use std::fmt::Write as _;

/// Bytes that are shown of what has no type.
const SHOWN: usize = 16;

/// The value that these bytes are of something with a name.
pub fn text(bytes: &[u8], named: &Named, names: &Names, moment: &Moment<'_>) -> String {
    let values = named.place.as_ref().map_or_else(Vec::new, |place| names.values(place, bytes));
    let show = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        Value::Pointer(address) => names.pointer(*address, moment),
    };
    match &values[..] {
        [] => plain(bytes),
        [value] => show(value),
        values => format!("{{{}}}", values.iter().map(show).collect::<Vec<_>>().join(", ")),
    }
}

/// Bytes of unknown meaning: a number where they could be one, else byte by byte.
fn plain(bytes: &[u8]) -> String {
    if matches!(bytes.len(), 1 | 2 | 4 | 8) {
        let number = bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
        return format!("{number:#x}");
    }
    let mut text = String::from("bytes");
    for byte in bytes.iter().take(SHOWN) {
        let _ = write!(text, " {byte:02x}");
    }
    if bytes.len() > SHOWN {
        text.push_str(" ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_without_a_type() {
        assert_eq!(plain(&[0x34, 0x12]), "0x1234");
        assert_eq!(plain(&[0xff; 8]), "0xffffffffffffffff");
        assert_eq!(plain(&[1, 2, 3]), "bytes 01 02 03");
        assert_eq!(plain(&[0; 17]), format!("bytes{} ...", " 00".repeat(16)));
    }
}
