//! Every card of a provider against the stand-in: where it asks, with which key, for which model and with which settings.

use crate::support::Server;
use crate::support::canvases::{Drawing, SECRET};
use crate::support::id;
use crate::support::provider::{Behaviour, Provider, Recorded, Reply};
use serde_json::{Map, Value, json};

/// How a card carries its key.
#[derive(Clone, Copy)]
enum Key {
    Bearer,
    ApiKey,
}

impl Key {
    fn is_in(self, request: &Recorded) -> bool {
        match self {
            Self::Bearer => request.header("authorization") == Some(&format!("Bearer {SECRET}")),
            Self::ApiKey => request.header("api-key") == Some(SECRET),
        }
    }
}

/// What is typed into one card, and what must arrive at its provider.
struct Case {
    card: &'static str,
    credential: (&'static str, &'static str),
    key: Key,
    /// The input for the address, and what is typed behind the stand-in's own.
    address: (&'static str, &'static str),
    path: &'static str,
    inputs: Value,
    /// What the body must say; `null` for a field that must not be in it.
    sent: Value,
}

/// A card over OpenAI's protocol whose key is a bearer.
fn case(
    card: &'static str,
    credential: (&'static str, &'static str),
    address: (&'static str, &'static str),
    path: &'static str,
    inputs: Value,
    sent: Value,
) -> Case {
    Case { card, credential, key: Key::Bearer, address, path, inputs, sent }
}

/// Sampling settings as they are typed and as they are sent.
fn sampled() -> (Value, Value) {
    (
        json!({"modelName": "m-1", "temperature": "0.3", "maxTokens": "77", "topP": "0.8",
            "frequencyPenalty": "0.1", "presencePenalty": "-0.2"}),
        json!({"model": "m-1", "temperature": 0.3, "max_tokens": 77, "top_p": 0.8,
            "frequency_penalty": 0.1, "presence_penalty": -0.2}),
    )
}

/// The first object with the fields of the second over it.
fn and(mut first: Value, second: Value) -> Value {
    first.as_object_mut().unwrap().extend(second.as_object().cloned().unwrap());
    first
}

const V1: &str = "/v1/chat/completions";
/// What is typed into the cards whose address ends before the path of the protocol.
const AT: (&str, &str) = ("basepath", "/v1");
const AT_SERVER: (&str, &str) = ("basePath", "/v1");

/// What cards with few settings are given and send.
fn few() -> (Value, Value) {
    (
        json!({"modelName": "m-1", "temperature": "0.3"}),
        json!({"model": "m-1", "temperature": 0.3, "max_tokens": null}),
    )
}

fn chat_cases() -> Vec<Case> {
    let mut cases = azure_cases();
    cases.extend(plain_cases());
    cases.extend(own_cases());
    cases.push(cohere());
    cases
}

fn azure_cases() -> Vec<Case> {
    let (typed, sent) = sampled();
    let azure = "/openai/deployments/our-gpt/chat/completions?api-version=2024-10-21";
    let azure_card = |path, address, inputs, sent| Case {
        key: Key::ApiKey,
        ..case("azureChatOpenAI", ("azureOpenAIApi", "azureOpenAIApiKey"), address, path, inputs, sent)
    };
    vec![
        azure_card(azure, ("basepath", ""), typed.clone(), sent.clone()),
        azure_card(azure, ("basepath", "/openai/deployments/"), typed.clone(), sent.clone()),
        azure_card(
            azure,
            ("basepath", "/openai"),
            and(typed.clone(), json!({"reasoning": true, "reasoningEffort": "low"})),
            json!({"model": "m-1", "temperature": null, "top_p": null, "max_tokens": null,
                "max_completion_tokens": 77, "reasoning_effort": "low"}),
        ),
    ]
}

