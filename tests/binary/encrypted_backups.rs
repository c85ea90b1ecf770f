//! `backup`, `verify` and `restore` with a passphrase, and what other programs make of such a backup.

use crate::backups::{Used, contents};
use crate::program::{Program, command, error_output, run, standard_output};
use crate::{one_line, status_with};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const WORDS: &str = "correct horse battery staple";
const VARIABLE: &str = "SERVICE_BACKUP_PASSPHRASE_FILE";

/// A file of this text that nobody else may read.
fn write_secret(path: &Path, text: &str) -> String {
    fs::write(path, text).unwrap();
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A used folder with a service, and the file of a passphrase.
fn used() -> (Used, Program, String) {
    let (used, service) = Used::new();
    let file = write_secret(&used.home.path().join("passphrase"), &format!("{WORDS}\n"));
    (used, service, file)
}

/// Runs a command to which this is typed through a pipe.
fn run_with_input(mut command: Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end without having read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn assert_good(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", error_output(output));
    standard_output(output)
}

#[test]
fn a_backup_with_a_passphrase_opens_with_that_alone() {
    let (used, service, file) = used();
    let told = used.backup(&["--passphrase-file", &file]);
    assert!(told.contains("opens with its passphrase alone"), "{told}");
    let bytes = fs::read(&used.archive).unwrap();
    assert!(bytes.starts_with(b"age-encryption.org/v1\n-> scrypt "), "its program knows it");
    assert!(service.stop().success());
    let (archive, folder) = (used.archive.to_str().unwrap(), used.home.path().join("restored"));
    let other = write_secret(&used.home.path().join("other"), "correct horse battery staples");
    for (more, word) in [
        (&[][..], "name the file with its passphrase with --passphrase-file"),
        (&["--passphrase-file", &other], "is not opened by this passphrase"),
    ] {
        let line = one_line(&run(&[&["verify", archive], more].concat()), 1);
        assert!(line.contains(word), "{line}");
        let line = one_line(&used.restore_into(&folder, more), 1);
        assert!(line.contains(word) && !folder.exists(), "{line}");
    }
    let before = contents(&used.home.data);
    one_line(&used.restore_into(&used.home.data, &["--replace"]), 1);
    assert_eq!(contents(&used.home.data), before);
    let told = assert_good(&run(&["verify", archive, "--passphrase-file", &file]));
    assert!(told.starts_with("The backup is whole") && told.contains("with secrets, encrypted;"), "{told}");
    assert_good(&used.restore_into(&folder, &["--passphrase-file", &file]));
    let restored = Program::serve(&folder, &[]);
    assert_eq!((used.name_of(&restored).as_str(), status_with(&restored, &used.key)), ("Second", 200));
}

#[test]
fn a_passphrase_comes_from_the_environment_or_is_asked_for() {
    let (used, service, file) = used();
    let archive = used.archive.to_str().unwrap();
    let mut backup = command(&["backup", archive, "--data-dir", used.home.data()]);
    assert_good(&backup.env(VARIABLE, &file).output().unwrap());
    let told = assert_good(&run_with_input(
        command(&["verify", archive, "--passphrase-file", "-"]),
        format!("{WORDS}\n").as_bytes(),
    ));
    assert!(told.contains("encrypted"), "{told}");
    // Archive and passphrase by pipe and file.
    assert!(service.stop().success());
    let piped = used.home.path().join("piped");
    let mut backup = command(&["backup", "-", "--data-dir", used.home.data(), "--passphrase-file", "-"]);
    backup.stdout(File::create(&piped).unwrap());
    let mut child = backup.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{WORDS}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && error_output(&output).starts_with("Backed up"));
    let folder = used.home.path().join("restored");
    let mut restore = command(&["restore", "-", "--data-dir", folder.to_str().unwrap()]);
    restore.env(VARIABLE, &file).stdin(File::open(&piped).unwrap());
    assert_good(&restore.output().unwrap());
    assert_eq!(used.name_of(&Program::serve(&folder, &[])), "Second");
    let line = one_line(&run(&["verify", "-", "--passphrase-file", "-"]), 2);
    assert!(line.contains("cannot both come from standard input"), "{line}");
}

#[test]
fn a_backup_that_is_not_encrypted_is_restored_although_a_passphrase_is_named_and_that_is_said() {
    let (used, service, file) = used();
    used.backup(&[]);
    assert!(service.stop().success());
    let folder = used.home.path().join("restored");
    for output in [
        run(&["verify", used.archive.to_str().unwrap(), "--passphrase-file", &file]),
        used.restore_into(&folder, &["--passphrase-file", &file]),
    ] {
        let told = assert_good(&output);
        assert!(told.contains("The backup is not encrypted, so the passphrase was not used."), "{told}");
    }
    assert_eq!(used.name_of(&Program::serve(&folder, &[])), "Second");
}

#[test]
fn a_passphrase_that_cannot_be_used_makes_no_backup_and_restores_none() {
    let (used, _service, file) = used();
    used.backup(&[]);
    let before = fs::read(&used.archive).unwrap();
    let folder = used.home.path().join("restored");
    let place = used.home.path().join("secret");
    let secret = place.to_str().unwrap();
    let check = |word: &str| {
        let archive = used.archive.to_str().unwrap();
        for output in [
            used.home.run(&["backup", archive, "--passphrase-file", secret]),
            run(&["verify", archive, "--passphrase-file", secret]),
            used.restore_into(&folder, &["--passphrase-file", secret]),
        ] {
            let line = one_line(&output, 1);
            assert!(line.contains(secret) && line.contains(word), "{line}");
        }
        assert!(fs::read(&used.archive).unwrap() == before && !folder.exists());
    };
    check("cannot be read");
    for (text, word) in [
        ("", "holds no passphrase"),
        ("  \n", "holds no passphrase"),
        ("one\ntwo\n", "more than one line"),
        (&"x".repeat(2_000), "more than 1024 bytes"),
    ] {
        write_secret(&place, text);
        check(word);
    }
    #[cfg(unix)]
    {
        write_secret(&place, WORDS);
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        check("open to other users");
    }
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    check("is a folder");
    let line = one_line(
        &run_with_input(
            command(&["verify", used.archive.to_str().unwrap(), "--passphrase-file", "-"]),
            b"\n",
        ),
        1,
    );
    assert!(line.contains("the standard input holds no passphrase"), "{line}");
    // What was refused is not what stays refused.
    used.backup(&["--passphrase-file", &file]);
}

#[test]
fn an_encrypted_backup_that_is_not_whole_is_refused_in_one_line_and_nothing_changes() {
    let (used, service, file) = used();
    // Several pieces of 64 KiB that do not pack.
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    })
    .take(300_000)
    .collect();
    let noisy = used
        .home
        .data
        .join("files/00000000-0000-4000-8000-000000000001/00000000-0000-4000-8000-000000000002/noise.bin");
    fs::write(noisy, noise).unwrap();
    used.backup(&["--passphrase-file", &file]);
    assert!(service.stop().success());
    let whole = fs::read(&used.archive).unwrap();
    let header: usize = whole.split_inclusive(|byte| *byte == b'\n').take(4).map(<[u8]>::len).sum();
    let begin = header + 16;
    let piece = 64 * 1024 + 16;
    assert!(whole.len() > begin + 3 * piece, "{}", whole.len());
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let mut exchanged = whole.clone();
    exchanged[begin..begin + piece].copy_from_slice(&whole[begin + piece..begin + 2 * piece]);
    exchanged[begin + piece..begin + 2 * piece].copy_from_slice(&whole[begin..begin + piece]);
    let text = String::from_utf8_lossy(&whole[..header]).into_owned();
    let header_as = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let bad = used.home.path().join("bad.tar.zst.age");
    let (path, folder) = (bad.to_str().unwrap().to_owned(), used.home.path().join("restored"));
    let before = contents(&used.home.data);
    for (bytes, word) in [
        (whole[..10].to_vec(), "no backup"),
        (whole[..header - 10].to_vec(), "cut off or damaged"),
        (whole[..header].to_vec(), "cut off or damaged"),
        (whole[..begin + piece].to_vec(), "cut off or damaged"),
        (whole[..whole.len() - 1].to_vec(), "cut off or damaged"),
        ([&whole[..], b"x"].concat(), "cut off or damaged"),
        (changed(header - 3), "cut off or damaged"),
        (changed(begin + 100), "cut off or damaged"),
        (changed(whole.len() - 1), "cut off or damaged"),
        (exchanged, "cut off or damaged"),
        (header_as("/v1\n", "/v2\n"), "does not know (v2)"),
        (header_as("-> scrypt ", "-> X25519 "), "for a key and not with a passphrase"),
        (header_as(" 18\n", " 30\n"), "asks for more work"),
    ] {
        fs::write(&bad, bytes).unwrap();
        for arguments in [
            &["verify", &path, "--passphrase-file", &file][..],
            &["restore", &path, "--passphrase-file", &file, "--data-dir", folder.to_str().unwrap()],
            &["restore", &path, "--passphrase-file", &file, "--data-dir", used.home.data(), "--replace"],
        ] {
            let line = one_line(&run(arguments), 1);
            assert!(line.contains(word), "{line}");
        }
        assert!(!folder.exists());
    }
    assert_eq!(contents(&used.home.data), before);
}

