//! Mail of the built program: a kill, and what an operator is told (manual 13.18).

use super::mail_server::{Habit, MailServer};
use super::program::{OWNER, command};
use super::{Home, Program, error_output, standard_output};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

fn variables(mail: &MailServer) -> Vec<(&'static str, String)> {
    vec![
        ("SERVICE_MAIL_SERVER", mail.place()),
        ("SERVICE_MAIL_FROM", "flows@example.org".to_owned()),
        ("SERVICE_BASE_URL", "http://localhost:3000".to_owned()),
    ]
}

fn serve(home: &Home, mail: &MailServer) -> Program {
    let variables = variables(mail);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Program::serve_with(&home.data, &[], &variables)
}

fn invite(program: &Program, email: &str) -> String {
    let cookie = program.sign_in(OWNER.0, OWNER.1).unwrap();
    let role = flowkeep::domain::accounts::role::EDITOR.to_string();
    let body = json!({"user": {"email": email}, "roleId": role});
    let answer = program.call("POST", "/api/v1/account/invite", &[("Cookie", &cookie)], &body);
    assert_eq!(answer.head.status, 201);
    answer.json()["link"]["token"].as_str().unwrap().to_owned()
}

fn try_mail(home: &Home, mail: &MailServer, address: &str, more: &[(&str, &str)]) -> Output {
    let mut command = command(&["mail", "test", address, "--data-dir", home.data()]);
    command.envs(variables(mail)).envs(more.iter().copied());
    command.output().unwrap()
}

#[test]
fn a_kill_between_writing_and_sending_loses_no_message() {
    let home = Home::new();
    // It takes the message and never says so: the kill comes before the promise.
    let mail = MailServer::start(Habit { silent_after_data: true, ..Habit::default() });
    let program = serve(&home, &mail);
    let token = invite(&program, "bob@example.org");
    mail.arrived(1);
    drop(program);
    mail.change(Habit::default());
    let program = serve(&home, &mail);
    let taken = mail.taken_for("bob@example.org", 1);
    assert_eq!((taken.len(), taken[0].token()), (1, token));
    // What was promised is not sent again.
    invite(&program, "eve@example.org");
    mail.taken_for("eve@example.org", 1);
    assert_eq!(mail.taken_for("bob@example.org", 1).len(), 1);
    assert!(!program.log().contains("bob@example.org"), "{}", program.log());
}

#[test]
fn a_test_says_in_one_line_what_happened() {
    let home = Home::new();
    let mail = MailServer::start(Habit::default());
    let program = serve(&home, &mail);
    let took = format!("{} took a message to ada@example.org.\n", mail.place());
    // By the service, whose settings count.
    let output = try_mail(&home, &mail, "ada@example.org", &[("SERVICE_MAIL_FROM", "other@example.org")]);
    assert_eq!((standard_output(&output), error_output(&output)), (took.clone(), String::new()));
    assert_eq!(mail.taken_for("ada@example.org", 1)[0].from, "flows@example.org");
    let output = try_mail(&home, &mail, "ada@example.org>", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(error_output(&output), "flowkeep: This is no address that mail can be sent to.\n");
    drop(program);
    // On the folder, where none runs.
    assert_eq!(standard_output(&try_mail(&home, &mail, "ada@example.org", &[])), took);
    mail.change(Habit { user: Some(("flows", "right")), ..Habit::default() });
    let more = [("SERVICE_MAIL_USER", "flows"), ("SERVICE_MAIL_PASSWORD", "canary-wrong")];
    let output = try_mail(&home, &mail, "ada@example.org", &more);
    let told = error_output(&output);
    assert!(
        told.contains("refused the user or the password with 535") && told.lines().count() == 1,
        "{told}"
    );
    assert!(!told.contains("canary"), "{told}");
    let output =
        try_mail(&home, &mail, "ada@example.org", &[("SERVICE_MAIL_SERVER", ""), ("SERVICE_MAIL_FROM", "")]);
    assert_eq!(error_output(&output), "flowkeep: No mail server is set. SERVICE_MAIL_SERVER names one.\n");
}

#[test]
fn settings_that_contradict_one_another_stop_the_start_with_one_line() {
    let home = Home::new();
    let output = command(&["serve", "--data-dir", home.data()])
        .env("SERVICE_MAIL_SERVER", "smtp.example.org")
        .env("SERVICE_MAIL_FROM", "flows@example.org")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = error_output(&output);
    assert!(told.starts_with("flowkeep: SERVICE_MAIL_SERVER is set without SERVICE_BASE_URL"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn the_settings_in_force_show_no_password() {
    let output = command(&["config"])
        .env("SERVICE_DATA_DIR", "/nowhere")
        .env("SERVICE_MAIL_SERVER", "smtp.example.org")
        .env("SERVICE_MAIL_FROM", "flows@example.org")
        .env("SERVICE_BASE_URL", "https://flows.example.org")
        .env("SERVICE_MAIL_USER", "flows")
        .env("SERVICE_MAIL_PASSWORD", "canary")
        .output()
        .unwrap();
    let told = standard_output(&output);
    assert!(told.contains("smtp.example.org:587") && told.contains("starttls"), "{told}");
    assert!(!told.contains("canary") && told.contains("••••••••"), "{told}");
}

#[test]
fn a_doctor_names_a_password_that_the_service_cannot_use_and_sends_nothing() {
    let home = Home::new();
    let mail = MailServer::start(Habit::default());
    let file = home.path().join("mail password");
    let doctor = || {
        let mut command = command(&["doctor", "--data-dir", home.data()]);
        // The password may not travel readably, wherever the server is.
        command.envs(variables(&mail)).envs([("SERVICE_MAIL_TLS", "tls"), ("SERVICE_MAIL_USER", "flows")]);
        command.env("SERVICE_MAIL_PASSWORD_FILE", &file).output().unwrap()
    };
    let output = doctor();
    assert_eq!(output.status.code(), Some(1));
    let told = standard_output(&output);
    assert!(told.contains("No mail is sent: ") && told.contains("mail password cannot be read"), "{told}");
    fs::write(&file, "hush\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let output = doctor();
    assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
    assert!(standard_output(&output).contains(&format!("Mail goes to {}", mail.place())));
    assert!(mail.taken_now().is_empty());
}