/// Cards that add nothing to the protocol.
fn plain_cases() -> Vec<Case> {
    let (typed, sent) = sampled();
    let (few, few_sent) = few();
    let tokens = and(few.clone(), json!({"maxTokens": "77"}));
    let tokens_sent = json!({"model": "m-1", "temperature": 0.3, "max_tokens": 77, "top_p": null});
    vec![
        case(
            "chatLocalAI",
            ("localAIApi", "localAIApiKey"),
            AT_SERVER,
            V1,
            tokens.clone(),
            tokens_sent.clone(),
        ),
        case(
            "chatLitellm",
            ("litellmApi", "litellmApiKey"),
            AT_SERVER,
            V1,
            tokens.clone(),
            tokens_sent.clone(),
        ),
        case(
            "chatNvidiaNIM",
            ("nvidiaNIMApi", "nvidiaNIMApiKey"),
            ("basePath", "/v1/"),
            V1,
            typed.clone(),
            sent.clone(),
        ),
        case("chatOpenRouter", ("openRouterApi", "openRouterApiKey"), AT, V1, typed.clone(), sent.clone()),
        case(
            "chatOpenRouter",
            ("openRouterApi", "openRouterApiKey"),
            AT,
            V1,
            and(typed.clone(), json!({"modelName": "openai/o3"})),
            json!({"model": "openai/o3", "temperature": null, "max_tokens": null, "max_completion_tokens": 77}),
        ),
        case(
            "groqChat",
            ("groqApi", "groqApiKey"),
            ("basepath", "/openai/v1"),
            "/openai/v1/chat/completions",
            tokens.clone(),
            tokens_sent.clone(),
        ),
        case("chatXAI", ("xaiApi", "xaiApiKey"), AT, V1, tokens.clone(), tokens_sent.clone()),
        case("chatTogetherAI", ("togetherAIApi", "togetherAIApiKey"), AT, V1, few.clone(), few_sent.clone()),
        case(
            "chatFireworks",
            ("fireworksApi", "fireworksApiKey"),
            ("basepath", "/inference/v1"),
            "/inference/v1/chat/completions",
            few.clone(),
            few_sent.clone(),
        ),
        case("chatCerebras", ("cerebrasAIApi", "cerebrasApiKey"), AT, V1, typed.clone(), sent.clone()),
        case("chatSambanova", ("sambanovaApi", "sambanovaApiKey"), AT, V1, few.clone(), few_sent.clone()),
    ]
}

/// Cards with settings of their own.
fn own_cases() -> Vec<Case> {
    let (typed, sent) = sampled();
    let (few, _) = few();
    vec![
        case(
            "chatDeepseek",
            ("deepseekApi", "deepseekApiKey"),
            ("basepath", ""),
            "/chat/completions",
            and(typed.clone(), json!({"thinking": true, "stopSequence": "END, STOP"})),
            and(sent.clone(), json!({"thinking": {"type": "enabled"}, "stop": ["END", "STOP"]})),
        ),
        case(
            "chatCometAPI",
            ("cometApi", "cometApiKey"),
            AT,
            V1,
            json!({"maxTokens": "77"}),
            json!({"model": "gpt-5-mini", "temperature": null, "max_completion_tokens": 77}),
        ),
        case(
            "chatPerplexity",
            ("perplexityApi", "perplexityApiKey"),
            ("proxyUrl", ""),
            "/chat/completions",
            and(typed.clone(), json!({"model": "sonar-pro", "topK": "5"})),
            and(sent.clone(), json!({"model": "sonar-pro", "top_k": 5, "stream_options": null})),
        ),
        case(
            "chatMistralAI",
            ("mistralAIApi", "mistralAIAPIKey"),
            ("overrideEndpoint", ""),
            V1,
            and(
                few.clone(),
                json!({"maxOutputTokens": "77", "topP": "0.8", "randomSeed": "5", "safeMode": true}),
            ),
            json!({"model": "m-1", "temperature": 0.3, "max_tokens": 77, "top_p": 0.8, "random_seed": 5,
                "safe_prompt": true, "stream_options": null}),
        ),
        case(
            "chatHuggingFace",
            ("huggingFaceApi", "huggingFaceApiKey"),
            ("endpoint", "/v1/chat/completions"),
            V1,
            json!({"model": "org/m-1", "maxTokens": "77", "topP": "0.8", "frequencyPenalty": "0.1", "stop": "END"}),
            json!({"model": "org/m-1", "temperature": null, "max_tokens": 77, "top_p": 0.8, "frequency_penalty": 0.1,
                "stop": ["END"], "top_k": null}),
        ),
    ]
}

