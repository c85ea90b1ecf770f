//! Pictures of questions and replies, as the models of an agentflow see them then and later (manual 16.2 r7).

use super::pictures::{PICTURE, drawing, seeing, vision};
use crate::agentflows::steps::{START, Steps, ask, question, with};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::tools::with_web;
use serde_json::{Value, json};

/// One transparent pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const WRITER: &str = "llmAgentflow_0";

fn pixel() -> Value {
    json!({"type": "file", "name": "pixel.png", "mime": "image/png", "data": format!("data:image/png;base64,{PIXEL}")})
}

/// An LLM whose model may read pictures.
fn writer(server: &Server, model: &Provider) -> Value {
    json!({"llmModel": "chatAnthropic", "llmModelConfig": vision(server, model, true), "llmEnableMemory": true})
}

/// The texts and pictures of a request in their order, a picture as its bytes in base64.
fn told(request: &RecordedRequest) -> Vec<String> {
    let part = |part: &Value| match part["type"].as_str() {
        Some("text") => Some(part["text"].as_str().unwrap().to_owned()),
        Some("image") => Some(part["source"]["data"].as_str().unwrap().to_owned()),
        _ => None,
    };
    let parts = |message: &Value| match &message["content"] {
        Value::String(text) => vec![text.clone()],
        content => content.as_array().unwrap().iter().filter_map(part).collect(),
    };
    request.body["messages"].as_array().unwrap().iter().flat_map(parts).collect()
}

/// Asks on in a conversation.
fn ask_on(server: &Server, flow: &str, before: &Value, mut body: Value) -> Value {
    body["chatId"] = before["chatId"].clone();
    body["sessionToken"] = before["sessionToken"].clone();
    server.ask(flow, &body).is(200).json()
}

/// A question with a picture, and the model that it went to.
fn asked_with_picture(server: &Server, model: &Provider, steps: &Steps) -> (String, Value) {
    model.set_decision(|_| Behaviour::text("A pixel."));
    let flow = steps.flow(server);
    let body = json!({"question": "What is it?", "uploads": [pixel()]});
    let answer = server.ask(&flow, &body).is(200).json();
    (flow, answer)
}

#[test]
fn a_picture_that_is_sent_to_an_agentflow_reaches_its_model() {
    let (server, model) = (Server::start(), Provider::start());
    let steps = Steps::begin().card(WRITER, "Writer", writer(&server, &model)).edge(START, WRITER);
    let (_, answer) = asked_with_picture(&server, &model, &steps);
    assert_eq!(answer["text"], "A pixel.");
    assert_eq!(told(&model.last_request()), ["What is it?", PIXEL]);
}

#[test]
fn a_picture_of_an_earlier_question_goes_along_with_it_in_its_own_conversation_alone() {
    let (server, model) = (Server::start(), Provider::start());
    let steps = Steps::begin().card(WRITER, "Writer", writer(&server, &model)).edge(START, WRITER);
    let (flow, first) = asked_with_picture(&server, &model, &steps);
    ask_on(&server, &flow, &first, json!({"question": "And?"}));
    assert_eq!(told(&model.last_request()), ["What is it?", PIXEL, "A pixel.", "And?"]);
    ask(&server, &flow, "And?");
    assert_eq!(told(&model.last_request()), ["And?"]);
}

#[test]
fn a_later_model_of_the_run_is_shown_the_picture_of_its_question() {
    let (server, model) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card(WRITER, "One", writer(&server, &model))
        .card("llmAgentflow_1", "Two", writer(&server, &model))
        .chain(&[START, WRITER, "llmAgentflow_1"]);
    asked_with_picture(&server, &model, &steps);
    assert_eq!(told(&model.last_request()), ["What is it?", PIXEL, "A pixel."]);
}

#[test]
fn the_picture_of_a_question_outlives_a_pause_for_a_person() {
    let (server, model) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card(WRITER, "One", writer(&server, &model))
        .card("humanInputAgentflow_0", "Person", question("Well?"))
        .card("llmAgentflow_1", "Two", writer(&server, &model))
        .chain(&[START, WRITER, "humanInputAgentflow_0"])
        .choice("humanInputAgentflow_0", 0, "llmAgentflow_1");
    let (flow, first) = asked_with_picture(&server, &model, &steps);
    ask_on(&server, &flow, &first, json!({"humanInput": {"type": "proceed"}}));
    assert_eq!(told(&model.last_request())[..3], ["What is it?", PIXEL, "A pixel."]);
}

/// An Agent whose tool draws, and the answer to its first question.
fn drawn(
    more: impl FnOnce(Steps, &Server, &Provider) -> Steps,
) -> (Server, Provider, Provider, String, Value) {
    let (server, web) = with_web();
    web.set_decision(drawing);
    let model = Provider::start();
    model.push_behaviour(Behaviour::call("weather", json!({"city": "Ulm"})));
    model.push_behaviour(Behaviour::text("It rains."));
    model.push_behaviour(Behaviour::text("Still."));
    let flow = more(seeing(&server, &web, &model, true), &server, &model).flow(&server);
    let answer = ask(&server, &flow, "How is it?");
    (server, web, model, flow, answer)
}

const LEAD: &str = "Pictures that belong to the reply above:";

#[test]
fn a_picture_that_an_agent_made_goes_along_with_its_earlier_reply() {
    let (server, _web, model, flow, first) = drawn(|steps, _, _| steps);
    ask_on(&server, &flow, &first, json!({"question": "And now?"}));
    assert_eq!(told(&model.last_request()), ["How is it?", "It rains.", LEAD, PICTURE.1, "And now?"]);
}

#[test]
fn a_later_model_of_the_run_is_shown_what_an_agent_made() {
    for (memory, expected) in
        [(true, vec!["How is it?", "It rains.", PICTURE.1]), (false, vec!["Describe it.", PICTURE.1])]
    {
        let (_server, _web, model, ..) = drawn(|steps, server, model| {
            let rows = json!([{"role": "user", "content": "Describe it."}]);
            let own =
                json!({"llmEnableMemory": memory, "llmMessages": if memory { json!([]) } else { rows }});
            steps.card(WRITER, "Writer", with(writer(server, model), own)).edge("agentAgentflow_0", WRITER)
        });
        assert_eq!(told(&model.last_request()), expected, "memory {memory}");
    }
}

#[test]
fn a_model_that_may_not_read_pictures_is_shown_none_of_them() {
    let (_server, _web, model, ..) = drawn(|steps, server, model| {
        let blind = json!({
            "llmModel": "chatAnthropic", "llmModelConfig": vision(server, model, false), "llmEnableMemory": true,
        });
        steps.card(WRITER, "Writer", blind).edge("agentAgentflow_0", WRITER)
    });
    assert_eq!(told(&model.last_request()), ["How is it?", "It rains."]);
}
