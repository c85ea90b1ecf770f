//! What pages and keys ask around flows (manual 1.8, 5.4, 8.7, 9.8).

use crate::support::canvases::{Drawing, scripted_flow};
use crate::support::{Server, id};
use serde_json::{Value, json};

fn value(key: &Value) -> String {
    key["apiKey"].as_str().unwrap().to_owned()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn a_key_is_verified_and_guessing_is_slowed_down() {
    let server = Server::start();
    let key = value(&server.key(&["chatflows:view"]));
    for _ in 0..20 {
        let answer = server.call("GET", &format!("/verify/apikey/{key}")).send().is(200);
        assert_eq!(answer.json(), json!("OK"));
    }
    let guess = |number: usize| {
        let guess = format!("fk_{}{number:03}", "g".repeat(40));
        server.call("GET", &format!("/verify/apikey/{guess}")).send()
    };
    let statuses: Vec<u16> = (0..12).map(|number| guess(number).status).collect();
    assert_eq!((statuses[0], statuses[11]), (401, 429), "{statuses:?}");
    assert!(guess(20).header("retry-after").is_some());
    server.call("GET", &format!("/chatflows/apikey/fk_{}", "h".repeat(43))).send().is_error(429);
}

#[test]
fn a_key_names_the_flows_it_opens() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let other = server.key(&["chatflows:view"]);
    let blind = server.key(&["tools:view"]);
    server.flow_with(&scripted_flow(), &json!({"name": "open"}));
    server.flow_with(&scripted_flow(), &json!({"name": "bound", "apikeyid": key["id"]}));
    server.flow_with(&scripted_flow(), &json!({"name": "others", "apikeyid": other["id"]}));
    let of = |key: &Value, query: &str| {
        server.call("GET", &format!("/chatflows/apikey/{}{query}", value(key))).send()
    };
    assert_eq!(names(&of(&key, "").is(200).json()), ["bound", "open"]);
    assert_eq!(names(&of(&key, "?keyonly=true").is(200).json()), ["bound"]);
    of(&blind, "").is_error(404);
    server.call("GET", &format!("/chatflows/apikey/fk_{}", "h".repeat(43))).send().is_error(401);
    let listed = server.read("/apikey");
    let row = listed.as_array().unwrap().iter().find(|row| row["id"] == key["id"]).unwrap();
    assert_eq!(row["chatFlows"][0]["flowName"], "bound");
    assert!(row["usage"].as_u64().unwrap() >= 2);
}

#[test]
fn a_shared_flow_shows_what_a_chat_needs() {
    let server = Server::start();
    let config =
        json!({"title": "Shop", "allowedOrigins": [""], "postProcessing": {"enabled": false}}).to_string();
    let key = server.key(&["chatflows:view"]);
    let fields = json!({"isPublic": true, "chatbotConfig": config, "apikeyid": key["id"]});
    let shared = server.flow_with(&scripted_flow(), &fields);
    let told = server.call("GET", &format!("/public-chatflows/{shared}")).send().is(200).json();
    assert_eq!((&told["apikeyid"], &told["isPublic"]), (&json!("bound"), &json!(true)));
    assert_eq!(told["chatbotConfig"], json!({"title": "Shop"}).to_string());
    assert_eq!(told["flowData"], json!({"nodes": [], "edges": []}).to_string());
    assert!(told.get("apiConfig").is_none() && told.get("workspaceId").is_none());
    let whole = server.read(&format!("/public-chatflows/{shared}"));
    assert!(whole["flowData"].as_str().unwrap().contains("chatScripted"));
}

#[test]
fn a_flow_that_is_not_shared_is_there_for_members_alone() {
    let server = Server::start();
    let config = json!({"allowedOrigins": ["https://a.example"]}).to_string();
    let private = server.flow_with(&scripted_flow(), &json!({"chatbotConfig": config, "isPublic": false}));
    let nobodys = "00000000-0000-4000-8000-000000000000";
    let told = |flow: &str| {
        let answer = server.call("GET", &format!("/public-chatflows/{flow}")).send().is_error(404);
        answer.replace(flow, "")
    };
    assert_eq!(told(&private), told(nobodys));
    let call = server.call("GET", &format!("/public-chatflows/{private}"));
    call.header("Origin", "https://evil.example").send().is_error(404);
    server.call("GET", "/public-chatflows/x").send().is_error(404);
    let whole = server.read(&format!("/public-chatflows/{private}"));
    assert!(whole["flowData"].as_str().unwrap().contains("chatScripted"));
    for open in ["public-chatbotConfig", "chatflows-streaming", "chatflows-uploads"] {
        server.call("GET", &format!("/{open}/{private}")).send().is(200);
    }
    server.ask(&private, &json!({"question": "Hi"})).is(200);
}

#[test]
fn a_chat_page_learns_at_once_whether_questions_are_answered() {
    let server = Server::start();
    let empty = json!({"nodes": [], "edges": []}).to_string();
    let unpublished =
        id(&server.post("/chatflows", &json!({"name": "New", "type": "CHATFLOW", "flowData": empty})));
    let unsupported = server.flow_with(&scripted_flow(), &json!({"type": "ETL"}));
    for (flow, state) in
        [(server.flow(&scripted_flow()), "live"), (unpublished, "unpublished"), (unsupported, "unsupported")]
    {
        let told = server.call("GET", &format!("/public-chatbotConfig/{flow}")).send().is(200).json();
        assert_eq!(told["state"], state);
    }
}

