//! Every card of a provider against the stand-in: where it asks, with which key, for which model and with which settings.

mod cases;

use crate::support::Server;
use crate::support::canvases::{Drawing, SECRET};
use crate::support::id;
use crate::support::provider::{Behaviour, Provider, RecordedRequest, Reply};
use cases::{AT, Case, and, azure_cases, case, chat_cases, cohere, completing_cases};
use serde_json::{Map, Value, json};

/// Puts the card on a canvas, pointing at the stand-in, with its credential.
fn place(drawing: &mut Drawing, server: &Server, provider: &Provider, case: &Case) -> String {
    let mut inputs: Map<String, Value> = Map::new();
    inputs.insert(case.address.0.to_owned(), format!("{}{}", provider.base_url(), case.address.1).into());
    inputs.extend(case.inputs.as_object().cloned().unwrap());
    let inputs: Map<String, Value> =
        inputs.into_iter().filter(|(name, _)| is_input(case.card, name)).collect();
    let node = drawing.card(case.card, Value::Object(inputs));
    let (kind, field) = case.credential;
    if kind.is_empty() {
        return node;
    }
    let mut fields = json!({field: SECRET});
    if kind == "azureOpenAIApi" {
        fields["azureOpenAIApiInstanceName"] = "ours".into();
        fields["azureOpenAIApiDeploymentName"] = "our-gpt".into();
        fields["azureOpenAIApiVersion"] = "2024-10-21".into();
    }
    if kind == "cloudflareApi" {
        fields["cloudflareAccountId"] = "a1".into();
    }
    let body = json!({"name": "stand-in", "credentialName": kind, "plainDataObj": fields});
    drawing.credential(&node, &id(&server.post("/credentials", &body)));
    node
}

fn is_input(card: &str, name: &str) -> bool {
    flowkeep::cards::registry::find(card).unwrap().input(name).is_some()
}

