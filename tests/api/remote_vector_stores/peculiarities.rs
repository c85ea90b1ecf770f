//! What single databases have of their own: collections that were made elsewhere, refusals within an answer, changes that
//! come later.

use super::{CARDS, Fixture, MONDAY, OFFICE, QUESTION};
use crate::support::canvases::SECRET;
use crate::support::id;
use crate::support::provider::{Behaviour, RecordedRequest};
use serde_json::{Value, json};

const TEXTS: [(&str, &str); 2] = [("a", MONDAY), ("b", OFFICE)];

/// A fixture with a flow over its store, after an upsert.
fn open_upserted(card: &'static str, more: &Value) -> (Fixture, String) {
    let house = Fixture::open(card);
    let flow = house.server.flow(&house.canvas(&TEXTS, false, more));
    house.fill(&flow);
    (house, flow)
}

/// What an upsert that fails answers.
fn upsert_error(house: &Fixture, flow: &str) -> String {
    let call = house.server.owner("POST", &format!("/vector/upsert/{flow}"));
    let message = call.json(&json!({})).send().is_error(500);
    assert!(!message.contains(SECRET), "{message}");
    message
}

fn answer_error(house: &Fixture, flow: &str) -> String {
    house.server.ask(flow, &json!({ "question": QUESTION })).is_error(500)
}

/// Answers as the database does, but for requests of one kind.
fn instead(house: &Fixture, wanted: fn(&RecordedRequest) -> bool, behaviour: Behaviour) {
    let (kept, base) = (house.kept.clone(), house.provider.base_url());
    house.provider.set_decision(move |request| {
        if wanted(request) { behaviour.clone() } else { kept.answer(request, &base) }
    });
}

fn first_text(house: &Fixture, flow: &str) -> Value {
    house.search_results(flow)[0]["pageContent"].clone()
}

#[test]
fn a_chunk_that_an_index_does_not_take_is_told() {
    for card in ["elasticsearch", "openSearch"] {
        let house = Fixture::open(card);
        let flow = house.server.flow(&house.canvas(&TEXTS, false, &json!({})));
        let reason = format!("failed to parse field [metadata.year] of {SECRET}");
        let refused = json!({"took": 1, "errors": true, "items": [
            {"index": {"_id": "1", "status": 201}},
            {"index": {"_id": "2", "status": 400, "error": {"type": "document_parsing_exception", "reason": reason}}},
        ]});
        instead(
            &house,
            |request| request.path.contains("_bulk"),
            Behaviour::status(200, &refused.to_string()),
        );
        let message = upsert_error(&house, &flow);
        assert!(message.contains("answered 400: failed to parse field"), "{card}: {message}");
    }
}

#[test]
fn a_collection_for_other_vectors_is_told_before_any_is_sent() {
    let mapped = |field: Value| json!({"mappings": {"properties": {"embedding": field}}});
    for (card, name, told) in [
        ("elasticsearch", "books", mapped(json!({"type": "dense_vector", "dims": 3}))),
        ("openSearch", "books", mapped(json!({"type": "knn_vector", "dimension": 3}))),
        (
            "meilisearch",
            "books",
            json!({"embedders": {"x": {"source": "userProvided", "dimensions": 3}}, "filterableAttributes": ["*"]}),
        ),
        (
            "milvus",
            "books",
            json!({"fields": [{"name": "id", "type": "VarChar", "primaryKey": true},
                {"name": "v", "type": "FloatVector", "params": [{"key": "dim", "value": "3"}]}]}),
        ),
    ] {
        let house = Fixture::open(card);
        house.kept.made(name, told);
        let message = upsert_error(&house, &house.server.flow(&house.canvas(&TEXTS, false, &json!({}))));
        assert!(message.contains("vectors of 3 numbers") && house.kept.len() == 0, "{card}: {message}");
    }
}

#[test]
fn who_asks_before_the_store_was_filled_is_told_to_fill_it() {
    for card in ["elasticsearch", "openSearch", "weaviate", "meilisearch", "milvus"] {
        let house = Fixture::open(card);
        if card == "meilisearch" {
            instead(
                &house,
                |request| request.path.ends_with("/search"),
                Behaviour::status(
                    404,
                    r#"{"message":"Index `books` not found.","code":"index_not_found","type":"invalid_request"}"#,
                ),
            );
        }
        let message = answer_error(&house, &house.server.flow(&house.canvas(&TEXTS, false, &json!({}))));
        assert!(message.contains("fill the store first"), "{card}: {message}");
    }
}

