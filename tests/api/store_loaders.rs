//! Loaders and chunks of document stores (manual 10.9): from a preview to a refresh.

use crate::loaders::inline;
use crate::support::form::Form;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id, samples};
use serde_json::{Value, json};

fn store(server: &Server) -> String {
    id(&server.post("/document-store/store", &json!({"name": "Handbook"})))
}

fn page(server: &Server, store: &str, loader: &str, number: usize) -> Value {
    server.read(&format!("/document-store/chunks/{store}/{loader}/{number}"))
}

fn texts(page: &Value) -> Vec<&str> {
    page["chunks"].as_array().unwrap().iter().map(|chunk| chunk["pageContent"].as_str().unwrap()).collect()
}

#[test]
fn a_loader_is_tried_saved_run_and_removed() {
    let server = Server::start();
    let store = store(&server);
    let pdf = samples::pdf(&["First page".to_owned(), "Second page".to_owned()]);
    let mut sent = json!({
        "storeId": store, "loaderId": "pdfFile", "loaderName": "Manual", "previewChunkCount": 1,
        "loaderConfig": {
            "pdfFile": inline("a.pdf", "application/pdf", &pdf), "usage": "perPage",
            "metadata": "{\"kind\": \"manual\"}", "omitMetadataKeys": "totalPages",
        },
        "splitterId": "recursiveCharacterTextSplitter", "splitterConfig": {"chunkSize": 6, "chunkOverlap": 0},
    });
    let preview = server.post("/document-store/loader/preview", &sent);
    assert_eq!((&preview["totalChunks"], &preview["previewChunkCount"]), (&json!(4), &json!(1)));
    let first = &preview["chunks"][0];
    assert_eq!(first["pageContent"], "First");
    let expected =
        json!({"source": "a.pdf", "kind": "manual", "loc": {"pageNumber": 1, "lines": {"from": 1, "to": 1}}});
    assert_eq!(first["metadata"], expected);
    assert_eq!(
        server.read(&format!("/document-store/store/{store}"))["loaders"],
        json!([]),
        "nothing is stored"
    );

    let saved = server.post("/document-store/loader/save", &sent);
    let loader = saved["id"].as_str().unwrap().to_owned();
    assert_eq!((&saved["loaderName"], &saved["status"]), (&json!("Manual"), &json!("STALE")));
    assert!(saved["loaderConfig"]["pdfFile"].as_str().unwrap().starts_with("FILE-STORAGE::"), "{saved}");
    assert_eq!(server.read(&format!("/document-store/store/{store}"))["status"], "STALE");

    let done = server.post(&format!("/document-store/loader/process/{loader}"), &json!({"storeId": store}));
    assert_eq!(texts(&done), ["First", "page", "Second", "page"]);
    assert_eq!(
        (&done["count"], &done["characters"], &done["currentPage"]),
        (&json!(4), &json!(19), &json!(1))
    );
    assert_eq!((&done["file"]["status"], &done["docId"]), (&json!("SYNC"), &json!(loader)));

    sent["id"] = json!(loader);
    sent["loaderConfig"] = json!({"pdfFile": saved["loaderConfig"]["pdfFile"], "usage": "perFile"});
    sent["splitterId"] = json!("");
    let again = server.post("/document-store/loader/save", &sent);
    assert_eq!((&again["id"], &again["splitterId"]), (&json!(loader), &Value::Null));
    let refreshed = server.post(&format!("/document-store/refresh/{store}"), &json!({}));
    assert_eq!((&refreshed[0]["numAdded"], &refreshed[0]["numDeleted"]), (&json!(1), &json!(4)));
    let config = server.read(&format!("/document-store/store-configs/{store}/{loader}"));
    assert_eq!((&config["loaderId"], &config["storeName"]), (&json!("pdfFile"), &json!("Handbook")));

    assert_eq!(server.files_with("%PDF").len(), 1);
    let left =
        server.owner("DELETE", &format!("/document-store/loader/{store}/{loader}")).send().is(200).json();
    assert_eq!(
        (&left["loaders"], &left["totalChunks"], &left["status"]),
        (&json!([]), &json!(0), &json!("EMPTY"))
    );
    assert!(server.files_with("%PDF").is_empty(), "its file is gone with it");
    server.owner("GET", &format!("/document-store/chunks/{store}/{loader}/1")).send().is_error(404);
}

