//! Documents sent with a question: inside the JSON, in a form, and read beforehand (spec 2.3, 4.1; reference 4).

use crate::samples::{archive, docx, paragraph, pdf};
use crate::support::canvases::scripted;
use crate::support::{Answer, Server};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;

/// A flow that says what it was asked, and takes documents of these media types.
fn flow(server: &Server, types: &str) -> String {
    let config = json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": types}});
    server.flow_with(&scripted(), &json!({"chatbotConfig": config.to_string()}))
}

fn inline(name: &str, mime: &str, bytes: &[u8]) -> Value {
    let data = format!("data:{mime};base64,{}", STANDARD.encode(bytes));
    json!({"type": "file", "name": name, "mime": mime, "data": data})
}

fn ask(server: &Server, flow: &str, upload: &Value) -> Answer {
    server.ask(flow, &json!({"question": "What is this?", "uploads": [upload]}))
}

/// A form of these fields and files.
fn form(fields: &[(&str, &str)], files: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes(),
        );
    }
    for (name, mime, bytes) in files {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\nContent-Type: {mime}\r\n\r\n"
        );
        body.extend(head.bytes());
        body.extend(*bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--x--\r\n");
    body
}

fn send(server: &Server, path: &str, body: Vec<u8>) -> Answer {
    server.call("POST", path).bytes("multipart/form-data; boundary=x", body).send()
}

/// The files of conversations on disk.
fn kept(server: &Server) -> usize {
    fn count(folder: &std::path::Path) -> usize {
        let Ok(entries) = fs::read_dir(folder) else { return 0 };
        entries
            .map(|entry| entry.unwrap().path())
            .map(|path| if path.is_dir() { count(&path) } else { 1 })
            .sum()
    }
    count(&server.folder.path().join("data/files"))
}

#[test]
fn the_text_of_a_document_stands_before_the_question() {
    let server = Server::start();
    let flow = flow(&server, "");
    let word = docx(&paragraph("Rain in Oslo"));
    for (name, mime, bytes) in [
        ("a.md", "text/markdown", b"Rain in Oslo".as_slice()),
        ("a.txt", "application/octet-stream", b"Rain in Oslo"),
        ("a.pdf", "application/pdf", &pdf(&["Rain in Oslo".to_owned()])),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", &word),
    ] {
        let text = ask(&server, &flow, &inline(name, mime, bytes)).is(200).json()["text"].clone();
        let text = text.as_str().unwrap();
        let (before, question) = text.split_once("</doc>\n\n").unwrap_or_else(|| panic!("{text}"));
        assert!(
            before.starts_with(&format!("You said: <doc name='{name}'>")) && before.contains("Rain in Oslo"),
            "{text}"
        );
        assert_eq!(question, "What is this?");
    }
}

#[test]
fn a_document_is_kept_beside_a_message_that_holds_only_the_question() {
    let server = Server::start();
    let flow = flow(&server, "text/markdown");
    ask(&server, &flow, &inline("notes.md", "text/markdown", b"Rain in Oslo")).is(200);
    let message = server.messages(&flow)[0].clone();
    assert_eq!(message["content"], "What is this?");
    let file = &message["fileUploads"][0];
    let stored = file["fileName"].as_str().unwrap();
    assert_eq!(
        *file,
        json!({"type": "stored-file:full", "name": "notes.md", "fileName": stored, "mime": "text/markdown"})
    );
    assert!(stored.ends_with(".md"), "{stored}");
    assert_eq!(kept(&server), 1);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(kept(&server), 0);
}

