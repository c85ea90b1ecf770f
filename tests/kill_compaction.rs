//! `kill -9` in the middle of compactions of database and history, again and again: in the service that goes on being asked, and in
//! the command on a stopped folder. Every answer that was acknowledged is there, every row and version can be read, `git fsck` has
//! nothing to say, and nothing is left beside the database. `FLOWKEEP_KILL_ROUNDS` says how often; 2 if not set.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

#[path = "support/canvases.rs"]
mod canvases;
#[path = "support/kills.rs"]
mod kills;
#[path = "support/program.rs"]
mod program;
#[path = "support/wire.rs"]
mod wire;

use kills::{good, moment, rounds, start};
use program::Program;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What the owner of the answers knows for sure.
struct Fixture {
    key: String,
    flow: String,
    /// Texts that were asked and answered.
    answered: Mutex<BTreeSet<String>>,
}

impl Fixture {
    fn bearer(&self) -> String {
        format!("Bearer {}", self.key)
    }

    /// Asks one question after the other until `is_over`; what is answered is noted.
    fn ask(&self, service: &Program, round: u64, is_over: &AtomicBool) {
        for number in 0.. {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let text = format!("question {round} {number} {}", "x".repeat(500));
            let body = json!({ "question": text }).to_string();
            let path = format!("/api/v1/prediction/{}", self.flow);
            let asked = wire::Wire::to(service.address)
                .and_then(|mut wire| wire.ask(&wire::request("POST", &path, &[], body.as_bytes())));
            match asked {
                Ok(answer) if answer.status() == 200 => {
                    self.answered.lock().unwrap().insert(text);
                }
                _ => return,
            }
        }
    }

    /// Saves the flow anew, which makes a version.
    fn save(&self, service: &Program, number: u64) {
        let canvas = canvases::scripted(&json!([]), &format!("I heard {{question}} {number}")).to_string();
        let path = format!("/api/v1/chatflows/{}", self.flow);
        let body = json!({ "flowData": canvas });
        let saved = service.call("PUT", &path, &[("authorization", &self.bearer())], &body);
        assert_eq!(saved.status(), 200, "{}", saved.text());
    }

    /// Flows come with much text and go again, which leaves room in the database.
    fn make_room(&self, service: &Program) {
        for number in 0..6 {
            let text = "a long text ".repeat(20_000);
            let made = service.make_flow(
                &self.key,
                &format!("passing {number}"),
                &canvases::scripted(&json!([]), &text),
            );
            let path = format!("/api/v1/chatflows/{made}");
            let gone = service.call("DELETE", &path, &[("authorization", &self.bearer())], &Value::Null);
            assert_eq!(gone.status(), 200, "{}", gone.text());
        }
    }

    fn versions(&self, data: &str) -> usize {
        good(&["history", "log", &self.flow, "--limit", "10000", "--data-dir", data]).lines().count()
    }

    /// All messages of the flow, as they are listed.
    fn messages(&self, service: &Program) -> String {
        let mut all = String::new();
        for page in 1.. {
            let path = format!("/api/v1/chatmessage/{}?page={page}&limit=200", self.flow);
            let found = service.get(&path, &[("authorization", &self.bearer())]);
            assert_eq!(found.status(), 200, "{}", found.text());
            if !found.text().contains("question ") {
                break;
            }
            all += &found.text();
        }
        all
    }

    /// All that was acknowledged is there, and all that is there can be read.
    fn check(&self, data: &Path, versions: usize) {
        let folder = data.to_str().unwrap();
        for check in ["data", "history"] {
            good(&[check, "verify", "--data-dir", folder]);
        }
        let fsck = Command::new("git")
            .args(["-c", "safe.directory=*", "fsck", "--full", "--strict"])
            .current_dir(data.join("versions"))
            .output()
            .unwrap();
        assert!(fsck.status.success(), "{}", String::from_utf8_lossy(&fsck.stderr));
        assert!(self.versions(folder) >= versions, "a version is gone");
        let service = Program::serve(data, &[]);
        let text = self.messages(&service);
        let answered = self.answered.lock().unwrap();
        let missing: Vec<&String> = answered.iter().filter(|asked| !text.contains(*asked)).collect();
        assert!(missing.is_empty(), "{} of {} answers are gone", missing.len(), answered.len());
        assert!(service.stop().success());
        let left = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains(".redb.new-")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_kill_in_a_compaction_leaves_the_old_or_the_new_and_all_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = data.to_str().unwrap();
    let service = Program::serve(&data, &[]);
    let key = good(&["key", "create", "--name", "all", "--all", "--data-dir", path]).trim().to_owned();
    let flow = service.make_flow(&key, "Kept", &canvases::scripted(&json!([]), "I heard {question}"));
    let kept = Fixture { key, flow, answered: Mutex::default() };
    kept.make_room(&service);
    let begun = Instant::now();
    good(&["compact", "--data-dir", path]);
    let whole = begun.elapsed();
    assert!(service.stop().success());
    for round in 0..rounds(2) {
        in_service(&kept, &data, whole, round);
        on_folder(&kept, &data, whole, round);
    }
}

/// The service is killed while it compacts and answers.
fn in_service(kept: &Fixture, data: &Path, whole: Duration, round: u64) {
    let service = Program::serve(data, &[]);
    kept.make_room(&service);
    (0..5).for_each(|number| kept.save(&service, round * 100 + number));
    let versions = kept.versions(data.to_str().unwrap());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let asking = scope.spawn(|| kept.ask(&service, round, &is_over));
        let mut compacting = start(&["compact", "--data-dir", data.to_str().unwrap()]);
        thread::sleep(moment(whole, round));
        let process = i32::try_from(service.process_id()).unwrap();
        let process = rustix::process::Pid::from_raw(process).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        is_over.store(true, Ordering::SeqCst);
        asking.join().unwrap();
        // Its service is gone.
        compacting.wait().unwrap();
    });
    drop(service);
    kept.check(data, versions);
}

/// The command is killed on a folder that nobody uses.
fn on_folder(kept: &Fixture, data: &Path, whole: Duration, round: u64) {
    let path = data.to_str().unwrap();
    let service = Program::serve(data, &[]);
    kept.make_room(&service);
    (0..5).for_each(|number| kept.save(&service, round * 100 + 50 + number));
    assert!(service.stop().success());
    let versions = kept.versions(path);
    let mut compacting = start(&["compact", "--data-dir", path]);
    thread::sleep(moment(whole, round));
    // It may have come to its end.
    let _ = compacting.kill();
    compacting.wait().unwrap();
    kept.check(data, versions);
    good(&["compact", "--data-dir", path]);
    kept.check(data, versions);
}
