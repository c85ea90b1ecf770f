//! Secrets in addresses and commands: passwords before a host, values of a query, `curl -u`, `;` lists.

use super::SecretFamily::{self, ConnectionString, HttpCredential};
use super::alphabet::QUERY;
use super::scan::Scan;
use super::values;
use std::ops::Range;

/// Longest user name and password of an address.
const USER_INFO_MAX: usize = 512;
/// Shortest value of a query.
const QUERY_MIN: usize = 16;
/// Longest command line that is looked at.
const COMMAND_MAX: usize = 1_024;
/// Longest value in a `;` list.
const LISTED_MAX: usize = 256;

/// `scheme://user:password@host`, whatever the scheme.
pub(super) fn connection(scan: &mut Scan<'_>, anchor: Range<usize>) {
    let text = scan.text;
    let info = &text[anchor.end..text.len().min(anchor.end + USER_INFO_MAX)];
    let user = info.iter().take_while(|byte| !is_address_end(**byte) && !b":/?#@\\".contains(byte)).count();
    scan.runs.work += user;
    if info.get(user) != Some(&b':') {
        return;
    }
    let rest = &info[user + 1..];
    let whole = address_length(rest);
    let authority = rest[..whole].iter().position(|byte| b"/?#".contains(byte)).unwrap_or(whole);
    scan.runs.work += whole;
    let port = rest[..authority].iter().all(u8::is_ascii_digit);
    let at_sign = |part: &[u8]| part.iter().rposition(|byte| *byte == b'@');
    // A password may hold, written raw by mistake, what ends an authority. Then `user:` is followed by no port.
    let Some(length) = at_sign(&rest[..authority]).or_else(|| at_sign(&rest[..whole]).filter(|_| !port))
    else {
        return;
    };
    if length > 0 && !values::is_stand_in(&rest[..length]) {
        let start = anchor.end + user + 1;
        scan.record(ConnectionString, start..start + length);
    }
}

/// Up to a blank, a quotation mark, or a line break, escaped or not.
fn address_length(rest: &[u8]) -> usize {
    let ends = |at: &usize| {
        is_address_end(rest[*at]) || matches!(rest[*at..], [b'\\', b'n' | b'r' | b't' | b'"' | b'\'', ..])
    };
    (0..rest.len()).find(ends).unwrap_or(rest.len())
}

const fn is_address_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>')
}

/// `?api_key=…` and its like.
pub(super) fn query(scan: &mut Scan<'_>, name: Range<usize>) {
    let end = scan.end_of(QUERY, name.end);
    if end - name.end >= QUERY_MIN {
        scan.record(HttpCredential, name.end..end);
    }
}

/// `curl … -u user:password`, to the end of the line or of the next, if the line goes on.
pub(super) fn curl(scan: &mut Scan<'_>, word: Range<usize>) {
    let text = scan.text;
    let from = word.end.max(scan.curl_read);
    let limit = text.len().min(word.end + COMMAND_MAX);
    let mut at = from;
    while at < limit && (text[at] != b'\n' || is_continued(&text[..at])) {
        if text[at - 1].is_ascii_whitespace()
            && let Some(place) = basic_credentials(text, at)
        {
            scan.record(HttpCredential, place);
        }
        at += 1;
    }
    scan.runs.work += at.saturating_sub(from);
    scan.curl_read = at.max(scan.curl_read);
}

/// True when the line before a line break goes on behind it.
fn is_continued(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

/// The password of an argument `-u user:password` that begins at `at`.
fn basic_credentials(text: &[u8], at: usize) -> Option<Range<usize>> {
    let option = ["--user", "-u"].into_iter().find(|option| text[at..].starts_with(option.as_bytes()))?;
    let mut start = at + option.len();
    start += text[start..].iter().take(8).take_while(|byte| b" =".contains(byte)).count();
    start += text[start..].iter().take(4).take_while(|byte| b"\\\"'".contains(byte)).count();
    let quoted = matches!(text[start - 1], b'"' | b'\'');
    let ends = |byte: &u8| b"\"'\\\n\r".contains(byte) || (!quoted && byte.is_ascii_whitespace());
    let argument = &text[start..text.len().min(start + LISTED_MAX)];
    let argument = &argument[..argument.iter().position(ends).unwrap_or(argument.len())];
    let user = argument.iter().position(|byte| *byte == b':')?;
    let password = &argument[user + 1..];
    let place = start + user + 1..start + argument.len();
    (!values::is_stand_in(password)).then_some(place)
}

/// The value at `at` of a password whose name begins at `name`, when both stand in a `;` list.
pub(super) fn find_list_value(scan: &mut Scan<'_>, name: usize, at: usize, family: SecretFamily) {
    let text = scan.text;
    let rest = &text[at..text.len().min(at + LISTED_MAX)];
    let ends = |byte: &u8| b";\"'`\n\r\\<>(){}".contains(byte);
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    scan.runs.work += length;
    let value = rest[..length].trim_ascii_end();
    let assigned = text[..at].trim_ascii_end().ends_with(b"=");
    let before = text[..name].iter().rev().take(8).find(|byte| **byte != b' ');
    let more = &rest[length..];
    // `;Next Name=` goes on with the list; a `;` alone ends a statement of a program.
    let next = more
        .iter()
        .skip(1)
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b' ')
        .count();
    let listed = before == Some(&b';')
        || (more.first() == Some(&b';') && next > 1 && more.get(1 + next) == Some(&b'='));
    let called = more.first().is_some_and(|byte| b"({".contains(byte));
    if assigned && listed && !called && !value.is_empty() && !values::is_stand_in(value) {
        scan.record(family, at..at + value.len());
    }
}