#[test]
fn a_form_asks_like_json_does() {
    let server = Server::start();
    let flow = flow(&server, "");
    let rows = json!([{"name": "fallback", "enabled": true}]);
    let settings = json!({"overrideConfig": {"status": true, "nodes": {"Scripted Chat Model": rows}}});
    server.put(&format!("/chatflows/{flow}"), &json!({"apiConfig": settings.to_string()}));
    let path = format!("/prediction/{flow}");
    let files: &[(&str, &str, &[u8])] = &[("a.txt", "text/plain", b"one"), ("b.csv", "text/csv", b"two,2")];
    let answer = send(&server, &path, form(&[("question", "Sum?")], files)).is(200).json();
    assert_eq!(
        answer["text"],
        "You said: <doc name='a.txt'>one</doc>\n<doc name='b.csv'>two,2</doc>\n\nSum?"
    );
    assert_eq!(answer["question"], "Sum?");
    let (chat, token) = (answer["chatId"].as_str().unwrap(), answer["sessionToken"].as_str().unwrap());
    let fields = [
        ("question", "And?"),
        ("chatId", chat),
        ("sessionToken", token),
        ("fallback", "Flat."),
        ("nonsense", "x"),
    ];
    let next = send(&server, &path, form(&fields, &[])).is(200).json();
    assert_eq!((&next["text"], &next["chatId"]), (&json!("Flat."), &answer["chatId"]));
    let fields =
        [("question", "And?"), ("overrideConfig", "{\"fallback\": \"Nested.\"}"), ("streaming", "true")];
    let stream = send(&server, &path, form(&fields, &[])).is(200);
    assert_eq!(
        (stream.streamed_text().as_str(), stream.event_names().last().unwrap().as_str()),
        ("Nested.", "end")
    );
}

#[test]
fn kinds_that_are_switched_off_are_403_and_types_that_are_not_taken_400() {
    let server = Server::start();
    let (off, only_text) = (server.flow(&scripted()), flow(&server, "text/plain,text/markdown"));
    let text = ("a.txt", "text/plain", b"x".as_slice());
    let page = ("a.html", "text/html", b"<p>x</p>".as_slice());
    for (flow, (name, mime, bytes), status) in [
        (&off, text, 403),
        (&only_text, page, 400),
        (&only_text, ("a.exe", "application/octet-stream", b"MZ".as_slice()), 400),
        (&only_text, ("a.txt", "application/pdf", b"x"), 400),
        (&only_text, ("a.txt", "text/plain", b"%PDF-1.7"), 400),
        (&only_text, ("a.png", "image/png", b"\x89PNG\r\n\x1a\n"), 403),
    ] {
        ask(&server, flow, &inline(name, mime, bytes)).is_error(status);
        let body = form(&[("question", "Hi"), ("streaming", "true")], &[(name, mime, bytes)]);
        send(&server, &format!("/prediction/{flow}"), body).is_error(status);
        let body = form(&[], &[(name, mime, bytes)]);
        send(&server, &format!("/attachments/{flow}/any"), body).is_error(status);
    }
    assert_eq!(kept(&server), 0);
    assert!(server.messages(&off).is_empty() && server.messages(&only_text).is_empty());
}

#[test]
fn too_large_too_many_and_hostile_documents_are_refused_before_anything_is_kept() {
    let server = Server::start();
    let flow = flow(&server, "");
    let path = format!("/prediction/{flow}");
    let large = vec![b'x'; 25 * 1024 * 1024 + 3];
    let one: &[(&str, &str, &[u8])] = &[("a.txt", "text/plain", &large)];
    assert!(send(&server, &path, form(&[("question", "Hi")], one)).is_error(400).contains("25 MB"));
    let many: Vec<(&str, &str, &[u8])> = (0..21).map(|_| ("a.txt", "text/plain", b"x".as_slice())).collect();
    send(&server, &path, form(&[("question", "Hi")], &many)).is_error(400);
    let fields: Vec<(&str, &str)> = (0..65).map(|_| ("question", "Hi")).collect();
    send(&server, &path, form(&fields, &[])).is_error(400);
    let bomb = archive(&[("word/document.xml", &vec![b' '; 220 << 20])]);
    let mime = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    ask(&server, &flow, &inline("a.docx", mime, &bomb)).is_error(400);
    ask(&server, &flow, &inline("a.pdf", "application/pdf", b"%PDF-1.7 nothing else")).is_error(400);
    assert_eq!(kept(&server), 0);
    assert!(server.messages(&flow).is_empty());
}

