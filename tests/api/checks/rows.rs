//! Not one row of the database, no file and nothing at a provider tells of a check, whatever the flow is set up to do when people
//! ask it.

use super::traces::picture;
use super::{end, save_draft, start};
use crate::agentflows::steps::{START, Steps};
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::database::Rows;
use crate::support::provider::responses::{message, streamed};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Stores what only memory counts so far.
fn flush_usage(server: &Server) {
    let (_stop, stopping) = tokio::sync::watch::channel(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(flowkeep::tasks::usage::run(server.app.clone(), stopping));
}

/// Checks the flow, and holds everything that there is against what there was.
fn assert_leaves_nothing(server: &Server, flow: &str, word: &str) -> Value {
    flush_usage(server);
    let before = (picture(server, flow), Rows::read(server));
    let body =
        json!({"questions": [format!("question {word}"), "another one"], "control": true, "repeat": 2});
    let done = end(server, flow, &start(server, flow, &body));
    assert_eq!((&done["status"], &done["summary"]["errors"]), (&json!("done"), &json!(0)), "{done}");
    flush_usage(server);
    assert_eq!(picture(server, flow), before.0);
    assert_eq!(Rows::read(server).changed_tables(&before.1), BTreeSet::new());
    assert!(server.files_with(word).is_empty(), "a question or an answer is in a file");
    done
}

#[test]
fn the_comparison_sees_what_a_question_of_a_person_leaves() {
    let server = Server::start();
    let flow = super::flow_saying(&server, "a", "b");
    let before = Rows::read(&server);
    assert_eq!(Rows::read(&server).changed_tables(&before), BTreeSet::new(), "nothing happened");
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    let changed = Rows::read(&server).changed_tables(&before);
    assert!(changed.contains("messages") && changed.contains("flow_timeline"), "{changed:?}");
}

/// A chain with a memory in front of the provider, whose answers are followed by prompts, spoken, watched and counted.
fn set_up_for_everything(server: &Server, provider: &Provider) -> (String, String) {
    let base = format!("{}/v1", provider.base_url());
    let key = server.key(&["chatflows:view"]);
    let held =
        json!({"name": "f", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-follow"}});
    let credential = id(&server.post("/credentials", &held));
    let prompts = json!({"status": true, "selectedProvider": "chatOpenAI", "chatOpenAI": {
        "credentialId": credential, "modelName": "prompts-model", "baseUrl": base, "temperature": "0.5", "prompt": "After: {history}"}});
    let speech = json!({"localAISTT": {"status": true, "baseUrl": base, "credentialId": credential}});
    let spoken =
        json!({"openai": {"status": true, "autoPlay": true, "credentialId": credential, "voice": "alloy"}});
    let watched = json!({"langFuse": {"status": true, "credentialId": credential, "langFuseEndpoint": base}});
    let settings = json!({
        "followUpPrompts": prompts.to_string(), "speechToText": speech.to_string(), "textToSpeech": spoken.to_string(),
        "analytic": watched.to_string(), "apikeyid": key["id"],
    });
    let canvas = |model: &str| {
        ProviderFormat::OpenAi.conversation(server, &provider.base_url(), json!({"modelName": model}))
    };
    let flow = server.flow_with(&canvas("live-model"), &settings);
    save_draft(server, &flow, &canvas("draft-model"));
    (flow, key["apiKey"].as_str().unwrap().to_owned())
}

#[test]
fn a_chatflow_set_up_for_everything_leaves_no_row_and_asks_nobody_else() {
    const WORD: &str = "marker-7451";
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|request| match request.body["model"] == "prompts-model" {
        true => Behaviour::text("[\"And then?\"]"),
        false => Behaviour::text("Said marker-7451."),
    });
    let (flow, key) = set_up_for_everything(&server, &provider);
    let body = json!({"question": "before"});
    let answer =
        server.call("POST", &format!("/prediction/{flow}")).bearer(&key).json(&body).send().is(200).json();
    assert_eq!(answer["followUpPrompts"], "[\"And then?\"]", "people's answers have them: {answer}");
    // What this answer said lies in the database; what the check says must not.
    provider.set_decision(|_| Behaviour::text(&format!("Said {WORD}-check.")));
    let asked = provider.served_count();
    assert_leaves_nothing(&server, &flow, &format!("{WORD}-check"));
    let models: BTreeSet<String> = provider.requests()[asked..].iter().map(model_asked).collect();
    assert_eq!(models, BTreeSet::from(["draft-model", "live-model"].map(str::to_owned)));
    assert_eq!(server.read("/apikey")[0]["usage"], 1, "the key was used once, by a person");
}

fn model_asked(request: &RecordedRequest) -> String {
    request.body["model"].as_str().map_or_else(|| request.path.clone(), str::to_owned)
}

/// Two points of a picture.
const PICTURE: &str = "iVBORw0KGgo=";

/// A reply that drew a picture and left a table in a container.
fn making_files(text: &str) -> Behaviour {
    let cited = json!([{
        "type": "container_file_citation", "container_id": "cntr_1", "file_id": "cfile_1", "filename": "tea.csv",
    }]);
    streamed(&[
        json!({"id": "ci_1", "type": "code_interpreter_call", "status": "completed", "code": "print(1)",
               "container_id": "cntr_1", "outputs": [{"type": "logs", "logs": "1"}]}),
        json!({"id": "ig_1", "type": "image_generation_call", "status": "completed", "result": PICTURE,
               "output_format": "png", "revised_prompt": "A cup."}),
        message(text, &cited),
    ])
}

fn drawing_agent(server: &Server, provider: &Provider) -> impl Fn(&str) -> String {
    let held = json!({"name": "key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-secret-1"}});
    let credential = id(&server.post("/credentials", &held));
    let base = format!("{}/v1", provider.base_url());
    move |label: &str| {
        let config = json!({"agentModel": "chatOpenAI", "modelName": "gpt-4o", "basepath": base,
            "FLOWISE_CREDENTIAL_ID": credential});
        let tools = json!(["code_interpreter", "image_generation"]).to_string();
        let inputs = json!({"agentModel": "chatOpenAI", "agentModelConfig": config, "agentToolsBuiltInOpenAI": tools,
            "agentEnableMemory": true});
        Steps::begin_with(json!({"startInputType": "chatInput", "startPersistState": true}))
            .card("agentAgentflow_0", label, inputs)
            .edge(START, "agentAgentflow_0")
            .text()
    }
}

#[test]
fn an_agent_that_draws_pictures_and_writes_files_leaves_none_and_no_record() {
    const WORD: &str = "marker-7452";
    let (server, provider) = (Server::start(), Provider::start());
    let answering = |word: &'static str| {
        move |request: &RecordedRequest| match request.method == "GET" {
            true => {
                Behaviour::Bytes { kind: "application/octet-stream", body: b"tea,2\n".to_vec(), piece: 3 }
            }
            false => making_files(word),
        }
    };
    provider.set_decision(answering("Here they are."));
    let canvas = drawing_agent(&server, &provider);
    let flow = server.flow_with(&canvas("Agent"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("Agent anew"));
    let answer = server.ask(&flow, &json!({"question": "Tea?"})).is(200).json();
    assert!(answer.to_string().contains("tea.csv"), "people's answers have files: {answer}");
    provider.set_decision(answering("Here is marker-7452."));
    let done = assert_leaves_nothing(&server, &flow, WORD);
    assert_eq!(done["cases"][0]["draft"]["text"], "Here is marker-7452.");
}

/// Documents that are searched in front of a model that remembers.
fn reading_store(server: &Server, provider: &Provider, top: &str) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    let inputs = json!({"modelName": "embedding", "basepath": format!("{}/v1", provider.base_url())});
    let embeddings = drawing.card("openAIEmbeddingsCustom", inputs);
    let store = drawing.card("memoryVectorStore", json!({"topK": top}));
    drawing.wire(&embeddings, &store, "embeddings");
    let loader = drawing.card("plainText", json!({"text": "Tea is ready at five."}));
    drawing.wire(&loader, &store, "document");
    let memory = drawing.card("bufferMemory", json!({}));
    let chain = drawing.card("conversationalRetrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    drawing.wire(&memory, &chain, "memory");
    drawing.text()
}

#[test]
fn a_flow_that_searches_and_remembers_leaves_no_row() {
    const WORD: &str = "marker-7453";
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&reading_store(&server, &provider, "1"));
    save_draft(&server, &flow, &reading_store(&server, &provider, "2"));
    server.ask(&flow, &json!({"question": "before"})).is(200);
    assert_leaves_nothing(&server, &flow, WORD);
}
