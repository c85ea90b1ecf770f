//! Files that are whole, and others: made here, by another program, and those that are published for programs like this one.

use super::header::make_header_with;
use super::keys::FileKey;
use super::pieces::{NONCE_BYTES, PIECE_BYTES, SEALED_PIECE_BYTES};
use super::{AgeError, AgeReader, AgeWriter};
use crate::base::hex::to_hex;
use crate::domain::service::passphrase::Passphrase;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::Command;
use zeroize::Zeroizing;

/// Little work, so that thousands of files are opened in a moment.
const WORK: u8 = 2;

fn passphrase(text: &str) -> Passphrase {
    Passphrase::parse(Zeroizing::new(text.as_bytes().to_vec())).unwrap()
}

/// A file with this content, written in portions of `portion` bytes.
fn seal_in_portions(content: &[u8], portion: usize) -> Vec<u8> {
    let (header, key) = make_header_with(&passphrase("correct horse"), WORK).unwrap();
    let mut writer = AgeWriter::begin_with(Vec::new(), &header, &key).unwrap();
    for portion in content.chunks(portion) {
        writer.write_all(portion).unwrap();
        writer.flush().unwrap();
    }
    writer.finish().unwrap()
}

fn seal(content: &[u8]) -> Vec<u8> {
    seal_in_portions(content, usize::MAX)
}

/// What a file says before it ends or fails, and how it fails.
fn open_with(file: &[u8], text: &str) -> (Vec<u8>, Result<(), AgeError>) {
    let mut content = Vec::new();
    let done =
        AgeReader::open(file, &passphrase(text)).and_then(|mut reader| drain(&mut reader, &mut content));
    (content, done)
}

fn drain(reader: &mut AgeReader<impl io::Read>, content: &mut Vec<u8>) -> Result<(), AgeError> {
    let read = reader.read_to_end(content);
    let Err(error) = read else { return Ok(()) };
    assert!(reader.read(&mut [0]).is_err(), "it never ends well after that");
    match AgeError::find_in(&error) {
        Some(AgeError::Damaged(what)) => Err(AgeError::Damaged(what)),
        other => panic!("{other:?}"),
    }
}

fn open(file: &[u8]) -> Result<Vec<u8>, AgeError> {
    let (content, done) = open_with(file, "correct horse");
    done.map(|()| content)
}

