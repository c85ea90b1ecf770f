//! What providers of models answer: streams and whole replies, in every format.

use crate::{fuzz, seeds};
use flowkeep::base::cancel::CancelToken;
use flowkeep::llm::{
    Anthropic, Bedrock, ChatMessage, ChatModel, ChatRequest, Cohere, Delta, Endpoint, Google, Ollama, OpenAi,
    ProviderKey,
};
use flowkeep::net::Outgoing;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const WORDS: &[&str] = &[
    "data: ",
    "data:[DONE]\n\n",
    "event: message_start\n",
    "event: error\n",
    "\n\n",
    "\r\n\r\n",
    ": ping\n",
    "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}",
    "\"tool_calls\":[{\"index\":",
    "\"finish_reason\":\"stop\"",
    "\"usage\":{\"prompt_tokens\":",
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":",
    "\"candidates\":[",
    "\"message\":{\"content\":",
    "\"done\":true",
    "\\ud83d",
    "\u{feff}",
    "id: 1\n",
    "retry: 99999999999\n",
];

/// A provider that answers every request with the same bytes; its address.
fn provider(body: Arc<Mutex<Vec<u8>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let body = body.lock().unwrap().clone();
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let (mut seen, mut piece) = (Vec::new(), [0; 4096]);
            // A small request comes with its body in one piece or two.
            while !seen.windows(4).any(|end| end == b"\r\n\r\n") || !seen.ends_with(b"}") {
                match stream.read(&mut piece) {
                    Ok(0) | Err(_) => break,
                    Ok(count) => seen.extend_from_slice(&piece[..count]),
                }
            }
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
            );
            let _ = stream.write_all(&body);
        }
    });
    address
}

#[test]
fn replies_of_providers() {
    let body = Arc::new(Mutex::new(Vec::new()));
    let address = provider(body.clone());
    let outgoing = Outgoing::new(Vec::new(), true);
    let endpoint = |path: &str| {
        Endpoint::new(outgoing.clone(), &format!("{address}{path}"), Some(ProviderKey::new("sk-test-key")))
    };
    let models = |streaming: bool| -> Vec<Box<dyn ChatModel>> {
        let mut openai = OpenAi::new(endpoint("/v1"), "m");
        openai.streaming = streaming;
        let mut anthropic = Anthropic::new(endpoint(""), "m");
        anthropic.streaming = streaming;
        let mut google = Google::new(endpoint(""), "m");
        google.streaming = streaming;
        vec![
            Box::new(openai),
            Box::new(anthropic),
            Box::new(google),
            Box::new(Ollama { streaming, ..Ollama::new(endpoint(""), "m") }),
            Box::new(Cohere { endpoint: endpoint(""), model: "m".into(), temperature: None, streaming }),
            Box::new(Bedrock { streaming, ..Bedrock::new(endpoint(""), "m") }),
        ]
    };
    let all: Vec<_> = models(true).into_iter().chain(models(false)).collect();
    let request = ChatRequest { messages: vec![ChatMessage::user("Hi")], ..ChatRequest::default() };
    let mut turn = 0;
    fuzz("models", seeds("models"), WORDS, |input| {
        turn += 1;
        *body.lock().unwrap() = input.to_vec();
        let model = &all[turn % all.len()];
        let cancel = CancelToken::new(Some(Duration::from_secs(20)));
        let mut pieces = 0;
        let reply = model.chat(&request, &cancel, &mut |_: Delta<'_>| {
            pieces += 1;
            Ok(())
        });
        assert!(cancel.reason().is_none(), "a reply that ended must not be waited for");
        match reply {
            Ok(reply) => (pieces.min(9), reply.calls.len().to_string()),
            Err(error) => (pieces.min(9), error.kind().to_owned()),
        }
    });
}
