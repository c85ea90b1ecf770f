//! Commands that print something and end.

use crate::program::{error_output, run, standard_output};
use flowkeep::http::routing::routes;
use serde_json::Value;

const COMMANDS: [&[&str]; 17] = [
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
