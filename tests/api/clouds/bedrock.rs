//! Models and embeddings of AWS Bedrock before an account that recomputes every signature.

use crate::support::canvases::Drawing;
use crate::support::provider::aws::Account;
use crate::support::provider::converse::{EVENT_STREAM, event, events, exception};
use crate::support::provider::{Behaviour, Provider, RecordedRequest, Reply};
use crate::support::{Server, id};
use serde_json::{Value, json};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
pub(super) const SESSION: &str = "IQoJb3JpZ2luX2VjEXAMPLE+SESSION/TOKEN==";
pub(super) const ACCOUNT: Account = Account {
    id: "AKIAIOSFODNN7EXAMPLE",
    secret: SECRET,
    session: None,
    region: "eu-central-1",
    service: "bedrock",
};
pub(super) const MODEL: &str = "anthropic.claude-haiku-4-5-20251001-v1:0";

pub(super) fn key() -> Value {
    json!({"awsKey": ACCOUNT.id, "awsSecret": SECRET})
}

/// A service with an account of AWS beside it.
pub(super) struct Fixture {
    pub(super) server: Server,
    pub(super) provider: Provider,
    account: Account,
}

impl Fixture {
    pub(super) fn open(account: Account) -> Self {
        let provider = Provider::start();
        let gate = account.clone();
        provider.set_decision(move |request| gate.refusal(request).unwrap_or(Behaviour::Echo));
        Self { server: Server::start(), provider, account }
    }

    /// The card with these inputs and a credential of these fields.
    pub(super) fn place_card(
        &self,
        drawing: &mut Drawing,
        card: &str,
        inputs: Value,
        fields: &Value,
    ) -> String {
        let mut all = json!({"region": "eu-central-1", "endpointHost": self.provider.base_url()});
        all.as_object_mut().unwrap().extend(inputs.as_object().cloned().unwrap());
        let node = drawing.card(card, all);
        let body = json!({"name": "aws", "credentialName": "awsApi", "plainDataObj": fields});
        drawing.credential(&node, &id(&self.server.post("/credentials", &body)));
        node
    }

    pub(super) fn conversation(&self, inputs: Value, fields: &Value) -> String {
        let mut drawing = Drawing::default();
        let model = self.place_card(&mut drawing, "awsChatBedrock", inputs, fields);
        let memory = drawing.card("bufferMemory", json!({}));
        let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        self.server.flow(&drawing.text())
    }

    fn ask(&self, flow: &str, streaming: bool) -> String {
        let answer = self.server.ask(flow, &json!({"question": "How are you?", "streaming": streaming}));
        let text = answer.text();
        for secret in [SECRET, SESSION] {
            assert!(!text.contains(secret), "{text}");
        }
        text
    }

    /// What a person is told when the model answers with this body of frames.
    fn error_of(&self, body: Vec<u8>, piece: usize) -> String {
        let flow = self.conversation(json!({}), &key());
        self.provider.push_behaviour(Behaviour::Bytes { kind: EVENT_STREAM, body, piece });
        self.ask(&flow, true)
    }

    fn all_were_signed(&self) -> Vec<RecordedRequest> {
        let requests = self.provider.requests();
        for request in &requests {
            assert!(self.account.refusal(request).is_none(), "{request:?}");
        }
        requests
    }
}

#[test]
fn a_signed_question_is_answered_whole_and_streamed() {
    let house = Fixture::open(ACCOUNT);
    let flow = house.conversation(json!({}), &key());
    let whole = house.server.ask(&flow, &json!({"question": "How are you?"})).is(200).json();
    assert_eq!(whole["text"], "You said: How are you?");
    let streamed = house.server.ask(&flow, &json!({"question": "Grüße 👋", "streaming": true}));
    assert_eq!(streamed.streamed_text(), "You said: Grüße 👋");
    let usage = json!({"input_tokens": 2, "output_tokens": 4, "total_tokens": 6});
    assert_eq!(streamed.event("metadata")["usageMetadata"], usage);
    let requests = house.all_were_signed();
    let path = "/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream";
    for request in &requests {
        assert_eq!(request.path, path);
    }
    let body = json!({"messages": [{"role": "user", "content": [{"text": "How are you?"}]}],
        "system": [{"text": "Be kind."}], "inferenceConfig": {"maxTokens": 200, "temperature": 0.7}});
    assert_eq!(requests[0].body, body);
}

