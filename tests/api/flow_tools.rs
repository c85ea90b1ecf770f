//! Flows that ask other flows of their workspace (manual 9.17).

use crate::agentflows::human_input::asking;
use crate::flows::foreign;
use crate::overrides::override_settings;
use crate::support::canvases::{Drawing, ProviderFormat, scripted_flow, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

const QUESTION: &str = "Please";

/// A flow with one tool that asks `other`, and the model that calls it.
struct AskingFlow {
    provider: Provider,
    flow: String,
}

impl AskingFlow {
    fn new(server: &Server, other: &str, inputs: Value) -> Self {
        Self::with_card(server, "ChatflowTool", "selectedChatflow", other, inputs)
    }

    fn with_card(server: &Server, card: &str, selected: &str, other: &str, mut inputs: Value) -> Self {
        let (provider, mut drawing) = (Provider::start(), Drawing::default());
        inputs[selected] = other.into();
        inputs["name"] = "Ask it".into();
        inputs["description"] = "Knows things.".into();
        let credential = inputs.as_object_mut().unwrap().remove("credential");
        let tool = drawing.card(card, inputs);
        if let Some(credential) = credential {
            drawing.credential(&tool, credential.as_str().unwrap());
        }
        let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
        let agent = drawing.card("toolAgent", json!({}));
        drawing.wire(&model, &agent, "model");
        drawing.wire(&tool, &agent, "tools");
        Self { provider, flow: server.flow(&drawing.text()) }
    }

    /// Asks, with a model that calls the tool once and then says `Done.`: the answer.
    fn ask(&self, server: &Server, input: &str, before: Option<&Value>) -> Value {
        self.provider.push_behaviour(Behaviour::call("Ask_it", json!({"input": input})));
        self.provider.push_behaviour(Behaviour::text("Done."));
        let mut body = json!({"question": QUESTION});
        if let Some(before) = before {
            body["chatId"] = before["chatId"].clone();
            body["sessionToken"] = before["sessionToken"].clone();
        }
        server.ask(&self.flow, &body).is(200).json()
    }
}

/// What the tool returned, or why not.
fn tool_result(answer: &Value) -> &str {
    let used = &answer["usedTools"][0];
    used["error"].as_str().or_else(|| used["toolOutput"].as_str()).unwrap()
}

#[test]
fn a_flow_asks_another_in_a_conversation_of_the_others_own() {
    let server = Server::start();
    let inner = Provider::start();
    let other = server.flow(&ProviderFormat::OpenAi.conversation(&server, &inner.base_url(), json!({})));
    let asker = AskingFlow::new(&server, &other, json!({}));
    let first = asker.ask(&server, "Who are you?", None);
    assert_eq!((tool_result(&first), &first["text"]), ("You said: Who are you?", &json!("Done.")));
    let spec = &asker.provider.requests()[0].body["tools"][0]["function"];
    assert_eq!((&spec["name"], &spec["parameters"]["required"]), (&json!("Ask_it"), &json!(["input"])));
    asker.ask(&server, "And now?", Some(&first));
    let sent = inner.last_request().body["messages"].to_string();
    assert!(sent.contains("Who are you?") && sent.contains("And now?") && !sent.contains(QUESTION), "{sent}");
    let texts = |flow: &str| -> Vec<String> {
        let messages = server.messages(flow);
        messages.iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(&asker.flow), [QUESTION, "Done.", QUESTION, "Done."]);
    let asked = ["Who are you?", "You said: Who are you?", "And now?", "You said: And now?"];
    assert_eq!(texts(&other), asked);
    // Whoever may go on in the one conversation has no proof of the other.
    let stolen = json!({"question": "What was I told?", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    let answer = server.ask(&other, &stolen).is(200).json();
    assert_ne!(answer["chatId"], first["chatId"]);
    let own: u64 = asker.provider.requests().len() as u64;
    assert!(first["usageMetadata"]["output_tokens"].as_u64().unwrap() > 1 && own == 4, "{first}");
}

#[test]
fn a_new_session_each_time_remembers_nothing() {
    let server = Server::start();
    let inner = Provider::start();
    let other = server.flow(&ProviderFormat::OpenAi.conversation(&server, &inner.base_url(), json!({})));
    let asker = AskingFlow::new(&server, &other, json!({"startNewSession": true}));
    let first = asker.ask(&server, "Who are you?", None);
    asker.ask(&server, "And now?", Some(&first));
    let sent = inner.last_request().body["messages"].to_string();
    assert!(!sent.contains("Who are you?") && sent.contains("And now?"), "{sent}");
}

#[test]
fn the_question_is_the_models_the_persons_or_the_owners() {
    let server = Server::start();
    let other = server.flow(&scripted_flow());
    for (inputs, said) in [
        (json!({"useQuestionFromChat": true, "customInput": "Unused"}), "You said: Please"),
        (json!({"customInput": "Always this"}), "You said: Always this"),
        (json!({"baseURL": "http://169.254.169.254"}), "You said: Mine"),
    ] {
        assert_eq!(tool_result(&AskingFlow::new(&server, &other, inputs).ask(&server, "Mine", None)), said);
    }
}

#[test]
fn a_flow_may_be_given_what_its_owner_lists_and_no_more() {
    let server = Server::start();
    let listed = override_settings(&[("Scripted Chat Model", &["fallback"])], &[]);
    let other = server.flow_with(&scripted_flow_with(json!({})), &listed);
    let overrides =
        json!({"fallback": "Changed by {{question}}", "rules": "[{\"reply\":\"no\"}]"}).to_string();
    let asker = AskingFlow::new(&server, &other, json!({"overrideConfig": overrides, "returnDirect": true}));
    let answer = asker.ask(&server, "Hi", None);
    assert_eq!((tool_result(&answer), &answer["text"]), ("Changed by Please", &json!("Changed by Please")));
}

#[test]
fn a_flow_of_another_workspace_is_not_found_and_neither_is_one_without_a_key() {
    let server = Server::start();
    let other = server.flow(&scripted_flow());
    let elsewhere = foreign(&server, &other);
    let fault =
        tool_result(&AskingFlow::new(&server, &elsewhere, json!({})).ask(&server, "Hi", None)).to_owned();
    let unknown = elsewhere.chars().rev().collect::<String>();
    assert!(fault.contains(&elsewhere) && fault.contains("not found"), "{fault}");
    assert!(
        server.ask(&AskingFlow::new(&server, &unknown, json!({})).flow, &json!({"question": "Hi"})).status
            == 500
    );
    let key = server.key(&["chatflows:view"]);
    server.put(&format!("/chatflows/{other}"), &json!({"apikeyid": key["id"]}));
    let fault = tool_result(&AskingFlow::new(&server, &other, json!({})).ask(&server, "Hi", None)).to_owned();
    assert!(fault.starts_with("Chatflow Tool: ") && fault.contains("API key"), "{fault}");
    let held = json!({"name": "key", "credentialName": "chatflowApi", "plainDataObj": {"chatflowApiKey": key["apiKey"]}});
    let credential = id(&server.post("/credentials", &held));
    let asker = AskingFlow::new(&server, &other, json!({"credential": credential}));
    assert_eq!(tool_result(&asker.ask(&server, "Hi", None)), "You said: Hi");
}

#[test]
fn flows_cannot_ask_one_another_in_a_circle() {
    let server = Server::start();
    let first = server.flow(&scripted_flow());
    let second = AskingFlow::new(&server, &first, json!({}));
    let third = AskingFlow::with_card(&server, "agentAsTool", "selectedAgentflow", &second.flow, json!({}));
    // The first now asks the third, which asks the second, which asks the first.
    let mut drawing = Drawing::default();
    let inputs = json!({"selectedChatflow": third.flow, "name": "Ask it", "description": "Knows."});
    let tool = drawing.card("ChatflowTool", inputs);
    let rules = json!([{"after": "user", "toolCalls": [{"name": "Ask_it", "arguments": {"input": "Hi"}}]}, {"after": "tool", "reply": "Done."}]);
    let model = drawing.card("chatScripted", json!({"rules": rules.to_string()}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    let change = json!({"flowData": drawing.text(), "publishInstantly": true});
    server.put(&format!("/chatflows/{first}"), &change);
    for asker in [&second, &third] {
        asker.provider.push_behaviour(Behaviour::call("Ask_it", json!({"input": "Hi"})));
    }
    let answer = server.ask(&first, &json!({"question": "Hi"})).is(200).json();
    assert_eq!(answer["text"], "Done.");
    let sent = second.provider.last_request().body["messages"].to_string();
    assert!(sent.contains("in a circle"), "{sent}");
    let own = Drawing::text(&drawing).replace(&third.flow, &first);
    server.put(&format!("/chatflows/{first}"), &json!({"flowData": own, "publishInstantly": true}));
    let fault = server.ask(&first, &json!({"question": "Hi"})).is_error(500);
    assert!(fault.contains("Select Chatflow: a flow cannot ask itself"), "{fault}");
}

#[test]
fn a_tool_whose_flow_needs_a_person_says_so_and_leaves_nothing_that_waits() {
    let server = Server::start();
    let other = asking().flow(&server);
    let asking = AskingFlow::new(&server, &other, json!({}));
    let answer = asking.ask(&server, "x", None);
    assert!(tool_result(&answer).contains("asks a person"), "{answer}");
    assert_eq!(server.read("/executions?state=STOPPED")["total"], 0);
}
