//! Images sent with a question (manual 4.1, 4.2), and every other file, which is refused.

use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat, scripted_flow};
use crate::support::provider::Provider;
use serde_json::{Value, json};

/// One transparent pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

fn pixel() -> Value {
    json!({"type": "file", "name": "pixel.png", "mime": "image/png", "data": format!("data:image/png;base64,{PNG}")})
}

fn flow(server: &Server, provider: &Provider, format: ProviderFormat) -> String {
    let images = json!({"allowImageUploads": true});
    server.flow(&format.conversation(server, &provider.base_url(), images))
}

fn ask_about(server: &Server, flow: &str, upload: Value) -> crate::support::Answer {
    server.ask(flow, &json!({"question": "What is this?", "uploads": [upload]}))
}

/// Sends a picture through this format: the body the provider got.
fn send_picture(format: ProviderFormat) -> Value {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, format);
    ask_about(&server, &flow, pixel()).is(200);
    provider.last_request().body
}

fn last(list: &Value) -> &Value {
    list.as_array().unwrap().last().unwrap()
}

#[test]
fn a_picture_reaches_openai() {
    let body = send_picture(ProviderFormat::OpenAi);
    let content = &last(&body["messages"])["content"];
    assert_eq!(content[0], json!({"type": "text", "text": "What is this?"}));
    assert_eq!(content[1]["type"], "image_url");
    assert_eq!(content[1]["image_url"]["url"], format!("data:image/png;base64,{PNG}"));
}

#[test]
fn a_picture_reaches_anthropic() {
    let body = send_picture(ProviderFormat::Anthropic);
    let content = last(&body["messages"])["content"].as_array().unwrap().clone();
    let source = json!({"type": "base64", "media_type": "image/png", "data": PNG});
    let image = content.iter().find(|part| part["type"] == "image").unwrap();
    assert_eq!(image["source"], source);
    assert!(content.iter().any(|part| part["text"] == "What is this?"), "{content:?}");
}

#[test]
fn a_picture_reaches_gemini() {
    let body = send_picture(ProviderFormat::Gemini);
    let parts = last(&body["contents"])["parts"].to_string();
    assert!(parts.contains(PNG) && parts.contains("image/png") && parts.contains("What is this?"), "{parts}");
    let parts = last(&body["contents"])["parts"].as_array().unwrap().clone();
    let inline = parts.iter().find_map(|part| part.get("inlineData").or_else(|| part.get("inline_data")));
    assert_eq!(inline.unwrap()["data"], PNG);
}

#[test]
fn a_picture_reaches_ollama() {
    let body = send_picture(ProviderFormat::Ollama);
    let message = last(&body["messages"]);
    assert_eq!((&message["content"], &message["images"]), (&json!("What is this?"), &json!([PNG])));
}

#[test]
fn a_picture_is_kept_by_name_and_not_by_content() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    ask_about(&server, &flow, pixel()).is(200);
    let kept = server.messages(&flow)[0]["fileUploads"].clone();
    let stored = kept[0]["fileName"].as_str().unwrap();
    assert!(stored.ends_with(".png") && !stored.contains("pixel"), "{stored}");
    assert_eq!(
        kept,
        json!([{"type": "stored-file", "name": "pixel.png", "mime": "image/png", "fileName": stored}])
    );
    assert_eq!(server.files_with(&PNG[20..80]), Vec::<String>::new());
}

#[test]
fn the_address_of_a_picture_reaches_the_model() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    let link = json!({"type": "url", "name": "a.png", "mime": "image/png", "data": "https://pictures.example/a.png"});
    ask_about(&server, &flow, link).is(200);
    let content = last(&provider.last_request().body["messages"])["content"].clone();
    assert_eq!(content[1]["image_url"]["url"], "https://pictures.example/a.png");
}

/// The pictures of each message of the person that OpenAI's protocol last carried, as their addresses.
fn pictures_of_questions(provider: &Provider) -> Vec<Vec<Value>> {
    let body = provider.last_request().body;
    let asked = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let pictures = |message: &Value| {
        let parts = message["content"].as_array().cloned().unwrap_or_default();
        parts.iter().filter_map(|part| part.get("image_url")).map(|image| image["url"].clone()).collect()
    };
    asked.map(pictures).collect()
}

/// Asks this flow about a picture, asks on there, and asks in another conversation.
#[track_caller]
fn keeps_its_picture(server: &Server, provider: &Provider, flow: &str) {
    let first = ask_about(server, flow, pixel()).is(200).json();
    let (chat, token) = (&first["chatId"], &first["sessionToken"]);
    server.ask(flow, &json!({"question": "And?", "chatId": chat, "sessionToken": token})).is(200);
    assert_eq!(
        pictures_of_questions(provider),
        [vec![json!(format!("data:image/png;base64,{PNG}"))], vec![]]
    );
    server.ask(flow, &json!({"question": "And?"})).is(200);
    assert_eq!(pictures_of_questions(provider), [Vec::<Value>::new()]);
}