#[test]
fn the_cards_settings_are_sent() {
    let house = Fixture::open(ACCOUNT);
    for (inputs, model, expected) in [
        (
            json!({"temperature": "0.2", "max_tokens_to_sample": "77", "latencyOptimized": true}),
            MODEL,
            json!({"inferenceConfig": {"maxTokens": 77, "temperature": 0.2},
                "performanceConfig": {"latency": "optimized"}}),
        ),
        (
            json!({"temperature": "", "max_tokens_to_sample": "", "streaming": false, "useGlobalEndpoint": true}),
            "global.anthropic.claude-haiku-4-5-20251001-v1:0",
            json!({"inferenceConfig": null, "performanceConfig": null}),
        ),
        (
            json!({"customModel": " arn:aws:bedrock:eu-central-1:1:application-inference-profile/x ",
                "useGlobalEndpoint": true}),
            "arn:aws:bedrock:eu-central-1:1:application-inference-profile/x",
            json!({}),
        ),
        (
            json!({"customModel": "eu.anthropic.claude-opus-4-7"}),
            "eu.anthropic.claude-opus-4-7",
            json!({"inferenceConfig": {"maxTokens": 200}}),
        ),
    ] {
        let what = if inputs["streaming"] == false { "converse" } else { "converse-stream" };
        let flow = house.conversation(inputs, &key());
        let answer = house.server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        assert_eq!(answer["text"], "You said: Hi");
        let sent = house.provider.last_request();
        let name = model.replace(':', "%3A").replace('/', "%2F");
        assert_eq!(sent.path, format!("/model/{name}/{what}"));
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&sent.body[field], value, "{}", sent.body);
        }
    }
    house.all_were_signed();
}

#[test]
fn a_session_token_goes_along() {
    let account = Account { session: Some(SESSION), ..ACCOUNT };
    let house = Fixture::open(account);
    let mut fields = key();
    fields["awsSession"] = SESSION.into();
    let told = house.ask(&house.conversation(json!({}), &fields), false);
    assert!(told.contains("You said: How are you?"), "{told}");
    let told = house.ask(&house.conversation(json!({}), &key()), false);
    assert!(told.contains("AWS Bedrock: the provider refused the API key"), "{told}");
}

#[test]
fn an_agent_counts() {
    for streaming in [false, true] {
        let house = Fixture::open(ACCOUNT);
        let mut drawing = Drawing::default();
        let model = house.place_card(&mut drawing, "awsChatBedrock", json!({"streaming": streaming}), &key());
        drawing.counting_agent(&model);
        let flow = house.server.flow(&drawing.text());
        let arguments = json!({"input": "6 * (3 + 4)"});
        house.provider.push_behaviour(Behaviour::Reply(Reply {
            thinking: vec!["Well, ".into(), "seven".into()],
            calls: vec![("calculator".into(), arguments.clone())],
            ..Reply::text("Let me see. ")
        }));
        house.provider.push_behaviour(Behaviour::text("It is 42."));
        let answer = house.server.ask(&flow, &json!({"question": "How much?"})).is(200).json();
        assert_eq!(answer["text"], "Let me see. \n\nIt is 42.");
        let used = json!([{"tool": "calculator", "toolInput": arguments, "toolOutput": "42"}]);
        assert_eq!(answer["usedTools"], used);
        let requests = house.all_were_signed();
        let tool = &requests[0].body["toolConfig"]["tools"][0]["toolSpec"];
        assert_eq!(tool["name"], "calculator");
        assert_eq!(tool["inputSchema"]["json"]["type"], "object");
        let messages = requests[1].body["messages"].as_array().unwrap();
        let [.., call, result] = &messages[..] else { panic!("{messages:?}") };
        let used = json!({"toolUse": {"toolUseId": "tooluse_0", "name": "calculator", "input": arguments}});
        assert_eq!(call["content"][1], used);
        let told = json!([{"toolResult": {"toolUseId": "tooluse_0", "content": [{"text": "42"}]}}]);
        assert_eq!(result["content"], told);
    }
}

