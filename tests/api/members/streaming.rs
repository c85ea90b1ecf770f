//! The words of a member behind which the run ends go out as they come.

use super::stage::{Stage, behind, end, llm, start};
use crate::support::canvases::Drawing;
use crate::support::client::Answer;
use crate::support::provider::{Behaviour, Reply};
use serde_json::{Value, json};
use std::time::Duration;

/// An Agent of this name with a calculator, behind another member.
fn agent(drawing: &mut Drawing, before: &str, name: &str, inputs: Value) -> String {
    let mut inputs = inputs;
    inputs["agentName"] = name.into();
    let agent = drawing.card("seqAgent", inputs);
    let calculator = drawing.card("calculator", json!({}));
    drawing.wire(&calculator, &agent, "tools");
    behind(drawing, before, &agent);
    agent
}

fn calls_after_saying(text: &str) -> Behaviour {
    let calls = vec![("calculator".to_owned(), json!({"input": "2+2"}))];
    Behaviour::Reply(Reply { calls, ..Reply::text(text) })
}

fn asked(streaming: bool) -> Value {
    json!({"question": "Go", "streaming": streaming})
}

/// What is told of turns, each time.
fn turns_told(answer: &Answer) -> Vec<Value> {
    let told = answer.events().into_iter().filter(|(name, _)| name == "agentReasoning");
    told.map(|(_, data)| data).collect()
}

fn names_but(answer: &Answer, left_out: &str) -> Vec<String> {
    answer.event_names().into_iter().filter(|name| name != left_out).collect()
}

#[test]
fn the_last_member_is_heard_while_its_model_still_speaks() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let first = llm(drawing, &begin, "First", json!({}));
        let last = llm(drawing, &first, "Last", json!({}));
        end(drawing, &last);
    });
    let slow = Reply { token_delay: Duration::from_millis(400), ..Reply::text("one two three four") };
    stage.script([Behaviour::text("a b"), Behaviour::Reply(slow)]);
    let mut stream =
        stage.server.call("POST", &format!("/prediction/{}", stage.flow)).json(&asked(true)).open();
    stream.read_until("one");
    assert!(!stream.answer.text().contains("four"), "the model has not come to its end");
    let answer = stream.finish();
    assert_eq!(answer.streamed_text(), "one two three four");
    let tokens = answer.events().iter().filter(|(name, _)| name == "token").count();
    assert_eq!(tokens, 4, "and the words of other members are no part of the answer");
}

#[test]
fn turns_are_told_before_the_answer_and_the_last_one_whole_behind_it() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let last = llm(drawing, &begin, "Last", json!({}));
        end(drawing, &last);
    });
    stage.script([Behaviour::text("Done.")]);
    let answer = stage.server.ask(&stage.flow, &asked(true));
    assert_eq!(
        answer.event_names(),
        [
            "agentReasoning",
            "start",
            "token",
            "agentReasoning",
            "usedTools",
            "sourceDocuments",
            "artifacts",
            "metadata",
            "end"
        ]
    );
    let told = turns_told(&answer);
    assert_eq!((&told[0][0]["agentName"], &told[0][0]["messages"]), (&json!("Last"), &json!([])));
    assert_eq!(told[1][0]["messages"], json!(["Done."]));
    assert_eq!(told[1].as_array().unwrap().len(), 1);
}

#[test]
fn what_an_agent_says_before_its_tools_is_in_the_answer_however_it_is_asked() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let last = agent(drawing, &begin, "Counter", json!({}));
        end(drawing, &last);
    });
    let script = || [calls_after_saying("Let me count."), Behaviour::text("It is four.")];
    stage.script(script());
    let streamed = stage.server.ask(&stage.flow, &asked(true));
    stage.script(script());
    let whole = stage.server.ask(&stage.flow, &asked(false)).is(200).json();
    assert_eq!(whole["text"], "Let me count.\n\nIt is four.");
    assert_eq!(streamed.streamed_text(), whole["text"].as_str().unwrap());
    assert_eq!(turns_told(&streamed).pop().unwrap(), whole["agentReasoning"]);
    assert_eq!(whole["agentReasoning"][0]["messages"], json!(["It is four."]));
    let stored = stage.server.messages(&stage.flow);
    assert!(
        stored.iter().all(|said| said["role"] == "userMessage" || said["content"] == whole["text"]),
        "{stored:?}"
    );
}

#[test]
fn an_agent_that_asks_a_person_answers_with_its_question_alone() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let last = agent(drawing, &begin, "Counter", json!({"interrupt": true}));
        end(drawing, &last);
    });
    stage.script([calls_after_saying("Let me count."), Behaviour::text("May I?")]);
    let answer = stage.server.ask(&stage.flow, &asked(true));
    assert_eq!(answer.streamed_text(), "May I?");
    assert_eq!(answer.event_names().iter().filter(|name| *name == "start").count(), 1);
}

#[test]
fn of_branches_that_end_beside_each_other_the_answer_is_one() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        for name in ["One", "Two"] {
            let last = llm(drawing, &begin, name, json!({}));
            end(drawing, &last);
        }
    });
    stage.provider.set_decision(|_| Behaviour::text("said this"));
    let answer = stage.server.ask(&stage.flow, &asked(true));
    assert_eq!(answer.streamed_text(), "said this");
}

#[test]
fn a_model_that_breaks_off_ends_the_stream_with_an_error() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let last = llm(drawing, &begin, "Last", json!({}));
        end(drawing, &last);
    });
    stage.script([Behaviour::Reply(Reply { cut_after: Some(2), ..Reply::text("one two three") })]);
    let answer = stage.server.ask(&stage.flow, &asked(true));
    assert_eq!(names_but(&answer, "token"), ["agentReasoning", "start", "error", "end"]);
}

#[test]
fn an_answer_that_is_processed_afterwards_does_not_go_out_as_it_comes() {
    let code = json!("return $flow.rawOutput.toUpperCase()").to_string();
    let config = json!({"postProcessing": {"enabled": true, "customFunction": code}}).to_string();
    let stage = Stage::with(&json!({"chatbotConfig": config}), |drawing, model| {
        let begin = start(drawing, model);
        let last = llm(drawing, &begin, "Last", json!({}));
        end(drawing, &last);
    });
    stage.script([Behaviour::text("quiet words")]);
    let answer = stage.server.ask(&stage.flow, &asked(true));
    assert_eq!(answer.streamed_text(), "QUIET WORDS");
    assert_eq!(names_but(&answer, "agentReasoning")[..3], ["start", "token", "usedTools"]);
}
