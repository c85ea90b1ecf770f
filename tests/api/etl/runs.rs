//! Runs: how they are started, watched, stopped and refused.

use super::{DocumentFolder, counts, end, folder_line, line, pipeline, run, slow, start, store, stored};
use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

#[test]
fn a_folder_goes_into_a_store_in_batches_and_is_found() {
    let folder = DocumentFolder::numbered(150);
    let server = folder.server();
    let flow = pipeline(&server, &folder_line(&folder, &[]));
    let done = run(&server, &flow);
    assert_eq!((&done["state"], counts(&done)), (&json!("FINISHED"), [150, 150, 0, 0]), "{done}");
    assert!(done["bytesRead"].as_u64().unwrap() > 150 * 20 && done["finished"].is_string());
    assert_eq!(
        (&done["phase"], &done["resumed"], &done["error"]),
        (&json!("finishing"), &json!(false), &json!(null))
    );
    assert_eq!(done["flowVersion"].as_str().map(str::len), Some(7), "{done}");
    let found = stored(&server);
    assert_eq!(found.len(), 100, "as many as are looked for");
    assert!(found.iter().all(|text| text.starts_with("Parcel ")), "{found:?}");
}

#[test]
fn appending_stores_nothing_twice_and_replacing_empties_the_store() {
    let server = Server::start();
    let text = |text: &str, mode: &str| {
        let flow = pipeline(&server, &line(("plainText", json!({ "text": text })), &[], mode));
        let done = run(&server, &flow);
        assert_eq!(done["state"], "FINISHED", "{done}");
    };
    for _ in 0..2 {
        text("Parcels leave on Monday.", "append");
    }
    text("Letters leave on Monday.", "append");
    assert_eq!(stored(&server), ["Letters leave on Monday.", "Parcels leave on Monday."]);
    text("Nothing leaves on Monday.", "replace");
    assert_eq!(stored(&server), ["Nothing leaves on Monday."]);
}

