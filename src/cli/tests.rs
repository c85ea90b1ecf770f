//! The command line as a whole.

use super::*;

fn commands(command: clap::Command, path: &str, each: &mut dyn FnMut(&str, &clap::Command)) {
    each(path, &command);
    for inner in command.get_subcommands() {
        commands(inner.clone(), &format!("{path} {}", inner.get_name()), each);
    }
}

#[test]
fn the_definition_holds_together() {
    Cli::command().debug_assert();
}

#[test]
fn every_flag_names_its_variable() {
    let mut count = 0;
    commands(Cli::command(), "flowkeep", &mut |path, command| {
        for flag in command.get_arguments().filter(|flag| !flag.is_positional()) {
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("[env: SERVICE_"), "{path} --{}: {help}", flag.get_id());
            count += 1;
        }
    });
    assert!(count >= 20, "{count}");
}

/// What people are told to type must be there.
#[test]
fn every_command_that_a_text_names_exists() {
    let mut known = std::collections::HashSet::new();
    commands(Cli::command(), "flowkeep", &mut |path, _| {
        known.insert(path.to_owned());
    });
    let named =
        regex::Regex::new("['`\"(]flowkeep ([a-z]+(?: [a-z]+(?:-[a-z]+)*)?)").expect("it is a pattern");
    let (mut count, mut folders) = (0, vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))]);
    let mut files = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the source is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for file in files {
        let text = fs::read_to_string(&file).expect("source is text");
        for found in named.captures_iter(&text) {
            let command = format!("flowkeep {}", &found[1]);
            let first: String = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
            assert!(known.contains(&command) || known.contains(&first), "{}: {command}", file.display());
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

/// A token is base64url and a password is anything: one of 64 begins with a hyphen, and is a value all the same.
#[test]
fn secrets_and_tokens_may_begin_with_a_hyphen() {
    let mut count = 0;
    commands(Cli::command(), "flowkeep", &mut |path, command| {
        for flag in command.get_arguments().filter(|flag| !flag.is_positional()) {
            let name = flag.get_id().as_str();
            let free =
                ["key", "token", "password", "secret", "chat_id"].iter().any(|end| name.ends_with(end));
            if free && flag.get_action().takes_values() {
                assert!(flag.is_allow_hyphen_values_set(), "{path} --{name}");
                count += 1;
            }
        }
    });
    assert!(count >= 5, "{count}");
    let words = ["flowkeep", "ask", "--session-token", "-aB3", "f", "hello", "--json"];
    assert!(Cli::try_parse_from(words).is_ok());
}

#[test]
fn variables_of_flags_are_found_in_their_help() {
    let (switches, others) = variables_of_commands();
    for name in ["SERVICE_DEMO", "SERVICE_JSON", "SERVICE_PUBLISH_ALL"] {
        assert!(switches.iter().any(|known| known == name), "{switches:?}");
    }
    for name in
        ["SERVICE_PORT", "SERVICE_IMPORT_EXISTING", "SERVICE_URL", "SERVICE_KEY_NAME", "SERVICE_EXPORT_FILE"]
    {
        assert!(others.iter().any(|known| known == name), "{others:?}");
    }
}

#[test]
fn help_is_grouped_and_fits_a_terminal() {
    commands(Cli::command(), "flowkeep", &mut |path, command| {
        let help = command.clone().max_term_width(100).render_long_help().to_string();
        // An address or a list without spaces cannot be wrapped.
        let long = help.lines().find(|line| line.chars().count() > 110);
        assert_eq!(long, None, "{path}");
    });
    let mut args = Cli::command();
    args.build();
    let key = args
        .find_subcommand("key")
        .unwrap()
        .find_subcommand("create")
        .unwrap()
        .clone()
        .render_help()
        .to_string();
    assert!(key.contains("\n  chatflows ") && key.contains("Everywhere:"), "{key}");
    assert!(!key.contains("workspace:"), "what only people hold is not offered: {key}");
}

#[test]
fn the_commands_are_those_of_contract_2() {
    let mut names = Vec::new();
    commands(Cli::command(), "flowkeep", &mut |path, command| {
        assert!(command.get_about().is_some(), "{path} has no help");
        names.push(path.to_owned());
    });
    let expected = [
        "flowkeep",
        "flowkeep serve",
        "flowkeep ask",
        "flowkeep check",
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
        "flowkeep mail",
        "flowkeep mail test",
        "flowkeep history",
        "flowkeep history log",
        "flowkeep history show",
        "flowkeep history diff",
        "flowkeep history verify",
        "flowkeep history push",
        "flowkeep history restart",
        "flowkeep data",
        "flowkeep data verify",
        "flowkeep backup",
        "flowkeep compact",
        "flowkeep verify",
        "flowkeep restore",
        "flowkeep upgrade",
        "flowkeep export",
        "flowkeep import",
        "flowkeep publish",
        "flowkeep promote",
        "flowkeep status",
        "flowkeep healthcheck",
        "flowkeep doctor",
        "flowkeep config",
        "flowkeep config check",
        "flowkeep openapi",
        "flowkeep completions",
        "flowkeep man",
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
        "backup /x/b.tar.zst --without-secrets",
        "backup -",
        "verify -",
        "restore b.tar.zst --replace --data-dir /x",
        "upgrade --check",
        "doctor --fix --json",
        "config --json",
        "config check",
        "serve --port -1",
        "history diff f v --json",
        "key list --json",
        "ask --file f --name n --credential openAIApi=openAIApiKey:x y",
        "import f --preview --update",
        "import f --skip --json",
        "import --from-flowise d --key k --from-workspace w --preview --json",
        "publish --all --json",
        "publish x y",
        "data verify --json",
        "--log debug openapi",
        "completions bash",
        "man",
        "man d",
    ];
    for line in good {
        let words = std::iter::once("flowkeep").chain(line.split(' '));
        assert!(Cli::try_parse_from(words).is_ok(), "{line}");
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
        "import f --key k",
        "import --from-flowise d --update",
        "import f --update --duplicate",
        "publish",
        "publish --all x",
        "completions",
        "completions fishy",
        "man a b",
        "man --to",
    ];
    for line in bad {
        let words = std::iter::once("flowkeep").chain(line.split(' ').filter(|word| !word.is_empty()));
        assert!(Cli::try_parse_from(words).is_err(), "{line}");
    }
}

#[test]
fn a_checkout_is_known_by_its_manifest_and_its_target() {
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("target/debug/flowkeep");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "").unwrap();
    let place = |program: &std::path::Path| ProgramPaths {
        current_dir: Some(root.path().into()),
        program: Some(program.into()),
        worker_program: program.into(),
        variable_names: Vec::new(),
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
