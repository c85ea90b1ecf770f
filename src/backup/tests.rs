//! Archives that are whole, and others.

use super::reader::extract;
use super::writer::ArchiveWriter;
use super::{ArchiveError, pack};
use crate::domain::service::backup::BackupHead;
use crate::durable::Scratch;
use jiff::Timestamp;
use std::fs;
use std::io::{self, Write};
use tar::{Builder, EntryType, Header};

fn head() -> BackupHead {
    BackupHead {
        service: "0.1.0".to_owned(),
        created: Timestamp::UNIX_EPOCH,
        newest_version: None,
        has_secrets: false,
    }
}

/// An archive of these files, packed.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let written = pack(&mut out, None, |out| -> io::Result<()> {
        let mut archive = ArchiveWriter::begin(out, head(), tempfile::tempfile()?)?;
        for (name, bytes) in files {
            archive.add(name, bytes.len() as u64, &mut &**bytes)?;
        }
        archive.finish().map(drop)
    });
    written.unwrap().unwrap();
    out
}

/// What becomes of an archive, and whether anything of it is left outside of the folder that it was unpacked in.
fn extracted(bytes: &[u8]) -> Result<Vec<String>, ArchiveError> {
    let root = tempfile::tempdir().unwrap();
    let place = Scratch::create(root.path(), "new").unwrap();
    let found = extract(bytes, None, &place).map(|_| {
        let mut names = Vec::new();
        list(place.path(), "", &mut names);
        names.sort();
        names
    });
    drop(place);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0, "nothing is left, here or beside");
    found
}

fn list(folder: &std::path::Path, above: &str, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{above}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            list(&entry.path(), &format!("{name}/"), names);
        } else {
            names.push(name);
        }
    }
}

/// A tar that `build` makes behind a good first file.
fn odd(build: impl FnOnce(&mut Builder<Vec<u8>>)) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    let first = br#"{"flowkeepBackup":1,"service":"0.1.0","created":"1970-01-01T00:00:00Z"}"#;
    put(&mut tar, "backup.json", EntryType::Regular, first);
    build(&mut tar);
    tar.into_inner().unwrap()
}

fn put(tar: &mut Builder<Vec<u8>>, name: &str, kind: EntryType, bytes: &[u8]) {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    // The library itself refuses names that lead elsewhere.
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    tar.append(&header, bytes).unwrap();
}

#[test]
fn what_is_put_in_comes_out() {
    let long = format!("files/{}/{}", "f".repeat(120), "ü".repeat(100));
    let found =
        extracted(&archive(&[("flowkeep.redb", b"rows"), ("versions/refs/heads/main", b""), (&long, b"x")]));
    assert_eq!(found.unwrap(), [long.as_str(), "flowkeep.redb", "versions/refs/heads/main"]);
}

