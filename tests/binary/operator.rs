//! `key`, `owner` and `history`: through the control socket of a running service, and on a folder nobody uses.

use crate::program::{OWNER, command, error_output, free_port, standard_output};
use crate::{Home, one_line, status_with};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The id of the key of this name, as `key list` shows it.
fn id_of(home: &Home, name: &str) -> String {
    let listed = home.good(&["key", "list"]);
    let row = listed.lines().find(|row| row.split_whitespace().nth(1) == Some(name));
    row.unwrap_or_else(|| panic!("{name} is not listed: {listed}")).split(' ').next().unwrap().to_owned()
}

#[test]
fn a_key_is_made_listed_and_revoked_while_the_service_runs() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    assert!(key.starts_with("fk_") && key.len() == 46, "{key}");
    assert_eq!(status_with(&service, &key), 200);
    let listed = home.good(&["key", "list"]);
    assert!(listed.contains("first") && listed.contains(&key[key.len() - 4..]), "{listed}");
    assert!(!listed.contains(&key), "the value is shown once: {listed}");
    home.good(&["key", "revoke", &id_of(&home, "first")]);
    assert_eq!(status_with(&service, &key), 401, "it stops working at once");
    assert!(!home.good(&["key", "list"]).contains("first"));
}

#[test]
fn a_key_is_made_listed_and_revoked_while_the_service_is_stopped() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    let (kept, revoked) = (home.key("kept"), home.key("revoked"));
    home.good(&["key", "revoke", &id_of(&home, "revoked")]);
    let service = home.serve();
    assert_eq!((status_with(&service, &kept), status_with(&service, &revoked)), (200, 401));
}

#[test]
fn a_key_may_do_only_what_it_was_given() {
    let home = Home::new();
    let service = home.serve();
    let key = home.good(&["key", "create", "--name", "narrow", "--permission", "credentials:view"]);
    let bearer = format!("Bearer {}", key.trim());
    let status = |path| service.get(path, &[("authorization", &bearer)]).status();
    assert_eq!((status("/api/v1/credentials"), status("/api/v1/chatflows")), (200, 403));
}

#[test]
fn a_key_command_that_cannot_be_done_says_why() {
    let home = Home::new();
    let line = one_line(&home.run(&["key", "list"]), 1);
    assert!(line.contains("there is no data"), "{line}");
    let _service = home.serve();
    let unknown = "00000000-0000-4000-8000-000000000000";
    one_line(&home.run(&["key", "revoke", unknown]), 1);
    for wrong in
        [&["key", "revoke", "nonsense"][..], &["key", "create", "--name", "a"], &["key", "create", "--all"]]
    {
        one_line(&home.run(wrong), 2);
    }
    let unknown = home.run(&["key", "create", "--name", "a", "--permission", "everything:do"]);
    assert_eq!(unknown.status.code(), Some(2));
    let told = error_output(&unknown);
    assert!(
        told.contains("everything:do") && told.lines().any(|line| line.starts_with("  chatflows ")),
        "{told}"
    );
}

#[test]
fn every_list_is_given_as_json_too() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    let flow = service.make_flow(&key, "Echo", &crate::canvases::scripted(&json!([]), ""));
    let read = |arguments: &[&str]| -> Value { serde_json::from_str(&home.good(arguments)).unwrap() };
    assert_eq!(read(&["key", "list", "--json"])[0]["keyName"], "first");
    assert_eq!(read(&["user", "list", "--json"])[0]["user"]["email"], OWNER.0);
    let versions = read(&["history", "log", "--json"]);
    assert_eq!(versions[0]["flowId"], json!(flow));
    let sha = versions[0]["sha"].as_str().unwrap();
    assert!(read(&["history", "diff", &flow, sha, "--json"])["added"].is_array());
    assert!(home.good(&["history", "diff", &flow, sha]).contains("(chatScripted)"));
    assert!(read(&["config", "--json"])[0]["name"].is_string());
}

