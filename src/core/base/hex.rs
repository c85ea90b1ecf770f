//! Bytes as text, two digits each.

use std::fmt::Write as _;

/// The bytes in lowercase hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_two_digits() {
        assert_eq!((to_hex(&[0, 9, 0xab, 0xff]), to_hex(&[])), ("0009abff".to_owned(), String::new()));
    }
}
