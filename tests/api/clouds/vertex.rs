//! Models and embeddings of Google Vertex AI, before a sale of tokens that verifies every signature.

use crate::support::canvases::Drawing;
use crate::support::provider::google::Accounts;
use crate::support::provider::{Behaviour, Provider, Reply};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::sync::Arc;

/// A key that Google knows nothing of.
const THEIRS: &str = include_str!("theirs.key");

/// A service with Google beside it.
pub(super) struct Fixture {
    pub(super) server: Server,
    pub(super) provider: Provider,
    pub(super) accounts: Arc<Accounts>,
}

impl Fixture {
    pub(super) fn open() -> Self {
        let provider = Provider::start();
        let accounts = Arc::new(Accounts::new(&provider.base_url()));
        let door = accounts.clone();
        provider.set_decision(move |request| door.answer(request).unwrap_or(Behaviour::Echo));
        let server = Server::with(&[("SERVICE_HTTP_ALLOW", &provider.base_url().replace("http://", ""))]);
        Self { server, provider, accounts }
    }

    pub(super) fn key(&self) -> Value {
        json!({"googleApplicationCredential": self.accounts.key().to_string()})
    }

    /// A key with this field set otherwise.
    fn key_with(&self, field: &str, value: &str) -> Value {
        let mut key = self.accounts.key();
        key[field] = value.into();
        json!({"googleApplicationCredential": key.to_string()})
    }

    fn place_card(&self, drawing: &mut Drawing, card: &str, inputs: Value, fields: &Value) -> String {
        let mut all = json!({"region": "europe-west1", "baseUrl": self.provider.base_url()});
        all.as_object_mut().unwrap().extend(inputs.as_object().cloned().unwrap());
        let node = drawing.card(card, all);
        let body = json!({"name": "google", "credentialName": "googleVertexAuth", "plainDataObj": fields});
        drawing.credential(&node, &id(&self.server.post("/credentials", &body)));
        node
    }

    pub(super) fn conversation(&self, inputs: Value, fields: &Value) -> String {
        let mut drawing = Drawing::default();
        let model = self.place_card(&mut drawing, "chatGoogleVertexAI", inputs, fields);
        let memory = drawing.card("bufferMemory", json!({}));
        let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        self.server.flow(&drawing.text())
    }

    /// A flow that answers from two chunks, which the card makes vectors of.
    fn knowing(&self, inputs: Value, fields: &Value) -> String {
        let mut drawing = Drawing::default();
        let embeddings = self.place_card(&mut drawing, "googlevertexaiEmbeddings", inputs, fields);
        let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
        drawing.wire(&embeddings, &store, "embeddings");
        for (source, text) in [("parcels", "Parcels leave on Mondays."), ("cats", "Cats sleep all day.")] {
            let loader = drawing.card("plainText", json!({"text": text, "metadata": {"source": source}}));
            drawing.wire(&loader, &store, "document");
        }
        let model = drawing.card("chatExtractive", json!({}));
        let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&store, &chain, "vectorStoreRetriever");
        self.server.flow(&drawing.text())
    }

    fn ask(&self, flow: &str) -> String {
        let text = self.server.ask(flow, &json!({"question": "How are you?"})).text();
        let key = self.accounts.key();
        let lines = key["private_key"].as_str().unwrap().lines().map(str::to_owned);
        for secret in lines.filter(|line| line.len() > 30).chain(self.accounts.tokens_sold()) {
            assert!(!text.contains(&secret), "{text}");
        }
        text
    }
}

#[test]
fn questions_go_to_the_project_with_a_token_that_is_bought_once() {
    let house = Fixture::open();
    let settings = json!({"temperature": "0.2", "maxOutputTokens": "77", "topK": "5", "topP": "0.8",
        "thinkingBudget": "128"});
    let flow = house.conversation(settings, &house.key());
    let whole = house.server.ask(&flow, &json!({"question": "How are you?"})).is(200).json();
    assert_eq!(whole["text"], "You said: How are you?");
    let streamed = house.server.ask(&flow, &json!({"question": "Grüße 👋", "streaming": true}));
    assert_eq!(streamed.streamed_text(), "You said: Grüße 👋");
    let other = house.conversation(json!({"streaming": false, "customModelName": "a/../b"}), &house.key());
    assert!(house.ask(&other).contains("You said"));
    assert_eq!(house.accounts.tokens_sold().len(), 1, "three questions of two flows need one token");
    let requests = house.provider.requests();
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    let models = "/v1/projects/our-project/locations/europe-west1/publishers/google/models";
    let streams = format!("{models}/gemini-2.5-flash:streamGenerateContent?alt=sse");
    let odd = format!("{models}/a%2F..%2Fb:generateContent");
    assert_eq!(paths, ["/token", &streams, &streams, &odd]);
    let generation = json!({"temperature": 0.2, "topP": 0.8, "topK": 5, "maxOutputTokens": 77,
        "thinkingConfig": {"thinkingBudget": 128, "includeThoughts": true}});
    assert_eq!(requests[1].body["generationConfig"], generation);
    assert_eq!(requests[1].body["systemInstruction"], json!({"parts": [{"text": "Be kind."}]}));
    assert!(requests[1].header("x-goog-api-key").is_none());
}

