//! Bytes as text (RFC 4648, section 4).

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes in base64, padded.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    let (groups, rest) = bytes.as_chunks::<3>();
    groups.iter().for_each(|&group| text.extend_from_slice(&digits(group)));
    if !rest.is_empty() {
        let mut group = [0; 3];
        group[..rest.len()].copy_from_slice(rest);
        text.extend_from_slice(&digits(group)[..=rest.len()]);
        text.resize(bytes.len().div_ceil(3) * 4, b'=');
    }
    String::from_utf8(text).unwrap_or_default() // all of them are ASCII
}

/// The digits of three bytes.
fn digits([high, middle, low]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, high, middle, low]);
    [18, 12, 6, 0].map(|place| DIGITS[(bits >> place & 63) as usize])
}

/// The bytes that the text stands for. None if it is no such text.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes().chunks(4) {
        let padding = group.iter().rev().take_while(|&&digit| digit == b'=').count();
        if group.len() != 4 || padding > 2 {
            return None;
        }
        let mut bits = 0;
        for &digit in &group[..4 - padding] {
            bits = bits << 6 | value(digit)?;
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    (encode(&bytes) == text).then_some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    Some(
        match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        }
        .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the RFC, and all digits.
    #[test]
    fn encodes_as_the_rfc_says() {
        let vectors = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(vectors.map(|text| encode(text.as_bytes())), expected);
        assert_eq!(encode(&[0xff, 0xfe, 0xfd, 0x00]), "//79AA==");
        assert_eq!(expected.map(decode), vectors.map(|text| Some(text.as_bytes().to_vec())));
        assert_eq!(["Zg", "Zg=a", "Z===", "Zh==", "Zg==Zg==", "Zm9v\n"].map(decode), [const { None }; 6]);
    }
}
