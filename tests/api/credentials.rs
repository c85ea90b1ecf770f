//! Credentials (manual 8.8): sealed at rest, hidden in every answer, sent only to their provider.

use crate::support::canvases::{ProviderFormat, SECRET};
use crate::support::provider::Provider;
use crate::support::{Server, golden, id};
use serde_json::{Map, Value, json};

const HIDDEN: &str = "••••••••";

fn make(server: &Server) -> Value {
    let fields = json!({"openAIApiKey": SECRET});
    server
        .post("/credentials", &json!({"name": "Ours", "credentialName": "openAIApi", "plainDataObj": fields}))
}

/// The key that a provider gets from a flow with this credential.
fn used(server: &Server, credential: &str) -> String {
    let provider = Provider::start();
    let mut drawing = crate::support::canvases::Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    drawing.credential(&model, credential);
    let memory = drawing.card("bufferMemory", json!({}));
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is(200);
    provider.last_request().header("authorization").unwrap().to_owned()
}

#[test]
fn a_made_credential_is_told_without_its_fields() {
    let server = Server::start();
    let made = make(&server);
    golden::check("credential.json", &serde_json::to_string_pretty(&made).unwrap());
    assert_eq!(server.read("/credentials"), json!([made]));
}

#[test]
fn a_read_credential_shows_its_secrets_hidden() {
    let server = Server::start();
    let read = server.read(&format!("/credentials/{}", id(&make(&server))));
    assert_eq!(read["plainDataObj"], json!({"openAIApiKey": HIDDEN}));
    assert!(!read.to_string().contains(SECRET));
}

#[test]
fn a_secret_is_in_no_file_of_the_service() {
    let server = Server::start();
    let made = make(&server);
    server.put(
        &format!("/credentials/{}", id(&made)),
        &json!({"plainDataObj": {"openAIApiKey": format!("{SECRET}2")}}),
    );
    used(&server, &id(&made));
    assert_eq!(server.files_with(SECRET), Vec::<String>::new());
    // The search itself works: the name is in the journal as it is.
    assert!(server.files_with("Ours").iter().any(|path| path.ends_with("flowkeep.journal")));
}

#[test]
fn a_hidden_secret_that_is_sent_back_stays() {
    let server = Server::start();
    let credential = id(&make(&server));
    let path = format!("/credentials/{credential}");
    let mut shown = server.read(&path);
    shown["name"] = "Renamed".into();
    assert_eq!(server.put(&path, &shown)["name"], "Renamed");
    assert_eq!(used(&server, &credential), format!("Bearer {SECRET}"));
}

#[test]
fn a_new_secret_takes_the_place_of_the_old_one() {
    let server = Server::start();
    let credential = id(&make(&server));
    server.put(
        &format!("/credentials/{credential}"),
        &json!({"plainDataObj": {"openAIApiKey": "sk-another-0123456789"}}),
    );
    assert_eq!(used(&server, &credential), "Bearer sk-another-0123456789");
}

#[test]
fn a_change_of_the_name_alone_keeps_the_secret() {
    let server = Server::start();
    let credential = id(&make(&server));
    server.put(&format!("/credentials/{credential}"), &json!({"name": "Renamed"}));
    assert_eq!(used(&server, &credential), format!("Bearer {SECRET}"));
}