#[test]
fn chunks_are_paged_changed_and_removed_one_at_a_time() {
    let server = Server::start();
    let store = store(&server);
    let text: String = (0..120).map(|n| format!("Chunk {n:03}.\n\n")).collect();
    let added = server.post(
        &format!("/document-store/upsert/{store}"),
        &json!({
            "loader": {"name": "plainText", "config": {"text": text}},
            "splitter": {"name": "characterTextSplitter", "config": {"chunkSize": 12, "chunkOverlap": 0}},
        }),
    );
    assert_eq!((&added["numAdded"], &added["totalKeys"]), (&json!(120), &json!(120)));
    let loader = added["docId"].as_str().unwrap();
    let second = page(&server, &store, loader, 2);
    assert_eq!((texts(&second).len(), texts(&second)[0]), (50, "Chunk 050."));
    assert_eq!((&second["chunks"][0]["chunkNo"], &second["count"]), (&json!(51), &json!(120)));
    assert_eq!(texts(&page(&server, &store, "all", 3)).len(), 20);
    assert!(texts(&page(&server, &store, loader, 9)).is_empty());

    let chunk = second["chunks"][0]["id"].as_str().unwrap();
    let path = format!("/document-store/chunks/{store}/{loader}/{chunk}");
    server.put(&path, &json!({"pageContent": "Changed.", "metadata": {"by": "hand"}}));
    let changed = page(&server, &store, loader, 2);
    assert_eq!((texts(&changed)[0], &changed["chunks"][0]["metadata"]), ("Changed.", &json!({"by": "hand"})));
    assert_eq!(changed["characters"], 120 * 10 - 2);
    server.owner("PUT", &path).json(&json!({"pageContent": " "})).send().is_error(400);
    server.owner("DELETE", &path).send().is(200);
    server.owner("DELETE", &path).send().is_error(404);
    let left = page(&server, &store, loader, 2);
    assert_eq!((texts(&left)[0], &left["count"]), ("Chunk 051.", &json!(119)));
    let server = server.restart();
    assert_eq!(page(&server, &store, loader, 2), left);
    server.owner("DELETE", &format!("/document-store/store/{store}?force=true")).send().is(200);
    server.owner("GET", &format!("/document-store/chunks/{store}/{loader}/1")).send().is_error(404);
}

#[test]
fn files_of_a_form_are_read_by_their_names_or_by_the_loader_that_is_named() {
    let server = Server::start();
    let store = store(&server);
    let path = format!("/document-store/upsert/{store}");
    let docx = samples::docx(&samples::paragraph("Call me Ishmael."));
    let form = Form::of(&[("metadata", "{\"source\": \"moby\"}")]).file("moby.docx", "x/y", &docx).file(
        "a.csv",
        "text/csv",
        b"n\n1\n2\n",
    );
    let added = server.owner("POST", &path).form(&form).send().is(200).json();
    assert_eq!(added["numAdded"], 3, "{added}");
    let loader = added["docId"].as_str().unwrap();
    let stored = page(&server, &store, loader, 1);
    assert_eq!(texts(&stored), ["Call me Ishmael.", "n: 1", "n: 2"]);
    assert_eq!(stored["chunks"][0]["metadata"]["source"], "moby");

    let column = json!({"name": "csvFile", "config": {"columnName": "n"}}).to_string();
    let form = Form::of(&[("loader", &column), ("docId", loader), ("replaceExisting", "true")]).file(
        "b.csv",
        "text/csv",
        b"n,m\n7,8\n",
    );
    let replaced = server.owner("POST", &path).form(&form).send().is(200).json();
    assert_eq!((&replaced["numDeleted"], &replaced["docId"]), (&json!(3), &json!(loader)));
    assert_eq!(texts(&page(&server, &store, loader, 1)), ["7"]);

    let new = json!({
        "createNewDocStore": true, "docStore": {"name": "Second"},
        "loader": {"name": "plainText", "config": {"text": "Hello."}},
    });
    let made = server.post(&path, &new);
    assert_eq!(
        server.read(&format!("/document-store/store/{}", made["storeId"].as_str().unwrap()))["totalChunks"],
        1
    );
    for (fields, file) in [
        (vec![("loader", "{\"name\": \"plainText\"}")], Some(("a.txt", b"x".as_slice()))),
        (vec![("loader", "{")], Some(("a.txt", b"x"))),
        (vec![("loader", "[]")], Some(("a.txt", b"x"))),
        (vec![], Some(("a.exe", b"MZ"))),
        (vec![], Some(("a.pdf", b"no pdf"))),
        (vec![], None),
    ] {
        let form = file.iter().fold(Form::of(&fields), |form, (name, bytes)| form.file(name, "x/y", bytes));
        server.owner("POST", &path).form(&form).send().is_error(400);
    }
}