#[test]
fn a_conversation_chain_shows_the_picture_of_an_earlier_question_in_its_own_conversation_alone() {
    let (server, provider) = (Server::start(), Provider::start());
    keeps_its_picture(&server, &provider, &flow(&server, &provider, ProviderFormat::OpenAi));
}

#[test]
fn a_tool_agent_shows_the_picture_of_an_earlier_question_in_its_own_conversation_alone() {
    let (server, provider) = (Server::start(), Provider::start());
    let (mut drawing, images) = (Drawing::default(), json!({"allowImageUploads": true}));
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), images);
    drawing.counting_agent(&model);
    keeps_its_picture(&server, &provider, &server.flow(&drawing.text()));
}

#[test]
fn the_offer_says_whether_pictures_are_taken() {
    let server = Server::start();
    let provider = Provider::start();
    let (with, without) = (flow(&server, &provider, ProviderFormat::OpenAi), server.flow(&scripted_flow()));
    let offer = |flow: &str| server.call("GET", &format!("/public-chatbotConfig/{flow}")).send().json();
    assert_eq!(offer(&with)["uploads"]["isImageUploadAllowed"], true);
    assert_eq!(offer(&without)["uploads"]["isImageUploadAllowed"], false);
}

#[test]
fn a_flow_that_takes_no_pictures_refuses_them() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    for streaming in [false, true] {
        let body = json!({"question": "What is this?", "uploads": [pixel()], "streaming": streaming});
        server.ask(&flow, &body).is_error(403);
    }
    assert!(server.messages(&flow).is_empty());
}

#[test]
fn a_file_of_another_type_is_named_and_refused() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    for (name, mime) in [("a.bmp", "image/bmp"), ("a.svg", "image/svg+xml"), ("a.heic", "image/heic")] {
        let data = format!("data:{mime};base64,{PNG}");
        let upload = json!({"type": "file", "name": name, "mime": mime, "data": data});
        let message = ask_about(&server, &flow, upload).is_error(400);
        assert!(message.contains(mime) && message.contains("not allowed for this flow"), "{message}");
    }
    assert_eq!(provider.served_count(), 0);
}

#[test]
fn a_file_that_is_not_what_it_says_is_refused() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    let upload = |name: &str, mime: &str, data: &str| json!({"type": "file", "name": name, "mime": mime, "data": data});
    let png = format!("data:image/png;base64,{PNG}");
    for bad in [
        upload("a.png", "image/png", "data:image/png;base64,R0lGODlhAQABAAAAACw="),
        upload("a.png", "image/png", "data:image/png;base64,!!!"),
        upload("a.png", "image/png", "data:image/png;base64,"),
        upload("a.png", "image/png", PNG),
        upload("a.png", "image/jpeg", &png),
        upload("a.exe", "image/png", &png),
        upload("a", "image/png", &png),
        json!({"type": "file", "name": "a.png", "mime": "image/png"}),
        json!({"name": "a.png", "mime": "image/png", "data": png}),
        json!("a.png"),
    ] {
        ask_about(&server, &flow, bad).is_error(400);
    }
    assert_eq!(provider.served_count(), 0);
}

#[test]
fn uploads_of_other_kinds_are_refused() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    for (kind, status) in [
        ("audio", 403),
        ("file:full", 403),
        ("file:rag", 403),
        ("stored-file", 400),
        ("stored-file:full", 400),
        ("", 400),
        ("FILE", 400),
    ] {
        let upload =
            json!({"type": kind, "name": "a", "mime": "audio/webm", "data": "data:audio/webm;base64,AAAA"});
        ask_about(&server, &flow, upload).is_error(status);
    }
    for list in [json!({}), json!("x"), json!([[]]), json!(7)] {
        server.ask(&flow, &json!({"question": "Hi", "uploads": list})).is_error(400);
    }
}

#[test]
fn a_link_that_is_no_web_address_is_refused() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    for address in
        ["file:///etc/passwd", "ftp://a.example/a.png", "https://user:pass@a.example/", "a.png", ""]
    {
        let link = json!({"type": "url", "name": "a.png", "mime": "image/png", "data": address});
        ask_about(&server, &flow, link).is_error(400);
    }
}

#[test]
fn a_picture_alone_is_a_question() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = flow(&server, &provider, ProviderFormat::OpenAi);
    server.ask(&flow, &json!({"question": "", "uploads": [pixel()]})).is(200);
}