#[test]
fn an_index_keeps_how_its_vectors_are_compared_whatever_the_card_says() {
    let house = Fixture::open("openSearch");
    let method = json!({"name": "hnsw", "engine": "nmslib", "space_type": "cosinesimil"});
    let field = json!({"type": "knn_vector", "dimension": 16, "method": method});
    house.kept.made("books", json!({"mappings": {"properties": {"embedding": field}}}));
    let flow = house.server.flow(&house.canvas(&TEXTS, false, &json!({"engine": "faiss"})));
    house.fill(&flow);
    assert_eq!(first_text(&house, &flow), MONDAY);
    let body = house.provider.last_request().body;
    // It filters what it has found only afterwards.
    assert_eq!(body["query"]["script_score"]["script"]["params"]["space_type"], "cosinesimil", "{body}");
    let house = Fixture::open("openSearch");
    let flow =
        house.server.flow(&house.canvas(&TEXTS, false, &json!({"engine": "faiss", "spaceType": "l2"})));
    house.fill(&flow);
    let made = house.provider.requests().into_iter().find(|request| request.method == "PUT").unwrap().body;
    let method = json!({"name": "hnsw", "engine": "faiss", "space_type": "l2"});
    assert_eq!(made["mappings"]["properties"]["embedding"]["method"], method);
    house.search_results(&flow);
    assert!(house.provider.last_request().body["query"]["knn"].is_object());
}

#[test]
fn a_key_that_may_only_search_finds() {
    let (house, flow) = open_upserted("elasticsearch", &json!({}));
    let denied = r#"{"error":{"type":"security_exception","reason":"action [indices:admin/mappings/get] is unauthorized"},"status":403}"#;
    instead(&house, |request| request.path.ends_with("_mapping"), Behaviour::status(403, denied));
    assert_eq!(first_text(&house, &flow), MONDAY);
    let (house, flow) = open_upserted("meilisearch", &json!({}));
    let denied = r#"{"message":"The provided API key is invalid.","code":"invalid_api_key","type":"auth"}"#;
    instead(&house, |request| request.path.ends_with("/settings"), Behaviour::status(403, denied));
    assert_eq!(first_text(&house, &flow), MONDAY);
}

#[test]
fn a_server_of_ones_own_is_signed_in_to_by_name_and_password() {
    let house = Fixture::open("elasticsearch");
    let canvas = house.canvas(&TEXTS, false, &json!({}));
    let own = json!({"cloudId": house.provider.base_url(), "username": "elastic", "password": SECRET});
    let body = json!({"name": "own", "credentialName": "elasticSearchUserPassword", "plainDataObj": own});
    let credential = id(&house.server.post("/credentials", &body));
    let mut canvas: Value = serde_json::from_str(&canvas).unwrap();
    let store = canvas["nodes"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|node| node["data"]["name"] == "elasticsearch");
    store.unwrap()["data"]["credential"] = json!(credential);
    let message = answer_error(&house, &house.server.flow(&canvas.to_string()));
    // base64 of its two parts
    let header = house.provider.last_request().header("authorization").unwrap().to_owned();
    assert!(header.starts_with("Basic ") && message.contains("refused the API key"), "{header}: {message}");
}

