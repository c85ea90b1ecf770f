//! What pipelines fill on this server: files, and document stores (manual 10.14).

use super::{DocumentFolder, counts, end, finish, into, line, pipeline, run, save, slow_code, start};
use crate::support::canvases::Drawing;
use crate::support::{Server, id};
use serde_json::{Value, json};

fn text(text: &str) -> (&'static str, Value) {
    ("plainText", json!({ "text": text }))
}

fn file(mode: &str) -> (&'static str, Value) {
    ("etlFile", json!({"fileName": "rows.jsonl", "mode": mode}))
}

/// The rows of the file, each of which is JSON.
fn rows(server: &Server, flow: &str) -> Vec<Value> {
    let file = server.owner("GET", &format!("/etl/{flow}/files/rows.jsonl")).send().is(200);
    assert_eq!(file.header("content-type"), Some("application/x-ndjson; charset=utf-8"));
    assert!(file.header("content-disposition").unwrap().starts_with("attachment"));
    let text = file.text();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn texts(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["pageContent"].as_str().unwrap()).collect()
}

#[test]
fn a_file_holds_a_document_on_each_line_and_is_listed() {
    let folder = DocumentFolder::numbered(150);
    let server = folder.server();
    let source = ("folderFiles", json!({"folderPath": folder.path()}));
    let flow = pipeline(&server, &into(source, None, file("append")));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    let none = server.owner("GET", &format!("/etl/{flow}/files/rows.jsonl")).send().is_error(404);
    assert!(none.contains("no such file"), "{none}");
    let done = finish(&server, &flow);
    assert_eq!(counts(&done), [150, 150, 0, 0]);
    let rows = rows(&server, &flow);
    assert_eq!((rows.len(), &rows[3]["pageContent"]), (150, &json!("Parcel 3 leaves on Monday.")));
    assert_eq!(rows[3]["metadata"]["source"], "0003.txt", "{}", rows[3]);
    let listed = server.read(&format!("/etl/{flow}/files"));
    let [listed] = listed.as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!((&listed["name"], &listed["runId"]), (&json!("rows.jsonl"), &done["id"]));
    assert!(listed["bytes"].as_u64() > Some(150 * 40) && listed["date"].is_string(), "{listed}");
}

#[test]
fn a_file_is_written_on_or_replaced() {
    let server = Server::start();
    let flow = pipeline(&server, &into(text("One"), None, file("append")));
    finish(&server, &flow);
    save(&server, &flow, &into(text("Two"), None, file("append")));
    finish(&server, &flow);
    assert_eq!(texts(&rows(&server, &flow)), ["One", "Two"]);
    save(&server, &flow, &into(text("Three\n\"quoted\""), None, file("replace")));
    finish(&server, &flow);
    assert_eq!(texts(&rows(&server, &flow)), ["Three\n\"quoted\""]);
    let nothing = Some("return null;");
    save(&server, &flow, &into(text("Four"), nothing, file("append")));
    assert_eq!(counts(&finish(&server, &flow)), [1, 0, 1, 0]);
    assert_eq!(rows(&server, &flow).len(), 1);
    save(&server, &flow, &into(text("Four"), nothing, file("replace")));
    finish(&server, &flow);
    assert_eq!(rows(&server, &flow).len(), 0, "nothing came, so nothing is there");
}

#[test]
fn what_a_run_wrote_that_was_not_finished_counts_in_no_file() {
    let folder = DocumentFolder::numbered(150);
    let server = folder.server();
    for mode in ["append", "replace"] {
        let flow = pipeline(&server, &into(text("One"), None, file(mode)));
        finish(&server, &flow);
        let source = ("folderFiles", json!({"folderPath": folder.path()}));
        let fails = "if ($pageContent.includes('Parcel 100 ')) throw new Error('no'); return $pageContent;";
        let mut drawing = into(source.clone(), Some(fails), file(mode));
        drawing.card("etlStart", json!({"failFast": true}));
        save(&server, &flow, &drawing);
        let failed = run(&server, &flow);
        assert_eq!((&failed["state"], &failed["written"]), (&json!("FAILED"), &json!(64)), "{failed}");
        assert_eq!(texts(&rows(&server, &flow)), ["One"], "{mode}");
        save(&server, &flow, &into(source, Some(slow_code()), file(mode)));
        let stopped = start(&server, &flow, &json!({}));
        server.owner("DELETE", &format!("/etl/{flow}/runs/{stopped}")).send().is(200);
        assert_eq!(end(&server, &flow, &stopped)["state"], "STOPPED");
        assert_eq!(texts(&rows(&server, &flow)), ["One"], "{mode}");
        save(&server, &flow, &into(text("Two"), None, file(mode)));
        finish(&server, &flow);
        let expected: &[&str] = if mode == "append" { &["One", "Two"] } else { &["Two"] };
        assert_eq!(texts(&rows(&server, &flow)), expected, "{mode}");
        assert_eq!(files_on_disk(&server).len(), 1, "{mode}");
        server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    }
}

