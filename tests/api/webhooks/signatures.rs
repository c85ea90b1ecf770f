//! Calls that prove that they know the secret.

use super::{call, echo, generate_secret, signed, timed};
use crate::support::Server;
use flowkeep::domain::triggers::webhook_signature::{sign_body, sign_timed_body};
use serde_json::{Value, json};

const BODY: &str = r#"{"name": "Ada"}"#;

/// A service, and a flow whose calls are signed, with its secret.
fn signing(more: Value) -> (Server, String, String) {
    let server = Server::start();
    let inputs = crate::agentflows::steps::with(json!({"webhookEnableAuth": true}), more);
    let flow = echo(inputs).flow(&server);
    let secret = generate_secret(&server, &flow);
    (server, flow, secret)
}

#[test]
fn a_signed_call_starts_the_flow() {
    let (server, flow, secret) = signing(json!({}));
    let answer = signed(&server, &flow, &secret, BODY).send().is(200).json();
    assert_eq!(answer["text"], "Hello Ada!");
}

#[test]
fn a_prefix_of_a_hash_may_stand_before_the_signature() {
    let (server, flow, secret) = signing(json!({"webhookSignatureHeader": "X-Hub-Signature-256"}));
    for prefix in ["sha256=", "sha1="] {
        let signature = format!("{prefix}{}", sign_body(&secret, BODY.as_bytes()));
        let sent =
            call(&server, &flow).bytes("application/json", BODY).header("X-Hub-Signature-256", &signature);
        sent.send().is(200);
    }
}

#[test]
fn a_call_without_a_signature_is_refused() {
    let (server, flow, _) = signing(json!({}));
    let told = call(&server, &flow).bytes("application/json", BODY).send().is_error(401);
    assert!(told.contains("has no signature"), "{told}");
}

#[test]
fn a_wrong_signature_is_refused() {
    let (server, flow, secret) = signing(json!({}));
    let other = call(&server, &flow)
        .bytes("application/json", r#"{"name": "Eve"}"#)
        .header("X-Webhook-Signature", &sign_body(&secret, BODY.as_bytes()));
    let told = other.send().is_error(401);
    assert!(told.contains("not right"), "{told}");
}

#[test]
fn without_a_secret_every_call_is_refused_in_words() {
    let server = Server::start();
    let flow = echo(json!({"webhookEnableAuth": true})).flow(&server);
    let told = signed(&server, &flow, "x", BODY).send().is_error(401);
    assert!(told.contains("has no secret yet"), "{told}");
}

#[test]
fn a_plain_token_is_the_secret_itself() {
    let (server, flow, secret) = signing(json!({"webhookSignatureType": "plain-token"}));
    let with = |token: &str| {
        call(&server, &flow).bytes("application/json", BODY).header("X-Webhook-Signature", token).send()
    };
    with(&secret).is(200);
    with("wrong").is_error(401);
}

#[test]
fn a_card_that_names_a_time_refuses_a_call_without_it() {
    let (server, flow, secret) = signing(json!({"webhookTimestampHeader": "X-Time"}));
    let told = signed(&server, &flow, &secret, BODY).send().is_error(401);
    assert!(told.contains("has no time"), "{told}");
    let seconds = jiff::Timestamp::now().as_second();
    let signature = sign_timed_body(&secret, seconds, BODY.as_bytes());
    let sent = call(&server, &flow)
        .bytes("application/json", BODY)
        .header("X-Webhook-Signature", &signature)
        .header("X-Time", &seconds.to_string());
    sent.send().is(200);
}

#[test]
fn a_call_of_more_than_five_minutes_ago_is_refused() {
    let (server, flow, secret) = signing(json!({}));
    timed(&server, &flow, &secret, BODY, 290).send().is(200);
    let told = timed(&server, &flow, &secret, BODY, 310).send().is_error(401);
    assert!(told.contains("five minutes"), "{told}");
}

#[test]
fn a_signature_with_a_time_is_accepted_once() {
    let (server, flow, secret) = signing(json!({}));
    let sent = timed(&server, &flow, &secret, BODY, 0);
    sent.send().is(200);
    let told = sent.send().is_error(409);
    assert!(told.contains("signature"), "{told}");
}

#[test]
fn a_used_signature_stays_used_over_a_restart() {
    let (server, flow, secret) = signing(json!({}));
    let old = timed(&server, &flow, &secret, BODY, 0);
    let seconds = jiff::Timestamp::now().as_second() - 1;
    let signature = format!("t={seconds},v1={}", sign_timed_body(&secret, seconds, BODY.as_bytes()));
    let send = |server: &Server| {
        call(server, &flow).bytes("application/json", BODY).header("X-Webhook-Signature", &signature).send()
    };
    old.send().is(200);
    send(&server).is(200);
    let server = server.restart();
    send(&server).is_error(409);
}

#[test]
fn a_signature_without_a_time_may_come_again() {
    let (server, flow, secret) = signing(json!({}));
    let sent = signed(&server, &flow, &secret, BODY);
    sent.send().is(200);
    sent.send().is(200);
}

#[test]
fn who_guesses_has_to_wait_and_who_knows_does_not() {
    let (server, flow, secret) = signing(json!({}));
    let guess = || signed(&server, &flow, "guess", BODY).send();
    for _ in 0..10 {
        guess().is_error(401);
    }
    let refused = guess().is(429);
    assert!(refused.header("retry-after").is_some());
    signed(&server, &flow, &secret, BODY).send().is(200);
}

#[test]
fn the_secret_is_64_hex_digits_shown_once_and_told_of_in_the_record() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let path = format!("/chatflows/{flow}");
    assert_eq!(server.read(&path)["webhookSecretConfigured"], false);
    let secret = generate_secret(&server, &flow);
    assert!(secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()), "{secret}");
    let record = server.read(&path);
    assert_eq!(record["webhookSecretConfigured"], true);
    assert!(!record.to_string().contains(&secret));
    assert!(server.files_with(&secret).is_empty());
}

