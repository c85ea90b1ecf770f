//! Data folders of older formats (`formats/`), each as a killed program of that format left it, opened by this one (manual 13.15).

use crate::kills::{moment, rounds, start};
use crate::program::{Program, error_output, run, standard_output};
use crate::{Home, one_line};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the database and its log lie in, as every format has them.
const FILES: [&str; 3] = ["flowkeep.redb", "flowkeep.journal", "flowkeep.journal2"];

/// The formats of which there is an archive.
const FORMATS: [u32; 6] = [1, 2, 3, 4, 5, 7];

struct OldFolder {
    home: Home,
    expected: Value,
}

impl OldFolder {
    fn unpack(format: u32) -> Self {
        let home = Home::new();
        let archive = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/binary/formats/format-{format}.tar.zst"));
        let unpacked = zstd::Decoder::new(fs::File::open(archive).unwrap()).unwrap();
        tar::Archive::new(unpacked).unpack(&home.data).unwrap();
        let expected = fs::read(home.data.join("expected.json")).unwrap();
        Self { home, expected: serde_json::from_slice(&expected).unwrap() }
    }

    fn expected(&self, name: &str) -> &str {
        self.expected[name].as_str().unwrap()
    }

    /// Everything that the old program acknowledged, asked of this one.
    fn assert_whole(&self, service: &Program) {
        let flow = self.expected("flow");
        let bearer = format!("Bearer {}", self.expected("key"));
        let authorized = [("authorization", bearer.as_str())];
        let get = |path: String| {
            let answer = service.get(&path, &authorized);
            assert_eq!(answer.status(), 200, "{path}: {}", answer.text());
            answer.json()
        };
        let messages = get(format!("/api/v1/chatmessage/{flow}"));
        assert_eq!(messages.as_array().unwrap().len(), 4, "two questions and two answers: {messages}");
        let asked = service.ask(flow, &json!({"question": "What can you do?"}));
        assert_eq!(asked.status(), 200, "{}", asked.text());
        let versions = get(format!("/api/v1/flow-versions/{flow}"));
        let versions = versions["versions"].as_array().unwrap();
        assert!(versions.len() as u64 >= self.expected["versions"].as_u64().unwrap(), "{versions:?}");
        let draft = get(format!("/api/v1/flow-drafts/{flow}"));
        let canvas = draft["draft"]["flowData"].as_str().unwrap();
        assert!(canvas.contains("888"), "what was saved last is in the draft");
        assert_eq!(get("/api/v1/variables".to_owned())[0]["value"], "Graz");
        assert_eq!(get("/api/v1/credentials".to_owned())[0]["name"], "model");
        let store = get(format!("/api/v1/document-store/store/{}", self.expected("store")));
        assert_eq!(store["name"], "Handbook");
        assert!(
            service.sign_in("owner@flowkeep.local", self.expected("password")).is_some(),
            "the password opens as before"
        );
    }
}

fn database_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = FILES.iter().map(|name| folder.join(name)).filter(|file| file.exists());
    files.map(|file| (PathBuf::from(file.file_name().unwrap()), fs::read(&file).unwrap())).collect()
}

#[test]
fn a_folder_of_every_format_is_brought_forward_by_a_start_and_loses_nothing() {
    for format in FORMATS {
        let old = OldFolder::unpack(format);
        let service = old.home.serve();
        old.assert_whole(&service);
        assert_eq!(service.stop().code(), Some(0), "format {format}");
        for check in [["data", "verify"], ["history", "verify"]] {
            old.home.good(&check);
        }
        let service = old.home.serve();
        assert_eq!(service.ask(old.expected("flow"), &json!({"question": "again"})).status(), 200);
    }
}

#[test]
fn upgrade_says_first_what_it_does_and_then_does_it() {
    for format in FORMATS {
        let old = OldFolder::unpack(format);
        let before = database_files(&old.home.data);
        let plan = old.home.good(&["upgrade", "--check"]);
        assert!(plan.contains(&format!("in format {format};")), "{plan}");
        assert_eq!(before, database_files(&old.home.data), "format {format}: looking changes nothing");
        let done = old.home.good(&["upgrade"]);
        assert!(done.contains(&format!("from format {format} to format 8")), "{done}");
        for again in [&["upgrade"][..], &["upgrade", "--check"]] {
            assert!(old.home.good(again).contains("there is nothing to do"), "format {format}");
        }
        old.assert_whole(&old.home.serve());
    }
}