#[test]
fn a_doctor_names_a_passphrase_that_the_service_cannot_use() {
    let (used, _service, file) = used();
    let folder = used.home.path().join("kept");
    fs::create_dir(&folder).unwrap();
    let doctor = |passphrase: &str| {
        let mut doctor = command(&["doctor", "--data-dir", used.home.data()]);
        doctor.env("SERVICE_BACKUP_TO", &folder).env(VARIABLE, passphrase).output().unwrap()
    };
    let fine = assert_good(&doctor(&file));
    assert!(fine.contains("There is none in"), "{fine}");
    fs::write(folder.join("flowkeep-2020-01-01T000000Z.tar.zst.age"), "x").unwrap();
    let old = assert_good(&doctor(&file));
    assert!(old.contains("hours old"), "an encrypted one counts: {old}");
    let output = doctor("/no/such/file");
    assert_eq!(output.status.code(), Some(1));
    let told = standard_output(&output);
    assert!(told.contains("No backup is made: the file of the passphrase, /no/such/file,"), "{told}");
}

/// The program age as a package of PyPI, which `.ci/age` installs in the folder that `FLOWKEEP_AGE` names; `None`, and says so, where
/// it is not there.
fn age(action: &str, from: &Path, to: &Path) -> Option<()> {
    let Some(folder) = std::env::var_os("FLOWKEEP_AGE") else {
        // Not by the macro, whose words are only shown when a test fails.
        let _ = writeln!(std::io::stderr(), "skipped: FLOWKEEP_AGE names no folder with the program age");
        return None;
    };
    let program = format!(
        "import sys, pyrage.passphrase as age\n\
         open(sys.argv[2], 'wb').write(age.{action}(open(sys.argv[1], 'rb').read(), '{WORDS}'))"
    );
    let python = PathBuf::from(folder).join("venv/bin/python");
    let output = Command::new(python).arg("-c").arg(program).arg(from).arg(to).output().unwrap();
    assert!(output.status.success(), "{}", error_output(&output));
    Some(())
}

#[test]
fn the_program_age_opens_a_backup_and_its_files_are_restored() {
    let (used, service, file) = used();
    used.backup(&["--passphrase-file", &file]);
    assert!(service.stop().success());
    let opened = used.home.path().join("opened.tar.zst");
    let Some(()) = age("decrypt", &used.archive, &opened) else { return };
    let told = assert_good(&run(&["verify", opened.to_str().unwrap()]));
    assert!(!told.contains("encrypted"), "{told}");
    let sealed = used.home.path().join("sealed.tar.zst.age");
    age("encrypt", &opened, &sealed).unwrap();
    let folder = used.home.path().join("restored");
    let sealed = sealed.to_str().unwrap();
    let arguments = ["restore", sealed, "--passphrase-file", &file, "--data-dir", folder.to_str().unwrap()];
    assert!(assert_good(&run(&arguments)).contains("encrypted"));
    assert_eq!(used.name_of(&Program::serve(&folder, &[])), "Second");
}
