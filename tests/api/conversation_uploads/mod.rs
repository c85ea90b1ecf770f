//! Files of a chat in the vector store that its flow answers from (manual 10.5 r1, 10.8).

pub(crate) mod deletion;

use crate::loaders::inline;
use crate::support::canvases::Drawing;
use crate::support::form::Form;
use crate::support::{Answer, Server};
use flowkeep::domain::ids::WorkspaceId;
use flowkeep::domain::knowledge::collection::Collection;
use flowkeep::limits::{CHAT_CHUNKS_MAX, CHAT_COLLECTIONS_BYTES_MAX, DOCUMENT_BYTES_MAX};
use flowkeep::store::queries::collections;
use serde_json::{Value, json};

const SHARED: &str = "Parcels leave the house on Mondays.";
const QUESTION: &str = "When do parcels leave the house?";

/// A flow over a store of this server that takes files, with `more` inputs of the store.
fn canvas(card: &str, more: &Value) -> String {
    let mut drawing = Drawing::default();
    let mut inputs = json!({"topK": "9", "fileUpload": true});
    if card == "faiss" {
        inputs["basePath"] = json!("handbook");
    }
    inputs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let store = drawing.card(card, inputs);
    let own = json!({"txtFile": inline("own.txt", "text/plain", SHARED.as_bytes())});
    let text = drawing.card("textFile", own);
    let page = drawing.card("pdfFile", json!({"pdfFile": inline("own.pdf", "application/pdf", b"%PDF-1.4")}));
    drawing.wire(&text, &store, "document");
    // A question to the In-Memory store reads all that is wired into it.
    if card == "faiss" {
        drawing.wire(&page, &store, "document");
        let records = drawing.card("SQLiteRecordManager", json!({"cleanup": "full"}));
        drawing.wire(&records, &store, "recordManager");
    }
    drawing.answer_with_chunks(&store, json!({}));
    drawing.text()
}

fn flow(server: &Server) -> String {
    server.flow(&canvas("faiss", &json!({})))
}

/// Files as a chat page sends them, in a conversation that is proven, invented or new.
fn form(chat: &Value, texts: &[&str]) -> Form {
    let mut form = Form::of(&[("chatId", chat["chatId"].as_str().unwrap_or_default())]);
    if let Some(token) = chat["sessionToken"].as_str() {
        form = form.field("sessionToken", token);
    }
    texts
        .iter()
        .enumerate()
        .fold(form, |form, (at, text)| form.file(&format!("{at}.txt"), "text/plain", text.as_bytes()))
}

fn send(server: &Server, flow: &str, form: &Form) -> Answer {
    server.call("POST", &format!("/vector/upsert/{flow}")).form(form).send()
}

fn sent(server: &Server, flow: &str, chat: &Value, texts: &[&str]) -> Value {
    send(server, flow, &form(chat, texts)).is(200).json()
}

/// Everything that a question in this conversation finds.
fn found(server: &Server, flow: &str, chat: &Value) -> Vec<String> {
    let body = json!({"question": QUESTION, "chatId": chat["chatId"], "sessionToken": chat["sessionToken"]});
    let answer = server.ask(flow, &body).is(200).json();
    if chat["chatId"].is_string() {
        assert_eq!(answer["chatId"], chat["chatId"]);
    }
    let mut texts: Vec<String> = answer["sourceDocuments"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|chunk| chunk["pageContent"].as_str().unwrap().to_owned())
        .collect();
    texts.sort_unstable();
    texts
}

fn fill(server: &Server, flow: &str) -> Value {
    let body = json!({"overrideConfig": {}});
    server.owner("POST", &format!("/vector/upsert/{flow}")).json(&body).send().json()
}

pub fn workspace(server: &Server) -> WorkspaceId {
    WorkspaceId::parse(server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap()).unwrap()
}

/// How many conversations have chunks in collections of this server.
fn kept(server: &Server) -> usize {
    kept_in(server, &workspace(server))
}

fn kept_in(server: &Server, workspace: &WorkspaceId) -> usize {
    let heads = server.app.store.read(|tx| collections::heads(tx, workspace)).unwrap();
    heads.iter().filter(|(_, head)| head.conversation.is_some()).count()
}