#[test]
fn a_model_that_takes_images_is_sent_them() {
    let house = Fixture::open(ACCOUNT);
    let flow = house.conversation(json!({"allowImageUploads": true}), &key());
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let upload = json!([{"type": "file", "name": "dot.png", "mime": "image/png",
        "data": format!("data:image/png;base64,{data}")}]);
    house.server.ask(&flow, &json!({"question": "What is it?", "uploads": upload})).is(200);
    let sent = house.all_were_signed()[0].body["messages"][0]["content"].clone();
    let image = json!({"image": {"format": "png", "source": {"bytes": data}}});
    assert!(sent.as_array().unwrap().contains(&image), "{sent}");
}

#[test]
fn wrong_keys_are_told_from_a_wrong_clock() {
    let house = Fixture::open(ACCOUNT);
    for fields in [
        json!({"awsKey": "AKIAIOSFODNN7OTHERS", "awsSecret": SECRET}),
        json!({"awsKey": ACCOUNT.id, "awsSecret": "another-secret-of-somebody"}),
    ] {
        let told = house.ask(&house.conversation(json!({}), &fields), false);
        assert!(told.contains("AWS Bedrock: the provider refused the API key"), "{told}");
        assert!(!told.contains("another-secret"), "{told}");
    }
    let flow = house.conversation(json!({}), &key());
    for seconds in [3_600, -7_200] {
        house.server.app.clock.advance_seconds(seconds);
        let told = house.ask(&flow, false);
        assert!(told.contains("the clock of this server is off"), "{told}");
    }
}

#[test]
fn a_card_without_a_key_asks_nobody() {
    let house = Fixture::open(ACCOUNT);
    let mut role = key();
    role["roleArn"] = "arn:aws:iam::123456789012:role/other".into();
    for (card, fields, says) in [
        ("awsChatBedrock", json!({}), "are not lent to flows"),
        ("awsChatBedrock", json!({"awsKey": ACCOUNT.id}), "are not lent to flows"),
        ("awsChatBedrock", role, "roles are not taken on here"),
    ] {
        let mut drawing = Drawing::default();
        let model = house.place_card(&mut drawing, card, json!({}), &fields);
        let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
        let chain = drawing.card("llmChain", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&prompt, &chain, "prompt");
        let told = house.ask(&house.server.flow(&drawing.text()), false);
        assert!(told.contains(says), "{told}");
    }
    assert_eq!(house.provider.served_count(), 0);
}

#[test]
fn a_region_leads_to_no_other_host() {
    let house = Fixture::open(ACCOUNT);
    for region in ["evil.example/", "eu-central-1.evil.example", "eu@evil", "..", "eu-central-1:1", "ü", "1"]
    {
        let flow = house.conversation(json!({"region": region, "endpointHost": ""}), &key());
        let told = house.ask(&flow, false);
        assert!(told.contains("Region: this must be the name of a region"), "{region}: {told}");
    }
    for host in ["://h", "https://h/?x=1", "h h"] {
        let told = house.ask(&house.conversation(json!({"endpointHost": host}), &key()), false);
        assert!(told.contains("Endpoint Host: this must be a host"), "{host}: {told}");
    }
}

