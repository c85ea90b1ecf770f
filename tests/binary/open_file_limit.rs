//! More callers than the system lets a process have files open.

use crate::Home;
use crate::program::{Program, command, free_port};
use crate::wire::{Wire, request};
use std::process::Command;
use std::time::Duration;

/// Starts the service where a process may open this many files.
fn serve_with_file_limit(home: &Home, files: u32) -> Program {
    let port = free_port();
    let inner = command(&["serve", "--data-dir", home.data(), "--port", &port.to_string()]);
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        &format!("ulimit -n {files} && exec \"$0\" \"$@\""),
        inner.get_program().to_str().unwrap(),
    ]);
    shell.args(inner.get_args()).env_clear();
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    let mut program = Program::start(shell, &home.data.with_extension("log"));
    program.address.set_port(port);
    program.first_line();
    program
}

/// Lines of the log that speak of open files.
fn lines(program: &Program) -> Vec<String> {
    program.log().lines().filter(|line| line.contains("files")).map(str::to_owned).collect()
}

#[test]
fn without_a_descriptor_left_callers_are_turned_away_and_one_line_says_why() {
    let home = Home::new();
    let program = serve_with_file_limit(&home, 64);
    let at_start = lines(&program);
    assert_eq!(at_start.len(), 1, "{at_start:?}");
    assert!(at_start[0].contains("only 64 files") && at_start[0].contains("LimitNOFILE"), "{at_start:?}");

    let mut held: Vec<Wire> = (0..80).map(|_| program.wire()).collect();
    let mut refused = 0;
    for wire in &mut held {
        // Those that hold the descriptors are silent; the others are told.
        if refused < 3 && wire.is_readable_within(Duration::from_millis(500)) {
            let answer = wire.answer().unwrap();
            assert_eq!((answer.status(), answer.json()["code"].as_str()), (503, Some("UNAVAILABLE")));
            assert!(answer.header("retry-after").is_some());
            refused += 1;
        }
    }
    assert!(refused > 0, "{}", program.log());
    let said = lines(&program);
    assert_eq!(said.len(), 2, "{said:?}");
    for part in ["limit of 64 open files", "\"open\":6", "503", "ulimit -n"] {
        assert!(said[1].contains(part), "{said:?}");
    }
    assert!(!program.log().contains("Uncategorized"));

    drop(held);
    let served = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        program.wire().ask(&request("GET", "/ready", &[], b"")).is_ok_and(|answer| answer.status() == 200)
    });
    assert!(served, "{}", program.log());
}

#[test]
fn with_room_enough_nothing_is_said() {
    let home = Home::new();
    let program = serve_with_file_limit(&home, 4_096);
    assert_eq!(lines(&program), Vec::<String>::new());
}
