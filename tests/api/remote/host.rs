//! Copying over HTTP, to the git program's own server behind a token.

use super::*;
use crate::support::git_host::{Behavior, GitHost, Requests};
use crate::support::id;

/// A host with an empty repository [`NAME`], and a service that works with it.
fn stage() -> (GitHost, Server) {
    let host = GitHost::start(TOKEN);
    host.create(NAME);
    let server = at(&host);
    (host, server)
}

fn at(host: &GitHost) -> Server {
    let (url, api) = (host.url(), format!("{}/api/v1", host.url()));
    Server::with(&[
        ("SERVICE_GITHUB_URL", url.as_str()),
        ("SERVICE_GITHUB_API", api.as_str()),
        ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"),
    ])
}

fn host_name(host: &GitHost) -> String {
    host.url().trim_start_matches("http://").to_owned()
}

#[test]
fn versions_go_to_the_host_and_the_status_names_it() {
    let (host, server) = stage();
    save(&server);
    let connected = connect(&server, &host.repository_url(NAME));
    assert_eq!((&connected["repo"], &connected["host"]), (&json!(NAME), &json!(host_name(&host))));
    assert_eq!(connected["url"], host.repository_url(NAME));
    assert_eq!(connected["credential"]["name"], format!("{}: {NAME}", host_name(&host)));
    let copied = push(&server);
    assert_eq!(copied["state"], "up-to-date", "{copied}");
    assert_eq!(host.tip(NAME, "main"), tip(&history(&server), "main"));
    assert_eq!(server.files_with(TOKEN), [] as [String; 0]);
}

#[test]
fn a_wrong_token_is_refused_on_connect_and_retried_later() {
    let (host, server) = stage();
    let wrong = json!({"repo": NAME, "token": "another"});
    let said = refused(&server, &wrong, 400);
    assert!(said.contains("did not accept the token") && said.contains(&host_name(&host)), "{said}");
    assert!(credentials(&server).is_empty());
    connect(&server, NAME);
    push(&server);
    host.set_token("newer");
    save(&server);
    let failed = push(&server);
    assert_eq!(failed["state"], "retrying");
    assert!(failed["message"].as_str().unwrap().contains("did not accept the token"), "{failed}");
    let credential = failed["credential"]["id"].as_str().unwrap();
    server.put(&format!("/credentials/{credential}"), &json!({"plainDataObj": {"accessToken": "newer"}}));
    assert_eq!(push(&server)["state"], "up-to-date");
}

#[test]
fn every_refusal_over_http_is_400_on_connect_and_retrying_later() {
    let (host, server) = stage();
    connect(&server, NAME);
    push(&server);
    for behavior in [
        Behavior::Status(401, vec![]),
        Behavior::Status(403, vec![]),
        Behavior::Status(404, vec![]),
        Behavior::Status(429, vec![("retry-after", "60".to_owned())]),
        Behavior::Status(500, vec![]),
        Behavior::Status(302, vec![("location", "http://127.0.0.1:9/".to_owned())]),
        Behavior::SignInPage,
        Behavior::CutAnswer(3),
    ] {
        host.behave(Requests::All, behavior.clone());
        save(&server);
        let failed = push(&server);
        assert_eq!(failed["state"], "retrying", "{behavior:?}: {failed}");
        assert!(failed["message"].as_str().unwrap().ends_with('.') && failed["nextTryAt"].is_string());
        let body = json!({"repo": NAME, "token": TOKEN});
        let said = refused(&server, &body, 400);
        assert!(said.ends_with('.') && !said.contains(TOKEN), "{behavior:?}: {said}");
        host.behave_well();
    }
    assert_eq!(push(&server)["state"], "up-to-date");
}

#[test]
fn a_host_that_closes_without_an_answer_was_reached_and_gave_none() {
    let (host, server) = stage();
    connect(&server, NAME);
    push(&server);
    save(&server);
    host.behave(Requests::PackUpload, Behavior::CutRequest(100));
    let failed = push(&server);
    assert_eq!(failed["state"], "retrying");
    let message = "gave no whole answer: the other side closed the connection.";
    assert_eq!(failed["message"], format!("{} {message}", host_name(&host)));
}

#[test]
fn a_host_that_declines_stops_the_copy_with_its_reason() {
    let (host, server) = stage();
    connect(&server, NAME);
    push(&server);
    host.hook(NAME, "pre-receive", "echo 'main is protected' >&2; exit 1");
    save(&server);
    let stopped = push(&server);
    assert_eq!(stopped["state"], "stopped");
    let message = stopped["message"].as_str().unwrap();
    assert!(message.contains(&host_name(&host)) && message.contains("declined"), "{message}");
}

#[test]
fn another_host_in_the_settings_stops_the_copy_and_gets_no_token() {
    let (host, server) = stage();
    save(&server);
    connect(&server, NAME);
    push(&server);
    let other = GitHost::start(TOKEN);
    other.create(NAME);
    let (url, api) = (other.url(), format!("{}/api/v1", other.url()));
    let server = server.restart_with(&[
        ("SERVICE_GITHUB_URL", url.as_str()),
        ("SERVICE_GITHUB_API", api.as_str()),
        ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"),
    ]);
    let stopped = status(&server);
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["message"].as_str().unwrap().contains(&host_name(&host)), "{stopped}");
    assert_eq!(push(&server)["state"], "stopped");
    let server = server.restart();
    assert_eq!(status(&server)["state"], "stopped", "none is another one too");
    assert!(other.requests().is_empty());
}

#[test]
fn the_end_of_the_service_ends_a_copy_at_once() {
    let (host, server) = stage();
    save(&server);
    connect(&server, NAME);
    host.behave(Requests::All, Behavior::Slow(Duration::from_secs(30)));
    let copying = Copying::start(&server);
    wait_for(&server, "copying");
    let begun = Instant::now();
    drop(copying);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(status(&server)["state"], "waiting", "it goes on with the next start");
}

#[test]
fn disconnecting_ends_a_copy_at_once() {
    let (host, server) = stage();
    save(&server);
    connect(&server, NAME);
    host.behave(Requests::All, Behavior::Slow(Duration::from_secs(30)));
    let _copying = Copying::start(&server);
    wait_for(&server, "copying");
    let begun = Instant::now();
    assert_eq!(disconnect(&server)["state"], "not-connected");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_connection_whose_credential_goes_while_the_host_is_asked_leaves_the_one_before_whole() {
    let (host, dev) = stage();
    let prod = at(&host);
    host.create("acme/second");
    save(&dev);
    connect(&dev, NAME);
    push(&dev);
    label(&prod, json!("prod"));
    connect(&prod, NAME);
    push(&prod);
    for (server, note) in [(&dev, "refs/versions/github"), (&prod, "refs/versions/incoming")] {
        let made =
            json!({"name": "Second", "credentialName": "githubApi", "plainDataObj": {"accessToken": TOKEN}});
        let credential = id(&server.post("/credentials", &made));
        let before = (status(server), tip(&history(server), note));
        assert_eq!((&before.0["state"], before.1.is_some()), (&json!("up-to-date"), true));
        let delete = server.owner("DELETE", &format!("/credentials/{credential}?force=true"));
        host.before(Requests::Discovery, move |_| drop(delete.send()));
        let said = refused(server, &json!({"repo": "acme/second", "credentialId": credential}), 400);
        host.behave_well();
        assert!(said.starts_with("There is no credential with this credentialId"), "{said}");
        assert_eq!((status(server), tip(&history(server), note)), before, "{note}");
    }
}