fn files_on_disk(server: &Server) -> Vec<String> {
    let all = server.files().into_iter().map(|(name, _)| name);
    all.filter(|name| name.contains("files/pipelines/")).collect()
}

#[test]
fn a_dry_run_writes_neither_file_nor_store() {
    let server = Server::start();
    let store = new_store(&server);
    let mut drawing = into(text("One"), None, file("replace"));
    let target = drawing.card("etlDocumentStore", json!({"selectedStore": store, "mode": "replace"}));
    drawing.wire("plainText_0", &target, "documents");
    let flow = pipeline(&server, &drawing);
    let done = end(&server, &flow, &start(&server, &flow, &json!({"dryRun": true})));
    assert_eq!(
        (&done["state"], done["results"].as_array().unwrap().len()),
        (&json!("FINISHED"), 2),
        "{done}"
    );
    assert_eq!(server.read(&format!("/etl/{flow}/files")), json!([]));
    assert_eq!(files_on_disk(&server).len(), 0);
    assert_eq!(chunks(&server, &store).len(), 0);
}

#[test]
fn a_file_is_deleted_alone_or_with_its_flow_and_never_in_a_run() {
    let folder = DocumentFolder::numbered(40);
    let server = folder.server();
    let source = ("folderFiles", json!({"folderPath": folder.path()}));
    let flow = pipeline(&server, &into(source, Some(slow_code()), file("append")));
    let path = format!("/etl/{flow}/files/rows.jsonl");
    let begun = start(&server, &flow, &json!({}));
    let told = server.owner("DELETE", &path).send().is_error(409);
    assert!(told.contains("is under way"), "{told}");
    assert_eq!(end(&server, &flow, &begun)["state"], "FINISHED");
    server.owner("DELETE", &path).send().is(200);
    server.owner("DELETE", &path).send().is_error(404);
    assert_eq!(files_on_disk(&server).len(), 0);
    finish(&server, &flow);
    assert_eq!(rows(&server, &flow).len(), 40);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(files_on_disk(&server).len(), 0);
}

#[test]
fn a_card_that_no_run_could_write_is_named() {
    let server = Server::start();
    let refused = |drawing: &Drawing| {
        let flow = pipeline(&server, drawing);
        let told = server.owner("POST", &format!("/etl/{flow}/runs")).json(&json!({})).send().is_error(400);
        assert!(server.read(&format!("/validation/{flow}")).to_string().contains(told.trim_end_matches('.')));
        told
    };
    for name in ["", "../secrets", ".hidden", "{{ params.day }}"] {
        let told = refused(&into(text("One"), None, ("etlFile", json!({"fileName": name}))));
        assert!(told.starts_with("File: File Name: this must be a name"), "{told}");
    }
    let mut twice = into(text("One"), None, file("append"));
    let second = twice.card(file("append").0, file("append").1);
    twice.wire("plainText_0", &second, "documents");
    assert!(refused(&twice).contains("another card writes a file of this name"));
    let told = refused(&into(text("One"), None, ("etlDocumentStore", json!({"selectedStore": "mine"}))));
    assert_eq!(told, "Document Store (Pipeline): Select Store: choose a document store of this workspace.");
}

#[test]
fn a_mode_that_no_target_knows_is_refused_in_the_words_of_validation() {
    let server = Server::start();
    let store = new_store(&server);
    let stored = ("etlDocumentStore", json!({"selectedStore": store, "mode": "sideways"}));
    for target in [file("sideways"), stored] {
        let flow = pipeline(&server, &into(text("One"), None, target));
        refused_alike(&server, &flow, "Mode has the value 'sideways', which is none of its choices.");
    }
    let flow = pipeline(&server, &line(text("One"), &[], "Replace"));
    refused_alike(&server, &flow, "Mode has the value 'Replace', which is none of its choices.");
}

