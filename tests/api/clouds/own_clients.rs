//! The clouds' own clients before the stand-ins that our cards are tested with, and as judges of what our cards send:
//! botocore of AWS and google-auth. `.ci/clouds` installs them and names their folder in `FLOWKEEP_CLOUDS`.

use super::bedrock::{ACCOUNT, Fixture, MODEL, SESSION, key, retrieval_flow};
use super::vertex;
use crate::support::canvases::Drawing;
use crate::support::provider::aws::Account;
use crate::support::provider::{Behaviour, RecordedRequest, Reply};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/clouds.py");
const PUBLIC: &str = include_str!("../../support/provider/account.pub");

/// Where the clients are; `None`, and says so, where they are not.
pub fn client_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("FLOWKEEP_CLOUDS").map(PathBuf::from);
    if folder.is_none() {
        // Not by the macro, whose words are only shown when a test fails.
        let _ =
            writeln!(std::io::stderr(), "skipped: FLOWKEEP_CLOUDS names no folder with the clouds' clients");
    }
    folder
}

/// What the client answers; `None` where it is not installed.
#[track_caller]
fn asked(question: &str, about: &Value) -> Option<Value> {
    let python = client_folder()?.join("venv/bin/python");
    let mut client = Command::new(python)
        .args([PROGRAM, question])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    client.stdin.take().unwrap().write_all(about.to_string().as_bytes()).unwrap();
    let ended = client.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Some(serde_json::from_slice(&ended.stdout).unwrap())
}

fn about(account: &Account) -> Value {
    json!({"id": account.id, "secret": account.secret, "session": account.session, "region": account.region,
        "service": account.service})
}

/// Has botocore judge these requests; how many it judged.
#[track_caller]
fn judge(account: &Account, requests: &[RecordedRequest]) -> Option<usize> {
    let shown = |request: &RecordedRequest| {
        let headers: serde_json::Map<String, Value> =
            request.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        json!({"method": request.method, "path": request.path, "headers": headers,
            "body": STANDARD.encode(&request.raw)})
    };
    let mut about = about(account);
    about["requests"] = requests.iter().map(shown).collect();
    let judged = asked("judge-requests", &about)?["judged"].as_u64().unwrap();
    Some(usize::try_from(judged).unwrap())
}

#[test]
fn boto3_is_let_in_by_the_stand_in_and_reads_what_it_streams() {
    for session in [None, Some(SESSION)] {
        let account = Account { session, ..ACCOUNT };
        let house = Fixture::open(account.clone());
        let mut about = about(&account);
        about["base"] = house.provider.base_url().into();
        about["model"] = MODEL.into();
        about["question"] = "Grüße 👋".into();
        let Some(heard) = asked("converse", &about) else { return };
        assert_eq!(heard["whole"], "You said: Grüße 👋");
        assert_eq!((&heard["streamed"], &heard["stop"]), (&heard["whole"], &json!("end_turn")));
        assert_eq!(heard["usage"], json!({"inputTokens": 2, "outputTokens": 4, "totalTokens": 6}));
        about["secret"] = "another-secret-of-somebody".into();
        let heard = asked("converse", &about).unwrap();
        assert_eq!(heard["refused"], "InvalidSignatureException");
    }
}

#[test]
fn what_the_model_cards_send_is_what_botocore_would_send() {
    if client_folder().is_none() {
        return;
    }
    let account = Account { session: Some(SESSION), ..ACCOUNT };
    let house = Fixture::open(account.clone());
    let mut fields = key();
    fields["awsSession"] = SESSION.into();
    let image = json!([{"type": "file", "name": "dot.png", "mime": "image/png", "data": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}]);
    for inputs in [
        json!({"allowImageUploads": true}),
        json!({"streaming": false, "temperature": "0", "max_tokens_to_sample": "77", "latencyOptimized": true}),
        json!({"customModel": "arn:aws:bedrock:eu-central-1:1:application-inference-profile/x", "temperature": ""}),
    ] {
        let takes_images = inputs["allowImageUploads"] == true;
        let flow = house.conversation(inputs, &fields);
        let uploads = if takes_images { image.clone() } else { json!([]) };
        let body = json!({"question": "Grüße 👋 \u{1} \"x\"", "uploads": uploads});
        house.server.ask(&flow, &body).is(200);
    }
    let mut drawing = Drawing::default();
    let model = house.place_card(&mut drawing, "awsChatBedrock", json!({}), &fields);
    drawing.counting_agent(&model);
    let flow = house.server.flow(&drawing.text());
    let calls = vec![("calculator".into(), json!({"input": "6 * (3 + 4)"}))];
    house.provider.push_behaviour(Behaviour::Reply(Reply { calls, ..Reply::text("Let me see. ") }));
    house.server.ask(&flow, &json!({"question": "How much?"})).is(200);
    let requests = house.provider.requests();
    assert_eq!(judge(&account, &requests), Some(5));
}

#[test]
fn what_the_embedding_card_sends_is_what_botocore_would_send() {
    if client_folder().is_none() {
        return;
    }
    let house = Fixture::open(ACCOUNT);
    for inputs in
        [json!({"model": "amazon.titan-embed-text-v2:0"}), json!({"customModel": "eu.cohere.embed-v4:0"})]
    {
        let flow = retrieval_flow(&house, inputs, &key());
        house.server.ask(&flow, &json!({"question": "When do parcels leave?"})).is(200);
    }
    assert_eq!(judge(&ACCOUNT, &house.provider.requests()), Some(5));
}

#[test]
fn google_auth_buys_a_token_where_our_cards_do() {
    let house = vertex::Fixture::open();
    let about =
        json!({"key": house.accounts.key(), "scope": "https://www.googleapis.com/auth/cloud-platform"});
    let Some(bought) = asked("buy-token", &about) else { return };
    assert_eq!(house.accounts.tokens_sold(), [bought["token"].as_str().unwrap()]);
    let seconds = bought["seconds"].as_f64().unwrap();
    assert!((3_500.0..=3_600.0).contains(&seconds), "{seconds}");
}

#[test]
fn the_wish_of_our_cards_for_a_token_is_one_that_google_auth_verifies() {
    let house = vertex::Fixture::open();
    let flow = house.conversation(json!({}), &house.key());
    house.server.ask(&flow, &json!({"question": "Hi"})).is(200);
    let wish = house.provider.requests().into_iter().find(|request| request.path == "/token").unwrap();
    let form: Vec<(String, String)> = form_urlencoded::parse(&wish.raw).into_owned().collect();
    let assertion = &form.iter().find(|(name, _)| name == "assertion").unwrap().1;
    let key = house.accounts.key();
    let about = json!({"assertion": assertion, "public": PUBLIC.trim(), "audience": key["token_uri"]});
    let Some(read) = asked("judge-assertion", &about) else { return };
    assert_eq!(read["head"], json!({"alg": "RS256", "typ": "JWT", "kid": key["private_key_id"]}));
    assert_eq!(read["claims"]["iss"], key["client_email"]);
}