#[test]
fn a_project_of_the_credential_goes_before_the_keys_own() {
    let house = Fixture::open();
    let mut fields = house.key();
    fields["projectID"] = "another-project".into();
    let flow = house.conversation(json!({"region": ""}), &fields);
    assert!(house.ask(&flow).contains("You said"));
    let path = house.provider.last_request().path;
    assert!(path.starts_with("/v1/projects/another-project/locations/us-central1/"), "{path}");
}

#[test]
fn a_token_is_renewed_before_and_after_its_end() {
    let house = Fixture::open();
    let flow = house.conversation(json!({}), &house.key());
    // So near its end a token is used by nobody but who bought it.
    for seconds in [json!(100), json!(0), json!(-5), json!(3_599), json!(1e300)] {
        let before = house.accounts.tokens_sold().len();
        *house.accounts.seconds.lock().unwrap() = seconds.clone();
        house.accounts.expire();
        assert!(house.ask(&flow).contains("You said"), "{seconds}");
        assert!(house.accounts.tokens_sold().len() > before, "{seconds}");
    }
    let before = house.accounts.tokens_sold().len();
    assert!(house.ask(&flow).contains("You said"));
    assert_eq!(house.accounts.tokens_sold().len(), before);
    house.server.app.clock.advance_seconds(3_599 - 60);
    // A clock that is an hour off is no clock to ask Google with.
    let told = house.ask(&flow);
    assert!(told.contains("Google VertexAI: Google refused the date of the request: the clock"), "{told}");
}

#[test]
fn a_token_that_expires_in_the_middle_of_a_run_is_bought_anew() {
    let house = Fixture::open();
    let mut drawing = Drawing::default();
    let model = house.place_card(&mut drawing, "chatGoogleVertexAI", json!({}), &house.key());
    drawing.counting_agent(&model);
    let accounts = house.accounts.clone();
    house.provider.set_decision(move |request| {
        if let Some(answer) = accounts.answer(request) {
            return answer;
        }
        if request.body.to_string().contains("functionResponse") {
            return Behaviour::text("It is 42.");
        }
        accounts.expire();
        Behaviour::call("calculator", json!({"input": "6 * (3 + 4)"}))
    });
    let flow = house.server.flow(&drawing.text());
    let answer = house.server.ask(&flow, &json!({"question": "How much?", "streaming": true}));
    assert_eq!(answer.streamed_text(), "It is 42.");
    assert_eq!(house.accounts.tokens_sold().len(), 2);
    // A service that keeps refusing is not asked for ever.
    let accounts = house.accounts.clone();
    house.provider.set_decision(move |request| {
        accounts.expire();
        accounts.answer(request).unwrap_or(Behaviour::Echo)
    });
    let before = house.provider.served_count();
    let told = house.ask(&flow);
    assert!(told.contains("Google VertexAI: the provider refused the API key"), "{told}");
    assert!(house.provider.served_count() - before <= 4, "{}", house.provider.served_count() - before);
}

#[test]
fn keys_that_buy_nothing_are_told() {
    let house = Fixture::open();
    let theirs = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", THEIRS.trim());
    let path = json!({"googleApplicationCredentialFilePath": "/etc/key.json"});
    let mut project = house.key();
    project["projectID"] = "a/b".into();
    for (fields, says) in [
        (json!({}), "are not lent to flows"),
        (path, "files of this server are not read"),
        (project, "not the id of a project"),
        (
            json!({"googleApplicationCredential": "a secret in the wrong place"}),
            "no JSON key of a service account",
        ),
        (house.key_with("private_key", &theirs), "the provider refused the API key"),
        (house.key_with("client_email", "other@our-project"), "the provider refused the API key"),
        (house.key_with("project_id", ""), "name the project in the credential"),
        (house.key_with("type", "authorized_user"), "its type has to be service_account"),
        (house.key_with("private_key", "broken"), "cannot be read"),
        (
            house.key_with("token_uri", "http://127.0.0.1:1/token"),
            "token_uri of the credential's JSON key is not Google's",
        ),
        (
            house.key_with("token_uri", "https://evil.example/token"),
            "token_uri of the credential's JSON key is not Google's",
        ),
    ] {
        for flow in [house.conversation(json!({}), &fields), house.knowing(json!({}), &fields)] {
            let told = house.ask(&flow);
            assert!(told.contains("VertexAI") && told.contains(says), "{says}: {told}");
            assert!(!told.contains("a secret in the wrong place"), "{told}");
        }
    }
}