#[test]
fn a_dry_run_shows_documents_and_writes_none() {
    let folder = DocumentFolder::numbered(130);
    let server = folder.server();
    let set = json!({"set": [{"key": "day", "value": "Monday"}]});
    let flow = pipeline(&server, &folder_line(&folder, &[("etlMetadata", set)]));
    let done = end(&server, &flow, &start(&server, &flow, &json!({"dryRun": true})));
    assert_eq!((&done["state"], &done["dryRun"]), (&json!("FINISHED"), &json!(true)), "{done}");
    assert_eq!(counts(&done), [100, 0, 0, 0]);
    let results = done["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[19]["metadata"]["day"]), (20, &json!("Monday")));
    let real = run(&server, &flow);
    assert_eq!((counts(&real), real.get("results")), ([130, 130, 0, 0], None));
}

#[test]
fn a_file_that_is_not_read_is_named_and_the_others_pass() {
    let folder = DocumentFolder::with(&[("a.txt", "Monday"), ("b.pdf", "no PDF"), ("c.txt", "Tuesday")]);
    let server = folder.server();
    let mut drawing = folder_line(&folder, &[]);
    let done = run(&server, &pipeline(&server, &drawing));
    assert_eq!((&done["state"], counts(&done)), (&json!("FINISHED"), [3, 2, 0, 1]), "{done}");
    let [failure] = done["errors"].as_array().unwrap().as_slice() else { panic!("{done}") };
    assert_eq!((&failure["document"], &failure["source"]), (&json!("b.pdf"), &json!("Folder with Files")));
    assert!(failure["message"].as_str().unwrap().contains("was not read"), "{failure}");
    drawing.card("etlStart", json!({"failFast": true}));
    let failed = run(&server, &pipeline(&server, &drawing));
    assert_eq!(failed["state"], "FAILED");
    assert!(failed["error"].as_str().unwrap().contains("'b.pdf' was not read"), "{failed}");
}

#[test]
fn a_hundred_documents_that_failed_are_named_and_those_beyond_are_counted() {
    let folder = DocumentFolder::numbered(1);
    for number in 0..103 {
        std::fs::write(format!("{}/x{number:03}.pdf", folder.path()), "no PDF").unwrap();
    }
    let server = folder.server();
    let done = run(&server, &pipeline(&server, &folder_line(&folder, &[])));
    assert_eq!((&done["state"], counts(&done)), (&json!("FINISHED"), [104, 1, 0, 103]), "{}", done["error"]);
    let errors = done["errors"].as_array().unwrap();
    assert_eq!((errors.len(), &errors[0]["document"]), (100, &json!("x000.pdf")));
}

#[test]
fn a_run_fails_where_every_document_does_or_a_source_or_a_target_refuses() {
    let folder = DocumentFolder::with(&[("b.pdf", "no PDF")]);
    let server = folder.server();
    let all = run(&server, &pipeline(&server, &folder_line(&folder, &[])));
    assert_eq!((&all["state"], &all["error"]), (&json!("FAILED"), &json!("Every document failed.")));
    let elsewhere = line(("folderFiles", json!({"folderPath": "/etc"})), &[], "append");
    let source = run(&server, &pipeline(&server, &elsewhere));
    assert_eq!(source["state"], "FAILED");
    assert!(source["error"].as_str().unwrap().contains("SERVICE_DOCUMENT_FOLDERS"), "{source}");
    let mut drawing = Drawing::default();
    let text = drawing.card("plainText", json!({"text": "Monday"}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let memory = drawing.card("memoryVectorStore", json!({}));
    drawing.wire(&embeddings, &memory, "embeddings");
    drawing.wire(&text, &memory, "document");
    let target = run(&server, &pipeline(&server, &drawing));
    assert_eq!(target["state"], "FAILED");
    assert!(target["error"].as_str().unwrap().starts_with("In-Memory Vector Store: "), "{target}");
}

#[test]
fn one_run_at_a_time_and_a_stop_ends_it_for_good() {
    let folder = DocumentFolder::numbered(200);
    let server = folder.server();
    let flow = pipeline(&server, &slow(&folder));
    let first = start(&server, &flow, &json!({}));
    let path = format!("/etl/{flow}/runs");
    for body in [json!({}), json!({"dryRun": true})] {
        let told = server.owner("POST", &path).json(&body).send().is_error(409);
        assert!(told.contains("is under way already"), "{told}");
    }
    server.owner("DELETE", &format!("{path}/{first}")).send().is(200);
    let stopped = end(&server, &flow, &first);
    assert_eq!((&stopped["state"], &stopped["error"]), (&json!("STOPPED"), &json!(null)), "{stopped}");
    assert!(stopped["read"].as_u64().unwrap() < 200, "{stopped}");
    let again = server.owner("DELETE", &format!("{path}/{first}")).send().is(200).json();
    assert_eq!(again, stopped, "what is over stays as it is");
    let second = start(&server, &flow, &json!({"dryRun": true}));
    end(&server, &flow, &second);
    let listed = server.read(&path);
    let ids: Vec<&Value> = listed["data"].as_array().unwrap().iter().map(|run| &run["id"]).collect();
    assert_eq!((&listed["total"], ids), (&json!(2), vec![&json!(second), &json!(first)]));
    assert_eq!(server.read(&format!("{path}?page=2")), json!({"data": [], "total": 2}));
}

#[test]
fn whoever_watches_is_told_until_the_end() {
    let folder = DocumentFolder::numbered(70);
    let server = folder.server();
    let flow = pipeline(&server, &slow(&folder));
    let run = start(&server, &flow, &json!({}));
    let events = server.owner("GET", &format!("/etl/{flow}/runs/{run}/events")).send().is(200).events();
    let ((last, _), told) = events.split_last().unwrap();
    assert_eq!(last, "end");
    assert!(told.len() > 2 && told.iter().all(|(name, _)| name == "etl.progress"), "{told:?}");
    let (_, whole) = told.last().unwrap();
    assert_eq!((&whole["state"], counts(whole)), (&json!("FINISHED"), [70, 70, 0, 0]), "{whole}");
    let late = server.owner("GET", &format!("/etl/{flow}/runs/{run}/events")).send().is(200).event_names();
    assert_eq!(late, ["etl.progress", "end"]);
}

#[test]
fn what_is_no_pipeline_is_refused_in_words() {
    let server = Server::start();
    let refused = |drawing: &Drawing| {
        let flow = pipeline(&server, drawing);
        let told = server.owner("POST", &format!("/etl/{flow}/runs")).json(&json!({})).send().is_error(400);
        let problems = server.read(&format!("/validation/{flow}")).to_string();
        assert!(problems.contains(told.trim_end_matches('.')), "{told}: {problems}");
        told
    };
    assert_eq!(refused(&Drawing::default()), "The pipeline has no source: connect a document loader.");
    let mut drawing = Drawing::default();
    let text = drawing.card("plainText", json!({"text": "Monday"}));
    assert_eq!(
        refused(&drawing),
        "The pipeline has no target: connect a vector store, a document store or a file."
    );
    let store = store(&mut drawing, "parcels", "append");
    assert_eq!(refused(&drawing), "What 'Plain Text' gives goes nowhere: connect it to a target.");
    let first = drawing.card("etlDedupe", json!({}));
    drawing.wire(&text, &store, "document");
    assert_eq!(refused(&drawing), "No document comes to 'Dedupe': connect a source to it.");
    let second = drawing.card("etlDedupe", json!({}));
    drawing.wire(&text, &first, "documents");
    drawing.wire(&first, &second, "documents");
    drawing.wire(&second, &first, "documents");
    assert_eq!(refused(&drawing), "The cards 'Dedupe' and 'Dedupe' are connected in a circle.");
}

#[test]
fn a_store_on_another_server_is_not_asked_to_be_emptied() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let text = drawing.card("plainText", json!({"text": "Monday"}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let store = drawing.card(
        "qdrant",
        json!({"qdrantServerUrl": "http://127.0.0.1:1", "qdrantCollection": "c", "mode": "replace"}),
    );
    drawing.wire(&embeddings, &store, "embeddings");
    drawing.wire(&text, &store, "document");
    let flow = pipeline(&server, &drawing);
    let told = server.owner("POST", &format!("/etl/{flow}/runs")).json(&json!({})).send().is_error(400);
    assert!(told.contains("lies on another server and is not emptied"), "{told}");
    assert!(server.read(&format!("/validation/{flow}")).to_string().contains(&told));
}

#[test]
fn a_good_pipeline_has_no_problems_and_takes_no_params_that_it_does_not_declare() {
    let server = Server::start();
    let flow = pipeline(&server, &line(("plainText", json!({"text": "Monday"})), &[], "append"));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    let params = json!({"params": {"day": "Monday"}});
    let told = server.owner("POST", &format!("/etl/{flow}/runs")).json(&params).send().is_error(400);
    assert!(told.contains("declares no 'day'"), "{told}");
}

#[test]
fn only_pipelines_have_runs_and_a_flow_takes_its_runs_along() {
    let server = Server::start();
    let drawing = line(("plainText", json!({"text": "Monday"})), &[], "append");
    let chat = server.flow(&drawing.text());
    for method in ["GET", "POST"] {
        let told = server.owner(method, &format!("/etl/{chat}/runs")).send().is_error(400);
        assert!(told.contains("no pipeline"), "{told}");
    }
    let flow = pipeline(&server, &drawing);
    let done = run(&server, &flow);
    let other = pipeline(&server, &drawing);
    let run = done["id"].as_str().unwrap();
    server.owner("GET", &format!("/etl/{other}/runs/{run}")).send().is_error(404);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    server.owner("GET", &format!("/etl/{flow}/runs")).send().is_error(404);
}