#[test]
fn refusals_are_told_in_clear_words() {
    let house = Fixture::open(ACCOUNT);
    let flow = house.conversation(json!({}), &key());
    for (status, kind, message, says) in [
        (400, "ValidationException", "The provided model identifier is invalid.", "does not know the model"),
        (404, "ResourceNotFoundException", "Could not resolve", "does not know the model"),
        (
            403,
            "AccessDeniedException",
            "You don't have access to the model",
            "answered 403: You don't have access",
        ),
        (403, "ExpiredTokenException", "expired", "the session token of the credential has expired"),
        (424, "ModelErrorException", "It broke", "answered 424: It broke"),
        (408, "ModelTimeoutException", "Slow", "took too long"),
        (500, "InternalServerException", "key wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "[secret hidden]"),
    ] {
        let headers = vec![("x-amzn-errortype".to_owned(), kind.to_owned())];
        let body = json!({ "message": message }).to_string();
        house.provider.push_behaviour(Behaviour::Status { status, body, headers });
        let told = house.ask(&flow, false);
        assert!(told.contains("AWS Bedrock") && told.contains(says), "{kind}: {told}");
    }
}

#[test]
fn throttling_is_waited_for_and_then_told() {
    let house = Fixture::open(ACCOUNT);
    let flow = house.conversation(json!({}), &key());
    let throttled = || {
        let kind = ("x-amzn-errortype".to_owned(), "ThrottlingException".to_owned());
        let body = r#"{"message":"Too many tokens, please wait before trying again."}"#.to_owned();
        Behaviour::Status {
            status: 429,
            body,
            headers: vec![kind, ("retry-after".to_owned(), "1".to_owned())],
        }
    };
    house.provider.push_behaviour(throttled());
    let told = house.ask(&flow, false);
    assert!(told.contains("You said"), "{told}");
    assert_eq!(house.all_were_signed().len(), 2);
    (0..3).for_each(|_| house.provider.push_behaviour(throttled()));
    house.server.ask(&flow, &json!({"question": "Hi"})).is_error(429);
}

/// A reply as frames, up to its end.
fn opening_frames() -> Vec<u8> {
    let all = events(&Reply::text("Well, this is "), &json!({}));
    all[..all.len() - 2].concat()
}

#[test]
fn what_ends_a_stream_too_early_is_told() {
    let house = Fixture::open(ACCOUNT);
    let with = |more: Vec<u8>| [opening_frames(), more].concat();
    let mut damaged = with(event("messageStop", &json!({"stopReason": "end_turn"})));
    *damaged.last_mut().unwrap() ^= 1;
    let mut huge = 0xf000_0000_u32.to_be_bytes().to_vec();
    huge.extend([0; 4]);
    huge.extend(crc32fast::hash(&huge).to_be_bytes());
    for (what, body, says) in [
        ("throttled", with(exception("throttlingException", "Too many requests")), "is limiting requests"),
        ("broken", with(exception("modelStreamErrorException", "The model failed")), "424: The model failed"),
        ("cut", opening_frames(), "the stream broke off"),
        ("cut in a frame", with(event("messageStop", &json!({}))[..9].to_vec()), "the stream broke off"),
        ("damaged", damaged, "a frame of it arrived damaged"),
        ("huge", with(huge), "it is too large"),
        ("text", b"data: {\"no\": \"frames\"}\n\n".to_vec(), "could not be read"),
        ("nothing", Vec::new(), "the stream broke off"),
    ] {
        for piece in [7, 1_000] {
            let told = house.error_of(body.clone(), piece);
            assert!(told.contains(says), "{what}: {told}");
        }
    }
}

#[test]
fn a_stream_that_breaks_off_is_no_answer() {
    let house = Fixture::open(ACCOUNT);
    let flow = house.conversation(json!({}), &key());
    house
        .provider
        .push_behaviour(Behaviour::Reply(Reply { cut_after: Some(3), ..Reply::text("one two three") }));
    let told = house.ask(&flow, true);
    assert!(told.contains("event: error") || told.contains("\"error\""), "{told}");
    house
        .provider
        .push_behaviour(Behaviour::Reply(Reply { bytewise: true, ..Reply::text("grüße 👋 Ende") }));
    let answer = house.server.ask(&flow, &json!({"question": "Hi", "streaming": true}));
    assert_eq!(answer.streamed_text(), "grüße 👋 Ende");
}

#[test]
fn a_provider_that_is_away_is_named() {
    let house = Fixture::open(ACCOUNT);
    let flow = house.conversation(json!({"endpointHost": "http://127.0.0.1:1"}), &key());
    let told = house.ask(&flow, false);
    assert!(told.contains("AWS Bedrock: no connection to its server"), "{told}");
}

/// A flow that answers from two chunks, which the card makes vectors of.
pub(super) fn retrieval_flow(house: &Fixture, inputs: Value, fields: &Value) -> String {
    let mut drawing = Drawing::default();
    let embeddings = house.place_card(&mut drawing, "AWSBedrockEmbeddings", inputs, fields);
    let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
    drawing.wire(&embeddings, &store, "embeddings");
    for (source, text) in [("parcels", "Parcels leave on Mondays,\nalways."), ("cats", "Cats sleep all day.")]
    {
        let loader = drawing.card("plainText", json!({"text": text, "metadata": {"source": source}}));
        drawing.wire(&loader, &store, "document");
    }
    let model = drawing.card("chatExtractive", json!({}));
    let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    house.server.flow(&drawing.text())
}

#[test]
fn embeddings_of_each_maker_are_asked_in_its_words() {
    let house = Fixture::open(ACCOUNT);
    let titan = |text: &str| json!({ "inputText": text });
    let cohere = |texts: Value, kind: &str| json!({"texts": texts, "input_type": kind, "truncate": "END"});
    let (parcels, cats) = ("Parcels leave on Mondays, always.", "Cats sleep all day.");
    let question = "When do parcels leave?";
    for (inputs, model, bodies) in [
        (json!({}), "amazon.titan-embed-text-v1", vec![titan(parcels), titan(cats), titan(question)]),
        (
            json!({"model": "amazon.titan-embed-text-v2:0", "batchSize": "20"}),
            "amazon.titan-embed-text-v2%3A0",
            vec![titan(parcels), titan(cats), titan(question)],
        ),
        (
            json!({"customModel": "eu.cohere.embed-v4:0", "inputType": "search_query"}),
            "eu.cohere.embed-v4%3A0",
            vec![
                cohere(json!([parcels, cats]), "search_document"),
                cohere(json!([question]), "search_query"),
            ],
        ),
        (
            json!({"model": "cohere.embed-english-v3", "inputType": "clustering", "batchSize": "1"}),
            "cohere.embed-english-v3",
            vec![
                cohere(json!([parcels]), "clustering"),
                cohere(json!([cats]), "clustering"),
                cohere(json!([question]), "clustering"),
            ],
        ),
    ] {
        let before = house.provider.requests().len();
        let flow = retrieval_flow(&house, inputs, &key());
        let answer = house.server.ask(&flow, &json!({ "question": question })).is(200).json();
        assert_eq!(answer["sourceDocuments"][0]["metadata"]["source"], "parcels", "{answer}");
        let requests = house.all_were_signed().split_off(before);
        let sent: Vec<Value> = requests.iter().map(|request| request.body.clone()).collect();
        assert_eq!(sent, bodies);
        assert!(
            requests.iter().all(|request| request.path == format!("/model/{model}/invoke")),
            "{requests:?}"
        );
    }
}

#[test]
fn embeddings_that_fail_name_their_card() {
    let house = Fixture::open(ACCOUNT);
    let wrong = json!({"awsKey": ACCOUNT.id, "awsSecret": "another-secret-of-somebody"});
    for (fields, body, says) in [
        (wrong, None, "the provider refused the API key"),
        (json!({}), None, "are not lent to flows"),
        (key(), Some(r#"{"embedding": []}"#), "could not be read"),
        (key(), Some(r#"{"embedding": null}"#), "could not be read"),
        (key(), Some("<html>"), "could not be read"),
    ] {
        let flow = retrieval_flow(&house, json!({}), &fields);
        if let Some(body) = body {
            house.provider.push_behaviour(Behaviour::status(200, body));
        }
        let told = house.ask(&flow, false);
        assert!(told.contains("AWS Bedrock Embedding: ") && told.contains(says), "{told}");
    }
}