fn content_of(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn header_length(file: &[u8]) -> usize {
    let end = file.windows(4).position(|bytes| bytes == b"--- ").unwrap();
    end + file[end..].iter().position(|byte| *byte == b'\n').unwrap() + 1
}

#[test]
fn files_of_another_program_open() {
    // Made with the package age-encryption 0.3.1 of npm, which the author of the format wrote in TypeScript.
    let files = [
        (
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBNODVKV2RMbE9kam5aRnM2WnF3UUVRIDEwCmpneWRVaHNmZ0dyamJSKzhRNWdXTG0rSkE5TSs5\
             TGVzNElDdzBZdEpXdmsKLS0tIFlTOGJpc2RqTDdEODdRdEdoYUhGWWQyWFRNN0wxM3lBWjQ0eENJR3M5SFEKIDu+cFix21O/sw5pgcbu3Pd54uSUWqkv\
             qlMToMXD9eE2jmsHnV1JEkSukMOCQ580od9dFYa3Dg==",
            "correct horse battery staple",
            "Kept by somebody else.\n",
        ),
        (
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBzTUVDZXhpL1BEMGtJY0RZVEhNWUx3IDIKcmQvejBkWnVZR2xJci9TRkpOazNHN0prYkN4OFJ3\
             NVJjUkNaY2Z6aGkxRQotLS0gQnFaTnFEMks0VWZGYlkyVkF4aW5qRHBla244MjNVQkc0YnFlcFdOckk2QQrSE64v95fPNxXZ2sSPd0SiTZ1THJEPT6uP\
             8YKYdJaaCA==",
            "Größe",
            "",
        ),
    ];
    for (file, text, expected) in files {
        let (content, done) = open_with(&STANDARD.decode(file).unwrap(), text);
        assert!(done.is_ok(), "{done:?}");
        assert_eq!(content, expected.as_bytes());
    }
}

#[test]
fn contents_of_every_length_at_a_border_of_pieces_come_out_as_they_went_in() {
    for pieces in 0..=3_usize {
        for length in [0_i64, -2, -1, 1, 2].map(|off| (pieces * PIECE_BYTES) as i64 + off) {
            let Ok(length) = usize::try_from(length) else { continue };
            let content = content_of(length);
            let file = seal(&content);
            assert_eq!(open(&file).unwrap(), content, "{length}");
            // An empty content has a piece, a full one is not followed by an empty one.
            let expected = length.div_ceil(PIECE_BYTES).max(1) * (SEALED_PIECE_BYTES - PIECE_BYTES) + length;
            assert_eq!(file.len() - header_length(&file) - NONCE_BYTES, expected, "{length}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn it_does_not_matter_in_which_portions_a_file_is_written_and_read(
        length in 0..3 * PIECE_BYTES,
        written in 1..2 * PIECE_BYTES,
        read in 1..2 * PIECE_BYTES,
    ) {
        let content = content_of(length);
        let file = seal_in_portions(&content, written);
        let mut reader = AgeReader::open(file.as_slice(), &passphrase("correct horse")).unwrap();
        let (mut found, mut portion) = (Vec::new(), vec![0; read]);
        loop {
            let count = reader.read(&mut portion).unwrap();
            if count == 0 {
                break;
            }
            found.extend_from_slice(&portion[..count]);
        }
        prop_assert_eq!(found, content);
    }

    #[test]
    fn a_file_in_which_a_bit_is_another_one_does_not_open(
        length in 0..2 * PIECE_BYTES + 100,
        at in any::<prop::sample::Index>(),
        bit in 0..8_u32,
    ) {
        let mut file = seal(&content_of(length));
        let at = at.index(file.len());
        file[at] ^= 1 << bit;
        prop_assert!(open(&file).is_err(), "byte {}, bit {}", at, bit);
    }

    #[test]
    fn a_file_that_is_cut_off_does_not_open(
        length in 0..2 * PIECE_BYTES + 100,
        at in any::<prop::sample::Index>(),
    ) {
        let file = seal(&content_of(length));
        prop_assert!(open(&file[..at.index(file.len())]).is_err());
    }

    #[test]
    fn what_is_no_file_of_this_kind_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(open(&bytes).is_err());
        prop_assert!(open(&[b"age-encryption.org/v1\n-> scrypt ", bytes.as_slice()].concat()).is_err());
    }
}

#[test]
fn a_short_file_in_which_any_bit_is_another_one_or_any_byte_missing_does_not_open() {
    let whole = seal(b"rows");
    assert_eq!(open(&whole).unwrap(), b"rows");
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut file = whole.clone();
            file[at] ^= 1 << bit;
            assert!(open(&file).is_err(), "byte {at}, bit {bit}");
        }
        assert!(open(&whole[..at]).is_err(), "cut off at {at}");
        let without = [&whole[..at], &whole[at + 1..]].concat();
        assert!(open(&without).is_err(), "without byte {at}");
    }
    assert!(open(&[&whole[..], b"x"].concat()).is_err(), "something follows");
}

#[test]
fn pieces_that_are_elsewhere_missing_or_there_twice_are_found_before_they_are_given() {
    let content = content_of(4 * PIECE_BYTES);
    let file = seal(&content);
    let (head, body) = file.split_at(header_length(&file) + NONCE_BYTES);
    let pieces: Vec<&[u8]> = body.chunks(SEALED_PIECE_BYTES).collect();
    for (order, good) in [
        (&[0, 2, 1, 3][..], 1),
        (&[1, 0, 2, 3], 0),
        (&[0, 1, 2], 2),
        (&[0, 1, 3], 2),
        (&[0, 0, 1, 2, 3], 1),
        (&[0, 1, 2, 3, 3], 3),
        (&[3], 0),
        (&[], 0),
    ] {
        let parts: Vec<&[u8]> = order.iter().map(|at: &usize| pieces[*at]).collect();
        let (found, done) = open_with(&[head, &parts.concat()].concat(), "correct horse");
        assert!(matches!(done, Err(AgeError::Damaged(_))), "{order:?}: {done:?}");
        assert_eq!(found, content[..good * PIECE_BYTES], "{order:?}");
    }
    let other = seal(&content);
    let mixed = [&file[..head.len()], &other[head.len()..]].concat();
    assert!(matches!(open(&mixed), Err(AgeError::Damaged(_))), "pieces of another file");
}

