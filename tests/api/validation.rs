//! What is wrong with flows, told before anybody asks them (manual 5.10).

use crate::flows::make;
use crate::support::canvases::{Drawing, scripted_flow, with_provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

#[test]
fn what_is_wrong_with_a_canvas_is_listed_by_card() {
    let server = Server::start();
    let fine = server.flow(&scripted_flow());
    assert_eq!(server.read(&format!("/validation/{fine}")), json!([]));
    let broken = scripted_flow().replace("{{chatScripted_0.data.instance}}", "");
    let found = server.read(&format!("/validation/{}", server.flow(&broken)));
    let texts = found.to_string();
    assert!(texts.contains("Conversation Chain") && texts.contains("needs a connection"), "{texts}");
    // Before the first Publish there is only a draft.
    let drafted = id(&make(&server, json!({"flowData": broken, "publishInstantly": false})));
    for of_draft in ["", "?source=draft"] {
        let of_draft = server.read(&format!("/validation/{drafted}{of_draft}")).to_string();
        assert!(of_draft.contains("needs a connection"), "{of_draft}");
    }
    let of_live = server.read(&format!("/validation/{drafted}?source=live")).to_string();
    assert!(
        of_live.contains("The flow has no cards.") && !of_live.contains("needs a connection"),
        "{of_live}"
    );
    server.owner("GET", &format!("/validation/{drafted}?source=other")).send().is_error(400);
}

#[test]
fn a_flow_that_ends_in_a_card_without_an_answer_is_a_problem_of_that_card() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let last = drawing.card("calculator", json!({}));
    let found = server.read(&format!("/validation/{}", server.flow(&drawing.text())));
    assert_eq!((&found[0]["id"], &found[0]["blocks"]), (&json!(last), &json!(true)), "{found}");
    let told = found[0]["issues"][0].as_str().unwrap();
    assert_eq!(
        told,
        "The flow ends in 'Calculator', which cannot answer: connect it to a chain or an agent."
    );
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn a_team_without_workers_is_a_problem_of_its_supervisor() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let supervisor = drawing.card("supervisor", json!({}));
    let flow = server.flow_with(&drawing.text(), &json!({"type": "MULTIAGENT"}));
    let found = server.read(&format!("/validation/{flow}"));
    assert_eq!((&found[0]["id"], &found[0]["blocks"]), (&json!(supervisor), &json!(true)), "{found}");
    assert!(found.to_string().contains("has no Worker"), "{found}");
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn json_of_another_form_than_its_card_reads_is_named() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"baseOptions": {"x-team": {"name": "a"}}}));
    let prompt = drawing.card("promptTemplate", json!({"template": "{a}", "promptValues": "[1]"}));
    let parser = drawing.card("structuredOutputParser", json!({"jsonStructure": [{"property": 1}]}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.wire(&parser, &chain, "outputParser");
    let told =
        |drawing: &Drawing| server.read(&format!("/validation/{}", server.flow(&drawing.text()))).to_string();
    let found = told(&drawing);
    for wrong in [
        "Base Options must be an object whose values are texts.",
        "Format Prompt Values must be a JSON object.",
        "JSON Structure must be a list of objects with the texts property, type, description.",
    ] {
        assert!(found.contains(wrong), "{found}");
    }
    drawing.set(&model, "baseOptions", json!("{\"x-team\": \"a\", \"x-tries\": 3}"));
    drawing.set(&prompt, "promptValues", json!("{\"a\": \"{{question}}\"}"));
    drawing.set(
        &parser,
        "jsonStructure",
        json!([{"property": "answer", "type": "string", "description": ""}]),
    );
    let fine = told(&drawing);
    assert!(!fine.contains("must be"), "{fine}");
    drawing.set(&prompt, "promptValues", json!("{\"a\": "));
    assert!(told(&drawing).contains("Format Prompt Values must be JSON."));
}

#[test]
fn a_card_says_which_form_its_json_has() {
    let server = Server::start();
    let schema = |card: &str, input: &str| {
        let inputs = server.read(&format!("/nodes/{card}"))["inputs"].as_array().unwrap().clone();
        inputs.into_iter().find(|found| found["name"] == input).unwrap()["schema"].clone()
    };
    let texts = json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}});
    assert_eq!(schema("chatOpenAI", "baseOptions"), texts);
    assert_eq!(schema("promptTemplate", "promptValues"), json!({"type": "object"}));
    assert_eq!(schema("chatOpenAI", "modelName"), Value::Null);
}

