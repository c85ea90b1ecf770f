//! What keeps the service from starting, in one clear line each.

use crate::program::{OWNER, Program, command};
use crate::{Home, one_line};
use redb::{Database, ReadableDatabase as _, TableDefinition};
use std::net::TcpListener;
use std::path::Path;

const META: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("meta");

#[test]
fn a_second_service_on_the_same_folder_is_refused() {
    let home = Home::new();
    let first = home.serve();
    let line = one_line(&home.run(&["serve", "--port", "0"]), 1);
    assert!(line.contains("in use by another running flowkeep"), "{line}");
    assert_eq!(first.get("/ready", &[]).status(), 200, "the first one goes on");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let line = one_line(&home.run(&["serve", "--port", &port]), 1);
    assert!(line.contains(&port) && line.contains("is in use") && line.contains("--port"), "{line}");
}

/// What a service without an owner prints, up to where its data is.
fn serve_and_read_output(home: &Home, host: &str) -> (Program, String) {
    let arguments = ["serve", "--host", host, "--port", "0", "--data-dir", home.data()];
    let mut program = Program::start(command(&arguments), &home.path().join("log"));
    let text = program.lines_until("Data is kept in");
    (program, text)
}

#[test]
fn a_service_without_an_owner_says_where_to_make_one() {
    let home = Home::new();
    let (program, text) = serve_and_read_output(&home, "127.0.0.1");
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("Open http://127.0.0.1:") && first.ends_with(" to make the owner."), "{text}");
    assert!(!text.contains("Setup token"), "{text}");
    assert!(program.log().contains("listening"), "the log comes before it: {}", program.log());
}

#[test]
fn a_service_that_listens_everywhere_prints_an_address_of_this_machine() {
    let home = Home::new();
    let (_program, text) = serve_and_read_output(&home, "0.0.0.0");
    assert!(!text.contains("0.0.0.0") && text.contains("every address of this machine"), "{text}");
    assert!(text.contains("Setup token, needed to register the first owner: "), "{text}");
}

/// Starts the service with these variables and expects one line that names the first of them and ends with code 2.
fn is_refused(variables: &[(&str, &str)]) {
    let home = Home::new();
    let output = command(&["serve", "--data-dir", home.data()]).envs(variables.iter().copied()).output();
    let line = one_line(&output.unwrap(), 2);
    assert!(line.contains(variables[0].0), "{variables:?}: {line}");
    assert!(!home.data.exists(), "nothing was made: {variables:?}");
}

#[test]
fn a_bad_setting_is_named_in_one_line() {
    for setting in [
        ("SERVICE_PORT", "abc"),
        ("SERVICE_PORT", "65536"),
        ("SERVICE_HOST", "nowhere"),
        ("SERVICE_ENCRYPTION_KEY", "short"),
        ("SERVICE_OWNER_EMAIL", OWNER.0),
        ("SERVICE_OWNER_PASSWORD", OWNER.1),
        ("SERVICE_BASE_URL", "flows.example.com/path"),
        ("SERVICE_BASE_URL", "https://flows.example.com/a b"),
        ("SERVICE_BASE_URL", "https://flows.example.com/../x"),
        ("SERVICE_BASE_URL", "https://flows.example.com/?x"),
        ("SERVICE_HOSTS", "*"),
        ("SERVICE_HTTP_ALLOW", "nonsense"),
        ("SERVICE_DOCUMENT_FOLDERS", "handbook"),
        ("SERVICE_TRUSTED_PROXIES", "proxy"),
        ("SERVICE_CODE_SECONDS", "soon"),
        ("SERVICE_CODE_MEMORY_MB", "-1"),
        ("SERVICE_MCP_COMMANDS", "files-server"),
        ("SERVICE_LOG", "loud"),
        ("SERVICE_LOG_FORMAT", "xml"),
        ("CORS_ORIGINS", "https://a b/c"),
    ] {
        is_refused(&[setting]);
    }
}

#[test]
fn a_password_that_is_too_short_is_not_repeated() {
    let home = Home::new();
    let output = command(&["serve", "--data-dir", home.data()])
        .envs([("SERVICE_OWNER_EMAIL", OWNER.0), ("SERVICE_OWNER_PASSWORD", "hunter2")])
        .output();
    let line = one_line(&output.unwrap(), 2);
    assert!(line.contains("SERVICE_OWNER_PASSWORD") && !line.contains("hunter2"), "{line}");
}

