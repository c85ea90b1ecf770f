//! Questions as forms (manual 2.1): what they carry, and every way in which they can be wrong.

use super::files::documents;
use crate::support::canvases::{ProviderFormat, scripted_flow, scripted_flow_with};
use crate::support::form::Form;
use crate::support::provider::Provider;
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::io::Write as _;

fn send(server: &Server, flow: &str, form: &Form) -> Answer {
    server.call("POST", &format!("/prediction/{flow}")).form(form).send()
}

fn send_bytes(server: &Server, flow: &str, body: &[u8]) -> Answer {
    server.call("POST", &format!("/prediction/{flow}")).bytes(Form::CONTENT_TYPE, body).send()
}

fn reader(server: &Server) -> String {
    server.flow_with(&scripted_flow(), &documents(""))
}

#[test]
fn a_form_asks_as_json_does() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let first = send(&server, &flow, &Form::of(&[("question", "Héllo")])).is(200).json();
    assert_eq!((&first["text"], &first["question"]), (&json!("You said: Héllo"), &json!("Héllo")));
    let text = |name: &str| first[name].as_str().unwrap().to_owned();
    let again = Form::of(&[
        ("question", "Again"),
        ("chatId", &text("chatId")),
        ("sessionToken", &text("sessionToken")),
        ("leadEmail", "ada@example.org"),
    ]);
    assert_eq!(send(&server, &flow, &again).is(200).json()["chatId"], first["chatId"]);
    let unproven = Form::of(&[("question", "Mine"), ("chatId", &text("chatId"))]);
    assert_ne!(send(&server, &flow, &unproven).is(200).json()["chatId"], first["chatId"]);
    let stream = send(&server, &flow, &Form::of(&[("question", "Hi"), ("streaming", "true")])).is(200);
    assert!(stream.header("content-type").unwrap().starts_with("text/event-stream"));
}

#[test]
fn documents_in_a_form_stand_before_the_question() {
    let server = Server::start();
    let flow = reader(&server);
    let form = Form::of(&[("question", "Which?")]).file("a.txt", "text/plain", b"one").file(
        "dir/b.md",
        "application/octet-stream",
        b"two",
    );
    let answer = send(&server, &flow, &form).is(200).json();
    assert_eq!(answer["text"], "You said: <doc name='a.txt'>one</doc>\n<doc name='b.md'>two</doc>\n\nWhich?");
    let listed = server.messages(&flow)[0]["fileUploads"].clone();
    assert_eq!((&listed[1]["name"], &listed[1]["type"]), (&json!("b.md"), &json!("stored-file")));
}

#[test]
fn a_picture_in_a_form_reaches_the_model() {
    let server = Server::start();
    let provider = Provider::start();
    let images = json!({"allowImageUploads": true});
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), images));
    let png = b"\x89PNG\r\n\x1a\nrest";
    send(&server, &flow, &Form::of(&[("question", "What?")]).file("a.png", "image/png", png)).is(200);
    let body = provider.last_request().body;
    let content = body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert!(
        content[1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,iVBO"),
        "{content}"
    );
    send(&server, &flow, &Form::of(&[("question", "What?")]).file("a.txt", "text/plain", b"x")).is_error(403);
}

/// A flow whose fallback answer a request may change.
fn open_to(server: &Server, name: &str) -> String {
    let nodes =
        json!({"Scripted Chat Model": [{"label": name, "name": name, "type": "string", "enabled": true}]});
    let config = json!({"overrideConfig": {"status": true, "nodes": nodes, "variables": []}}).to_string();
    server.flow_with(&scripted_flow_with(json!({"fallback": "old"})), &json!({ "apiConfig": config }))
}