#[test]
fn a_file_is_found_in_its_conversation_and_in_no_other() {
    for card in ["faiss", "memoryVectorStore"] {
        let server = Server::start();
        let flow = server.flow(&canvas(card, &json!({})));
        let one = sent(&server, &flow, &Value::Null, &["My parcels leave the house on Sundays."]);
        assert_eq!(
            (&one["numAdded"], &one["addedDocs"][0]["metadata"]["flowise_chatId"]),
            (&json!(1), &one["chatId"])
        );
        let other = sent(&server, &flow, &Value::Null, &["Her parcels leave the house at noon."]);
        assert_ne!(one["chatId"], other["chatId"], "{card}");
        let shared: &[&str] = if card == "faiss" { &[] } else { &[SHARED] };
        let with = |text: &str| {
            let mut all: Vec<String> = shared.iter().map(|text| (*text).to_owned()).collect();
            all.push(text.to_owned());
            all.sort_unstable();
            all
        };
        for _ in 0..2 {
            assert_eq!(found(&server, &flow, &one), with("My parcels leave the house on Sundays."), "{card}");
            assert_eq!(found(&server, &flow, &other), with("Her parcels leave the house at noon."), "{card}");
        }
        assert_eq!(found(&server, &flow, &Value::Null), shared, "{card}: a new conversation");
        // A second file goes on in the conversation, and the same one again adds nothing.
        let more = sent(
            &server,
            &flow,
            &one,
            &["My parcels leave the house on Sundays.", "Letters leave the house too."],
        );
        assert_eq!(
            (&more["chatId"], &more["numAdded"], &more["numSkipped"]),
            (&one["chatId"], &json!(1), &json!(1))
        );
        assert_eq!(found(&server, &flow, &one).len(), 2 + shared.len(), "{card}");
        let restarted = server.restart();
        assert_eq!(found(&restarted, &flow, &other), with("Her parcels leave the house at noon."), "{card}");
    }
}

#[test]
fn filling_for_everybody_and_files_of_chats_leave_each_other_alone() {
    let server = Server::start();
    let flow = flow(&server);
    let text = "The same file, sent twice: parcels leave the house.";
    let (one, other) =
        (sent(&server, &flow, &Value::Null, &[text]), sent(&server, &flow, &Value::Null, &[text]));
    assert_eq!((&one["numAdded"], &other["numAdded"]), (&json!(1), &json!(1)), "nobody's file is another's");
    // The PDF of the canvas is broken, and files of a chat do not touch it.
    let plain = canvas("faiss", &json!({})).replace("%PDF", "x");
    let body = json!({"flowData": plain});
    server.owner("PUT", &format!("/chatflows/{flow}")).json(&body).send().is(200);
    assert!(fill(&server, &flow)["message"].is_string());
    let mut whole: Value = serde_json::from_str(&plain).unwrap();
    for node in whole["nodes"].as_array_mut().unwrap() {
        if let Some(list) = node["data"]["inputs"]["document"].as_array_mut() {
            list.retain(|wire| wire.as_str().unwrap().contains("textFile"));
        }
    }
    whole["edges"]
        .as_array_mut()
        .unwrap()
        .retain(|edge| !edge["source"].as_str().unwrap().contains("pdfFile"));
    let body = json!({"flowData": whole.to_string()});
    server.owner("PUT", &format!("/chatflows/{flow}")).json(&body).send().is(200);
    for (added, skipped) in [(1, 0), (0, 1)] {
        let filled = fill(&server, &flow);
        assert_eq!(
            (&filled["numAdded"], &filled["numSkipped"], &filled["numDeleted"]),
            (&json!(added), &json!(skipped), &json!(0)),
            "{filled}"
        );
        for chat in [&one, &other] {
            assert_eq!(
                found(&server, &flow, chat),
                [SHARED, text],
                "cleanup is full, and theirs is not what it cleans"
            );
        }
    }
    sent(&server, &flow, &one, &["One more."]);
    assert_eq!(fill(&server, &flow)["numSkipped"], 1, "a file of a chat deletes nothing of everybody's");
    let history = server.read(&format!("/upsert-history/{flow}")).to_string();
    assert!(!history.contains("sent twice"), "{history}");
}

