//! A supervisor and its workers.

use super::stage::{Stage, turns};
use crate::support::canvases::Drawing;
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

fn team(drawing: &mut Drawing, model: &str, supervisor: Value, workers: &[&str]) -> String {
    let supervisor = drawing.card("supervisor", supervisor);
    drawing.wire(model, &supervisor, "model");
    for name in workers {
        let worker =
            drawing.card("worker", json!({"workerName": name, "workerPrompt": format!("You are {name}.")}));
        drawing.wire(&supervisor, &worker, "supervisor");
    }
    supervisor
}

fn route(next: &str, instructions: &str) -> Behaviour {
    Behaviour::call("route", json!({"reasoning": "So.", "next": next, "instructions": instructions}))
}

#[test]
fn a_supervisor_has_its_workers_work_until_it_finishes() {
    let stage = Stage::new(|drawing, model| drop(team(drawing, model, json!({}), &["Old Writer", "Critic"])));
    stage.script([
        route("old_writer", "Write a line."),
        Behaviour::text("Roses are red."),
        route("critic", "Judge it."),
        Behaviour::text("It is fine."),
        route("FINISH", ""),
    ]);
    let answer = stage.ask("A poem, please").is(200).json();
    assert_eq!(answer["text"], "It is fine.");
    assert_eq!(turns(&answer), ["Supervisor", "Old Writer", "Supervisor", "Critic", "Supervisor"]);
    let first = &answer["agentReasoning"][0];
    assert_eq!((&first["next"], &first["instructions"]), (&json!("old_writer"), &json!("Write a line.")));
    assert_eq!(answer["isStreamValid"], false);
    assert!(answer["chatMessageId"].is_string() && answer.get("usedTools").is_none(), "{answer}");
    let heard = stage.heard();
    assert_eq!(heard[1], ["system: You are Old Writer.", "user: A poem, please", "user: Write a line."]);
    assert!(heard[4].contains(&"user: Critic: It is fine.".to_owned()), "{heard:?}");
}

#[test]
fn a_stream_tells_of_turns_before_the_answer_begins() {
    let stage = Stage::new(|drawing, model| drop(team(drawing, model, json!({}), &["Writer"])));
    stage.script([route("writer", "Write."), Behaviour::text("Done."), route("FINISH", "")]);
    let body = json!({"question": "Go", "streaming": true});
    let answer = stage.server.ask(&stage.flow, &body);
    let names = answer.event_names();
    assert_eq!(
        names,
        [
            "agentReasoning",
            "nextAgent",
            "agentReasoning",
            "nextAgent",
            "agentReasoning",
            "start",
            "token",
            "usedTools",
            "sourceDocuments",
            "artifacts",
            "metadata",
            "end",
        ]
    );
    assert_eq!(answer.streamed_text(), "Done.");
    for list in ["usedTools", "sourceDocuments", "artifacts"] {
        assert_eq!(answer.event(list), json!([]), "{list}");
    }
}

#[test]
fn a_summary_is_the_answer_where_the_supervisor_writes_one() {
    let draw = |drawing: &mut Drawing, model: &str| {
        drop(team(drawing, model, json!({"summarization": true}), &["Writer"]));
    };
    let stage = Stage::new(draw);
    let step = |next: &str, summary: &str| {
        Behaviour::call(
            "route",
            json!({"reasoning": "", "next": next, "instructions": "x", "summarization": summary}),
        )
    };
    stage.script([step("writer", ""), Behaviour::text("Draft."), step("FINISH", "All in all: a draft.")]);
    assert_eq!(stage.ask("Go").is(200).json()["text"], "All in all: a draft.");
}

#[test]
fn the_instructions_are_the_answer_when_nobody_said_anything() {
    let stage = Stage::new(|drawing, model| drop(team(drawing, model, json!({}), &["Writer"])));
    stage.script([route("FINISH", "It is four.")]);
    assert_eq!(stage.ask("Two and two?").is(200).json()["text"], "It is four.");
}

#[test]
fn a_choice_that_does_not_fit_is_corrected_once_and_then_fails() {
    let stage = Stage::new(|drawing, model| drop(team(drawing, model, json!({}), &["Writer"])));
    stage.script([route("nobody", ""), route("FINISH", "Four.")]);
    assert_eq!(stage.ask("Go").is(200).json()["text"], "Four.");
    stage.script([route("nobody", ""), route("nobody", "")]);
    assert!(stage.ask("Go").is_error(500).contains("chose nobody"));
}

#[test]
fn a_team_that_never_finishes_is_stopped_at_its_limit() {
    let stage =
        Stage::new(|drawing, model| drop(team(drawing, model, json!({"recursionLimit": 4}), &["Writer"])));
    stage.provider.set_decision(|request| {
        if request.body["tools"].is_array() { route("writer", "More.") } else { Behaviour::text("More.") }
    });
    let told = stage.ask("Go").is_error(500);
    assert!(told.contains("4 turns") && told.contains("recursion limit"), "{told}");
    assert_eq!(stage.provider.requests().len(), 4);
}

#[test]
fn a_conversation_remembers_what_was_said() {
    let stage = Stage::new(|drawing, model| drop(team(drawing, model, json!({}), &["Writer"])));
    stage.script([route("writer", "Write."), Behaviour::text("Roses."), route("FINISH", "")]);
    let first = stage.ask("A poem").is(200).json();
    stage.script([route("FINISH", "Yes.")]);
    stage.go_on(&first, json!({"question": "Another?"})).is(200);
    let heard = stage.heard().pop().unwrap();
    let talk: Vec<&str> =
        heard.iter().filter(|line| line.starts_with("user: ")).map(String::as_str).collect();
    assert_eq!(talk[..3], ["user: A poem", "user: Writer: Roses.", "user: Another?"]);
    let stored = stage.server.messages(&stage.flow);
    assert_eq!(stored[1]["agentReasoning"].as_array().unwrap().len(), 3, "{stored:?}");
}

#[test]
fn what_is_wrong_with_a_team_is_told_at_its_card() {
    let told = |draw: &dyn Fn(&mut Drawing, &str)| {
        let stage = Stage::new(|drawing, model| draw(drawing, model));
        let fault = stage.ask("Go").is_error(400);
        let listed = stage.server.read(&format!("/validation/{}", stage.flow)).to_string();
        assert!(
            fault.split(". ").all(|sentence| listed.contains(sentence.trim_end_matches('.'))),
            "{fault}: {listed}"
        );
        fault
    };
    let two = |drawing: &mut Drawing, model: &str| {
        team(drawing, model, json!({}), &["Writer"]);
        team(drawing, model, json!({}), &[]);
    };
    assert!(told(&two).contains("a second Supervisor"));
    assert!(told(&|drawing, model| drop(team(drawing, model, json!({}), &[]))).contains("no Worker"));
    let equal = |drawing: &mut Drawing, model: &str| {
        drop(team(drawing, model, json!({}), &["Old Writer", "old writer"]));
    };
    assert!(told(&equal).contains("are both named 'old writer'"));
    let finish = |drawing: &mut Drawing, model: &str| drop(team(drawing, model, json!({}), &["Finish"]));
    assert!(told(&finish).contains("cannot be named FINISH"));
    let astray = |drawing: &mut Drawing, model: &str| {
        team(drawing, model, json!({}), &["Writer"]);
        drawing.card("worker", json!({"workerName": "Lost", "workerPrompt": "x"}));
    };
    assert!(told(&astray).contains("is not connected to the Supervisor"));
}
