//! Steps that may do something to the world are run only by those who say so.

use super::{end, post, save_draft, setup, start};
use crate::agentflows::steps::{START, Steps, function, llm, reply};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use serde_json::{Value, json};

fn canvas(code: &str) -> String {
    Steps::begin()
        .card("customFunctionAgentflow_0", "Count it", function(code, &[]))
        .card("directReplyAgentflow_0", "Say it", reply("{{ customFunctionAgentflow_0 }}"))
        .chain(&[START, "customFunctionAgentflow_0", "directReplyAgentflow_0"])
        .text()
}

#[test]
fn a_risky_step_is_named_and_run_where_the_caller_says_so() {
    let server = Server::start();
    let flow = server.flow_with(&canvas("return 'one';"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("return 'two';"));
    let step = json!({"id": "customFunctionAgentflow_0", "label": "Count it"});
    assert_eq!(setup(&server, &flow)["riskySteps"], json!([step]));
    let told = post(&server, &flow, &json!({"questions": ["a"]})).is_error(409);
    assert!(told.contains("Count it") && told.contains("includeRiskySteps: true"), "{told}");
    let begun = start(&server, &flow, &json!({"questions": ["a"], "includeRiskySteps": true}));
    let done = end(&server, &flow, &begun);
    let case = &done["cases"][0];
    assert_eq!((&case["live"]["text"], &case["draft"]["text"]), (&json!("one"), &json!("two")), "{case}");
    assert_eq!(done["includeRiskySteps"], true);
}

#[test]
fn a_step_of_live_alone_and_post_processing_are_risky_too() {
    let server = Server::start();
    let code =
        json!({"postProcessing": {"enabled": true, "customFunction": "\"return $flow.rawOutput + '!';\""}});
    let flow = server.flow_with(
        &scripted_flow_with(json!({"fallback": "a"})),
        &json!({"chatbotConfig": code.to_string()}),
    );
    save_draft(&server, &flow, &scripted_flow_with(json!({"fallback": "b"})));
    let labels = |server: &Server, flow: &str| -> Vec<Value> {
        let steps = setup(server, flow)["riskySteps"].clone();
        steps.as_array().unwrap().iter().map(|step| step["label"].clone()).collect()
    };
    assert_eq!(labels(&server, &flow), ["Post-processing"]);
    let begun = start(&server, &flow, &json!({"questions": ["q"], "includeRiskySteps": true}));
    let case = &end(&server, &flow, &begun)["cases"][0];
    assert_eq!((&case["live"]["text"], &case["draft"]["text"]), (&json!("a!"), &json!("b!")));

    let safe = Steps::begin().card("llmAgentflow_0", "Answer", llm("a")).edge(START, "llmAgentflow_0").text();
    let flow = server.flow_with(&canvas("return 'one';"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &safe);
    assert_eq!(labels(&server, &flow), ["Count it"]);
}
