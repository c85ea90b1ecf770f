//! The characters secrets are made of, as one table of bits, and where runs of them end.

/// A set of ASCII characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CharClass(u16);

pub(super) const DIGIT: CharClass = CharClass(1);
pub(super) const HEX: CharClass = CharClass(1 << 1);
pub(super) const ALNUM: CharClass = CharClass(1 << 2);
/// `A-Z a-z 0-9 - _`.
pub(super) const B64U: CharClass = CharClass(1 << 3);
/// Ordinary base64 with its padding.
pub(super) const B64: CharClass = CharClass(1 << 4);
/// Either base64, padding included.
pub(super) const ANY64: CharClass = CharClass(1 << 5);
/// `A-Z 2-7`.
pub(super) const BASE32: CharClass = CharClass(1 << 6);
/// `A-Z 0-9`.
pub(super) const UPPER_ALNUM: CharClass = CharClass(1 << 7);
/// What a client secret of Azure may hold.
pub(super) const AZURE: CharClass = CharClass(1 << 8);
/// What may follow `Bearer`.
pub(super) const TOKEN: CharClass = CharClass(1 << 9);
/// What a named value may hold.
pub(super) const VALUE: CharClass = CharClass(1 << 10);
/// What a name may hold.
pub(super) const NAME: CharClass = CharClass(1 << 11);
/// A value in an address: anything up to its end.
pub(super) const QUERY: CharClass = CharClass(1 << 12);
/// Tokens with `.` and `=` in them.
pub(super) const DOTTED: CharClass = CharClass(1 << 13);
/// What stands between a name and its value without ending either.
pub(super) const QUOTING: CharClass = CharClass(1 << 14);

const COUNT: usize = 15;

const TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = bits(at as u8);
        at += 1;
    }
    table
}

const fn bits(byte: u8) -> u16 {
    let alnum = byte.is_ascii_alphanumeric();
    let digit = byte.is_ascii_digit();
    let dash = matches!(byte, b'-' | b'_');
    let plus = matches!(byte, b'+' | b'/' | b'=');
    let query = byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'&' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'{' | b'}' | b'$' | b'\\' | b')' | b']' | b','
        );
    let rows = [
        (DIGIT, digit),
        (HEX, byte.is_ascii_hexdigit()),
        (ALNUM, alnum),
        (B64U, alnum || dash),
        (B64, alnum || plus),
        (ANY64, alnum || plus || dash),
        (BASE32, byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7')),
        (UPPER_ALNUM, byte.is_ascii_uppercase() || digit),
        (AZURE, alnum || dash || matches!(byte, b'~' | b'.')),
        (TOKEN, alnum || plus || dash || matches!(byte, b'.' | b'~')),
        (VALUE, alnum || plus || dash || byte == b'.'),
        (NAME, alnum || dash || byte == b'.'),
        (QUERY, query),
        (DOTTED, alnum || dash || matches!(byte, b'.' | b'=')),
        (QUOTING, matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b' ' | b'\t' | b'\r' | b'\n' | b']')),
    ];
    let mut bits = 0;
    let mut at = 0;
    while at < rows.len() {
        if rows[at].1 {
            bits |= rows[at].0.0;
        }
        at += 1;
    }
    bits
}

impl CharClass {
    /// True when `byte` is of this set.
    pub(super) const fn has(self, byte: u8) -> bool {
        TABLE[byte as usize] & self.0 != 0
    }

    const fn index(self) -> usize {
        self.0.trailing_zeros() as usize
    }
}

/// Where runs of one class of characters end, each found once: the open-ended shapes that begin at many places
/// of one run would else read it again from each of them.
#[derive(Debug, Default)]
pub(super) struct CharRuns {
    last: [CharRun; COUNT],
    /// Bytes that were read, for the proof that a scan is linear.
    pub(super) work: usize,
}

/// A piece of the text that is all of one class.
#[derive(Debug, Clone, Copy, Default)]
struct CharRun {
    start: usize,
    end: usize,
    /// One past the last digit, upper case and lower case letter in it; 0 without.
    digit: usize,
    upper: usize,
    lower: usize,
}

impl CharRun {
    /// True while `at` lies in what was read.
    const fn covers(&self, at: usize) -> bool {
        self.start <= at && at < self.end
    }
}

impl CharRuns {
    /// The end of the run of `class` that holds `at`; `at` itself when it holds another character.
    pub(super) fn end(&mut self, text: &[u8], class: CharClass, at: usize) -> usize {
        self.find(text, class, at).end.max(at)
    }

    /// True when the run of `class` from `at` has a digit and letters of both cases.
    pub(super) fn is_mixed(&mut self, text: &[u8], class: CharClass, at: usize) -> bool {
        let run = self.find(text, class, at);
        run.digit > at && run.upper > at && run.lower > at
    }

    fn find(&mut self, text: &[u8], class: CharClass, at: usize) -> CharRun {
        let known = self.last[class.index()];
        if known.covers(at) {
            return known;
        }
        let mut run = CharRun { start: at, end: at, digit: 0, upper: 0, lower: 0 };
        while let Some(&byte) = text.get(run.end).filter(|byte| class.has(**byte)) {
            if known.covers(run.end) {
                let later = |own: usize, other: usize| if other > run.end { other } else { own };
                run.digit = later(run.digit, known.digit);
                run.upper = later(run.upper, known.upper);
                run.lower = later(run.lower, known.lower);
                run.end = known.end;
                break;
            }
            run.end += 1;
            match byte {
                b'0'..=b'9' => run.digit = run.end,
                b'A'..=b'Z' => run.upper = run.end,
                b'a'..=b'z' => run.lower = run.end,
                _ => {}
            }
            self.work += 1;
        }
        self.work += 1;
        self.last[class.index()] = run;
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_once_from_wherever_it_is_asked() {
        let text = [b"..".as_slice(), &b"aB3-_".repeat(2_000), b".tail"].concat();
        let mut runs = CharRuns::default();
        for at in (2..10_000).rev().step_by(7).chain(2..10_000) {
            assert_eq!(runs.end(&text, B64U, at), 10_002);
            assert_eq!(runs.is_mixed(&text, B64U, at), at <= 9_997, "{at}");
        }
        assert!(runs.work < 25_000, "{}", runs.work);
        assert_eq!(runs.end(&text, B64U, 1), 1);
    }
}
