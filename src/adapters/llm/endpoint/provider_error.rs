//! What a provider's refusal means, whatever dialect it is written in.

use super::retry;
use crate::llm::ModelError;
use serde_json::Value;

/// The most of a provider's sentence that is shown.
const MESSAGE_CHARACTERS_MAX: usize = 240;
/// Beginnings of words that are keys.
const KEY_PREFIXES: &[&str] =
    &["sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "pplx-", "r8_", "key-", "Bearer"];
/// Codes and types that say that no waiting helps.
const CREDIT_CODES: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "insufficient_balance",
    "insufficient_credits",
    "exceeded_current_quota_error",
    "payment_required",
];
/// Codes of a model that is not there.
const MODEL_CODES: &[&str] =
    &["model_not_found", "DeploymentNotFound", "invalid_model", "model_decommissioned"];

/// Codes of a key that is wrong.
const KEY_CODES: &[&str] = &["API_KEY_INVALID", "invalid_api_key", "authentication_error"];
/// The shortest text that is hidden: shorter ones stand in messages by chance.
const SECRET_BYTES_MIN: usize = 6;
/// The same of a part of an address, where words are common.
const SEGMENT_BYTES_MIN: usize = 7;
/// Words of headers that tell how a secret is sent.
const SCHEMES: &[&str] = &["bearer", "basic", "digest", "apikey", "api-key"];
/// Words of addresses that everybody knows.
const ADDRESS_WORDS: &[&str] = &[
    "accounts",
    "api-version",
    "chat-completions",
    "compatible-mode",
    "completions",
    "deployments",
    "embeddings",
    "endpoint",
    "endpoints",
    "gateway",
    "generate",
    "hf-inference",
    "inference",
    "locations",
    "messages",
    "predict",
    "predictions",
    "projects",
    "publishers",
    "serverless",
    "services",
    "version",
    "workers-ai",
];

/// The parts of a header's value that may be secret: all of it, and each word, as providers tell back only the token.
pub(in crate::llm) fn secrets_of_header(value: &str) -> impl Iterator<Item = &str> {
    let words = value.split_whitespace();
    let words = words.filter(|word| !SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)));
    std::iter::once(value).chain(words)
}

/// The parts of an address behind its host that may be secret: gateways take keys there.
pub(in crate::llm) fn secrets_of_address(address: &str) -> impl Iterator<Item = &str> {
    let inside = address.split_once("://").map_or(address, |(_, rest)| rest);
    let parts = inside.split(['/', '?', '&', '=', '#', ';']).skip(1);
    parts.filter(|part| part.len() >= SEGMENT_BYTES_MIN && !ADDRESS_WORDS.contains(part))
}

/// What codes and types of errors inside an answer mean.
const EVENT_STATUSES: &[(&str, u16)] = &[
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("authentication_error", 401),
    ("invalid_api_key", 401),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("overloaded_error", 529),
    ("invalid_request_error", 400),
];

/// Reads refusals of one provider about one model.
pub(in crate::llm) struct ErrorInterpreter {
    model: String,
    secrets: Vec<String>,
}

impl ErrorInterpreter {
    /// `secrets` are values that went along with the request and must not come back in a message.
    pub(in crate::llm) fn new(model: &str, secrets: Vec<&str>) -> Self {
        Self { model: model.to_owned(), secrets: Vec::new() }
            .with_secrets(secrets.into_iter().map(str::to_owned))
    }

    /// With further values that must not come back.
    pub(in crate::llm) fn with_secrets(mut self, secrets: impl Iterator<Item = String>) -> Self {
        self.secrets.extend(secrets.filter(|secret| secret.len() >= SECRET_BYTES_MIN));
        // The longest first, so that none leaves a part of itself behind.
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        self
    }

    /// The meaning of a response with a bad status.
    pub(in crate::llm) fn interpret_status(
        &self,
        status: u16,
        body: &Value,
        asked: Option<u64>,
    ) -> ModelError {
        let words = ErrorBody::parse(body);
        if status == 402 || words.is_out_of_credit() {
            return ModelError::OutOfCredit;
        }
        match status {
            429 => retry::throttled_error(asked),
            400 | 403 if words.is_bad_key() => ModelError::KeyRefused,
            _ if words.has_code(MODEL_CODES) => ModelError::UnknownModel(self.model.clone()),
            401 => ModelError::KeyRefused,
            // A good key may lack a right, a region or a consent: the provider's own words say which.
            403 if words.message.is_none_or(|message| message.trim().is_empty()) => ModelError::KeyRefused,
            _ if words.is_unknown_model(status) => ModelError::UnknownModel(self.model.clone()),
            408 | 504 => ModelError::TimedOut,
            _ => ModelError::Provider { status, message: self.clean(words.message.unwrap_or_default()) },
        }
    }