#[test]
fn settings_in_force_are_printed_with_where_they_come_from() {
    let home = Home::new();
    let config = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut all = vec!["config", "--data-dir", home.data()];
        all.extend_from_slice(arguments);
        command(&all).envs(variables.iter().copied()).output().unwrap()
    };
    let secret = [
        ("SERVICE_PORT", "4000"),
        ("SERVICE_ENCRYPTION_KEY", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="),
    ];
    let told = standard_output(&config(&[], &secret));
    let row = |name: &str| {
        told.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(row("SERVICE_PORT"), ["SERVICE_PORT", "4000", "environment"]);
    assert_eq!(row("SERVICE_DATA_DIR"), ["SERVICE_DATA_DIR", home.data(), "--data-dir"]);
    assert!(!told.contains("MDEy"), "{told}");
    assert_eq!(config(&["check"], &secret).status.code(), Some(0));
    for wrong in
        [("SERVICE_PORT", "x"), ("SERVICE_DRAFTS", "banana"), ("SERVICE_DRAFT", "off"), ("SERVICE_DEMO", "2")]
    {
        let output = config(&["check"], &[wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(error_output(&output).contains(wrong.0), "{wrong:?}: {}", error_output(&output));
    }
    assert!(!home.data.exists(), "nothing was made");
}

#[test]
fn an_export_comes_in_again_and_is_published_from_the_command_line() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    service.make_flow(&key, "Echo", &crate::canvases::scripted(&json!([]), "You said: {question}"));
    let file = home.path().join("flows.json");
    let path = file.to_str().unwrap();
    assert_eq!(home.good(&["export", path]), format!("Wrote 1 flow to {path}.\n"));
    let again = home.good(&["import", path]);
    assert!(again.starts_with("skip ") && again.contains("--update or --duplicate"), "{again}");
    let doubled: Value =
        serde_json::from_str(&home.good(&["import", path, "--duplicate", "--json"])).unwrap();
    assert_eq!((&doubled["created"], &doubled["items"][0]["action"]), (&json!(1), &json!("duplicate")));
    let canvas = home.path().join("Front desk Chatflow.json");
    std::fs::write(&canvas, crate::canvases::scripted(&json!([]), "Desk: {question}").to_string()).unwrap();
    let made: Value =
        serde_json::from_str(&home.good(&["import", canvas.to_str().unwrap(), "--json"])).unwrap();
    assert_eq!(made["items"][0]["name"], "Front desk");
    let desk = made["items"][0]["newId"].as_str().unwrap();
    assert_eq!(service.ask(desk, &json!({"question": "Hi"})).status(), 404, "it waits in its draft");
    let published = home.good(&["publish", "--all"]);
    assert!(published.starts_with("published  Front desk"), "{published}");
    assert_eq!(service.ask(desk, &json!({"question": "Hi"})).json()["text"], "Desk: Hi");
    assert_eq!(home.good(&["publish", "--all"]), "There are no unpublished changes.\n");
    let unknown = home.run(&["publish", "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"]);
    assert_eq!(unknown.status.code(), Some(1), "{}", standard_output(&unknown));
}

#[test]
fn what_dev_has_is_listed_shown_and_promoted_from_the_command_line() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    let says = |text: &str| crate::canvases::scripted(&json!([]), text);
    let flow = service.make_flow(&key, "Desk", &says("Of Dev: {question}"));
    // What the history here has of an older Live stands for Dev.
    let repository = home.path().join("data").join("versions");
    let git = |arguments: &[&str]| {
        let out =
            std::process::Command::new("git").current_dir(&repository).args(arguments).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    };
    git(&["-c", "safe.directory=*", "update-ref", "refs/versions/incoming", "refs/heads/main"]);
    let bearer = format!("Bearer {key}");
    let newer = json!({"flowData": says("Of Prod: {question}").to_string()});
    let saved =
        service.call("PUT", &format!("/api/v1/chatflows/{flow}"), &[("authorization", &bearer)], &newer);
    assert_eq!(saved.status(), 200, "{}", saved.text());
    assert_eq!(home.good(&["promote"]), "Dev has nothing that is not Live here.\n", "it is not Prod");
    std::fs::create_dir_all(repository.join("flowkeep")).unwrap();
    std::fs::write(repository.join("flowkeep").join("environment"), "prod\n").unwrap();
    let listed = home.good(&["promote"]);
    assert!(listed.contains(&flow) && listed.contains("update"), "{listed}");
    let shown = home.good(&["promote", &flow, "--show"]);
    assert!(shown.starts_with("Desk  ") && shown.lines().count() > 1, "{shown}");
    assert_eq!(service.ask(&flow, &json!({"question": "Hi"})).json()["text"], "Of Prod: Hi");
    let promoted = home.good(&["promote", &flow]);
    assert!(promoted.ends_with("Desk is promoted.\n"), "{promoted}");
    assert_eq!(service.ask(&flow, &json!({"question": "Hi"})).json()["text"], "Of Dev: Hi");
    let again = home.run(&["promote", &flow]);
    assert_eq!(again.status.code(), Some(1), "{}", standard_output(&again));
}

/// The password that `owner reset-password --random` printed.
fn reset(home: &Home) -> String {
    let told = home.good(&["owner", "reset-password", "--random"]);
    assert!(told.contains(OWNER.0) && told.lines().count() == 1, "{told}");
    told.trim_end().rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn a_password_is_reset_while_the_service_runs() {
    let home = Home::new();
    let service = home.serve();
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let me = || service.get("/api/v1/auth/me", &[("cookie", &cookie)]).status();
    assert_eq!(me(), 200);
    let password = reset(&home);
    assert_eq!(me(), 401, "sessions end with the password");
    assert!(service.sign_in(OWNER.0, OWNER.1).is_none());
    assert!(service.sign_in(OWNER.0, &password).is_some());
}

#[test]
fn a_password_is_reset_while_the_service_is_stopped() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    let password = reset(&home);
    // The variables of the first owner are still set: they make no second one and change nothing.
    let service = home.serve();
    assert!(service.sign_in(OWNER.0, OWNER.1).is_none());
    assert!(service.sign_in(OWNER.0, &password).is_some());
}

#[test]
fn a_chosen_password_that_is_too_short_is_refused() {
    let home = Home::new();
    let service = home.serve();
    let output = home.run(&["owner", "reset-password", "--password", "hunter2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!error_output(&output).contains("hunter2"));
    assert!(service.sign_in(OWNER.0, OWNER.1).is_some(), "the old one stays");
}

#[test]
fn people_are_listed_kept_out_and_let_in_running_and_stopped() {
    let home = Home::new();
    let service = home.serve();
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let base = service.get("/api/v1/auth/me", &[("cookie", &cookie)]);
    assert_eq!(base.status(), 200);
    let invited =
        json!({"user": {"email": "bob@example.org"}, "roleId": flowkeep::domain::accounts::role::VIEWER});
    let made = service.call("POST", "/api/v1/account/invite", &[("cookie", &cookie)], &invited);
    assert_eq!(made.status(), 201, "{}", made.text());
    let token = made.json()["link"]["token"].clone();
    let bob = ("bob@example.org", "a long enough password");
    let user = json!({"name": "Bob", "credential": bob.1, "tempToken": token});
    let registered = service.call("POST", "/api/v1/account/register", &[], &json!({ "user": user }));
    assert_eq!(registered.status(), 201, "{}", registered.text());

    let listed = home.good(&["user", "list"]);
    assert!(listed.contains(OWNER.0) && listed.contains("owner"), "{listed}");
    let row = listed.lines().find(|row| row.contains(bob.0)).unwrap();
    assert!(row.contains("active") && row.contains("Viewer"), "{listed}");
    assert_eq!(home.good(&["user", "disable", bob.0]), "bob@example.org is kept out.\n");
    assert!(service.sign_in(bob.0, bob.1).is_none());
    assert!(home.good(&["user", "list"]).contains("disabled"));
    assert!(one_line(&home.run(&["user", "disable", OWNER.0]), 1).contains("owner"));
    one_line(&home.run(&["user", "enable", "nobody@example.org"]), 1);

    assert!(service.stop().success());
    let id = row.split(' ').next().unwrap();
    assert_eq!(home.good(&["user", "enable", id]), "bob@example.org may sign in.\n");
    assert!(home.serve().sign_in(bob.0, bob.1).is_some());
}

#[test]
fn a_workspace_is_exported_and_imported_running_and_stopped() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("all");
    let canvas = crate::canvases::scripted(&serde_json::json!([]), "You said: {question}");
    let flow = service.make_flow(&key, "Talker", &canvas);
    let file = home.path().join("export.json");
    let path = file.to_str().unwrap();
    home.good(&["export", path]);
    assert!(home.good(&["export"]).contains("\"Talker\""), "without a file it is printed");
    assert!(home.good(&["import", path]).starts_with("skip     ChatFlow       Talker\n"));
    let nothing = r#"{"nodes": [], "edges": []}"#;
    service.make_flow_of(&key, "HARNESS", "Team", nothing);
    service.make_flow_of(&key, "ETL", "Line", nothing);
    assert_eq!(home.good(&["export", &format!("{path}.all")]), format!("Wrote 3 flows to {path}.all.\n"));
    assert!(service.stop().success());

    let other = Home::new();
    assert!(other.serve().stop().success());
    let preview = other.good(&["import", path, "--preview"]);
    assert!(preview.starts_with("create   ChatFlow       Talker\n"), "{preview}");
    assert_eq!(other.good(&["import", path]), preview);
    let service = other.serve();
    let answer = service.ask(&flow, &serde_json::json!({"question": "Hi"}));
    assert_eq!(answer.status(), 200);

    std::fs::write(&file, r#"{"ChatFlow": [{"name": "bad", "flowData": "x"}]}"#).unwrap();
    let refused = other.run(&["import", path]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(crate::program::standard_output(&refused).contains("refused  ChatFlow       bad"));
    one_line(&other.run(&["import", "/nowhere"]), 1);
    one_line(&other.run(&["export", "--workspace", "x"]), 2);
}

/// Everything below a folder: what is in it, and when and how it was last touched.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, Option<SystemTime>, String)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = fs::symlink_metadata(&path).unwrap();
        let bytes = if about.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if about.is_dir() {
            found.extend(everything(&path));
        }
        found.insert(path, (bytes, about.modified().ok(), format!("{:?}", about.permissions())));
    }
    found
}

#[test]
fn a_history_is_verified_running_and_stopped_and_verifying_changes_nothing() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("all");
    let canvas = crate::canvases::scripted(&json!([]), "You said: {question}");
    let flow = service.make_flow(&key, "Talker", &canvas);
    let sound = home.good(&["history", "verify"]);
    assert!(sound.starts_with("The history is sound: "), "{sound}");
    // As a kill leaves it, and with what a start would make or mend.
    service.kill();
    let (data, versions) = (Path::new(home.data()), Path::new(home.data()).join("versions"));
    fs::remove_dir_all(data.join("secrets")).unwrap();
    let looked = |arguments: &[&str]| {
        let before = everything(data);
        let output = home.run(arguments);
        assert_eq!(everything(data), before, "looking changes nothing");
        output
    };
    let output = looked(&["history", "verify"]);
    assert_eq!(crate::program::standard_output(&output), sound, "{}", error_output(&output));
    let fails = |words: &str| {
        let output = looked(&["history", "verify"]);
        let said = error_output(&output);
        assert_eq!(output.status.code(), Some(1), "{words}: {said}");
        assert!(said.contains(words) && said.contains("was recorded and is not in the history"), "{said}");
    };
    let away = home.path().join("away");
    let main = versions.join("refs/heads/main");
    fs::rename(&main, &away).unwrap();
    fails("the history has no branch main");
    fs::rename(&away, &main).unwrap();
    fs::rename(&versions, &away).unwrap();
    fails("the folder of the history is not there");
    fs::write(&versions, "a file").unwrap();
    fails("a file lies where the folder of the history should be");
    fs::remove_file(&versions).unwrap();
    assert_eq!(flow.len(), 36);
}

#[test]
fn a_new_history_is_begun_by_the_operator_running_and_stopped() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("all");
    let canvas = crate::canvases::scripted(&json!([]), "You said: {question}");
    service.make_flow(&key, "Talker", &canvas);
    let versions = Path::new(home.data()).join("versions");
    fs::remove_dir_all(&versions).unwrap();
    assert!(one_line(&home.run(&["history", "log"]), 1).contains("flowkeep history restart"));
    assert!(home.good(&["history", "restart"]).starts_with("A new history begins"));
    assert!(home.good(&["history", "log"]).contains("no versions"));
    assert!(home.good(&["history", "restart"]).starts_with("The history goes on as it is"));
    service.make_flow(&key, "Another", &canvas);
    assert!(home.good(&["history", "log"]).contains("Another"));
    assert!(service.stop().success());
    fs::remove_dir_all(&versions).unwrap();
    assert_eq!(home.run(&["history", "verify"]).status.code(), Some(1));
    assert!(home.good(&["history", "restart"]).starts_with("A new history begins"));
    assert!(home.good(&["history", "verify"]).starts_with("The history is sound: 0 versions"));
}

