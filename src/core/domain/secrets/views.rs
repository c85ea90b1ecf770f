//! Texts as they are meant: with the escapes of JSON, HTML and addresses taken back, without what nobody sees, in the
//! plain forms of characters, and with base64 unpacked. What is found there is hidden where it stands in the text.
//!
//! Each view is made in one pass and holds no more than the text, and there are a fixed few of them: a scan of all
//! stays linear in the text.

use super::alphabet::{ANY64, CharClass};
use super::scan::{self, SecretMatch};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;

/// Views of views: what was escaped twice is seen too.
const DEPTH_MAX: usize = 2;
/// Shortest run of base64 that can hold a secret.
const BASE64_MIN: usize = 16;
/// Shortest line of base64 behind which it goes on.
const WRAPPED_MIN: usize = 48;
/// Shortest piece of unpacked text that is read.
const UNPACKED_MIN: usize = 8;
/// Longest named character of HTML, between its marks.
const ENTITY_MAX: usize = 8;
/// Longer texts are read as they stand.
const BYTES_MAX: usize = u32::MAX as usize;

const UNPACKER: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The hits in `text`, and those in its views, in order, none overlapping another.
pub(super) fn find_matches(text: &[u8], read: impl Fn(&[u8]) -> Vec<SecretMatch>) -> Vec<SecretMatch> {
    let mut found = read(text);
    found.extend(find_unpacked_matches(text));
    let mut view = View::from_text(text);
    for _ in 0..DEPTH_MAX {
        let Some(seen) = view else { break };
        found.extend(
            read(&seen.text).into_iter().chain(find_unpacked_matches(&seen.text)).map(|hit| seen.place(hit)),
        );
        view = View::from_text(&seen.text).map(|deeper| deeper.through(&seen));
    }
    scan::merge(found)
}

/// A text with parts of it decoded.
struct View {
    text: Vec<u8>,
    /// Where each stretch of the view begins, in order.
    stretches: Vec<Stretch>,
    /// Where the text ends that this is a view of.
    source_end: usize,
}

/// From here on the view is the text byte by byte, or one piece that stands for one of the text.
#[derive(Clone, Copy)]
struct Stretch {
    view: u32,
    source: u32,
    is_whole: bool,
}

impl View {
    /// `None` when nothing in the text is decoded.
    fn from_text(text: &[u8]) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let mut made = Self { text: Vec::new(), stretches: Vec::new(), source_end: text.len() };
        let mut copied = 0;
        let mut at = 0;
        let mut spelled = [0; 64];
        // Most bytes stand for themselves.
        let stands_out = |byte: &u8| matches!(byte, b'\\' | b'&' | b'%') || !byte.is_ascii();
        while let Some(passed) = text[at..].iter().position(stands_out) {
            at += passed;
            let Some((length, decoded)) = decode(&text[at..], &mut spelled) else {
                at += 1;
                continue;
            };
            made.copy(text, copied..at);
            made.put(at, &spelled[..decoded]);
            at += length;
            copied = at;
        }
        if made.stretches.is_empty() {
            return None;
        }
        made.copy(text, copied..text.len());
        Some(made)
    }

    fn begin(&mut self, source: usize, is_whole: bool) {
        // Neither is longer than the text, whose length fits.
        let (view, source) = (self.text.len() as u32, source as u32);
        self.stretches.push(Stretch { view, source, is_whole });
    }

    fn copy(&mut self, text: &[u8], piece: Range<usize>) {
        if !piece.is_empty() {
            self.begin(piece.start, false);
            self.text.extend_from_slice(&text[piece]);
        }
    }

    fn put(&mut self, source: usize, decoded: &[u8]) {
        self.begin(source, true);
        self.text.extend_from_slice(decoded);
    }

    /// The stretch that holds the byte at `at`, and those behind it.
    fn stretch(&self, at: usize) -> (Stretch, &[Stretch]) {
        let behind = self.stretches.partition_point(|stretch| stretch.view as usize <= at);
        (self.stretches[behind.saturating_sub(1)], &self.stretches[behind..])
    }

    fn start_of(&self, at: usize) -> usize {
        let (stretch, _) = self.stretch(at);
        let inside = if stretch.is_whole { 0 } else { at - stretch.view as usize };
        stretch.source as usize + inside
    }

    /// Where what ends at `at` in the view ends in the text.
    fn end_of(&self, at: usize) -> usize {
        let last = at.saturating_sub(1);
        let (stretch, behind) = self.stretch(last);
        if !stretch.is_whole {
            return stretch.source as usize + (last - stretch.view as usize) + 1;
        }
        // Several stretches may stand for parts of one piece.
        let next = behind.iter().find(|next| next.source > stretch.source);
        next.map_or(self.source_end, |next| next.source as usize)
    }

    fn place(&self, hit: SecretMatch) -> SecretMatch {
        SecretMatch { start: self.start_of(hit.start), end: self.end_of(hit.end), ..hit }
    }

    /// A view of `outer`'s text as one of the text under that.
    fn through(self, outer: &Self) -> Self {
        let mut stretches = Vec::with_capacity(self.stretches.len() + outer.stretches.len());
        for (at, stretch) in self.stretches.iter().enumerate() {
            let end = self.stretches.get(at + 1).map_or(outer.text.len(), |next| next.source as usize);
            let begin = stretch.source as usize;
            if stretch.is_whole {
                stretches.push(Stretch { source: outer.start_of(begin) as u32, ..*stretch });
                continue;
            }
            // What is copied here may be decoded there.
            stretches.push(outer.copy_stretch(*stretch, begin));
            let first = outer.stretches.partition_point(|inner| inner.view as usize <= begin);
            for inner in outer.stretches[first..].iter().take_while(|inner| (inner.view as usize) < end) {
                let view = stretch.view + (inner.view - begin as u32);
                stretches.push(Stretch { view, ..*inner });
            }
        }
        Self { text: self.text, stretches, source_end: outer.source_end }
    }

    /// The beginning of a stretch that is copied from `begin` of this view.
    fn copy_stretch(&self, stretch: Stretch, begin: usize) -> Stretch {
        let (within, _) = self.stretch(begin);
        Stretch { source: self.start_of(begin) as u32, is_whole: within.is_whole, ..stretch }
    }
}

