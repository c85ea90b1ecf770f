//! Every way we thought of in which a flow of Dev could be wired wrongly here: it is told, or refused, and what becomes Live is
//! what was shown. This file: credentials, addresses, and what answers or starts otherwise.

use super::{Pair, input, saying};
use crate::agentflows::steps::{START, Steps, llm};
use crate::support::canvases::Drawing;
use crate::support::{Server, id};
use serde_json::{Value, json};

/// Codes of warnings after which the flow would fail.
const BLOCKING: &[&str] = &[
    "variable-missing",
    "tool-missing",
    "store-missing",
    "flow-missing",
    "harness-missing",
    "file-missing",
    "secret-missing",
];

/// The flow is shown with exactly these warnings; then it is promoted, and Live changed as was shown. Live's canvas.
#[track_caller]
pub fn goes_live(pair: &Pair, what: &str, flow: &str, codes: &[&str]) -> Value {
    let shown = pair.shown(flow);
    let warnings = shown["warnings"].as_array().unwrap();
    let mut found: Vec<&str> = warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, codes, "{what}: {}", shown["warnings"]);
    for warning in warnings {
        let code = warning["code"].as_str().unwrap();
        assert_eq!(warning["blocking"], BLOCKING.contains(&code), "{what}: {warning}");
        assert!(warning["message"].as_str().unwrap().ends_with('.'), "{what}: {warning}");
    }
    let answer = pair.promote_shown(flow, &shown).is(200).json();
    let sha = answer["version"]["sha"].as_str().unwrap();
    let became = pair.prod.read(&format!("/flow-versions/{flow}/{sha}/diff"));
    for part in ["added", "removed", "changed", "edgesChanged", "renamed"] {
        assert_eq!(became[part], shown["diff"][part], "{what}: {part}");
    }
    pair.live(flow)
}

/// The flow is not promoted, because this credential is not here; Live stays as it is.
#[track_caller]
fn is_refused(pair: &Pair, what: &str, flow: &str, credential: &str) {
    let record = || pair.prod.owner("GET", &format!("/chatflows/{flow}")).send();
    let (shown, before) = (pair.shown(flow), record().text());
    assert_eq!(shown["missingCredentials"].as_array().unwrap().len(), 1, "{what}: {shown}");
    for body in [
        json!({"sha": shown["version"]["sha"], "digest": shown["digest"]}),
        json!({"sha": shown["version"]["sha"]}),
    ] {
        let said = pair.promote_with(flow, &body).is_error(409);
        assert!(said.contains(credential), "{what}: {said}");
    }
    assert_eq!(record().text(), before, "{what}");
}

fn credential(server: &Server, name: &str, kind: &str) -> String {
    let field = if kind == "anthropicApi" { "anthropicApiKey" } else { "openAIApiKey" };
    let body = json!({"name": name, "credentialName": kind, "plainDataObj": {field: "k-123"}});
    id(&server.post("/credentials", &body))
}

/// A chain with an OpenAI card that has this credential and these inputs.
fn chat(credential: &str, inputs: &Value) -> String {
    let mut drawing = Drawing::default();
    let mut all = json!({"modelName": ""});
    for (name, value) in inputs.as_object().unwrap() {
        all[name] = value.clone();
    }
    let model = drawing.card("chatOpenAI", all);
    drawing.credential(&model, credential);
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.text()
}

/// The credential that the OpenAI card of a canvas has.
fn chosen(live: &Value) -> &Value {
    let nodes = live["nodes"].as_array().unwrap();
    &nodes.iter().find(|node| node["id"] == "chatOpenAI_0").unwrap()["data"]["credential"]
}

/// A flow of Dev that was read by Prod.
#[track_caller]
pub fn made(pair: &Pair, canvas: &str, fields: &Value) -> String {
    let flow = pair.dev.flow_with(canvas, fields);
    pair.read_dev();
    flow
}

