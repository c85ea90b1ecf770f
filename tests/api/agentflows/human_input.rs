//! A step that waits until a person decides.

use super::steps::{
    START, Steps, Talk, endings, entries, entry, labels, llm, newest_record, output, question, record, reply,
    with,
};
use crate::support::Server;
use serde_json::{Value, json};

const ASK: &str = "humanInputAgentflow_0";

/// A model, a person who decides, and a reply for each decision.
pub fn asking() -> Steps {
    Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("A draft."))
        .card(ASK, "Ask", question("Shall I send it?"))
        .card(
            "directReplyAgentflow_0",
            "Yes",
            reply("Sent: {{ llmAgentflow_0 }} ({{ humanInputAgentflow_0 }})"),
        )
        .card("directReplyAgentflow_1", "No", reply("Not sent ({{ humanInputAgentflow_0 }})"))
        .chain(&[START, "llmAgentflow_0", ASK])
        .choice(ASK, 0, "directReplyAgentflow_0")
        .choice(ASK, 1, "directReplyAgentflow_1")
}

const NOTHING: &str = "There is nothing to answer in this conversation.";

#[test]
fn a_run_that_waits_answers_what_the_person_is_asked() {
    let server = Server::start();
    let (_, first) = Talk::begin(&server, &asking(), "Hi");
    assert_eq!(first["text"], "A draft.\n\nShall I send it?");
    let action = &first["action"];
    assert_eq!(action["mapping"], json!({"approve": "Proceed", "reject": "Reject"}));
    let kinds: Vec<&Value> =
        action["elements"].as_array().unwrap().iter().map(|element| &element["type"]).collect();
    assert_eq!(kinds, ["agentflowv2-approve-button", "agentflowv2-reject-button"]);
    assert_eq!((&action["data"]["nodeId"], &action["data"]["nodeLabel"]), (&json!(ASK), &json!("Ask")));
    assert_eq!(endings(&first)[2], ("Ask", "STOPPED"));
    assert_eq!(output(&first, "Ask")["humanInputAction"], *action);
}

#[test]
fn the_record_of_a_run_that_waits_tells_its_pause() {
    let server = Server::start();
    let (_, first) = Talk::begin(&server, &asking(), "Hi");
    let record = record(&server, &first);
    assert_eq!((&record["state"], &record["error"]), (&json!("STOPPED"), &Value::Null));
    let pause = &record["pauses"][0];
    assert_eq!(pause["actionId"], first["action"]["id"]);
    assert_eq!((&pause["nodeId"], &pause["nodeLabel"]), (&json!(ASK), &json!("Ask")));
    assert_eq!(record["action"], first["action"]);
}

#[test]
fn a_stream_of_a_run_that_waits_tells_the_action_before_it_stops() {
    let server = Server::start();
    let flow = asking().flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let answer = server.call("POST", &format!("/prediction/{flow}")).json(&body).send();
    let events = answer.events();
    let place = |name: &str, data: Option<&Value>| {
        let found =
            events.iter().position(|(known, given)| known == name && data.is_none_or(|data| data == given));
        found.unwrap_or_else(|| panic!("no {name}: {events:?}"))
    };
    let (action, stopped) = (place("action", None), place("agentFlowEvent", Some(&json!("STOPPED"))));
    assert!(action < stopped && stopped < place("metadata", None), "{events:?}");
    assert_eq!(answer.streamed_text(), "A draft.\n\nShall I send it?");
}

#[test]
fn proceeding_goes_on_with_the_same_record() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let second = talk.proceed();
    assert_eq!(second["text"], "Sent: A draft. (proceed)");
    assert_eq!(second["executionId"], first["executionId"]);
    assert_eq!(second.get("action"), None);
    assert_eq!(server.read("/executions")["total"], 1);
    let record = record(&server, &second);
    assert_eq!((&record["state"], &record["pauses"]), (&json!("FINISHED"), &json!([])));
    assert_eq!(
        endings(&record),
        [
            ("Start", "FINISHED"),
            ("Writer", "FINISHED"),
            ("Ask", "STOPPED"),
            ("Ask", "FINISHED"),
            ("Yes", "FINISHED"),
        ]
    );
}

