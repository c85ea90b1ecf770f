//! A run that the end of the service cut off goes on with the next start.

use super::{DocumentFolder, counts, end, folder_line, line, pipeline, start};
use serde_json::{Value, json};
use std::time::Duration;

const SLOW: &str = "const end = Date.now() + 20; while (Date.now() < end) {} return $pageContent;";

#[test]
fn a_run_over_a_folder_goes_on_from_its_last_batch() {
    let folder = DocumentFolder::numbered(300);
    let server = folder.server();
    let transforms = [("etlDedupe", json!({})), ("etlFunction", json!({ "javascriptFunction": SLOW }))];
    let flow = pipeline(&server, &folder_line(&folder, &transforms));
    let run = start(&server, &flow, &json!({}));
    while server.read(&format!("/etl/{flow}/runs/{run}"))["read"].as_u64().unwrap() < 64 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let server = server.restart_with(&[("SERVICE_DOCUMENT_FOLDERS", &folder.path())]);
    let done = end(&server, &flow, &run);
    assert_eq!((&done["state"], &done["resumed"]), (&json!("FINISHED"), &json!(true)), "{done}");
    assert_eq!(counts(&done), [300, 300, 0, 0], "no document twice, and none left out");
    let listed: Value = server.read(&format!("/etl/{flow}/runs"));
    assert_eq!(listed["total"], 1);
}

#[test]
fn a_run_over_a_source_without_places_begins_anew() {
    let folder = DocumentFolder::with(&[]);
    let server = folder.server();
    let text = "Parcels leave on Monday.\n".repeat(200);
    let slow = json!({ "javascriptFunction": SLOW });
    let mut drawing = line(("plainText", json!({ "text": text })), &[("etlFunction", slow)], "append");
    let splitter =
        drawing.card("characterTextSplitter", json!({"separator": "\n", "chunkSize": 30, "chunkOverlap": 0}));
    drawing.wire(&splitter, "plainText_0", "textSplitter");
    let flow = pipeline(&server, &drawing);
    let run = start(&server, &flow, &json!({}));
    while server.read(&format!("/etl/{flow}/runs/{run}"))["read"].as_u64().unwrap() < 64 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let server = server.restart();
    let done = end(&server, &flow, &run);
    assert_eq!((&done["state"], &done["resumed"]), (&json!("FINISHED"), &json!(false)), "{done}");
    assert_eq!(done["failed"], 0);
}
