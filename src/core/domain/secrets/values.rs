//! What a value must look like before its name makes it a secret, and what it must not.

use super::scan::is_uuid;

/// Bytes of a value that are judged; what is longer is no less random for it.
const JUDGED_MAX: usize = 256;
/// Shortest value.
const VALUE_MIN: usize = 16;
/// Shortest password.
const PASSWORD_MIN: usize = 8;
/// Fewest digits.
const DIGITS_MIN: usize = 3;
/// Least randomness, in bits per character.
const ENTROPY_MIN: f64 = 3.0;

/// Beginnings of values that are made to be shown.
const PUBLIC_BEGINNINGS: &[&[u8]] =
    &[b"pk_live_", b"pk_test_", b"pk_prod_", b"pk-lf-", b"pk.", b"sb_publishable_", b"ssh-rsa", b"pub_"];

/// True for a value that nobody made up and nobody can read: long, with digits and letters, random, and of no
/// form that is known to be harmless.
pub(super) fn is_secret_like(value: &[u8]) -> bool {
    let judged = &value[..value.len().min(JUDGED_MAX)];
    judged.len() >= VALUE_MIN
        && judged.iter().filter(|byte| byte.is_ascii_digit()).count() >= DIGITS_MIN
        && judged.iter().any(u8::is_ascii_alphabetic)
        && entropy(judged) >= ENTROPY_MIN
        && !is_uuid(value)
        && !PUBLIC_BEGINNINGS.iter().any(|first| value.starts_with(first))
        && !value.ends_with(b".apps.googleusercontent.com")
        && !is_word_like(judged)
}

/// Bits per character, by how often each occurs.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u16; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let length = value.len() as f64;
    let share = |count: &u16| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}

/// True when `text` has a digit and letters of both cases.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
        && text.iter().any(u8::is_ascii_uppercase)
        && text.iter().any(u8::is_ascii_lowercase)
}

/// True for names people and programs give: words, numbers, dates and versions between separators, as in
/// `gpt-4o-mini-2024-07-18`, `eu-west-1.compute.example.com` or `/srv/models/llama-3.1-70b`.
fn is_word_like(value: &[u8]) -> bool {
    let parts = || value.split(|byte| b"-_./".contains(byte)).filter(|part| !part.is_empty());
    parts().count() >= 2 && parts().all(is_plain) && parts().any(is_word)
}

/// A word of at least three letters, one of them a vowel.
fn is_word(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    letters >= 3 && part[..letters].iter().any(|byte| b"aeiouyAEIOUY".contains(byte))
}

/// One case of letters with a short number behind or before it, or a number alone.
fn is_plain(part: &[u8]) -> bool {
    let digits_first = part.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &part[digits_first..];
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let digits_last = rest.len() - letters;
    let word = &rest[..letters];
    let one_case = word.iter().all(u8::is_ascii_uppercase) || word.iter().skip(1).all(u8::is_ascii_lowercase);
    let ends_in_digits = rest[letters..].iter().all(u8::is_ascii_digit);
    let short = match (digits_first, letters, digits_last) {
        (digits, 0, 0) => digits <= 8,
        (0, letters, digits) => letters <= 20 && digits <= 4 && (letters >= 2 || digits <= 2),
        (digits, letters, 0) => digits <= 4 && letters <= 3,
        _ => false,
    };
    one_case && ends_in_digits && short
}

/// Longest value that is judged by how it is mixed.
const MADE_UP_MAX: usize = 256;
/// Signs that stand in secrets and hardly ever in names, addresses and expressions.
const SIGNS: &[u8] = b"!$%^&*+~#";