#[test]
fn credentials_are_those_of_this_server_by_name_and_type() {
    let pair = Pair::start();
    let there = |name: &str| credential(&pair.dev, name, "openAIApi");
    let new = |name: &str| made(&pair, &chat(&there(name), &json!({})), &json!({}));

    let here = credential(&pair.prod, "one", "openAIApi");
    let live = goes_live(&pair, "one of the name and type", &new("one"), &[]);
    assert_eq!(*chosen(&live), here);

    credential(&pair.prod, "typed", "anthropicApi");
    is_refused(&pair, "same name, other type", &new("typed"), "'typed' (openAIApi)");

    let oldest = credential(&pair.prod, "two", "openAIApi");
    let later = credential(&pair.prod, "two", "openAIApi");
    let live = goes_live(&pair, "two of one name", &new("two"), &["credential-ambiguous"]);
    assert_eq!(*chosen(&live), oldest);
    assert_ne!(*chosen(&live), later);

    let renamed = credential(&pair.prod, "renamed", "openAIApi");
    pair.prod.put(&format!("/credentials/{renamed}"), &json!({"name": "otherwise"}));
    is_refused(&pair, "renamed here", &new("renamed"), "'renamed' (openAIApi)");

    let on_dev = there("before");
    credential(&pair.prod, "before", "openAIApi");
    pair.dev.put(&format!("/credentials/{on_dev}"), &json!({"name": "after"}));
    let flow = made(&pair, &chat(&on_dev, &json!({})), &json!({}));
    is_refused(&pair, "renamed on Dev", &flow, "'after' (openAIApi)");

    let workspace = pair.prod.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let elsewhere = pair.prod.new_workspace("Elsewhere");
    pair.prod.enter(&elsewhere);
    credential(&pair.prod, "elsewhere", "openAIApi");
    pair.prod.enter(&workspace);
    is_refused(&pair, "in another workspace", &new("elsewhere"), "'elsewhere' (openAIApi)");
}

#[test]
fn credentials_that_changed_here_since_are_told() {
    let pair = Pair::start();
    let there = credential(&pair.dev, "key", "openAIApi");
    let here = credential(&pair.prod, "key", "openAIApi");
    let flow = made(&pair, &chat(&there, &json!({})), &json!({}));
    goes_live(&pair, "first", &flow, &[]);
    let change = |temperature: &str| {
        pair.change_on_dev(&flow, &chat(&there, &json!({ "temperature": temperature })));
    };

    change("0.1");
    goes_live(&pair, "nothing was changed", &flow, &[]);

    change("0.2");
    let edit = json!({"plainDataObj": {"openAIApiKey": "k-999"}});
    pair.prod.put(&format!("/credentials/{here}"), &edit);
    goes_live(&pair, "edited", &flow, &["credential-edited"]);

    change("0.3");
    credential(&pair.prod, "key", "openAIApi");
    let live = goes_live(&pair, "a second one of the name", &flow, &["credential-ambiguous"]);
    assert_eq!(*chosen(&live), here, "the one in use stays");

    change("0.4");
    pair.prod.owner("DELETE", &format!("/credentials/{here}?force=true")).send().is(200);
    // Live has no credential now, which its versions do not know: what is shown is what changes, and not what they differ in.
    let shown = pair.shown(&flow);
    assert_eq!(shown["diff"]["changed"][0]["fields"], json!(["temperature", "credential"]), "{shown}");
    assert_eq!(shown["warnings"], json!([]));
    pair.promote_shown(&flow, &shown).is(200);
    let live = pair.live(&flow);
    assert_ne!(*chosen(&live), here);

    change("0.5");
    let left = chosen(&pair.live(&flow)).as_str().unwrap().to_owned();
    pair.prod.owner("DELETE", &format!("/credentials/{left}?force=true")).send().is(200);
    is_refused(&pair, "all were deleted", &flow, "'key' (openAIApi)");
}

#[test]
fn addresses_to_which_live_sends_nothing_are_told() {
    let pair = Pair::start();
    let there = credential(&pair.dev, "key", "openAIApi");
    credential(&pair.prod, "key", "openAIApi");
    let at = |address: &str| chat(&there, &json!({ "basepath": address }));
    let (one, other) = ("https://one.example.org/v1", "https://other.example.org/v1");

    let flow = made(&pair, &at(one), &json!({}));
    goes_live(&pair, "a new flow to an address that nobody uses", &flow, &["credential-address"]);
    let second = made(&pair, &at(one), &json!({}));
    goes_live(&pair, "a new flow to an address that another uses", &second, &[]);

    pair.change_on_dev(&flow, &at("https://one.example.org:443/v1/"));
    goes_live(&pair, "the same address, written otherwise", &flow, &[]);
    pair.change_on_dev(&second, &at(other));
    goes_live(&pair, "another address", &second, &["credential-address"]);
    pair.change_on_dev(&flow, &at(other));
    goes_live(&pair, "an address that only another flow uses", &flow, &["credential-address"]);
    pair.change_on_dev(&flow, &at(""));
    goes_live(&pair, "back to the provider's own", &flow, &[]);
    pair.change_on_dev(&flow, &at("{{$vars.where}}"));
    goes_live(&pair, "an address in a variable", &flow, &["credential-address", "variable-missing"]);
}

