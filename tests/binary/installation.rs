//! `install.sh` with a released archive, and what `packaging/release` refuses (manual 13.11).

use crate::program::{error_output, standard_output};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NAME: &str = "flowkeep-9.9.9-x86_64-unknown-linux-gnu";

/// A folder with an archive, the sums beside it, and a place to install to.
struct Release {
    folder: tempfile::TempDir,
}

impl Release {
    fn new() -> Self {
        let release = Self { folder: tempfile::tempdir().unwrap() };
        let tree = release.path("tree").join(NAME);
        for folder in ["bin", "share/man/man1"] {
            fs::create_dir_all(tree.join(folder)).unwrap();
        }
        // The installer wants to hear a version; what else the program can do does not matter to it.
        let program = tree.join("bin/flowkeep");
        fs::write(&program, "#!/bin/sh\necho flowkeep 9.9.9\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(tree.join("share/man/man1/flowkeep.1"), ".TH flowkeep 1\n").unwrap();
        let packed = Command::new("tar")
            .arg("-czf")
            .arg(release.archive())
            .arg("-C")
            .arg(release.path("tree"))
            .arg(NAME)
            .status();
        assert!(packed.unwrap().success());
        release.write_sums(&format!("{}  {NAME}.tar.gz\n", sha256(&release.archive())));
        release
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn archive(&self) -> PathBuf {
        self.path(&format!("{NAME}.tar.gz"))
    }

    fn write_sums(&self, text: &str) {
        fs::write(self.path("SHA256SUMS"), text).unwrap();
    }

    fn install(&self, extra: &[&str]) -> Output {
        let mut command = script("install.sh");
        command.arg("--prefix").arg(self.path("prefix")).arg("--archive").arg(self.archive()).args(extra);
        command.env("TMPDIR", self.path("")).output().unwrap()
    }

    /// That the installer refused in one line which holds `words`, and left nothing behind.
    fn is_refused(&self, extra: &[&str], words: &str) {
        let output = self.install(extra);
        let error = error_output(&output);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(words) && error.lines().count() == 1, "{error}");
        assert!(!self.path("prefix").exists() && standard_output(&output).is_empty());
        let left = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("tmp.")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn script(name: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).stdin(Stdio::null());
    command
}

fn sha256(file: &Path) -> String {
    let sum = Command::new("sha256sum").arg(file).output().unwrap();
    standard_output(&sum).split(' ').next().unwrap().to_owned()
}

#[test]
fn an_archive_that_is_what_the_sums_say_is_installed_with_its_pages() {
    let release = Release::new();
    let output = release.install(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    assert!(standard_output(&output).contains("Installed flowkeep 9.9.9 as"));
    let program = release.path("prefix/bin/flowkeep");
    assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(release.path("prefix/share/man/man1/flowkeep.1").is_file());
}

#[test]
fn sums_may_lie_elsewhere_and_name_other_files_too() {
    let release = Release::new();
    let sums = fs::read_to_string(release.path("SHA256SUMS")).unwrap();
    fs::write(release.path("elsewhere"), format!("{}  another.deb\n{sums}", "0".repeat(64))).unwrap();
    fs::remove_file(release.path("SHA256SUMS")).unwrap();
    let output = release.install(&["--sums", release.path("elsewhere").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
}

#[test]
fn an_archive_that_was_changed_is_refused_before_it_is_unpacked() {
    let release = Release::new();
    let mut bytes = fs::read(release.archive()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(release.archive(), bytes).unwrap();
    release.is_refused(&[], "is damaged or not the released one");
}

#[test]
fn an_archive_without_sums_is_refused() {
    let release = Release::new();
    fs::remove_file(release.path("SHA256SUMS")).unwrap();
    release.is_refused(&[], "SHA256SUMS is missing");
}

#[test]
fn an_archive_that_the_sums_do_not_name_is_refused() {
    let release = Release::new();
    let sum = sha256(&release.archive());
    // A name that only ends, or begins, like this one is another file.
    release.write_sums(&format!("{sum}  other-{NAME}.tar.gz\n{sum}  {NAME}.tar.gz.sig\n"));
    release.is_refused(&[], "does not name");
}

#[test]
fn an_archive_that_two_lines_of_the_sums_contradict_is_refused() {
    let release = Release::new();
    let sum = sha256(&release.archive());
    release.write_sums(&format!("{sum}  {NAME}.tar.gz\n{}  {NAME}.tar.gz\n", "0".repeat(64)));
    release.is_refused(&[], "is damaged or not the released one");
}

#[test]
fn arguments_of_the_installer_that_contradict_each_other_are_wrong_usage() {
    for arguments in [
        &["--archive", "a", "--binary", "b"][..],
        &["--sums", "a"],
        &["--archive="],
        &["--archive"],
        &["--nonsense"],
    ] {
        let output = script("install.sh").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", error_output(&output));
        assert_eq!(error_output(&output).lines().count(), 1, "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_release_of_what_is_not_the_program_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    fs::write(&text, "#!/bin/sh\necho flowkeep 9.9.9\n").unwrap();
    for (binary, words) in
        [(text.as_path(), "is no program for Linux"), (Path::new("/nowhere"), "is not a file")]
    {
        let mut command = script("packaging/release");
        command.arg("--to").arg(folder.path().join("to")).arg("--binary").arg(binary);
        // Where Debian's tools are missing, that is what it says.
        let output = command.env("SOURCE_DATE_EPOCH", "1").output().unwrap();
        let error = error_output(&output);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(words) || error.contains("is missing"), "{error}");
        assert!(error.lines().count() == 1 && !folder.path().join("to").exists(), "{error}");
    }
}
