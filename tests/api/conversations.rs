//! Who may continue a conversation (manual 3.2): only who proves it, from wherever the proof comes.

use crate::support::canvases::{scripted_flow, with_provider};
use crate::support::provider::Provider;
use crate::support::{Answer, Server};
use serde_json::{Value, json};

/// A conversation with one answer: server, provider, flow, chat id and token.
struct StartedConversation {
    server: Server,
    provider: Provider,
    flow: String,
    chat: String,
    token: String,
}

fn start_conversation() -> StartedConversation {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    let body = server.ask(&flow, &json!({"question": "I am Ada"})).is(200).json();
    let text = |name: &str| body[name].as_str().unwrap().to_owned();
    let (chat, token) = (text("chatId"), text("sessionToken"));
    StartedConversation { server, provider, flow, chat, token }
}

impl StartedConversation {
    /// Asks for the conversation with these fields over the question and the chat id, and these headers.
    fn ask(&self, fields: Value, headers: &[(&str, &str)]) -> Answer {
        let mut body = json!({"question": "Who am I?", "chatId": self.chat});
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        let call = self.server.call("POST", &format!("/prediction/{}", self.flow)).json(&body);
        headers.iter().fold(call, |call, (name, value)| call.header(name, value)).send().is(200)
    }

    /// True when the model was sent the earlier messages.
    fn has_history(&self) -> bool {
        self.provider.last_request().body["messages"].to_string().contains("You said: I am Ada")
    }

    #[track_caller]
    fn assert_continues(&self, fields: Value, headers: &[(&str, &str)]) {
        let answer = self.ask(fields, headers).json();
        assert_eq!(answer["chatId"], self.chat, "{answer}");
        assert_eq!(answer["sessionToken"], self.token);
        assert!(self.has_history());
    }

    #[track_caller]
    fn assert_starts_anew(&self, fields: Value, headers: &[(&str, &str)]) {
        let answer = self.ask(fields.clone(), headers).json();
        let chat = answer["chatId"].as_str().unwrap();
        assert_ne!(chat, self.chat, "{fields}");
        assert_ne!(Value::from(chat), fields["chatId"], "{fields}");
        assert_eq!(answer["sessionId"], chat);
        assert_ne!(answer["sessionToken"], self.token);
        assert!(!self.has_history(), "{fields}");
    }
}

#[test]
fn a_token_in_the_body_continues() {
    let begun = start_conversation();
    begun.assert_continues(json!({"sessionToken": begun.token}), &[]);
}

#[test]
fn a_token_in_the_header_continues() {
    let begun = start_conversation();
    begun.assert_continues(json!({}), &[("x-service-session-token", &begun.token)]);
}

#[test]
fn the_cookie_continues() {
    let begun = start_conversation();
    let cookie = format!("other=1; service_session={}.{}", begun.chat, begun.token);
    begun.assert_continues(json!({}), &[("Cookie", &cookie)]);
}

#[test]
fn a_token_in_override_config_continues_and_goes_no_further() {
    let begun = start_conversation();
    begun.assert_continues(json!({"overrideConfig": {"sessionToken": begun.token}}), &[]);
    assert!(!begun.provider.last_request().body.to_string().contains(&begun.token));
}

#[test]
fn a_wrong_token_in_one_place_does_not_spoil_a_right_one_in_another() {
    let begun = start_conversation();
    begun.assert_continues(json!({"sessionToken": "wrong"}), &[("x-service-session-token", &begun.token)]);
}

#[test]
fn a_streamed_conversation_continues_with_its_header() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    let first = server.ask(&flow, &json!({"question": "I am Ada", "streaming": true}));
    let (token, chat) =
        (first.header("x-service-session-token").unwrap(), first.event("metadata")["chatId"].clone());
    assert_eq!(first.header("x-service-chat-id"), chat.as_str());
    let body = json!({"question": "Who am I?", "streaming": true, "chatId": chat, "sessionToken": token});
    let second = server.ask(&flow, &body);
    assert_eq!(second.event("metadata")["chatId"], chat);
    assert!(provider.last_request().body["messages"].to_string().contains("You said: I am Ada"));
}

#[test]
fn the_whole_conversation_reaches_the_model_in_order() {
    let begun = start_conversation();
    begun.assert_continues(json!({"question": "Second", "sessionToken": begun.token}), &[]);
    begun.assert_continues(json!({"question": "Third", "sessionToken": begun.token}), &[]);
    let sent = begun.provider.last_request().body["messages"].clone();
    let said: Vec<&str> =
        sent.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
    assert_eq!(said, ["Be kind.", "I am Ada", "You said: I am Ada", "Second", "You said: Second", "Third"]);
}

