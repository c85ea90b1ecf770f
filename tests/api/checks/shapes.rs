//! Answers whose shape the flow declares: one that does not have it is a change, whatever its words.

use super::{end, save_draft, start};
use crate::agentflows::steps::{START, Steps, openai_llm, with};
use crate::support::Server;
use crate::support::canvases::Drawing;
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};

const LOST: &str = "Live answers with JSON of the shape that the flow declares, the draft does not.";

/// Checks the flow, whose draft has lost the shape.
fn assert_lost_shape(server: &Server, flow: &str, body: &Value) {
    let done = end(server, flow, &start(server, flow, body));
    let case = &done["cases"][0];
    assert_eq!(
        (&done["summary"]["reportsChange"], &case["verdict"]),
        (&json!(true), &json!("changed")),
        "{done}"
    );
    let lost = json!({"code": "structure", "message": LOST});
    assert!(case["why"].as_array().unwrap().contains(&lost), "{case}");
}

#[test]
fn a_step_whose_answer_misses_its_keys_and_whose_failure_is_caught_has_lost_the_shape() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|request| match request.body.to_string().contains("draft-model") {
        true => Behaviour::text("About a month."),
        false => Behaviour::call("give_answer", json!({"days": 30})),
    });
    let canvas = |model: &str| {
        let keys = json!([{"key": "days", "type": "number", "description": "How many days."}]);
        let caught = json!({"llmStructuredOutput": keys, "onError": "branch"});
        Steps::begin()
            .card("llmAgentflow_0", "Answer", with(openai_llm(&provider.base_url(), model), caught))
            .card("directReplyAgentflow_0", "Sorry", json!({"directReplyMessage": "Please ask again."}))
            .edge(START, "llmAgentflow_0")
            .error_edge("llmAgentflow_0", "directReplyAgentflow_0")
            .text()
    };
    let flow = server.flow_with(&canvas("live-model"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("draft-model"));
    assert_lost_shape(&server, &flow, &json!({"questions": ["How long?"], "control": true}));
}

#[test]
fn code_that_makes_text_of_a_parsed_answer_has_lost_the_shape() {
    let server = Server::start();
    let canvas = |days: u32| {
        let mut drawing = Drawing::default();
        let model = drawing.card("chatScripted", json!({"fallback": json!({"answer": days}).to_string()}));
        let rows = json!([{"property": "answer", "type": "number", "description": "Days."}]).to_string();
        let parser = drawing.card("structuredOutputParser", json!({"jsonStructure": rows}));
        let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
        let chain = drawing.card("llmChain", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&prompt, &chain, "prompt");
        drawing.wire(&parser, &chain, "outputParser");
        drawing.text()
    };
    let code = r#"return $flow.rawOutput.includes("14") ? "Two weeks." : null;"#;
    let config = json!({"postProcessing": {"enabled": true, "customFunction": json!(code).to_string()}});
    let flow = server.flow_with(&canvas(30), &json!({"chatbotConfig": config.to_string()}));
    save_draft(&server, &flow, &canvas(14));
    assert_lost_shape(&server, &flow, &json!({"questions": ["How long?"], "includeRiskySteps": true}));
}