#[test]
fn a_page_learns_that_somebody_else_saved() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let seen = server.read(&format!("/chatflows/{flow}"))["updatedDate"].as_str().unwrap().to_owned();
    let path = format!("/chatflows/has-changed/{flow}/{seen}");
    assert_eq!(server.read(&path), json!({"hasChanged": false}));
    server.put(&format!("/chatflows/{flow}"), &json!({"name": "other"}));
    assert_eq!(server.read(&path), json!({"hasChanged": true}));
}

#[test]
fn pictures_are_drawn_and_inert() {
    let server = Server::start();
    for path in
        ["/node-icon/chatOpenAI", "/node-icon/chatOpenAI.svg", "/components-credentials-icon/openAIApi"]
    {
        let picture = server.call("GET", path).send().is(200);
        assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
        assert_eq!(picture.header("content-security-policy"), Some("default-src 'none'; sandbox"));
        assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
        assert!(picture.header("cache-control").unwrap().contains("max-age"));
        let tag = picture.header("etag").unwrap();
        let again = server.call("GET", path).header("If-None-Match", tag).send();
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
    let today = server.call("GET", "/node-icon/pinecone").send().is(200).text();
    assert_eq!(server.call("GET", "/node-icon/pineconeUpsert").send().is(200).text(), today);
    server.call("GET", "/node-icon/nothing").send().is_error(404);
    server.call("GET", "/components-credentials-icon/..%2fx").send().is_error(404);
}

#[test]
fn a_card_tells_what_may_be_overridden() {
    let server = Server::start();
    let canvas: Value = serde_json::from_str(&scripted_flow()).unwrap();
    let card =
        canvas["nodes"].as_array().unwrap().iter().find(|node| node["data"]["name"] == "conversationChain");
    let rows = server.post("/node-config", &card.unwrap()["data"]);
    assert!(rows.as_array().unwrap().iter().any(|row| row["name"] == "systemMessagePrompt"), "{rows}");
    server.owner("POST", "/node-config").json(&json!([1])).send().is_error(400);
}

#[test]
fn what_is_used_is_counted_with_drafts() {
    let server = Server::start();
    let body = json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
    let (used, unused) = (id(&server.post("/credentials", &body)), id(&server.post("/credentials", &body)));
    let mut drawing = Drawing::default();
    let node = drawing.card("chatOpenAI", json!({"modelName": "{{$vars.model}}"}));
    drawing.credential(&node, &used);
    let flow = server.flow(&drawing.text());
    let settings = json!({"publishInstantly": false});
    server.owner("PUT", &format!("/flow-drafts/{flow}/settings")).json(&settings).send().is(200);
    let count = |kind: &str| server.read(&format!("/used-by/{kind}"));
    assert_eq!(
        (&count("credentials")[&used]["count"], &count("credentials")[&unused]),
        (&json!(1), &Value::Null)
    );
    assert_eq!(count("credentials")[&used]["flows"][0]["id"], flow);
    assert_eq!(count("variables")["model"]["count"], 1);
    let key = value(&server.key(&["variables:view"]));
    let seen = server.call("GET", "/used-by/variables").bearer(&key).send().is(200).json();
    assert_eq!(seen["model"], json!({"count": 1, "drafts": 0, "flows": []}));
    server.call("GET", "/used-by/credentials").bearer(&key).send().is_error(403);
    server.owner("GET", "/used-by/flows").send().is_error(404);
    let mut draft = Drawing::default();
    let node = draft.card("chatOpenAI", json!({"modelName": "{{$vars.model}}"}));
    draft.credential(&node, &unused);
    server
        .owner("PUT", &format!("/flow-drafts/{flow}"))
        .json(&json!({"flowData": draft.text()}))
        .send()
        .is(200);
    let drafted = &count("credentials")[&unused];
    assert_eq!(
        (&drafted["count"], &drafted["drafts"], &drafted["flows"][0]["draft"]),
        (&json!(1), &json!(1), &json!(true))
    );
    let in_both = count("variables")["model"].clone();
    assert_eq!(
        (&in_both["drafts"], &in_both["flows"][0]["draft"]),
        (&json!(0), &json!(false)),
        "Live counts"
    );
}

#[test]
fn addresses_of_a_credential_are_shown_without_passwords() {
    let server = Server::start();
    let url = "redis://ada:secret@cache.test:6379";
    let body = json!({"name": "c", "credentialName": "redisCacheUrlApi", "plainDataObj": {"redisUrl": url}});
    let made = id(&server.post("/credentials", &body));
    let shown = server.read(&format!("/credentials/{made}/reveal"));
    let shown = shown["plainDataObj"]["redisUrl"].as_str().unwrap();
    assert!(shown.contains("cache.test:6379") && !shown.contains("secret"), "{shown}");
    assert_eq!(names(&server.read("/credentials?credentialName=redisCacheUrlApi")), ["c"]);
    assert_eq!(server.read("/credentials?credentialName=openAIApi"), json!([]));
}

#[test]
fn a_page_learns_what_it_needs_before_anybody_signs_in() {
    let server = Server::start();
    let told = server.call("GET", "/settings").send().is(200).json();
    let known = json!({"PLATFORM_TYPE": "open source", "ownerExists": true, "setupTokenNeeded": false, "environment": null});
    assert_eq!(told, known);
    assert_eq!(server.call("GET", "/ip").send().is(200).json()["ip"], "127.0.0.1");
}
