//! What the service costs: `cargo bench` starts the release program and a stand-in provider, each in its own process,
//! and prints the figures of `tests/bench/README.md`.
//!
//! `cargo bench --bench service -- latency rate streams` picks parts; without a name all of them run. The variable
//! `FLOWKEEP_PROGRAM` names another program to measure: one of another day, or one that was built faster. `million 100000`
//! stores fewer answers than a million, `listed 1000` lists fewer runs than a hundred thousand,
//! `conversations 1000` fewer conversations, and `backups 10` saves ten gigabytes and not one.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be made has failed")]

mod agentflows;
mod answers;
mod backups;
mod bare;
mod callers;
mod conversations;
mod figures;
mod memory;
mod model;
mod pipelines;
mod runs;
mod servers;
mod starts;
mod streams;
mod uploads;

#[path = "../support/canvases.rs"]
mod canvases;
#[path = "../support/connected.rs"]
mod connected;
#[path = "../support/git_host/mod.rs"]
mod git_host;
#[path = "../support/home.rs"]
mod home;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/provider/mod.rs"]
mod provider;
#[path = "../support/samples.rs"]
mod samples;
#[path = "../support/steps.rs"]
mod steps;
#[path = "../support/wire.rs"]
mod wire;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let told = |word: &str| arguments.iter().any(|argument| argument == word);
    let files_max = raise_open_files();
    // The two other roles, each a process of its own.
    if told("--provider") {
        return model::serve();
    }
    if told("--bare") {
        return bare::serve(arguments.last().expect("the provider's address"));
    }
    let number = arguments.iter().find_map(|argument| argument.parse().ok());
    let parts: [(&str, &dyn Fn()); 23] = [
        ("latency", &callers::latency),
        ("rate", &callers::rate),
        ("cost", &answers::cost),
        ("turns", &answers::turns),
        ("streams", &streams::report),
        ("paced", &streams::run_paced),
        ("burst", &streams::run_burst),
        ("open", &|| streams::run_open(files_max)),
        ("start", &starts::report),
        ("uploads", &uploads::report),
        ("agent-rate", &agentflows::rate),
        ("agent-cost", &agentflows::cost),
        ("branches", &agentflows::branches),
        ("paused", &runs::paused),
        ("long", &runs::long),
        ("listed", &|| runs::listed(number)),
        ("servers", &servers::report),
        ("backups", &|| backups::report(number)),
        ("conversations", &|| conversations::listed(number)),
        ("pipeline", &|| pipelines::report(number)),
        ("gigabytes", &|| pipelines::gigabytes(number)),
        ("stores", &|| pipelines::stores(number)),
        ("million", &|| answers::million(number)),
    ];
    let all = !parts.iter().any(|(name, _)| told(name));
    for (name, part) in parts {
        if all || told(name) {
            part();
        }
    }
}

/// A thousand streams are two thousand sockets. How many files each process may open.
fn raise_open_files() -> usize {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    most.map_or(usize::MAX, |most| usize::try_from(most).unwrap())
}
