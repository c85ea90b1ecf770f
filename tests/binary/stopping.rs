//! The stop under load (spec 6, 7).

use crate::program::{Program, Throwaway, throwaway};
use crate::slow_canvas;
use crate::wire::{Wire, events, request};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A stop may take this long, whatever is under way.
const STOP_MAX: Duration = Duration::from_secs(15);
/// Long enough for a request that was sent to have begun.
const BEGUN: Duration = Duration::from_millis(300);

/// Asks a flow and does not wait for the answer.
fn open(program: &Program, flow: &str, streaming: bool) -> Wire {
    let mut wire = program.wire();
    let body = json!({"question": "go", "streaming": streaming}).to_string();
    wire.send(&request("POST", &format!("/api/v1/prediction/{flow}"), &[], body.as_bytes())).unwrap();
    wire
}

/// Asks for a stream and waits for its first words.
fn open_stream(program: &Program, flow: &str) -> (Wire, Vec<u8>) {
    let mut wire = open(program, flow, true);
    assert_eq!(wire.head().unwrap().status, 200);
    let mut body = Vec::new();
    while !events(&body).iter().any(|(name, _)| name == "token") {
        assert!(wire.chunk_into(&mut body).unwrap(), "the stream ended early");
    }
    (wire, body)
}

fn flow(service: &Throwaway, words: usize) -> String {
    service.program.make_flow(&service.key, "Slow", &slow_canvas(words, 100))
}

#[test]
fn a_stop_ends_streams_refuses_newcomers_and_lets_answers_finish() {
    let mut service = throwaway(&[]);
    let (short, long) = (flow(&service, 30), flow(&service, 1_000));
    let mut whole = open(&service.program, &short, false);
    let (mut stream, mut streamed) = open_stream(&service.program, &long);
    std::thread::sleep(BEGUN);
    let told = Instant::now();
    service.program.signal(Signal::TERM);

    while stream.chunk_into(&mut streamed).unwrap() {}
    let events = events(&streamed);
    let [.., error, end] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(
        (error.0.as_str(), &error.1["status"], &error.1["code"]),
        ("error", &json!(503), &json!("UNAVAILABLE"))
    );
    assert_eq!(end, &("end".to_owned(), json!("[DONE]")));

    let refused = service.program.ask(&short, &json!({"question": "too late"}));
    let body = refused.json();
    assert_eq!(
        (refused.status(), &body["statusCode"], &body["code"]),
        (503, &json!(503), &json!("UNAVAILABLE"))
    );
    assert!(refused.header("retry-after").is_some_and(|value| value.parse::<u32>().is_ok()));

    let answer = whole.answer().unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(answer.json()["text"].as_str().unwrap().matches("word").count(), 30);
    assert_eq!(service.program.wait().code(), Some(0), "{}", service.program.log());
    assert!(told.elapsed() < STOP_MAX, "{:?}", told.elapsed());
}

#[test]
fn an_answer_that_takes_too_long_does_not_hold_the_stop() {
    let mut service = throwaway(&[]);
    let endless = flow(&service, 1_000);
    let mut whole = open(&service.program, &endless, false);
    std::thread::sleep(BEGUN);
    let told = Instant::now();
    service.program.signal(Signal::TERM);
    let answer = whole.answer().unwrap();
    let body: Value = answer.json();
    assert_eq!((answer.status(), &body["code"]), (503, &json!("UNAVAILABLE")));
    assert!(answer.header("retry-after").is_some());
    assert_eq!(service.program.wait().code(), Some(0), "{}", service.program.log());
    assert!(told.elapsed() < STOP_MAX, "{:?}", told.elapsed());
}

#[test]
fn a_second_signal_stops_at_once() {
    let mut service = throwaway(&[]);
    let endless = flow(&service, 1_000);
    let (_stream, _) = open_stream(&service.program, &endless);
    let _whole = open(&service.program, &endless, false);
    std::thread::sleep(BEGUN);
    let told = Instant::now();
    service.program.signal(Signal::TERM);
    std::thread::sleep(BEGUN);
    service.program.signal(Signal::INT);
    assert_eq!(service.program.wait().code(), Some(1));
    assert!(told.elapsed() < Duration::from_secs(6), "{:?}", told.elapsed());
}