#[test]
fn rejecting_takes_the_other_output() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let second = talk.reject();
    assert_eq!(second["text"], "Not sent (reject)");
    assert!(!labels(&record(&server, &second)).contains(&"Yes"));
}

#[test]
fn what_the_person_wrote_is_the_text_of_the_step() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let second = talk.answer(&json!({"type": "reject", "feedback": "Too $& long {{ question }}"}));
    assert_eq!(second["text"], "Not sent (Too $& long {{ question }})");
}

#[test]
fn what_the_person_wrote_is_heard_by_the_next_model() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(ASK, "Ask", question("Well?"))
        .card("llmAgentflow_0", "Writer", with(llm("heard {question}"), json!({"llmEnableMemory": true})))
        .edge(START, ASK)
        .choice(ASK, 1, "llmAgentflow_0");
    let (talk, _) = Talk::begin(&server, &steps, "Hi");
    let second = talk.answer(&json!({"type": "reject", "feedback": "Shorter"}));
    assert!(second["text"].as_str().unwrap().contains("Shorter"), "{second}");
}

#[test]
fn a_decision_leads_back_through_a_loop_until_the_person_agrees() {
    let server = Server::start();
    let steps = asking()
        .card(
            "loopAgentflow_0",
            "Again",
            json!({"loopBackToNode": "llmAgentflow_0-Writer", "maxLoopCount": 5}),
        )
        .choice(ASK, 1, "loopAgentflow_0");
    let (talk, _) = Talk::begin(&server, &steps, "Hi");
    let second = talk.reject();
    assert!(second["action"].is_object(), "it asks again: {second}");
    let third = talk.proceed();
    assert_eq!(third["text"], "Sent: A draft. (proceed)");
    let record = record(&server, &third);
    assert_eq!(labels(&record).iter().filter(|label| **label == "Writer").count(), 2);
}

#[test]
fn a_run_that_waits_goes_on_after_a_restart() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let (flow, chat) = (talk.flow().to_owned(), talk.chat.clone());
    let server = server.restart();
    assert_eq!(record(&server, &first)["state"], "STOPPED");
    let body = json!({"chatId": chat, "humanInput": {"type": "proceed"}});
    let second = server.post(&format!("/internal-prediction/{flow}"), &body);
    assert_eq!(second["text"], "Sent: A draft. (proceed)");
    assert_eq!(second["executionId"], first["executionId"]);
}

#[test]
fn a_run_goes_on_with_the_canvas_that_it_began_with() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let changed = asking().text().replace("Sent: ", "Changed: ");
    server.put(&format!("/chatflows/{}", talk.flow()), &json!({ "flowData": changed }));
    assert_eq!(talk.proceed()["text"], "Sent: A draft. (proceed)");
    assert_eq!(newest_record(&server)["state"], "FINISHED");
}

#[test]
fn a_pause_is_answered_once() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    talk.proceed();
    assert_eq!(talk.try_answer(&json!({"type": "proceed"})).is_error(409), NOTHING);
}

#[test]
fn of_two_answers_at_once_one_wins() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let answers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| talk.try_answer(&json!({"type": "proceed"})).status)).collect();
        answers.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409]);
    let record = newest_record(&server);
    assert_eq!(labels(&record).iter().filter(|label| **label == "Yes").count(), 1);
}

#[test]
fn an_answer_where_nothing_waits_is_refused_and_starts_no_run() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("x")).edge(START, "llmAgentflow_0");
    let (talk, _) = Talk::begin(&server, &steps, "Hi");
    assert_eq!(talk.try_answer(&json!({"type": "proceed"})).is_error(409), NOTHING);
    assert_eq!(server.read("/executions")["total"], 1);
}

#[test]
fn an_answer_to_an_unknown_pause_is_refused_and_leaves_the_known_one() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let unknown = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    for named in [json!({"actionId": unknown}), json!({"startNodeId": "llmAgentflow_0"})] {
        let input = with(named, json!({"type": "proceed"}));
        assert_eq!(talk.try_answer(&input).is_error(409), NOTHING);
    }
    talk.proceed();
}

