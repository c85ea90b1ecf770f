//! A history that is missing, damaged or somebody else's: Live goes on, answers say what is the matter, nothing is begun
//! anew behind anybody's back, and putting the folder back heals it without a restart.

use super::support::{Answer, Server};
use crate::editor::{canvas_answering, git};
use flowkeep::ops::flows::versions;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

fn put_back(folder: &Path, kept: &BTreeMap<PathBuf, Vec<u8>>) {
    if folder.is_dir() {
        fs::remove_dir_all(folder).unwrap();
    } else {
        let _gone = fs::remove_file(folder);
    }
    for (path, bytes) in kept {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The files of packs with this ending.
fn packs(repository: &Path, ending: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(repository.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

type DamageStep = fn(&Path, newest: &str);

const DAMAGES: &[(&str, DamageStep)] = &[
    ("no folder", |repository, _| fs::remove_dir_all(repository).unwrap()),
    ("a file in its place", |repository, _| {
        fs::remove_dir_all(repository).unwrap();
        fs::write(repository, "a file").unwrap();
    }),
    ("no main", |repository, _| fs::remove_file(repository.join("refs/heads/main")).unwrap()),
    ("an empty main", |repository, _| fs::write(repository.join("refs/heads/main"), "").unwrap()),
    ("a main of zeros", |repository, _| fs::write(repository.join("refs/heads/main"), [0; 41]).unwrap()),
    ("a cut commit", |repository, newest| {
        let place = repository.join("objects").join(&newest[..2]).join(&newest[2..]);
        let bytes = fs::read(&place).unwrap();
        replace(&place, &bytes[..bytes.len() / 2]);
    }),
    ("a zeroed commit", |repository, newest| {
        let place = repository.join("objects").join(&newest[..2]).join(&newest[2..]);
        replace(&place, &[0; 100]);
    }),
    ("no objects", |repository, _| fs::remove_dir_all(repository.join("objects")).unwrap()),
];

/// What a service that has the repository open need not notice.
const DAMAGES_AT_START: &[(&str, DamageStep)] = &[
    ("a missing pack", |repository, _| {
        git(repository, &["repack", "-adq"]);
        for pack in packs(repository, "pack") {
            fs::remove_file(pack).unwrap();
        }
    }),
    ("zeroed indexes of packs", |repository, _| {
        git(repository, &["repack", "-adq"]);
        for index in packs(repository, "idx") {
            let length = fs::read(&index).unwrap().len();
            replace(&index, &vec![0; length]);
        }
    }),
    ("a nonsensical config", |repository, _| fs::write(repository.join("config"), "[core\nbare = ").unwrap()),
];

/// Live changed, and nothing was recorded, which the answer says in words.
#[track_caller]
fn holds(answer: Answer, name: &str) -> String {
    let told = answer.is(200).json();
    assert_eq!((&told["recorded"], &told["version"]), (&json!(false), &Value::Null), "{name}: {told}");
    let why = told["historyError"].as_str().unwrap_or_default().to_owned();
    assert!(why.ends_with('.') && !why.contains('/'), "{name}: {why}");
    why
}

fn is_survived(mut server: Server, restart: bool, name: &str, damage: DamageStep) {
    let flow = server.new_published("CHATFLOW", "one");
    server.save_draft(&flow, "two").is(200);
    server.publish(&flow).is(200);
    let before = server.history(&flow);
    let newest = server.newest(&flow);
    let kept = files(&server.repository());
    damage(&server.repository(), &newest);
    if restart {
        server = server.restart();
    }
    for _ in 0..2 {
        let told = server.history(&flow);
        let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys, before.as_object().unwrap().keys().collect::<Vec<_>>(), "{name}");
        assert_eq!((&told["enabled"], &told["versions"]), (&json!(true), &before["versions"]), "{name}");
        assert_eq!(told["lastPublished"], before["lastPublished"], "{name}");
        let why = told["lastError"].as_str().unwrap_or_default();
        assert!(why.ends_with('.') && !why.contains('/'), "{name}: {told}");
        // A version that can be read still is, whatever became of the branch.
        assert!(told["liveSha"].is_null() || told["liveSha"] == newest, "{name}: {told}");
    }
    for path in [newest.clone(), format!("{newest}/diff"), format!("{newest}/diff?against=current")] {
        let answer = server.owner("GET", &format!("/flow-versions/{flow}/{path}")).send();
        if answer.status == 200 {
            assert_eq!(answer.json()["sha"], newest, "{name}");
            continue;
        }
        let message = answer.is_error(404);
        assert!(
            message.contains(" was not found for this flow. The version history is"),
            "{name}: {message}"
        );
    }
    for answer in [server.restore(&flow, &newest), server.roll_back(&flow, &newest)] {
        assert!(matches!(answer.status, 200 | 404), "{name}: {answer:?}");
    }
    server.save_draft(&flow, "three").is(200);
    assert_eq!(server.draft_answer(&flow).as_deref(), Some("three"), "{name}");
    holds(server.publish(&flow), name);
    assert_eq!(server.live_answer(&flow), "three", "{name}");
    server.write_live(&flow, "four").is(200);
    assert_eq!(server.ask(&flow, &json!({"question": "x"})).is(200).json()["text"], "four", "{name}");
    let other = server.new_draft("AGENTFLOW", "new");
    server.owner("DELETE", &format!("/chatflows/{other}")).send().is(200);
    server.read("/flow-versions/status");
    assert_eq!(server.unrecorded_count(), 0, "{name}");

    put_back(&server.repository(), &kept);
    assert_eq!(server.history(&flow)["versions"], before["versions"], "{name}");
    server.write_live(&flow, "five").is(200);
    let healed = server.history(&flow);
    assert_eq!(healed["liveSha"], healed["versions"][0]["sha"], "{name}: {healed}");
    assert_eq!(healed["versions"].as_array().unwrap().len(), 4, "{name}");
    server.assert_settled();
}

#[test]
fn a_damaged_history_stops_nothing_else_and_heals_when_it_is_put_back() {
    for (name, damage) in DAMAGES {
        is_survived(Server::start(), false, name, *damage);
    }
}

#[test]
fn a_history_that_was_damaged_before_the_start_stops_nothing_else() {
    for (name, damage) in DAMAGES.iter().chain(DAMAGES_AT_START) {
        is_survived(Server::start(), true, name, *damage);
    }
}

#[test]
fn a_missing_history_is_begun_anew_by_the_operator_alone() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    fs::remove_dir_all(server.repository()).unwrap();
    // As after a kill: nothing but what the database was told with each version.
    let server = server.restart();
    assert_eq!(server.kinds(&flow), ["publish", "create"]);
    let why = holds(
        {
            server.save_draft(&flow, "two").is(200);
            server.publish(&flow)
        },
        "missing",
    );
    assert!(why.contains("missing") && why.contains("flowkeep history restart"), "{why}");
    assert_eq!(server.history(&flow)["lastError"], why);
    assert!(!server.repository().exists(), "nothing was begun");
    assert!(versions::restart(&server.app).unwrap(), "a new history begins");
    server.write_live(&flow, "three").is(200);
    assert_eq!(server.kinds(&flow), ["save"]);
    server.assert_settled();
    let server = server.restart();
    assert_eq!(server.kinds(&flow), ["save"]);
    assert!(!versions::restart(&server.app).unwrap(), "the same history goes on");
    server.write_live(&flow, "four").is(200);
    assert_eq!(server.kinds(&flow), ["save", "save"]);
    server.assert_settled();
}

#[test]
fn a_folder_without_a_repository_that_the_operator_names_begins_a_new_history() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().join("moved");
    let server = server.restart_with(&[("SERVICE_VERSIONS_DIR", place.to_str().unwrap())]);
    server.write_live(&flow, "two").is(200);
    assert_eq!(server.kinds(&flow), ["save"]);
    assert_eq!(server.history(&flow)["lastError"], Value::Null);
    // And the one that was moved goes on.
    fs::remove_dir_all(&place).unwrap();
    fs::rename(server.repository(), &place).unwrap();
    let other = elsewhere.path().join("again");
    fs::rename(&place, &other).unwrap();
    let server = server.restart_with(&[("SERVICE_VERSIONS_DIR", other.to_str().unwrap())]);
    assert_eq!(server.kinds(&flow), ["publish", "create"]);
    server.write_live(&flow, "three").is(200);
    assert_eq!(server.kinds(&flow), ["save", "publish", "create"]);
}

/// Makes what somebody else has in a folder.
type ReplaceStep = fn(&Path);

#[test]
fn what_is_not_ours_is_refused_before_anything_is_written() {
    let of_others: &[(&str, ReplaceStep)] = &[
        ("a bare repository", |folder| {
            git(folder, &["init", "-q", "--bare", "-b", "main"]);
            let empty = git(folder, &["hash-object", "-w", "-t", "tree", "/dev/null"]);
            let commit = git(folder, &["commit-tree", "-m", "Their work", empty.trim()]);
            git(folder, &["update-ref", "refs/heads/main", commit.trim()]);
        }),
        ("a bare repository with another branch", |folder| {
            git(folder, &["init", "-q", "--bare", "-b", "master"]);
            let empty = git(folder, &["hash-object", "-w", "-t", "tree", "/dev/null"]);
            let commit = git(folder, &["commit-tree", "-m", "Start version history", empty.trim()]);
            git(folder, &["update-ref", "refs/heads/master", commit.trim()]);
            git(folder, &["pack-refs", "--all"]);
        }),
        ("a work tree", |folder| {
            git(folder, &["init", "-q", "-b", "main"]);
            fs::write(folder.join("main.c"), "int main;").unwrap();
            git(folder, &["add", "."]);
            git(folder, &["commit", "-qm", "Theirs"]);
        }),
        ("other files", |folder| fs::write(folder.join("letter.txt"), "Dear").unwrap()),
    ];
    for (name, make) in of_others {
        let elsewhere = tempfile::tempdir().unwrap();
        make(elsewhere.path());
        let before = files(elsewhere.path());
        let server = Server::with(&[("SERVICE_VERSIONS_DIR", elsewhere.path().to_str().unwrap())]);
        let flow = server.new_draft("CHATFLOW", "one");
        let why = holds(server.publish(&flow), name);
        assert!(why.contains("SERVICE_VERSIONS_DIR"), "{name}: {why}");
        let told = server.history(&flow);
        assert_eq!((&told["versions"], &told["lastError"]), (&json!([]), &json!(why)), "{name}");
        assert!(versions::restart(&server.app).is_err(), "{name}");
        server.app.history.maintain(&flowkeep::base::cancel::CancelToken::new(None)).unwrap_or_default();
        assert_eq!(files(elsewhere.path()), before, "{name}: not a byte changes");
        assert_eq!(server.change(&flow, &json!({"flowData": canvas_answering("two")})).status, 200);
    }
}

#[test]
fn an_empty_repository_that_somebody_made_for_it_is_used() {
    let elsewhere = tempfile::tempdir().unwrap();
    git(elsewhere.path(), &["init", "-q", "--bare", "-b", "main"]);
    let server = Server::with(&[("SERVICE_VERSIONS_DIR", elsewhere.path().to_str().unwrap())]);
    let flow = server.new_published("CHATFLOW", "one");
    assert_eq!(server.kinds(&flow), ["publish", "create"]);
    crate::editor::assert_sound_repository(elsewhere.path());
}
