//! The cards of providers: what is typed into each, and what must arrive.

use crate::support::canvases::SECRET;
use crate::support::provider::RecordedRequest;
use serde_json::{Value, json};

/// How a card carries its key.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Bearer,
    Header,
    None,
}

impl Key {
    pub(super) fn is_in(self, request: &RecordedRequest) -> bool {
        match self {
            Self::Bearer => request.header("authorization") == Some(&format!("Bearer {SECRET}")),
            Self::Header => request.header("api-key") == Some(SECRET),
            Self::None => request.header("authorization").is_none(),
        }
    }
}

/// What is typed into one card, and what must arrive at its provider.
pub(super) struct Case {
    pub(super) card: &'static str,
    pub(super) credential: (&'static str, &'static str),
    pub(super) key: Key,
    /// The input for the address, and what is typed behind the stand-in's own.
    pub(super) address: (&'static str, &'static str),
    pub(super) path: &'static str,
    pub(super) inputs: Value,
    /// What the body must say; `null` for a field that must not be in it.
    pub(super) sent: Value,
}

/// A card over OpenAI's protocol whose key is a bearer.
pub(super) fn case(
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
pub(super) fn sampling_settings() -> (Value, Value) {
    (
        json!({"modelName": "m-1", "temperature": "0.3", "maxTokens": "77", "topP": "0.8",
            "frequencyPenalty": "0.1", "presencePenalty": "-0.2"}),
        json!({"model": "m-1", "temperature": 0.3, "max_tokens": 77, "top_p": 0.8,
            "frequency_penalty": 0.1, "presence_penalty": -0.2}),
    )
}

/// The first object with the fields of the second over it.
pub(super) fn and(mut first: Value, second: Value) -> Value {
    first.as_object_mut().unwrap().extend(second.as_object().cloned().unwrap());
    first
}

pub(super) const V1: &str = "/v1/chat/completions";
/// What is typed into the cards whose address ends before the path of the protocol.
pub(super) const AT: (&str, &str) = ("basepath", "/v1");
pub(super) const AT_SERVER: (&str, &str) = ("basePath", "/v1");

/// What cards with few settings are given and send.
pub(super) fn few() -> (Value, Value) {
    (
        json!({"modelName": "m-1", "temperature": "0.3"}),
        json!({"model": "m-1", "temperature": 0.3, "max_tokens": null}),
    )
}

pub(super) fn chat_cases() -> Vec<Case> {
    let mut cases = azure_cases();
    cases.extend(plain_cases());
    cases.extend(compatible_cases());
    cases.extend(own_cases());
    cases.push(cohere());
    cases
}

pub(super) fn azure_cases() -> Vec<Case> {
    let (typed, sent) = sampling_settings();
    let azure = "/openai/deployments/our-gpt/chat/completions?api-version=2024-10-21";
    let azure_card = |path, address, inputs, sent| Case {
        key: Key::Header,
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
pub(super) fn plain_cases() -> Vec<Case> {
    let (typed, sent) = sampling_settings();
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

/// Cards of providers that have this protocol beside their own.
fn compatible_cases() -> Vec<Case> {
    let (few, few_sent) = few();
    vec![
        Case {
            key: Key::None,
            ..case(
                "chatNemoGuardrails",
                ("", ""),
                ("baseUrl", ""),
                V1,
                json!({"configurationId": " rails "}),
                json!({"model": "", "config_id": "rails", "guardrails": {"config_id": "rails"}}),
            )
        },
        case(
            "chatAlibabaTongyi",
            ("AlibabaApi", "alibabaApiKey"),
            ("basepath", "/compatible-mode/v1"),
            "/compatible-mode/v1/chat/completions",
            few,
            few_sent,
        ),
        case(
            "chatCloudflareWorkersAI",
            ("cloudflareApi", "cloudflareApiToken"),
            ("baseUrl", "/client/v4/accounts/a1/ai/run"),
            "/client/v4/accounts/a1/ai/v1/chat/completions",
            json!({"model": "@cf/meta/m-1"}),
            json!({"model": "@cf/meta/m-1", "max_tokens": null}),
        ),
    ]
}

/// Cards with settings of their own.
pub(super) fn own_cases() -> Vec<Case> {
    let (typed, sent) = sampling_settings();
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

pub(super) fn cohere() -> Case {
    let inputs = json!({"modelName": "m-1", "temperature": "0.3"});
    let sent = json!({"model": "m-1", "temperature": 0.3, "stream_options": null});
    case("chatCohere", ("cohereApi", "cohereApiKey"), ("basepath", ""), "/v2/chat", inputs, sent)
}

/// Cards that complete a text.
pub(super) fn completing_cases() -> Vec<Case> {
    let (typed, sent) = sampling_settings();
    let openai = ("openAIApi", "openAIApiKey");
    let asks = json!({"prompt": "Say: How are you?", "messages": null, "stop": null});
    let best = and(typed.clone(), json!({"bestOf": "3"}));
    let best_sent = and(sent.clone(), json!({"best_of": 3, "stream": false, "stream_options": null}));
    let azure = ("azureOpenAIApi", "azureOpenAIApiKey");
    let path = "/openai/deployments/our-gpt/completions?api-version=2024-10-21";
    let ollama =
        json!({"modelName": "m-1", "temperature": "0.3", "topK": "5", "numCtx": "2048", "stop": "END"});
    let options = json!({"temperature": 0.3, "top_k": 5, "num_ctx": 2048, "stop": ["END"]});
    vec![
        case("openAI", openai, AT, "/v1/completions", typed.clone(), and(sent.clone(), asks.clone())),
        case("openAI", openai, AT, "/v1/completions", best, best_sent),
        case(
            "openAI",
            openai,
            AT,
            "/v1/completions",
            json!({"temperature": ""}),
            json!({"model": "gpt-3.5-turbo-instruct", "temperature": null, "max_tokens": 256}),
        ),
        Case {
            key: Key::Header,
            ..case("azureOpenAI", azure, ("basepath", ""), path, typed, and(sent, asks.clone()))
        },
        Case {
            key: Key::None,
            ..case(
                "ollama",
                ("", ""),
                ("baseUrl", ""),
                "/api/generate",
                ollama,
                json!({"model": "m-1", "prompt": "Say: How are you?", "messages": null, "options": options}),
            )
        },
    ]
}
