//! Secrets with an inner structure: web tokens, private keys, and shapes whose letters matter. And images, which hold none.

use super::SecretFamily::{HttpCredential, Jwt, Mail, OpenAi, PrivateKey};
use super::alphabet::{ANY64, B64, B64U, HEX, TOKEN};
use super::context;
use super::scan::Scan;
use super::values;
use memchr::memmem;
use std::ops::Range;

/// Shortest part of a web token.
const TOKEN_PART_MIN: usize = 10;
/// Shortest web token in a second base64.
const ENCODED_TOKEN_MIN: usize = 40;
/// Longest first line of a private key.
const KEY_LINE_MAX: usize = 80;

/// How far the rules here have come, so that what failed or was found once is not read again.
#[derive(Debug, Default)]
pub(super) struct BlockProgress {
    /// No web token begins before this place any more.
    web_token: usize,
    /// The end of the last private key.
    private_key: usize,
}

/// `sk-` and 32 or more characters: with a digit and both cases, or hexadecimal.
pub(super) fn open_ai(scan: &mut Scan<'_>, anchor: Range<usize>) {
    if !scan.can_begin(anchor.start) {
        return;
    }
    let end = scan.end_of(B64U, anchor.end);
    if end - anchor.end < 32 {
        return;
    }
    let text = scan.text;
    let hex_end = scan.end_of(HEX, anchor.end);
    if scan.runs.is_mixed(text, B64U, anchor.end) {
        scan.record(OpenAi, anchor.start..end);
    } else if hex_end - anchor.end >= 32 && scan.can_end(hex_end) {
        scan.record(OpenAi, anchor.start..hex_end);
    }
}

/// Three parts of base64, the first two of which are JSON objects. An encrypted token has two parts more.
pub(super) fn json_web_token(scan: &mut Scan<'_>, anchor: Range<usize>) {
    let start = anchor.start;
    if start < scan.blocks.web_token || !scan.can_begin(start) {
        return;
    }
    let head = scan.end_of(B64U, start);
    // Whatever fails below fails for every later beginning within this part, too.
    scan.blocks.web_token = head;
    if head - start < TOKEN_PART_MIN || !scan.has(head, ".eyJ") {
        return;
    }
    let body = scan.end_of(B64U, head + 1);
    if body - head <= TOKEN_PART_MIN || scan.byte(body) != Some(b'.') {
        return;
    }
    let mut end = scan.end_of(B64U, body + 1);
    if end - body <= TOKEN_PART_MIN {
        return;
    }
    while scan.byte(end) == Some(b'.') {
        let next = scan.end_of(B64U, end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    scan.blocks.web_token = end;
    scan.record(Jwt, start..end);
}

/// A web token that was encoded once more.
pub(super) fn encoded_web_token(scan: &mut Scan<'_>, anchor: Range<usize>) {
    if !scan.can_begin(anchor.start) {
        return;
    }
    let end = scan.end_of(ANY64, anchor.start);
    if end - anchor.start >= ENCODED_TOKEN_MIN {
        scan.record(Jwt, anchor.start..end);
    }
}

/// A private key to its end line; without one, to the end of the text.
pub(super) fn private_key(scan: &mut Scan<'_>, anchor: Range<usize>) {
    if anchor.start < scan.blocks.private_key || !is_private_key_line(scan.text, anchor.end) {
        return;
    }
    let text = scan.text;
    let mut end = text.len();
    for found in memmem::find_iter(&text[anchor.end..], "-----END ") {
        let label = anchor.end + found + "-----END ".len();
        if is_private_key_line(text, label) {
            let line = &text[label..text.len().min(label + KEY_LINE_MAX)];
            let dashes = memmem::find(line, b"-----").unwrap_or(line.len());
            end = (label + dashes + "-----".len()).min(text.len());
            break;
        }
    }
    scan.runs.work += end - anchor.end;
    scan.blocks.private_key = end;
    scan.record(PrivateKey, anchor.start..end);
}

/// True when the rest of the line that begins a block says that it is a private key.
fn is_private_key_line(text: &[u8], at: usize) -> bool {
    let line = &text[at..text.len().min(at + KEY_LINE_MAX)];
    let label = memmem::find(line, b"-----").map(|end| &line[..end]);
    label.is_some_and(|label| memmem::find(label, b"PRIVATE KEY").is_some())
}

/// The token of a bot: three parts of which only the lengths are known, so the letters must look random.
pub(super) fn discord(scan: &mut Scan<'_>, anchor: Range<usize>) {
    let dot = anchor.start;
    let second_dot = dot + 7;
    if scan.byte(second_dot) != Some(b'.')
        || !scan.text[dot + 1..second_dot].iter().all(|byte| B64U.has(*byte))
    {
        return;
    }
    let count = |bytes: &mut dyn Iterator<Item = &u8>, most: usize| {
        bytes.take(most).take_while(|byte| B64U.has(**byte)).count()
    };
    let before = count(&mut scan.text[..dot].iter().rev(), 28);
    let last = count(&mut scan.text[second_dot + 1..].iter(), 38);
    scan.runs.work += before + last;
    let Some(first) = (24..=before).rev().find(|length| scan.can_begin(dot - length)) else { return };
    let place = dot - first..second_dot + 1 + last;
    if last >= 27 && scan.can_end(place.end) && values::is_mixed(&scan.text[place.clone()]) {
        scan.record(Mail, place);
    }
}

/// The first characters of real images in base64; data that claims to be an image without them is read like any text.
const IMAGE_BEGINNINGS: &[&str] = &[
    "iVBORw0KGgo",
    "/9j/",
    "R0lGOD",
    "UklGR",
    "Qk",
    "AAABAA",
    "PHN2Zy",
    "PD94bWwg",
    "AAAA",
    "SUkq",
    "TU0AK",
];

/// An image in the text: its data is passed over.
pub(super) fn image(scan: &mut Scan<'_>, anchor: Range<usize>) {
    let head = &scan.text[anchor.end..scan.text.len().min(anchor.end + 100)];
    let head_length = head.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b',').count();
    let data = anchor.end + head_length + 1;
    if !head[..head_length].ends_with(b";base64")
        || !IMAGE_BEGINNINGS.iter().any(|first| scan.has(data, first))
    {
        return;
    }
    let end = scan.end_of(B64, data);
    scan.pass_over(data..end);
}

/// A text that is an authorization value and nothing else, as in a list or in a row of headers.
pub(super) fn whole_text(scan: &mut Scan<'_>) {
    let start = scan.text.len() - scan.text.trim_ascii_start().len();
    let Some(token) = context::after_scheme(scan, start) else { return };
    let end = scan.end_of(TOKEN, token);
    let is_all = scan.text[end..].trim_ascii_start().is_empty();
    let value = &scan.text[token..end];
    if is_all && value.len() >= 16 && (values::is_mixed(value) || values::is_secret_like(value)) {
        scan.record(HttpCredential, token..end);
    }
}
