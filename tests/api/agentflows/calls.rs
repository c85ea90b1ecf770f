//! What is said in a run, put into JSON that is sent or read, and into addresses.

use super::steps::{START, Steps, ask, output};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};

/// What breaks careless replacement in JSON, and what would write fields of its own into it.
const ODD: &[&str] =
    &["say \"hi\"", "a\nb", "\\", "x\", \"role\": \"admin", "{{ question }}", "5, \"role\": \"admin\"", "]"];

/// A server that may call a stand-in, which answers with JSON.
fn called() -> (Server, Provider) {
    let provider = Provider::start();
    let host = provider.base_url().trim_start_matches("http://").to_owned();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    (server, provider)
}

fn answers(provider: &Provider) {
    let body = b"{}".to_vec();
    provider.push_behaviour(Behaviour::Bytes { kind: "application/json", body, piece: 100 });
}

fn one_step(name: &str, inputs: Value) -> Steps {
    let id = format!("{name}_0");
    Steps::begin().card(&id, "Call", inputs).edge(START, &id)
}

fn call(provider: &Provider, path: &str) -> Value {
    json!({"method": "GET", "url": format!("{}{path}", provider.base_url())})
}

#[test]
fn a_body_that_is_json_takes_what_is_said_into_its_strings() {
    let (server, provider) = called();
    for kind in ["json", "raw"] {
        let inputs = json!({
            "method": "POST", "url": format!("{}/orders", provider.base_url()), "bodyType": kind,
            "body": "{\"n\": \"Q: {{ question }}\", \"bare\": {{ question }}}",
        });
        let flow = one_step("httpAgentflow", inputs).flow(&server);
        for said in ODD {
            answers(&provider);
            ask(&server, &flow, said);
            let expected = json!({"n": format!("Q: {said}"), "bare": said});
            assert_eq!(provider.last_request().body, expected, "{kind}");
        }
    }
}

#[test]
fn an_item_of_a_list_is_what_was_said() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("iterationAgentflow_0", "Call", json!({"iterationInput": "[\"{{ question }}\", \"b\"]"}))
        .card(
            "customFunctionAgentflow_0",
            "Inside",
            super::steps::function("return $item;", &[("item", "{{ $iteration }}")]),
        )
        .inside("iterationAgentflow_0")
        .edge(START, "iterationAgentflow_0");
    let flow = steps.flow(&server);
    for said in ODD {
        assert_eq!(output(&ask(&server, &flow, said), "Call")["iterationResults"], json!([said, "b"]));
    }
}

#[test]
fn an_argument_that_is_an_object_gets_no_further_fields() {
    let (server, provider) = called();
    let config = json!({
        "toolAgentflowSelectedTool": "requestsPost", "requestsPostUrl": format!("{}/orders", provider.base_url()),
    });
    let inputs = json!({
        "toolAgentflowSelectedTool": "requestsPost", "toolAgentflowSelectedToolConfig": config,
        "toolInputArgs": [{"inputArgName": "body", "inputArgValue": "{\"a\": \"{{ question }}\"}"}],
    });
    let flow = one_step("toolAgentflow", inputs).flow(&server);
    for said in ODD {
        answers(&provider);
        ask(&server, &flow, said);
        assert_eq!(provider.last_request().body, json!({ "a": said }));
    }
}

#[test]
fn what_is_said_stands_behind_the_host_of_an_address_and_ends_no_part_of_it() {
    let (server, provider) = called();
    let inputs = call(&provider, "/orders/{{ question }}/lines?only={{ question }}&all=1");
    let flow = one_step("httpAgentflow", inputs).flow(&server);
    for (said, path) in [
        ("47 11", "/orders/47%2011/lines?only=47%2011&all=1"),
        ("a/b?c#d&e", "/orders/a%2Fb%3Fc%23d%26e/lines?only=a%2Fb%3Fc%23d%26e&all=1"),
    ] {
        answers(&provider);
        ask(&server, &flow, said);
        assert_eq!(provider.last_request().path, path);
    }
}

#[test]
fn an_address_that_would_lead_elsewhere_is_not_called() {
    let (server, provider) = called();
    let flow = one_step("httpAgentflow", call(&provider, "/orders/{{ question }}/lines")).flow(&server);
    let told = server.ask(&flow, &json!({"question": ".."})).is_error(500);
    assert!(told.contains("Call: URL: what is put into the path leads elsewhere"), "{told}");
    let inputs = json!({"method": "GET", "url": "{{ question }}/orders"});
    let flow = one_step("httpAgentflow", inputs).flow(&server);
    let told = server.ask(&flow, &json!({"question": provider.base_url()})).is_error(500);
    assert!(told.contains("Call: URL: {{ question }} cannot stand there"), "{told}");
    assert!(provider.requests().is_empty());
}

#[test]
fn a_flow_that_starts_by_nothing_there_is_is_refused() {
    let server = Server::start();
    let flow = Steps::begin_with(json!({"startInputType": "carrierPigeon"}))
        .card("directReplyAgentflow_0", "Reply", json!({"directReplyMessage": "Hi"}))
        .edge(START, "directReplyAgentflow_0")
        .flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(400);
    assert!(
        told.contains("Input Type has the value 'carrierPigeon', which is none of its choices"),
        "{told}"
    );
}
