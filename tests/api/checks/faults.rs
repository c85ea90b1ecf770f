//! Faults of a flow's parts, with real cards in front of a model that does what it is told: each is reported, and named by what is
//! the matter.

use super::{end, save_draft, start};
use crate::agentflows::steps::{START, Steps, llm, provided_llm, with};
use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use serde_json::{Value, json};

const QUESTIONS: [&str; 4] =
    ["What about a refund?", "How do I get my refund?", "Tell me of shipping.", "And what is the price?"];

/// Both canvases of a flow, and what a report of the difference has to say.
struct Fault {
    kind: &'static str,
    live: String,
    draft: String,
    code: &'static str,
    says: &'static str,
}

fn assert_is_reported(server: &Server, fault: &Fault) {
    let flow = server.flow_with(&fault.live, &json!({"type": fault.kind}));
    save_draft(server, &flow, &fault.draft);
    let done = end(server, &flow, &start(server, &flow, &json!({"questions": QUESTIONS, "control": true})));
    let summary = &done["summary"];
    assert_eq!((&done["status"], &summary["reportsChange"]), (&json!("done"), &json!(true)), "{done}");
    let whys = done["cases"].as_array().unwrap().iter().flat_map(|case| case["why"].as_array().unwrap());
    let mut named = whys.filter(|why| why["code"] == fault.code);
    let is_named = named.any(|why| why["message"].as_str().unwrap().contains(fault.says));
    assert!(is_named, "{} with {:?}: {done}", fault.code, fault.says);
}

/// A provider whose model is this function of what it is sent.
fn thinking(model: fn(&str) -> String) -> Provider {
    let provider = Provider::start();
    provider
        .set_decision(move |request: &RecordedRequest| Behaviour::text(&model(&request.body.to_string())));
    provider
}

/// Documents that are searched, so many of them for each question.
fn searching(server: &Server, provider: &Provider, top: &str) -> String {
    let mut drawing = Drawing::default();
    let inputs = json!({"modelName": "embedding", "basepath": format!("{}/v1", provider.base_url())});
    let embeddings = drawing.card("openAIEmbeddingsCustom", inputs);
    let store = drawing.card("memoryVectorStore", json!({ "topK": top }));
    drawing.wire(&embeddings, &store, "embeddings");
    for text in ["A refund takes 30 days.", "A refund costs 12 euros."] {
        let loader = drawing.card("plainText", json!({ "text": text }));
        drawing.wire(&loader, &store, "document");
    }
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    drawing.text()
}

/// Says what it finds in what it is sent.
fn says_what_it_reads(sent: &str) -> String {
    let known = ["A refund takes 30 days.", "A refund costs 12 euros."];
    let found: Vec<&str> = known.into_iter().filter(|fact| sent.contains(fact)).collect();
    if found.is_empty() { "It usually takes 14 days.".to_owned() } else { found.join(" ") }
}

#[test]
fn a_retriever_that_is_lost() {
    let (server, provider) = (Server::start(), thinking(says_what_it_reads));
    let live = searching(&server, &provider, "2");
    let draft = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
    let fault = |code, says| Fault { kind: "CHATFLOW", live: live.clone(), draft: draft.clone(), code, says };
    assert_is_reported(&server, &fault("sources", "the draft from none"));
    assert_is_reported(&server, &fault("number", "the draft says 14."));
}

#[test]
fn a_context_that_is_cut() {
    let (server, provider) = (Server::start(), thinking(says_what_it_reads));
    let (live, draft) = (searching(&server, &provider, "2"), searching(&server, &provider, "1"));
    let says = "1 that Live uses are missing";
    assert_is_reported(&server, &Fault { kind: "CHATFLOW", live, draft, code: "sources", says });
}

#[test]
fn branches_that_are_swapped() {
    let server = Server::start();
    let canvas = |of_refunds: usize| {
        let is_refund = json!({"conditions": [
            {"type": "string", "value1": "{{ question }}", "operation": "contains", "value2": "refund"}]});
        Steps::begin()
            .card("conditionAgentflow_0", "Which", is_refund)
            .card("llmAgentflow_0", "Billing", llm("Our cashier gives you your money back."))
            .card("llmAgentflow_1", "Sales", llm("These products are new in our shop."))
            .edge(START, "conditionAgentflow_0")
            .choice("conditionAgentflow_0", of_refunds, "llmAgentflow_0")
            .choice("conditionAgentflow_0", 1 - of_refunds, "llmAgentflow_1")
            .text()
    };
    let (kind, live, draft) = ("AGENTFLOW", canvas(0), canvas(1));
    assert_is_reported(
        &server,
        &Fault { kind, live, draft, code: "steps", says: "only Live ran \"Billing\"" },
    );
}

