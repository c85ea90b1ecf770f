//! Files of conversations in vector stores on other servers, and diverse searches.

use super::{Fixture, MONDAY, QUESTION};
use crate::support::canvases::Drawing;
use crate::support::form::Form;
use crate::support::provider::Behaviour;
use crate::support::{Answer, id};
use flowkeep::base::cancel::CancelToken;
use flowkeep::domain::conversations::conversation::Conversation;
use flowkeep::domain::conversations::uploads::{ChunkUsage, ConversationUploads};
use flowkeep::domain::ids::{ChatId, FlowId, WorkspaceId};
use flowkeep::limits::{
    CHAT_CHUNKS_MAX, CHAT_SENT_BYTES_MAX, CHAT_SENT_BYTES_OF_ONE_MAX, CHAT_SENT_CHUNKS_MAX,
};
use flowkeep::ops::conversations::chunks;
use flowkeep::store::tables::CONVERSATION_UPLOADS;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// The cards that take files of conversations.
const CARDS: [&str; 4] = ["qdrant", "chroma", "pinecone", "milvus"];

/// A flow that answers from `text` and from what people send, when they may.
fn canvas(house: &Fixture, text: &str, uploads: bool, more: &Value) -> String {
    let mut drawing = Drawing::default();
    let (mut inputs, kind, fields, _) = house.settings();
    inputs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    inputs["fileUpload"] = json!(uploads);
    let store = drawing.card(house.card, inputs);
    let body = json!({"name": "stand-in", "credentialName": kind, "plainDataObj": fields});
    drawing.credential(&store, &id(&house.server.post("/credentials", &body)));
    let own = drawing.card("plainText", json!({"text": text, "metadata": {"source": "a"}}));
    let files = drawing.card("textFile", json!({}));
    drawing.wire(&own, &store, "document");
    if uploads {
        drawing.wire(&files, &store, "document");
        let records = drawing.card("SQLiteRecordManager", json!({"cleanup": "full"}));
        drawing.wire(&records, &store, "recordManager");
    }
    drawing.answer_with_chunks(&store, json!({"dimensions": "16"}));
    drawing.text()
}

fn send(house: &Fixture, flow: &str, text: &str) -> Value {
    send_upload(house, flow, &Value::Null, text).is(200).json()
}

fn send_upload(house: &Fixture, flow: &str, chat: &Value, text: &str) -> Answer {
    let field = |name: &str| chat[name].as_str().unwrap_or_default().to_owned();
    let form = Form::of(&[("chatId", &field("chatId")), ("sessionToken", &field("sessionToken"))]);
    let form = form.file("a.txt", "text/plain", text.as_bytes());
    house.server.call("POST", &format!("/vector/upsert/{flow}")).form(&form).send()
}

fn search_results(house: &Fixture, flow: &str, chat: &Value) -> Vec<String> {
    let body = json!({"question": QUESTION, "chatId": chat["chatId"], "sessionToken": chat["sessionToken"]});
    let answer = house.server.ask(flow, &body).is(200).json();
    let found = answer["sourceDocuments"].as_array().cloned().unwrap_or_default();
    let mut texts: Vec<String> =
        found.iter().map(|chunk| chunk["pageContent"].as_str().unwrap().to_owned()).collect();
    texts.sort_unstable();
    assert!(!answer.to_string().contains("flowkeep_upload"), "{answer}");
    texts
}

/// The filter of the last search, in the words of its database.
fn filter(house: &Fixture) -> Value {
    let body = house.provider.last_request().body;
    if body["where"].is_object() { body["where"].clone() } else { body["filter"].clone() }
}