/// What an escape or a character at the beginning of `rest` stands for: its length there, and how many bytes of
/// `spelled` it is; `None` for what stands for itself.
fn decode(rest: &[u8], spelled: &mut [u8; 64]) -> Option<(usize, usize)> {
    match rest[0] {
        b'\\' => escape(rest).map(|(length, c)| (length, c.encode_utf8(spelled).len())),
        b'&' => entity(rest).map(|(length, c)| (length, c.encode_utf8(spelled).len())),
        b'%' => {
            let byte = hex(rest.get(1..3)?)?;
            spelled[0] = u8::try_from(byte).ok()?;
            Some((3, 1))
        }
        byte if byte.is_ascii() => None,
        _ => character(rest, spelled),
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| all)?, 16).ok()
}

/// `\u0041`, `\x41` and `\/`. Others, such as `\n`, end what stands beside them and are read as they are written.
fn escape(rest: &[u8]) -> Option<(usize, char)> {
    match rest.get(1)? {
        b'u' => Some((6, char::from_u32(hex(rest.get(2..6)?)?)?)),
        b'x' => Some((4, char::from_u32(hex(rest.get(2..4)?)?)?)),
        b'/' => Some((2, '/')),
        _ => None,
    }
}

/// The named characters that stand in or beside secrets.
const ENTITIES: &[(&[u8], char)] = &[
    (b"amp", '&'),
    (b"lt", '<'),
    (b"gt", '>'),
    (b"quot", '"'),
    (b"apos", '\''),
    (b"nbsp", ' '),
    (b"colon", ':'),
    (b"equals", '='),
    (b"sol", '/'),
    (b"lowbar", '_'),
    (b"hyphen", '-'),
    (b"dash", '-'),
    (b"period", '.'),
    (b"plus", '+'),
    (b"commat", '@'),
    (b"num", '#'),
];

/// `&#45;`, `&#x2d;` and `&amp;`.
fn entity(rest: &[u8]) -> Option<(usize, char)> {
    let inside = &rest[1..rest.len().min(ENTITY_MAX + 3)];
    let end = inside.iter().position(|byte| *byte == b';')?;
    let name = &inside[..end];
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u32>().ok();
    let c = match name {
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(hex(digits)?)?,
        [b'#', digits @ ..] => char::from_u32(number(digits)?)?,
        _ => ENTITIES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((end + 2, c))
}

/// A character that has a plainer form, or that nobody sees.
fn character(rest: &[u8], spelled: &mut [u8; 64]) -> Option<(usize, usize)> {
    let length = match rest[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let c = std::str::from_utf8(rest.get(..length)?).ok()?.chars().next()?;
    if is_unseen(c) {
        return Some((length, 0));
    }
    let mut end = 0;
    for plain in std::iter::once(c).nfkc() {
        if plain == c || end + plain.len_utf8() > spelled.len() {
            return None;
        }
        end += plain.encode_utf8(&mut spelled[end..]).len();
    }
    Some((length, end))
}

/// Characters without width, the soft hyphen among them.
const fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Runs of base64 that hold a secret once they are unpacked.
fn find_unpacked_matches(text: &[u8]) -> Vec<SecretMatch> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !is_data(text[at]) {
            at += 1;
            continue;
        }
        let run = run_at(text, at);
        at = run.end;
        if run.len() >= BASE64_MIN
            && !is_image(&text[..run.start])
            && let Some(family) = family_in(&text[run.clone()])
        {
            found.push(SecretMatch { start: run.start, family, end: run.end });
        }
    }
    found
}

