//! Records of runs: who asked finds them, and no secret is in them.

use super::steps::{START, Steps, ask, endings, entries, llm, newest_record, output, record, reply};
use crate::support::canvases::SECRET;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

fn writer() -> Steps {
    Steps::begin().card("llmAgentflow_0", "Writer", llm("Dear {question}")).edge(START, "llmAgentflow_0")
}

#[test]
fn a_run_is_listed_with_its_steps() {
    let server = Server::start();
    let flow = writer().flow_with(&server, json!({"name": "Letters"}));
    let answer = ask(&server, &flow, "Ada");
    let page = server.read(&format!("/executions?agentflowId={flow}&full=true"));
    assert_eq!(page["total"], 1);
    let row = &page["data"][0];
    assert_eq!((&row["id"], &row["state"]), (&answer["executionId"], &json!("FINISHED")));
    assert_eq!(row["agentflow"]["name"], "Letters");
    assert_eq!((&row["chatId"], &row["sessionId"]), (&answer["chatId"], &answer["sessionId"]));
    assert_eq!(endings(row), [("Start", "FINISHED"), ("Writer", "FINISHED")]);
    assert_eq!(output(row, "Writer")["content"], "Dear Ada");
}

#[test]
fn a_question_of_the_test_chat_is_marked_as_one() {
    let server = Server::start();
    let flow = writer().flow(&server);
    let answer = server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "Hi"}));
    assert_eq!(record(&server, &answer)["isTest"], true);
    let answer = ask(&server, &flow, "Hi");
    assert_eq!(record(&server, &answer)["isTest"], false);
}

#[test]
fn a_conversation_has_a_record_for_each_of_its_runs() {
    let server = Server::start();
    let (talk, first) = super::steps::Talk::begin(&server, &writer(), "One");
    let second = talk.ask("Two");
    let page = server.read(&format!("/executions?sessionId={}", talk.chat));
    let ids: Vec<&Value> = page["data"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&second["executionId"], &first["executionId"]]);
}

#[test]
fn a_record_outlives_a_restart() {
    let server = Server::start();
    let answer = ask(&server, &writer().flow(&server), "Ada");
    let before = record(&server, &answer);
    let server = server.restart();
    assert_eq!(record(&server, &answer), before);
}

#[test]
fn no_credential_is_in_an_answer_an_event_or_a_record() {
    let (server, provider) = (Server::start(), Provider::start());
    let body = json!({"name": "k", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let credential = id(&server.post("/credentials", &body));
    let config = json!({
        "modelName": "model-1", "basepath": format!("{}/v1", provider.base_url()), "FLOWISE_CREDENTIAL_ID": credential,
        "credential": credential, "llmModel": "chatOpenAI",
    });
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", json!({"llmModel": "chatOpenAI", "llmModelConfig": config}))
        .edge(START, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let answer = ask(&server, &flow, "Hi");
    assert_eq!(answer["text"], "You said: Hi");
    assert_eq!(provider.last_request().header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    let streamed = server
        .call("POST", &format!("/prediction/{flow}"))
        .json(&json!({"question": "Hi", "streaming": true}))
        .send()
        .text();
    for told in [answer.to_string(), streamed, record(&server, &answer).to_string()] {
        for secret in [SECRET, credential.as_str(), "FLOWISE_CREDENTIAL_ID"] {
            assert!(!told.contains(secret), "{secret} in {told}");
        }
    }
}

#[test]
fn headers_that_hold_secrets_are_in_no_answer_and_no_record() {
    let provider = Provider::start();
    let host = provider.base_url().trim_start_matches("http://").to_owned();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let body = b"{\"city\": \"Oslo\"}".to_vec();
    provider.push_behaviour(Behaviour::Bytes { kind: "application/json", body, piece: 100 });
    let inputs = json!({
        "method": "GET", "url": format!("{}/cities", provider.base_url()),
        "headers": [{"key": "Authorization", "value": "Bearer top-secret"}, {"key": "X-Trace", "value": "seen"}],
        "queryParams": [{"key": "q", "value": "{{ question }}"}],
    });
    let steps = Steps::begin()
        .card("httpAgentflow_0", "Look up", inputs)
        .card("directReplyAgentflow_0", "Reply", reply("{{ httpAgentflow_0.output.http.data.city }}"))
        .chain(&[START, "httpAgentflow_0", "directReplyAgentflow_0"]);
    let answer = ask(&server, &steps.flow(&server), "a&b");
    assert_eq!(answer["text"], "Oslo");
    let request = provider.last_request();
    assert_eq!(request.header("authorization"), Some("Bearer top-secret"));
    assert_eq!(request.path, "/cities?q=a%26b");
    for told in [answer.to_string(), record(&server, &answer).to_string()] {
        assert!(!told.contains("top-secret") && told.contains("seen"), "{told}");
    }
}

#[test]
fn a_step_that_is_one_of_a_thousand_and_one_fails_the_run_and_leaves_nothing_in_progress() {
    let server = Server::start();
    let mut steps = Steps::begin();
    for at in 0..20 {
        steps =
            steps.card(&format!("conditionAgentflow_{at}"), &format!("C{at}"), super::steps::equal("a", "a"));
    }
    steps = steps.card(
        "loopAgentflow_0",
        "Again",
        json!({"loopBackToNode": "conditionAgentflow_0-C0", "maxLoopCount": 100}),
    );
    steps = steps.edge(START, "conditionAgentflow_0");
    for at in 1..20 {
        steps =
            steps.choice(&format!("conditionAgentflow_{}", at - 1), 0, &format!("conditionAgentflow_{at}"));
    }
    steps = steps.choice("conditionAgentflow_19", 0, "loopAgentflow_0");
    let told = server.ask(&steps.flow(&server), &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("1000") || told.contains("1,000"), "{told}");
    let record = newest_record(&server);
    assert_eq!((&record["state"], entries(&record).len()), (&json!("ERROR"), 1_001));
}