fn expected_filter(card: &str, chat: &str) -> Value {
    match card {
        "qdrant" => json!({"should": [
            {"is_empty": {"key": "metadata.flowise_chatId"}},
            {"key": "metadata.flowise_chatId", "match": {"value": chat}},
        ]}),
        "chroma" => json!({"$or": [{"flowkeep_upload": {"$ne": true}}, {"flowise_chatId": chat}]}),
        "milvus" => json!(format!("flowise_chatId in [\"\",\"{chat}\"]")),
        _ => json!({"$or": [{"flowise_chatId": {"$exists": false}}, {"flowise_chatId": chat}]}),
    }
}

/// The filter where people send no files.
fn nobodys(card: &str) -> Value {
    match card {
        "qdrant" => json!({"should": [{"is_empty": {"key": "metadata.flowise_chatId"}}]}),
        "chroma" => json!({"flowkeep_upload": {"$ne": true}}),
        "milvus" => json!("flowise_chatId in [\"\"]"),
        _ => json!({"flowise_chatId": {"$exists": false}}),
    }
}

#[test]
fn a_database_is_asked_for_what_everybody_knows_and_for_the_files_of_the_conversation() {
    for card in CARDS {
        let house = Fixture::open(card);
        let flow = house.server.flow(&canvas(&house, MONDAY, true, &json!({})));
        let (one, other) =
            (send(&house, &flow, "Parcels of one leave."), send(&house, &flow, "Parcels of two leave."));
        assert_eq!(
            (&one["numAdded"], house.kept.len()),
            (&json!(1), 2),
            "{card}: what is wired in is not theirs"
        );
        // The owner's upsert has no loader without a file.
        house.save(&flow, &canvas(&house, MONDAY, false, &json!({})));
        house.fill(&flow);
        house.save(&flow, &canvas(&house, MONDAY, true, &json!({})));
        assert_eq!(search_results(&house, &flow, &one), [MONDAY, "Parcels of one leave."], "{card}");
        assert_eq!(filter(&house), expected_filter(card, one["chatId"].as_str().unwrap()), "{card}");
        assert_eq!(search_results(&house, &flow, &other), [MONDAY, "Parcels of two leave."], "{card}");
        assert_eq!(search_results(&house, &flow, &Value::Null), [MONDAY], "{card}: a new conversation");
        // The owner's filter holds for both.
        let (.., name) = house.settings();
        house.save(
            &flow,
            &canvas(&house, MONDAY, true, &json!({ name: house.in_words(&json!({"source": "a"})) })),
        );
        assert_eq!(search_results(&house, &flow, &one), [MONDAY], "{card}");
        assert!(filter(&house).to_string().contains(one["chatId"].as_str().unwrap()), "{card}");
    }
}

#[test]
fn a_flow_that_only_reads_the_collection_finds_no_file_of_anybody() {
    for card in CARDS {
        let house = Fixture::open(card);
        let flow = house.server.flow(&canvas(&house, MONDAY, true, &json!({})));
        send(&house, &flow, "Parcels of one leave the house.");
        let reader = house.server.flow(&canvas(&house, MONDAY, false, &json!({})));
        house.fill(&reader);
        assert_eq!(search_results(&house, &reader, &Value::Null), [MONDAY], "{card}");
        // Nor do they push out what it looks for.
        (0..8).for_each(|number| drop(send(&house, &flow, &format!("{QUESTION} {number}"))));
        house.save(&reader, &canvas(&house, MONDAY, false, &json!({"topK": "1"})));
        assert_eq!(search_results(&house, &reader, &Value::Null), [MONDAY], "{card}");
        assert_eq!(filter(&house), nobodys(card), "{card}");
    }
}