#[test]
fn credentials_of_cards_inside_of_steps_are_judged_too() {
    let pair = Pair::start();
    let there = credential(&pair.dev, "key", "openAIApi");
    let here = credential(&pair.prod, "key", "openAIApi");
    let canvas = |address: &str| {
        let config = json!({"modelName": "", "basepath": address, "FLOWISE_CREDENTIAL_ID": there});
        let inputs = json!({"llmModel": "chatOpenAI", "llmModelConfig": config});
        Steps::begin().card("llmAgentflow_0", "Answer", inputs).edge(START, "llmAgentflow_0").text()
    };
    let flow = made(&pair, &canvas(""), &json!({"type": "AGENTFLOW"}));
    let live = goes_live(&pair, "inside of a step", &flow, &[]);
    assert_eq!(input(&live, "llmAgentflow_0", "llmModelConfig")["FLOWISE_CREDENTIAL_ID"], here);
    pair.change_on_dev(&flow, &canvas("https://other.example.org/v1"));
    goes_live(&pair, "inside of a step, to another address", &flow, &["credential-address"]);
}

#[test]
fn private_addresses_that_live_does_not_call_are_told() {
    let pair = Pair::start();
    let canvas = |address: &str| {
        let mut drawing = Drawing::default();
        let model = drawing.card("chatOllama", json!({"modelName": "", "baseUrl": address}));
        let chain = drawing.card("conversationChain", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.text()
    };
    let flow = made(&pair, &canvas("http://10.1.2.3:11434"), &json!({}));
    goes_live(&pair, "a private number", &flow, &["address-private"]);
    pair.dev.put(&format!("/chatflows/{flow}"), &json!({"name": "Renamed"}));
    pair.read_dev();
    goes_live(&pair, "the one that Live calls", &flow, &[]);
    for (what, address) in [
        ("this machine", "http://localhost:11434"),
        ("a name of this network", "http://models.internal:80"),
        ("a name without a domain", "http://ollama:11434"),
        ("a number in IPv6", "http://[fd00::1]:1"),
    ] {
        pair.change_on_dev(&flow, &canvas(address));
        goes_live(&pair, what, &flow, &["address-private"]);
    }
    pair.change_on_dev(&flow, &canvas("https://models.example.org"));
    goes_live(&pair, "a public name", &flow, &[]);
}

#[test]
fn what_answers_otherwise_is_told() {
    let pair = Pair::start();
    let there = credential(&pair.dev, "key", "openAIApi");
    credential(&pair.prod, "key", "openAIApi");
    let asking = |model: &str| chat(&there, &json!({ "modelName": model }));
    let flow = made(&pair, &asking("small"), &json!({}));
    goes_live(&pair, "the first model", &flow, &["model-new"]);
    pair.change_on_dev(&flow, &asking("large"));
    goes_live(&pair, "another model", &flow, &["model-new"]);

    let coded = |code: &str, says: &str| {
        let mut drawing = Drawing::default();
        let model = drawing.card("chatScripted", json!({ "fallback": says }));
        let chain = drawing.card("conversationChain", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.card("customFunction", json!({ "javascriptFunction": code }));
        drawing.text()
    };
    let flow = made(&pair, &coded("return 1", "a"), &json!({}));
    goes_live(&pair, "new code", &flow, &["code-changed"]);
    pair.change_on_dev(&flow, &coded("return 1", "b"));
    goes_live(&pair, "the same code", &flow, &[]);
    pair.change_on_dev(&flow, &coded("return 2", "b"));
    goes_live(&pair, "other code", &flow, &["code-changed"]);

    let allowed = json!({"overrideConfig": {"status": true, "nodes": {"Scripted Chat Model": [{"name": "fallback", "enabled": true}]},
        "variables": [{"name": "region", "enabled": true}]}});
    let config = json!({"apiConfig": allowed.to_string(), "flowData": coded("return 2", "c")});
    pair.dev.put(&format!("/chatflows/{flow}"), &config);
    pair.read_dev();
    goes_live(&pair, "requests may set more on Dev", &flow, &["override-widened"]);
    let here = json!({"apiConfig": allowed.to_string()});
    pair.prod.put(&format!("/chatflows/{flow}"), &here);
    pair.change_on_dev(&flow, &coded("return 2", "d"));
    goes_live(&pair, "requests may set as much here", &flow, &[]);
}

#[test]
fn secrets_that_no_history_holds_are_kept_or_missed() {
    let pair = Pair::start();
    let (of_dev, of_prod) =
        ("sk-proj-aaaaaaaaaa0123456789ABCDEFabcdef", "sk-proj-bbbbbbbbbb0123456789ABCDEFabcdef");
    let canvas = |secret: &str, says: &str| {
        let mut drawing = Drawing::default();
        let model = drawing.card("chatScripted", json!({ "fallback": says }));
        let chain =
            drawing.card("conversationChain", json!({"systemMessagePrompt": format!("Use {secret} .")}));
        drawing.wire(&model, &chain, "model");
        drawing.text()
    };
    let flow = made(&pair, &canvas(of_dev, "a"), &json!({}));
    assert_eq!(pair.shown(&flow)["hiddenSecrets"], 1);
    let live = goes_live(&pair, "no value here", &flow, &["secret-missing"]);
    assert_eq!(*input(&live, "conversationChain_0", "systemMessagePrompt"), "Use [secret hidden] .");

    pair.prod.put(&format!("/chatflows/{flow}"), &json!({"flowData": canvas(of_prod, "a")}));
    pair.change_on_dev(&flow, &canvas(of_dev, "b"));
    let live = goes_live(&pair, "a value here", &flow, &["secret-kept"]);
    assert_eq!(*input(&live, "conversationChain_0", "systemMessagePrompt"), format!("Use {of_prod} ."));
    assert_eq!(*input(&live, "chatScripted_0", "fallback"), "b");
}

#[test]
fn what_would_start_the_flow_is_told() {
    let pair = Pair::start();
    let start = |inputs: Value, says: &str| {
        Steps::begin_with(inputs)
            .card("llmAgentflow_0", "Answer", llm(says))
            .edge(START, "llmAgentflow_0")
            .text()
    };
    let asked = |says: &str| start(json!({}), says);
    let timed = |cron: &str| json!({"startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": cron, "scheduleDefaultInput": "Go."});
    let called = json!({"startInputType": "webhookTrigger"});
    let agentflow = json!({"type": "AGENTFLOW"});

    let flow = made(&pair, &asked("a"), &agentflow);
    goes_live(&pair, "people ask it", &flow, &[]);
    pair.change_on_dev(&flow, &start(called.clone(), "a"));
    assert_eq!(pair.shown(&flow)["checkUnavailable"]["code"], "start");
    goes_live(&pair, "calls start it", &flow, &["webhook-opens"]);
    pair.change_on_dev(&flow, &start(called, "b"));
    goes_live(&pair, "calls start it as before", &flow, &[]);
    pair.change_on_dev(&flow, &start(timed("0 9 * * *"), "b"));
    goes_live(&pair, "a schedule starts it", &flow, &["schedule-starts"]);
    pair.change_on_dev(&flow, &start(timed("0 9 * * *"), "c"));
    goes_live(&pair, "the same schedule", &flow, &[]);
    pair.change_on_dev(&flow, &start(timed("30 9 * * *"), "c"));
    goes_live(&pair, "another schedule", &flow, &["schedule-starts"]);
    let switch = json!({"enabled": false});
    pair.prod.owner("PATCH", &format!("/chatflows/{flow}/schedule/enabled")).json(&switch).send().is(200);
    pair.change_on_dev(&flow, &start(timed("0 7 * * *"), "c"));
    goes_live(&pair, "a schedule that is switched off here", &flow, &[]);
}

#[test]
fn a_flow_without_anything_of_the_workspace_goes_live_without_a_word() {
    let (pair, flow) = Pair::with_flow();
    goes_live(&pair, "new", &flow, &[]);
    pair.change_on_dev(&flow, &saying("two"));
    goes_live(&pair, "update", &flow, &[]);
}
