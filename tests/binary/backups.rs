//! `backup`, `verify` and `restore`: beside a running service and on folders nobody uses, with archives that are whole and others.

use crate::program::{self, Program, command, error_output, run, standard_output};
use crate::{Home, canvases, one_line, status_with};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A service with a key, a credential, a flow that was asked, versions of it and a stored file.
pub struct Used {
    pub home: Home,
    pub key: String,
    flow: String,
    credential: String,
    pub archive: PathBuf,
}

impl Used {
    pub fn new() -> (Self, Program) {
        let home = Home::new();
        let service = home.serve();
        let key = home.key("all");
        let flow = service.make_flow(&key, "First", &canvases::scripted(&json!([]), "I heard {question}"));
        assert_eq!(service.ask(&flow, &json!({"question": "before"})).status(), 200);
        let credential =
            service.make_credential(&key, "openAIApi", &json!({"openAIApiKey": "sk-very-secret-value"}));
        rename(&service, &key, &flow, "Second");
        let folder =
            home.data.join("files/00000000-0000-4000-8000-000000000001/00000000-0000-4000-8000-000000000002");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("stored.txt"), "stored").unwrap();
        let archive = home.path().join("backup.tar.zst");
        (Self { home, key, flow, credential, archive }, service)
    }

    pub fn backup(&self, more: &[&str]) -> String {
        let mut arguments = vec!["backup", self.archive.to_str().unwrap()];
        arguments.extend_from_slice(more);
        self.home.good(&arguments)
    }

    pub fn restore_into(&self, folder: &Path, more: &[&str]) -> Output {
        let mut arguments =
            vec!["restore", self.archive.to_str().unwrap(), "--data-dir", folder.to_str().unwrap()];
        arguments.extend_from_slice(more);
        run(&arguments)
    }

    fn restored(&self, name: &str) -> PathBuf {
        let folder = self.home.path().join(name);
        let output = self.restore_into(&folder, &[]);
        assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
        folder
    }

    pub fn name_of(&self, service: &Program) -> String {
        let bearer = format!("Bearer {}", self.key);
        let found = service.get(&format!("/api/v1/chatflows/{}", self.flow), &[("authorization", &bearer)]);
        found.json()["name"].as_str().unwrap_or_default().to_owned()
    }
}

fn rename(service: &Program, key: &str, flow: &str, name: &str) {
    let bearer = format!("Bearer {key}");
    let path = format!("/api/v1/chatflows/{flow}");
    let answer = service.call("PUT", &path, &[("authorization", &bearer)], &json!({"name": name}));
    assert_eq!(answer.status(), 200, "{}", answer.text());
}

