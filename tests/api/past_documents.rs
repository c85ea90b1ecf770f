//! Documents of earlier questions, whose text models are told again (manual 4.2 r6).

use crate::agentflows::steps::{START, Steps, provided_llm, with};
use crate::agents::messages;
use crate::files::{documents, stored_files, upload};
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, samples};
use serde_json::{Value, json};

/// What a model is told of the first question.
const TOLD: &str = "<doc name='a.txt'>The sky is green.</doc>\n\nSum it up.";

fn text(name: &str, text: &str) -> Value {
    json!({"type": "file:full", "name": name, "mime": "text/plain", "data": text})
}

fn sky() -> [Value; 1] {
    [text("a.txt", "The sky is green.")]
}

/// A conversation with a flow.
struct Conversation<'s> {
    server: &'s Server,
    flow: String,
    first: Value,
}

impl<'s> Conversation<'s> {
    /// One that begins with these files.
    #[track_caller]
    fn begin(server: &'s Server, flow: &str, uploads: &[Value]) -> Self {
        let body = json!({"question": "Sum it up.", "uploads": uploads});
        let first = server.ask(flow, &body).is(200).json();
        Self { server, flow: flow.to_owned(), first }
    }

    /// A further question; its answer.
    #[track_caller]
    fn ask(&self, question: &str, uploads: &[Value]) -> Value {
        let (chat, token) = (&self.first["chatId"], &self.first["sessionToken"]);
        let body = json!({"question": question, "uploads": uploads, "chatId": chat, "sessionToken": token});
        self.server.ask(&self.flow, &body).is(200).json()
    }
}

/// What the model was told last of what the person said.
fn heard(provider: &Provider) -> Vec<String> {
    messages(provider).into_iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect()
}

/// What the model of a flow is told after a question with a document.
#[track_caller]
fn heard_later(server: &Server, provider: &Provider, flow: &str) -> Vec<String> {
    Conversation::begin(server, flow, &sky()).ask("And then?", &[]);
    heard(provider)
}

/// A Conversation Chain with this memory that takes documents.
fn remembering(server: &Server, provider: &Provider, memory: &str, inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    let memory = drawing.card(memory, inputs);
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    server.flow_with(&drawing.text(), &documents(""))
}

fn chain(server: &Server, provider: &Provider) -> String {
    remembering(server, provider, "bufferMemory", json!({}))
}

#[test]
fn a_conversation_chain_is_told_the_document_of_an_earlier_question() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = chain(&server, &provider);
    assert_eq!(heard_later(&server, &provider, &flow), [TOLD, "And then?"]);
}

#[test]
fn a_tool_agent_is_told_the_document_of_an_earlier_question() {
    let (server, provider) = (Server::start(), Provider::start());
    let canvas = ProviderFormat::OpenAi.agent(&server, &provider.base_url());
    let flow = server.flow_with(&canvas, &documents(""));
    assert_eq!(heard_later(&server, &provider, &flow), [TOLD, "And then?"]);
}

#[test]
fn an_agent_that_has_its_conversation_in_one_text_is_told_the_document_there() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::text("<final_answer>Green.</final_answer>"));
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let (memory, calculator) =
        (drawing.card("bufferMemory", json!({})), drawing.card("calculator", json!({})));
    let agent = drawing.card("xmlAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&memory, &agent, "memory");
    drawing.wire(&calculator, &agent, "tools");
    let flow = server.flow_with(&drawing.text(), &documents(""));
    let heard = heard_later(&server, &provider, &flow);
    assert!(heard.len() == 1 && heard[0].contains(&format!("Human: {TOLD}")), "{heard:?}");
}

