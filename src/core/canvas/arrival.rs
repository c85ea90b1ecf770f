//! What a canvas has to be beyond what can be read, when it comes in (manual 9.1). A stored one is never asked: what an earlier
//! program took opens, runs and is published as ever.

use super::describe::quote;
use super::{Canvas, CanvasError};
use serde_json::Number;

/// So many characters of a number without an exponent hold no more digits than every reader of JSON keeps.
const SHORT_NUMBER_CHARS: usize = 15;
/// Characters of a number that a sentence repeats.
const NUMBER_SHOWN_CHARS: usize = 40;

impl Canvas {
    /// Refuses numbers that this text of a canvas holds and that would be other ones once they were read: history compares and
    /// keeps what was read, and would say that nothing changed where the text did.
    ///
    /// # Errors
    /// [`CanvasError::LongNumber`] names the first one and its card; or why the text is no canvas.
    pub fn check_numbers(text: &str) -> Result<(), CanvasError> {
        let Some((number, place)) = find_changing_number(text) else { return Ok(()) };
        let canvas = Self::parse(text)?;
        let shown: String = number.chars().take(NUMBER_SHOWN_CHARS).collect();
        Err(CanvasError::LongNumber {
            number: if shown.len() < number.len() { shown + "…" } else { shown },
            place: place
                .and_then(|place| canvas.nodes.get(place))
                .map_or_else(|| "beside the cards".to_owned(), |node| format!("in {}", quote(node.label()))),
        })
    }
}

/// The first number of a JSON text that changes when it is read, and its place in the list `nodes` where it stands in that. The
/// text is walked and not parsed, because a parsed number does not show any more what was written.
fn find_changing_number(text: &str) -> Option<(&str, Option<usize>)> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    let (mut key, mut place) = ("", None);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                at = end_of_string(bytes, at);
                if depth == 1 {
                    key = &text[start..at];
                }
            }
            b'{' | b'[' => {
                if depth == 1 {
                    place = (byte == b'[' && key == "\"nodes\"").then_some(0_usize);
                }
                depth += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth <= 1 {
                    place = None;
                }
            }
            b',' if depth == 2 => place = place.map(|place| place + 1),
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                at += bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                if changes(&text[start..at]) {
                    return Some((&text[start..at], place));
                }
            }
            _ => {}
        }
    }
    None
}

/// The place behind the quotation mark that ends a string whose first byte is at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// True for a number that is worth something else after it was read. How it is written does not count.
fn changes(number: &str) -> bool {
    if number.len() <= SHORT_NUMBER_CHARS && !number.contains(['e', 'E']) {
        return false;
    }
    // What is no number is told by who parses the text.
    let Ok(read) = serde_json::from_str::<Number>(number) else { return false };
    Decimal::parse(number) != Decimal::parse(&read.to_string())
}

/// What a number is worth: digits without zeros at either end, times a power of ten.
#[derive(Debug, PartialEq, Eq, Default)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// `None` for a number whose exponent alone is past all bounds.
    fn parse(number: &str) -> Option<Self> {
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (is_negative, mantissa) =
            mantissa.strip_prefix('-').map_or((false, mantissa), |positive| (true, positive));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let kept = all.trim_end_matches('0');
        let digits = kept.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Self::default());
        }
        let zeros = i64::try_from(all.len() - kept.len()).ok()?;
        let behind_point = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(behind_point)?;
        Some(Self { is_negative, digits: digits.to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> CanvasError {
        Canvas::check_numbers(text).unwrap_err()
    }

    #[test]
    fn a_number_that_stays_what_it_is_comes_in_however_it_is_written() {
        for number in [
            "0",
            "-0",
            "-0.0e400",
            "1.50",
            "0.1",
            "5e-324",
            "1E+3",
            "1e23",
            "9007199254740993",
            "-9223372036854775808",
            "18446744073709551615",
            "123456789012345680000",
            "123.45678901234567",
            "0.30000000000000004",
            "1.7976931348623157e308",
        ] {
            assert!(!changes(number), "{number}");
        }
    }

    #[test]
    fn a_number_that_would_be_another_one_is_found() {
        for number in [
            "12345678901234567890123",
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993.0",
            "0.1000000000000000000001",
            "1e-400",
            "1e-99999999999999999999",
        ] {
            assert!(changes(number), "{number}");
        }
    }

    #[test]
    fn the_card_of_a_number_is_named() {
        let long = "12345678901234567890123";
        let number = long.to_owned();
        let canvas = format!(
            r#"{{"edges":[{{"a":[1,2]}},3],"nodes":[{{"id":"a","x":["9{long}",{{"y":1}}]}},{{"id":"b","data":{{"label":"The \"b\"","n":[0,{long}]}}}}]}}"#
        );
        let place = "in “The \"b\"”".to_owned();
        assert_eq!(fault(&canvas), CanvasError::LongNumber { number: number.clone(), place });
        let beside = format!(r#"{{"nodes":[{{"id":"a"}}],"edges":[],"viewport":{{"zoom":{long}}}}}"#);
        assert_eq!(fault(&beside), CanvasError::LongNumber { number, place: "beside the cards".to_owned() });
        let endless = format!(r#"{{"nodes":[],"edges":[],"x":{}}}"#, "1".repeat(300));
        assert!(fault(&endless).to_string().contains("111…"), "{}", fault(&endless));
    }

    #[test]
    fn digits_in_texts_are_no_numbers() {
        let text =
            r#"{"nodes":[{"id":"\\\"12345678901234567890123"}],"edges":[],"é":"12345678901234567890123"}"#;
        assert_eq!(Canvas::check_numbers(text), Ok(()));
        for broken in ["", "\"", "\"\\", "[[[\"é\\é", "}]},,--1", "é12345678901234567890123"] {
            // What is no canvas is told as that, by whatever reads it.
            assert!(
                !matches!(Canvas::check_numbers(broken), Err(CanvasError::LongNumber { .. })),
                "{broken}"
            );
        }
    }
}