#[test]
fn a_health_check_says_whether_the_service_answers() {
    let home = Home::new();
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let line = one_line(&home.run(&["healthcheck", "--url", &nobody]), 1);
    assert!(line.contains("flowkeep serve") && line.contains(&nobody), "{line}");
    let service = home.serve();
    assert_eq!(home.good(&["healthcheck"]), "");
    let address = format!("http://{}", service.address);
    assert_eq!(home.good(&["healthcheck", "--url", &address]), "");
    service.kill();
    let line = one_line(&home.run(&["healthcheck", "--url", &address]), 1);
    assert!(line.contains(&address), "{line}");
}

#[test]
fn a_doctor_says_of_each_thing_whether_it_is_in_order() {
    let home = Home::new();
    let fresh = home.good(&["doctor"]);
    assert!(fresh.contains("nothing was started here yet"), "{fresh}");
    let service = home.serve();
    let running = home.good(&["doctor"]);
    assert!(running.contains("Flowkeep 0.1.0 runs") && running.contains("SERVICE_BACKUP_TO"), "{running}");
    service.kill();
    let told: Value = serde_json::from_str(&home.good(&["doctor", "--json"])).unwrap();
    let found: Vec<(&str, &str)> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["check"].as_str().unwrap(), one["verdict"].as_str().unwrap()))
        .collect();
    for check in ["settings", "folder", "disk", "service", "data", "clock", "history"] {
        assert!(found.contains(&(check, "ok")), "{check}: {told}");
    }
    fs::remove_dir_all(Path::new(home.data()).join("secrets")).unwrap();
    let failed = home.run(&["doctor"]);
    assert_eq!(failed.status.code(), Some(1));
    let text = String::from_utf8(failed.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("data ")).unwrap();
    assert!(line.contains("failed") && line.contains("secrets"), "{text}");
    assert!(
        text.lines().any(|line| line.starts_with("history ")),
        "the rest is looked at all the same: {text}"
    );
}