#[test]
fn a_new_secret_takes_the_place_of_the_old_one() {
    let (server, flow, old) = signing(json!({}));
    let new = generate_secret(&server, &flow);
    signed(&server, &flow, &old, BODY).send().is_error(401);
    signed(&server, &flow, &new, BODY).send().is(200);
}

#[test]
fn a_secret_that_is_deleted_signs_nothing() {
    let (server, flow, secret) = signing(json!({}));
    let path = format!("/chatflows/{flow}/webhook-secret");
    server.owner("DELETE", &path).send().is(204);
    signed(&server, &flow, &secret, BODY).send().is_error(401);
    server.owner("DELETE", &path).send().is_error(404);
}

#[test]
fn a_secret_outlives_a_restart_and_goes_with_its_flow() {
    let (server, flow, secret) = signing(json!({}));
    let server = server.restart();
    signed(&server, &flow, &secret, BODY).send().is(200);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    let fields = json!({"id": flow, "type": "AGENTFLOW"});
    let again = echo(json!({"webhookEnableAuth": true})).flow_with(&server, fields);
    let told = signed(&server, &again, &secret, BODY).send().is_error(401);
    assert!(told.contains("has no secret yet"), "{told}");
}

#[test]
fn a_refused_call_starts_nothing() {
    let (server, flow, _) = signing(json!({}));
    signed(&server, &flow, "guess", BODY).send().is_error(401);
    assert!(server.messages(&flow).is_empty());
}

#[test]
fn who_made_or_deleted_a_secret_stands_in_the_list_of_what_was_done() {
    let (server, flow, secret) = signing(json!({}));
    server.owner("DELETE", &format!("/chatflows/{flow}/webhook-secret")).send().is(204);
    server.owner("DELETE", &format!("/chatflows/{flow}/webhook-secret")).send().is(404);
    let page = server.read("/audit?limit=50");
    let of_secret = |row: &&Value| row["action"].as_str().unwrap().starts_with("webhook-");
    let done: Vec<&Value> = page["data"].as_array().unwrap().iter().filter(of_secret).collect();
    let actions: Vec<&Value> = done.iter().map(|row| &row["action"]).collect();
    assert_eq!(actions, [&json!("webhook-secret-deleted"), &json!("webhook-secret-made")]);
    assert!(done.iter().all(|row| row["target"]["id"] == flow && row["actor"]["name"] == "Ada"), "{page}");
    assert!(!page.to_string().contains(&secret));
}
