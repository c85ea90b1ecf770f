//! Commands that print something and end.

use crate::program::{error_output, run, standard_output};
use flowkeep::http::routing::routes;
use serde_json::Value;
use std::fs;

const COMMANDS: [&[&str]; 18] = [
    &[],
    &["serve"],
    &["ask"],
    &["key"],
    &["key", "create"],
    &["key", "list"],
    &["key", "revoke"],
    &["owner"],
    &["owner", "reset-password"],
    &["export"],
    &["import"],
    &["publish"],
    &["promote"],
    &["config"],
    &["config", "check"],
    &["openapi"],
    &["completions"],
    &["man"],
];

fn with(command: &[&str], flag: &str) -> std::process::Output {
    let mut arguments = command.to_vec();
    arguments.push(flag);
    run(&arguments)
}

#[test]
fn every_command_has_help() {
    for command in COMMANDS {
        let output = with(command, "--help");
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", error_output(&output));
        assert!(
            standard_output(&output).contains("Usage: flowkeep") && error_output(&output).is_empty(),
            "{command:?}"
        );
    }
}

#[test]
fn an_unknown_flag_is_wrong_usage_and_is_named() {
    for command in COMMANDS {
        let output = with(command, "--nonsense");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(
            error_output(&output).contains("--nonsense") && standard_output(&output).is_empty(),
            "{command:?}"
        );
    }
    assert_eq!(run(&["nonsense"]).status.code(), Some(2));
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[test]
fn the_version_is_that_of_the_package() {
    let output = run(&["--version"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(standard_output(&output), concat!("flowkeep ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn there_are_completions_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        for word in ["flowkeep", "reset-password", "throwaway"] {
            assert!(standard_output(&output).contains(word), "{shell} {word}");
        }
    }
    assert_eq!(run(&["completions", "nonsense"]).status.code(), Some(2));
}

#[test]
fn the_manual_page_of_the_program_is_printed() {
    let output = run(&["man"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    let page = standard_output(&output);
    for part in [".TH flowkeep 1 \"\" ", ".SH NAME", ".SH SYNOPSIS", ".SH SUBCOMMANDS", "flowkeep\\-serve(1)"]
    {
        assert!(page.contains(part), "{part} is missing:\n{page}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    // The folder is made, and a second run writes the same over the first.
    let pages = folder.path().join("share/man1");
    let write = || {
        let output = run(&["man", pages.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
        assert!(standard_output(&output).is_empty());
        COMMANDS.map(|command| {
            let name = [&["flowkeep"], command].concat().join("-");
            let page = fs::read_to_string(pages.join(format!("{name}.1"))).expect(&name);
            assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}:\n{page}");
            // The flags of every command are on each page.
            assert!(page.contains("data\\-dir"), "{name}:\n{page}");
            page
        })
    };
    assert_eq!(write(), write());
    assert!(!pages.join("flowkeep-help.1").exists());
}

#[test]
fn a_folder_for_manual_pages_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let output = run(&["man", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_output(&output).contains(file.to_str().unwrap()), "{}", error_output(&output));
}

#[test]
fn the_api_description_has_every_route() {
    let output = run(&["openapi"]);
    assert_eq!(output.status.code(), Some(0));
    let document: Value = serde_json::from_str(&standard_output(&output)).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for route in routes::service_routes() {
        let part = |part: &str| match part.strip_prefix(':') {
            Some(name) => format!("{{{name}}}"),
            None => part.to_owned(),
        };
        let path = route.pattern.split('/').map(part).collect::<Vec<_>>().join("/");
        let method = route.method.as_str().to_ascii_lowercase();
        assert!(document["paths"][&path][&method].is_object(), "{method} {path} is missing");
    }
}