fn is_data(byte: u8) -> bool {
    const DATA: CharClass = ANY64;
    byte != b'=' && DATA.has(byte)
}

/// The run of base64 that begins at `start`, with its padding and over the ends of its lines.
fn run_at(text: &[u8], start: usize) -> Range<usize> {
    let line = |at: usize| at + text[at..].iter().take_while(|byte| is_data(**byte)).count();
    let mut end = line(start);
    let mut begun = start;
    loop {
        let wrap = match text[end..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => break,
        };
        let next = line(end + wrap);
        if end - begun < WRAPPED_MIN || next == end + wrap {
            break;
        }
        (begun, end) = (end + wrap, next);
    }
    end += text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    start..end
}

/// True behind the beginning of an image that is written out.
fn is_image(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(64)..];
    near.ends_with(b";base64,") && memchr::memmem::find(near, b"data:image/").is_some()
}

/// The family of the first secret in a run. What stands before the base64 may belong to its letters too, so that it is
/// unpacked from each of the four places where it can begin.
fn family_in(run: &[u8]) -> Option<super::SecretFamily> {
    let plain: Vec<u8> = run
        .iter()
        .filter_map(|byte| match byte {
            b'-' => Some(b'+'),
            b'_' => Some(b'/'),
            b'\r' | b'\n' | b'=' => None,
            other => Some(*other),
        })
        .collect();
    (0..4).find_map(|from| {
        let data = plain.get(from..)?;
        // A single letter more than whole groups stands for nothing.
        let data = if data.len() % 4 == 1 { &data[..data.len() - 1] } else { data };
        let bytes = UNPACKER.decode(data).ok()?;
        let readable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
        bytes
            .split(|byte| !readable(byte))
            .filter(|piece| piece.len() >= UNPACKED_MIN)
            .find_map(|piece| scan::find_matches(piece).first().map(|hit| hit.family))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(text: &str) -> (String, View) {
        let view = View::from_text(text.as_bytes()).unwrap();
        (String::from_utf8_lossy(&view.text).into_owned(), view)
    }

    #[test]
    fn escapes_and_forms_are_taken_back() {
        for (text, plain) in [
            (r"a\u0073\x6b\/b", "ask/b"),
            ("a&#115;k&#x2D;&amp;&quot;", "ask-&\""),
            ("a%73k%2d", "ask-"),
            ("s\u{200b}k\u{ad}-\u{feff}a", "sk-a"),
            ("ｓｋ－Ａ𝐛", "sk-Ab"),
            ("%4", ""),
            ("&nope;", ""),
            (r"\u12", ""),
            ("é 你", ""),
        ] {
            match View::from_text(text.as_bytes()) {
                Some(view) => assert_eq!(String::from_utf8_lossy(&view.text), plain, "{text}"),
                None => assert!(plain.is_empty(), "{text}"),
            }
        }
    }

    #[test]
    fn places_of_a_view_are_places_of_the_text() {
        let (plain, view) = view(r"ab\u0063d%65f");
        assert_eq!(plain, "abcdef");
        let starts: Vec<usize> = (0..6).map(|at| view.start_of(at)).collect();
        assert_eq!(starts, [0, 1, 2, 8, 9, 12]);
        let ends: Vec<usize> = (1..7).map(|at| view.end_of(at)).collect();
        assert_eq!(ends, [1, 2, 8, 9, 12, 13]);
    }

    #[test]
    fn what_ends_the_text_is_hidden_whole() {
        for end in
            ["…", "²", "ﬁ", "Ｋ", "\\u0039", "&#57;", "%39", "\u{ad}", "…\u{200b}", "&#8230;", "&amp;#57;"]
        {
            let text = format!("Authorization: Bearer aB3dE5fG7hJ9kL2mQQ{end}");
            let shown = super::super::redact(&text).text;
            assert!(
                shown.contains(super::super::PLACEHOLDER) && !shown.contains("aB3dE5"),
                "{text}: {shown}"
            );
            let (plain, view) = view(&text);
            assert!(text.is_char_boundary(view.end_of(plain.len())), "{text}");
        }
    }

    #[test]
    fn places_hold_through_two_views() {
        let text = "x&amp;#115;k%252dy";
        let (first, outer) = view(text);
        assert_eq!(first, "x&#115;k%2dy");
        let (second, inner) = view(&first);
        assert_eq!(second, "xsk-y");
        let through = inner.through(&outer);
        let starts: Vec<usize> = (0..5).map(|at| through.start_of(at)).collect();
        assert_eq!(starts, [0, 1, 11, 12, 17]);
        assert_eq!((through.end_of(2), through.end_of(4), through.end_of(5)), (11, 17, 18));
    }
}
