//! A member that asks a person before it runs tools.

use super::stage::{Stage, behind, end, start, turns};
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

fn cautious() -> Stage {
    Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let calculator = drawing.card("calculator", json!({}));
        let agent = drawing.card("seqAgent", json!({"agentName": "Ann", "interrupt": true}));
        drawing.wire(&calculator, &agent, "tools");
        behind(drawing, &begin, &agent);
        end(drawing, &agent);
    })
}

/// The answer that asks.
fn asked(stage: &Stage) -> Value {
    stage.script([
        Behaviour::call("calculator", json!({"input": "2+2"})),
        Behaviour::text("May I calculate?"),
    ]);
    stage.ask("2+2?").is(200).json()
}

#[test]
fn the_text_of_a_button_approves_or_declines() {
    let stage = cautious();
    let first = asked(&stage);
    assert_eq!(first["text"], "May I calculate?");
    let action = &first["action"];
    assert_eq!(action["mapping"]["approve"], "Yes");
    assert_eq!(action["mapping"]["toolCalls"][0]["name"], "calculator");
    assert_eq!(action["elements"][1], json!({"type": "reject-button", "label": "No"}));
    stage.script([Behaviour::text("Four.")]);
    let done = stage.go_on(&first, json!({"question": "Yes"})).is(200).json();
    assert_eq!((&done["text"], turns(&done)), (&json!("Four."), vec!["Ann"]));
    assert_eq!(done["agentReasoning"][0]["usedTools"][0]["toolOutput"], "4");
    assert!(done.get("action").is_none(), "{done}");
    let again = asked(&stage);
    stage.script([Behaviour::text("Then not.")]);
    let declined = stage.go_on(&again, json!({"question": "No"})).is(200).json();
    assert_eq!(
        (&declined["text"], &declined["agentReasoning"][0]["usedTools"]),
        (&json!("Then not."), &json!([]))
    );
    assert!(stage.heard().pop().unwrap().iter().any(|line| line.contains("declined")));
}

#[test]
fn an_action_is_answered_by_its_id_and_once() {
    let stage = cautious();
    let first = asked(&stage);
    let action = json!({"id": first["action"]["id"]});
    let other = stage.go_on(&first, json!({"question": "Perhaps", "action": action})).is_error(400);
    assert!(other.contains("'Yes' or 'No'"), "{other}");
    let unknown = json!({"question": "Yes", "action": {"id": "1a2b"}});
    assert_eq!(
        stage.go_on(&first, unknown).is_error(409),
        "There is nothing to answer in this conversation."
    );
    stage.script([Behaviour::text("Four.")]);
    let done = stage.go_on(&first, json!({ "action": action })).is(200).json();
    assert_eq!(done["text"], "Four.");
    stage.go_on(&first, json!({"question": "Yes", "action": action})).is_error(409);
    stage.server.ask(&stage.flow, &json!({"question": "Yes", "action": action})).is_error(409);
}

#[test]
fn another_question_is_a_question() {
    let stage = cautious();
    let first = asked(&stage);
    stage.script([Behaviour::text("Fine, thanks.")]);
    let next = stage.go_on(&first, json!({"question": "How are you?"})).is(200).json();
    assert_eq!(next["text"], "Fine, thanks.");
    stage.script([Behaviour::text("Yes what?")]);
    let late = stage.go_on(&first, json!({"question": "Yes"})).is(200).json();
    assert_eq!(late["text"], "Yes what?", "what was passed over waits no more");
}

#[test]
fn a_flow_that_changed_meanwhile_does_not_go_on() {
    let stage = cautious();
    let first = asked(&stage);
    let read = stage.server.read(&format!("/chatflows/{}", stage.flow));
    let changed = read["flowData"].as_str().unwrap().replace("\"Ann\"", "\"Bea\"");
    stage.server.put(&format!("/chatflows/{}", stage.flow), &json!({ "flowData": changed }));
    let told = stage.go_on(&first, json!({"question": "Yes"})).is_error(409);
    assert!(told.contains("changed since it asked"), "{told}");
}

#[test]
fn a_conversation_shows_buttons_only_while_they_wait() {
    let stage = cautious();
    let first = asked(&stage);
    let shown = || stage.server.messages(&stage.flow)[1]["action"].clone();
    assert_eq!(shown()["id"], first["action"]["id"]);
    stage.script([Behaviour::text("Four.")]);
    stage.go_on(&first, json!({"question": "Yes"})).is(200);
    assert_eq!(shown(), Value::Null);
}

#[test]
fn a_tool_node_asks_as_well() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let node = super::stage::llm(drawing, &begin, "Thinker", json!({}));
        let calculator = drawing.card("calculator", json!({}));
        let tools = drawing.card(
            "seqToolNode",
            json!({"toolNodeName": "Hands", "interrupt": true, "approveButtonText": "Do", "rejectButtonText": "Leave"}),
        );
        drawing.wire(&calculator, &tools, "tools");
        drawing.wire(&node, &tools, "llmNode");
        let back = drawing.card("seqLoop", json!({"loopToName": "Thinker"}));
        behind(drawing, &tools, &back);
    });
    let first = asked(&stage);
    assert_eq!(first["action"]["mapping"]["approve"], "Do");
    stage.script([Behaviour::text("Four.")]);
    let done = stage.go_on(&first, json!({"question": "Do"})).is(200).json();
    assert_eq!((&done["text"], turns(&done)), (&json!("Four."), vec!["Hands", "Thinker"]));
}