#[test]
fn an_open_flow_takes_only_files_and_only_where_its_chat_offers_them() {
    let server = Server::start();
    let (flow, off) = (flow(&server), server.flow(&canvas("faiss", &json!({"fileUpload": false}))));
    let path = format!("/vector/upsert/{flow}");
    server.call("POST", &path).json(&json!({"chatId": "x"})).send().is_error(401);
    send(&server, &flow, &Form::of(&[("chatId", "x")])).is_error(401);
    let file = form(&Value::Null, &["x"]);
    send(&server, &flow, &file.clone().field("stopNodeId", "faiss_0")).is_error(401);
    send(&server, &flow, &file.clone().field("metadata", "{}")).is_error(401);
    let message = send(&server, &off, &file).is_error(403);
    assert!(message.contains("switched off"), "{message}");
    for (name, mime, bytes, says) in [
        ("a.md.exe", "text/plain", &b"x"[..], "not allowed"),
        ("a", "text/plain", b"x", "not allowed"),
        ("a.docx", "text/plain", b"PK\x03\x04", "not allowed"),
        ("a.pdf", "application/pdf", b"no pdf", "a.pdf"),
        ("a.txt", "text/plain", b"PK\x03\x04\x00\x00", "a.txt"),
        ("a.go", "text/plain", b"\x00\x00\x00\x00", "not allowed"),
    ] {
        let message = send(&server, &flow, &Form::default().file(name, mime, bytes)).is_error(400);
        assert!(message.contains(says), "{name}: {message}");
    }
    assert_eq!(kept(&server), 0);
    send(&server, &flow, &Form::default().file("a.go", "application/octet-stream", b"package main")).is(200);
    assert_eq!(kept(&server), 1);
    let key = server.key(&["chatflows:view"]);
    let bound = server.flow_with(&canvas("faiss", &json!({})), &json!({"apikeyid": key["id"]}));
    send(&server, &bound, &file).is_error(401);
    let call =
        server.call("POST", &format!("/vector/upsert/{bound}")).bearer(key["apiKey"].as_str().unwrap());
    let answer = call.form(&file).send().is(200).json();
    assert!(answer["chatId"].is_string() && answer["sessionToken"].is_string(), "{answer}");
    // A key that says which conversation means it, whatever else it sends.
    let call =
        server.call("POST", &format!("/vector/upsert/{bound}")).bearer(key["apiKey"].as_str().unwrap());
    let more = file.clone().field("stopNodeId", "faiss_0").field("metadata", "{}");
    assert!(call.form(&more).send().is(200).json()["chatId"].is_string());
    let listed = server.flow_with(
        &canvas("faiss", &json!({})),
        &json!({"chatbotConfig": json!({"allowedOrigins": ["https://good.example"]}).to_string()}),
    );
    let call =
        server.call("POST", &format!("/vector/upsert/{listed}")).header("Origin", "https://bad.example");
    call.form(&file).send().is_error(403);
}