#[test]
fn requests_that_no_store_can_answer_are_refused() {
    let server = Server::start();
    let store = store(&server);
    let path = format!("/document-store/upsert/{store}");
    let code = json!({"name": "customDocumentLoader", "config": {"javascriptFunction": "return 'x';"}});
    for (body, expected) in [
        (json!({"loader": code}), "cannot fill"),
        (json!({"loader": {"name": "documentStore", "config": {"selectedStore": store}}}), "cannot fill"),
        (json!({"loader": {"name": "chatOpenAI", "config": {}}}), "does not know"),
        (
            json!({"loader": {"name": "plainText", "config": {"text": "x"}}, "splitter": {"name": "calculator"}}),
            "splitter",
        ),
        (
            json!({"loader": {"name": "plainText", "config": {"text": "x"}}, "vectorStore": {"name": "faiss"}}),
            "'embedding' is required",
        ),
        (json!({"loader": {"name": "textFile", "config": {"txtFile": "FILE-STORAGE::../../x"}}}), "not here"),
        (
            json!({"loader": {"name": "cheerioWebScraper", "config": {"url": "http://127.0.0.1:1/"}}}),
            "policy",
        ),
    ] {
        let message = server.owner("POST", &path).json(&body).send().is_error(400);
        assert!(message.contains(expected), "{body}: {message}");
    }
    let missing = json!({"docId": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", "loader": {"name": "plainText", "config": {"text": "x"}}});
    server.owner("POST", &path).json(&missing).send().is_error(404);
    server.owner("GET", &format!("/document-store/chunks/{store}/all/x")).send().is_error(400);
    server.owner("GET", "/document-store/components/nonsense").send().is_error(404);
    let loaders = server.read("/document-store/components/loaders");
    let names: Vec<&str> =
        loaders.as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"pdfFile") && !names.contains(&"customDocumentLoader"), "{names:?}");
    assert_eq!(server.read("/document-store/components/embeddings")[0]["category"], "Embeddings");
}

#[test]
fn pages_of_the_web_are_loaded_again_by_a_refresh() {
    let web = Provider::start();
    web.push_behaviour(Behaviour::Status { status: 200, body: "<p>Old</p>".to_owned(), headers: Vec::new() });
    web.push_behaviour(Behaviour::Status { status: 200, body: "<p>New</p>".to_owned(), headers: Vec::new() });
    web.push_behaviour(Behaviour::status(500, "down"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &web.base_url().replace("http://", ""))]);
    let store = store(&server);
    let body = json!({"loader": {"name": "cheerioWebScraper", "config": {"url": web.base_url()}}});
    let loader =
        server.post(&format!("/document-store/upsert/{store}"), &body)["docId"].as_str().unwrap().to_owned();
    assert_eq!(texts(&page(&server, &store, &loader, 1)), ["Old"]);
    let path = format!("/document-store/refresh/{store}");
    server.post(&path, &json!({"items": [{"docId": loader}]}));
    assert_eq!(texts(&page(&server, &store, &loader, 1)), ["New"]);
    let failed = server.post(&path, &json!({}));
    assert!(failed[0]["error"].as_str().unwrap().contains("status 500"), "{failed}");
    assert_eq!(texts(&page(&server, &store, &loader, 1)), ["New"], "what is there stays");
}