/// Everything in a folder that is no socket: paths and what they hold.
pub fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.push((entry.path(), Vec::new()));
            found.extend(contents(&entry.path()));
        } else if kind.is_file() {
            found.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

fn assert_sound(folder: &Path) {
    for check in [&["data", "verify"][..], &["history", "verify"]] {
        let mut arguments = check.to_vec();
        arguments.extend_from_slice(&["--data-dir", folder.to_str().unwrap()]);
        let output = run(&arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{check:?}: {} {}",
            standard_output(&output),
            error_output(&output)
        );
    }
}

pub fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn a_backup_of_a_running_service_is_restored_as_it_was() {
    let (used, service) = Used::new();
    let told = used.backup(&[]);
    assert!(told.contains("newest version") && told.contains("as safe as the server"), "{told}");
    rename(&service, &used.key, &used.flow, "Third");
    let verified = used.home.good(&["verify", used.archive.to_str().unwrap()]);
    assert!(verified.starts_with("The backup is whole") && verified.contains("with secrets"), "{verified}");
    let folder = used.restored("restored");
    assert_sound(&folder);
    assert_eq!(
        fs::read_to_string(folder.join(
            "files/00000000-0000-4000-8000-000000000001/00000000-0000-4000-8000-000000000002/stored.txt"
        ))
        .unwrap(),
        "stored"
    );
    assert!(!folder.join(".restore").exists());
    let restored = Program::serve(&folder, &[]);
    assert_eq!((used.name_of(&restored).as_str(), used.name_of(&service).as_str()), ("Second", "Third"));
    assert_eq!(status_with(&restored, &used.key), 200);
    let bearer = format!("Bearer {}", used.key);
    let get = |path: String| restored.get(&path, &[("authorization", &bearer)]).json();
    let messages = get(format!("/api/v1/chatmessage/{}", used.flow));
    assert!(
        messages.as_array().unwrap().iter().any(|message| message["content"] == "I heard before"),
        "{messages}"
    );
    assert_eq!(
        get(format!("/api/v1/flow-versions/{}", used.flow))["versions"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(get(format!("/api/v1/credentials/{}", used.credential))["id"], used.credential.as_str());
    assert_eq!(restored.ask(&used.flow, &json!({"question": "again"})).json()["text"], "I heard again");
    rename(&restored, &used.key, &used.flow, "Fourth");
    if is_installed("git") {
        let checked = Command::new("git")
            .args(["fsck", "--strict"])
            .current_dir(folder.join("versions"))
            .output()
            .unwrap();
        assert!(checked.status.success(), "{}", error_output(&checked));
    }
}

#[test]
fn a_backup_of_a_stopped_folder_goes_through_a_pipe() {
    let (used, service) = Used::new();
    assert!(service.stop().success());
    let piped = used.home.path().join("piped");
    let status = command(&["backup", "-", "--data-dir", used.home.data()])
        .stdout(File::create(&piped).unwrap())
        .output()
        .unwrap();
    assert_eq!(status.status.code(), Some(0), "{}", error_output(&status));
    assert!(error_output(&status).starts_with("Backed up"), "{}", error_output(&status));
    let folder = used.home.path().join("restored");
    let output = command(&["restore", "-", "--data-dir", folder.to_str().unwrap()])
        .stdin(File::open(&piped).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    assert_eq!(used.name_of(&Program::serve(&folder, &[])), "Second");
}

#[test]
fn a_backup_under_load_holds_everything_that_was_acknowledged_before_it() {
    let (used, service) = Used::new();
    let (answered, done) = (Mutex::new(Vec::<String>::new()), AtomicBool::new(false));
    let before = std::thread::scope(|scope| {
        for worker in 0..4 {
            let (answered, done, used, service) = (&answered, &done, &used, &service);
            scope.spawn(move || {
                let mut number = 0;
                while !done.load(Ordering::SeqCst) {
                    number += 1;
                    let question = format!("load {worker}-{number}");
                    if worker == 0 {
                        rename(service, &used.key, &used.flow, &question);
                        continue;
                    }
                    let answer = service.ask(&used.flow, &json!({"question": question}));
                    assert_eq!(answer.status(), 200, "{}", answer.text());
                    let id = answer.json()["chatMessageId"].as_str().unwrap().to_owned();
                    answered.lock().unwrap().push(id);
                }
            });
        }
        while answered.lock().unwrap().len() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let before = answered.lock().unwrap().clone();
        used.backup(&[]);
        done.store(true, Ordering::SeqCst);
        before
    });
    assert!(answered.lock().unwrap().len() > before.len(), "it went on answering");
    let folder = used.restored("restored");
    assert_sound(&folder);
    let restored = Program::serve(&folder, &[]);
    assert!(used.name_of(&restored).starts_with("load 0-"), "{}", used.name_of(&restored));
    let bearer = format!("Bearer {}", used.key);
    let stored =
        restored.get(&format!("/api/v1/chatmessage/{}", used.flow), &[("authorization", &bearer)]).json();
    let stored: BTreeSet<&str> =
        stored.as_array().unwrap().iter().filter_map(|message| message["id"].as_str()).collect();
    let missing: Vec<&String> = before.iter().filter(|id| !stored.contains(id.as_str())).collect();
    assert!(missing.is_empty(), "{} of {} are missing", missing.len(), before.len());
    assert!(
        fs::read_dir(used.home.data.join("files")).unwrap().all(|entry| !entry
            .unwrap()
            .file_name()
            .to_str()
            .unwrap()
            .starts_with(".backup"))
    );
}

#[test]
fn any_tar_and_zstd_open_a_backup() {
    if !is_installed("tar") || !is_installed("zstd") {
        return;
    }
    let (used, service) = Used::new();
    used.backup(&[]);
    assert!(service.stop().success());
    let folder = used.home.path().join("by hand");
    fs::create_dir(&folder).unwrap();
    let tar = used.home.path().join("backup.tar");
    let unpacked =
        Command::new("zstd").args(["-q", "-d", "-o"]).arg(&tar).arg(&used.archive).status().unwrap();
    assert!(unpacked.success());
    assert!(Command::new("tar").arg("-xf").arg(&tar).arg("-C").arg(&folder).status().unwrap().success());
    let manifest = fs::read_to_string(folder.join("manifest.jsonl")).unwrap();
    let mut count = 0;
    for line in manifest.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let found = fs::read(folder.join(row["name"].as_str().unwrap())).unwrap();
        assert_eq!(
            (found.len() as u64, row["sha256"].as_str().map(str::len)),
            (row["bytes"].as_u64().unwrap(), Some(64))
        );
        count += 1;
    }
    assert!(
        count > 10 && manifest.contains("flowkeep.redb") && manifest.contains("secrets/credentials.key"),
        "{manifest}"
    );
    // What is in it is a data folder as it is.
    assert_eq!(used.name_of(&Program::serve(&folder, &[])), "Second");
}

#[test]
fn restoring_over_a_folder_keeps_what_was_there_beside_it() {
    let (used, service) = Used::new();
    used.backup(&[]);
    rename(&service, &used.key, &used.flow, "Third");
    let line = one_line(&used.restore_into(&used.home.data, &["--replace"]), 1);
    assert!(line.contains("a running flowkeep uses"), "{line}");
    assert_eq!(used.name_of(&service), "Third");
    assert!(service.stop().success());
    let before = contents(&used.home.data);
    let line = one_line(&used.restore_into(&used.home.data, &[]), 1);
    assert!(line.contains("--replace"), "{line}");
    assert_eq!(contents(&used.home.data), before);
    let output = used.restore_into(&used.home.data, &["--replace"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    let told = standard_output(&output);
    let entries = fs::read_dir(&used.home.data).unwrap().map(|entry| entry.unwrap().path());
    let kept = entries
        .into_iter()
        .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("before-restore-"))
        .unwrap();
    assert!(told.contains(kept.to_str().unwrap()), "{told}");
    assert_eq!(used.name_of(&Program::serve(&used.home.data, &[])), "Second");
    assert_eq!(used.name_of(&Program::serve(&kept, &[])), "Third");
}

#[test]
fn a_backup_without_secrets_says_what_will_not_open() {
    let (used, service) = Used::new();
    let told = used.backup(&["--without-secrets"]);
    assert!(told.contains("are not in it"), "{told}");
    assert!(service.stop().success());
    let folder = used.home.path().join("restored");
    let output = used.restore_into(&folder, &[]);
    let told = standard_output(&output);
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    assert!(told.contains("stored credentials") && told.contains("SERVICE_ENCRYPTION_KEY"), "{told}");
    fs::create_dir(folder.join("secrets")).unwrap();
    for name in ["credentials.key", "conversations.key", "links.key"] {
        fs::copy(used.home.data.join("secrets").join(name), folder.join("secrets").join(name)).unwrap();
    }
    assert_eq!(used.name_of(&Program::serve(&folder, &[])), "Second");
    let output = used.restore_into(&used.home.data, &["--replace"]);
    let told = standard_output(&output);
    assert!(
        told.contains("The secrets that were there stay") && !told.contains("Not to be opened"),
        "{told}"
    );
    assert_eq!(used.name_of(&Program::serve(&used.home.data, &[])), "Second");
}

#[test]
fn what_cannot_be_restored_is_refused_in_one_line_and_nothing_changes() {
    let (used, service) = Used::new();
    used.backup(&[]);
    assert!(service.stop().success());
    let whole = fs::read(&used.archive).unwrap();
    let bad = used.home.path().join("bad.tar.zst");
    let (file, folder) = (bad.to_str().unwrap().to_owned(), used.home.path().join("restored"));
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for (bytes, word) in [
        (&whole[..whole.len() / 2], "cut off or damaged"),
        (&whole[..whole.len() - 1], "cut off or damaged"),
        (&changed, "nothing of it can be trusted"),
        (b"PK\x03\x04 something else", "no backup"),
        (b"", "no backup"),
    ] {
        fs::write(&bad, bytes).unwrap();
        let line = one_line(&run(&["verify", &file]), 1);
        assert!(line.contains(word), "{line}");
        for (target, more) in [(folder.as_path(), None), (&used.home.data, Some("--replace"))] {
            let before = contents(target);
            let mut arguments = vec!["restore", &file, "--data-dir", target.to_str().unwrap()];
            arguments.extend(more);
            let line = one_line(&run(&arguments), 1);
            assert!(line.contains(word), "{line}");
            assert_eq!(contents(target), before);
        }
        assert!(!folder.exists());
    }
    let strange = used.home.path().join("strange");
    fs::create_dir(&strange).unwrap();
    fs::write(strange.join("thesis.txt"), "mine").unwrap();
    for more in [&[][..], &["--replace"]] {
        let line = one_line(&used.restore_into(&strange, more), 1);
        assert!(line.contains("is not empty"), "{line}");
        assert_eq!(contents(&strange).len(), 1);
    }
    let missing = one_line(&run(&["restore", "/no/such/file", "--data-dir", folder.to_str().unwrap()]), 1);
    assert!(missing.contains("cannot be read"), "{missing}");
    let mut elsewhere =
        command(&["restore", used.archive.to_str().unwrap(), "--data-dir", folder.to_str().unwrap()]);
    let line = one_line(
        &elsewhere.env("SERVICE_VERSIONS_DIR", used.home.path().join("versions")).output().unwrap(),
        1,
    );
    assert!(line.contains("SERVICE_VERSIONS_DIR"), "{line}");
    assert!(!folder.exists());
}

#[test]
fn a_backup_is_verified_where_there_is_no_home_folder() {
    let (used, service) = Used::new();
    used.backup(&[]);
    assert!(service.stop().success());
    // A program that lies in its checkout keeps its data there, and needs no home folder for that reason.
    let installed = used.home.path().join("flowkeep");
    fs::hard_link(program::path(), &installed)
        .or_else(|_| fs::copy(program::path(), &installed).map(drop))
        .unwrap();
    let output = Command::new(&installed).arg("verify").arg(&used.archive).env_clear().output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    assert!(standard_output(&output).starts_with("The backup is whole: "));
}

#[test]
fn a_disk_that_takes_no_more_leaves_nothing_under_the_name() {
    let (used, service) = Used::new();
    let archive = used.archive.to_str().unwrap();
    if Path::new("/dev/full").exists() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(&["backup", "-", "--data-dir", used.home.data()]).stdout(full).output().unwrap();
        let line = one_line(&output, 1);
        assert!(line.contains("could not be made"), "{line}");
    }
    let line = one_line(&used.home.run(&["backup", "/no/such/folder/backup.tar.zst"]), 1);
    assert!(line.contains("cannot be written"), "{line}");
    let line = one_line(&used.home.run(&["backup", used.home.path().to_str().unwrap()]), 1);
    assert!(line.contains("cannot be written"), "{line}");
    // A limit of the system ends the program in the middle of its file.
    let program = crate::program::path();
    let limited =
        format!("ulimit -f 8; exec {} backup {archive} --data-dir {}", program.display(), used.home.data());
    let output = Command::new("sh").args(["-c", &limited]).env_clear().output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert!(!used.archive.exists());
    used.backup(&[]);
    let first = fs::read(&used.archive).unwrap();
    let output = Command::new("sh").args(["-c", &limited]).env_clear().output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert_eq!(fs::read(&used.archive).unwrap(), first, "the one before stays");
    used.home.good(&["verify", archive]);
    assert_eq!(status_with(&service, &used.key), 200);
}
