//! Objects and references of git, as somebody else may have put them into the history.

use crate::fuzz;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flowkeep::base::cancel::CancelToken;
use flowkeep::domain::flows::flow::FlowKind;
use flowkeep::domain::flows::version::{Author, FlowSnapshot, NewVersion, VersionContent, VersionKind};
use flowkeep::domain::ids::{FlowId, UserId};
use flowkeep::history::History;
use jiff::Timestamp;
use serde_json::{Map, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use uuid::Uuid;

const WORDS: &[&str] = &[
    "commit 99\0",
    "tree ",
    "parent ",
    "author a <b> 1 +0000\n",
    "committer ",
    "blob 0\0",
    "100644 a\0",
    "40000 flows\0",
    "ref: refs/heads/main\n",
    "0000000000000000000000000000000000000000",
    "\n\n",
];

fn record(history: &History, flow: FlowId, text: &str) {
    let snapshot = FlowSnapshot {
        id: flow,
        name: "Help desk".into(),
        kind: FlowKind::Chatflow,
        category: None,
        canvas: json!({"nodes": [], "edges": [], "text": text}).to_string(),
        settings: Map::new(),
        references: None,
    };
    let change = NewVersion {
        content: VersionContent::Flow(snapshot),
        kind: VersionKind::Save,
        author: Author::person("Ada Lovelace", UserId::random()),
        date: Timestamp::now(),
        title: format!("Saved: {text}"),
        details: vec!["Model: prompt".into()],
        promoted_from: None,
        hidden_secrets: 0,
        intent: Uuid::new_v4(),
    };
    history.recorder().record(&change).unwrap();
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn objects_and_references() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("versions");
    let flow = FlowId::random();
    let history = History::open(folder.clone(), true);
    for text in ["one", "two", "three"] {
        record(&history, flow, text);
    }
    drop(history);
    let mut places = files(&folder.join("objects"));
    places.retain(|path| path.file_name().is_some_and(|name| name.len() == 38));
    let unpacked = |path: &PathBuf| {
        let mut bytes = Vec::new();
        ZlibDecoder::new(fs::read(path).unwrap().as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    };
    let mut seeds: Vec<Vec<u8>> = places.iter().map(unpacked).collect();
    places.extend(files(&folder.join("refs")));
    places.push(folder.join("HEAD"));
    seeds.extend(places[seeds.len()..].iter().map(|path| fs::read(path).unwrap()));
    let mut turn = 0;
    fuzz("history", seeds, WORDS, |input| {
        turn += 1;
        let path = &places[turn % places.len()];
        let before = fs::read(path).unwrap();
        let is_object = path.to_string_lossy().contains("/objects/");
        let bytes = if is_object && !turn.is_multiple_of(5) {
            let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(input).unwrap();
            packed.finish().unwrap()
        } else {
            input.to_vec()
        };
        replace(path, &bytes);
        let history = History::open(folder.clone(), true);
        let listed = history.list(&flow);
        let contents: Vec<bool> = listed
            .iter()
            .flatten()
            .map(|version| history.content(&flow, version).is_ok_and(|content| content.is_some()))
            .collect();
        let verified = history.verify(&CancelToken::new(None), &mut |_| {}).map(|found| found.faults.len());
        let logged = history.log(10).map(|versions| versions.len()).map_err(|_| ());
        drop(history);
        replace(path, &before);
        (listed.map(|versions| versions.len()).map_err(|_| ()), contents, verified.map_err(|_| ()), logged)
    });
    assert_eq!(History::open(folder, true).list(&flow).unwrap().len(), 3);
}

/// Objects are files that nobody may write: a new one takes the place of the old.
fn replace(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}