#[test]
fn an_llm_step_is_told_the_document_of_an_earlier_question() {
    let (server, provider) = (Server::start(), Provider::start());
    let inputs = with(provided_llm(&provider), json!({"llmEnableMemory": true}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    let flow = steps.flow_with(&server, documents(""));
    assert_eq!(heard_later(&server, &provider, &flow), [TOLD, "And then?"]);
}

#[test]
fn the_record_of_a_later_question_repeats_no_document_of_an_earlier_one() {
    let (server, provider) = (Server::start(), Provider::start());
    let inputs = with(provided_llm(&provider), json!({"llmEnableMemory": true}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    provider.set_decision(|_| Behaviour::text("Green."));
    let conversation = Conversation::begin(&server, &steps.flow_with(&server, documents("")), &sky());
    assert!(conversation.first["agentFlowExecutedData"].to_string().contains("The sky is green."));
    let later = conversation.ask("And then?", &[])["agentFlowExecutedData"].to_string();
    assert!(!later.contains("The sky is green."), "{later}");
    assert!(later.contains("[documents of this message]") && later.contains("Sum it up."), "{later}");
}

#[test]
fn an_agent_step_is_told_the_document_of_an_earlier_question() {
    let (server, provider) = (Server::start(), Provider::start());
    let llm = provided_llm(&provider);
    let inputs = json!({
        "agentModel": llm["llmModel"], "agentModelConfig": llm["llmModelConfig"], "agentEnableMemory": true,
    });
    let steps = Steps::begin().card("agentAgentflow_0", "Helper", inputs).edge(START, "agentAgentflow_0");
    let flow = steps.flow_with(&server, documents(""));
    assert_eq!(heard_later(&server, &provider, &flow), [TOLD, "And then?"]);
}

#[test]
fn a_document_that_the_service_read_is_told_again_as_it_was_told_first() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = chain(&server, &provider);
    let docx = samples::docx(&samples::paragraph("Call me Ishmael."));
    let mime = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let uploads = [upload("file", "moby.docx", mime, &docx), text("it's <b>.txt", "two")];
    let conversation = Conversation::begin(&server, &flow, &uploads);
    let first = heard(&provider);
    assert!(
        first[0].contains("Call me Ishmael.") && first[0].contains("'it_s _b_.txt'>two</doc>"),
        "{first:?}"
    );
    conversation.ask("And then?", &[]);
    assert_eq!(heard(&provider), [first[0].as_str(), "And then?"]);
}

#[test]
fn a_document_stays_in_its_own_conversation() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = chain(&server, &provider);
    Conversation::begin(&server, &flow, &sky());
    Conversation::begin(&server, &flow, &[]).ask("And then?", &[]);
    assert_eq!(heard(&provider), ["Sum it up.", "And then?"]);
}

#[test]
fn a_memory_that_all_share_tells_others_the_words_alone() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = remembering(&server, &provider, "bufferMemory", json!({"sessionId": "team"}));
    let first = Conversation::begin(&server, &flow, &sky());
    Conversation::begin(&server, &flow, &[]);
    assert_eq!(heard(&provider), ["Sum it up.", "Sum it up."]);
    first.ask("And then?", &[]);
    assert_eq!(heard(&provider), [TOLD, "Sum it up.", "And then?"]);
}

#[test]
fn the_newest_documents_are_told_while_there_is_room() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = chain(&server, &provider);
    let long = "x".repeat(700_000);
    let conversation = Conversation::begin(&server, &flow, &[text("a.txt", &long)]);
    conversation.ask("And this one?", &[text("b.txt", &long)]);
    conversation.ask("And then?", &[]);
    let heard = heard(&provider);
    assert_eq!(heard[0], "Sum it up.");
    assert!(heard[1].starts_with("<doc name='b.txt'>xxx") && heard[1].ends_with("\n\nAnd this one?"));
    assert_eq!(heard[2..], ["And then?"]);
}

#[test]
fn a_document_whose_file_is_gone_is_left_out() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = chain(&server, &provider);
    let conversation = Conversation::begin(&server, &flow, &sky());
    for path in stored_files(&server) {
        std::fs::remove_file(path).unwrap();
    }
    conversation.ask("And then?", &[]);
    assert_eq!(heard(&provider), ["Sum it up.", "And then?"]);
}

#[test]
fn a_window_that_a_question_left_holds_nothing_of_its_document() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = remembering(&server, &provider, "bufferWindowMemory", json!({"k": 1}));
    let conversation = Conversation::begin(&server, &flow, &sky());
    conversation.ask("And then?", &[]);
    assert_eq!(heard(&provider), [TOLD, "And then?"]);
    conversation.ask("And now?", &[]);
    assert_eq!(heard(&provider), ["And then?", "And now?"]);
}