#[test]
fn a_second_start_is_refused_and_named() {
    let server = Server::start();
    let mut drawing = into(text("One"), None, file("append"));
    drawing.card("etlStart", json!({}));
    let flow = pipeline(&server, &drawing);
    finish(&server, &flow);
    drawing.card("etlStart", json!({"failFast": true}));
    save(&server, &flow, &drawing);
    refused_alike(&server, &flow, "a pipeline has one Pipeline Start, and another one is on the canvas");
}

/// The start of a run and validation say this of a card, validation once.
fn refused_alike(server: &Server, flow: &str, said: &str) {
    let told = server.owner("POST", &format!("/etl/{flow}/runs")).json(&json!({})).send().is_error(400);
    assert!(told.contains(said), "{told}");
    let found = server.read(&format!("/validation/{flow}"));
    let issues: Vec<&Value> =
        found.as_array().unwrap().iter().flat_map(|card| card["issues"].as_array().unwrap()).collect();
    let alike = issues.iter().filter(|issue| issue.as_str().unwrap().contains(said)).count();
    assert_eq!((alike, &found[0]["blocks"]), (1, &json!(true)), "{found}");
}

fn new_store(server: &Server) -> String {
    id(&server.post("/document-store/store", &json!({"name": "Handbook"})))
}

fn into_store(store: &str, mode: &str) -> (&'static str, Value) {
    ("etlDocumentStore", json!({"selectedStore": store, "mode": mode}))
}

