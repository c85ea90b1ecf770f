//! The stand-in provider, as a process of its own: the name of the model says how it answers.

use crate::program::RoleProcess;
use crate::provider::{Behaviour, Provider, RecordedRequest, Reply};
use std::io::{Read as _, Write as _};
use std::time::Duration;

/// Answers at once.
pub const INSTANT: &str = "instant";
/// Thinks for 50 ms, as a very fast model does.
pub const THINKING: &str = "thinking";
/// Thinks for 200 ms.
pub const WAITING: &str = "waiting";
/// Writes 200 tokens, one each 50 ms, as a usual model does.
pub const WRITING: &str = "writing";
/// Writes 200 tokens, one each 5 ms, as a fast model does.
pub const HURRYING: &str = "hurrying";
/// Writes 200 tokens without a pause.
pub const FLOODING: &str = "flooding";
/// Writes a token every two seconds for a minute and a half, so that very many streams are open at once.
pub const LINGERING: &str = "lingering";

/// Tokens of a [`LINGERING`] answer.
pub const LINGERING_TOKENS: usize = 45;
/// Tokens of a [`WRITING`] answer.
pub const TOKENS: usize = 200;
/// Between two of them.
pub const TOKEN_DELAY: Duration = Duration::from_millis(50);

/// Starts the provider's process.
pub fn start() -> RoleProcess {
    RoleProcess::start(&["--provider"])
}

/// The role: prints the address and serves until standard input ends.
pub fn serve() {
    let provider = Provider::start();
    provider.set_decision(answer);
    println!("{}", provider.base_url());
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read(&mut [0]);
}

fn answer(request: &RecordedRequest) -> Behaviour {
    let short = Reply::text("It will rain tomorrow, so take an umbrella.");
    Behaviour::Reply(match request.body["model"].as_str() {
        Some(THINKING) => Reply { first_byte: Duration::from_millis(50), ..short },
        Some(WAITING) => Reply { first_byte: Duration::from_millis(200), ..short },
        Some(HURRYING) => {
            Reply { tokens: vec!["umbrella ".to_owned(); TOKENS], token_delay: TOKEN_DELAY / 10, ..short }
        }
        Some(FLOODING) => Reply { tokens: vec!["umbrella ".to_owned(); TOKENS], ..short },
        Some(LINGERING) => Reply {
            tokens: vec!["umbrella ".to_owned(); LINGERING_TOKENS],
            token_delay: Duration::from_secs(2),
            ..short
        },
        Some(WRITING) => {
            Reply { tokens: vec!["umbrella ".to_owned(); TOKENS], token_delay: TOKEN_DELAY, ..short }
        }
        _ => short,
    })
}

/// The body of the call the service makes.
pub fn body(model: &str, streaming: bool) -> String {
    let mut body = serde_json::json!({
        "model": model, "messages": [{"role": "user", "content": "Will it rain?"}], "stream": streaming,
    });
    if streaming {
        body["stream_options"] = serde_json::json!({"include_usage": true});
    }
    body.to_string()
}