#[test]
fn a_hidden_value_does_not_make_a_credential() {
    let server = Server::start();
    let body = json!({"name": "x", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": HIDDEN}});
    server.owner("POST", "/credentials").json(&body).send().is_error(400);
}

#[test]
fn bad_credentials_are_refused() {
    let server = Server::start();
    for body in [
        json!({}),
        json!({"name": "", "credentialName": "openAIApi", "plainDataObj": {}}),
        json!({"name": "x", "credentialName": "unheardOf", "plainDataObj": {}}),
        json!({"name": "x", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": 7}}),
        json!({"name": "x", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": {"a": 1}}}),
        json!({"name": "x", "credentialName": "openAIApi", "plainDataObj": "text"}),
        json!({"name": "x", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "x".repeat(70_000)}}),
        json!({"name": 7, "credentialName": "openAIApi"}),
    ] {
        let message = server.owner("POST", "/credentials").json(&body).send().is_error(400);
        assert!(!message.contains("xxxx"), "{message}");
    }
    assert_eq!(server.read("/credentials"), json!([]));
}

#[test]
fn unknown_credentials_are_not_found() {
    let server = Server::start();
    for odd in ["x", "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"] {
        let path = format!("/credentials/{odd}");
        server.owner("GET", &path).send().is_error(404);
        server.owner("PUT", &path).json(&json!({"name": "x"})).send().is_error(404);
        server.owner("DELETE", &path).send().is_error(404);
    }
}

#[test]
fn a_list_can_be_cut_to_types() {
    let server = Server::start();
    make(&server);
    let other = json!({"name": "B", "credentialName": "anthropicApi", "plainDataObj": {"anthropicApiKey": "k-0123456789"}});
    server.post("/credentials", &other);
    let names = |query: &str| -> Vec<Value> {
        let list = server.read(&format!("/credentials{query}"));
        list.as_array().unwrap().iter().map(|one| one["name"].clone()).collect()
    };
    assert_eq!(names(""), ["B", "Ours"]);
    assert_eq!(names("?credentialName=openAIApi"), ["Ours"]);
    assert_eq!(names("?credentialName=openAIApi&credentialName=anthropicApi"), ["B", "Ours"]);
    assert_eq!(names("?credentialName=unheardOf"), [Value::Null; 0]);
}

#[test]
fn a_deleted_credential_is_gone() {
    let server = Server::start();
    let path = format!("/credentials/{}", id(&make(&server)));
    assert_eq!(server.owner("DELETE", &path).send().is(200).json(), json!({"raw": [], "affected": 1}));
    server.owner("GET", &path).send().is_error(404);
}

#[test]
fn a_view_permission_does_not_open_a_credential() {
    let server = Server::start();
    let credential = id(&make(&server));
    let key = server.key(&["credentials:view"])["apiKey"].as_str().unwrap().to_owned();
    server.call("GET", "/credentials").bearer(&key).send().is(200);
    server.call("GET", &format!("/credentials/{credential}")).bearer(&key).send().is_error(403);
}

/// A value for a field of a type as it is listed, and another one.
fn samples(field: &Value) -> [Value; 2] {
    match field["type"].as_str().unwrap() {
        "password" => [json!("Zx81kQp0aVb7"), json!("Lm3Nc5Rt9Yw2")],
        "url" => [json!("https://ada:pw-1@one.example"), json!("https://ada:pw-2@two.example")],
        "number" => [json!(1), json!(2)],
        "boolean" => [json!(true), json!(false)],
        "options" => {
            let options = field["options"].as_array().unwrap();
            [options.first(), options.last()].map(|option| option.unwrap()["name"].clone())
        }
        _ => [json!("one"), json!("two")],
    }
}

/// The value of a key that makes credentials, sees them, and may do this besides.
fn maker(server: &Server, besides: &[&str]) -> String {
    let permissions = [["credentials:view", "credentials:create"].as_slice(), besides].concat();
    server.key(&permissions)["apiKey"].as_str().unwrap().to_owned()
}

#[test]
fn who_may_only_make_credentials_changes_nothing_beside_a_secret_that_stays() {
    let server = Server::start();
    let key = maker(&server, &[]);
    let mut refused = 0;
    for kind in server.read("/components-credentials").as_array().unwrap() {
        let fields = kind["inputs"].as_array().unwrap();
        let values: Map<String, Value> = fields
            .iter()
            .map(|field| (field["name"].as_str().unwrap().to_owned(), samples(field)[0].clone()))
            .collect();
        let body = json!({"name": "Ours", "credentialName": kind["name"], "plainDataObj": values});
        let path = format!("/credentials/{}", id(&server.post("/credentials", &body)));
        let before = server.read(&path);
        for field in fields.iter().filter(|field| field["type"] != "password") {
            let keeps_a_secret = fields.iter().any(|other| {
                other["name"] != field["name"] && (other["type"] == "password" || other["type"] == "url")
            });
            let [stored, changed] = samples(field);
            if !keeps_a_secret || stored == changed {
                continue;
            }
            let name = field["name"].as_str().unwrap();
            let mut whole = before["plainDataObj"].clone();
            whole[name] = changed.clone();
            for sent in [whole, json!({ name: changed })] {
                let answer =
                    server.call("PUT", &path).bearer(&key).json(&json!({ "plainDataObj": sent })).send();
                let said = answer.is_error(403);
                assert!(said.contains(name) && said.contains("credentials:update"), "{said}");
                refused += 1;
            }
        }
        assert_eq!(server.read(&path), before);
    }
    assert!(refused > 40, "{refused}");
}

#[test]
fn who_may_only_make_credentials_names_them_and_types_their_secrets_anew() {
    let server = Server::start();
    let fields = json!({
        "langFuseSecretKey": SECRET, "langFusePublicKey": "pk", "langFuseEndpoint": "https://one.example",
    });
    let body = json!({"name": "Ours", "credentialName": "langfuseApi", "plainDataObj": fields});
    let path = format!("/credentials/{}", id(&server.post("/credentials", &body)));
    let key = maker(&server, &[]);
    let put = |body: &Value| {
        server.call("PUT", &path).bearer(&key).json(body).send().is(200).json()["name"].clone()
    };
    assert_eq!(put(&json!({"name": "Named"})), "Named");
    let shown = server.read(&path);
    assert_eq!(put(&json!({"name": "Shown", "plainDataObj": shown["plainDataObj"]})), "Shown");
    put(
        &json!({"plainDataObj": {"langFuseSecretKey": "sk-lf-2", "langFuseEndpoint": "https://two.example"}}),
    );
    assert_eq!(server.read(&path)["plainDataObj"]["langFuseEndpoint"], "https://two.example");
}

#[test]
fn who_may_change_credentials_changes_what_stands_beside_a_secret() {
    let server = Server::start();
    let fields = json!({"endpoint": "https://one.example", "apiKey": SECRET});
    let body = json!({"name": "Ours", "credentialName": "elasticsearchApi", "plainDataObj": fields});
    let path = format!("/credentials/{}", id(&server.post("/credentials", &body)));
    let changed = json!({"plainDataObj": {"endpoint": "https://two.example", "apiKey": HIDDEN}});
    let key = maker(&server, &["credentials:update"]);
    server.call("PUT", &path).bearer(&key).json(&changed).send().is(200);
    assert_eq!(server.read(&path)["plainDataObj"]["endpoint"], "https://two.example");
}

#[test]
fn types_of_credentials_are_listed_with_their_fields() {
    let server = Server::start();
    let types = server.read("/components-credentials");
    let openai = types.as_array().unwrap().iter().find(|one| one["name"] == "openAIApi").unwrap();
    golden::check("credential_type.json", &serde_json::to_string_pretty(openai).unwrap());
    assert_eq!(&server.read("/components-credentials/openAIApi"), openai);
    let pair = server.read("/components-credentials/openAIApi&anthropicApi");
    assert_eq!((&pair[0], &pair[1]["name"]), (openai, &json!("anthropicApi")));
    server.owner("GET", "/components-credentials/unheardOf").send().is_error(404);
}

#[test]
fn a_card_is_handed_no_credential_of_another_type() {
    let server = Server::start();
    let provider = Provider::start();
    let canvas = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
    let right = server.read("/credentials?credentialName=openAIApi")[0]["id"].as_str().unwrap().to_owned();
    let stored = |kind: &str, field: &str| {
        let body = json!({"name": "Other", "credentialName": kind, "plainDataObj": {field: SECRET}});
        id(&server.post("/credentials", &body))
    };
    for other in [stored("anthropicApi", "anthropicApiKey"), stored("cohereApi", "cohereApiKey")] {
        let flow = server.flow(&canvas.replace(&right, &other));
        for streaming in [false, true] {
            let answer = server.ask(&flow, &json!({"question": "Hi", "streaming": streaming}));
            let text = answer.text();
            assert!(text.contains("its credential is of the type") && text.contains("OpenAI API"), "{text}");
        }
    }
    assert_eq!(provider.requests().len(), 0, "nothing was sent anywhere");
    server.ask(&server.flow(&canvas), &json!({"question": "Hi"})).is(200);
}
