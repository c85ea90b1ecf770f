//! HTTP steps against a server of the test.

use super::*;
use crate::kit::capabilities::test_host::TestHost;
use crate::kit::steps::test_step::TestStep;
use crate::net::test_servers::{read_head, serve_plain};
use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex};

/// Answers every request with one answer, and keeps what it was sent.
struct Server {
    port: u16,
    heard: Arc<Mutex<String>>,
}

impl Server {
    fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let (heard, answer) = (Arc::<Mutex<String>>::default(), answer.into());
        let noted = heard.clone();
        let port = serve_plain(move |mut stream| {
            let head = read_head(&mut stream);
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
            stream.read_exact(&mut body).unwrap();
            *noted.lock().unwrap() = format!("{head}{}", String::from_utf8(body).unwrap());
            let _ = stream.write_all(&answer);
        });
        Self { port, heard }
    }

    fn with_body(head: &str, body: &[u8]) -> Self {
        let head = format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        Self::answering([head.as_bytes(), body].concat())
    }

    fn ok() -> Self {
        Self::with_body("200 OK", b"{\"n\": 1}")
    }

    fn step(&self) -> TestStep {
        TestStep::new(&CARD).with(URL, json!(format!("http://127.0.0.1:{}/a?x=1", self.port)))
    }

    fn run(&self, step: TestStep) -> Result<StepOutcome> {
        step.run_on(&TestHost::calling(self.port))
    }

    /// What it was sent with this step.
    fn hears(&self, step: TestStep) -> String {
        self.run(step).unwrap();
        self.heard.lock().unwrap().clone()
    }
}

fn rows(pairs: &[(&str, &str)]) -> Value {
    pairs.iter().map(|(key, value)| json!({"key": key, "value": value})).collect()
}

fn answer(server: &Server, kind: Option<&str>) -> Value {
    let step = server.step();
    let step = match kind {
        Some(kind) => step.with(ANSWER_TYPE, json!(kind)),
        None => step,
    };
    server.run(step).unwrap().output["http"].clone()
}

#[test]
fn query_rows_stand_behind_what_the_address_holds_and_rows_without_a_key_are_skipped() {
    let server = Server::ok();
    let heard = server.hears(server.step().with(QUERY, rows(&[("q", "a b&c"), ("", "lost"), ("r", "")])));
    assert!(heard.starts_with("GET /a?x=1&q=a+b%26c&r= HTTP/1.1"), "{heard}");
}

#[test]
fn the_answer_has_data_status_and_headers() {
    let server = Server::with_body("201 Created\r\nx-a: 1\r\nx-a: 2", b"{\"n\": 1}");
    let answer = answer(&server, None);
    assert_eq!((&answer["data"], &answer["status"]), (&json!({"n": 1}), &json!(201)));
    assert_eq!((&answer["statusText"], &answer["headers"]["x-a"]), (&json!("Created"), &json!("1, 2")));
}

#[test]
fn the_owner_says_how_the_answer_is_read() {
    let server = Server::ok();
    assert_eq!(answer(&server, Some("text"))["data"], "{\"n\": 1}");
    assert_eq!(answer(&server, Some("base64"))["data"], "eyJuIjogMX0=");
    assert_eq!(answer(&Server::with_body("200 OK", b"no json"), Some("json"))["data"], "no json");
    assert_eq!(answer(&Server::with_body("200 OK", &[0xff, 0]), Some("arraybuffer"))["data"], "/wA=");
}

#[test]
fn a_get_request_sends_no_body() {
    let server = Server::ok();
    let step = server.step().with(BODY_TYPE, json!("json")).with(BODY, json!("{}"));
    assert!(server.hears(step).ends_with("\r\n\r\n"));
}

fn posting(server: &Server, kind: &str, body: Value) -> TestStep {
    server.step().with(METHOD, json!("POST")).with(BODY_TYPE, json!(kind)).with(BODY, body)
}

#[test]
fn json_is_sent_as_it_was_written() {
    let server = Server::ok();
    let heard = server.hears(posting(&server, "json", json!("{\"n\": 1.00}")));
    assert!(heard.ends_with("\r\n\r\n{\"n\": 1.00}"), "{heard}");
    assert!(heard.contains("content-type: application/json\r\n"), "{heard}");
}

#[test]
fn a_body_that_is_no_json_names_the_input() {
    let server = Server::ok();
    let told = server.run(posting(&server, "json", json!("{n: 1"))).unwrap_err().to_string();
    assert_eq!(told, "HTTP: Body: this is not valid JSON");
}

