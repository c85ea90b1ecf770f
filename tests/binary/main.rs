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
mod copy;
mod demo;
mod disk_corruption;
mod encrypted_backups;
mod file_permissions;
#[path = "../support/git_host/mod.rs"]
mod git_host;
#[cfg(unix)]
mod installation;
mod log_lines;
mod logging;
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
mod stopping;
mod upgrades;
#[path = "../support/wire.rs"]
mod wire;

use program::{Program, error_output, run, standard_output};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A temporary folder, and in it the place of the data; a log lies beside the data.
struct Home {
    folder: tempfile::TempDir,
    data: PathBuf,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self { folder, data }
    }

    fn data(&self) -> &str {
        self.data.to_str().unwrap()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn serve(&self) -> Program {
        Program::serve(&self.data, &[])
    }

    /// Runs a command on the data.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut all = arguments.to_vec();
        all.extend_from_slice(&["--data-dir", self.data()]);
        run(&all)
    }

    /// Runs a command that must succeed; what it printed.
    fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", error_output(&output));
        standard_output(&output)
    }

    /// Makes a key that may do everything.
    fn key(&self, name: &str) -> String {
        self.good(&["key", "create", "--name", name, "--all"]).trim().to_owned()
    }
}

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