#[test]
fn a_form_cut_anywhere_is_a_bad_request() {
    let server = Server::start();
    let flow = flow(&server, "");
    let whole = form(&[("question", "Hi")], &[("a.txt", "text/plain", b"x")]);
    let path = format!("/prediction/{flow}");
    send(&server, &path, whole.clone()).is(200);
    // From the last boundary's end on, nothing that is missing changes what was said.
    for length in (0..whole.len() - 4).step_by(7) {
        send(&server, &path, whole[..length].to_vec()).is_error(400);
    }
    for bad in ["multipart/form-data", "multipart/form-data; boundary="] {
        server.call("POST", &path).bytes(bad, whole.clone()).send().is_error(400);
    }
    let elsewhere = String::from_utf8(whole).unwrap().replace("name=\"files\"", "name=\"pdfFile\"");
    send(&server, &path, elsewhere.into_bytes()).is_error(400);
}

#[test]
fn a_question_that_fails_keeps_no_files() {
    let server = Server::start();
    let config = json!({"fullFileUpload": {"status": true}});
    let failing = crate::support::canvases::scripted_with(
        json!({"rules": json!([{"match": "fail", "status": 500}]).to_string()}),
    );
    let flow = server.flow_with(&failing, &json!({"chatbotConfig": config.to_string()}));
    let body = json!({"question": "fail", "uploads": [inline("a.txt", "text/plain", b"x")]});
    assert_ne!(server.ask(&flow, &body).status, 200);
    assert_eq!(kept(&server), 0);
}

#[test]
fn attachments_are_read_and_not_kept() {
    let server = Server::start();
    let flow = flow(&server, "");
    let files: &[(&str, &str, &[u8])] = &[
        ("a.txt", "text/plain", "größe".as_bytes()),
        ("b.html", "text/html", b"<h1>Big</h1><script>x</script>"),
    ];
    let read = send(&server, &format!("/attachments/{flow}/chat-1"), form(&[], files)).is(200).json();
    assert_eq!(read[0], json!({"name": "a.txt", "mimeType": "text/plain", "size": 7, "content": "größe"}));
    assert!(
        read[1]["content"].as_str().unwrap().contains("Big")
            && !read[1]["content"].as_str().unwrap().contains('x')
    );
    assert_eq!(kept(&server), 0);
    let sent = json!({"type": "file:full", "name": "it's <a>.txt", "mime": "text/plain", "data": "text </doc> more"});
    let answer = server.ask(&flow, &json!({"question": "Hi", "uploads": [sent]})).is(200).json();
    assert_eq!(answer["text"], "You said: <doc name='its a.txt'>text <\\/doc> more</doc>\n\nHi");
    let kept_as = json!([{"type": "stored-file:full", "name": "it's <a>.txt", "mime": "text/plain"}]);
    assert_eq!(server.messages(&flow)[0]["fileUploads"], kept_as);
    server.call("POST", &format!("/attachments/{flow}/chat-1")).json(&json!({})).send().is_error(400);
}

#[test]
fn attachments_pass_the_gate_of_the_flow() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let config = json!({"fullFileUpload": {"status": true}, "allowedOrigins": ["https://a.example"]});
    let flow =
        server.flow_with(&scripted(), &json!({"chatbotConfig": config.to_string(), "apikeyid": key["id"]}));
    let call = || {
        let body = form(&[], &[("a.txt", "text/plain", b"x")]);
        server.call("POST", &format!("/attachments/{flow}/c")).bytes("multipart/form-data; boundary=x", body)
    };
    call().send().is_error(401);
    let bearer = key["apiKey"].as_str().unwrap();
    call().bearer(bearer).send().is(200);
    call().bearer(bearer).header("Origin", "https://b.example").send().is_error(403);
}

#[test]
fn the_offer_names_what_the_chat_takes() {
    let server = Server::start();
    let flow = flow(&server, "");
    let offer = server.call("GET", &format!("/chatflows-uploads/{flow}")).send().is(200).json();
    assert_eq!(offer["isImageUploadAllowed"], false);
    assert_eq!(offer["imgUploadSizeAndTypes"], json!([]));
    server.call("GET", "/chatflows-uploads/none").send().is_error(404);
}
