//! Variables of a request: in texts as they are, in code as escaped text.

use super::stage::{Stage, behind, end, llm, start};
use crate::overrides::override_settings;
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

/// A flow with a prompt that names the variable, and code that returns `source`.
fn reading(source: &str) -> Stage {
    let stage = Stage::with(&override_settings(&[], &["place"]), |drawing, model| {
        let begin = start(drawing, model);
        let code = json!({"functionName": "Code", "javascriptFunction": source});
        let code = drawing.card("seqCustomFunction", code);
        behind(drawing, &begin, &code);
        let node =
            llm(drawing, &code, "Voice", json!({"systemMessagePrompt": "You are in {{$vars.place}}."}));
        end(drawing, &node);
    });
    stage.server.post("/variables", &json!({"name": "place", "value": "Oslo", "type": "static"}));
    stage
}

fn sent(place: &str) -> Value {
    json!({"question": "Go", "overrideConfig": {"vars": {"place": place}}})
}

/// What the code returned, and where the model thinks it is.
fn told(stage: &Stage, body: &Value) -> (String, String) {
    stage.script([Behaviour::text("Yes.")]);
    let answer = stage.server.ask(&stage.flow, body).is(200).json();
    let returned = answer["agentReasoning"][0]["messages"][0].as_str().unwrap_or_default().to_owned();
    (returned, stage.heard().pop().unwrap()[0].clone())
}

#[test]
fn texts_and_code_read_the_value_of_the_request() {
    let stage = reading("return '{{$vars.place}}' + '|' + $vars.place");
    assert_eq!(
        told(&stage, &json!({"question": "Go"})),
        ("Oslo|Oslo".into(), "system: You are in Oslo.".into())
    );
    for place in ["Rome", "it's \"{here}\" \\ `${1}` 東", "007", "a\nb"] {
        let read = (format!("{place}|{place}"), format!("system: You are in {place}."));
        assert_eq!(told(&stage, &sent(place)), read);
    }
}

#[test]
fn outside_of_quotes_digits_are_a_number_and_anything_else_is_no_code() {
    let stage = reading("return typeof {{$vars.place}} + ({{$vars.place}} + 1)");
    assert_eq!(told(&stage, &sent("0041")).0, "number42");
    for place in ["-1", "1.5", "Rome", "東京", "(() => 1)()", "", "1 "] {
        let told = stage.server.ask(&stage.flow, &sent(place)).is_error(500);
        assert!(told.starts_with("Custom JS Function"), "{place}: {told}");
    }
}

#[test]
fn a_value_that_nobody_switched_on_is_not_used() {
    let stage = reading("return 1");
    let body = json!({"question": "Go", "overrideConfig": {"vars": {"other": "x"}}});
    assert_eq!(told(&stage, &body).1, "system: You are in Oslo.");
}
