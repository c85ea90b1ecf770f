//! What a stored loader sends along goes where its owner let it go, whoever runs it (manual 8.9, 10.9 r2).

use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

const HIDDEN: &str = "••••••••";

struct LoaderFixture {
    server: Server,
    web: Provider,
    store: String,
    loader: String,
}

/// A store with a loader that sends a header of its owner's.
fn loader_fixture() -> LoaderFixture {
    let web = Provider::start();
    web.set_decision(|_| Behaviour::Status { status: 200, body: "Text.".to_owned(), headers: Vec::new() });
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &web.base_url().replace("http://", ""))]);
    let store = id(&server.post("/document-store/store", &json!({"name": "Web"})));
    let config = json!({"url": format!("{}/ours", web.base_url()), "headers": "{\"x-key\": \"sk-ours\"}"});
    let saved = server.post(
        "/document-store/loader/save",
        &json!({"storeId": store, "loaderId": "apiLoader", "loaderConfig": config}),
    );
    let loader = id(&saved);
    LoaderFixture { server, web, store, loader }
}

impl LoaderFixture {
    fn sent_key(&self) -> Option<String> {
        self.web.last_request().header("x-key").map(str::to_owned)
    }

    fn preview(&self, key: &str, config: &Value) -> crate::support::client::Answer {
        let body = json!({"storeId": self.store, "id": self.loader, "loaderId": "apiLoader", "loaderConfig": config});
        self.server.call("POST", "/document-store/loader/preview").bearer(key).json(&body).send()
    }
}

#[test]
fn headers_of_a_loader_are_shown_hidden_and_sent_where_they_belong() {
    let staged = loader_fixture();
    let read = staged.server.read(&format!("/document-store/store/{}", staged.store));
    assert!(!read.to_string().contains("sk-ours"), "{read}");
    let shown = &read["loaders"][0]["loaderConfig"];
    assert_eq!(shown["headers"], HIDDEN);
    let body = json!({ "storeId": staged.store });
    staged.server.post(&format!("/document-store/loader/process/{}", staged.loader), &body);
    assert_eq!(staged.sent_key().as_deref(), Some("sk-ours"));
    // What was shown is sent back as it is.
    let key = staged.server.key(&["documentStores:preview-process", "documentStores:view"])["apiKey"]
        .as_str()
        .unwrap()
        .to_owned();
    staged.preview(&key, shown).is(200);
    assert_eq!(staged.sent_key().as_deref(), Some("sk-ours"));
}

#[test]
fn headers_of_a_loader_do_not_follow_a_changed_address() {
    let staged = loader_fixture();
    let elsewhere = format!("{}/theirs", staged.web.base_url());
    let key = staged.server.key(&["documentStores:preview-process", "documentStores:view"])["apiKey"]
        .as_str()
        .unwrap()
        .to_owned();
    for headers in [json!(HIDDEN), json!("{\"x-key\": \"sk-ours\"}")] {
        staged.preview(&key, &json!({"url": elsewhere, "headers": headers})).is(200);
        assert_eq!(staged.web.last_request().path, "/theirs");
        assert_eq!(staged.sent_key(), None);
    }
    let body = json!({"docId": staged.loader, "loader": {"config": {"url": elsewhere}}});
    staged.server.post(&format!("/document-store/upsert/{}", staged.store), &body);
    assert_eq!((staged.web.last_request().path.as_str(), staged.sent_key()), ("/theirs", None));
}

#[test]
fn only_who_may_make_loaders_names_a_credential() {
    let staged = loader_fixture();
    let body =
        json!({"name": "g", "credentialName": "githubApi", "plainDataObj": {"accessToken": "ghp-ours"}});
    let credential = id(&staged.server.post("/credentials", &body));
    let config = json!({"repoLink": "https://git.example/a/b", "credential": credential});
    let body = json!({"storeId": staged.store, "loaderId": "github", "loaderConfig": config});
    let key = staged.server.key(&["documentStores:preview-process", "documentStores:update"]);
    let key = key["apiKey"].as_str().unwrap();
    staged.server.call("POST", "/document-store/loader/preview").bearer(key).json(&body).send().is_error(403);
    let body = json!({"loader": {"name": "github", "config": config}});
    let path = format!("/document-store/upsert/{}", staged.store);
    staged.server.call("POST", &path).bearer(key).json(&body).send().is_error(403);
}

#[test]
fn an_upsert_replaces_only_what_is_from_the_same_place() {
    let staged = loader_fixture();
    let body = json!({"replaceExisting": true, "loader": {"name": "plainText", "config": {"text": "New."}}});
    staged.server.post(&format!("/document-store/upsert/{}", staged.store), &body);
    let read = staged.server.read(&format!("/document-store/store/{}", staged.store));
    assert_eq!(read["loaders"].as_array().unwrap().len(), 2, "{read}");
}

#[test]
fn lists_name_only_what_the_caller_may_read() {
    let server = Server::start();
    server.flow(&crate::support::canvases::scripted_flow());
    let listed = |permissions: &[&str]| {
        let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
        let call = server.call("POST", "/node-load-method/ChatflowTool").bearer(&key);
        call.json(&json!({"loadMethod": "listFlows"})).send().is(200).json()
    };
    assert_eq!(listed(&["chatflows:view"]).as_array().unwrap().len(), 1);
    assert_eq!(listed(&["documentStores:view"]), json!([]));
}
