//! Requests to services of AWS: signed with the key of a credential, and their refusals in AWS's own words.

use super::identity::{Asking, Identity, Judgement, Refusal};
use super::refusal::Refusals;
use super::{ModelError, retry};
use crate::aws::{Keys, Scope, Unsigned};
use crate::clock::Clock;

/// Signs requests to one service in one region.
pub struct AwsIdentity {
    /// Whose they are.
    pub keys: Keys,
    /// What for.
    pub scope: Scope,
    /// A signature holds for minutes.
    pub clock: Clock,
}

impl Identity for AwsIdentity {
    fn headers(&self, asking: &Asking<'_>) -> Result<Vec<(String, String)>, ModelError> {
        let Asking { method, url, headers, body, .. } = *asking;
        Ok(self.keys.sign(&self.scope, &Unsigned { method, url, headers, body }, self.clock.now()))
    }

    fn secrets(&self) -> Vec<String> {
        let Keys { id, secret, session } = &self.keys;
        [Some(id), Some(secret), session.as_ref()].into_iter().flatten().cloned().collect()
    }

    fn judge(&self, refusal: &Refusal<'_>) -> Judgement {
        let text = String::from_utf8_lossy(refusal.body);
        let json = refusal.json;
        let code = [&json["__type"], &json["code"], &json["Code"]].into_iter().find_map(|code| code.as_str());
        let Some(code) = refusal.kind.or(code).or_else(|| tagged(&text, "Code")) else {
            return Judgement::Usual;
        };
        let said = [&json["message"], &json["Message"]].into_iter().find_map(|said| said.as_str());
        let said = said.or_else(|| tagged(&text, "Message")).unwrap_or_default();
        Judgement::Means(meaning(code, refusal.status, said, refusal.model, refusal.asked, refusal.refusals))
    }
}

/// What stands first between tags of this name: the object store refuses in XML.
fn tagged<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(rest.split_once("</")?.0)
}

/// The meaning of an error with this code. Services prefix a code with a name, and add an address behind it.
pub(super) fn meaning(
    code: &str,
    status: u16,
    said: &str,
    model: &str,
    asked: Option<u64>,
    refusals: &Refusals,
) -> ModelError {
    let code = code.rsplit_once('#').map_or(code, |(_, code)| code);
    let code = code.split_once(':').map_or(code, |(code, _)| code).to_ascii_lowercase();
    let code = code.strip_suffix("exception").unwrap_or(&code);
    let lower = said.to_ascii_lowercase();
    let is_late =
        ["signature expired", "signature not yet current"].iter().any(|words| lower.contains(words));
    let provider = || ModelError::Provider { status, message: refusals.clean(said) };
    match code {
        "requesttimetooskewed" | "requestexpired" => wrong_clock(),
        "invalidsignature" | "signaturedoesnotmatch" if is_late => wrong_clock(),
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
            retry::throttled(asked)
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

fn wrong_clock() -> ModelError {
    ModelError::Settings(
        "AWS refused the date of the request: the clock of this server is off by minutes; have it set".into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_aws_are_understood() {
        let refusals = Refusals::new("m-1", vec!["a-secret-of-ours"]);
        let provider = |status, message: &str| ModelError::Provider { status, message: message.into() };
        let unknown = || ModelError::UnknownModel("m-1".into());
        for (code, status, said, expected) in [
            ("UnrecognizedClientException", 403, "The security token is invalid.", ModelError::KeyRefused),
            ("SignatureDoesNotMatch", 403, "The request signature we calculated", ModelError::KeyRefused),
            ("InvalidSignatureException:http://internal.amazon.com/x", 403, "no", ModelError::KeyRefused),
            ("InvalidSignatureException", 403, "Signature expired: 2015 is now earlier than", wrong_clock()),
            ("InvalidSignatureException", 403, "Signature not yet current: 2115", wrong_clock()),
            ("RequestTimeTooSkewed", 403, "The difference is too large.", wrong_clock()),
            ("ThrottlingException", 429, "Too many tokens", retry::throttled(None)),
            ("throttlingException", 429, "Too many requests", retry::throttled(None)),
            ("SlowDown", 503, "Please reduce", retry::throttled(None)),
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
            assert_eq!(meaning(code, status, said, "m-1", None, &refusals), expected, "{code} {said}");
        }
        let expired = meaning("ExpiredTokenException", 403, "x", "m-1", None, &refusals);
        assert!(expired.to_string().contains("has expired"), "{expired}");
    }

    #[test]
    fn codes_of_the_object_store_are_found() {
        let text = "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>No such</Message></Error>";
        assert_eq!((tagged(text, "Code"), tagged(text, "Message")), (Some("NoSuchKey"), Some("No such")));
        assert_eq!(tagged("<Code>", "Code"), None);
    }
}
