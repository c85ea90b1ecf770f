//! Values that are secret because of the name beside them.

use super::SecretFamily::{Aws, Azure, ConnectionString, HttpCredential, NamedValue};
use super::addresses;
use super::alphabet::{B64, CharClass, HEX, NAME, QUOTING, TOKEN, VALUE};
use super::scan::{Scan, ScanRule};
use super::values;
use std::ops::Range;

/// Longest part of a name, before and behind the word in it, that is looked at.
const NAME_MAX: usize = 64;
/// Longest quoted password.
const PASSWORD_MAX: usize = 256;
/// How far behind `aws` or `azure` a key may stand without a name of its own.
const NEAR_MAX: usize = 48;
/// Shortest token behind `Bearer`.
const TOKEN_MIN: usize = 16;

/// The words that make a rule look, in any case.
#[rustfmt::skip]
pub(super) const WORDS: &[(&str, ScanRule)] = &[
    ("key", general), ("secret", secret), ("token", general), ("credential", general), ("auth", auth),
    ("password", password), ("passwd", password), ("pwd", password), ("passphrase", password),
    ("aws", aws), ("azure", azure),
    ("curl", addresses::curl),
    ("?api_key=", addresses::query), ("&api_key=", addresses::query),
    ("?apikey=", addresses::query), ("&apikey=", addresses::query),
    ("?api-key=", addresses::query), ("&api-key=", addresses::query),
    ("?access_token=", addresses::query), ("&access_token=", addresses::query),
    ("?sig=", addresses::query), ("&sig=", addresses::query),
];

/// What a name promises of its value.
#[derive(Debug, Clone, Copy, Default)]
struct NameHints {
    secret: bool,
    password: bool,
    authorization: bool,
    aws: bool,
    azure: bool,
}

/// The ends of the names that were judged last, one for each rule: a name with two words is judged once.
#[derive(Debug, Default)]
pub(super) struct NameProgress {
    secret: usize,
    password: usize,
    authorization: usize,
}

/// The mark that closes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteEnd {
    /// None: the value ends where its characters end.
    Unquoted,
    /// This quotation mark, behind so many backslashes.
    Mark(u8, usize),
    /// The end of the text, which is all value.
    EndOfText,
}

fn general(scan: &mut Scan<'_>, word: Range<usize>) {
    find_named_value(scan, word, NameHints { secret: true, ..NameHints::default() });
}

fn secret(scan: &mut Scan<'_>, word: Range<usize>) {
    find_named_value(scan, word, NameHints { secret: true, aws: true, ..NameHints::default() });
}

fn auth(scan: &mut Scan<'_>, word: Range<usize>) {
    find_named_value(scan, word, NameHints { secret: true, authorization: true, ..NameHints::default() });
}

fn password(scan: &mut Scan<'_>, word: Range<usize>) {
    find_named_value(scan, word, NameHints { secret: true, password: true, ..NameHints::default() });
}

fn aws(scan: &mut Scan<'_>, word: Range<usize>) {
    find_nearby_key(scan, word.end, B64, 40);
    find_named_value(scan, word, NameHints { aws: true, ..NameHints::default() });
}

fn azure(scan: &mut Scan<'_>, word: Range<usize>) {
    find_nearby_key(scan, word.end, HEX, 32);
    find_named_value(scan, word, NameHints { azure: true, ..NameHints::default() });
}

/// A key of known length in the same breath as the word: no quotation mark, comma or line between them.
fn find_nearby_key(scan: &mut Scan<'_>, from: usize, class: CharClass, length: usize) {
    let mut at = from;
    while at < from + NEAR_MAX {
        let Some(byte) = scan.byte(at).filter(|byte| !b"\",;{}[]<>'\n\r\\".contains(byte)) else { return };
        scan.runs.work += 1;
        if !class.has(byte) {
            at += 1;
            continue;
        }
        let end = scan.end_of(class, at);
        // A run beside other characters of names is a part of something longer, such as a publishable key.
        let stands_alone = [at.checked_sub(1), Some(end)]
            .into_iter()
            .all(|beside| beside.and_then(|at| scan.byte(at)).is_none_or(|byte| !NAME.has(byte)));
        if end - at == length && stands_alone && is_key(class, &scan.text[at..end]) {
            scan.record(if class == HEX { Azure } else { Aws }, at..end);
        }
        at = end;
    }
}