#[test]
fn an_id_without_proof_begins_anew() {
    start_conversation().assert_starts_anew(json!({}), &[]);
}

#[test]
fn a_wrong_proof_begins_anew() {
    let begun = start_conversation();
    let mut flipped = begun.token.clone();
    let last = flipped.pop().unwrap();
    // The last character holds four bits of the proof: change one of them.
    flipped.push(if last == 'A' { 'Q' } else { 'A' });
    for token in [flipped.as_str(), "", "x", &"A".repeat(43), &format!("{}=", begun.token), &begun.token[1..]]
    {
        begun.assert_starts_anew(json!({"sessionToken": token}), &[]);
    }
}

#[test]
fn an_invented_id_begins_anew() {
    let begun = start_conversation();
    for invented in
        ["", "mine", "customer+6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"]
    {
        begun.assert_starts_anew(json!({"chatId": invented, "sessionToken": begun.token}), &[]);
    }
}

#[test]
fn a_cookie_of_another_conversation_begins_anew() {
    let begun = start_conversation();
    let other = begun.server.ask(&begun.flow, &json!({"question": "I am Bob"})).json();
    let cookie = format!(
        "service_session={}.{}",
        other["chatId"].as_str().unwrap(),
        other["sessionToken"].as_str().unwrap()
    );
    begun.assert_starts_anew(json!({}), &[("Cookie", &cookie)]);
    // A cookie is one proof: its halves are not put together with others.
    let mixed = format!("service_session={}.{}", begun.chat, other["sessionToken"].as_str().unwrap());
    begun.assert_starts_anew(json!({}), &[("Cookie", &mixed)]);
}

#[test]
fn a_proof_for_another_flow_begins_anew() {
    let begun = start_conversation();
    let other = begun.server.flow(&scripted_flow());
    let body = json!({"question": "Hi", "chatId": begun.chat, "sessionToken": begun.token});
    let answer = begun.server.ask(&other, &body).is(200).json();
    assert_ne!(answer["chatId"], begun.chat);
}

#[test]
fn override_config_cannot_choose_a_session() {
    let begun = start_conversation();
    begun.assert_starts_anew(json!({"chatId": null, "overrideConfig": {"sessionId": begun.chat}}), &[]);
}

#[test]
fn the_test_chat_continues_its_own_conversations_without_a_token() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    let path = format!("/internal-prediction/{flow}");
    let first = server.post(&path, &json!({"question": "I am Ada"}));
    let second = server.post(&path, &json!({"question": "Who am I?", "chatId": first["chatId"]}));
    assert_eq!(first["chatId"], second["chatId"]);
    assert!(provider.last_request().body["messages"].to_string().contains("You said: I am Ada"));
    let kinds: Vec<Value> =
        server.messages(&flow).iter().map(|message| message["chatType"].clone()).collect();
    assert_eq!(kinds, ["INTERNAL"; 4]);
}

#[test]
fn the_test_chat_does_not_join_a_customers_conversation() {
    let begun = start_conversation();
    let path = format!("/internal-prediction/{}", begun.flow);
    let answer = begun.server.post(&path, &json!({"question": "Hi", "chatId": begun.chat}));
    assert_ne!(answer["chatId"], begun.chat);
    assert!(!begun.has_history());
}

#[test]
fn a_window_memory_sends_only_the_last_pairs() {
    let server = Server::start();
    let provider = Provider::start();
    let mut drawing = crate::support::canvases::Drawing::default();
    let format = crate::support::canvases::ProviderFormat::OpenAi;
    let model = format.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let memory = drawing.card("bufferWindowMemory", json!({"k": "1"}));
    let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    let flow = server.flow(&drawing.text());
    let first = server.ask(&flow, &json!({"question": "One"})).is(200).json();
    assert_eq!(first["memoryType"], "Buffer Window Memory");
    for question in ["Two", "Three"] {
        let body =
            json!({"question": question, "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
        server.ask(&flow, &body).is(200);
    }
    let sent = provider.last_request().body["messages"].clone();
    let said: Vec<&str> =
        sent.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
    assert_eq!(said, ["Be kind.", "Two", "You said: Two", "Three"]);
}