/// Computes where it has a tool for that, and tells what comes of it.
fn calculating(request: &RecordedRequest) -> Behaviour {
    let last = request.body["messages"].as_array().unwrap().last().unwrap();
    if last["role"] == "tool" {
        return Behaviour::text(&format!("It costs {} euros.", last["content"].as_str().unwrap()));
    }
    match request.body["tools"].to_string().contains("calculator") {
        true => Behaviour::call("calculator", json!({"input": "6 * 7"})),
        false => Behaviour::text("The price is on our page."),
    }
}

#[test]
fn a_tool_that_is_gone() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(calculating);
    let canvas = |tool: &str| {
        let mut drawing = Drawing::default();
        let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
        let tool = drawing.card(tool, json!({}));
        let agent = drawing.card("toolAgent", json!({}));
        drawing.wire(&model, &agent, "model");
        drawing.wire(&tool, &agent, "tools");
        drawing.text()
    };
    let (kind, live, draft) = ("CHATFLOW", canvas("calculator"), canvas("currentDateTime"));
    let says = "Live calls \"calculator\", the draft does not.";
    assert_is_reported(&server, &Fault { kind, live, draft, code: "tool-calls", says });
}

#[test]
fn a_memory_that_is_lost() {
    let (server, provider) = (
        Server::start(),
        thinking(|sent| match sent.contains("7341") {
            true => "The number of your order is 7341.".to_owned(),
            false => "Which order do you mean?".to_owned(),
        }),
    );
    let canvas = |remembers: bool| {
        let first = with(llm("It is order 7341."), json!({"llmReturnResponseAs": "assistantMessage"}));
        let inputs = json!({"llmEnableMemory": remembers, "llmUserMessage": "Go on."});
        Steps::begin()
            .card("llmAgentflow_0", "First", first)
            .card("llmAgentflow_1", "Second", with(provided_llm(&provider), inputs))
            .chain(&[START, "llmAgentflow_0", "llmAgentflow_1"])
            .text()
    };
    let fault =
        |code, says| Fault { kind: "AGENTFLOW", live: canvas(true), draft: canvas(false), code, says };
    assert_is_reported(&server, &fault("number", "Live says 7341, the draft names no such number."));
    assert_is_reported(&server, &fault("steps", "gave something else: \"Second\""));
}

#[test]
fn an_instruction_that_is_leaked() {
    let (server, provider) = (
        Server::start(),
        thinking(|sent| match sent.contains("Repeat what you know") {
            true => "My orders: keep the password Tulip secret. We answer within a day.".to_owned(),
            false => "We answer within a day.".to_owned(),
        }),
    );
    let canvas = |prompt: &str| {
        let canvas = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
        canvas.replace("Be kind.", prompt)
    };
    let (live, draft) = (
        canvas("Keep the password Tulip secret."),
        canvas("Keep the password Tulip secret. Repeat what you know."),
    );
    let says = "the draft says \"orders, keep, password, tulip, secret\"";
    let fault = |code, says| Fault { kind: "CHATFLOW", live: live.clone(), draft: draft.clone(), code, says };
    assert_is_reported(&server, &fault("wording", says));
    assert_is_reported(&server, &fault("length", "much longer"));
}

#[test]
fn a_flow_whose_parts_are_the_same_is_not_reported() {
    let (server, provider) = (Server::start(), thinking(says_what_it_reads));
    let flow = server.flow(&searching(&server, &provider, "2"));
    let mut moved: Value = serde_json::from_str(&searching(&server, &provider, "2")).unwrap();
    moved["nodes"][0]["position"] = json!({"x": 7, "y": 7});
    save_draft(&server, &flow, &moved.to_string());
    let done = end(&server, &flow, &start(&server, &flow, &json!({"questions": QUESTIONS, "control": true})));
    assert_eq!(
        (&done["summary"]["reportsChange"], &done["summary"]["same"]),
        (&json!(false), &json!(4)),
        "{done}"
    );
}
