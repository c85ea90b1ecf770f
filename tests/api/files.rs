//! Documents, recordings and their texts sent with a question, or ahead of one (manual 4.1).

use crate::support::canvases::{ProviderFormat, SECRET, prompted_chain, scripted_flow};
use crate::support::form::Form;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server, id, samples};
use serde_json::{Value, json};

/// A zipped file that unpacks to far more than it may.
fn bomb() -> Vec<u8> {
    let zeros = vec![b' '; 64 << 20];
    samples::archive(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", &zeros)])
}

/// Settings that switch documents on; an empty list takes all types.
pub fn documents(types: &str) -> Value {
    json!({"chatbotConfig": json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": types}}).to_string()})
}

/// A flow whose answer is the question as the flow reads it.
fn reader(server: &Server) -> String {
    server.flow_with(&scripted_flow(), &documents(""))
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

pub fn upload(kind: &str, name: &str, mime: &str, bytes: &[u8]) -> Value {
    json!({"type": kind, "name": name, "mime": mime, "data": format!("data:{mime};base64,{}", base64(bytes))})
}

fn ask(server: &Server, flow: &str, uploads: &[Value]) -> Answer {
    server.ask(flow, &json!({"question": "What is it?", "uploads": uploads}))
}

/// The names of the files that conversations keep.
pub fn stored_files(server: &Server) -> Vec<String> {
    let folder = server.folder.path().join("data/files").display().to_string();
    server.files().into_iter().map(|(path, _)| path).filter(|path| path.starts_with(&folder)).collect()
}

#[track_caller]
fn nothing_is_stored(server: &Server, flow: &str) {
    assert_eq!(stored_files(server), Vec::<String>::new());
    assert!(server.messages(flow).is_empty());
}

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

#[test]
fn the_text_of_a_document_stands_before_the_question() {
    let server = Server::start();
    let flow = reader(&server);
    let docx = samples::docx(&samples::paragraph("Call me Ishmael."));
    let answer = ask(&server, &flow, &[upload("file", "moby.docx", DOCX, &docx)]).is(200).json();
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("<doc name='moby.docx'>Call me Ishmael."), "{text}");
    assert!(text.ends_with("</doc>\n\nWhat is it?"), "{text}");
    assert_eq!(answer["question"], "What is it?");
}

#[test]
fn a_document_is_kept_under_its_conversation_and_named_in_the_message() {
    let server = Server::start();
    let flow = reader(&server);
    let answer = ask(&server, &flow, &[upload("file", "notes.md", "text/markdown", b"# Hi")]).is(200).json();
    let question = &server.messages(&flow)[0];
    assert_eq!(question["content"], "What is it?");
    let listed = &question["fileUploads"][0];
    assert_eq!(
        (&listed["type"], &listed["name"], &listed["mime"], &listed["data"]),
        (&json!("stored-file"), &json!("notes.md"), &json!("text/markdown"), &Value::Null)
    );
    let files = stored_files(&server);
    let end = format!("{}/{}", answer["chatId"].as_str().unwrap(), listed["fileName"].as_str().unwrap());
    assert!(files.len() == 1 && files[0].ends_with(&end), "{files:?} {end}");
    assert_eq!(std::fs::read(&files[0]).unwrap(), b"# Hi");
}

#[test]
fn text_read_ahead_stands_before_the_question() {
    let server = Server::start();
    let flow = reader(&server);
    let text = |name: &str, text: &str| json!({"type": "file:full", "name": name, "mime": "text/plain", "data": text});
    let answer = ask(&server, &flow, &[text("a.txt", "one"), text("it's <b>.txt", "two")]).is(200).json();
    let expected = "<doc name='a.txt'>one</doc>\n<doc name='it_s _b_.txt'>two</doc>\n\nWhat is it?";
    assert_eq!(answer["text"], format!("You said: {expected}"));
    let listed = &server.messages(&flow)[0]["fileUploads"];
    assert_eq!(
        (&listed[0]["type"], &listed[1]["name"]),
        (&json!("stored-file:full"), &json!("it's <b>.txt"))
    );
    assert_eq!(stored_files(&server).len(), 2);
}

#[test]
fn a_prompt_can_place_the_text_of_files() {
    let server = Server::start();
    let values = r#"{"files": "{{file_attachment}}"}"#;
    let flow = server.flow_with(&prompted_chain("Files: {files}", values), &documents(""));
    let text = json!({"type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "one"});
    let answer = ask(&server, &flow, &[text]).is(200).json();
    assert_eq!(answer["text"], "Files: <doc name='a.txt'>one</doc>");
}

#[test]
fn kinds_that_are_off_are_refused_before_anything_is_stored() {
    let server = Server::start();
    let off = server.flow(&scripted_flow());
    let text_only = json!({"type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "x"});
    let rag = json!({"type": "file:rag", "name": "a.txt", "mime": "text/plain", "data": "x"});
    for sent in [
        upload("file", "a.txt", "text/plain", b"x"),
        upload("file", "a.png", "image/png", b"x"),
        upload("file", "a.svg", "image/svg+xml", b"x"),
        upload("audio", "a.webm", "audio/webm", b"x"),
        upload("file", "a.webm", "audio/webm", b"x"),
        json!({"type": "url", "name": "a.png", "data": "https://a.example/a.png"}),
        text_only,
        rag.clone(),
    ] {
        for streaming in [false, true] {
            let body = json!({"question": "Hi", "uploads": [sent], "streaming": streaming});
            let message = server.ask(&off, &body).is_error(403);
            assert!(message.contains("switched off"), "{message}");
        }
    }
    nothing_is_stored(&server, &off);
    let on = reader(&server);
    ask(&server, &on, &[upload("file", "a.txt", "text/plain", b"x"), rag]).is_error(403);
    nothing_is_stored(&server, &on);
}

#[test]
fn types_the_owner_did_not_list_are_refused() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &documents("text/plain,application/pdf"));
    for (name, mime) in [
        ("a.md", "text/markdown"),
        ("a.md", "text/plain"),
        ("a.csv", "text/csv"),
        ("a.exe", "application/x-msdownload"),
        ("a", "application/zip"),
    ] {
        for kind in ["file", "file:full"] {
            let message = ask(&server, &flow, &[upload(kind, name, mime, b"x")]).is_error(400);
            assert!(message.contains("not allowed for this flow"), "{message}");
        }
    }
    nothing_is_stored(&server, &flow);
    ask(&server, &flow, &[upload("file", "a.txt", "text/plain", b"x")]).is(200);
}

#[test]
fn documents_that_are_not_what_they_say_are_refused() {
    let server = Server::start();
    let flow = reader(&server);
    let pdf = samples::pdf(&["One".to_owned()]);
    for (name, mime, bytes) in [
        ("a.pdf", "application/pdf", b"hello".as_slice()),
        ("a.txt", "text/plain", &pdf),
        ("a.txt", "text/plain", b"a\0b"),
        ("a.txt", "application/pdf", &pdf),
        ("a.exe", "text/plain", b"MZ"),
        ("a", "text/plain", b"x"),
        ("a.docx", DOCX, b"PK\x03\x04 and no more"),
        ("a.docx", DOCX, &samples::xlsx("")),
        ("a.docx", DOCX, &bomb()),
    ] {
        let good = upload("file", "good.txt", "text/plain", b"good");
        let message = ask(&server, &flow, &[good, upload("file", name, mime, bytes)]).is_error(400);
        assert!(message.contains(&format!("'{name}'")), "{message}");
    }
    nothing_is_stored(&server, &flow);
}

#[test]
fn a_run_that_fails_leaves_no_file() {
    let server = Server::start();
    let provider = Provider::start();
    provider.push_behaviour(Behaviour::status(500, "{}"));
    let canvas = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
    let flow = server.flow_with(&canvas, &documents(""));
    ask(&server, &flow, &[upload("file", "a.txt", "text/plain", b"x")]).is_error(500);
    nothing_is_stored(&server, &flow);
}

#[test]
fn files_follow_their_conversation_until_it_has_no_room() {
    let server = Server::start();
    let flow = reader(&server);
    let text = |name: String| json!({"type": "file:full", "name": name, "mime": "text/plain", "data": "x"});
    let twenty: Vec<Value> = (0..20).map(|at| text(format!("{at}.txt"))).collect();
    let first = ask(&server, &flow, &twenty).is(200).json();
    let again = json!({"question": "And?", "uploads": twenty, "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    for _ in 0..4 {
        server.ask(&flow, &again).is(200);
    }
    let full = stored_files(&server);
    assert_eq!(full.len(), 100);
    assert!(full.iter().all(|path| path.contains(first["chatId"].as_str().unwrap())));
    let stored = server.messages(&flow).len();
    for streaming in [false, true] {
        let mut more = again.clone();
        more["streaming"] = streaming.into();
        server.ask(&flow, &more).is_error(413);
    }
    assert_eq!((stored_files(&server), server.messages(&flow).len()), (full, stored));
    // Another conversation has room of its own, and what is deleted gives its room back.
    ask(&server, &flow, &twenty).is(200);
    let path = format!("/chatmessage/{flow}?chatId={}", first["chatId"].as_str().unwrap());
    server.owner("DELETE", &path).send().is(200);
    assert_eq!(stored_files(&server).len(), 20);
}

#[test]
fn a_question_that_finds_no_room_for_all_its_files_keeps_none() {
    let server = Server::start();
    let flow = reader(&server);
    let text = |at: usize| json!({"type": "file:full", "name": format!("{at}.txt"), "mime": "text/plain", "data": "x"});
    let some = |count: usize| (0..count).map(text).collect::<Vec<_>>();
    let first = ask(&server, &flow, &some(20)).is(200).json();
    let more = |count: usize| {
        let body = json!({"question": "And?", "uploads": some(count), "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
        server.ask(&flow, &body)
    };
    (0..3).for_each(|_| drop(more(20).is(200)));
    more(19).is(200);
    // One would fit, the other would not.
    more(2).is_error(413);
    assert_eq!(stored_files(&server).len(), 99);
    more(1).is(200);
}

#[test]
fn a_flow_says_what_its_chat_may_upload() {
    let server = Server::start();
    let offer = |flow: &str| server.call("GET", &format!("/chatflows-uploads/{flow}")).send().is(200).json();
    let plain = server.flow(&scripted_flow());
    assert_eq!(
        offer(&plain),
        json!({"isSpeechToTextEnabled": false, "isImageUploadAllowed": false, "isRAGFileUploadAllowed": false,
            "imgUploadSizeAndTypes": [], "fileUploadSizeAndTypes": []})
    );
    let heard = server.flow_with(&scripted_flow(), &speech("http://127.0.0.1:9", ""));
    assert_eq!(offer(&heard)["isSpeechToTextEnabled"], true);
    server.call("GET", "/chatflows-uploads/7").send().is_error(404);
}

/// Settings that switch speech to text on.
fn speech(base: &str, credential: &str) -> Value {
    let local = json!({"status": true, "baseUrl": base, "credentialId": credential, "language": "en", "temperature": "0.2"});
    json!({"speechToText": json!({"openAIWhisper": {"status": false}, "localAISTT": local}).to_string()})
}

const WEBM: &[u8] = b"\x1a\x45\xdf\xa3 a recording";

fn with_speech(server: &Server, provider: &Provider) -> String {
    let credential =
        json!({"name": "stt", "credentialName": "localAIApi", "plainDataObj": {"localAIApiKey": SECRET}});
    let credential = id(&server.post("/credentials", &credential));
    server.flow_with(&scripted_flow(), &speech(&format!("{}/v1", provider.base_url()), &credential))
}

#[test]
fn a_recording_is_written_down_and_becomes_the_question() {
    let server = Server::start();
    let provider = Provider::start();
    provider.push_behaviour(Behaviour::status(200, r#"{"text": "How late is it?"}"#));
    let flow = with_speech(&server, &provider);
    // The recorders of Flowise's pages call every recording .wav.
    let recording = upload("audio", "audio_17.wav", "audio/webm;codecs=opus", WEBM);
    let answer = server.ask(&flow, &json!({"question": "", "uploads": [recording]})).is(200).json();
    assert_eq!(
        (&answer["text"], &answer["question"]),
        (&json!("You said: How late is it?"), &json!("How late is it?"))
    );
    let sent = provider.last_request();
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/v1/audio/transcriptions"));
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert!(sent.header("content-type").unwrap().starts_with("multipart/form-data; boundary="));
    let body = String::from_utf8_lossy(&sent.bytes).into_owned();
    for part in [
        "name=\"model\"\r\n\r\nwhisper-1\r\n",
        "name=\"language\"\r\n\r\nen\r\n",
        "name=\"temperature\"\r\n\r\n0.2\r\n",
        "name=\"file\"; filename=\"recording.webm\"\r\nContent-Type: audio/webm\r\n",
        " a recording\r\n--",
    ] {
        assert!(body.contains(part), "{part:?} is not in {body:?}");
    }
    let stored = &server.messages(&flow)[0];
    assert_eq!(
        (&stored["content"], &stored["fileUploads"][0]["type"]),
        (&json!("How late is it?"), &json!("stored-file"))
    );
    assert_eq!(stored_files(&server).len(), 1);
}

#[test]
fn a_provider_that_refuses_a_recording_is_told_without_its_key() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = with_speech(&server, &provider);
    for (status, body) in [
        (401, json!({"error": {"message": format!("Incorrect API key provided: {SECRET}")}})),
        (500, json!({"error": {"message": format!("{SECRET} at https://internal.example")}})),
        (200, json!({"words": []})),
    ] {
        provider.push_behaviour(Behaviour::status(status, &body.to_string()));
        let message = ask(&server, &flow, &[upload("file", "a.webm", "audio/webm", WEBM)]).is_error(500);
        assert!(message.starts_with("LocalAI Speech to Text: "), "{message}");
        assert!(!message.contains(SECRET) && !message.contains("internal.example"), "{message}");
    }
    provider.push_behaviour(Behaviour::status(200, r#"{"text": " "}"#));
    ask(&server, &flow, &[upload("audio", "a.webm", "audio/webm", WEBM)]).is_error(400);
    nothing_is_stored(&server, &flow);
}

#[test]
fn a_recording_that_is_none_is_not_sent() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = with_speech(&server, &provider);
    for bad in [
        upload("audio", "a.webm", "audio/webm", b"hello"),
        upload("audio", "a.txt", "audio/webm", WEBM),
        upload("audio", "a.webm", "audio/midi", WEBM),
        upload("audio", "a.txt", "text/plain", b"hello"),
        upload("file", "a.wav", "audio/webm", WEBM),
    ] {
        ask(&server, &flow, &[bad]).is_error(400);
    }
    assert_eq!(provider.served_count(), 0);
    nothing_is_stored(&server, &flow);
}

#[test]
fn a_provider_that_cannot_be_used_is_named() {
    let server = Server::start();
    for (provider, said) in [("assemblyAiTranscribe", "cannot use"), ("openAIWhisper", "credential")] {
        let settings = json!({ provider: {"status": true} }).to_string();
        let flow = server.flow_with(&scripted_flow(), &json!({ "speechToText": settings }));
        let message = ask(&server, &flow, &[upload("audio", "a.webm", "audio/webm", WEBM)]).is_error(500);
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn attachments_give_the_text_of_documents_and_store_nothing() {
    let server = Server::start();
    let flow = reader(&server);
    let docx = samples::docx(&samples::paragraph("Call me Ishmael."));
    let form = Form::of(&[("chatId", "invented")]).file("moby.docx", DOCX, &docx).file(
        "list.csv",
        "application/octet-stream",
        b"a,b\n1,2\n",
    );
    let path = format!("/attachments/{flow}/invented");
    let texts = server.call("POST", &path).form(&form).send().is(200).json();
    let size = docx.len();
    assert_eq!(
        (&texts[0]["name"], &texts[0]["mimeType"], &texts[0]["size"]),
        (&json!("moby.docx"), &json!(DOCX), &json!(size))
    );
    assert!(texts[0]["content"].as_str().unwrap().contains("Call me Ishmael."), "{texts}");
    assert_eq!((&texts[1]["mimeType"], &texts[1]["content"]), (&json!("text/csv"), &json!("a,b\n1,2\n")));
    let whole = Form::of(&[("base64", "true")]).file("moby.docx", DOCX, &docx);
    assert_eq!(server.call("POST", &path).form(&whole).send().is(200).json()[0]["content"], base64(&docx));
    let odd = Form::of(&[("base64", "1")]).file("moby.docx", DOCX, &docx);
    server.call("POST", &path).form(&odd).send().is_error(400);
    nothing_is_stored(&server, &flow);
}

#[test]
fn attachments_are_refused_as_questions_are() {
    let server = Server::start();
    let send =
        |flow: &str, form: &Form| server.call("POST", &format!("/attachments/{flow}/x")).form(form).send();
    let text = Form::default().file("a.txt", "text/plain", b"x");
    send(&server.flow(&scripted_flow()), &text).is_error(403);
    let flow = reader(&server);
    send(&flow, &Form::of(&[("a", "b")])).is_error(400);
    send(&flow, &Form::default().file("a.exe", "application/x-msdownload", b"MZ")).is_error(400);
    send(&flow, &Form::default().file("a.docx", DOCX, &bomb())).is_error(400);
    send(&flow, &Form::default().file("a.png", "image/png", b"\x89PNG\r\n\x1a\n")).is_error(403);
    send("7", &text).is_error(404);
    server.call("POST", &format!("/attachments/{flow}/x")).json(&json!({})).send().is_error(415);
    let key = server.key(&["chatflows:view"]);
    let mut bound = documents("");
    bound["apikeyid"] = key["id"].clone();
    let bound = server.flow_with(&scripted_flow(), &bound);
    send(&bound, &text).is_error(401);
    let call =
        server.call("POST", &format!("/attachments/{bound}/x")).bearer(key["apiKey"].as_str().unwrap());
    call.form(&text).send().is(200);
}

#[test]
fn files_of_the_test_chat_are_taken_as_its_draft_offers() {
    let server = Server::start();
    let flow = reader(&server);
    let body = json!({"question": "Hi", "uploads": [upload("file", "a.txt", "text/plain", b"one")]});
    let answer = server.post(&format!("/internal-prediction/{flow}"), &body);
    assert_eq!(answer["text"], "You said: <doc name='a.txt'>one</doc>\n\nHi");
}