/// Names of places are the owner's; whatever they are, nothing of a conversation is found in another one.
#[test]
fn no_setting_of_a_store_shows_files_of_another_conversation() {
    for (card, name, value) in [
        ("qdrant", "metadataPayloadKey", "x"),
        ("qdrant", "contentPayloadKey", "metadata"),
        ("pinecone", "pineconeTextKey", "flowise_chatId"),
        ("milvus", "milvusTextField", "flowise_chatId"),
    ] {
        let house = Fixture::open(card);
        let flow = house.server.flow(&canvas(&house, MONDAY, true, &json!({})));
        let one = send(&house, &flow, "Parcels of one leave.");
        let label = flowkeep::cards::registry::find(card).unwrap().label;
        let rows: Vec<Value> =
            [name, "fileUpload"].map(|name| json!({"label": name, "name": name, "enabled": true})).into();
        let listed = json!({"overrideConfig": {"status": true, "nodes": {label: rows}, "variables": []}});
        let body = json!({"apiConfig": listed.to_string()});
        house.server.owner("PUT", &format!("/chatflows/{flow}")).json(&body).send().is(200);
        for config in [json!({ name: value }), json!({"fileUpload": false, name: value})] {
            let body = json!({"question": QUESTION, "overrideConfig": config});
            let text = house.server.ask(&flow, &body).text();
            assert!(!text.contains("Parcels of one leave."), "{card} {config}: {text}");
        }
        assert_eq!(search_results(&house, &flow, &one), ["Parcels of one leave."], "{card}");
        // The owner's own mistake shows nothing either.
        house.save(&flow, &canvas(&house, MONDAY, true, &json!({ name: value })));
        let answer = house.server.ask(&flow, &json!({ "question": QUESTION })).json();
        let sources = answer["sourceDocuments"].as_array().map_or(0, Vec::len);
        assert_eq!(sources, 0, "{card} {name}: {answer}");
    }
}