/// The texts of all chunks that people see in a store.
fn chunks(server: &Server, store: &str) -> Vec<String> {
    let all = server.read(&format!("/document-store/chunks/{store}/all/1"));
    let all = all["chunks"].as_array().unwrap();
    all.iter().map(|chunk| chunk["pageContent"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_store_takes_documents_beside_what_others_brought_and_nothing_twice() {
    let server = Server::start();
    let store = new_store(&server);
    let own = json!({"loader": {"name": "plainText", "config": {"text": "Written by hand."}}});
    server.post(&format!("/document-store/upsert/{store}"), &own);
    let flow = pipeline(&server, &into(text("One"), None, into_store(&store, "append")));
    assert_eq!(counts(&finish(&server, &flow)), [1, 1, 0, 0]);
    assert_eq!(counts(&finish(&server, &flow)), [1, 0, 1, 0], "it is there already");
    save(&server, &flow, &into(text("Two"), None, into_store(&store, "append")));
    finish(&server, &flow);
    assert_eq!(chunks(&server, &store), ["Written by hand.", "One", "Two"]);
    let read = server.read(&format!("/document-store/store/{store}"));
    assert_eq!((&read["totalChunks"], read["loaders"].as_array().unwrap().len()), (&json!(3), 2), "{read}");
    assert_eq!(read["loaders"][1]["loaderName"], "Flow", "{read}");
    let pipelines = [&read["loaders"][0]["pipeline"], &read["loaders"][1]["pipeline"]];
    assert_eq!(pipelines, [&Value::Null, &json!(flow)]);
    save(&server, &flow, &into(text("Three"), None, into_store(&store, "replace")));
    finish(&server, &flow);
    assert_eq!(chunks(&server, &store), ["Written by hand.", "Three"], "what others brought stays");
    save(&server, &flow, &into(text("Two"), None, into_store(&store, "append")));
    finish(&server, &flow);
    assert_eq!(
        chunks(&server, &store),
        ["Written by hand.", "Three", "Two"],
        "what was replaced is new again"
    );
}

#[test]
fn nobody_sees_what_replaces_chunks_before_the_run_is_finished() {
    let folder = DocumentFolder::numbered(100);
    let server = folder.server();
    let store = new_store(&server);
    let flow = pipeline(&server, &into(text("One"), None, into_store(&store, "replace")));
    finish(&server, &flow);
    let source = ("folderFiles", json!({"folderPath": folder.path()}));
    save(&server, &flow, &into(source, Some(slow_code()), into_store(&store, "replace")));
    let begun = start(&server, &flow, &json!({}));
    while server.read(&format!("/etl/{flow}/runs/{begun}"))["written"].as_u64() < Some(64) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(chunks(&server, &store), ["One"]);
    server.owner("DELETE", &format!("/etl/{flow}/runs/{begun}")).send().is(200);
    assert_eq!(end(&server, &flow, &begun)["state"], "STOPPED");
    assert_eq!(chunks(&server, &store), ["One"]);
    assert_eq!(counts(&finish(&server, &flow)), [100, 100, 0, 0], "what was given up is not there already");
    let read = server.read(&format!("/document-store/store/{store}"));
    assert_eq!((&read["totalChunks"], chunks(&server, &store).len()), (&json!(100), 50));
}

#[test]
fn a_finished_run_makes_the_vectors_of_a_store_that_has_embeddings() {
    let server = Server::start();
    let store = new_store(&server);
    let hashing = json!({"storeId": store, "embeddingName": "hashingEmbeddings", "embeddingConfig": {"dimensions": "64"}});
    server.owner("POST", "/document-store/vectorstore/save").json(&hashing).send().is(200);
    let flow = pipeline(&server, &into(text("Parcels leave on Monday."), None, into_store(&store, "append")));
    finish(&server, &flow);
    let wanted = json!({"storeId": store, "query": "parcels"});
    let found = server.owner("POST", "/document-store/vectorstore/query").json(&wanted).send().is(200).json();
    assert_eq!(found["docs"][0]["pageContent"], "Parcels leave on Monday.", "{found}");
    assert_eq!(server.read(&format!("/document-store/store/{store}"))["status"], "UPSERTED");
}

#[test]
fn a_loader_of_a_pipeline_is_run_by_its_pipeline_alone() {
    let server = Server::start();
    let store = new_store(&server);
    let flow = pipeline(&server, &into(text("One"), None, into_store(&store, "append")));
    finish(&server, &flow);
    let loader = id(&server.read(&format!("/document-store/store/{store}"))["loaders"][0]);
    let process = format!("/document-store/loader/process/{loader}");
    let told = server.owner("POST", &process).json(&json!({"storeId": store})).send().is_error(400);
    assert_eq!(told, format!("Pipeline {flow} brings what is in this loader: run the pipeline."));
    let again = json!({"docId": loader, "replaceExisting": true, "loader": {"name": "plainText"}});
    server.owner("POST", &format!("/document-store/upsert/{store}")).json(&again).send().is_error(400);
    server.owner("POST", &format!("/document-store/refresh/{store}")).json(&json!({})).send().is(200);
    assert_eq!(chunks(&server, &store), ["One"]);
    server.owner("DELETE", &format!("/document-store/loader/{store}/{loader}")).send().is(200);
    finish(&server, &flow);
    assert_eq!(chunks(&server, &store), ["One"], "it has a new loader");
}

#[test]
fn a_store_that_is_gone_fails_the_run_and_names_the_card() {
    let server = Server::start();
    let store = new_store(&server);
    let flow = pipeline(&server, &into(text("One"), None, into_store(&store, "replace")));
    server.owner("DELETE", &format!("/document-store/store/{store}?force=true")).send().is(200);
    let failed = run(&server, &flow);
    assert_eq!(failed["state"], "FAILED");
    assert!(failed["error"].as_str().unwrap().starts_with("Document Store (Pipeline): "), "{failed}");
}

#[test]
fn a_canvas_that_fills_another_store_takes_who_may_change_stores() {
    let server = Server::start();
    let store = new_store(&server);
    let role = server.role("drawer", &["chatflows:view", "chatflows:update", "chatflows:create"]);
    let drawer = server.member(role);
    let drawing = |store: &str, mode: &str| into(text("One"), None, into_store(store, mode));
    let flow = pipeline(&server, &drawing(&store, "append"));
    let saved = |drawing: &Drawing| {
        let change = json!({"flowData": drawing.text()});
        drawer.call(&server, "PUT", &format!("/chatflows/{flow}")).json(&change).send()
    };
    saved(&drawing(&store, "replace")).is(200);
    let told = saved(&drawing(&new_store(&server), "append")).is_error(403);
    assert_eq!(told, "Filling a document store needs the permission documentStores:update.");
    let new = json!({"name": "mine", "type": "ETL", "flowData": drawing(&store, "append").text()});
    drawer.call(&server, "POST", "/chatflows").json(&new).send().is_error(403);
}
