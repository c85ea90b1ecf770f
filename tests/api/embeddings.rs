//! Every card of embeddings in front of the stand-in: what it sends for chunks and for a question, and what is found.

use crate::support::canvases::{Drawing, SECRET};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, golden, id};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A card, the type of its credential with the field of its key, the input for its address, what is typed behind the
/// stand-in's own, and its further inputs.
struct Case {
    card: &'static str,
    credential: (&'static str, &'static str),
    address: (&'static str, &'static str),
    inputs: Value,
}

fn case(
    card: &'static str,
    credential: (&'static str, &'static str),
    address: (&'static str, &'static str),
    inputs: Value,
) -> Case {
    Case { card, credential, address, inputs }
}

const OPENAI: (&str, &str) = ("openAIApi", "openAIApiKey");

fn cases() -> Vec<Case> {
    let ollama = json!({"modelName": "m-1", "numGpu": "1", "numThread": 4, "useMMap": false});
    vec![
        case(
            "openAIEmbeddings",
            OPENAI,
            ("basepath", "/v1"),
            json!({"stripNewLines": true, "batchSize": "1"}),
        ),
        case(
            "openAIEmbeddingsCustom",
            OPENAI,
            ("basepath", "/v1"),
            json!({"modelName": "m-1", "dimensions": "24", "encodingFormat": "base64",
                "baseOptions": "{\"x-extra\": \"1\"}"}),
        ),
        case("azureOpenAIEmbeddings", ("azureOpenAIApi", "azureOpenAIApiKey"), ("basepath", ""), json!({})),
        case(
            "localAIEmbeddings",
            ("localAIApi", "localAIApiKey"),
            ("basePath", "/v1"),
            json!({"modelName": "m-1"}),
        ),
        case("ollamaEmbedding", ("", ""), ("baseUrl", ""), ollama),
        case(
            "googleGenerativeAiEmbeddings",
            ("googleGenerativeAI", "googleGenerativeAPIKey"),
            ("baseUrl", ""),
            json!({"tasktype": "RETRIEVAL_DOCUMENT"}),
        ),
        case("cohereEmbeddings", ("cohereApi", "cohereApiKey"), ("basepath", ""), json!({})),
        case("mistralAIEmbeddings", ("mistralAIApi", "mistralAIAPIKey"), ("overrideEndpoint", ""), json!({})),
        case("voyageAIEmbeddings", ("voyageAIApi", "apiKey"), ("", ""), json!({})),
        case(
            "jinaEmbeddings",
            ("jinaAIApi", "jinaAIAPIKey"),
            ("basepath", "/v1"),
            json!({"allowLateChunking": true}),
        ),
        case(
            "huggingFaceInferenceEmbeddings",
            ("huggingFaceApi", "huggingFaceApiKey"),
            ("endpoint", "/ours/feature-extraction"),
            json!({}),
        ),
        case(
            "togetherAIEmbedding",
            ("togetherAIApi", "togetherAIApiKey"),
            ("basepath", "/v1"),
            json!({"modelName": "m-1"}),
        ),
    ]
}

/// Puts the card on a canvas, pointing at the stand-in, with its credential.
fn place(drawing: &mut Drawing, server: &Server, base: &str, case: &Case) -> String {
    let mut inputs = case.inputs.clone();
    if !case.address.0.is_empty() {
        inputs[case.address.0] = json!(format!("{base}{}", case.address.1));
    }
    let node = drawing.card(case.card, inputs);
    let (kind, field) = case.credential;
    if kind.is_empty() {
        return node;
    }
    let mut fields = json!({field: SECRET});
    match kind {
        "azureOpenAIApi" => {
            fields["azureOpenAIApiInstanceName"] = "ours".into();
            fields["azureOpenAIApiDeploymentName"] = "our-vectors".into();
            fields["azureOpenAIApiVersion"] = "2024-10-21".into();
        }
        "voyageAIApi" => fields["endpoint"] = format!("{base}/v1/embeddings").into(),
        _ => {}
    }
    let body = json!({"name": "stand-in", "credentialName": kind, "plainDataObj": fields});
    drawing.credential(&node, &id(&server.post("/credentials", &body)));
    node
}

/// A flow that answers from two chunks, which the card makes vectors of.
fn flow(server: &Server, base: &str, case: &Case) -> String {
    let mut drawing = Drawing::default();
    let embeddings = place(&mut drawing, server, base, case);
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
    server.flow(&drawing.text())
}

/// What a request says, with its key as a word.
pub(super) fn request_text(request: &RecordedRequest) -> String {
    let mut out = format!("{} {}\n", request.method, request.path);
    for name in ["authorization", "x-goog-api-key", "api-key", "x-extra"] {
        if let Some(value) = request.header(name) {
            writeln!(out, "{name}: {}", value.replace(SECRET, "<secret>")).unwrap();
        }
    }
    assert!(!request.path.contains(SECRET) && !request.body.to_string().contains(SECRET), "{out}");
    out + &serde_json::to_string_pretty(&request.body).unwrap() + "\n"
}

#[test]
fn every_card_asks_its_provider_as_its_inputs_say() {
    let server = Server::start();
    let mut sent = String::new();
    for case in cases() {
        let provider = Provider::start();
        let flow = flow(&server, &provider.base_url(), &case);
        let answer = server.ask(&flow, &json!({"question": "When do parcels leave?"})).is(200).json();
        assert_eq!(answer["sourceDocuments"][0]["metadata"]["source"], "parcels", "{}: {answer}", case.card);
        writeln!(sent, "== {}", case.card).unwrap();
        provider.requests().iter().for_each(|request| sent.push_str(&request_text(request)));
    }
    golden::check("embeddings_sent.txt", &sent);
}

#[test]
fn a_provider_that_fails_is_named_and_its_key_is_not() {
    let server = Server::start();
    for case in cases() {
        let provider = Provider::start();
        let flow = flow(&server, &provider.base_url(), &case);
        for (behaviour, says) in [
            (
                Behaviour::status(500, &format!(r#"{{"error":{{"message":"key {SECRET} broke"}}}}"#)),
                "answered 500",
            ),
            (Behaviour::status(401, r#"{"error":{"message":"no"}}"#), "refused the API key"),
            (Behaviour::status(200, r#"{"data":[{"embedding":[]}]}"#), "could not be read"),
        ] {
            provider.set_decision(move |_| behaviour.clone());
            let answer = server.ask(&flow, &json!({"question": "When?"}));
            let text = answer.text();
            assert!(answer.status >= 400 && text.contains(says), "{}: {text}", case.card);
            assert!(!text.contains(SECRET), "{}: {text}", case.card);
            let label = flowkeep::cards::registry::find(case.card).unwrap().label;
            assert!(text.contains(label), "{}: {text}", case.card);
        }
    }
}

#[test]
fn a_card_without_its_key_asks_nobody() {
    let server = Server::start();
    for case in cases() {
        // A server of one's own may need no key; at the provider's own address everybody does.
        if ["localAIEmbeddings", "ollamaEmbedding"].contains(&case.card) {
            continue;
        }
        let case = Case { credential: ("", ""), address: ("", ""), ..case };
        let answer = server.ask(&flow(&server, "", &case), &json!({"question": "When?"}));
        assert!(answer.text().contains("select a credential"), "{}: {}", case.card, answer.text());
    }
}
