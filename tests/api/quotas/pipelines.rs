//! What pipelines bring: chunks of document stores, vectors, and files.

use super::knowledge::make;
use super::{bound, tells, used};
use crate::etl::{DocumentFolder, finish, folder_line, into, pipeline, run, save};
use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

/// What a run fails with.
#[track_caller]
fn failed(server: &Server, flow: &str) -> String {
    let run = run(server, flow);
    assert_eq!(run["state"], "FAILED", "{run}");
    run["error"].as_str().unwrap().to_owned()
}

/// The numbered files of a folder.
fn source(folder: &DocumentFolder) -> (&'static str, Value) {
    ("folderFiles", json!({"folderPath": folder.path()}))
}

#[test]
fn a_document_store_takes_no_more_of_a_pipeline_than_there_is_room_for() {
    let folder = DocumentFolder::numbered(3);
    let server = folder.server();
    let store = make(&server);
    let target = |mode: &str| {
        let inputs = json!({"selectedStore": store, "mode": mode});
        into(source(&folder), None, ("etlDocumentStore", inputs))
    };
    let flow = pipeline(&server, &target("append"));
    for mode in ["append", "replace"] {
        save(&server, &flow, &target(mode));
        bound(&server, &json!({"chunks": 2}));
        tells(&failed(&server, &flow), "chunks", 2, 0);
        assert_eq!(used(&server, "chunks"), 0, "{mode}");
    }
    bound(&server, &json!({"chunks": 3}));
    finish(&server, &flow);
    // What is replaced takes no room.
    finish(&server, &flow);
    assert_eq!(used(&server, "chunks"), 3);
}

#[test]
fn vectors_of_a_pipeline_are_bounded() {
    let folder = DocumentFolder::numbered(3);
    let server = folder.server();
    let flow = pipeline(&server, &folder_line(&folder, &[]));
    bound(&server, &json!({"vectors": 2}));
    let told = failed(&server, &flow);
    assert!(told.contains("The quota 'vectors' of this workspace is 2 "), "{told}");
    assert_eq!(used(&server, "vectors"), 0);
    bound(&server, &json!({"vectors": 3}));
    finish(&server, &flow);
    assert_eq!(used(&server, "vectors"), 3);
}

#[test]
fn a_file_that_a_pipeline_writes_counts_and_what_does_not_fit_leaves_nothing() {
    let folder = DocumentFolder::numbered(3);
    let server = folder.server();
    let target = ("etlFile", json!({"fileName": "rows.jsonl", "mode": "replace"}));
    let flow = pipeline(&server, &into(source(&folder), None, target));
    bound(&server, &json!({"fileBytes": 100}));
    tells(&failed(&server, &flow), "fileBytes", 100, 0);
    assert_eq!((used(&server, "fileBytes"), server.read(&format!("/etl/{flow}/files"))), (0, json!([])));
    bound(&server, &json!({"fileBytes": 100_000}));
    finish(&server, &flow);
    let bytes = server.read(&format!("/etl/{flow}/files"))[0]["bytes"].as_u64().unwrap();
    assert_eq!(used(&server, "fileBytes"), bytes);
    server.owner("DELETE", &format!("/etl/{flow}/files/rows.jsonl")).send().is(200);
    assert_eq!(used(&server, "fileBytes"), 0);
}

#[test]
fn stores_that_have_room_for_one_another_but_not_for_all_fail_the_run_and_the_next_one_may_begin() {
    let folder = DocumentFolder::numbered(2);
    let server = folder.server();
    let (card, inputs) = source(&folder);
    let mut drawing = Drawing::default();
    let files = drawing.card(card, inputs);
    for store in [make(&server), make(&server)] {
        let inputs = json!({"selectedStore": store, "mode": "replace"});
        let target = drawing.card("etlDocumentStore", inputs);
        drawing.wire(&files, &target, "documents");
    }
    let flow = pipeline(&server, &drawing);
    bound(&server, &json!({"chunks": 3}));
    tells(&failed(&server, &flow), "chunks", 3, 2);
    assert_eq!(used(&server, "chunks"), 0);
    bound(&server, &json!({"chunks": 4}));
    finish(&server, &flow);
    assert_eq!(used(&server, "chunks"), 4);
}