/// Commit ids have the length of an AWS secret, and a long word that of an Azure key.
fn is_key(class: CharClass, text: &[u8]) -> bool {
    if class == B64 { values::is_mixed(text) } else { text.iter().any(u8::is_ascii_digit) }
}

/// A name in the text that holds one of the words: finds its value.
fn find_named_value(scan: &mut Scan<'_>, word: Range<usize>, promise: NameHints) {
    let end = scan.end_of(NAME, word.end);
    let known = &mut scan.context;
    let news = NameHints {
        secret: promise.secret && known.secret != end,
        password: promise.password && known.password != end,
        authorization: promise.authorization && known.authorization != end,
        ..promise
    };
    if news.secret {
        known.secret = end;
    }
    if news.password {
        known.password = end;
    }
    if news.authorization {
        known.authorization = end;
    }
    if !(news.secret || news.password || news.authorization || news.aws || news.azure) {
        return;
    }
    let Some((value, closed)) = value_after(scan, end, news.authorization) else { return };
    let first =
        scan.text[..word.start].iter().rev().take(NAME_MAX).take_while(|byte| NAME.has(**byte)).count();
    let start = word.start - first;
    let end = end.min(word.end + NAME_MAX);
    scan.runs.work += end - start;
    let text = scan.text;
    evaluate(scan, news, &text[start..end], value, closed);
    if news.password && closed == QuoteEnd::Unquoted {
        addresses::find_list_value(scan, start, value, ConnectionString);
    }
}

/// Where the value of a name begins that ends at `at`, and what closes it.
fn value_after(scan: &mut Scan<'_>, at: usize, may_be_argument: bool) -> Option<(usize, QuoteEnd)> {
    let mark = scan.end_of(QUOTING, at);
    let rest = &scan.text[mark..];
    let marks = rest.iter().take(3).take_while(|byte| b"=:>".contains(byte)).count();
    let mut value = match (marks, rest.first()) {
        (0, Some(b',')) if may_be_argument => mark + 1,
        (0, _) => return None,
        // An arrow that points away, or the second half of a comparison of sizes.
        _ if rest[0] == b'>' => return None,
        _ => mark + marks,
    };
    let blanks =
        |at: usize| scan.text[at..].iter().take(256).take_while(|byte| b" \t".contains(byte)).count();
    value += blanks(value);
    let named_by_colon = scan.text[..value].trim_ascii_end().ends_with(b":");
    if named_by_colon && matches!(scan.byte(value), Some(b'\n' | b'\r')) {
        value += if scan.has(value, "\r\n") { 2 } else { 1 };
        value += blanks(value);
    }
    let escapes = scan.text[value..].iter().take(256).take_while(|byte| **byte == b'\\').count();
    let quote = value + escapes;
    scan.runs.work += 4 + escapes;
    match scan.byte(quote) {
        Some(mark @ (b'"' | b'\'' | b'`')) => Some((quote + 1, QuoteEnd::Mark(mark, escapes))),
        _ => Some((value, QuoteEnd::Unquoted)),
    }
}

/// A name outside the text, such as the key of an object: what its words promise.
pub(super) struct OuterName<'n> {
    name: &'n [u8],
    promise: NameHints,
}

impl<'n> OuterName<'n> {
    pub(super) fn new(name: &'n [u8]) -> Self {
        Self { name, promise: NameHints::default() }
    }

    /// Notes a word of the name.
    pub(super) fn add_word(&mut self, word: &str) {
        let promise = &mut self.promise;
        match word {
            "aws" => promise.aws = true,
            "azure" => promise.azure = true,
            "key" | "token" | "credential" => promise.secret = true,
            "secret" => (promise.secret, promise.aws) = (true, true),
            "auth" => (promise.secret, promise.authorization) = (true, true),
            "password" | "passwd" | "pwd" | "passphrase" => {
                (promise.secret, promise.password) = (true, true);
            }
            _ => {}
        }
    }