#[test]
fn an_archive_that_is_cut_off_anywhere_is_no_backup() {
    let big: Vec<u8> =
        (0..200_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let whole = archive(&[("flowkeep.redb", &big), ("files/a/b", b"text")]);
    assert!(extracted(&whole).is_ok());
    for length in (0..whole.len()).step_by(whole.len() / 60).chain(whole.len() - 40..whole.len()) {
        let found = extracted(&whole[..length]);
        assert!(
            matches!(found, Err(ArchiveError::Damaged(_) | ArchiveError::Foreign)),
            "{length}: {found:?}"
        );
    }
}

#[test]
fn an_archive_whose_first_block_is_damaged_is_not_taken_for_something_else() {
    let noise: Vec<u8> =
        (0..20_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let whole = archive(&[("flowkeep.redb", &noise)]);
    let mut changed = whole.clone();
    // Behind the magic, and so in what says how the block is packed.
    changed[whole.len() / 2..].fill(0xff);
    for damaged in [&changed[..], &whole[..whole.len() / 2]] {
        let found = extracted(damaged);
        assert!(matches!(found, Err(ArchiveError::Damaged(_))), "{found:?}");
    }
}

#[test]
fn a_byte_that_changed_is_found() {
    let mut tar = Vec::new();
    let mut writer = ArchiveWriter::begin(&mut tar, head(), tempfile::tempfile().unwrap()).unwrap();
    writer.add("flowkeep.redb", 4, &mut &b"rows"[..]).unwrap();
    writer.finish().unwrap();
    assert!(extracted(&tar).is_ok(), "it need not be packed");
    let place = tar.windows(4).position(|bytes| bytes == b"rows").unwrap();
    tar[place] = b'R';
    let found = extracted(&tar);
    assert!(matches!(&found, Err(ArchiveError::Mismatch { name }) if name == "flowkeep.redb"), "{found:?}");
}

#[test]
fn damaged_bytes_are_repeated_in_harmless_characters() {
    let tar = odd(|tar| {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        let fields = header.as_old_mut();
        fields.name[..9].copy_from_slice(b"files/\x1b[2");
        fields.size = *b"\x1b]0;x\x07zzzzzz";
        header.set_cksum();
        tar.append(&header, &b""[..]).unwrap();
    });
    let told = extracted(&tar).unwrap_err().to_string();
    assert!(told.contains("cut off or damaged") && told.contains("\\u{1b}"), "{told}");
    assert!(!told.contains(char::is_control), "{told:?}");
}

#[test]
fn what_is_no_backup_is_said_to_be_none() {
    let mut other = Builder::new(Vec::new());
    put(&mut other, "readme.txt", EntryType::Regular, b"hello");
    let tar = other.into_inner().unwrap();
    let packed = zstd::encode_all(&b"no tar at all"[..], 1).unwrap();
    for foreign in [&b""[..], b"text", &[0; 4096], &tar, &packed] {
        let found = extracted(foreign);
        assert!(matches!(found, Err(ArchiveError::Foreign)), "{found:?}");
    }
    let mut newer = Builder::new(Vec::new());
    let first = br#"{"flowkeepBackup":7,"service":"9.0.0","created":"1970-01-01T00:00:00Z","more":1}"#;
    put(&mut newer, "backup.json", EntryType::Regular, first);
    let found = extracted(&newer.into_inner().unwrap());
    assert!(matches!(found, Err(ArchiveError::NewerFormat { found: 7, known: 1 })), "{found:?}");
}

#[test]
fn nothing_leads_out_of_the_folder() {
    let names = [
        "../evil",
        "/etc/evil",
        "files/../../evil",
        "files//evil",
        "files/./evil",
        "evil",
        "secrets",
        "files/",
        "flowkeep.redb/evil",
        ".restore/decided",
        "files/a\\..\\b",
    ];
    for name in names {
        let found = extracted(&odd(|tar| put(tar, name, EntryType::Regular, b"x")));
        assert!(matches!(found, Err(ArchiveError::Strange(_))), "{name}: {found:?}");
    }
    let kinds = [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::Directory,
        EntryType::GNUSparse,
        EntryType::XHeader,
    ];
    for kind in kinds {
        let found = extracted(&odd(|tar| put(tar, "files/a/b", kind, b"")));
        assert!(matches!(found, Err(ArchiveError::Strange(_))), "{kind:?}: {found:?}");
    }
    let twice = extracted(&odd(|tar| {
        put(tar, "files/a", EntryType::Regular, b"x");
        put(tar, "files/a/b", EntryType::Regular, b"x");
    }));
    assert!(matches!(twice, Err(ArchiveError::Strange(_))), "{twice:?}");
}

#[test]
fn a_file_that_claims_more_than_the_disk_has_is_refused_before_it_is_written() {
    let bytes = odd(|tar| {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(1 << 60);
        header.set_path("files/a").unwrap();
        header.set_cksum();
        tar.append(&header, io::empty()).unwrap();
    });
    let found = extracted(&bytes);
    assert!(matches!(found, Err(ArchiveError::NoRoom { needed, .. }) if needed == 1 << 60), "{found:?}");
    let endless =
        extracted(&odd(|tar| put(tar, "././@LongLink", EntryType::GNULongName, &vec![b'a'; 100_000])));
    assert!(matches!(endless, Err(ArchiveError::Strange(_))), "{endless:?}");
}

#[test]
fn a_file_that_shrinks_while_it_is_read_ends_the_backup() {
    let mut out = Vec::new();
    let mut writer = ArchiveWriter::begin(&mut out, head(), tempfile::tempfile().unwrap()).unwrap();
    let short = writer.add("files/a", 10, &mut &b"short"[..]);
    assert!(short.unwrap_err().to_string().contains("became shorter"));
    let mut out = io::sink();
    let mut writer = ArchiveWriter::begin(&mut out, head(), tempfile::tempfile().unwrap()).unwrap();
    writer.add("files/a", 3, &mut &b"longer"[..]).unwrap();
    writer.finish().unwrap();
    out.flush().unwrap();
}
