//! The built program as an operator meets it: its commands, what it prints, how it starts and how it stops (manual 13.1,
//! 13.6).

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

mod ask_command;
mod backups;
#[path = "../support/canvases.rs"]
mod canvases;
mod check_command;
#[cfg(unix)]
mod compaction;
#[path = "../support/connected.rs"]
mod connected;
mod copy;
mod demo;
mod disk_corruption;
#[cfg(unix)]
mod documentation;
mod encrypted_backups;
mod file_permissions;
#[path = "../support/git_host/mod.rs"]
mod git_host;
#[path = "../support/home.rs"]
mod home;
#[cfg(unix)]
mod installation;
#[path = "../support/kills.rs"]
mod kills;
mod log_lines;
mod logging;
mod mail;
#[path = "../support/mail_server.rs"]
mod mail_server;
mod move_in;
#[cfg(target_os = "linux")]
mod open_answers;
#[cfg(target_os = "linux")]
mod open_file_limit;
mod operator;
mod other_products;
mod print_commands;
#[path = "../support/program.rs"]
mod program;
mod programs;
#[path = "../support/provider/mod.rs"]
mod provider;
mod proxies;
mod schedules;
mod several;
mod spans;
mod starting;
#[path = "../support/steps.rs"]
mod steps;
mod stopping;
mod upgrades;
#[path = "../support/wire.rs"]
mod wire;

use home::Home;
use program::{Program, error_output, standard_output};
use serde_json::{Value, json};
use std::process::Output;

/// The one line of a command that ended with `code` and printed nothing.
fn one_line(output: &Output, code: i32) -> String {
    let text = error_output(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(standard_output(output), "");
    text.trim_end().to_owned()
}

/// The status of a request that only a key may make.
fn status_with(program: &Program, key: &str) -> u16 {
    program.get("/api/v1/chatflows", &[("authorization", &format!("Bearer {key}"))]).status()
}

/// A canvas that answers any question with `words` words, one every `delay_ms` milliseconds.
fn slow_canvas(words: usize, delay_ms: u64) -> Value {
    canvases::scripted(&json!([{"match": "", "reply": "word ".repeat(words), "delayMs": delay_ms}]), "")
}
