//! What the cards of a pipeline make of documents.

use super::{DocumentFolder, counts, end, folder_line, line, pipeline, run, save, start, stored};
use crate::support::Server;
use serde_json::{Value, json};

/// The documents that a pipeline over these lines of CSV would write, and what else its dry run came to.
fn passed(csv: &str, transforms: &[(&str, Value)]) -> (Vec<Value>, Value) {
    let folder = DocumentFolder::with(&[("rows.csv", csv)]);
    let server = folder.server();
    let flow = pipeline(&server, &folder_line(&folder, transforms));
    let done = end(&server, &flow, &start(&server, &flow, &json!({"dryRun": true})));
    (done["results"].as_array().unwrap().clone(), done)
}

fn texts(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["pageContent"].as_str().unwrap()).collect()
}

#[test]
fn metadata_are_renamed_set_and_dropped_in_this_order() {
    let inputs = json!({
        "rename": [{"from": "source", "to": "file"}],
        "set": [{"key": "label", "value": "{{ metadata.file }} of us"}, {"key": "row", "value": "{{ metadata.line }}"}],
        "drop": "line, nothing",
    });
    let (documents, _) = passed("name\nAda\n", &[("etlMetadata", inputs)]);
    assert_eq!(documents[0]["metadata"], json!({"file": "rows.csv", "label": "rows.csv of us", "row": 1}));
}

#[test]
fn a_filter_lets_pass_what_its_conditions_say() {
    let row = |value1: &str, operation: &str, value2: &str| json!({"type": "string", "value1": value1, "operation": operation, "value2": value2});
    let rows = json!([row("{{ content }}", "contains", "a"), row("{{ metadata.line }}", "notEqual", "3")]);
    for (join, expected) in [("and", vec!["name: Ada"]), ("or", vec!["name: Ada", "name: Eve", "name: Ian"])]
    {
        let filter = json!({"conditions": rows, "join": join});
        let drop = json!({"set": [{"key": "x", "value": ""}]});
        let (documents, run) =
            passed("name\nAda\nEve\nIan\n", &[("etlMetadata", drop), ("etlFilter", filter)]);
        let found: Vec<&str> = texts(&documents);
        // All names hold an 'a' in "name", so the line decides where all must hold.
        let expected = if join == "and" { vec!["name: Ada", "name: Eve"] } else { expected };
        assert_eq!((found, run["skipped"].as_u64()), (expected.clone(), Some(3 - expected.len() as u64)));
    }
}

#[test]
fn a_function_makes_none_one_or_several_of_a_document() {
    let code = "if ($pageContent.includes('Ada')) return null; \
                if ($pageContent.includes('Eve')) return ['one', {pageContent: 'two', metadata: {by: $metadata.source}}]; \
                if ($pageContent.includes('Ian')) return 7; \
                return $pageContent.toUpperCase();";
    let (documents, run) =
        passed("name\nAda\nEve\nIan\nUma\n", &[("etlFunction", json!({ "javascriptFunction": code }))]);
    assert_eq!(texts(&documents), ["one", "two", "NAME: UMA"]);
    assert_eq!(documents[1]["metadata"], json!({"by": "rows.csv"}));
    assert_eq!(counts(&run), [4, 0, 1, 1]);
    let failure = &run["errors"][0];
    assert_eq!(failure["document"], "rows.csv");
    assert!(failure["message"].as_str().unwrap().starts_with("Function: it must return"), "{failure}");
}

#[test]
fn the_first_of_equal_documents_passes_within_a_run_or_within_all() {
    let folder = DocumentFolder::with(&[("a.txt", "Monday"), ("b.txt", "Monday"), ("c.txt", "Tuesday")]);
    let server = folder.server();
    for (scope, again) in [("run", [3, 2, 1, 0]), ("flow", [3, 0, 3, 0])] {
        let flow = pipeline(&server, &folder_line(&folder, &[("etlDedupe", json!({ "scope": scope }))]));
        assert_eq!(counts(&run(&server, &flow)), [3, 2, 1, 0], "{scope}");
        assert_eq!(counts(&run(&server, &flow)), again, "{scope}");
    }
    let by_key = folder_line(&folder, &[("etlDedupe", json!({"metadataKey": "source"}))]);
    assert_eq!(counts(&run(&server, &pipeline(&server, &by_key))), [3, 3, 0, 0]);
}