    /// Judges the text as the value of the name.
    pub(super) fn evaluate(self, scan: &mut Scan<'_>) {
        let start = scan.text.len() - scan.text.trim_ascii_start().len();
        evaluate(scan, self.promise, self.name, start, QuoteEnd::EndOfText);
    }
}

fn evaluate(scan: &mut Scan<'_>, promise: NameHints, name: &[u8], at: usize, closed: QuoteEnd) {
    if promise.authorization
        && let Some(token) = after_scheme(scan, at)
    {
        let end = scan.end_of(TOKEN, token);
        if end - token >= TOKEN_MIN && !is_shouted(&scan.text[token..end]) {
            scan.record(HttpCredential, token..end);
        }
    }
    let end = scan.end_of(VALUE, at);
    let text = scan.text;
    let value = text[at..end].trim_ascii_end();
    let value = value.strip_suffix(b".").unwrap_or(value);
    let place = at..at + value.len();
    scan.runs.work += value.len().min(NAME_MAX * 4);
    if promise.secret
        && !matches!(scan.byte(end), Some(b'(' | b'@'))
        && values::is_secret_like(value)
        && !is_public_name(name)
    {
        scan.record(NamedValue, place);
    }
    if promise.secret
        && is_secret_name(name)
        && !is_public_name(name)
        && let Some(end) = made_up_end(scan, at, end, closed)
    {
        scan.record(NamedValue, at..end);
    }
    for (promised, class, length) in [(promise.aws, B64, 40), (promise.azure, HEX, 32)] {
        let end = if promised { scan.end_of(class, at) } else { at };
        if end - at == length && is_key(class, &text[at..end]) {
            scan.record(if class == HEX { Azure } else { Aws }, at..end);
        }
    }
    if promise.password
        && !is_password_related(name)
        && let Some(end) = closing(scan, at, closed, values::is_password_like)
    {
        scan.record(NamedValue, at..end);
    }
}

/// The end of a value that somebody made up to be secret: between its marks, or as far as its characters reach.
fn made_up_end(scan: &mut Scan<'_>, at: usize, reach: usize, closed: QuoteEnd) -> Option<usize> {
    if closed != QuoteEnd::Unquoted {
        return closing(scan, at, closed, values::is_made_up);
    }
    // What stands without marks in a program is mostly a name, so that only a whole word of a line counts.
    let stands_alone = scan.byte(reach).is_none_or(|next| b" \t\r\n,;&".contains(&next));
    let value = &scan.text[at..reach];
    (stands_alone && value.iter().any(u8::is_ascii_digit) && values::is_made_up(value)).then_some(reach)
}

/// The farthest end of a quoted value that `fits` and has no blank in it, written as an escape or not.
fn closing(scan: &mut Scan<'_>, at: usize, closed: QuoteEnd, fits: fn(&[u8]) -> bool) -> Option<usize> {
    let ends = closings(scan, at, closed);
    let text = scan.text;
    ends.into_iter().flatten().find(|end| {
        let value = &text[at..*end];
        (closed == QuoteEnd::EndOfText || !values::has_escaped_blank(value)) && fits(value)
    })
}

/// Where a quoted value may end, the farthest place first: where its escapes close it, and at the first mark of its kind. A
/// backslash before that mark may be the last character of the value, and in a file, where it is two, that is how it reads.
fn closings(scan: &mut Scan<'_>, at: usize, closed: QuoteEnd) -> [Option<usize>; 2] {
    let rest = &scan.text[at..];
    let QuoteEnd::Mark(mark, escapes) = closed else {
        let is_value = closed == QuoteEnd::EndOfText && rest.len() <= PASSWORD_MAX;
        return [is_value.then(|| at + rest.trim_ascii_end().len()), None];
    };
    let is_all = rest.len() <= PASSWORD_MAX;
    let rest = &rest[..rest.len().min(PASSWORD_MAX)];
    let mut first = None;
    let mut slashes: usize = 0;
    for (length, byte) in rest.iter().enumerate() {
        scan.runs.work += 1;
        match byte {
            b'\n' => return [None, first],
            b'\\' => {
                slashes += 1;
                continue;
            }
            // A mark of the value itself is behind one backslash more than the mark that closes it, and every
            // backslash of the value is two; each level of quoting around them doubles it all.
            _ if *byte == mark => {
                let end = at + length - slashes.min(escapes);
                first = first.or(Some(end));
                if slashes < escapes || (slashes - escapes).is_multiple_of(2 * (escapes + 1)) {
                    return [Some(end), first];
                }
            }
            _ => {}
        }
        slashes = 0;
    }
    // Nothing closes it but the end of the text, which in a file is the mark that closes the text.
    [is_all.then(|| at + rest.len() - slashes.min(escapes)), first]
}