#[test]
fn other_fields_of_a_form_are_overrides_and_judged_as_such() {
    let server = Server::start();
    let text = |flow: &str, fields: &[(&str, &str)]| {
        let form = fields
            .iter()
            .fold(Form::of(&[("question", "Hi")]), |form, (name, value)| form.field(name, value));
        send(&server, flow, &form).is(200).json()["text"].clone()
    };
    let open = open_to(&server, "fallback");
    assert_eq!(text(&open, &[("fallback", "new")]), "new");
    assert_eq!(text(&open, &[("overrideConfig", r#"{"fallback": "new"}"#)]), "new");
    let closed = open_to(&server, "other");
    assert_eq!(text(&closed, &[("fallback", "new")]), "old");
    assert_eq!(text(&closed, &[("overrideConfig", r#"{"fallback": "new"}"#)]), "old");
}

#[test]
fn fields_that_cannot_be_read_are_refused() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    for fields in [
        &[][..],
        &[("question", " ")],
        &[("question", "Hi"), ("question", "Ho")],
        &[("question", "Hi"), ("streaming", "yes")],
        &[("question", "Hi"), ("overrideConfig", "[]")],
        &[("question", "Hi"), ("overrideConfig", "{")],
        &[("question", "Hi"), ("overrideConfig", r#"{"a":1,"a":2}"#)],
        &[("question", "Hi"), ("a", "1"), ("overrideConfig", r#"{"a":1}"#)],
        &[("question", "Hi"), ("", "x")],
        &[("question", "Hi"), ("history", "{")],
        &[("question", "Hi"), ("history", "{}")],
        &[("question", "Hi"), ("history", "earlier")],
        &[("question", "Hi"), ("history", r#"[{"role": "nobody", "content": "x"}]"#)],
        &[("question", "Hi"), ("uploads", "5")],
        &[("question", "Hi"), ("uploads", r#"["a.txt"]"#)],
        &[("question", "Hi"), ("uploads", "[")],
    ] {
        send(&server, &flow, &Form::of(fields)).is_error(400);
    }
    let head = |head: &str| Form::of(&[("question", "Hi")]).part(head, b"x");
    for bad in [
        head("Content-Disposition: form-data; name=\"other\"; filename=\"a.txt\""),
        head("Content-Disposition: form-data; name=\"files\""),
        head("Content-Disposition: form-data"),
        head("Content-Type: text/plain"),
        head("no header at all"),
        Form::default().part("Content-Disposition: form-data; name=\"question\"", b"\xff\xfe"),
    ] {
        send(&server, &flow, &bad).is_error(400);
    }
    assert!(server.messages(&flow).is_empty());
    let call = server.call("POST", &format!("/prediction/{flow}"));
    for kind in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary"] {
        call.clone().bytes(kind, Form::of(&[("question", "Hi")]).bytes()).send().is_error(400);
    }
    let long = format!("multipart/form-data; boundary={}", "b".repeat(71));
    call.bytes(&long, "x").send().is_error(400);
}

#[test]
fn a_form_cut_anywhere_is_refused_and_nothing_is_stored() {
    let server = Server::start();
    let flow = reader(&server);
    let whole = Form::of(&[("question", "Hi")]).file("a.txt", "text/plain", b"one\r\n--two").bytes();
    send_bytes(&server, &flow, &whole).is(200);
    let stored = server.messages(&flow).len();
    // All but the line end behind the last boundary belongs to the form.
    for cut in 0..whole.len() - 2 {
        let answer = send_bytes(&server, &flow, &whole[..cut]);
        assert_eq!(answer.status, 400, "cut at {cut}: {answer:?}");
    }
    assert_eq!(server.messages(&flow).len(), stored);
    send_bytes(&server, &flow, &whole[..whole.len() - 2]).is(200);
}

#[test]
fn a_form_that_arrives_byte_by_byte_is_read() {
    let server = Server::start();
    let flow = reader(&server);
    let body = Form::of(&[("question", "Hi")]).file("a.txt", "text/plain", b"one").bytes();
    let mut call =
        format!("POST /api/v1/prediction/{flow} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    call.push_str(&format!("Content-Type: {}\r\nContent-Length: {}\r\n\r\n", Form::CONTENT_TYPE, body.len()));
    let mut socket = std::net::TcpStream::connect(server.address).unwrap();
    socket.set_nodelay(true).unwrap();
    socket.write_all(call.as_bytes()).unwrap();
    body.iter().for_each(|byte| socket.write_all(&[*byte]).unwrap());
    let answer = crate::support::client::read(socket).is(200).json();
    assert_eq!(answer["text"], "You said: <doc name='a.txt'>one</doc>\n\nHi");
}

#[test]
fn a_caller_that_leaves_in_the_middle_of_a_form_changes_nothing() {
    let server = Server::start();
    let flow = reader(&server);
    let head = format!(
        "POST /api/v1/prediction/{flow} HTTP/1.1\r\nHost: a\r\nContent-Type: {}\r\nContent-Length: 5000000\r\n\r\n",
        Form::CONTENT_TYPE
    );
    let begun = Form::of(&[("question", "Hi")]).file("a.txt", "text/plain", &vec![b'x'; 1 << 20]).bytes();
    for _ in 0..5 {
        let mut socket = std::net::TcpStream::connect(server.address).unwrap();
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(&begun).unwrap();
    }
    send(&server, &flow, &Form::of(&[("question", "Hi")])).is(200);
    assert_eq!(server.messages(&flow).len(), 2);
}

#[test]
fn a_form_has_bounds() {
    let server = Server::start();
    let flow = reader(&server);
    let files = |count: usize| {
        let form = Form::of(&[("question", "Hi")]);
        (0..count).fold(form, |form, at| form.file(&format!("{at}.txt"), "text/plain", b"x"))
    };
    send(&server, &flow, &files(20)).is(200);
    let fields = |count: usize| {
        let form = Form::of(&[("question", "Hi")]);
        (1..count).fold(form, |form, at| form.field(&format!("f{at}"), "x"))
    };
    send(&server, &flow, &fields(64)).is(200);
    let stored = server.messages(&flow).len();
    let said = |form: &Form, what: &str| {
        let message = send(&server, &flow, form).is_error(400);
        assert!(message.contains(what), "{message}");
    };
    said(&files(21), "too many files");
    said(&fields(65), "too many parts");
    let head = |bytes: usize| {
        let head = format!("Content-Disposition: form-data; name=\"x\"\r\nX-Long: {}", "x".repeat(bytes));
        Form::of(&[("question", "Hi")]).part(&head, b"x")
    };
    send(&server, &flow, &head(7 * 1024)).is(200);
    said(&head(9 * 1024), "head of a part");
    said(&head(4 << 20), "head of a part");
    said(&Form::of(&[("question", "Hi")]).file("a.txt", "text/plain", &vec![b'x'; (25 << 20) + 1]), "25 MB");
    said(&Form::of(&[("question", &"x".repeat(30 << 20))]), "30 MiB");
    let preamble = [vec![b'x'; 1 << 20], Form::of(&[("question", "Hi")]).bytes()].concat();
    send_bytes(&server, &flow, &preamble).is_error(400);
    assert_eq!(server.messages(&flow).len(), stored + 2);
}

#[test]
fn a_file_field_without_a_choice_is_no_file() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let form = Form::of(&[("question", "Hi")]).file("", "application/octet-stream", b"");
    assert_eq!(send(&server, &flow, &form).is(200).json()["text"], "You said: Hi");
    assert_eq!(server.messages(&flow)[0]["fileUploads"], Value::Null);
}

#[test]
fn history_and_uploads_of_a_form_count_as_those_of_json() {
    let server = Server::start();
    let config =
        json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": "text/plain"}}).to_string();
    let canvas = scripted_flow_with(json!({"fallback": "{history} {question}"}));
    let flow = server.flow_with(&canvas, &json!({ "chatbotConfig": config }));
    let history =
        json!([{"role": "userMessage", "content": "I am Ada"}, {"role": "apiMessage", "content": "Hello"}]);
    let uploads = json!([{
        "type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "data:text/plain;base64,YSBub3Rl",
    }]);
    let body = json!({"question": "Hi", "history": history, "uploads": uploads});
    let of_json = server.ask(&flow, &body).is(200).json()["text"].clone();
    let (history, uploads) = (history.to_string(), uploads.to_string());
    let form = Form::of(&[("question", "Hi"), ("history", &history), ("uploads", &uploads)]);
    let text = send(&server, &flow, &form).is(200).json()["text"].clone();
    assert_eq!(text, of_json);
    assert!(
        text.as_str().unwrap().contains("I am Ada") && text.as_str().unwrap().contains("a.txt"),
        "{text}"
    );
    let none = Form::of(&[("question", "Hi"), ("history", ""), ("uploads", "null")]);
    assert!(!send(&server, &flow, &none).is(200).text().contains("Ada"));
}