#[test]
fn a_class_with_named_vectors_gets_and_gives_them_by_their_name() {
    let house = Fixture::open("weaviate");
    let vectors =
        json!({"default": {"vectorizer": {"none": {}}, "vectorIndexConfig": {"distance": "cosine"}}});
    house.kept.made("Books", json!({"class": "Books", "vectorConfig": vectors, "properties": []}));
    let more = json!({"searchType": "mmr", "lambda": "1"});
    let flow = house.server.flow(&house.canvas(&TEXTS, false, &more));
    house.fill(&flow);
    assert_eq!(first_text(&house, &flow), MONDAY);
    let question = house.provider.last_request().body["query"].as_str().unwrap().to_owned();
    assert!(
        question.contains(r#"targetVectors: ["default"]"#) && question.contains("vectors { default }"),
        "{question}"
    );
}

#[test]
fn words_count_beside_meaning_where_the_owner_says_how_much() {
    let (house, flow) =
        open_upserted("weaviate", &json!({"alpha": "0.5", "weaviateMetadataKeys": "[\"source\"]"}));
    let found = house.search_results(&flow);
    assert_eq!((&found[0]["pageContent"], &found[0]["metadata"]), (&json!(MONDAY), &json!({"source": "a"})));
    let question = house.provider.last_request().body["query"].as_str().unwrap().to_owned();
    assert!(
        question.contains(&format!("hybrid: {{query: \"{QUESTION}\", alpha: 0.5, vector: [")),
        "{question}"
    );
    let (house, flow) = open_upserted("meilisearch", &json!({"semanticRatio": "0.25"}));
    house.search_results(&flow);
    let body = house.provider.last_request().body;
    assert_eq!((&body["q"], &body["hybrid"]["semanticRatio"]), (&json!(QUESTION), &json!(0.25)));
}

#[test]
fn a_question_of_a_class_is_changed_by_nothing_that_is_asked() {
    let (house, flow) = open_upserted("weaviate", &json!({"alpha": "0.5"}));
    let question = "\", alpha: 1}) { text } } } #\\";
    let answer = house.server.ask(&flow, &json!({ "question": question })).is(200).json();
    assert!(answer["sourceDocuments"].is_array(), "{answer}");
    for (input, value) in
        [("weaviateIndex", "Books{"), ("weaviateIndex", "{{question}}"), ("weaviateTextKey", "a b")]
    {
        let canvas = house.canvas(&TEXTS, false, &json!({ input: value }));
        let message = answer_error(&house, &house.server.flow(&canvas));
        assert!(message.contains("this must be a name of letters"), "{message}");
    }
    let canvas = house.canvas(&TEXTS, false, &json!({"weaviateTextKey": "body"}));
    let message = answer_error(&house, &house.server.flow(&canvas));
    assert!(message.contains("no property 'body'"), "{message}");
}

#[test]
fn what_a_class_refuses_within_its_answer_is_told() {
    let (house, flow) = open_upserted("weaviate", &json!({}));
    let refused =
        r#"{"data":{"Get":{"Books":null}},"errors":[{"message":"vector lengths don't match: 16 vs 3"}]}"#;
    instead(&house, |request| request.path.ends_with("graphql"), Behaviour::status(200, refused));
    let message = answer_error(&house, &flow);
    assert!(message.contains("vector lengths don't match"), "{message}");
    let refused =
        r#"[{"result":{"status":"FAILED","errors":{"error":[{"message":"invalid number property"}]}}}]"#;
    instead(&house, |request| request.path.ends_with("batch/objects"), Behaviour::status(200, refused));
    let message = upsert_error(&house, &flow);
    assert!(message.contains("invalid number property"), "{message}");
}

#[test]
fn an_index_that_somebody_else_made_is_filled_as_it_is() {
    let house = Fixture::open("meilisearch");
    let embedders = json!({"theirs": {"source": "userProvided", "dimensions": 16}});
    house.kept.made("books", json!({"embedders": embedders, "filterableAttributes": ["other"]}));
    let flow = house.server.flow(&house.canvas(&TEXTS, false, &json!({})));
    house.fill(&flow);
    let paths: Vec<String> = house.provider.requests().iter().map(|request| request.path.clone()).collect();
    assert!(!paths.iter().any(|path| path.ends_with("embedders")), "{paths:?}");
    let sent = house.provider.requests();
    let attributes = sent.iter().find(|request| request.path.ends_with("filterable-attributes")).unwrap();
    assert_eq!(attributes.body, json!(["other", "metadata"]));
    assert_eq!(first_text(&house, &flow), MONDAY);
    assert_eq!(house.provider.last_request().body["hybrid"]["embedder"], "theirs");
}

#[test]
fn an_index_by_which_nothing_is_filtered_is_searched_all_the_same() {
    let (house, flow) = open_upserted("meilisearch", &json!({}));
    let message = "Attribute `metadata.flowise_chatId` is not filterable. This index does not have configured filterable attributes.";
    let refused = json!({"message": message, "code": "invalid_search_filter", "type": "invalid_request"});
    let unfiltered =
        |request: &RecordedRequest| request.body["filter"].to_string().contains("flowise_chatId");
    instead(&house, unfiltered, Behaviour::status(400, &refused.to_string()));
    assert_eq!(first_text(&house, &flow), MONDAY);
}

#[test]
fn filling_replaces_an_index_where_the_owner_wants_that() {
    let (house, flow) = open_upserted("meilisearch", &json!({"deleteIndex": true}));
    house.save(&flow, &house.canvas(&TEXTS[1..], false, &json!({"deleteIndex": true})));
    house.fill(&flow);
    assert_eq!((house.kept.len(), first_text(&house, &flow)), (1, json!(OFFICE)));
}

#[test]
fn a_change_that_fails_later_is_told() {
    let house = Fixture::open("meilisearch");
    let flow = house.server.flow(&house.canvas(&TEXTS, false, &json!({})));
    let error = json!({"message": "Invalid vector dimensions", "code": "invalid_vector_dimensions", "type": "invalid_request"});
    let failed = json!({"uid": 1, "status": "failed", "error": error});
    instead(
        &house,
        |request| request.path.starts_with("/tasks"),
        Behaviour::status(200, &failed.to_string()),
    );
    let message = upsert_error(&house, &flow);
    assert!(message.contains("Invalid vector dimensions"), "{message}");
    for strange in [r#"{"status":"gone"}"#, "[]"] {
        instead(&house, |request| request.path.starts_with("/tasks"), Behaviour::status(200, strange));
        assert!(upsert_error(&house, &flow).contains("what became of a task"), "{strange}");
    }
}

/// A collection as programs like Flowise made them: numbers for names, and a field for each entry of the metadata.
fn foreign_collection(more: &Value) -> Value {
    let mut fields = json!([
        {"name": "langchain_primaryid", "type": "Int64", "primaryKey": true, "autoId": true, "params": []},
        {"name": "langchain_text", "type": "VarChar", "params": [{"key": "max_length", "value": "10000"}]},
        {"name": "langchain_vector", "type": "FloatVector", "params": [{"key": "dim", "value": "16"}]},
        {"name": "source", "type": "VarChar", "params": []},
    ]);
    fields.as_array_mut().unwrap().extend(more.as_array().cloned().unwrap());
    json!({"fields": fields, "enableDynamicField": false, "load": "LoadStateNotLoad",
        "indexes": [{"fieldName": "langchain_vector", "indexName": "x", "metricType": "L2"}]})
}

#[test]
fn a_collection_of_the_family_is_loaded_filled_and_read_as_it_is() {
    let house = Fixture::open("milvus");
    house.kept.made("books", foreign_collection(&json!([])));
    let more = json!({"milvusPartition": "ours"});
    let flow = house.server.flow(&house.canvas(&TEXTS, false, &more));
    house.fill(&flow);
    let found = house.search_results(&flow);
    assert_eq!((&found[0]["pageContent"], &found[0]["metadata"]), (&json!(MONDAY), &json!({"source": "a"})));
    let paths: Vec<String> = house.provider.requests().iter().map(|request| request.path.clone()).collect();
    for path in ["partitions/create", "entities/insert", "collections/load", "collections/get_load_state"] {
        assert!(paths.iter().any(|known| known.ends_with(path)), "{path}: {paths:?}");
    }
    let body = house.provider.last_request().body;
    assert_eq!((&body["filter"], &body["partitionNames"]), (&json!(""), &json!(["ours"])));
}

#[test]
fn a_refusal_of_milvus_in_a_good_answer_is_told() {
    let (house, flow) = open_upserted("milvus", &json!({}));
    for (answer, says) in [
        (
            json!({"code": 1100, "message": format!("cannot parse expression of {SECRET}")}),
            "cannot parse expression",
        ),
        (json!({"code": 1800, "message": "user hasn't authenticated"}), "refused the API key"),
        (json!({"message": "what?"}), "whether it went well"),
        (json!({"code": 0, "data": {}}), "no list of chunks"),
    ] {
        instead(
            &house,
            |request| request.path.ends_with("entities/search"),
            Behaviour::status(200, &answer.to_string()),
        );
        let message = answer_error(&house, &flow);
        assert!(message.contains(says) && !message.contains(SECRET), "{message}");
    }
    let canvas = house.canvas(&TEXTS, false, &json!({"clientPemPath": "/etc/x.pem"}));
    let message = answer_error(&house, &house.server.flow(&canvas));
    assert!(message.contains("Client PEM Path: this server shows no certificate"), "{message}");
}

#[test]
fn a_table_that_numbers_its_rows_gets_numbers() {
    let house = Fixture::open("supabase");
    let refused = r#"{"code":"22P02","details":null,"hint":null,"message":"invalid input syntax for type bigint: \"0a\""}"#;
    let is_named =
        |request: &RecordedRequest| request.body[0]["id"].is_string() || request.path.contains('-');
    instead(&house, is_named, Behaviour::status(400, refused));
    let flow = house.server.flow(&house.canvas(&TEXTS, true, &json!({})));
    house.fill(&flow);
    house.save(&flow, &house.canvas(&[("a", "Parcels leave on Sundays."), TEXTS[1]], true, &json!({})));
    let filled = house.fill(&flow);
    assert_eq!((&filled["numDeleted"], house.kept.len()), (&json!(1), 2), "{filled}");
}

#[test]
fn calls_of_the_owner_filter_what_the_function_gives() {
    let calls = "filter(\"metadata->>source\", \"eq\", \"a\").gt('metadata->year::int', 1)";
    let (house, flow) = open_upserted(
        "supabase",
        &json!({"supabaseRPCFilter": calls, "supabaseMetadataFilter": "{\"source\": \"b\"}"}),
    );
    house.search_results(&flow);
    let request = house.provider.last_request();
    assert_eq!(
        request.path,
        "/rest/v1/rpc/match_documents?metadata-%3E%3Esource=eq.a&metadata-%3Eyear%3A%3Aint=gt.1&limit=2"
    );
    assert!(request.body.get("match_count").is_none() && request.body.get("filter").is_none());
    let canvas = house.canvas(&TEXTS, false, &json!({"supabaseRPCFilter": "process.exit()"}));
    let message = answer_error(&house, &house.server.flow(&canvas));
    assert!(message.contains("Supabase RPC Filter: this must be calls"), "{message}");
}

#[test]
fn a_diverse_search_needs_the_vectors_of_what_is_found() {
    let more = json!({"searchType": "mmr", "lambda": "1"});
    let (house, flow) = open_upserted("supabase", &more);
    assert_eq!(first_text(&house, &flow), MONDAY);
    assert_eq!(house.provider.last_request().body["match_count"], 20);
    let bare = json!([{"content": "x", "metadata": {}, "similarity": 0.5}]);
    instead(&house, |request| request.path.contains("/rpc/"), Behaviour::status(200, &bare.to_string()));
    let message = answer_error(&house, &flow);
    assert!(message.contains("no column 'embedding'"), "{message}");
}

#[test]
fn a_store_of_supabase_under_its_old_name_answers() {
    let house = Fixture::open("supabase");
    let canvas = house.canvas(&TEXTS, false, &json!({}));
    house.fill(&house.server.flow(&canvas));
    let old = canvas.replace("\"name\":\"supabase\"", "\"name\":\"supabaseExistingIndex\"");
    assert_ne!(old, canvas);
    assert_eq!(first_text(&house, &house.server.flow(&old)), MONDAY);
}

#[test]
fn a_class_of_earlier_years_is_reached_by_its_scheme() {
    let (house, _) = open_upserted("weaviate", &json!({}));
    let canvas = house.canvas(&TEXTS, false, &json!({}));
    let old = canvas.replace(r#""weaviateConnectionType":"local""#, r#""weaviateScheme":"http""#);
    assert_ne!(old, canvas);
    assert_eq!(first_text(&house, &house.server.flow(&old)), MONDAY);
}

#[test]
fn an_answer_that_breaks_off_or_holds_nonsense_is_told() {
    for card in CARDS {
        let (house, flow) = open_upserted(card, &json!({}));
        let label = flowkeep::cards::registry::find(card).unwrap().label;
        for behaviour in [
            Behaviour::Close,
            Behaviour::status(200, r#"{"hits":{"hits":[{"_score":0."#),
            Behaviour::status(200, r#"{"score":1e999}"#),
            Behaviour::status(200, &"[".repeat(5_000)),
            Behaviour::status(200, "7"),
        ] {
            let shown = format!("{behaviour:?}");
            house.provider.set_decision(move |_| behaviour.clone());
            let message = answer_error(&house, &flow);
            let is_told = message.starts_with(&format!("{label}: ")) && message.contains("could not be read");
            assert!(is_told || message.contains("fill the store first"), "{card} {shown:.60}: {message}");
        }
    }
}