#[test]
fn what_a_run_saw_that_did_not_finish_passes_again() {
    let folder = DocumentFolder::numbered(150);
    let server = folder.server();
    let dedupe = ("etlDedupe", json!({"scope": "flow"}));
    let fails = "if ($pageContent.includes('Parcel 100 ')) throw new Error('no'); return $pageContent;";
    let mut failing =
        folder_line(&folder, &[dedupe.clone(), ("etlFunction", json!({ "javascriptFunction": fails }))]);
    failing.card("etlStart", json!({"failFast": true}));
    let flow = pipeline(&server, &failing);
    let failed = run(&server, &flow);
    assert_eq!((&failed["state"], &failed["written"]), (&json!("FAILED"), &json!(64)), "{failed}");
    save(&server, &flow, &folder_line(&folder, &[dedupe]));
    assert_eq!(counts(&run(&server, &flow))[0], 150);
    assert_eq!(stored(&server).len(), 100, "as many as are asked for");
    assert_eq!(counts(&run(&server, &flow)), [150, 0, 150, 0]);
}

#[test]
fn documents_are_cut_and_go_both_ways() {
    let server = Server::start();
    let text = json!({"text": "Parcels leave on Monday.\n\nLetters leave on Tuesday."});
    let mut drawing = line(("plainText", text), &[("etlSplit", json!({}))], "append");
    let splitter = drawing.card("characterTextSplitter", json!({"chunkSize": 30, "chunkOverlap": 0}));
    drawing.wire(&splitter, "etlSplit_0", "textSplitter");
    let other = super::store(&mut drawing, "whole", "append");
    drawing.wire("plainText_0", &other, "document");
    let done = run(&server, &pipeline(&server, &drawing));
    assert_eq!((&done["state"], counts(&done)), (&json!("FINISHED"), [1, 3, 0, 0]), "{done}");
    assert_eq!(stored(&server), ["Letters leave on Tuesday.", "Parcels leave on Monday."]);
}

#[test]
fn a_splitter_is_picked_inside_of_the_card_and_has_its_settings_there() {
    let server = Server::start();
    let text = json!({"text": "Parcels leave on Monday.\n\nLetters leave on Tuesday."});
    let split = |splitter: &str, config: Value| {
        let inputs = json!({"splitter": splitter, "splitterConfig": config});
        line(("plainText", text.clone()), &[("etlSplit", inputs)], "replace")
    };
    let short = json!({"chunkSize": 30, "chunkOverlap": 0});
    let flow = pipeline(&server, &split("characterTextSplitter", short.clone()));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    assert_eq!(counts(&run(&server, &flow)), [1, 2, 0, 0]);
    assert_eq!(stored(&server), ["Letters leave on Tuesday.", "Parcels leave on Monday."]);
    // One that is picked counts before one that is wired.
    let mut both = split("characterTextSplitter", short);
    let wired = both.card("characterTextSplitter", json!({"chunkSize": 1000, "chunkOverlap": 0}));
    both.wire(&wired, "etlSplit_0", "textSplitter");
    assert_eq!(counts(&run(&server, &pipeline(&server, &both))), [1, 2, 0, 0]);
    let options =
        server.owner("POST", "/node-load-method/etlSplit").json(&json!({"loadMethod": "listSplitters"}));
    let options = options.send().is(200).json();
    assert!(options.as_array().unwrap().iter().any(|one| one["name"] == "tokenTextSplitter"), "{options}");
    for (splitter, config, told) in [
        ("", json!({}), "Splitter"),
        ("noSplitter", json!({}), "does not know the card 'noSplitter'"),
        ("plainText", json!({}), "'Plain Text' cannot be picked here"),
    ] {
        let flow = pipeline(&server, &split(splitter, config));
        let problems = server.read(&format!("/validation/{flow}")).to_string();
        assert!(problems.contains(told), "{splitter}: {problems}");
        if !splitter.is_empty() {
            let refused = server.owner("POST", &format!("/etl/{flow}/runs")).json(&json!({})).send();
            let refused = refused.is_error(400);
            assert!(refused.contains(told), "{refused}");
        }
    }
    let overlap = json!({"chunkSize": 5, "chunkOverlap": 5});
    let failed = run(&server, &pipeline(&server, &split("characterTextSplitter", overlap)));
    assert!(failed["error"].as_str().unwrap().contains("Chunk Overlap"), "{failed}");
}

#[test]
fn a_card_of_a_pipeline_has_no_place_in_a_chatflow() {
    let server = Server::start();
    let drawing = line(("plainText", json!({"text": "Monday"})), &[("etlDedupe", json!({}))], "append");
    let flow = server.flow(&drawing.text());
    let problems = server.read(&format!("/validation/{flow}")).to_string();
    assert!(problems.contains("This card belongs to a flow of type ETL."), "{problems}");
}