    /// The meaning of an error that arrives inside an answer whose status was good. `error` is the error itself.
    pub(in crate::llm) fn interpret_event(&self, error: &Value) -> ModelError {
        let body = serde_json::json!({ "error": error });
        let words = ErrorBody::parse(&body);
        let coded =
            error["code"].as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
        // A type may say what was counted ("tokens"), and only the code what happened.
        let told = EVENT_STATUSES.iter().find(|(word, _)| words.has_code(&[word]));
        let status = coded.or(told.map(|(_, status)| *status)).unwrap_or(500);
        self.interpret_status(status, &body, None)
    }

    /// One clean sentence, without secrets and addresses.
    pub(in crate::llm) fn clean(&self, message: &str) -> String {
        let mut message = message.to_owned();
        for secret in &self.secrets {
            message = message.replace(secret, "[secret hidden]");
        }
        let mut sentence = String::new();
        let visible =
            message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        for word in visible {
            let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
            let shown = if KEY_PREFIXES.iter().any(|prefix| bare.starts_with(prefix)) && bare.len() > 10 {
                "[secret hidden]"
            } else if word.contains("://") {
                "[address hidden]"
            } else {
                word
            };
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            sentence.push_str(shown);
            if sentence.chars().count() > MESSAGE_CHARACTERS_MAX {
                let cut: String = sentence.chars().take(MESSAGE_CHARACTERS_MAX).collect();
                return cut + "…";
            }
        }
        if sentence.is_empty() { "it gave no reason".into() } else { sentence }
    }
}

/// The telling parts of an error body.
struct ErrorBody<'a> {
    message: Option<&'a str>,
    codes: Vec<&'a str>,
}

impl<'a> ErrorBody<'a> {
    fn parse(body: &'a Value) -> Self {
        // Google wraps a streamed error into a list.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").unwrap_or(body);
        let places = [
            &error["message"],
            &body["message"],
            error,
            // Search servers, and servers that tell several at once.
            &error["reason"],
            &error[0]["message"],
            &body["detail"],
            // What does not fit a schema comes as a list.
            &body["detail"][0]["msg"],
            &body["status"]["error"],
        ];
        let message = places.into_iter().find_map(Value::as_str);
        let reasons = error["details"].as_array().into_iter().flatten().map(|detail| &detail["reason"]);
        let codes = [&error["code"], &error["type"], &error["status"], &body["code"], &body["type"]]
            .into_iter()
            .chain(reasons)
            .filter_map(Value::as_str)
            .collect();
        Self { message, codes }
    }

    fn contains(&self, text: &str) -> bool {
        self.message.is_some_and(|message| message.to_ascii_lowercase().contains(text))
    }

    fn has_code(&self, known: &[&str]) -> bool {
        self.codes.iter().any(|code| known.contains(code))
    }

    fn is_out_of_credit(&self) -> bool {
        self.has_code(CREDIT_CODES)
            || self.contains("credit balance is too low")
            || self.contains("insufficient balance")
    }

    fn is_bad_key(&self) -> bool {
        self.has_code(KEY_CODES) || self.contains("api key not valid")
    }

