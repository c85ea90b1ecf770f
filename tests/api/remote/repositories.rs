//! The repositories that a token reaches, over the API of a stand-in for the host.

use super::*;
use crate::support::git_host::GitHost;

/// A service that works with this host.
fn server_at(host: &GitHost) -> Server {
    let (url, api) = (host.url(), format!("{}/api/v3", host.url()));
    Server::with(&[
        ("SERVICE_GITHUB_URL", url.as_str()),
        ("SERVICE_GITHUB_API", api.as_str()),
        ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"),
    ])
}

type Answer = (u16, Vec<(String, String)>, String);

fn json_answer(value: &Value) -> Answer {
    (200, Vec::new(), value.to_string())
}

/// A host whose API answers so, with the account `ada`. What is asked comes as method and target.
fn host(answer: impl Fn(&str, &str, &[u8]) -> Answer + Send + Sync + 'static) -> (GitHost, Server) {
    let host = GitHost::start(TOKEN);
    host.serve_api(Box::new(move |head, body| {
        assert_eq!(head.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
        match head.target.as_str() {
            "/api/v3/user" => json_answer(&json!({"login": "ada"})),
            target => answer(&head.method, target, body),
        }
    }));
    let server = server_at(&host);
    (host, server)
}

#[track_caller]
fn listed(server: &Server) -> Value {
    let body = json!({ "token": TOKEN });
    server.owner("POST", "/flow-versions/github/repos").json(&body).send().is(200).json()
}

#[track_caller]
fn list_error(server: &Server) -> String {
    let body = json!({ "token": TOKEN });
    server.owner("POST", "/flow-versions/github/repos").json(&body).send().is_error(400)
}

fn repository(name: &str, fields: Value) -> Value {
    let mut row = json!({"full_name": name, "private": true, "size": 1, "pushed_at": "2026-01-01T00:00:00Z"});
    for (name, value) in fields.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

#[test]
fn repositories_are_listed_newest_first_without_archived_ones() {
    let (_host, server) = host(|_, target, _| {
        assert!(target.contains("per_page=100") && target.contains("limit=100"), "{target}");
        json_answer(&json!([
            repository("ada/old", json!({"pushed_at": "2026-01-02T00:00:00Z", "size": 0})),
            repository("ada/gone", json!({"archived": true})),
            repository(
                "ada/never-pushed",
                json!({"pushed_at": null, "updated_at": "2026-03-01T00:00:00Z", "private": false})
            ),
            repository("ada/new", json!({"pushed_at": "2026-02-01T10:00:00Z", "empty": true})),
            repository("ada/filled", json!({"pushed_at": "2025-01-01T00:00:00Z", "empty": false, "size": 0})),
        ]))
    });
    let row = |repo: &str, private: bool, empty: bool, at: &str| json!({"repo": repo, "private": private, "empty": empty, "pushedAt": at});
    assert_eq!(
        listed(&server),
        json!({"account": "ada", "repos": [
            row("ada/never-pushed", false, false, "2026-03-01T00:00:00.000Z"),
            row("ada/new", true, true, "2026-02-01T10:00:00.000Z"),
            row("ada/old", true, true, "2026-01-02T00:00:00.000Z"),
            row("ada/filled", true, false, "2025-01-01T00:00:00.000Z"),
        ]})
    );
    assert!(credentials(&server).is_empty(), "nothing is saved");
    assert_eq!(server.files_with(TOKEN), [] as [String; 0]);
}

#[test]
fn a_list_is_followed_page_after_page_up_to_a_thousand() {
    let host = GitHost::start(TOKEN);
    let own = host.url();
    host.serve_api(Box::new(move |head, _| {
        if head.target == "/api/v3/user" {
            return json_answer(&json!({"login": "ada"}));
        }
        let page: usize =
            head.target.rsplit_once("page=").and_then(|(_, page)| page.parse().ok()).unwrap_or(1);
        let page = if head.target.contains("per_page") { 1 } else { page };
        let rows: Vec<Value> =
            (0..100).map(|row| repository(&format!("ada/r{page}-{row}"), json!({}))).collect();
        let link = format!("<{own}/api/v3/user/repos?page={}>; rel=\"next\"", page + 1);
        (200, vec![("link".to_owned(), link)], json!(rows).to_string())
    }));
    let server = server_at(&host);
    assert_eq!(listed(&server)["repos"].as_array().unwrap().len(), 1_000);
    assert_eq!(host.requests().len(), 11, "an account, and ten pages");
}

#[test]
fn a_next_page_elsewhere_is_not_asked_for() {
    let other = GitHost::start(TOKEN);
    let elsewhere = other.url();
    let (_host, server) = host(move |_, _, _| {
        let link = format!("<{elsewhere}/api/v3/user/repos?page=2>; rel=\"next\"");
        (200, vec![("link".to_owned(), link)], "[]".to_owned())
    });
    assert!(list_error(&server).contains("another host"));
    assert!(other.requests().is_empty(), "the token went nowhere else");
}

#[test]
fn every_way_in_which_a_host_refuses_is_said() {
    let answers: [(Answer, &str); 9] = [
        ((401, vec![], "{}".to_owned()), "did not accept the token"),
        ((403, vec![], "{}".to_owned()), "did not accept the token"),
        ((403, vec![("retry-after".to_owned(), "90".to_owned())], "{}".to_owned()), "wait 90 seconds"),
        ((403, vec![("x-ratelimit-remaining".to_owned(), "0".to_owned())], "{}".to_owned()), "asks to wait"),
        ((429, vec![], "{}".to_owned()), "asks to wait"),
        ((302, vec![("location".to_owned(), "http://127.0.0.1:9/".to_owned())], String::new()), "redirect"),
        ((500, vec![], "secret words of the host".to_owned()), "status 500"),
        ((200, vec![], "<!doctype html>".to_owned()), "did not answer as the API"),
        ((200, vec![], "{\"message\": \"x\"}".to_owned()), "did not answer as the API"),
    ];
    for (answer, words) in answers {
        let told = format!("{answer:?}");
        let (host, server) = host(move |_, _, _| answer.clone());
        let said = list_error(&server);
        assert!(said.contains(words), "{told}: {said}");
        assert!(said.contains(host.url().trim_start_matches("http://")), "it names the host: {said}");
        assert!(!said.contains("secret words") && !said.contains(TOKEN));
    }
}

#[test]
fn a_host_that_is_away_is_said() {
    let url = GitHost::start(TOKEN).url();
    let api = format!("{url}/api/v3");
    let server = Server::with(&[
        ("SERVICE_GITHUB_URL", url.as_str()),
        ("SERVICE_GITHUB_API", api.as_str()),
        ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"),
    ]);
    let said = list_error(&server);
    assert!(said.contains("could not be reached"), "{said}");
}

#[test]
fn a_repository_is_made_private_and_empty() {
    let (_host, server) = host(|method, target, body| {
        assert_eq!((method, target), ("POST", "/api/v3/user/repos"));
        let sent: Value = serde_json::from_slice(body).unwrap();
        assert_eq!(sent, json!({"name": "flows", "private": true, "auto_init": false}));
        let row = repository(
            "ada/flows",
            json!({"size": 0, "pushed_at": null, "updated_at": "2026-02-01T10:00:00Z"}),
        );
        (201, Vec::new(), row.to_string())
    });
    let body = json!({"name": "flows", "token": TOKEN});
    let made = server.owner("POST", "/flow-versions/github/repos/new").json(&body).send().is(200).json();
    let expected =
        json!({"repo": "ada/flows", "private": true, "empty": true, "pushedAt": "2026-02-01T10:00:00.000Z"});
    assert_eq!(made, expected);
    assert!(credentials(&server).is_empty());
}

#[test]
fn a_token_that_may_not_and_a_name_that_is_taken_are_said() {
    for (status, refused, words) in [
        (403, 400, "This token cannot create repositories"),
        (404, 400, "This token cannot create repositories"),
        (401, 400, "did not accept the token"),
        (409, 409, "already a repository with this name"),
        (422, 409, "already a repository with this name"),
        (500, 400, "status 500"),
    ] {
        let (_host, server) = host(move |_, _, _| (status, Vec::new(), "{}".to_owned()));
        let body = json!({"name": "flows", "token": TOKEN});
        let said =
            server.owner("POST", "/flow-versions/github/repos/new").json(&body).send().is_error(refused);
        assert!(said.contains(words), "{status}: {said}");
    }
}

#[test]
fn the_api_of_a_stand_in_is_asked_with_the_test_settings() {
    let host = GitHost::start(TOKEN);
    host.serve_api(Box::new(|head, _| match head.target.as_str() {
        "/api/user" => json_answer(&json!({"login": "ada"})),
        _ => json_answer(&json!([repository("ada/flows", json!({}))])),
    }));
    let api = format!("{}/api", host.url());
    let settings = [("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"), ("SERVICE_GITHUB_TEST_API", api.as_str())];
    let server = Server::with(&settings);
    assert_eq!(listed(&server)["repos"][0]["repo"], "ada/flows");
    assert_eq!(status(&server)["host"], "GitHub");
}

#[test]
fn no_other_private_address_is_reached() {
    let host = GitHost::start(TOKEN);
    let api = format!("{}/api", host.url());
    // Without file remotes a stand-in means nothing, and the host itself is no private one.
    let server = Server::with(&[("SERVICE_GITHUB_TEST_API", api.as_str())]);
    list_error(&server);
    assert!(host.requests().is_empty());
}