#[test]
fn another_passphrase_does_not_open_a_file() {
    let file = seal(b"rows");
    for text in ["correct hors", "correct horse ", "Correct horse", "x"] {
        let (found, done) = open_with(&file, text);
        assert!(found.is_empty() && matches!(done, Err(AgeError::WrongPassphrase)), "{text}: {done:?}");
    }
}

#[test]
fn a_header_that_asks_for_much_of_the_machine_is_refused_before_anything_is_done() {
    let file = seal(b"");
    let file = String::from_utf8(file[..header_length(&file)].to_vec()).unwrap();
    for work in ["21", "22", "63", "255", "256", "99999999999999999999999999"] {
        let asking = file.replacen(&format!(" {WORK}\n"), &format!(" {work}\n"), 1);
        let refused = open(asking.as_bytes());
        assert!(matches!(refused, Err(AgeError::TooMuchWork { .. })), "{work}: {refused:?}");
    }
    for work in ["", "0", "02", "+2", "-2", " 2", "2 ", "0x2", "two", "2 2"] {
        let asking = file.replacen(&format!(" {WORK}\n"), &format!(" {work}\n"), 1);
        let refused = open(asking.as_bytes());
        assert!(matches!(refused, Err(AgeError::Damaged(_))), "{work}: {refused:?}");
    }
    let endless = [&b"age-encryption.org/v1\n-> scrypt "[..], &[b'a'; 100_000]].concat();
    assert!(matches!(open(&endless), Err(AgeError::Damaged(_))));
}

#[test]
fn other_versions_and_other_kinds_of_keys_are_told_from_damage() {
    let of = |text: &str| open(text.as_bytes()).unwrap_err().to_string();
    assert!(of("age-encryption.org/v2\n-> scrypt x\n").contains("does not know (v2)"));
    assert!(of(&format!("age-encryption.org/{}\n", "v".repeat(3_000))).len() < 200);
    for kind in ["X25519 TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc", "ssh-ed25519 YXNk YXNk", "Scrypt a 2"]
    {
        let told = of(&format!("age-encryption.org/v1\n-> {kind}\nhjabHWwSL\n--- x\n"));
        assert!(told.contains("for a key and not with a passphrase"), "{kind}: {told}");
    }
    for damaged in ["age-encryption.org/v1\r\n", "Age-encryption.org/v1\n", "age-encryption.org/v1\n->\n"] {
        assert!(of(damaged).contains("cut off or damaged"), "{damaged}");
    }
}

#[test]
fn a_fault_is_found_in_what_libraries_made_of_it() {
    let fault = || io::Error::from(AgeError::Damaged("here"));
    let wrapped = io::Error::other(io::Error::new(io::ErrorKind::UnexpectedEof, fault()));
    for error in [fault(), wrapped] {
        assert!(matches!(AgeError::find_in(&error), Some(AgeError::Damaged("here"))));
    }
    assert!(AgeError::find_in(&io::Error::other("else")).is_none());
    assert!(AgeError::find_in(&io::ErrorKind::NotFound.into()).is_none());
}

/// The program age as a package of PyPI, which `.ci/age` installs in the folder that `FLOWKEEP_AGE` names.
#[test]
fn the_program_age_opens_files_of_every_length_at_a_border_and_its_files_open() {
    let Some(folder) = std::env::var_os("FLOWKEEP_AGE") else { return };
    const PROGRAM: &str = "import pathlib, sys, pyrage.passphrase as age\n\
                           for path in pathlib.Path(sys.argv[1]).glob('*.ours'):\n    \
                               content = age.decrypt(path.read_bytes(), 'correct horse')\n    \
                               path.with_suffix('.opened').write_bytes(content)\n    \
                               path.with_suffix('.theirs').write_bytes(age.encrypt(content, 'correct horse'))";
    let place = tempfile::tempdir().unwrap();
    let lengths = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES];
    for length in lengths {
        fs::write(place.path().join(format!("{length}.ours")), seal(&content_of(length))).unwrap();
    }
    let python = PathBuf::from(folder).join("venv/bin/python");
    let output = Command::new(python).arg("-c").arg(PROGRAM).arg(place.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for length in lengths {
        let read = |ending: &str| fs::read(place.path().join(format!("{length}.{ending}"))).unwrap();
        assert!(read("opened") == content_of(length), "{length}");
        assert!(open(&read("theirs")).unwrap() == content_of(length), "{length}");
    }
}

