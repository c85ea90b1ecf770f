//! Bytes to text: UTF-8 and UTF-16, with or without a mark, what a page declares, else Windows-1252.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How much of a file is looked at to tell its encoding.
const SNIFF_BYTES: usize = 1024;

/// The text of the bytes. Nothing fails: what has no meaning in the encoding becomes U+FFFD.
pub(super) fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    if let Some(encoding) = guess_utf16(bytes) {
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let encoding = declared_encoding(bytes).unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// Whether every character takes two bytes, so that a zero byte is no sign of anything but text.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    let marked = Encoding::for_bom(bytes).is_some_and(|(encoding, _)| encoding != UTF_8);
    marked || guess_utf16(bytes).is_some()
}

/// Most text in these encodings has a zero in every second byte.
fn guess_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let look = &bytes[..bytes.len().min(SNIFF_BYTES) & !1];
    let zeros = |odd: usize| look.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let most = look.len() / 2 * 2 / 5;
    match (even, odd) {
        _ if look.len() < 4 => None,
        (0, odd) if odd > most => Some(UTF_16LE),
        (even, 0) if even > most => Some(UTF_16BE),
        _ => None,
    }
}

/// What a page or an XML text says of itself: `charset=...` or `encoding="..."`.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let look = String::from_utf8_lossy(&bytes[..bytes.len().min(SNIFF_BYTES)]).to_ascii_lowercase();
    ["charset=", "encoding="].iter().find_map(|word| {
        let (_, rest) = look.split_once(word)?;
        let label = rest.trim_start_matches(['"', '\'', ' ']);
        let end = label.find(['"', '\'', ' ', '>', ';', '?', '/'])?;
        Encoding::for_label(&label.as_bytes()[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, mark: bool, big: bool) -> Vec<u8> {
        let units = mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn every_encoding_becomes_the_same_text() {
        let text = "Zażółć gęślą jaźń, naïve €";
        let mut marked = b"\xEF\xBB\xBF".to_vec();
        marked.extend(text.as_bytes());
        for bytes in [text.as_bytes().to_vec(), marked, utf16(text, true, false), utf16(text, true, true)] {
            assert_eq!(decode(&bytes), text);
        }
        assert_eq!(decode(&utf16("plain text", false, false)), "plain text");
        assert_eq!(decode(&utf16("plain text", false, true)), "plain text");
        assert_eq!(decode(b"na\xEFve \x80"), "naïve €");
    }

    #[test]
    fn a_page_may_name_its_encoding() {
        assert_eq!(decode(b"<meta charset=\"iso-8859-2\">\xB1"), "<meta charset=\"iso-8859-2\">ą");
        assert_eq!(
            decode(b"<?xml version='1.0' encoding='windows-1251'?>\xE6"),
            "<?xml version='1.0' encoding='windows-1251'?>ж"
        );
    }
}
