//! Callers that leave: their run and its provider call end within two seconds, and the messages are kept (manual 2.9).
//! Services that stop: manual 13.6.

use crate::support::canvases::{ProviderFormat, with_provider};
use crate::support::provider::{Behaviour, Provider, Reply};
use crate::support::{Server, client::Call};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The longest a run may go on when its caller left.
const GONE_WITHIN: Duration = Duration::from_secs(2);
/// For everything that only has to happen at some time.
const SOON: Duration = Duration::from_secs(10);

fn ask(server: &Server, flow: &str, streaming: bool) -> Call {
    let body = json!({"question": "Tell me all", "streaming": streaming});
    server.call("POST", &format!("/prediction/{flow}")).json(&body)
}

/// Twenty words, one every tenth of a second.
fn slow() -> Behaviour {
    let text = "one two three four five six seven eight nine ten ".repeat(2);
    Behaviour::Reply(Reply { token_delay: Duration::from_millis(100), ..Reply::text(&text) })
}

/// Waits until the flow has this many messages.
fn messages(server: &Server, flow: &str, count: usize) -> Vec<Value> {
    let end = Instant::now() + SOON;
    loop {
        let found = server.messages(flow);
        if found.len() >= count {
            return found;
        }
        assert!(Instant::now() < end, "{found:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[track_caller]
fn assert_call_ends(provider: &Provider, leave: impl FnOnce()) {
    let before = provider.disconnects();
    leave();
    assert!(
        provider.wait_until(GONE_WITHIN, |provider| provider.disconnects() > before),
        "still being answered"
    );
}

#[test]
fn a_caller_that_leaves_a_silent_provider_ends_the_call() {
    for format in ProviderFormat::ALL {
        let (server, provider) = (Server::start(), Provider::start());
        let flow = server.flow(&format.conversation(&server, &provider.base_url(), json!({})));
        provider.set_decision(|_| Behaviour::Hang);
        for streaming in [false, true] {
            let served = provider.served_count();
            let socket = ask(&server, &flow, streaming).connect();
            assert!(provider.wait_until(SOON, |provider| provider.served_count() > served));
            assert_call_ends(&provider, || drop(socket));
        }
        assert!(server.messages(&flow).is_empty(), "nothing was said");
    }
}

#[test]
fn a_caller_that_leaves_a_stream_keeps_what_was_said() {
    for format in ProviderFormat::ALL {
        let (server, provider) = (Server::start(), Provider::start());
        let flow = server.flow(&format.conversation(&server, &provider.base_url(), json!({})));
        provider.push_behaviour(slow());
        let mut stream = ask(&server, &flow, true).open();
        stream.read_until("three");
        assert_call_ends(&provider, || drop(stream));
        let kept = messages(&server, &flow, 2);
        let said = kept[1]["content"].as_str().unwrap();
        assert!(said.starts_with("one two three ") && said.len() < 98, "{said}");
        assert_eq!((&kept[0]["content"], &kept[1]["stopped"]), (&json!("Tell me all"), &json!(true)));
    }
}

#[test]
fn a_caller_that_leaves_a_whole_answer_keeps_what_was_said() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.push_behaviour(slow());
    let socket = ask(&server, &flow, false).connect();
    assert!(provider.wait_until(SOON, |provider| provider.served_count() == 1));
    std::thread::sleep(Duration::from_millis(500));
    assert_call_ends(&provider, || drop(socket));
    let kept = messages(&server, &flow, 2);
    assert!(kept[1]["content"].as_str().unwrap().starts_with("one "), "{kept:?}");
    assert_eq!((&kept[0]["stopped"], &kept[1]["stopped"]), (&json!(false), &json!(true)));
}

#[test]
fn a_caller_that_leaves_while_a_429_is_waited_for_ends_the_tries() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.set_decision(|_| Behaviour::rate_limited(Some("2")));
    let socket = ask(&server, &flow, false).connect();
    assert!(provider.wait_until(SOON, |provider| provider.served_count() == 1));
    drop(socket);
    std::thread::sleep(Duration::from_millis(3_000));
    assert_eq!(provider.served_count(), 1);
}

#[test]
fn a_caller_that_leaves_does_not_disturb_the_others() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.set_decision(|_| slow());
    let mut leaver = ask(&server, &flow, true).open();
    let stayer = ask(&server, &flow, true).open();
    leaver.read_until("two");
    assert_call_ends(&provider, || drop(leaver));
    let answer = stayer.finish();
    assert_eq!(answer.event_names(), ["start", "token", "metadata", "end"]);
    assert_eq!(provider.disconnects(), 1);
}

#[test]
fn a_stream_that_can_finish_does_while_the_service_stops() {
    let mut server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.push_behaviour(slow());
    let mut stream = ask(&server, &flow, true).open();
    stream.read_until("three");
    server.stop();
    let answer = stream.finish();
    assert!(answer.text().contains("ten "), "{answer:?}");
    assert!(!answer.event_names().iter().any(|name| name == "error"), "{answer:?}");
    assert_eq!(answer.events().last().unwrap(), &("end".to_owned(), json!("[DONE]")));
    assert_eq!(provider.disconnects(), 0);
}

#[test]
fn a_stopping_service_refuses_new_questions_and_finishes_old_ones() {
    let mut server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.push_behaviour(slow());
    let old = ask(&server, &flow, false).connect();
    assert!(provider.wait_until(SOON, |provider| provider.served_count() == 1));
    server.stop();
    let end = Instant::now() + SOON;
    let refused = loop {
        // The word to stop travels; a question that comes before it is answered.
        let answer = ask(&server, &flow, false).send();
        if answer.status == 503 {
            break answer;
        }
        assert!(Instant::now() < end, "{answer:?}");
    };
    refused.is_error(503);
    assert_eq!(refused.json()["code"], "UNAVAILABLE");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() > 0);
    let answer = crate::support::client::read(old);
    assert!(answer.is(200).json()["text"].as_str().unwrap().ends_with("ten "));
}

#[test]
fn two_hundred_questions_at_once_are_all_answered() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.set_decision(|_| {
        Behaviour::Reply(Reply { first_byte: Duration::from_millis(300), ..Reply::text("Yes.") })
    });
    let sockets: Vec<_> = (0..200).map(|_| ask(&server, &flow, true).connect()).collect();
    for socket in sockets {
        assert_eq!(crate::support::client::read(socket).streamed_text(), "Yes.");
    }
    assert_eq!(server.messages(&flow).len(), 400);
}
