//! Streamed answers that are open at the same time: what they hold of the service.

use crate::Home;
use crate::canvases;
use crate::program::{OWNER, Program};
use crate::provider::{Behaviour, Provider, Reply};
use crate::wire::{Wire, events, request};
use serde_json::json;
use std::time::Duration;

const STREAMS: usize = 40;
const TOKENS: usize = 60;

/// How many threads of requests a process has.
fn request_threads(process: u32) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "request").count()
}

#[test]
fn an_answer_that_only_waits_for_its_model_holds_no_thread() {
    let (home, provider) = (Home::new(), Provider::start());
    let tokens = vec!["word ".to_owned(); TOKENS];
    let reply = Reply { tokens, token_delay: Duration::from_millis(100), ..Reply::text("") };
    provider.set_decision(move |_| Behaviour::Reply(reply.clone()));
    let program = Program::serve(home.data.as_path(), &[]);
    let cookie = program.sign_in(OWNER.0, OWNER.1).unwrap();
    let canvas = canvases::openai(&format!("{}/v1", provider.base_url()), "model-1", true);
    let body =
        json!({"name": "open", "type": "CHATFLOW", "flowData": canvas.to_string(), "publishInstantly": true});
    let made = program.call("POST", "/api/v1/chatflows", &[("cookie", &cookie)], &body).json();
    let path = format!("/api/v1/prediction/{}", made["id"].as_str().unwrap());
    let question = json!({"question": "Hi", "streaming": true}).to_string();
    let asked = request("POST", &path, &[], question.as_bytes());

    let mut open: Vec<(Wire, Vec<u8>)> = Vec::new();
    for _ in 0..STREAMS {
        let (mut wire, mut said) = (program.wire(), Vec::new());
        wire.send(&asked).unwrap();
        assert_eq!(wire.head().unwrap().status, 200);
        while !events(&said).iter().any(|(name, _)| name == "token") {
            assert!(wire.chunk_into(&mut said).unwrap());
        }
        open.push((wire, said));
    }
    let threads = request_threads(program.process_id());
    assert!(threads <= STREAMS / 4, "{threads} threads for {STREAMS} open answers");
    for (mut wire, mut said) in open {
        while wire.chunk_into(&mut said).unwrap() {}
        let events = events(&said);
        assert_eq!(events.iter().filter(|(name, _)| name == "token").count(), TOKENS);
        assert_eq!(events.last().map(|(name, _)| name.as_str()), Some("end"));
    }
}