#[test]
fn doctor_names_the_upgrade_that_is_due_and_changes_nothing() {
    for format in FORMATS {
        let old = OldFolder::unpack(format);
        let before = database_files(&old.home.data);
        let looked = old.home.good(&["doctor"]);
        assert!(looked.contains(&format!("in format {format}, as an older program left it")), "{looked}");
        let fixed = old.home.run(&["doctor", "--fix"]);
        assert_eq!(fixed.status.code(), Some(1), "{}", standard_output(&fixed));
        assert!(error_output(&fixed).contains("run 'flowkeep upgrade' first"), "{}", error_output(&fixed));
        assert_eq!(before, database_files(&old.home.data), "format {format}");
        old.home.good(&["upgrade"]);
        assert!(old.home.good(&["doctor"]).contains("rows and"), "format {format}");
    }
}

#[test]
fn the_database_as_it_was_is_kept_and_can_be_put_back() {
    for format in FORMATS {
        let old = OldFolder::unpack(format);
        old.home.good(&["upgrade"]);
        assert!(old.home.data.join("before-upgrade/flowkeep.redb").exists(), "format {format}");
        put_back(&old.home.data);
        assert!(old.home.good(&["upgrade", "--check"]).contains(&format!("in format {format};")));
        old.assert_whole(&old.home.serve());
    }
}

/// Puts the database back as it was before its upgrade.
fn put_back(data: &Path) {
    let kept = data.join("before-upgrade");
    for name in FILES {
        let (from, to) = (kept.join(name), data.join(name));
        let _ = fs::remove_file(&to);
        if from.exists() {
            fs::rename(from, to).unwrap();
        }
    }
}

#[test]
fn an_upgrade_that_is_killed_is_finished_by_the_next_and_the_copy_is_of_what_was_there() {
    let whole = {
        let old = OldFolder::unpack(1);
        let begun = Instant::now();
        old.home.good(&["upgrade"]);
        begun.elapsed()
    };
    // Another format and another moment each time.
    for (round, format) in (0..rounds(2)).zip(FORMATS.into_iter().cycle()) {
        let old = OldFolder::unpack(format);
        let mut upgrade = start(&["upgrade", "--data-dir", old.home.data()]);
        std::thread::sleep(moment(whole, round));
        // It may have come to its end.
        let _ = upgrade.kill();
        upgrade.wait().unwrap();
        let service = old.home.serve();
        old.assert_whole(&service);
        assert!(service.stop().success(), "round {round}, format {format}");
        old.home.good(&["data", "verify"]);
        put_back(&old.home.data);
        let plan = old.home.good(&["upgrade", "--check"]);
        assert!(plan.contains(&format!("in format {format};")), "round {round}: {plan}");
        old.assert_whole(&old.home.serve());
    }
}

#[test]
fn a_copy_that_cannot_be_made_stops_the_upgrade_and_nothing_changed() {
    let old = OldFolder::unpack(4);
    fs::write(old.home.data.join("before-upgrade"), "a file where the folder has to be").unwrap();
    for command in [&["upgrade"][..], &["serve", "--port", "0"]] {
        let mut arguments = command.to_vec();
        arguments.extend_from_slice(&["--data-dir", old.home.data.to_str().unwrap()]);
        let output = run(&arguments);
        let said = error_output(&output);
        assert_eq!(output.status.code(), Some(1), "{} {said}", standard_output(&output));
        assert!(said.contains("nothing was changed"), "{said}");
    }
    assert!(old.home.good(&["upgrade", "--check"]).contains("in format 4;"));
    fs::remove_file(old.home.data.join("before-upgrade")).unwrap();
    old.assert_whole(&old.home.serve());
}

#[test]
fn upgrade_refuses_a_folder_that_a_service_uses_and_one_without_data() {
    let home = Home::new();
    let none = one_line(&run(&["upgrade", "--data-dir", home.data.to_str().unwrap()]), 1);
    assert!(none.contains("there is no data"), "{none}");
    let _service = home.serve();
    for more in [&[][..], &["--check"]] {
        let mut arguments = vec!["upgrade", "--data-dir", home.data.to_str().unwrap()];
        arguments.extend_from_slice(more);
        let used = one_line(&run(&arguments), 1);
        assert!(used.contains("in use by another running flowkeep"), "{used}");
    }
}