fn cohere() -> Case {
    let inputs = json!({"modelName": "m-1", "temperature": "0.3"});
    let sent = json!({"model": "m-1", "temperature": 0.3, "stream_options": null});
    case("chatCohere", ("cohereApi", "cohereApiKey"), ("basepath", ""), "/v2/chat", inputs, sent)
}

/// Puts the card on a canvas, pointing at the stand-in, with its credential.
fn place(drawing: &mut Drawing, server: &Server, provider: &Provider, case: &Case) -> String {
    let mut inputs: Map<String, Value> = Map::new();
    inputs.insert(case.address.0.to_owned(), format!("{}{}", provider.base_url(), case.address.1).into());
    inputs.extend(case.inputs.as_object().cloned().unwrap());
    let inputs: Map<String, Value> =
        inputs.into_iter().filter(|(name, _)| is_input(case.card, name)).collect();
    let node = drawing.card(case.card, Value::Object(inputs));
    let (kind, field) = case.credential;
    let mut fields = json!({field: SECRET});
    if kind == "azureOpenAIApi" {
        fields["azureOpenAIApiInstanceName"] = "ours".into();
        fields["azureOpenAIApiDeploymentName"] = "our-gpt".into();
        fields["azureOpenAIApiVersion"] = "2024-10-21".into();
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

fn check(case: &Case, request: &Recorded, streaming: bool) {
    let card = case.card;
    assert_eq!(request.path, case.path, "{card}");
    assert!(case.key.is_in(request), "{card}: {:?}", request.headers);
    assert!(!request.path.contains(SECRET) && !request.body.to_string().contains(SECRET), "{card}");
    for (name, value) in case.sent.as_object().unwrap() {
        assert_eq!(&request.body[name], value, "{card}: {name} in {}", request.body);
    }
    assert!(request.body.to_string().contains("Say: How are you?"), "{card}: {}", request.body);
    assert_eq!(request.body["stream"], json!(streaming), "{card}");
}

/// Asks once for a whole answer and once for a stream, of a card whose own switch is set the same.
fn drive(cases: Vec<Case>) {
    let (server, provider) = (Server::start(), Provider::start());
    for case in &cases {
        for streaming in [false, true] {
            let switched = is_input(case.card, "streaming");
            let inputs = and(case.inputs.clone(), json!({"streaming": streaming}));
            let case = Case { inputs, sent: case.sent.clone(), ..*case };
            let flow = chain(&server, &provider, &case);
            let text = "I am fine, thanks.";
            provider.script(Behaviour::Reply(Reply { input_tokens: Some(11), ..Reply::text(text) }));
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
    drive(chat_cases());
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
    for case in chat_cases().iter().filter(|case| ["chatXAI", "chatMistralAI"].contains(&case.card)) {
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
    let memory = drawing.card("bufferMemory", json!({}));
    let calculator = drawing.card("calculator", json!({}));
    let agent = drawing.card("toolAgent", json!({"systemMessage": "Count well."}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&memory, &agent, "memory");
    drawing.wire(&calculator, &agent, "tools");
    let arguments = json!({"input": "6 * (3 + 4)"});
    provider.script(Behaviour::call("calculator", arguments.clone()));
    provider.script(Behaviour::text("It is 42."));
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