#[test]
fn what_cannot_run_is_told_by_validation_and_publish_alike() {
    let server = Server::start();
    let mut no_steps = Drawing::default();
    no_steps.card("calculator", json!({}));
    let no_steps = no_steps.text();
    let drafted =
        id(&make(&server, json!({"type": "AGENTFLOW", "flowData": no_steps, "publishInstantly": false})));
    let before = server.read(&format!("/validation/{drafted}"));
    let answer = server.owner("POST", &format!("/flow-drafts/{drafted}/publish")).send().is(200).json();
    assert_eq!(answer["problems"], before, "Publish says what validation said");
    assert_eq!(before[0]["blocks"], true, "{before}");
}

#[test]
fn a_card_that_is_refused_says_why_and_what_to_use() {
    let server = Server::start();
    let refused = [
        ("writeFile", "Requests POST"),
        ("readFile", "Folder with Files"),
        ("codeInterpreterE2B", "Custom Tool"),
        ("pythonInterpreter", "CSV Agent"),
    ];
    for (name, instead) in refused {
        let mut drawing = Drawing::default();
        let tool = drawing.card("calculator", json!({}));
        let model = drawing.card("chatScripted", json!({}));
        let agent = drawing.card("toolAgent", json!({}));
        drawing.wire(&model, &agent, "model");
        drawing.wire(&tool, &agent, "tools");
        let canvas = drawing.text().replace("\"name\":\"calculator\"", &format!("\"name\":\"{name}\""));
        let flow = server.flow(&canvas);
        let told = server.read(&format!("/validation/{flow}"));
        let issues = told[0]["issues"].as_array().unwrap();
        assert!(issues.len() == 1 && told[0]["blocks"] == true, "{told}");
        let why = issues[0].as_str().unwrap();
        assert!(why.contains(" is refused here: ") && why.contains(instead), "{why}");
        assert_eq!(server.ask(&flow, &json!({"question": "Hi"})).is_error(500), why);
    }
}

#[test]
fn a_credential_that_is_gone_or_of_another_type_is_listed_too() {
    let server = Server::start();
    let (_provider, flow) = with_provider(&server);
    let problems = || server.read(&format!("/validation/{flow}")).to_string();
    assert_eq!(problems(), "[]");
    let right = id(&server.read("/credentials")[0]);
    let fields = json!({"anthropicApiKey": "sk-ant-1"});
    let other = json!({"name": "Other", "credentialName": "anthropicApi", "plainDataObj": fields});
    let other = id(&server.post("/credentials", &other));
    let canvas = server.read(&format!("/chatflows/{flow}"))["flowData"].as_str().unwrap().to_owned();
    let swapped = json!({ "flowData": canvas.replace(&right, &other) });
    server.put(&format!("/chatflows/{flow}"), &swapped);
    assert!(problems().contains("its credential is of the type Anthropic API"), "{}", problems());
    server.owner("DELETE", &format!("/credentials/{other}?force=true")).send().is(200);
    assert!(problems().contains("no longer exists"), "{}", problems());
}

#[test]
fn a_canvas_that_is_being_drawn_is_judged_and_stored_nowhere() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let judge = |canvas: &str| {
        server.owner("POST", &format!("/validation/{flow}")).json(&json!({ "flowData": canvas })).send()
    };
    let broken = scripted_flow().replace("{{chatScripted_0.data.instance}}", "");
    let drawn = judge(&broken).is(200).json();
    assert!(drawn.to_string().contains("needs a connection"), "{drawn}");
    assert_eq!(judge(&scripted_flow()).is(200).json(), json!([]));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]), "what is stored is as it was");
    assert_eq!(server.read(&format!("/flow-drafts/{flow}"))["draft"], Value::Null);
    // Once it is stored, both say the same.
    server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": broken }));
    assert_eq!(server.read(&format!("/validation/{flow}")), drawn);
    for bad in ["", "no canvas", "[]"] {
        judge(bad).is_error(400);
    }
    server.owner("POST", &format!("/validation/{flow}")).json(&json!({})).send().is_error(400);
}
