//! Requests to services of AWS: signed with the key of a credential, and their refusals in AWS's own words.

use super::{ErrorMeaning, ErrorResponse, Identity, OutgoingRequest};
use crate::aws::{AccessKey, SigningRequest, SigningScope};
use crate::clock::Clock;
use crate::llm::ModelError;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::endpoint::retry;

/// Signs requests to one service in one region.
pub struct AwsIdentity {
    pub keys: AccessKey,
    pub scope: SigningScope,
    pub clock: Clock,
}

impl Identity for AwsIdentity {
    fn headers(&self, asking: &OutgoingRequest<'_>) -> Result<Vec<(String, String)>, ModelError> {
        let OutgoingRequest { method, url, headers, body, .. } = *asking;
        Ok(self.keys.sign(&self.scope, &SigningRequest { method, url, headers, body }, self.clock.now()))
    }

    fn secrets(&self) -> Vec<String> {
        let AccessKey { id, secret, session } = &self.keys;
        [Some(id), Some(secret), session.as_ref()].into_iter().flatten().cloned().collect()
    }

    fn interpret_error(&self, refusal: &ErrorResponse<'_>) -> ErrorMeaning {
        let text = String::from_utf8_lossy(refusal.body);
        let json = refusal.json;
        let code = [&json["__type"], &json["code"], &json["Code"]].into_iter().find_map(|code| code.as_str());
        let Some(code) = refusal.kind.or(code).or_else(|| tag_text(&text, "Code")) else {
            return ErrorMeaning::Usual;
        };
        let said = [&json["message"], &json["Message"]].into_iter().find_map(|said| said.as_str());
        let said = said.or_else(|| tag_text(&text, "Message")).unwrap_or_default();
        ErrorMeaning::Means(interpret_code(
            code,
            refusal.status,
            said,
            refusal.model,
            refusal.asked,
            refusal.interpreter,
        ))
    }
}

/// What stands first between tags of this name: the object store refuses in XML.
fn tag_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(rest.split_once("</")?.0)
}

/// The meaning of an error with this code. Services prefix a code with a name, and add an address behind it.
pub(in crate::llm) fn interpret_code(
    code: &str,
    status: u16,
    said: &str,
    model: &str,
    asked: Option<u64>,
    refusals: &ErrorInterpreter,
) -> ModelError {
    let code = code.rsplit_once('#').map_or(code, |(_, code)| code);
    let code = code.split_once(':').map_or(code, |(code, _)| code).to_ascii_lowercase();
    let code = code.strip_suffix("exception").unwrap_or(&code);
    let lower = said.to_ascii_lowercase();
    let is_late =
        ["signature expired", "signature not yet current"].iter().any(|words| lower.contains(words));
    let provider = || ModelError::Provider { status, message: refusals.clean(said) };
    match code {
        "requesttimetooskewed" | "requestexpired" => wrong_clock_error(),
        "invalidsignature" | "signaturedoesnotmatch" if is_late => wrong_clock_error(),
        "unrecognizedclient"
        | "invalidclienttokenid"
        | "incompletesignature"
        | "missingauthenticationtoken"
        | "invalidsignature"
        | "signaturedoesnotmatch"
        | "invalidaccesskeyid"
        | "invalidtoken"
        | "authfailure" => ModelError::KeyRefused,
        "expiredtoken" => ModelError::Settings(
            "the session token of the credential has expired; store a fresh access key with its token".into(),
        ),
        "throttling" | "toomanyrequests" | "servicequotaexceeded" | "slowdown" | "modelnotready" => {
            retry::throttled_error(asked)
        }
        "modeltimeout" => ModelError::TimedOut,
        "resourcenotfound" if !model.is_empty() => ModelError::UnknownModel(model.to_owned()),
        "validation" if lower.contains("model identifier is invalid") => {
            ModelError::UnknownModel(model.to_owned())
        }
        "accessdenied" if said.trim().is_empty() => ModelError::KeyRefused,
        _ => provider(),
    }
}

fn wrong_clock_error() -> ModelError {
    ModelError::Settings(
        "AWS refused the date of the request: the clock of this server is off by minutes; have it set".into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_aws_are_understood() {
        let refusals = ErrorInterpreter::new("m-1", vec!["a-secret-of-ours"]);
        let provider = |status, message: &str| ModelError::Provider { status, message: message.into() };
        let unknown = || ModelError::UnknownModel("m-1".into());
        for (code, status, said, expected) in [
            ("UnrecognizedClientException", 403, "The security token is invalid.", ModelError::KeyRefused),
            ("SignatureDoesNotMatch", 403, "The request signature we calculated", ModelError::KeyRefused),
            ("InvalidSignatureException:http://internal.amazon.com/x", 403, "no", ModelError::KeyRefused),
            (
                "InvalidSignatureException",
                403,
                "Signature expired: 2015 is now earlier than",
                wrong_clock_error(),
            ),
            ("InvalidSignatureException", 403, "Signature not yet current: 2115", wrong_clock_error()),
            ("RequestTimeTooSkewed", 403, "The difference is too large.", wrong_clock_error()),
            ("ThrottlingException", 429, "Too many tokens", retry::throttled_error(None)),
            ("throttlingException", 429, "Too many requests", retry::throttled_error(None)),
            ("SlowDown", 503, "Please reduce", retry::throttled_error(None)),
            ("com.amazon.coral.service#ResourceNotFoundException", 404, "no model", unknown()),
            ("ValidationException", 400, "The provided model identifier is invalid.", unknown()),
            ("ValidationException", 400, "Malformed input", provider(400, "Malformed input")),
            (
                "AccessDeniedException",
                403,
                "You don't have access to a-secret-of-ours",
                provider(403, "You don't have access to [secret hidden]"),
            ),
            (
                "NoSuchKey",
                404,
                "The specified key does not exist.",
                provider(404, "The specified key does not exist."),
            ),
        ] {
            assert_eq!(interpret_code(code, status, said, "m-1", None, &refusals), expected, "{code} {said}");
        }
        let expired = interpret_code("ExpiredTokenException", 403, "x", "m-1", None, &refusals);
        assert!(expired.to_string().contains("has expired"), "{expired}");
    }

    #[test]
    fn codes_of_the_object_store_are_found() {
        let text = "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>No such</Message></Error>";
        assert_eq!((tag_text(text, "Code"), tag_text(text, "Message")), (Some("NoSuchKey"), Some("No such")));
        assert_eq!(tag_text("<Code>", "Code"), None);
    }
}