#[test]
fn a_bad_flag_is_named_with_its_variable() {
    let line = one_line(&Home::new().run(&["serve", "--port", "abc"]), 2);
    assert!(line.contains("--port") && line.contains("SERVICE_PORT"), "{line}");
}

#[test]
fn a_port_below_zero_is_told_as_a_port() {
    let line = one_line(&Home::new().run(&["serve", "--port", "-1"]), 2);
    assert!(line.contains("is not a port") && line.contains("0 to 65535"), "{line}");
}

#[test]
fn a_data_folder_that_is_a_file_is_named_with_what_to_do() {
    let home = Home::new();
    std::fs::write(&home.data, "").unwrap();
    for arguments in [&["serve", "--port", "0"][..], &["key", "list"]] {
        let line = one_line(&home.run(arguments), 1);
        assert!(line.contains("is a file and no folder") && line.contains("--data-dir"), "{line}");
    }
}

#[test]
fn what_means_nothing_is_warned_about_and_the_service_goes_on() {
    let home = Home::new();
    let arguments = ["serve", "--port", "0", "--data-dir", home.data()];
    let mut start = command(&arguments);
    start.envs([("SERVICE_DRAFTS", "banana"), ("SERVICE_DRAFT", "off"), ("SERVICE_DEMO", "perhaps")]);
    let mut program = Program::start(start, &home.path().join("log"));
    assert!(program.lines_until("Data is kept in").contains("to make the owner"));
    let log = program.log();
    for part in ["SERVICE_DRAFTS is", "it stays on", "did you mean SERVICE_DRAFTS?", "SERVICE_DEMO is"] {
        assert!(log.contains(part), "{part}: {log}");
    }
}

fn write_format(data: &Path, format: &str) {
    let database = Database::open(data.join("flowkeep.redb")).unwrap();
    let change = database.begin_write().unwrap();
    change.open_table(META).unwrap().insert(b"schema".as_slice(), format.as_bytes()).unwrap();
    change.commit().unwrap();
}

fn read_format(data: &Path) -> Vec<u8> {
    let database = Database::open(data.join("flowkeep.redb")).unwrap();
    let table = database.begin_read().unwrap().open_table(META).unwrap();
    table.get(b"schema".as_slice()).unwrap().unwrap().value().to_vec()
}

#[test]
fn a_database_of_a_newer_format_is_refused_and_left_as_it_is() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    let known = read_format(&home.data);
    write_format(&home.data, "9999");
    for arguments in [&["serve", "--port", "0"][..], &["key", "list"]] {
        let line = one_line(&home.run(arguments), 1);
        assert!(line.contains("format 9999") && line.contains("newer flowkeep"), "{line}");
    }
    assert_eq!(read_format(&home.data), b"9999");
    write_format(&home.data, std::str::from_utf8(&known).unwrap());
    assert_eq!(home.serve().get("/ready", &[]).status(), 200, "nothing else was changed");
}

#[test]
fn a_used_folder_without_its_database_is_no_fresh_server() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    let database = home.data.join("flowkeep.redb");
    let whole = std::fs::read(&database).unwrap();
    for emptied in [true, false] {
        std::fs::remove_file(&database).unwrap();
        if emptied {
            std::fs::write(&database, "").unwrap();
        }
        let line = one_line(&home.run(&["serve", "--port", "0"]), 1);
        assert!(line.contains("empty or missing") && line.contains("restore a backup"), "{line}");
        assert_eq!(database.exists(), emptied);
        std::fs::write(&database, &whole).unwrap();
    }
    assert_eq!(home.serve().get("/ready", &[]).status(), 200);
}

#[test]
fn a_secret_that_is_gone_is_named_and_not_made_anew() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    for name in ["conversations.key", "links.key"] {
        let path = home.data.join("secrets").join(name);
        let secret = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let line = one_line(&home.run(&["serve", "--port", "0"]), 1);
        assert!(line.contains(name) && line.contains("restore it from a backup"), "{line}");
        assert!(!path.exists());
        std::fs::write(&path, [7; 32]).unwrap();
        let line = one_line(&home.run(&["serve", "--port", "0"]), 1);
        assert!(line.contains(name) && line.contains("same backup"), "{line}");
        std::fs::write(&path, secret).unwrap();
    }
    std::fs::remove_file(home.data.join("secrets/links.key")).unwrap();
    std::fs::write(home.data.join("secrets/links.key.lost"), "").unwrap();
    assert!(home.serve().stop().success());
    assert!(!home.data.join("secrets/links.key.lost").exists());
    assert!(home.serve().stop().success());
}
