//! Keys that can be read, wishes for tokens, and where they are sent.

use super::*;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

/// A key made for these tests, and its public half.
const KEY: &str = include_str!("../../../../../tests/support/provider/account.key");
const PUBLIC: &str = include_str!("../../../../../tests/support/provider/account.pub");

fn file(change: impl Fn(&mut Value)) -> String {
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", KEY.trim());
    let mut file = json!({"type": "service_account", "project_id": "our-project", "private_key_id": "k1",
        "private_key": pem, "client_email": "flows@our-project.iam.gserviceaccount.com"});
    change(&mut file);
    file.to_string()
}

#[test]
fn a_wish_for_a_token_is_signed() {
    let account = ServiceAccount::parse(&file(|_| ())).unwrap();
    let assertion = account.assertion("2026-01-02T03:04:05Z".parse().unwrap()).unwrap();
    let parts: Vec<&str> = assertion.split('.').collect();
    let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    assert_eq!(read(parts[0]), json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
    let claims = json!({"iss": "flows@our-project.iam.gserviceaccount.com", "scope": SCOPE, "aud": TOKEN_URI,
        "iat": 1_767_323_045, "exp": 1_767_326_645});
    assert_eq!(read(parts[1]), claims);
    let public = STANDARD.decode(PUBLIC.trim()).unwrap();
    let signed = format!("{}.{}", parts[0], parts[1]);
    let signature = URL_SAFE_NO_PAD.decode(parts[2]).unwrap();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public);
    key.verify(signed.as_bytes(), &signature).unwrap();
    assert_eq!(account.project.as_deref(), Some("our-project"));
    assert_eq!(format!("{account:?}"), "ServiceAccount(hidden)");
}

#[test]
fn what_is_no_key_is_refused_in_words() {
    let broken = |name: &'static str, value: Value| file(move |file| file[name] = value.clone());
    for (text, says) in [
        ("a".to_owned(), "no JSON key"),
        ("[]".to_owned(), "no JSON key"),
        (broken("type", "authorized_user".into()), "service_account"),
        (broken("client_email", "".into()), "missing"),
        (broken("private_key", "".into()), "missing"),
        (broken("private_key", "-----BEGIN PRIVATE KEY-----\nAAAA\n".into()), "cannot be read"),
        (broken("private_key", "not base64".into()), "cannot be read"),
    ] {
        let why = ServiceAccount::parse(&text).unwrap_err();
        assert!(why.contains(says) && !why.contains("AAAA"), "{why}");
    }
}

#[test]
fn tokens_are_bought_of_google_only() {
    for (address, googles) in [
        ("https://oauth2.googleapis.com/token", true),
        ("https://googleapis.com/token", true),
        ("http://oauth2.googleapis.com/token", false),
        ("https://oauth2.googleapis.com.evil.example/token", false),
        ("https://evilgoogleapis.com/token", false),
        ("https://oauth2.googleapis.com@evil.example/token", false),
        ("file:///etc/passwd", false),
        ("", false),
    ] {
        assert_eq!(is_google_host(address), googles, "{address}");
    }
    let text = file(|file| file["token_uri"] = "https://evil.example/token".into());
    let account = ServiceAccount::parse(&text).unwrap();
    let bought = account.request_token(
        &Outgoing::new(Vec::new(), true),
        Timestamp::UNIX_EPOCH,
        &CancelToken::new(None),
    );
    assert!(matches!(&bought, Err(ModelError::Settings(why)) if why.contains("token_uri")), "{bought:?}");
}

#[test]
fn refusals_of_tokens_are_understood() {
    let refusals = ErrorInterpreter::new("", Vec::new());
    for (status, told, expected) in [
        (
            400,
            json!({"error": "invalid_grant", "error_description": "Invalid JWT Signature."}),
            ModelError::KeyRefused,
        ),
        (401, json!({"error": "invalid_client"}), ModelError::KeyRefused),
        (429, Value::Null, retry::throttled_error(None)),
        (
            503,
            json!({"error": "unavailable"}),
            ModelError::Provider { status: 503, message: "unavailable".into() },
        ),
        (
            400,
            json!({"error": "invalid_scope", "error_description": "No such scope"}),
            ModelError::Provider { status: 400, message: "No such scope".into() },
        ),
    ] {
        assert_eq!(token_error(status, &told, None, &refusals), expected, "{told}");
    }
    let late = json!({"error": "invalid_grant", "error_description": "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."});
    assert!(token_error(400, &late, None, &refusals).to_string().contains("clock"));
}