/// The card in front of a chain that takes any language model.
fn chain(server: &Server, provider: &Provider, case: &Case) -> String {
    let mut drawing = Drawing::default();
    let model = place(&mut drawing, server, provider, case);
    let prompt = drawing.card("promptTemplate", json!({"template": "Say: {question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    server.flow(&drawing.text())
}

fn check(case: &Case, request: &RecordedRequest, streaming: bool) {
    let card = case.card;
    assert_eq!(request.path, case.path, "{card}");
    assert!(case.key.is_in(request), "{card}: {:?}", request.headers);
    assert!(!request.path.contains(SECRET) && !request.body.to_string().contains(SECRET), "{card}");
    for (name, value) in case.sent.as_object().unwrap() {
        assert_eq!(&request.body[name], value, "{card}: {name} in {}", request.body);
    }
    assert!(request.body.to_string().contains("Say: How are you?"), "{card}: {}", request.body);
    if case.sent.get("stream").is_none() {
        assert_eq!(request.body["stream"], json!(streaming), "{card}");
    }
}

/// Asks once for a whole answer and once for a stream, of a card whose own switch is set the same.
fn run_cases(cases: Vec<Case>) {
    let (server, provider) = (Server::start(), Provider::start());
    for case in &cases {
        for streaming in [false, true] {
            let switched = is_input(case.card, "streaming");
            let inputs = and(case.inputs.clone(), json!({"streaming": streaming}));
            let case = Case { inputs, sent: case.sent.clone(), ..*case };
            let flow = chain(&server, &provider, &case);
            let text = "I am fine, thanks.";
            provider.push_behaviour(Behaviour::Reply(Reply { input_tokens: Some(11), ..Reply::text(text) }));
            let answer = server.ask(&flow, &json!({"question": "How are you?", "streaming": streaming}));
            let (said, usage) = if streaming {
                (answer.streamed_text(), answer.event("metadata")["usageMetadata"].clone())
            } else {
                let body = answer.is(200).json();
                (body["text"].as_str().unwrap_or_default().to_owned(), body["usageMetadata"].clone())
            };
            assert_eq!(said, text, "{}", case.card);
            let expected = json!({"input_tokens": 11, "output_tokens": 4, "total_tokens": 15});
            assert_eq!(usage, expected, "{}", case.card);
            check(&case, &provider.last_request(), streaming || !switched);
        }
    }
}

#[test]
fn every_chat_model_asks_its_provider_as_its_inputs_say() {
    run_cases(chat_cases());
}

#[test]
fn every_completing_model_asks_its_provider_as_its_inputs_say() {
    run_cases(completing_cases());
}

/// A card that answers in one piece, in front of a stand-in that answers with these bodies, one after the other.
fn ask_in_pieces(case: &Case, bodies: &[Value], streaming: bool) -> (String, Vec<RecordedRequest>) {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = chain(&server, &provider, case);
    for body in bodies {
        provider.push_behaviour(Behaviour::status(200, &body.to_string()));
    }
    let answer = server.ask(&flow, &json!({"question": "How are you?", "streaming": streaming}));
    let text = if streaming {
        answer.streamed_text()
    } else {
        answer.is(200).json()["text"].as_str().unwrap_or_default().to_owned()
    };
    (text, provider.requests())
}

#[test]
fn hugging_face_generates_text() {
    let inputs = json!({"temperature": "0.3", "maxTokens": "77", "topP": "0.8", "hfTopK": "5", "frequencyPenalty": "1.1"});
    let credential = ("huggingFaceApi", "huggingFaceApiKey");
    let case =
        case("huggingFaceInference_LLMs", credential, ("endpoint", "/ours"), "/ours", inputs, json!({}));
    let parameters = json!({"temperature": 0.3, "max_new_tokens": 77, "top_p": 0.8, "top_k": 5,
        "repetition_penalty": 1.1, "return_full_text": false});
    for streaming in [false, true] {
        let (text, requests) = ask_in_pieces(&case, &[json!([{"generated_text": "Fine."}])], streaming);
        assert_eq!((text.as_str(), requests[0].path.as_str()), ("Fine.", "/ours"));
        assert!(case.key.is_in(&requests[0]));
        assert_eq!(requests[0].body, json!({"inputs": "Say: How are you?", "parameters": parameters}));
    }
}

#[test]
fn replicate_is_asked_again_until_it_is_done() {
    let credential = ("replicateApi", "replicateApiKey");
    let given = json!({"temperature": "0.3", "maxTokens": "77", "additionalInputs": "{\"seed\": 7}"});
    let input = json!({"temperature": 0.3, "max_length": 77, "seed": 7, "prompt": "Say: How are you?"});
    let running =
        json!({"id": "p1", "status": "processing", "urls": {"get": "http://127.0.0.1:1/elsewhere"}});
    let done = json!({"id": "p1", "status": "succeeded", "output": ["Fi", "ne."]});
    for (model, path, body) in [
        ("meta/llama", "/v1/models/meta/llama/predictions", json!({"input": input})),
        ("meta/llama:abc123", "/v1/predictions", json!({"version": "abc123", "input": input})),
    ] {
        let inputs = and(given.clone(), json!({"model": model}));
        let case = case("replicate", credential, AT, path, inputs, json!({}));
        for streaming in [false, true] {
            let (text, requests) = ask_in_pieces(&case, &[running.clone(), done.clone()], streaming);
            assert_eq!(text, "Fine.");
            assert_eq!((requests[0].path.as_str(), &requests[0].body), (path, &body));
            assert_eq!(requests[0].header("prefer"), Some("wait"));
            assert_eq!(
                (requests[1].method.as_str(), requests[1].path.as_str()),
                ("GET", "/v1/predictions/p1")
            );
            assert!(requests.iter().all(|request| case.key.is_in(request)));
        }
    }
}

#[test]
fn a_name_of_a_model_leads_to_no_other_place() {
    let server = Server::start();
    for (card, kind, field) in [
        ("replicate", "replicateApi", "replicateApiKey"),
        ("huggingFaceInference_LLMs", "huggingFaceApi", "huggingFaceApiKey"),
    ] {
        let case =
            case(card, (kind, field), ("none", ""), "", json!({"model": "../../account?x="}), json!({}));
        let provider = Provider::start();
        let flow = chain(&server, &provider, &case);
        let answer = server.ask(&flow, &json!({"question": "Hi"}));
        assert!(answer.text().contains("Model: this must be"), "{}", answer.text());
    }
}

#[test]
fn a_provider_that_wants_to_know_the_program_is_told() {
    let (server, provider) = (Server::start(), Provider::start());
    let cases = chat_cases();
    let case = cases.iter().find(|case| case.card == "chatCerebras").unwrap();
    server.ask(&chain(&server, &provider, case), &json!({"question": "Hi"})).is(200);
    let told = provider.last_request();
    assert_eq!(told.header("x-cerebras-3rd-party-integration"), Some("flowkeep"));
}

#[test]
fn a_card_that_needs_a_key_asks_nobody_without_one() {
    let server = Server::start();
    let cards = ["chatXAI", "chatMistralAI", "chatAlibabaTongyi", "chatCloudflareWorkersAI"];
    for case in chat_cases().iter().filter(|case| cards.contains(&case.card)) {
        let mut drawing = Drawing::default();
        let model = drawing.card(case.card, json!({"modelName": "m-1"}));
        let prompt = drawing.card("promptTemplate", json!({"template": "Say: {question}"}));
        let chain = drawing.card("llmChain", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&prompt, &chain, "prompt");
        let answer = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"}));
        assert!(answer.text().contains("credential"), "{}: {}", case.card, answer.text());
    }
}

#[test]
fn a_model_that_takes_images_is_sent_them() {
    let (server, provider) = (Server::start(), Provider::start());
    let takers = ["azureChatOpenAI", "chatLitellm", "chatOpenRouter", "chatXAI"];
    for case in chat_cases().into_iter().filter(|case| takers.contains(&case.card)) {
        let inputs = and(case.inputs.clone(), json!({"allowImageUploads": true}));
        let case = Case { inputs, ..case };
        let flow = chain(&server, &provider, &case);
        let image = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
        let upload = json!([{"type": "file", "name": "dot.png", "mime": "image/png", "data": image}]);
        server.ask(&flow, &json!({"question": "What is it?", "uploads": upload})).is(200);
        let sent = provider.last_request().body["messages"].to_string();
        assert!(
            sent.contains("image_url") && sent.contains("data:image/png;base64,"),
            "{}: {sent}",
            case.card
        );
    }
}

/// The agent asks for the calculator, gets its result and answers.
fn agent_counts(case: &Case, streaming: bool) {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = place(&mut drawing, &server, &provider, case);
    drawing.counting_agent(&model);
    let arguments = json!({"input": "6 * (3 + 4)"});
    provider.push_behaviour(Behaviour::call("calculator", arguments.clone()));
    provider.push_behaviour(Behaviour::text("It is 42."));
    let flow = server.flow(&drawing.text());
    let answer = server.ask(&flow, &json!({"question": "How much?", "streaming": streaming}));
    let (text, used) = if streaming {
        (answer.streamed_text(), answer.event("usedTools"))
    } else {
        let body = answer.is(200).json();
        (body["text"].as_str().unwrap().to_owned(), body["usedTools"].clone())
    };
    assert_eq!(text, "It is 42.", "{}", case.card);
    assert_eq!(
        used,
        json!([{"tool": "calculator", "toolInput": arguments, "toolOutput": "42"}]),
        "{}",
        case.card
    );
    let requests = provider.requests();
    assert!(requests[0].body["tools"].to_string().contains("calculator"), "{}", requests[0].body);
    let second = requests[1].body.to_string();
    assert!(second.contains("42") && second.contains("6 * (3 + 4)"), "{second}");
}

#[test]
fn an_agent_counts_with_models_of_other_providers() {
    for case in [cohere(), azure_cases().swap_remove(0)] {
        agent_counts(&case, false);
        agent_counts(&case, true);
    }
}

#[test]
fn a_model_without_sampling_settings_is_sent_none() {
    use crate::support::canvases::ProviderFormat;
    let (server, provider) = (Server::start(), Provider::start());
    for (model, sampled) in [("claude-opus-4-7", false), ("claude-haiku-4-5", true)] {
        let inputs = json!({"modelName": model, "temperature": "0.5", "topP": "0.9", "topK": "5"});
        let flow =
            server.flow(&ProviderFormat::Anthropic.conversation(&server, &provider.base_url(), inputs));
        server.ask(&flow, &json!({"question": "Hi"})).is(200);
        let sent = provider.last_request().body;
        for setting in ["temperature", "top_p", "top_k"] {
            assert_eq!(sent.get(setting).is_some(), sampled, "{model}: {sent}");
        }
    }
}