/// One of the published test files: lines that say what is expected, an empty line, and the file.
struct Vector<'a> {
    name: String,
    lines: Vec<(&'a str, &'a str)>,
    file: Vec<u8>,
}

impl<'a> Vector<'a> {
    fn parse(name: String, bytes: &'a [u8]) -> Self {
        let end = bytes.windows(2).position(|two| two == b"\n\n").unwrap();
        let lines = std::str::from_utf8(&bytes[..end]).unwrap().lines();
        let lines = lines.filter_map(|line| line.split_once(": ")).collect();
        let mut vector = Self { name, lines, file: bytes[end + 2..].to_vec() };
        if let Some(kind) = vector.line("compressed") {
            assert_eq!(kind, "zlib");
            let mut whole = Vec::new();
            flate2::read::ZlibDecoder::new(vector.file.as_slice()).read_to_end(&mut whole).unwrap();
            vector.file = whole;
        }
        vector
    }

    fn line(&self, name: &str) -> Option<&'a str> {
        self.lines.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// What opening it gives: by its passphrase, or by the key of the file where it is one about pieces. `None` for what is not read here.
    fn open(&self) -> Option<(Vec<u8>, Result<(), AgeError>)> {
        if self.line("armored").is_some() {
            return None;
        }
        if let Some(text) = self.line("passphrase") {
            return Some(open_with(&self.file, text));
        }
        if !self.name.starts_with("stream_") {
            return None;
        }
        let key = self.line("file key")?;
        let key: Vec<u8> =
            (0..key.len()).step_by(2).map(|at| u8::from_str_radix(&key[at..at + 2], 16).unwrap()).collect();
        let key = FileKey::of(key.try_into().unwrap());
        let (header, rest) = self.file.split_at(header_length(&self.file));
        let signed = header.windows(4).position(|bytes| bytes == b"--- ").unwrap() + 3;
        let signature = STANDARD_NO_PAD.encode(key.sign_header(&header[..signed]));
        assert_eq!(format!(" {signature}\n").as_bytes(), &header[signed..], "{}", self.name);
        let mut content = Vec::new();
        let begun = AgeReader::begin(BufReader::new(rest), &key);
        let done = begun.and_then(|mut reader| drain(&mut reader, &mut content));
        Some((content, done))
    }
}

/// `FLOWKEEP_AGE` names a folder whose folder `vectors` has the test files that are published with the format (.ci/age brings them).
#[test]
fn published_files_open_or_do_not_as_they_say() {
    let Some(folder) = std::env::var_os("FLOWKEEP_AGE") else { return };
    let mut counts = [0, 0];
    for entry in fs::read_dir(PathBuf::from(folder).join("vectors")).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        let vector = Vector::parse(entry.file_name().into_string().unwrap(), &bytes);
        let Some((content, done)) = vector.open() else { continue };
        let expected = vector.line("expect").unwrap();
        let is_as_expected = match (expected, &done) {
            ("success", Ok(()))
            | ("HMAC failure" | "header failure" | "payload failure", Err(AgeError::Damaged(_))) => true,
            ("no match", Err(AgeError::WrongPassphrase | AgeError::OtherKey)) => true,
            ("header failure", Err(AgeError::TooMuchWork { .. })) => true,
            // Whatever is not encrypted with a passphrase alone is not looked at further.
            ("header failure", Err(AgeError::OtherKey)) => true,
            _ => false,
        };
        assert!(is_as_expected, "{}: {expected}: {done:?}", vector.name);
        let hash = to_hex(&Sha256::digest(&content));
        match done {
            Ok(()) => assert_eq!(Some(hash.as_str()), vector.line("payload"), "{}", vector.name),
            // Other programs give a piece before they know that it is in its place; this one gives whole pieces that are.
            Err(_) => assert!(content.len().is_multiple_of(PIECE_BYTES), "{}", vector.name),
        }
        counts[usize::from(vector.name.starts_with("stream_"))] += 1;
    }
    assert!(counts[0] >= 20 && counts[1] >= 20, "{counts:?}");
}
