//! Files of conversations (manual 4.4, 4.5): signed links, proofs, and what browsers are told.

use super::files::documents;
use crate::support::canvases::scripted_flow;
use crate::support::client::Call;
use crate::support::form::Form;
use crate::support::{Answer, Server};
use flowkeep::domain::ids::{ChatId, FlowId};
use flowkeep::limits::CHAT_FILES_MAX;
use flowkeep::ops::conversations::files::{ChatFile, ChatFileName, signed_link};
use flowkeep::ops::predictions;
use serde_json::{Value, json};
use std::time::Duration;

/// A flow, a conversation with it, and a file of that conversation.
struct StoredFileFixture {
    server: Server,
    flow: String,
    chat: ChatId,
    token: String,
    name: ChatFileName,
}

const CONTENT: &[u8] = b"The quick brown fox.";

impl StoredFileFixture {
    fn start() -> Self {
        Self::with(&[], &json!({}))
    }

    fn with(settings: &[(&'static str, &str)], fields: &Value) -> Self {
        let server = Server::with(settings);
        let flow = server.flow_with(&scripted_flow(), fields);
        let (chat, token) = ask(&server, &flow);
        let name = server.store_file(&flow, &chat, "txt", CONTENT);
        Self { server, flow, chat, token, name }
    }

    /// A flow that only this key may ask; the key's value too.
    fn link_bound_to_flow() -> (Self, String) {
        let mut kept = Self::start();
        let key = kept.server.key(&["chatflows:view"]);
        kept.server.put(&format!("/chatflows/{}", kept.flow), &json!({"apikeyid": key["id"]}));
        kept.token = token_of(&kept);
        (kept, key["apiKey"].as_str().unwrap().to_owned())
    }

    fn file(&self) -> ChatFile {
        ChatFile { flow: FlowId::parse(&self.flow).unwrap(), chat: self.chat, name: self.name.clone() }
    }

    /// Path and query of a fresh link.
    fn link(&self) -> String {
        signed_link(&self.server.app, &self.file(), "")
    }

    fn get(&self, path: &str) -> Call {
        self.server.call_root("GET", path)
    }

    /// The address without a signature.
    fn plain(&self) -> Call {
        self.get(&self.plain_path())
    }

    fn plain_path(&self) -> String {
        let Self { flow, chat, name, .. } = self;
        format!("/api/v1/get-upload-file?chatflowId={flow}&chatId={chat}&fileName={name}")
    }
}

fn ask(server: &Server, flow: &str) -> (ChatId, String) {
    let answer = server.ask(flow, &json!({"question": "Hi"})).is(200).json();
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    (ChatId::parse(&text("chatId")).unwrap(), text("sessionToken"))
}

fn token_of(kept: &StoredFileFixture) -> String {
    kept.server.app.secrets.tokens.mint(&FlowId::parse(&kept.flow).unwrap(), &kept.chat)
}

#[track_caller]
fn is_file(answer: Answer, name: &ChatFileName) {
    let answer = answer.is(200);
    assert_eq!(answer.body, CONTENT);
    let disposition = format!("attachment; filename=\"{name}\"");
    for (name, value) in [
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", "20"),
        ("content-disposition", disposition.as_str()),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{answer:?}");
    }
}

#[test]
fn a_signed_link_opens_without_a_key_for_fifteen_minutes() {
    let (kept, _) = StoredFileFixture::link_bound_to_flow();
    let link = kept.link();
    is_file(kept.get(&link).send(), &kept.name);
    is_file(kept.get(&link).send(), &kept.name);
    kept.server.app.clock.advance_seconds(14 * 60 + 50);
    is_file(kept.get(&link).send(), &kept.name);
    kept.server.app.clock.advance_seconds(10);
    assert_eq!(kept.get(&link).send().is_error(401), "Unauthorized");
    is_file(kept.get(&kept.link()).send(), &kept.name);
}

#[test]
fn a_link_outlives_a_restart() {
    let kept = StoredFileFixture::start();
    let (link, name) = (kept.link(), kept.name.clone());
    let server = kept.server.restart();
    is_file(server.call_root("GET", &link).send(), &name);
}

#[test]
fn a_link_begins_with_the_address_its_reader_uses() {
    let kept = StoredFileFixture::start();
    for base in ["https://flows.example", "https://flows.example/"] {
        let link = signed_link(&kept.server.app, &kept.file(), base);
        assert!(link.starts_with("https://flows.example/api/v1/get-upload-file?chatflowId="), "{link}");
    }
}

#[test]
fn a_link_that_was_altered_is_refused() {
    let kept = StoredFileFixture::start();
    let link = kept.link();
    let (path, query) = link.split_once('?').unwrap();
    let other = StoredFileFixture::start();
    let pairs: Vec<&str> = query.split('&').collect();
    let mut altered = vec![
        query.replace(&kept.flow, &kept.server.flow(&scripted_flow())),
        query.replace(&kept.chat.to_string(), &ChatId::random().to_string()),
        query.replace(
            kept.name.as_str(),
            kept.server.store_file(&kept.flow, &kept.chat, "txt", b"x").as_str(),
        ),
        query.replace("download=true", "download=false"),
        query.replace("expires=", "expires=9"),
        query.replace("chatId", "chat%49d"),
        query.replace("chatId", "CHATID"),
        format!("{query}&sessionToken={}", kept.token),
        format!("{query}&{}", pairs[0]),
        format!("{query}&"),
        format!("&{query}"),
        other.link().split_once('?').unwrap().1.to_owned(),
    ];
    // One byte at a time where each matters, so that the wire is covered as the rules are.
    let signature = query.find("signature=").unwrap() + "signature=".len();
    for place in (signature..query.len()).step_by(7).chain([query.len() - 1]) {
        let mut bytes = query.as_bytes().to_vec();
        bytes[place] = if bytes[place] == b'0' { b'1' } else { b'0' };
        altered.push(String::from_utf8(bytes).unwrap());
    }
    for place in 0..pairs.len() {
        let mut moved = pairs.clone();
        moved.rotate_left(place.max(1));
        altered.push(moved.join("&"));
    }
    for query in altered {
        // What proves the caller otherwise does not help an altered link.
        let call = kept.get(&format!("{path}?{query}")).header("x-service-session-token", &kept.token);
        assert_eq!(call.send().is_error(401), "Unauthorized", "{query}");
    }
    for name in ["expires", "signature"] {
        let without: Vec<&str> = pairs.iter().copied().filter(|pair| !pair.starts_with(name)).collect();
        let call = kept.get(&format!("{path}?{}", without.join("&")));
        call.header("x-service-session-token", &kept.token).send().is_error(401);
    }
    is_file(kept.get(&link).send(), &kept.name);
}

#[test]
fn without_a_signature_the_conversation_is_proven() {
    let kept = StoredFileFixture::start();
    kept.plain().send().is_error(401);
    kept.plain().header("x-service-session-token", "wrong").send().is_error(401);
    is_file(kept.plain().header("x-service-session-token", &kept.token).send(), &kept.name);
    let cookie = format!("service_session={}.{}", kept.chat, kept.token);
    is_file(kept.plain().header("Cookie", &cookie).send(), &kept.name);
    let (other_chat, other_token) = ask(&kept.server, &kept.flow);
    kept.plain().header("x-service-session-token", &other_token).send().is_error(401);
    let cookie = format!("service_session={other_chat}.{other_token}");
    kept.plain().header("Cookie", &cookie).send().is_error(401);
}

#[test]
fn without_a_signature_a_bound_flow_asks_for_its_key_too() {
    let (kept, key) = StoredFileFixture::link_bound_to_flow();
    let owned = || kept.plain().header("x-service-session-token", &kept.token);
    owned().send().is_error(401);
    owned().bearer("fk_wrong").send().is_error(401);
    kept.plain().bearer(&key).send().is_error(401);
    is_file(owned().bearer(&key).send(), &kept.name);
}

#[test]
fn a_person_who_may_see_the_flow_sees_its_files() {
    let (kept, _) = StoredFileFixture::link_bound_to_flow();
    let signed_in = || kept.plain().header("Cookie", &kept.server.cookie);
    is_file(signed_in().send(), &kept.name);
    // A page of another site, even one that the flow lists, does not bring the session along.
    let page = "https://shop.example";
    signed_in().header("Origin", page).send().is_error(401);
    signed_in().header("Sec-Fetch-Site", "cross-site").send().is_error(401);
    is_file(signed_in().header("Origin", &format!("http://{}", kept.server.address)).send(), &kept.name);
}

#[test]
fn a_request_says_which_file_it_means() {
    let kept = StoredFileFixture::start();
    let good = kept.plain_path();
    let (flow, chat, name) = (kept.flow.as_str(), kept.chat.to_string(), kept.name.as_str());
    let get = |path: &str| kept.get(path).header("x-service-session-token", &kept.token).send();
    for (from, to) in [
        (flow, ""),
        (flow, "x"),
        (chat.as_str(), "x"),
        (chat.as_str(), "../../x"),
        (name, ""),
        ("chatflowId=", "flow="),
        ("chatId=", "chat="),
        ("fileName=", "file="),
    ] {
        get(&good.replace(from, to)).is_error(400);
    }
    get(&format!("{good}&chatId={chat}")).is_error(400);
    get("/api/v1/get-upload-file").is_error(400);
    let unknown = FlowId::random().to_string();
    assert!(get(&good.replace(flow, &unknown)).is_error(404).contains(&unknown));
    for other in
        ["notes.txt", "..%2F..%2Fflowkeep.redb", "%2Fetc%2Fpasswd", ChatFileName::generate("txt", 0).as_str()]
    {
        get(&good.replace(name, other)).is_error(404);
    }
    get(&good).is(200);
}

#[test]
fn what_a_browser_would_run_comes_as_bytes() {
    let kept = StoredFileFixture::start();
    for (extension, kind) in [
        ("html", "application/octet-stream"),
        ("svg", "application/octet-stream"),
        ("js", "application/octet-stream"),
        ("png", "image/png"),
        ("pdf", "application/pdf"),
    ] {
        let name = kept.server.store_file(&kept.flow, &kept.chat, extension, b"<script>alert(1)</script>");
        let link = signed_link(&kept.server.app, &ChatFile { name, ..kept.file() }, "");
        let answer = kept.get(&link).send().is(200);
        assert_eq!(answer.header("content-type"), Some(kind));
        assert!(answer.header("content-disposition").unwrap().starts_with("attachment;"));
    }
}

#[test]
fn a_large_file_arrives_whole_and_its_head_alone_too() {
    let kept = StoredFileFixture::start();
    let bytes: Vec<u8> = (0..5_000_003_u32).map(|number| (number % 251) as u8).collect();
    for bytes in [bytes.as_slice(), b""] {
        let name = kept.server.store_file(&kept.flow, &kept.chat, "bin", bytes);
        let link = signed_link(&kept.server.app, &ChatFile { name, ..kept.file() }, "");
        let answer = kept.get(&link).send().is(200);
        assert!(answer.body == bytes, "{} of {} bytes", answer.body.len(), bytes.len());
        let mut head = String::new();
        let mut socket = kept.server.call_root("HEAD", &link).connect();
        std::io::Read::read_to_string(&mut socket, &mut head).unwrap();
        assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
        let length = format!("content-length: {}\r\n", bytes.len());
        assert!(head.to_ascii_lowercase().contains(&length), "{head}");
    }
}

#[test]
fn pages_of_other_sites_read_files_as_they_ask_the_flow() {
    let config = json!({"allowedOrigins": ["https://shop.example"], "allowedOriginsError": "Not here."});
    let kept = StoredFileFixture::with(&[], &json!({"chatbotConfig": config.to_string()}));
    let link = kept.link();
    let listed = kept.get(&link).header("Origin", "https://shop.example").send().is(200);
    assert_eq!(listed.header("access-control-allow-origin"), Some("https://shop.example"));
    let evil = kept.get(&link).header("Origin", "https://evil.example").send();
    assert_eq!(evil.is_error(403), "Not here.");
    assert_eq!(evil.header("access-control-allow-origin"), None);
    let preflight = kept
        .server
        .call_root("OPTIONS", &link)
        .header("Origin", "https://shop.example")
        .header("Access-Control-Request-Method", "GET")
        .header("Access-Control-Request-Headers", "x-service-session-token")
        .send()
        .is(204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://shop.example"));
    assert_eq!(preflight.header("access-control-allow-methods"), Some("GET"));
}

#[test]
fn files_go_with_their_conversation_and_their_flow() {
    let kept = StoredFileFixture::start();
    let listed = |chat: &ChatId| {
        let flow = predictions::flow(&kept.server.app, &FlowId::parse(&kept.flow).unwrap()).unwrap();
        kept.server.app.chat_files.list(&flow.workspace, &flow.id, chat).unwrap().len()
    };
    let delete = |path: &str| drop(kept.server.owner("DELETE", path).send().is(200));
    let (flow, chat) = (&kept.flow, &kept.chat);
    let (other, _) = ask(&kept.server, flow);
    let (third, _) = ask(&kept.server, flow);
    for chat in [&other, &third] {
        kept.server.store_file(flow, chat, "txt", b"x");
    }
    // Some messages of a conversation are gone, and others are left: its files are still wanted.
    let messages = kept.server.messages(flow);
    let first = messages.iter().find(|message| message["chatId"] == chat.to_string()).unwrap();
    delete(&format!("/chatmessage/{flow}?chatId={chat}&messageId={}", first["id"].as_str().unwrap()));
    assert_eq!((listed(chat), listed(&other), listed(&third)), (1, 1, 1));
    delete(&format!("/chatmessage/{flow}?chatId={chat}&chatType=EXTERNAL"));
    assert_eq!((listed(chat), listed(&other), listed(&third)), (0, 1, 1));
    delete(&format!("/chatmessage/{flow}?chatId={other}"));
    assert_eq!((listed(chat), listed(&other), listed(&third)), (0, 0, 1));
    delete(&format!("/chatmessage/{flow}"));
    assert_eq!(listed(&third), 0);
    kept.server.store_file(flow, &third, "txt", b"of a deleted flow");
    let link = kept.link();
    delete(&format!("/chatflows/{flow}"));
    assert_eq!(kept.server.files_with("of a deleted flow"), Vec::<String>::new());
    kept.get(&link).send().is_error(404);
}

#[test]
fn a_conversation_has_room_for_so_many_files() {
    let kept = StoredFileFixture::start();
    for _ in 1..CHAT_FILES_MAX {
        kept.server.store_file(&kept.flow, &kept.chat, "txt", b"x");
    }
    let flow = predictions::flow(&kept.server.app, &FlowId::parse(&kept.flow).unwrap()).unwrap();
    let files = &kept.server.app.chat_files;
    assert!(files.store(&flow.workspace, &flow.id, &kept.chat, "txt", b"x").is_err());
    assert!(files.store(&flow.workspace, &flow.id, &ChatId::random(), "txt", b"x").is_ok());
}

#[test]
fn the_flow_that_is_served_says_which_pages_may_read() {
    let page = "https://evil.example";
    let kept = StoredFileFixture::start();
    let config = json!({"allowedOrigins": [page]}).to_string();
    let lure = kept.server.flow_with(&scripted_flow(), &json!({ "chatbotConfig": config }));
    for address in [
        format!("{}&chatflowid={lure}", kept.plain_path()),
        kept.plain_path().replace('?', &format!("?chatflowid={lure}&")),
    ] {
        let call = kept.get(&address).header("Origin", page);
        let answer = call.header("x-service-session-token", &kept.token).send().is(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some(page));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
}

#[test]
fn a_file_that_is_read_slowly_counts_among_the_streams_of_its_address() {
    let kept = StoredFileFixture::with(&[("SERVICE_STREAMS_PER_ADDRESS", "1")], &json!({}));
    // More than the buffers of a connection hold.
    let name = kept.server.store_file(&kept.flow, &kept.chat, "bin", &vec![7; 48 << 20]);
    let large = signed_link(&kept.server.app, &ChatFile { name, ..kept.file() }, "");
    let slow = kept.get(&large).open();
    assert_eq!(slow.answer.status, 200);
    kept.get(&kept.link()).send().is_error(429);
    kept.server.call("GET", "/ping").send().is(200);
    drop(slow);
    let mut status = 429;
    for _ in 0..100 {
        status = kept.get(&kept.link()).send().status;
        if status == 200 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(status, 200);
}

#[test]
fn a_file_opens_under_the_name_it_was_sent_with() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &documents(""));
    let told = |form: Form| {
        let answer = server.call("POST", &format!("/prediction/{flow}")).form(&form).send().is(200).json();
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        (text("chatId"), text("sessionToken"))
    };
    let asked = || Form::of(&[("question", "Hi")]);
    let (chat, token) = told(asked().file("my notes \u{e9}.txt", "text/plain", b"one"));
    let more = |text: &[u8]| {
        let form = asked().field("chatId", &chat).field("sessionToken", &token);
        told(form.file("my notes \u{e9}.txt", "text/plain", text).file("other.txt", "text/plain", b"other"))
    };
    assert_eq!(more(b"two").0, chat);
    let path = |name: &str| format!("/get-upload-file?chatflowId={flow}&chatId={chat}&fileName={name}");
    let get = |name: &str, token: &str| {
        server.call("GET", &path(name)).header("x-service-session-token", token).send()
    };
    let newest = get("my%20notes%20%C3%A9.txt", &token).is(200);
    assert_eq!(newest.body, b"two");
    let disposition = newest.header("content-disposition").unwrap();
    assert!(disposition.ends_with("filename*=UTF-8''my%20notes%20%C3%A9%2Etxt"), "{disposition}");
    assert_eq!(get("other.txt", &token).is(200).body, b"other");
    get("third.txt", &token).is_error(404);
    let (_, stranger) = told(asked());
    get("other.txt", &stranger).is_error(401);
    let files = server.messages(&flow);
    let stored =
        files.iter().flat_map(|message| message["fileUploads"].as_array().cloned().unwrap_or_default());
    let names: std::collections::BTreeSet<String> =
        stored.map(|file| file["fileName"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 3, "two of one name lie side by side: {names:?}");
}
