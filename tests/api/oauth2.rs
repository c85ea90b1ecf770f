//! Signing in to credentials with OAuth 2 (manual 8.8): what goes out, what comes back, and what is never seen.

mod google;
mod jira;
mod runs;
pub mod service;

use crate::oauth2::service::{HUSH, OAuthFixture, SECRET, callback};
use crate::support::internet::StandInAnswer;
use crate::support::{Server, id, log};
use serde_json::{Value, json};

/// No secret is in a file of the service, in its log, or in what it shows of the credential.
fn assert_nothing_leaked(house: &OAuthFixture) {
    assert_eq!(house.server.files_with(HUSH), [""; 0]);
    assert_eq!(log::take(HUSH), [""; 0]);
    let shown = house.server.read(&format!("/credentials/{}", house.credential)).to_string();
    assert!(!shown.contains(HUSH), "{shown}");
}

#[test]
fn a_sign_in_buys_tokens_which_nobody_sees() {
    let house = OAuthFixture::open();
    let begun = house.begin_sign_in();
    let redirect = format!("http://{}/api/v1/oauth2-credential/callback", house.server.address);
    assert_eq!((&begun["redirectUri"], &begun["credentialId"]), (&json!(redirect), &json!(house.credential)));
    assert_eq!(begun["success"], true);
    let (code, state) = house.google.complete_sign_in(begun["authorizationUrl"].as_str().unwrap());
    let page = house.return_from_google(&[("code", &code), ("state", &state)]).is(200);
    assert!(page.text().contains("OAUTH2_SUCCESS") && page.text().contains("connected"), "{page:?}");
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && policy.contains("script-src 'sha256-"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert!(
        !page.text().contains(&state)
            && !page.text().contains(&code)
            && !page.text().contains(&house.credential)
    );
    assert_eq!(house.internet.seen().len(), 1);
    let again = house.return_from_google(&[("code", &code), ("state", &state)]).is(400);
    assert!(again.text().contains("OAUTH2_ERROR") && again.text().contains("used already"), "{again:?}");
    assert_eq!(house.internet.seen().len(), 1, "a word counts once");
    let told = house.server.post("/export-import/export", &json!({"chatflow": true, "tool": true}));
    assert!(!told.to_string().contains(HUSH), "{told}");
    let audit = house.server.read("/audit").to_string();
    assert!(audit.contains("credential-changed"), "{audit}");
    assert!(!audit.contains(HUSH));
    assert_nothing_leaked(&house);
}

#[test]
fn a_forged_callback_does_nothing_and_shows_nothing_of_itself() {
    let house = OAuthFixture::open();
    let (_, state) =
        house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
    let forged = "A".repeat(43);
    let script = "<script>alert(1)</script>";
    for query in [
        vec![],
        vec![("code", "x")],
        vec![("code", "x"), ("state", house.credential.as_str())],
        vec![("code", "x"), ("state", &forged)],
        vec![("code", script), ("state", script)],
        vec![("error", script), ("error_description", script)],
        vec![("code", "x"), ("state", &state[1..])],
    ] {
        let page = house.return_from_google(&query).is(400);
        assert!(page.text().contains("not known here") && !page.text().contains("alert"), "{page:?}");
    }
    let twice =
        house.return_from_google(&[("code", "x"), ("state", &state), ("state", &forged)]).is_error(400);
    assert!(twice.contains("'state'"), "{twice}");
    let long = "x".repeat(3_000);
    house.return_from_google(&[("code", &long), ("state", &long)]).is(400);
    assert!(house.internet.seen().is_empty());
}

#[test]
fn a_sign_in_belongs_to_the_browser_that_began_it() {
    let house = OAuthFixture::open();
    let (code, state) =
        house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
    let page = house.server.call("GET", &callback(&[("code", &code), ("state", &state)])).send().is(400);
    assert!(page.text().contains("another person"), "{page:?}");
    let late = house.return_from_google(&[("code", &code), ("state", &state)]).is(400);
    assert!(late.text().contains("not known here"), "its word is gone");
    assert!(house.internet.seen().is_empty());
    // An API key has no browser, so any may come back.
    let key = house.server.key(&["credentials:update"])["apiKey"].as_str().unwrap().to_owned();
    let path = format!("/oauth2-credential/authorize/{}", house.credential);
    let begun = house.server.call("POST", &path).bearer(&key).send().is(200).json();
    let (code, state) = house.google.complete_sign_in(begun["authorizationUrl"].as_str().unwrap());
    house.server.call("GET", &callback(&[("code", &code), ("state", &state)])).send().is(200);
}

#[test]
fn a_person_who_says_no_is_told_so() {
    let house = OAuthFixture::open();
    for (error, told) in
        [("access_denied", "not to allow it"), ("admin_policy_enforced", "refused the sign-in")]
    {
        let (_, state) =
            house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
        let page = house.return_from_google(&[("error", error), ("state", &state)]).is(400);
        assert!(page.text().contains(told) && !page.text().contains(error), "{page:?}");
        house.return_from_google(&[("code", "x"), ("state", &state)]).is(400);
    }
    assert!(house.internet.seen().is_empty());
}

#[test]
fn what_a_provider_answers_badly_is_told_in_our_words() {
    let house = OAuthFixture::open();
    let huge = format!("{{\"access_token\":\"{}\"}}", "x".repeat(100_000));
    for (answer, status, told) in [
        (StandInAnswer::Text(200, "<html>their page".to_owned()), 502, "did not answer as expected"),
        (StandInAnswer::Text(200, "[]".to_owned()), 502, "did not answer as expected"),
        (StandInAnswer::Json(200, json!({"access_token": "two words"})), 502, "did not answer as expected"),
        (
            StandInAnswer::Json(200, json!({"access_token": "a", "token_type": "mac"})),
            502,
            "did not answer as expected",
        ),
        (StandInAnswer::Text(200, huge), 502, "did not answer as expected"),
        (StandInAnswer::Close, 502, "did not answer as expected"),
        (StandInAnswer::Json(500, json!({})), 502, "did not answer as expected"),
        (StandInAnswer::Json(429, json!({})), 502, "did not answer as expected"),
        (StandInAnswer::Json(401, json!({"error": "invalid_client"})), 400, "Client ID and Client Secret"),
        (StandInAnswer::Json(400, json!({"error": "invalid_grant"})), 400, "redirect address"),
        (StandInAnswer::Json(200, json!({"error": "invalid_grant"})), 400, "redirect address"),
    ] {
        *house.google.instead.lock().unwrap() = Some(answer);
        let page = house.sign_in().is(status);
        assert!(page.text().contains(told) && !page.text().contains("their"), "{page:?}");
    }
    let path = format!("/oauth2-credential/refresh/{}", house.credential);
    let told = house.server.owner("POST", &path).send().is_error(400);
    assert!(told.contains("Nobody has signed in to the credential 'Work mail' yet"), "{told}");
    assert_nothing_leaked(&house);
}

#[test]
fn a_sign_in_that_takes_too_long_is_over() {
    let house = OAuthFixture::open();
    let (code, state) =
        house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
    house.server.app.clock.advance_seconds(11 * 60);
    let page = house.return_from_google(&[("code", &code), ("state", &state)]).is(400);
    assert!(page.text().contains("longer than ten minutes"), "{page:?}");
    assert!(house.internet.seen().is_empty());
}

#[test]
fn of_two_sign_ins_the_later_one_counts() {
    let house = OAuthFixture::open();
    let url = |begun: Value| begun["authorizationUrl"].as_str().unwrap().to_owned();
    let (one, two) = (url(house.begin_sign_in()), url(house.begin_sign_in()));
    let (one, two) = (house.google.complete_sign_in(&one), house.google.complete_sign_in(&two));
    assert_ne!(one.1, two.1);
    house.return_from_google(&[("code", &two.0), ("state", &two.1)]).is(200);
    house.return_from_google(&[("code", &one.0), ("state", &one.1)]).is(200);
    let path = format!("/oauth2-credential/refresh/{}", house.credential);
    house.server.owner("POST", &path).send().is(200);
    assert_eq!(
        house.internet.seen().last().unwrap().field("refresh_token").as_deref(),
        Some("hush-refresh-2")
    );
}

#[test]
fn a_restart_forgets_sign_ins_and_no_tokens() {
    let mut house = OAuthFixture::open();
    house.sign_in().is(200);
    let (code, state) =
        house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
    let settings = [
        ("HTTPS_PROXY", house.internet.proxy.clone()),
        ("SERVICE_CA_FILE", house.internet.authority.clone()),
    ];
    let settings: Vec<(&'static str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    house.server = house.server.restart_with(&settings);
    let page = house.return_from_google(&[("code", &code), ("state", &state)]).is(400);
    assert!(page.text().contains("started"), "{page:?}");
    let path = format!("/oauth2-credential/refresh/{}", house.credential);
    let told = house.server.owner("POST", &path).send().is(200).json();
    assert_eq!((&told["success"], &told["credentialId"]), (&json!(true), &json!(house.credential)));
    assert_eq!(
        (&told["tokenInfo"]["token_type"], &told["tokenInfo"]["has_new_refresh_token"]),
        (&json!("Bearer"), &json!(true))
    );
    assert!(told["tokenInfo"]["expires_at"].is_string() && !told.to_string().contains(HUSH), "{told}");
    assert_nothing_leaked(&house);
}

#[test]
fn a_credential_that_changes_meanwhile_is_left_alone() {
    let house = OAuthFixture::open();
    let path = format!("/credentials/{}", house.credential);
    for (field, value) in [("clientId", "another"), ("scope", "more")] {
        let (code, state) =
            house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
        let before = json!({"plainDataObj": {"clientId": crate::oauth2::service::CLIENT, "scope": ""}});
        house.server.put(&path, &json!({"plainDataObj": {field: value}}));
        // What is exchanged is what the credential says now, and Google knows better.
        let page = house.return_from_google(&[("code", &code), ("state", &state)]);
        let kept = field == "scope";
        assert_eq!(page.status, if kept { 200 } else { 400 }, "{page:?}");
        house.server.put(&path, &before);
    }
    let refresh = format!("/oauth2-credential/refresh/{}", house.credential);
    let told = house.server.owner("POST", &refresh).send().is_error(400);
    assert!(told.contains("Nobody has signed in"), "another scope asks for another sign-in: {told}");
    house.sign_in().is(200);
    house.server.put(&path, &json!({"name": "Renamed", "plainDataObj": {"clientSecret": SECRET}}));
    house.server.owner("POST", &refresh).send().is(200);
    let (code, state) =
        house.google.complete_sign_in(house.begin_sign_in()["authorizationUrl"].as_str().unwrap());
    house.server.owner("DELETE", &path).send().is(200);
    let page = house.return_from_google(&[("code", &code), ("state", &state)]).is(400);
    assert!(page.text().contains("changed or deleted"), "{page:?}");
}

#[test]
fn only_what_can_be_signed_in_is() {
    let server = Server::start();
    let made = |body: &Value| id(&server.post("/credentials", body));
    let begin = |id: &str| server.owner("POST", &format!("/oauth2-credential/authorize/{id}")).send();
    let plain = json!({"name": "Key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "x"}});
    let plain = made(&plain);
    assert!(begin(&plain).is_error(400).contains("Nobody signs in"));
    let elsewhere =
        json!({"clientId": "a", "clientSecret": "b", "accessTokenUrl": "https://evil.example/token"});
    let elsewhere = json!({"name": "Evil", "credentialName": "gmailOAuth2", "plainDataObj": elsewhere});
    assert!(begin(&made(&elsewhere)).is_error(400).contains("Access Token URL"));
    assert!(begin("7c9e6679-7425-40de-944b-e07fc1f90ae7").is_error(404).contains("not found"));
    let refresh = server.owner("POST", &format!("/oauth2-credential/refresh/{plain}")).send();
    assert!(refresh.is_error(400).contains("'Key'"));
}

#[test]
fn people_come_back_to_the_address_they_use() {
    let house = OAuthFixture::with("gmailOAuth2", &[("SERVICE_BASE_URL", "https://flows.example.com/x")]);
    let path = format!("/oauth2-credential/authorize/{}", house.credential);
    let key = house.server.key(&["credentials:update"])["apiKey"].as_str().unwrap().to_owned();
    let begun = house.server.call("POST", &path).bearer(&key).send().is(200).json();
    assert_eq!(begun["redirectUri"], "https://flows.example.com/x/api/v1/oauth2-credential/callback");
    // Google is told the same when the code is exchanged, which it checks.
    let (code, state) = house.google.complete_sign_in(begun["authorizationUrl"].as_str().unwrap());
    house.server.call("GET", &callback(&[("code", &code), ("state", &state)])).send().is(200);
}

#[test]
fn a_renewal_that_is_refused_names_the_credential() {
    let house = OAuthFixture::open_signed_in("gmailOAuth2");
    let refresh = || {
        let path = format!("/oauth2-credential/refresh/{}", house.credential);
        house.server.owner("POST", &path).send()
    };
    for (answer, status, told) in [
        (StandInAnswer::Json(400, json!({"error": "invalid_grant"})), 400, "'Work mail' is over"),
        (StandInAnswer::Json(401, json!({"error": "invalid_client"})), 400, "Client ID and Client Secret"),
        (StandInAnswer::Json(503, json!({})), 500, "status 503. Try again later."),
        (StandInAnswer::Text(200, "garbage".to_owned()), 500, "holds no tokens"),
    ] {
        *house.google.instead.lock().unwrap() = Some(answer);
        let said = refresh().is_error(status);
        assert!(said.contains(told) && said.contains("Work mail"), "{said}");
    }
    refresh().is(200);
    // A provider that keeps its refresh token says none.
    *house.google.instead.lock().unwrap() =
        Some(StandInAnswer::Json(200, json!({"access_token": "hush-a", "expires_in": 10})));
    let told = refresh().is(200).json();
    assert_eq!(told["tokenInfo"]["has_new_refresh_token"], false);
    refresh().is(200);
    assert_nothing_leaked(&house);
}