#[test]
fn a_sale_that_goes_wrong_is_told() {
    let house = Fixture::open();
    let flow = house.conversation(json!({}), &house.key());
    let sold =
        |token: &str| Behaviour::status(200, &json!({"access_token": token, "expires_in": 9}).to_string());
    for (behaviour, says) in [
        (Behaviour::status(200, "<html>"), "it holds no access token"),
        (sold(""), "it holds no access token"),
        (sold("two\nlines"), "it holds no access token"),
        (sold(&"x".repeat(100_000)), "it is too large"),
        (Behaviour::status(500, "{\"error\": \"broken\"}"), "answered 500: broken"),
        (
            Behaviour::status(
                403,
                "{\"error\": \"disabled\", \"error_description\": \"Key 0: -----BEGIN PRIVATE KEY-----\"}",
            ),
            "answered 403",
        ),
    ] {
        house.provider.push_behaviour(behaviour);
        let told = house.ask(&flow);
        assert!(told.contains("Google VertexAI: ") && told.contains(says), "{told}");
    }
    assert!(house.ask(&flow).contains("You said"));
}

#[test]
fn refusals_of_models_are_told_in_clear_words() {
    let house = Fixture::open();
    let flow = house.conversation(json!({}), &house.key());
    assert!(house.ask(&flow).contains("You said"));
    let token = house.accounts.tokens_sold().pop().unwrap();
    let error = |code: u16, message: &str, status: &str| {
        Behaviour::status(
            code,
            &json!({"error": {"code": code, "message": message, "status": status}}).to_string(),
        )
    };
    let about = format!("Permission denied for {token} on resource");
    for (behaviour, says) in [
        (error(403, &about, "PERMISSION_DENIED"), "answered 403: Permission denied for [secret hidden] on"),
        (error(404, "Publisher Model `x` was not found", "NOT_FOUND"), "does not know the model"),
        (error(400, "Bad request", "INVALID_ARGUMENT"), "answered 400: Bad request"),
        (Behaviour::Reply(Reply { cut_after: Some(1), ..Reply::text("one two three") }), "could not be read"),
    ] {
        house.provider.push_behaviour(behaviour);
        let told = house.ask(&flow);
        assert!(told.contains("Google VertexAI: ") && told.contains(says), "{told}");
    }
    for region in ["evil.example/", "europe-west1.evil", "..", "a b"] {
        let told = house.ask(&house.conversation(json!({"region": region, "baseUrl": ""}), &house.key()));
        assert!(told.contains("Region: this must be the name of a region"), "{region}: {told}");
    }
}

#[test]
fn a_model_that_takes_images_is_sent_them() {
    let house = Fixture::open();
    let flow = house.conversation(json!({"allowImageUploads": true}), &house.key());
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let upload = json!([{"type": "file", "name": "dot.png", "mime": "image/png",
        "data": format!("data:image/png;base64,{data}")}]);
    house.server.ask(&flow, &json!({"question": "What is it?", "uploads": upload})).is(200);
    let sent = house.provider.last_request().body["contents"].to_string();
    assert!(sent.contains(data) && sent.contains("inlineData"), "{sent}");
}

#[test]
fn embeddings_are_predicted() {
    let house = Fixture::open();
    let question = "When do parcels leave?";
    let contents = |texts: &[&str]| json!({"instances": texts.iter().map(|text| json!({"content": text})).collect::<Vec<_>>()});
    let (parcels, cats) = ("Parcels leave on Mondays.", "Cats sleep all day.");
    for (inputs, model, bodies) in [
        (json!({}), "text-embedding-004", vec![contents(&[parcels, cats]), contents(&[question])]),
        (
            json!({"modelName": "gemini-embedding-001"}),
            "gemini-embedding-001",
            vec![contents(&[parcels]), contents(&[cats]), contents(&[question])],
        ),
    ] {
        let before = house.provider.requests().len();
        let flow = house.knowing(inputs, &house.key());
        let answer = house.server.ask(&flow, &json!({ "question": question })).is(200).json();
        assert_eq!(answer["sourceDocuments"][0]["metadata"]["source"], "parcels", "{answer}");
        let requests = house.provider.requests().split_off(before);
        let predicted = requests.iter().filter(|request| request.path != "/token");
        let path = format!(
            "/v1/projects/our-project/locations/europe-west1/publishers/google/models/{model}:predict"
        );
        let sent: Vec<Value> = predicted
            .inspect(|request| assert_eq!(request.path, path))
            .map(|request| request.body.clone())
            .collect();
        assert_eq!(sent, bodies);
    }
    assert_eq!(house.accounts.tokens_sold().len(), 1);
    let flow = house.knowing(json!({}), &house.key());
    for body in [r#"{"predictions": []}"#, r#"{"predictions": [{}, {}]}"#, "[]"] {
        house.provider.push_behaviour(Behaviour::status(200, body));
        let told = house.ask(&flow);
        assert!(told.contains("GoogleVertexAI Embedding: ") && told.contains("could not be read"), "{told}");
    }
}