#[test]
fn a_raw_body_bears_the_type_that_the_owner_wrote() {
    let server = Server::ok();
    let step = posting(&server, "raw", json!("<a/>")).with(HEADERS, rows(&[("Content-Type", "text/xml")]));
    let heard = server.hears(step);
    assert!(heard.contains("content-type: text/xml\r\n") && heard.ends_with("\r\n\r\n<a/>"), "{heard}");
}

#[test]
fn url_encoded_rows_are_pairs() {
    let server = Server::ok();
    let heard = server.hears(posting(&server, "xWwwFormUrlencoded", rows(&[("a", "1 & 2"), ("b", "ü")])));
    assert!(heard.ends_with("\r\n\r\na=1+%26+2&b=%C3%BC"), "{heard}");
    assert!(heard.contains("content-type: application/x-www-form-urlencoded\r\n"), "{heard}");
}

#[test]
fn form_data_rows_are_parts_that_end_where_the_head_says() {
    let server = Server::ok();
    let step = posting(&server, "formData", rows(&[("a\"b", "1"), ("c", "2")]));
    let heard = server.hears(step.with(HEADERS, rows(&[("Content-Type", "multipart/form-data")])));
    let boundary = heard.split("boundary=").nth(1).unwrap().lines().next().unwrap();
    let part = |name: &str, value: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = format!("{}{}--{boundary}--\r\n", part("a%22b", "1"), part("c", "2"));
    assert!(heard.ends_with(&body), "{heard}");
}

#[test]
fn each_kind_of_credential_signs_in() {
    let server = Server::ok();
    for (fields, line) in [
        (json!({"basicAuthUsername": "u", "basicAuthPassword": "p"}), "authorization: Basic dTpw"),
        (json!({"token": "t"}), "authorization: Bearer t"),
        (json!({"key": "X-Own", "value": "v"}), "x-own: v"),
    ] {
        let step = server.step().with_credential(&fields).with(HEADERS, rows(&[("Authorization", "mine")]));
        let heard = server.hears(step);
        assert!(heard.contains(&format!("{line}\r\n")), "{heard}");
    }
}

#[test]
fn a_redirect_to_an_address_that_the_operator_named_is_refused() {
    let other = Server::ok();
    let to = format!("302 Found\r\nlocation: http://127.0.0.1:{}/b", other.port);
    let server = Server::with_body(&to, b"");
    let host = TestHost::calling_any(&[server.port, other.port]);
    let fault = server.step().run_on(&host).unwrap_err();
    assert!(fault.to_string().contains("refused by policy"), "{fault}");
    assert!(other.heard.lock().unwrap().is_empty());
}

#[test]
fn the_record_hides_secrets_and_shows_the_rest() {
    let server = Server::with_body("200 OK\r\nset-cookie: s=1", b"{}");
    let step = posting(&server, "raw", json!("x"))
        .with(HEADERS, rows(&[("X-Api-Key", "s"), ("accept", "a")]))
        .with(QUERY, rows(&[("token", "s")]));
    let outcome = server.run(step).unwrap();
    assert_eq!(
        outcome.input["http"],
        json!({
            "method": "POST", "url": format!("http://127.0.0.1:{}/a?x=1", server.port),
            "headers": rows(&[("X-Api-Key", "***"), ("accept", "a")]), "queryParams": rows(&[("token", "***")]),
            "bodyType": "raw", "body": "x",
        })
    );
    assert_eq!(outcome.output["http"]["headers"]["set-cookie"], "***");
}

#[test]
fn a_status_beyond_200_fails_the_step_and_says_whether_it_may_pass() {
    for (status, passes) in [(400, false), (404, false), (409, true), (408, true), (429, true), (503, true)] {
        let server = Server::with_body(&format!("{status} No\r\nretry-after: 9"), b"");
        let fault = server.run(server.step()).unwrap_err();
        assert_eq!(fault.to_string(), format!("HTTP: the address answered with status {status}"));
        assert_eq!((fault.may_pass(), fault.retry_after_seconds()), (passes, passes.then_some(9)));
    }
}

#[test]
fn a_connection_that_fails_may_pass_and_an_address_that_is_refused_may_not() {
    let broken = Server::answering(*b"");
    assert!(broken.run(broken.step()).unwrap_err().may_pass());
    let fault = broken.step().run().unwrap_err();
    assert!(!fault.may_pass() && fault.to_string().contains("refused by policy"), "{fault}");
}
