//! What the service costs: `cargo bench` starts the release program and a stand-in provider, each in its own process,
//! and prints the figures of `tests/bench/README.md`.
//!
//! `cargo bench --bench service -- latency rate streams paced start uploads` picks parts; without a name all of them run.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be made has failed")]

mod bare;
mod callers;
mod figures;
mod memory;
mod model;
mod starts;
mod streams;
mod uploads;

#[path = "../support/canvases.rs"]
mod canvases;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/provider/mod.rs"]
mod provider;
#[path = "../support/samples.rs"]
mod samples;
#[path = "../support/wire.rs"]
mod wire;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let told = |word: &str| arguments.iter().any(|argument| argument == word);
    raise_open_files();
    // The two other roles, each a process of its own.
    if told("--provider") {
        return model::serve();
    }
    if told("--bare") {
        return bare::serve(arguments.last().expect("the provider's address"));
    }
    let parts: [(&str, fn()); 6] = [
        ("latency", callers::latency),
        ("rate", callers::rate),
        ("streams", streams::report),
        ("paced", streams::run_paced),
        ("start", starts::report),
        ("uploads", uploads::report),
    ];
    let all = !parts.iter().any(|(name, _)| told(name));
    for (name, part) in parts {
        if all || told(name) {
            part();
        }
    }
}

/// A thousand streams are two thousand sockets.
fn raise_open_files() {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
}
