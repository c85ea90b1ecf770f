//! The command line as a whole.

use super::*;
use clap::CommandFactory as _;

fn commands(command: clap::Command, path: &str, each: &mut dyn FnMut(&str, &clap::Command)) {
    each(path, &command);
    for inner in command.get_subcommands() {
        commands(inner.clone(), &format!("{path} {}", inner.get_name()), each);
    }
}

#[test]
fn the_definition_holds_together() {
    Args::command().debug_assert();
}

#[test]
fn every_flag_names_its_variable() {
    let mut count = 0;
    commands(Args::command(), "flowkeep", &mut |path, command| {
        for flag in command.get_arguments().filter(|flag| !flag.is_positional()) {
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("[env: SERVICE_"), "{path} --{}: {help}", flag.get_id());
            count += 1;
        }
    });
    assert!(count >= 20, "{count}");
}

#[test]
fn the_commands_are_those_of_contract_2() {
    let mut names = Vec::new();
    commands(Args::command(), "flowkeep", &mut |path, command| {
        assert!(command.get_about().is_some(), "{path} has no help");
        names.push(path.to_owned());
    });
    let expected = [
        "flowkeep",
        "flowkeep serve",
        "flowkeep ask",
        "flowkeep key",
        "flowkeep key create",
        "flowkeep key list",
        "flowkeep key revoke",
        "flowkeep owner",
        "flowkeep owner reset-password",
        "flowkeep user",
        "flowkeep user list",
        "flowkeep user disable",
        "flowkeep user enable",
        "flowkeep history",
        "flowkeep history log",
        "flowkeep history show",
        "flowkeep history diff",
        "flowkeep history verify",
        "flowkeep export",
        "flowkeep import",
        "flowkeep openapi",
        "flowkeep completions",
    ];
    assert_eq!(names, expected);
}

#[test]
fn usage_is_judged_before_anything_is_done() {
    let good = [
        "serve",
        "serve --demo --port 0",
        "serve --throwaway --host ::1 --base-url http://a",
        "ask x y",
        "ask --file f y",
        "key create --name n --permission a:b --permission c:d",
        "key create --name n --all --data-dir /x",
        "key list",
        "key revoke x",
        "owner reset-password --random",
        "user list",
        "user disable a@example.org",
        "--log debug openapi",
        "completions bash",
    ];
    for line in good {
        let words = std::iter::once("flowkeep").chain(line.split(' '));
        assert!(Args::try_parse_from(words).is_ok(), "{line}");
    }
    let bad = [
        "",
        "fly",
        "serve extra",
        "serve --port",
        "ask",
        "ask --file f --key k x",
        "key",
        "key create --all --permission a:b",
        "key revoke",
        "owner",
        "owner reset-password --random --password x",
        "user",
        "user enable",
        "completions",
        "completions fishy",
    ];
    for line in bad {
        let words = std::iter::once("flowkeep").chain(line.split(' ').filter(|word| !word.is_empty()));
        assert!(Args::try_parse_from(words).is_err(), "{line}");
    }
}

#[test]
fn a_checkout_is_known_by_its_manifest_and_its_target() {
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("target/debug/flowkeep");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "").unwrap();
    let place = |program: &std::path::Path| Place {
        folder: Some(root.path().into()),
        program: Some(program.into()),
        workers: program.into(),
    };
    assert!(place(&program).checkout().is_none());
    fs::write(root.path().join("Cargo.toml"), "[package]\nname = \"other\"\n").unwrap();
    assert!(place(&program).checkout().is_none());
    fs::write(root.path().join("Cargo.toml"), "[package]\nname = \"flowkeep\"\n").unwrap();
    assert_eq!(place(&program).checkout(), fs::canonicalize(root.path()).ok());
    let installed = root.path().join("flowkeep");
    fs::write(&installed, "").unwrap();
    assert!(place(&installed).checkout().is_none());
}