#[test]
fn a_strict_collection_gets_the_index_it_asks_for() {
    let house = Fixture::open("qdrant");
    let flow = house.server.flow(&canvas(&house, MONDAY, false, &json!({})));
    house.fill(&flow);
    let is_indexed = AtomicBool::new(false);
    let (kept, base) = (house.kept.clone(), house.provider.base_url());
    house.provider.set_decision(move |request| match request.path.split('?').next().unwrap() {
        path if path.ends_with("/index") => {
            assert_eq!(request.body["field_name"], "metadata.flowise_chatId");
            is_indexed.store(true, Ordering::SeqCst);
            Behaviour::status(200, r#"{"result":{}}"#)
        }
        path if path.ends_with("/search") && !is_indexed.load(Ordering::SeqCst) => {
            let error = "Bad request: Index required but not found for \"metadata.flowise_chatId\" of one of the following \
                         types: [keyword]. Help: Create an index for this key or use a different filter.";
            Behaviour::status(400, &json!({"status": {"error": error}}).to_string())
        }
        _ => kept.answer(request, &base),
    });
    assert_eq!(search_results(&house, &flow, &Value::Null), [MONDAY]);
}

#[test]
fn what_conversations_send_to_a_database_is_counted_before_it_is_embedded() {
    let house = Fixture::open("qdrant");
    let (server, flow) = (&house.server, house.server.flow(&canvas(&house, MONDAY, true, &json!({}))));
    let workspace = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let workspace = WorkspaceId::parse(&workspace).unwrap();
    let [one, silent] =
        ["Parcels of one leave.", "Parcels of two leave."].map(|text| send(&house, &flow, text));
    assert_eq!(search_results(&house, &flow, &one).len(), 1);
    let of = |chat: &Value| Conversation {
        flow: FlowId::parse(&flow).unwrap(),
        chat: ChatId::parse(chat["chatId"].as_str().unwrap()).unwrap(),
    };
    let known = |chat| {
        let id = of(chat).uploads_id();
        server.app.store.read(|tx| CONVERSATION_UPLOADS.get(tx, &workspace, &id)).unwrap()
    };
    let set = |chat, elsewhere| {
        let known = ConversationUploads { elsewhere, ..known(chat).unwrap() };
        let id = of(chat).uploads_id();
        server.app.store.write(|tx| CONVERSATION_UPLOADS.put(tx, &workspace, &id, &known)).unwrap();
    };
    let first = known(&one).unwrap().elsewhere;
    assert!(first.chunks == 1 && first.bytes > 60, "{first:?}");
    for full in [
        ChunkUsage { chunks: CHAT_CHUNKS_MAX, bytes: 1 },
        ChunkUsage { chunks: 1, bytes: CHAT_SENT_BYTES_OF_ONE_MAX },
    ] {
        set(&one, full);
        send_upload(&house, &flow, &one, "More.").is_error(413);
    }
    send(&house, &flow, "Others have room.");
    for full in [
        ChunkUsage { chunks: 1, bytes: CHAT_SENT_BYTES_MAX },
        ChunkUsage { chunks: CHAT_SENT_CHUNKS_MAX, bytes: 1 },
    ] {
        set(&one, full);
        send_upload(&house, &flow, &Value::Null, "More.").is_error(507);
    }
    assert_eq!(house.kept.len(), 3, "nothing of what was refused came there");
    // The database keeps what it has; who deletes a conversation knows it.
    let path = format!("/chatmessage/{flow}?chatId={}", of(&one).chat);
    server.owner("DELETE", &path).send().is(200);
    assert_eq!(known(&one), None);
    send(&house, &flow, "There is room again.");
    // What nobody asked about is counted for a month.
    set(&silent, ChunkUsage { chunks: 1, bytes: CHAT_SENT_BYTES_MAX });
    for (days, status) in [(2, 507), (29, 200)] {
        server.app.clock.advance_seconds(days * 24 * 3600);
        chunks::sweep(&server.app, &CancelToken::new(None)).unwrap();
        assert_eq!(send_upload(&house, &flow, &Value::Null, "More.").status, status);
    }
}

#[test]
fn what_is_deleted_while_it_is_embedded_goes_to_no_database() {
    let house = Fixture::open("qdrant");
    let flow = house.server.flow(&canvas(&house, MONDAY, true, &json!({})));
    let workspace = house.server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let workspace = WorkspaceId::parse(&workspace).unwrap();
    let (kept, base, app) = (house.kept.clone(), house.provider.base_url(), house.server.app.clone());
    house.provider.set_decision(move |request| {
        // The first chunks are embedded when the collection is made.
        if request.body["vectors"].is_object() {
            app.store.write(|tx| CONVERSATION_UPLOADS.clear(tx, &workspace)).unwrap();
        }
        kept.answer(request, &base)
    });
    let message = send_upload(&house, &flow, &Value::Null, "Parcels leave.").is_error(500);
    assert!(message.contains("was deleted") && house.kept.len() == 0, "{message}");
    send(&house, &flow, "Parcels leave.");
}

#[test]
fn a_diverse_search_chooses_among_more_chunks_by_their_vectors() {
    let house = Fixture::open("pinecone");
    let texts = [
        ("a", "Parcels leave the house on Mondays."),
        ("b", "Parcels leave the house on Mondays!"),
        ("c", "When the office is open, letters leave it."),
    ];
    let sources = |more: Value| {
        let flow = house.server.flow(&house.canvas(&texts, false, &more));
        house.fill(&flow);
        let found = house.search_results(&flow);
        found.iter().map(|found| found["metadata"]["source"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(sources(json!({})).len(), 2);
    let body = house.provider.last_request().body;
    assert_eq!((&body["topK"], body.get("includeValues")), (&json!(2), None));
    let diverse = sources(json!({"searchType": "mmr", "lambda": "0.5"}));
    let body = house.provider.last_request().body;
    assert_eq!((&body["topK"], &body["includeValues"]), (&json!(20), &json!(true)));
    assert_eq!(diverse.len(), 2);
    assert_eq!(diverse[1], "c", "the second says what the first does not");
    sources(json!({"searchType": "mmr", "fetchK": "3", "lambda": "1"}));
    assert_eq!(house.provider.last_request().body["topK"], 3);
    let plain = sources(json!({"searchType": "mmr", "lambda": "1"}));
    assert_eq!(plain, ["a", "b"], "nearness alone");
}