/// A store whose two documents have so many chunks each, of which every tenth speaks of refunds.
fn numbered(server: &Server, count: usize) -> (String, [String; 2]) {
    let store = store(server);
    let line = |number: usize| match number % 10 {
        0 => format!("Chunk {number:04} about REFUNDS"),
        _ => format!("Chunk {number:04} about parcels"),
    };
    let text = (1..=count).map(line).collect::<Vec<String>>().join("\n\n");
    let splitter = json!({"name": "characterTextSplitter", "config": {"separator": "\n\n", "chunkSize": 30, "chunkOverlap": 0}});
    let add = || {
        let body = json!({"loader": {"name": "plainText", "config": {"text": text}}, "splitter": splitter});
        let added = server.post(&format!("/document-store/upsert/{store}"), &body);
        added["docId"].as_str().unwrap().to_owned()
    };
    let loaders = [add(), add()];
    (store, loaders)
}

#[test]
fn a_page_far_behind_holds_what_comes_after_all_before_it() {
    let server = Server::start();
    let (store, [_, second]) = numbered(&server, 120);
    // The third page begins with the end of the first document.
    let third = page(&server, &store, "all", 3);
    assert_eq!(texts(&third).len(), 50);
    assert_eq!(
        (texts(&third)[0], texts(&third)[19]),
        ("Chunk 0101 about parcels", "Chunk 0120 about REFUNDS")
    );
    assert_eq!(
        (texts(&third)[20], &third["chunks"][20]["docId"]),
        ("Chunk 0001 about parcels", &json!(second))
    );
    assert_eq!(third["chunks"][49]["chunkNo"], 150);
    assert_eq!(texts(&page(&server, &store, &second, 3)).len(), 20);
    assert!(texts(&page(&server, &store, "all", 6)).is_empty());
}

#[test]
fn chunks_are_found_by_a_text_in_whatever_case_with_their_places() {
    let server = Server::start();
    let (store, [first, second]) = numbered(&server, 120);
    let find = |loader: &str, query: &str| {
        server.read(&format!("/document-store/chunk-search/{store}/{loader}?{query}"))
    };
    let found = find("all", "text=about%20refunds");
    assert_eq!((texts(&found).len(), &found["next"]), (24, &json!(null)));
    assert_eq!((texts(&found)[0], &found["chunks"][0]["chunkNo"]), ("Chunk 0010 about REFUNDS", &json!(10)));
    assert_eq!(
        (&found["chunks"][12]["docId"], &found["chunks"][12]["chunkNo"]),
        (&json!(second), &json!(130))
    );
    // A page has 50 of them, and says where it goes on.
    let part = find(&first, "text=parcels");
    let next = part["next"].as_u64().unwrap();
    assert_eq!((texts(&part).len(), part["chunks"][49]["chunkNo"].as_u64().unwrap()), (50, next - 1));
    let rest = find(&first, &format!("text=parcels&from={next}"));
    assert_eq!(texts(&rest).len(), 50);
    let last = find(&first, &format!("text=parcels&from={}", rest["next"]));
    assert_eq!((texts(&last).len(), &last["next"]), (8, &json!(null)));
    assert!(texts(&find("all", "text=nothing%20of%20it")).is_empty());
    for bad in ["", "text=%20", "text=a&from=x", &format!("text={}", "a".repeat(501))] {
        let path = format!("/document-store/chunk-search/{store}/all?{bad}");
        server.owner("GET", &path).send().is_error(400);
    }
    server.owner("GET", &format!("/document-store/chunk-search/{store}/{store}?text=a")).send().is_error(404);
}

#[test]
fn a_store_is_renamed_and_listed_by_the_page() {
    let server = Server::start();
    let first = store(&server);
    server.post("/document-store/store", &json!({"name": "Another"}));
    let changed = server.put(&format!("/document-store/store/{first}"), &json!({"description": "New words"}));
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Handbook"), &json!("New words")));
    server
        .owner("PUT", &format!("/document-store/store/{first}"))
        .json(&json!({"name": " "}))
        .send()
        .is_error(400);
    let listed = server.read("/document-store/store?page=2&limit=1");
    assert_eq!((&listed["total"], &listed["data"][0]["id"]), (&json!(2), &json!(first)));
}
