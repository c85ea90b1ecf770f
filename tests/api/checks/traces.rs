//! A check leaves nothing behind: the same rows, files, versions, counts, spans and lines are there before and after.

use super::{check, end, flow_of_provider, flow_saying, save_draft, start};
use crate::agentflows::steps::{START, Steps, llm, openai_llm, with};
use crate::support::canvases::Drawing;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, log};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

/// What anybody can see of a flow, and every file of the service but those that change by themselves.
pub fn picture(server: &Server, flow: &str) -> (Vec<Value>, BTreeMap<String, u64>) {
    let shown = [
        format!("/chatmessage/{flow}"),
        format!("/internal-chatmessage/{flow}"),
        format!("/conversations/{flow}"),
        format!("/stats/{flow}"),
        format!("/executions?agentflowId={flow}"),
        format!("/flow-versions/{flow}"),
        format!("/chatflows/{flow}"),
        format!("/flow-drafts/{flow}"),
        "/audit".to_owned(),
        "/apikey".to_owned(),
    ];
    let shown = shown.iter().map(|path| server.owner("GET", path).send().json()).collect();
    let files = server
        .files()
        .into_iter()
        .filter(|(name, _)| !name.contains("flowkeep."))
        .map(|(name, bytes)| (name, hash(&bytes)));
    (shown, files.collect())
}

/// What tells two contents apart.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn a_check_of_a_chatflow_leaves_nothing_behind() {
    let server = Server::start();
    let flow = flow_saying(&server, "Live said marker-7431", "Draft said marker-7431");
    server.ask(&flow, &json!({"question": "before"})).is(200);
    let before = picture(&server, &flow);
    let done = check(&server, &flow, &["question marker-7432"]);
    assert_eq!(done["status"], "done");
    assert_eq!(picture(&server, &flow), before);
    assert!(server.files_with("marker-7432").is_empty(), "a question is in a file");
}

#[test]
fn a_check_of_an_agentflow_leaves_no_record_and_reads_none() {
    let server = Server::start();
    let canvas = |says: &str| {
        let remembering = with(llm(says), json!({"llmEnableMemory": true}));
        Steps::begin_with(json!({"startInputType": "chatInput", "startPersistState": true}))
            .card("llmAgentflow_0", "Answer", remembering)
            .edge(START, "llmAgentflow_0")
            .text()
    };
    let flow = server.flow_with(&canvas("First."), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("Second."));
    server.ask(&flow, &json!({"question": "before"})).is(200);
    let before = picture(&server, &flow);
    assert_eq!(check(&server, &flow, &["question marker-7433"])["status"], "done");
    assert_eq!(picture(&server, &flow), before);
    assert!(server.files_with("marker-7433").is_empty(), "a question is in a file");
}

#[test]
fn each_run_begins_with_an_empty_memory() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(|_| Behaviour::text("Noted."));
    server.ask(&flow, &json!({"question": "remember me"})).is(200);
    let asked = provider.served_count();
    let body = json!({"questions": ["one", "two"], "control": true});
    end(&server, &flow, &start(&server, &flow, &body));
    let sent = provider.requests().split_off(asked);
    assert!(sent.len() >= 6);
    for request in sent {
        let body = request.body.to_string();
        let others = ["remember me", "one", "two"].iter().filter(|text| body.contains(**text)).count();
        assert_eq!(others, 1, "{body}");
    }
}

#[test]
fn runs_of_a_check_are_counted_nowhere() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(|_| Behaviour::text("Yes."));
    let key = server.key(&["logs:view"])["apiKey"].as_str().unwrap().to_owned();
    let counted = || {
        let page = server.call_root("GET", "/metrics").bearer(&key).send().is(200).text();
        let lines = page.lines().filter(|line| {
            line.contains("model") || line.contains("flow_run") || line.contains("prediction")
        });
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = counted();
    check(&server, &flow, &["one"]);
    assert_eq!(counted(), before);
}

/// Two branches in front of a provider, whose steps and model have a name by which their spans are known.
fn two_branches(provider: &Provider, word: &str, draft: &str) -> String {
    let step = || openai_llm(&provider.base_url(), &format!("model-{word}"));
    Steps::begin()
        .card("llmAgentflow_0", &format!("One {word}"), step())
        .card("llmAgentflow_1", &format!("Other {word} {draft}"), step())
        .edge(START, "llmAgentflow_0")
        .edge(START, "llmAgentflow_1")
        .text()
}

#[test]
fn a_check_opens_no_span_and_writes_no_line() {
    const WORD: &str = "marker-7434";
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::text("Said marker-7434."));
    let flow = server.flow_with(&two_branches(&provider, WORD, ""), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &two_branches(&provider, WORD, "anew"));
    let other = flow_saying(&server, "Live said marker-7434", "Draft said marker-7434");
    log::listen(WORD);
    log::listen(&flow);
    server.ask(&flow, &json!({"question": "from a person"})).is(200);
    let of_person = log::take(WORD);
    assert!(of_person.len() >= 2, "spans of a person's question are heard: {of_person:?}");
    log::take(&flow);
    for flow in [&flow, &other] {
        let done = check(&server, flow, &["question marker-7434"]);
        assert_eq!((&done["status"], &done["summary"]["errors"]), (&json!("done"), &json!(0)), "{done}");
    }
    provider.set_decision(|_| Behaviour::status(500, r#"{"error":{"message":"marker-7434"}}"#));
    assert_eq!(check(&server, &flow, &["question marker-7434"])["summary"]["errors"], 1);
    assert_eq!((log::take(WORD), log::take(&flow)), (Vec::<String>::new(), Vec::new()));
}

/// Answers with what it finds in this text, which is embedded anew for each question but for what is held in memory.
fn searching(provider: &Provider, text: &str) -> String {
    let mut drawing = Drawing::default();
    let inputs = json!({"modelName": "embedding", "basepath": format!("{}/v1", provider.base_url())});
    let embeddings = drawing.card("openAIEmbeddingsCustom", inputs);
    let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
    drawing.wire(&embeddings, &store, "embeddings");
    let loader = drawing.card("plainText", json!({ "text": text }));
    drawing.wire(&loader, &store, "document");
    let model = drawing.card("chatScripted", json!({"fallback": "{question}"}));
    let chain = drawing.card("retrievalQAChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    drawing.text()
}

#[test]
fn vectors_of_documents_that_a_check_loads_end_with_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&searching(&provider, "What Live knows."));
    save_draft(&server, &flow, &searching(&provider, "What the draft knows."));
    let embedded = |text: &str| {
        let sent = provider.requests();
        sent.iter().filter(|request| request.body["input"].to_string().contains(text)).count()
    };
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    let held = server.app.state.vector_indexes.bytes();
    assert!(held > 0 && embedded("What Live knows") == 1);
    for checks in 1..=2 {
        let done = check(&server, &flow, &["one", "two", "three"]);
        assert_eq!((&done["status"], &done["summary"]["errors"]), (&json!("done"), &json!(0)), "{done}");
        assert_eq!(server.app.state.vector_indexes.bytes(), held);
        assert_eq!(embedded("What Live knows"), 1, "what people's questions hold is used");
        assert_eq!(
            embedded("What the draft knows"),
            checks,
            "once for all runs of a check, and again for the next"
        );
    }
}