#[test]
fn a_file_that_is_too_large_or_finds_no_room_is_refused() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let store = drawing.card("faiss", json!({"basePath": "handbook", "fileUpload": true}));
    let text = drawing.card("textFile", json!({}));
    let splitter =
        drawing.card("recursiveCharacterTextSplitter", json!({"chunkSize": "1", "chunkOverlap": "0"}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let (model, chain) =
        (drawing.card("chatExtractive", json!({})), drawing.card("retrievalQAChain", json!({})));
    drawing.wire(&splitter, &text, "textSplitter");
    drawing.wire(&text, &store, "document");
    drawing.wire(&embeddings, &store, "embeddings");
    drawing.wire(&model, &chain, "model");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    let flow = server.flow(&drawing.text());
    let of = |bytes: &[u8]| send(&server, &flow, &Form::default().file("a.txt", "text/plain", bytes));
    let message = of(&vec![b'x'; DOCUMENT_BYTES_MAX + 1]).is_error(400);
    assert!(message.contains("at most 25 MB"), "{message}");
    let message = of("x ".repeat(CHAT_CHUNKS_MAX + 1).as_bytes()).is_error(413);
    assert!(message.contains("conversation"), "{message}");
    assert_eq!(kept(&server), 0);

    let chat = of(b"x y").is(200).json();
    let workspace = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let workspace = flowkeep::domain::ids::WorkspaceId::parse(&workspace).unwrap();
    let (id, head) = server.app.store.read(|tx| collections::heads(tx, &workspace)).unwrap().remove(0);
    let full = Collection { bytes: CHAT_COLLECTIONS_BYTES_MAX, ..head.clone() };
    server.app.store.write(|tx| collections::set_head(tx, &workspace, &id, Some(&head), &full)).unwrap();
    let message = of(b"x y").is_error(507);
    assert!(message.contains("workspace"), "{message}");
    assert_eq!(kept(&server), 1);
    let query = format!("?chatId={}", chat["chatId"].as_str().unwrap());
    server.owner("DELETE", &format!("/chatmessage/{flow}{query}")).send().is(200);
    of(b"x y").is(200);
}

#[test]
fn an_unproven_conversation_gets_no_file() {
    let server = Server::start();
    let flow = flow(&server);
    let one = sent(&server, &flow, &Value::Null, &["Mine."]);
    let elsewhere = server.flow(&canvas("faiss", &json!({"basePath": "other"})));
    let wrong = sent(&server, &elsewhere, &Value::Null, &["Elsewhere."]);
    for claim in [
        json!({"chatId": one["chatId"]}),
        json!({"chatId": one["chatId"], "sessionToken": "x"}),
        json!({"chatId": one["chatId"], "sessionToken": wrong["sessionToken"]}),
    ] {
        let planted = sent(&server, &flow, &claim, &["Planted."]);
        assert_ne!(planted["chatId"], one["chatId"], "{claim}");
    }
    assert_eq!(found(&server, &flow, &one), ["Mine."]);
    let claim = json!({"question": QUESTION, "chatId": one["chatId"]});
    let answer = server.ask(&flow, &claim).is(200).json();
    assert_eq!(answer["sourceDocuments"].as_array().map_or(0, Vec::len), 0, "{answer}");
}

#[test]
fn a_page_hears_how_far_its_files_are_and_which_conversation_has_them() {
    let server = Server::start();
    let flow = flow(&server);
    let call = server.call("POST", &format!("/vector/upsert/{flow}")).header("accept", "text/event-stream");
    let answer = call.form(&form(&Value::Null, &["Mine."])).send().is(200);
    let result = answer.event("result");
    assert_eq!(answer.header("x-service-session-token"), result["sessionToken"].as_str());
    assert_eq!(answer.event_names().first().map(String::as_str), Some("progress"));
    assert_eq!(found(&server, &flow, &result), ["Mine."]);
}

/// A page of Flowise names its conversations itself and reads no answer to its files: its browser keeps the proof.
#[test]
fn a_chat_page_that_invents_its_conversation_finds_the_files_it_sent_before() {
    let server = Server::start();
    let flow = flow(&server);
    let invented = json!({"chatId": "0b9a6f4e-6e2f-4f5c-8c65-2f6b1f5a7d11"});
    let answer = send(&server, &flow, &form(&invented, &["Parcels of mine leave the house."])).is(200);
    assert_eq!(answer.header("x-service-session-token"), answer.json()["sessionToken"].as_str());
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let second = server.call("POST", &format!("/vector/upsert/{flow}")).header("Cookie", &cookie);
    let second = second.form(&form(&invented, &["And another."])).send().is(200).json();
    assert_eq!(second["chatId"], answer.json()["chatId"]);
    let rag = json!({"type": "file:rag", "name": "0.txt", "mime": "text/plain", "data": "data:text/plain;base64,eA=="});
    let ask = |body: Value| {
        server
            .call("POST", &format!("/prediction/{flow}"))
            .header("Cookie", &cookie)
            .json(&body)
            .send()
            .is(200)
            .json()
    };
    let without = ask(json!({"question": QUESTION, "chatId": invented["chatId"]}));
    assert_ne!(without["chatId"], second["chatId"], "only a question about files");
    let asked = json!({"question": QUESTION, "chatId": invented["chatId"], "uploads": [rag]});
    let first = ask(asked.clone());
    assert_eq!(first["chatId"], second["chatId"]);
    assert_eq!(first["sourceDocuments"].as_array().unwrap().len(), 2, "{first}");
    let late = ask(asked);
    assert_ne!(late["chatId"], second["chatId"], "what was begun goes on with a proof of its own");
}

#[test]
fn a_question_keeps_and_shows_the_files_that_were_stored_before_it() {
    let server = Server::start();
    let (flow, off) = (flow(&server), server.flow(&canvas("faiss", &json!({"fileUpload": ""}))));
    let rag = |name: &str, data: &str| json!({"type": "file:rag", "name": name, "mime": "text/plain", "data": data});
    let good = rag("notes.txt", "data:text/plain;base64,SGk=");
    let ask = |flow: &str, upload: &Value| server.ask(flow, &json!({"question": "Hi", "uploads": [upload]}));
    ask(&off, &good).is_error(403);
    for bad in [
        rag("a.exe", "data:text/plain;base64,SGk="),
        rag("", "data:text/plain;base64,SGk="),
        rag("a.txt", "Hi"),
        rag("a.txt", "data:text/plain;base64,%%"),
        rag("a.pdf", "data:application/pdf;base64,SGk="),
        json!({"type": "file:rag", "name": "a.txt"}),
    ] {
        ask(&flow, &bad).is_error(400);
    }
    assert!(server.messages(&flow).is_empty() && server.messages(&off).is_empty());
    let answer = ask(&flow, &good).is(200).json();
    assert!(!answer["text"].as_str().unwrap().contains("<doc"), "{answer}");
    let upload = server.messages(&flow)[0]["fileUploads"][0].clone();
    assert_eq!((&upload["type"], &upload["name"]), (&json!("stored-file"), &json!("notes.txt")), "{upload}");
    assert!(upload.get("data").is_none());
}

#[test]
fn a_chat_says_which_files_its_store_takes() {
    let server = Server::start();
    let offer = |flow: &str| server.call("GET", &format!("/chatflows-uploads/{flow}")).send().is(200).json();
    let on = offer(&flow(&server));
    assert_eq!(on["isRAGFileUploadAllowed"], true);
    let sizes = &on["fileUploadSizeAndTypes"][0];
    let types: Vec<&str> = sizes["fileTypes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(types.contains(&".txt") && types.contains(&".pdf") && !types.contains(&".docx"), "{types:?}");
    assert_eq!(sizes["maxUploadSize"], 25);
    for off in [json!(false), json!(""), Value::Null] {
        let off = offer(&server.flow(&canvas("faiss", &json!({ "fileUpload": off }))));
        assert_eq!(
            (&off["isRAGFileUploadAllowed"], &off["fileUploadSizeAndTypes"]),
            (&json!(false), &json!([]))
        );
    }
}

#[test]
fn the_test_chat_of_the_canvas_has_files_too() {
    let server = Server::start();
    let flow = flow(&server);
    let send = |chat: &Value| {
        let call = server.owner("POST", &format!("/vector/internal-upsert/{flow}"));
        call.form(&form(chat, &["Parcels of mine leave the house."])).send().is(200).json()
    };
    let ask = |chat: &Value| {
        let body =
            json!({"question": QUESTION, "chatId": chat["chatId"], "sessionToken": chat["sessionToken"]});
        server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send().is(200).json()
    };
    let chat = send(&Value::Null);
    let first = ask(&chat);
    assert_eq!((&first["chatId"], first["sourceDocuments"].as_array().unwrap().len()), (&chat["chatId"], 1));
    let again = send(&json!({"chatId": chat["chatId"]}));
    assert_eq!(again["chatId"], chat["chatId"], "the person is the proof once it was begun");
    // A visitor's conversation is not one of the test chat, whoever has its proof.
    let visitor = sent(&server, &flow, &Value::Null, &["Theirs."]);
    found(&server, &flow, &visitor);
    assert_ne!(ask(&visitor)["chatId"], visitor["chatId"]);
    let body = json!({"flowData": canvas("faiss", &json!({"fileUpload": false}))});
    server.put(&format!("/flow-drafts/{flow}/settings"), &json!({"publishInstantly": false}));
    server.put(&format!("/flow-drafts/{flow}"), &body);
    let of = |source: &str| {
        let call = server.owner("POST", &format!("/vector/internal-upsert/{flow}"));
        call.form(&form(&chat, &["More."]).field("source", source)).send()
    };
    assert_eq!(of("live").is(200).json()["chatId"], chat["chatId"]);
    of("draft").is_error(403);
    of("both").is_error(400);
}
