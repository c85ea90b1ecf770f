//! The stop under load (manual 13.6).

use crate::program::{Program, Throwaway, throwaway};
use crate::slow_canvas;
use crate::wire::{Wire, events, request};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A stop may take this long, whatever is under way: less than the unit in `packaging/` waits.
const STOP_MAX: Duration = Duration::from_secs(35);
/// What is under way has at least this long to end by itself.
const RUNS_LEFT: Duration = Duration::from_secs(24);
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
fn a_stop_refuses_newcomers_and_lets_answers_and_streams_finish() {
    let mut service = throwaway(&[]);
    let short = flow(&service, 30);
    let mut whole = open(&service.program, &short, false);
    let (mut stream, mut streamed) = open_stream(&service.program, &short);
    std::thread::sleep(BEGUN);
    service.program.signal(Signal::TERM);
    std::thread::sleep(BEGUN);

    let refused = service.program.ask(&short, &json!({"question": "too late"}));
    let body = refused.json();
    assert_eq!(
        (refused.status(), &body["statusCode"], &body["code"]),
        (503, &json!(503), &json!("UNAVAILABLE"))
    );
    assert!(refused.header("retry-after").is_some_and(|value| value.parse::<u32>().is_ok()));

    while stream.chunk_into(&mut streamed).unwrap() {}
    let events = events(&streamed);
    assert_eq!(events.iter().filter(|(name, _)| name == "error").count(), 0, "{events:?}");
    let words: String =
        events.iter().filter(|(name, _)| name == "token").filter_map(|(_, data)| data.as_str()).collect();
    assert_eq!(words.matches("word").count(), 30, "{words}");
    assert_eq!(events.last(), Some(&("end".to_owned(), json!("[DONE]"))));

    let answer = whole.answer().unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(answer.json()["text"].as_str().unwrap().matches("word").count(), 30);
    assert_eq!(service.program.wait().code(), Some(0), "{}", service.program.log());
}

#[test]
fn what_takes_longer_than_the_stop_may_is_told_so() {
    let mut service = throwaway(&[]);
    let endless = flow(&service, 1_000);
    let mut whole = open(&service.program, &endless, false);
    let (mut stream, mut streamed) = open_stream(&service.program, &endless);
    std::thread::sleep(BEGUN);
    let told = Instant::now();
    service.program.signal(Signal::TERM);
    while stream.chunk_into(&mut streamed).unwrap() {}
    assert!(told.elapsed() > RUNS_LEFT, "{:?}", told.elapsed());
    let events = events(&streamed);
    let [.., error, end] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(
        (error.0.as_str(), &error.1["status"], &error.1["code"]),
        ("error", &json!(503), &json!("UNAVAILABLE"))
    );
    assert_eq!(end, &("end".to_owned(), json!("[DONE]")));
    let answer = whole.answer().unwrap();
    let body: Value = answer.json();
    assert_eq!((answer.status(), &body["code"]), (503, &json!("UNAVAILABLE")));
    assert!(answer.header("retry-after").is_some());
    assert_eq!(service.program.wait().code(), Some(0), "{}", service.program.log());
    assert!(told.elapsed() < STOP_MAX, "{:?}", told.elapsed());
}

#[test]
fn signals_that_mean_nothing_here_end_nothing() {
    let mut service = throwaway(&[]);
    let mut whole = open(&service.program, &flow(&service, 10), false);
    for _ in 0..3 {
        for signal in [Signal::HUP, Signal::USR1, Signal::USR2] {
            service.program.signal(signal);
            std::thread::sleep(Duration::from_millis(30));
        }
    }
    assert_eq!(whole.answer().unwrap().status(), 200);
    assert_eq!(service.program.get("/ready", &[]).status(), 200);
    let log = service.program.log();
    for name in ["SIGHUP", "SIGUSR1", "SIGUSR2"] {
        assert_eq!(log.matches(name).count(), 1, "{log}");
    }
    service.program.signal(Signal::TERM);
    assert_eq!(service.program.wait().code(), Some(0));
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