#[cfg(unix)]
#[test]
fn a_doctor_says_what_it_puts_right_before_it_does() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let service = home.serve();
    let secrets = home.data.join("secrets");
    fs::set_permissions(&secrets, fs::Permissions::from_mode(0o755)).unwrap();
    let lost = home.data.join(
        "files/00000000-0000-4000-8000-000000000001/00000000-0000-4000-8000-000000000002/00000000-0000-4000-8000-000000000003",
    );
    fs::create_dir_all(&lost).unwrap();
    let hour = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    for folder in [lost.as_path(), lost.parent().unwrap()] {
        fs::File::open(folder).unwrap().set_modified(hour).unwrap();
    }
    let told = home.good(&["doctor"]);
    let lines: Vec<&str> = told.lines().filter(|line| line.starts_with("repairs ")).collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(lost.exists(), "nothing was done yet");

    let output = home.run(&["doctor", "--fix"]);
    let said = error_output(&output);
    let verbs: Vec<&str> =
        said.lines().filter_map(|line| line.split_once(':')).map(|(verb, _)| verb).collect();
    assert_eq!(verbs, ["to do", "to do", "done", "done"], "{said}");
    assert!(standard_output(&output).contains("There is nothing to put right."));
    assert!(!lost.exists());
    assert_eq!(fs::metadata(&secrets).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(error_output(&home.run(&["doctor", "--fix"])).contains("nothing to put right"));
    service.kill();
}

/// A program that takes connections and says nothing, as a service that hangs.
#[test]
fn a_health_check_does_not_wait_for_a_service_that_hangs() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let line = one_line(&Home::new().run(&["healthcheck", "--url", &address]), 1);
    assert!(!line.is_empty(), "{line}");
}