#[test]
fn somebody_who_does_not_prove_the_conversation_answers_nothing() {
    let server = Server::start();
    let flow = asking().flow(&server);
    let first = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let mut body = json!({"chatId": first["chatId"], "humanInput": {"type": "proceed"}});
    assert_eq!(server.ask(&flow, &body).is_error(409), NOTHING);
    assert_eq!(record(&server, &first)["state"], "STOPPED");
    body["sessionToken"] = first["sessionToken"].clone();
    assert_eq!(server.ask(&flow, &body).is(200).json()["text"], "Sent: A draft. (proceed)");
}

#[test]
fn a_new_question_leaves_the_pause_open() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("conditionAgentflow_0", "Check", super::steps::equal("{{ question }}", "ask"))
        .card(ASK, "Ask", question("Well?"))
        .card("directReplyAgentflow_0", "Yes", reply("done: {{ question }}"))
        .card("directReplyAgentflow_1", "Other", reply("other"))
        .edge(START, "conditionAgentflow_0")
        .choice("conditionAgentflow_0", 0, ASK)
        .choice(ASK, 0, "directReplyAgentflow_0")
        .choice("conditionAgentflow_0", 1, "directReplyAgentflow_1");
    let (talk, _) = Talk::begin(&server, &steps, "ask");
    assert_eq!(talk.ask("something else")["text"], "other");
    assert_eq!(talk.proceed()["text"], "done: ask", "the question of the run that waited");
}

#[test]
fn an_answer_must_be_a_decision() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    for wrong in [json!({"type": "maybe"}), json!({}), json!("proceed")] {
        talk.try_answer(&wrong).is_error(400);
    }
    talk.proceed();
}

#[test]
fn a_chatflow_has_nothing_to_answer() {
    let server = Server::start();
    let flow = server.flow(&crate::support::canvases::scripted_flow());
    let told = server.ask(&flow, &json!({"humanInput": {"type": "proceed"}})).is_error(409);
    assert_eq!(told, NOTHING);
}

#[test]
fn the_answer_tells_only_the_steps_of_its_own_request_as_new() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let second = talk.proceed();
    assert!(entries(&second).len() > entries(&first).len(), "the whole story: {second}");
    assert_eq!(entry(&second, "Yes")["previousNodeIds"], json!([ASK]));
}

#[test]
fn question_and_answer_are_messages_of_the_conversation() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    talk.proceed();
    let texts: Vec<Value> =
        server.messages(talk.flow()).iter().map(|message| message["content"].clone()).collect();
    assert_eq!(texts, ["Hi", "A draft.\n\nShall I send it?", "Proceed", "Sent: A draft. (proceed)"]);
}

#[test]
fn a_pause_whose_answer_could_not_go_out_is_found_in_the_conversation_and_decided() {
    let server = Server::start();
    let code = "if (!$flow.rawOutput.startsWith('Sent')) throw new Error('no'); return $flow.rawOutput;";
    let config = json!({
        "postProcessing": {"enabled": true, "customFunction": json!(code).to_string()},
        "fullFileUpload": {"status": true},
    });
    let flow = asking().flow_with(&server, json!({"chatbotConfig": config.to_string()}));
    let upload =
        json!({"type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "Grey cats purr."});
    let told = server.ask(&flow, &json!({"question": "Hi", "uploads": [upload]})).is_error(500);
    assert!(told.starts_with("Post-processing: "), "{told}");

    let stored = server.messages(&flow);
    assert_eq!(stored.len(), 2, "{stored:?}");
    let name = stored[0]["fileUploads"][0]["fileName"].as_str().unwrap();
    let chat = stored[0]["chatId"].as_str().unwrap();
    let path = format!("/get-upload-file?chatflowId={flow}&chatId={chat}&fileName={name}");
    assert_eq!(server.owner("GET", &path).send().is(200).text(), "Grey cats purr.");
    assert_eq!(stored[1]["content"], "", "what the code was to change is not kept unchanged");
    assert_eq!(stored[1]["action"]["data"]["nodeId"], ASK);
    let body = json!({"chatId": chat, "humanInput": {"type": "proceed"}});
    let decided = server.post(&format!("/internal-prediction/{flow}"), &body);
    assert_eq!(decided["text"], "Sent: A draft. (proceed)");
}
