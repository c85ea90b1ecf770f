//! `kill -9` in the middle of backups and restores, again and again: no half archive has the name of a whole one, the service starts
//! again, and a data folder is the old one or the new one. `FLOWKEEP_KILL_ROUNDS` says how often; 2 if not set.

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
use program::{Program, run};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

fn names(service: &Program, key: &str) -> Vec<String> {
    let flows = service.get("/api/v1/chatflows", &[("authorization", &format!("Bearer {key}"))]).json();
    let mut names: Vec<String> =
        flows.as_array().unwrap().iter().map(|flow| flow["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Ends a process in the middle of what it does.
fn kill_after(child: &mut Child, wait: Duration) {
    std::thread::sleep(wait);
    // It may have come to its end.
    let _ = child.kill();
    child.wait().unwrap();
}

fn check_folder(data: &str) {
    for check in ["data", "history"] {
        good(&[check, "verify", "--data-dir", data]);
    }
}

#[test]
fn a_kill_leaves_no_half_backup_and_no_mixture_of_two_folders() {
    let folder = tempfile::tempdir().unwrap();
    let data_path = folder.path().join("data");
    let (data, archive) = (data_path.to_str().unwrap(), folder.path().join("b.tar.zst"));
    let file = archive.to_str().unwrap();
    let mut service = Some(Program::serve(&data_path, &[]));
    let key = good(&["key", "create", "--name", "all", "--all", "--data-dir", data]).trim().to_owned();
    let canvas = canvases::scripted(&json!([]), "I heard {question}");
    for number in 0..20 {
        service.as_ref().unwrap().make_flow(&key, &format!("old {number}"), &canvas);
    }
    let begun = Instant::now();
    good(&["backup", file, "--data-dir", data]);
    let whole = begun.elapsed();
    for round in 0..rounds(2) {
        let running = service.take().unwrap();
        let mut asked = start(&["backup", file, "--data-dir", data]);
        std::thread::sleep(moment(whole, round));
        if round % 2 == 0 {
            kill_after(&mut asked, Duration::ZERO);
            service = Some(running);
        } else {
            running.kill();
            asked.wait().unwrap();
            service = Some(Program::serve(&data_path, &[]));
        }
        good(&["verify", file]);
        let running = service.as_ref().unwrap();
        assert_eq!(running.ask_first(&key), 200);
        let added = format!("more {round}");
        running.make_flow(&key, &added, &canvas);
    }
    let running = service.take().unwrap();
    let old = names(&running, &key);
    // Whoever asked for one and was killed may not be missed yet.
    let until = Instant::now() + Duration::from_secs(60);
    while run(&["backup", file, "--data-dir", data]).status.code() != Some(0) {
        assert!(Instant::now() < until, "the service still makes another one");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(running.stop().success());
    restore_in_rounds(folder.path(), data, file, &key, &old, &canvas);
}

/// Restores over a folder that went on since the backup, and is killed.
fn restore_in_rounds(folder: &Path, data: &str, file: &str, key: &str, backed_up: &[String], canvas: &Value) {
    let data_path = Path::new(data);
    let other = folder.join("other");
    let begun = Instant::now();
    good(&["restore", file, "--data-dir", other.to_str().unwrap()]);
    let whole = begun.elapsed();
    for round in 0..rounds(2) {
        let service = Program::serve(data_path, &[]);
        service.make_flow(key, &format!("newer {round}"), canvas);
        let newer = names(&service, key);
        assert!(service.stop().success());
        let mut restoring = start(&["restore", file, "--replace", "--data-dir", data]);
        kill_after(&mut restoring, moment(whole, round));
        if round % 3 == 0 {
            check_folder(data);
        }
        let service = Program::serve(data_path, &[]);
        let found = names(&service, key);
        assert!(found == newer || found == backed_up, "round {round}: {found:?}");
        assert_eq!(service.ask_first(key), 200);
        assert!(service.stop().success());
        check_folder(data);
        assert!(!data_path.join(".restore").exists());
    }
}

trait Asked {
    /// The status of a question to any flow.
    fn ask_first(&self, key: &str) -> u16;
}

impl Asked for Program {
    fn ask_first(&self, key: &str) -> u16 {
        let flows = self.get("/api/v1/chatflows", &[("authorization", &format!("Bearer {key}"))]).json();
        self.ask(flows[0]["id"].as_str().unwrap(), &json!({"question": "anybody there?"})).status()
    }
}