/// The place behind `Bearer`, `Basic` or `Token` and a blank.
pub(super) fn after_scheme(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let rest = &scan.text[at..];
    let scheme = [&b"bearer"[..], b"basic", b"token"]
        .into_iter()
        .find(|scheme| rest.get(..scheme.len()).is_some_and(|first| first.eq_ignore_ascii_case(scheme)))?;
    let blanks = match &rest[scheme.len()..] {
        [b'%', b'2', b'0', ..] => 3,
        [b'+', ..] => 1,
        blanks => blanks.iter().take(8).take_while(|byte| **byte == b' ').count(),
    };
    (blanks > 0).then_some(at + scheme.len() + blanks)
}

/// `YOUR_API_TOKEN_HERE`: what a manual writes where a secret belongs.
fn is_shouted(token: &[u8]) -> bool {
    token.iter().all(|byte| byte.is_ascii_uppercase() || b"_-".contains(byte))
}

fn fold_name(name: &[u8]) -> Vec<u8> {
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
}

/// Names that end in what a secret is called, so that their value is one.
fn is_secret_name(name: &[u8]) -> bool {
    let name = fold_name(name);
    let ends: [&[u8]; 13] = [
        b"secret",
        b"password",
        b"passwd",
        b"pwd",
        b"passphrase",
        b"token",
        b"apikey",
        b"accesskey",
        b"secretkey",
        b"privatekey",
        b"signingkey",
        b"encryptionkey",
        b"credential",
    ];
    ends.iter().any(|end| name.ends_with(end))
}

/// Names of what everybody may see: public keys, and the ids of clients.
fn is_public_name(name: &[u8]) -> bool {
    let name = fold_name(name);
    memchr::memmem::find(&name, b"publi").is_some()
        || [&b"clientid"[..], b"appid", b"tenantid", b"projectid"].iter().any(|end| name.ends_with(end))
}

/// Names of things that have to do with passwords and are none.
fn is_password_related(name: &[u8]) -> bool {
    let name = fold_name(name);
    let ends: [&[u8]; 12] = [
        b"field",
        b"label",
        b"hint",
        b"placeholder",
        b"policy",
        b"pattern",
        b"regex",
        b"selector",
        b"url",
        b"type",
        b"help",
        b"length",
    ];
    ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::{PLACEHOLDER, first_match, redact};

    #[test]
    fn a_quoted_secret_that_ends_in_a_backslash_is_hidden_and_not_found_in_a_file_either() {
        for text in [
            r"Log in with password='N9lZCIabc1!\' please",
            r"password='N9lZCIabc1!\'",
            r"pwd = `N9lZCIabc1!\` then",
            r#"password: "N9lZCIabc1!\" here"#,
            r#"he wrote \"password\": \"N9lZCIabc1!\\\" there"#,
            "password=\\\"N9lZCIabc1!\\",
            "{\\\"secret\\\": \\\"N9lZCIabc1@h.example/x\\",
        ] {
            let hidden = redact(text).text;
            assert!(hidden.contains(PLACEHOLDER) && !hidden.contains("N9lZCI"), "{text} became {hidden}");
            let written = serde_json::to_string(&hidden).unwrap();
            assert_eq!(first_match(written.as_bytes()), None, "{written}");
        }
    }

    #[test]
    fn a_quoted_secret_with_an_escaped_mark_in_it_is_hidden_to_its_end() {
        let hidden = redact(r"password='abcdefgh1\'xyz!' please").text;
        assert_eq!(hidden, "password='[secret hidden]' please");
    }
}