    fn is_unknown_model(&self, status: u16) -> bool {
        let named = self.contains("model") || self.contains("deployment");
        (status == 404 && named) || (status == 400 && self.contains("invalid model"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusals() -> ErrorInterpreter {
        ErrorInterpreter::new("gpt-x", vec!["my-own-secret-key", "short"])
    }

    #[test]
    fn refusals_of_every_dialect_are_understood() {
        let provider = |status, message: &str| ModelError::Provider { status, message: message.into() };
        let unknown = || ModelError::UnknownModel("gpt-x".into());
        for (status, body, expected) in [
            (401, json!({"error":{"message":"Incorrect API key provided: sk-abc"}}), ModelError::KeyRefused),
            (
                400,
                json!({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT",
                    "details":[{"reason":"API_KEY_INVALID"}]}}),
                ModelError::KeyRefused,
            ),
            (
                404,
                json!({"error":{"message":"The model `gpt-x` does not exist","code":"model_not_found"}}),
                unknown(),
            ),
            (
                404,
                json!({"type":"error","error":{"type":"not_found_error","message":"model: gpt-x"}}),
                unknown(),
            ),
            (
                404,
                json!({"error":{"code":404,"message":"models/gpt-x is not found for API version v1beta"}}),
                unknown(),
            ),
            (404, json!({"error":"model 'gpt-x' not found"}), unknown()),
            (404, json!({"error":{"code":"DeploymentNotFound","message":"..."}}), unknown()),
            (404, json!({"detail":"Not Found"}), provider(404, "Not Found")),
            (429, json!({"error":{"code":"insufficient_quota"}}), ModelError::OutOfCredit),
            (
                429,
                json!({"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}),
                ModelError::OutOfCredit,
            ),
            (
                400,
                json!({"error":{"message":"Your credit balance is too low to access the API"}}),
                ModelError::OutOfCredit,
            ),
            (402, Value::Null, ModelError::OutOfCredit),
            (
                429,
                json!({"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details."}}),
                ModelError::Throttled { retry_after_seconds: 30 },
            ),
            (500, Value::Null, provider(500, "it gave no reason")),
            (504, Value::Null, ModelError::TimedOut),
            (
                529,
                json!({"error":{"type":"overloaded_error","message":"Overloaded"}}),
                provider(529, "Overloaded"),
            ),
            (400, json!([{"error":{"message":"in a list"}}]), provider(400, "in a list")),
        ] {
            assert_eq!(refusals().interpret_status(status, &body, None), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_refusal_is_of_the_key_only_where_nothing_else_is_said() {
        let provider = |status, message: &str| ModelError::Provider { status, message: message.into() };
        let unknown = || ModelError::UnknownModel("gpt-x".into());
        for (status, body, expected) in [
            (403, Value::Null, ModelError::KeyRefused),
            (403, json!({"error":{"message":" "}}), ModelError::KeyRefused),
            (403, json!({"error":{"message":"Wrong key","code":"invalid_api_key"}}), ModelError::KeyRefused),
            (
                403,
                json!({"type":"error","error":{"type":"permission_error","message":"Not in your region"}}),
                provider(403, "Not in your region"),
            ),
            (
                403,
                json!({"error":{"message":"Project has no access to model `gpt-x`","code":"model_not_found"}}),
                unknown(),
            ),
            (401, json!({"error":{"code":"invalid_model"}}), unknown()),
            (
                422,
                json!({"detail":[{"loc":["body","top_k"],"msg":"Input should be less than 10","type":"less_than"}]}),
                provider(422, "Input should be less than 10"),
            ),
        ] {
            assert_eq!(refusals().interpret_status(status, &body, None), expected, "{status} {body}");
        }
    }

    #[test]
    fn errors_inside_a_stream_are_understood() {
        let provider = |status, message: &str| ModelError::Provider { status, message: message.into() };
        for (error, expected) in [
            (json!({"type":"overloaded_error","message":"Overloaded"}), provider(529, "Overloaded")),
            (
                json!({"type":"rate_limit_error","message":"x"}),
                ModelError::Throttled { retry_after_seconds: 30 },
            ),
            (
                json!({"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}),
                ModelError::Throttled { retry_after_seconds: 30 },
            ),
            (
                json!({"type":"tokens","code":"rate_limit_exceeded","message":"Rate limit reached"}),
                ModelError::Throttled { retry_after_seconds: 30 },
            ),
            (
                json!({"type":"requests","code":"rate_limit_exceeded","param":null}),
                ModelError::Throttled { retry_after_seconds: 30 },
            ),
            (json!({"type":"invalid_request_error","code":"invalid_api_key"}), ModelError::KeyRefused),
            (json!({"type":"server_error","code":"authentication_error"}), ModelError::KeyRefused),
            (json!({"type":"server_error","code":null,"message":"x"}), provider(500, "x")),
            (json!({"type":"tokens","code":"insufficient_quota"}), ModelError::OutOfCredit),
            (json!({"code":"insufficient_quota","message":"x"}), ModelError::OutOfCredit),
            (json!("model runner has stopped"), provider(500, "model runner has stopped")),
            (json!({"type":"authentication_error"}), ModelError::KeyRefused),
        ] {
            assert_eq!(refusals().interpret_event(&error), expected, "{error}");
        }
    }

    #[test]
    fn what_a_provider_echoes_of_headers_and_addresses_is_hidden() {
        let base = "https://gateway.example/v1/pathsecret99/openai/deployments/?code=querysecret7";
        let header = "Bearer mysecretvalue123";
        let secrets = secrets_of_header(header).chain(secrets_of_address(base)).collect();
        let refusals = ErrorInterpreter::new("gpt-x", secrets);
        let said = "no Bearer mysecretvalue123; token 'mysecretvalue123' at /v1/pathsecret99/openai?code=querysecret7 of gateway.example deployments";
        let shown = refusals.clean(said);
        for secret in ["mysecretvalue123", "pathsecret99", "querysecret7"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.ends_with("of gateway.example deployments"), "{shown}");
        assert_eq!(refusals.clean("Bearer expected"), "Bearer expected");
        assert_eq!(secrets_of_address("http://host").count(), 0);
        assert_eq!(secrets_of_address("host-without-scheme/secret-path").count(), 1);
    }

    #[test]
    fn messages_are_short_and_hold_no_secrets() {
        let refusals = refusals();
        let shown = refusals
            .clean("bad key my-own-secret-key,\n\tor 'sk-proj-abcdefghij' see https://example.com/a?b\u{7}");
        assert_eq!(shown, "bad key [secret hidden], or [secret hidden] see [address hidden]");
        assert_eq!(refusals.clean(&"word ".repeat(500)).chars().count(), MESSAGE_CHARACTERS_MAX + 1);
        assert_eq!(refusals.clean("a short sk-learn word"), "a short sk-learn word");
    }
}