/// True for a value of eight or more characters of more than one kind that is nothing a person or a program calls
/// things: no identifier, no words, no version, no expression.
pub(super) fn is_made_up(value: &[u8]) -> bool {
    if !(PASSWORD_MIN..=MADE_UP_MAX).contains(&value.len()) || !value.is_ascii() {
        return false;
    }
    let count = |fits: fn(&u8) -> bool| value.iter().filter(|byte| fits(byte)).count();
    let (upper, lower, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    let signs = count(|byte| SIGNS.contains(byte));
    let kinds = [upper, lower, digits, signs].into_iter().filter(|count| *count > 0).count();
    let plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || SIGNS.contains(byte) || b"-_./=:@?".contains(byte);
    kinds >= 2
        && upper + lower > 0
        && value.iter().all(plain)
        && memchr::memmem::find(value, b"://").is_none()
        && !value.starts_with(b"/")
        && !is_uuid(value)
        && !is_stand_in(value)
        && !PUBLIC_BEGINNINGS.iter().any(|first| value.starts_with(first))
        && (signs > 0 || !(is_name_like(value) || is_word_like(value)))
}

/// True for identifiers and for what manuals write: most of the letters stand in words, as in `accessToken2`,
/// `oauth2_refresh` or `YOUR-KEY-HERE`.
fn is_name_like(value: &[u8]) -> bool {
    let (mut letters, mut in_words) = (0, 0);
    let mut rest = value;
    while let Some(first) = rest.first() {
        if !first.is_ascii_alphabetic() {
            rest = &rest[1..];
            continue;
        }
        // A word ends where small letters turn into a capital, or several capitals into a small letter.
        let capitals = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let small = rest[capitals..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let length = match (capitals, small) {
            (0 | 1, small) => capitals + small,
            (capitals, 0) => capitals,
            (capitals, _) => capitals - 1,
        };
        letters += length;
        if is_spoken(&rest[..length]) {
            in_words += length;
        }
        rest = &rest[length..];
    }
    in_words * 4 >= letters * 3
}

/// True for a word of three letters or more that can be said: vowels in it, and no more than three other letters or two
/// vowels too many in a row.
fn is_spoken(word: &[u8]) -> bool {
    let vowel = |byte: u8| b"aeiouyAEIOUY".contains(&byte);
    let mut row = (false, 0);
    let mut most = 0;
    for byte in word {
        row = if vowel(*byte) == row.0 { (row.0, row.1 + 1) } else { (!row.0, 1) };
        most = most.max(row.1);
    }
    word.len() >= 3 && word.iter().any(|byte| vowel(*byte)) && most <= 3
}

/// True for a quoted value that could be a password: letters with a digit or a symbol, in one piece, and neither an
/// address nor the name of a value kept elsewhere. Backslashes do not count, since they come and go with the quoting.
pub(super) fn is_password_like(value: &[u8]) -> bool {
    let has_letter = value.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let has_other = value.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation());
    let in_pieces = value.iter().any(u8::is_ascii_whitespace);
    let address = memchr::memmem::find(value, b"://").is_some() || value.starts_with(b"/");
    value.iter().filter(|byte| **byte != b'\\').count() >= PASSWORD_MIN
        && has_letter
        && (has_other || is_cased(value))
        && !in_pieces
        && !address
        && !is_uuid(value)
        && !is_stand_in(value)
}

/// Letters of both cases that name neither a password nor where one is kept.
fn is_cased(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let names: [&[u8]; 7] = [b"pass", b"pwd", b"secret", b"token", b"cred", b"auth", b"key"];
    value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        // A word that begins a sentence or a label is written so too.
        && value[1..].iter().any(u8::is_ascii_uppercase)
        && !names.iter().any(|name| memchr::memmem::find(&lower, name).is_some())
}

/// True for a value, as it is written between quotation marks, that has a blank or a control character in it.
pub(super) fn has_escaped_blank(value: &[u8]) -> bool {
    value.windows(2).any(|pair| matches!(pair, [b'\\', b'n' | b'r' | b't' | b'f' | b'b']))
        || memchr::memmem::find(value, b"\\u00").is_some()
}

/// True for texts that stand where a secret is put in later: `{{…}}`, `<…>`, `$VAR`, `${VAR}`, `%NAME%`, stars.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    // A password may begin with `$` too, so that only what is plainly a name passes: one case, or no digits.
    let shouted = |bytes: &[u8]| {
        bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
    };
    let spoken = |bytes: &[u8]| bytes.iter().all(|byte| byte.is_ascii_alphabetic() || b"_.".contains(byte));
    let name = |bytes: &[u8]| shouted(bytes) || spoken(bytes);
    match value {
        [] => true,
        [b'{', b'{', .., b'}', b'}'] | [b'<', .., b'>'] | [b'$', b'{', .., b'}'] | [b'{', .., b'}'] => true,
        [b'$', rest @ ..] => name(rest),
        [b'%', rest @ .., b'%'] => rest.len() >= 3 && rest[0].is_ascii_uppercase() && shouted(rest),
        _ if value.starts_with("•".as_bytes()) => true,
        [first, ..] => b"*.xX".contains(first) && value.iter().all(|byte| byte == first),
    }
}
