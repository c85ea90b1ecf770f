//! Who calls a webhook (manual 17.2).

use crate::base::hex::to_hex;
use crate::base::hmac::hmac_sha256;
use jiff::Timestamp;
use subtle::ConstantTimeEq as _;

/// How far the time of a signed call may be from now (manual 14.4).
const SIGNATURE_SECONDS: i64 = 300;

/// How calls prove that they know the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAuth {
    pub kind: SignatureKind,
    /// The header with the proof.
    pub header: String,
    /// The header with the time that is signed along.
    pub timestamp_header: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureKind {
    /// HMAC-SHA256 over the body.
    Hmac,
    /// The secret itself.
    PlainToken,
}

/// Why a call does not prove that it knows the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureFault {
    NoSecret,
    Missing,
    Wrong,
    NoTime,
    OutOfTime,
    /// What was signed may be a body, or the time of a call and its body.
    TimeInBody,
}

impl SignatureFault {
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NoSecret => {
                "This webhook wants signed calls and has no secret yet. Its owner has to generate one first."
            }
            Self::Missing => {
                "The call has no signature: send it in the header that the webhook's card names."
            }
            Self::Wrong => "The signature of the call is not right.",
            Self::NoTime => {
                "The call has no time: send seconds since 1970 in the header that the webhook's card names."
            }
            Self::OutOfTime => "The call was signed more than five minutes from now.",
            Self::TimeInBody => {
                "The body begins with a time and a point, so its signature may be that of another call: sign a time along."
            }
        }
    }
}

/// A signature with a time in it, which counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedSignature {
    /// The same for the same secret, time and body, however the signature was written.
    pub digest: [u8; 32],
    /// When it is refused for its time anyway.
    pub until: Timestamp,
}

impl WebhookAuth {
    /// Judges a call. A signature with a time in it is given back, for it counts only once.
    ///
    /// # Errors
    /// 401 in words.
    pub fn verify<'h>(
        &self,
        secret: &str,
        header: impl Fn(&str) -> Option<&'h str>,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Option<TimedSignature>, SignatureFault> {
        let sent = header(&self.header).map(str::trim).filter(|sent| !sent.is_empty());
        let sent = sent.ok_or(SignatureFault::Missing)?;
        if self.kind == SignatureKind::PlainToken {
            let is_right = bool::from(sent.as_bytes().ct_eq(secret.as_bytes()));
            return if is_right { Ok(None) } else { Err(SignatureFault::Wrong) };
        }
        let written = WrittenSignature::parse(sent);
        let time = match &self.timestamp_header {
            Some(name) => Some(header(name).map(str::trim).ok_or(SignatureFault::NoTime)?),
            None => written.time,
        };
        let digest = sign(secret, time, body);
        if !written.values.iter().any(|value| is_hex_of(value, &digest)) {
            return Err(SignatureFault::Wrong);
        }
        let Some(time) = time else {
            return if begins_with_time(body, now) { Err(SignatureFault::TimeInBody) } else { Ok(None) };
        };
        let seconds: i64 = time.parse().map_err(|_| SignatureFault::NoTime)?;
        if now.as_second().abs_diff(seconds) > SIGNATURE_SECONDS.unsigned_abs() {
            return Err(SignatureFault::OutOfTime);
        }
        let until = Timestamp::from_second(seconds.saturating_add(SIGNATURE_SECONDS + 1));
        Ok(Some(TimedSignature { digest, until: until.map_err(|_| SignatureFault::OutOfTime)? }))
    }
}

/// A signature as it stands in its header: hex, hex behind the name of a hash, or `t=…,v1=…`.
struct WrittenSignature<'a> {
    time: Option<&'a str>,
    values: Vec<&'a str>,
}

impl<'a> WrittenSignature<'a> {
    fn parse(sent: &'a str) -> Self {
        let parts = || sent.split(',').filter_map(|part| part.trim().split_once('='));
        let named = |wanted: &'static str| {
            parts().filter(move |(name, _)| name.trim() == wanted).map(|(_, value)| value.trim())
        };
        if let Some(time) = named("t").next() {
            return Self { time: Some(time), values: named("v1").collect() };
        }
        let bare = ["sha256=", "sha1="].iter().find_map(|prefix| sent.strip_prefix(prefix)).unwrap_or(sent);
        Self { time: None, values: vec![bare.trim()] }
    }
}

/// HMAC-SHA256 over a body, or over the time, a point and the body.
fn sign(secret: &str, time: Option<&str>, body: &[u8]) -> [u8; 32] {
    match time {
        Some(time) => hmac_sha256(secret.as_bytes(), &[time.as_bytes(), b".", body]),
        None => hmac_sha256(secret.as_bytes(), &[body]),
    }
}

/// True for what may be the time of a call, a point and its body. Whoever saw a call that was signed so could send all of that
/// as the body of another, under the same signature, as often and as late as they like.
fn begins_with_time(body: &[u8], now: Timestamp) -> bool {
    /// No call was signed for this service before that (2017).
    const FIRST_SECONDS: i64 = 1_500_000_000;
    let point = body.iter().position(|byte| *byte == b'.');
    let time = point.and_then(|point| std::str::from_utf8(&body[..point]).ok()?.parse::<i64>().ok());
    time.is_some_and(|seconds| (FIRST_SECONDS..=now.as_second() + SIGNATURE_SECONDS).contains(&seconds))
}

fn is_hex_of(sent: &str, digest: &[u8; 32]) -> bool {
    sent.to_ascii_lowercase().as_bytes().ct_eq(to_hex(digest).as_bytes()).into()
}

/// The signature of a body, in hex.
#[must_use]
pub fn sign_body(secret: &str, body: &[u8]) -> String {
    to_hex(&sign(secret, None, body))
}

/// The signature of a body and the second at which it is sent, in hex.
#[must_use]
pub fn sign_timed_body(secret: &str, seconds: i64, body: &[u8]) -> String {
    to_hex(&sign(secret, Some(&seconds.to_string()), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn auth(timestamp: Option<&str>) -> WebhookAuth {
        WebhookAuth {
            kind: SignatureKind::Hmac,
            header: "x-sig".into(),
            timestamp_header: timestamp.map(str::to_owned),
        }
    }

    fn judge(
        auth: &WebhookAuth,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Option<TimedSignature>, SignatureFault> {
        let now = Timestamp::from_second(NOW).unwrap();
        let find = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        auth.verify("secret", find, body, now)
    }

    #[test]
    fn a_body_is_signed_as_others_sign_it() {
        // RFC 4231, test case 2.
        assert_eq!(
            sign_body("Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_signature_may_stand_alone_or_behind_the_name_of_a_hash() {
        let signature = sign_body("secret", b"body");
        for prefix in ["", "sha256=", "sha1="] {
            for hex in [signature.clone(), signature.to_uppercase()] {
                assert_eq!(judge(&auth(None), &[("x-sig", &format!("{prefix}{hex}"))], b"body"), Ok(None));
            }
        }
    }

    #[test]
    fn another_body_another_secret_and_no_signature_are_refused() {
        let right = sign_body("secret", b"body");
        let other = sign_body("other", b"body");
        for (sent, body, fault) in [
            (right.as_str(), &b"bodY"[..], SignatureFault::Wrong),
            (other.as_str(), b"body", SignatureFault::Wrong),
            ("", b"body", SignatureFault::Missing),
            ("sha256=", b"body", SignatureFault::Wrong),
            (&right[..63], b"body", SignatureFault::Wrong),
        ] {
            assert_eq!(judge(&auth(None), &[("x-sig", sent)], body), Err(fault), "{sent}");
        }
        assert_eq!(judge(&auth(None), &[], b"body"), Err(SignatureFault::Missing));
    }

    #[test]
    fn a_time_is_signed_along_and_must_be_near() {
        let card = auth(Some("x-time"));
        for (seconds, expected) in [
            (NOW, Ok(())),
            (NOW - 300, Ok(())),
            (NOW + 300, Ok(())),
            (NOW - 301, Err(SignatureFault::OutOfTime)),
            (NOW + 301, Err(SignatureFault::OutOfTime)),
        ] {
            let signature = sign_timed_body("secret", seconds, b"body");
            let time = seconds.to_string();
            let judged = judge(&card, &[("x-sig", &signature), ("x-time", &time)], b"body");
            assert_eq!(judged.map(|once| assert!(once.is_some())), expected, "{seconds}");
            let in_one = format!("t={time},v1={signature}");
            let judged = judge(&auth(None), &[("x-sig", &in_one)], b"body");
            assert_eq!(judged.map(|once| assert!(once.is_some())), expected, "{seconds}");
        }
    }

    #[test]
    fn a_card_that_names_a_time_refuses_a_call_without_it() {
        let plain = sign_body("secret", b"body");
        let card = auth(Some("x-time"));
        assert_eq!(judge(&card, &[("x-sig", &plain)], b"body"), Err(SignatureFault::NoTime));
        let other = NOW.to_string();
        assert_eq!(
            judge(&card, &[("x-sig", &plain), ("x-time", &other)], b"body"),
            Err(SignatureFault::Wrong)
        );
    }

    #[test]
    fn one_signature_has_one_digest_however_it_is_written() {
        let signature = sign_timed_body("secret", NOW, b"body");
        let digest = |sent: String| judge(&auth(None), &[("x-sig", &sent)], b"body").unwrap().unwrap().digest;
        assert_eq!(
            digest(format!("t={NOW},v1={signature}")),
            digest(format!("v1=00, v1={} , t={NOW}", signature.to_uppercase()))
        );
    }

    #[test]
    fn a_signature_of_time_and_body_is_none_of_a_body_that_begins_with_that_time() {
        for seconds in [NOW, NOW - 86_400, NOW + 300] {
            let signature = sign_timed_body("secret", seconds, b"{}");
            let body = format!("{seconds}.{{}}");
            let judged = judge(&auth(None), &[("x-sig", &signature)], body.as_bytes());
            assert_eq!(judged, Err(SignatureFault::TimeInBody), "{body}");
        }
    }

    #[test]
    fn a_body_that_begins_with_another_number_needs_no_time() {
        for body in ["3.14", "{\"a\":1700000000.5}", "1700000000", "0.1700000000", "9999999999.5", ".", ""] {
            let judged =
                judge(&auth(None), &[("x-sig", &sign_body("secret", body.as_bytes()))], body.as_bytes());
            assert_eq!(judged, Ok(None), "{body}");
        }
    }

    #[test]
    fn a_plain_token_is_compared_whole() {
        let card = WebhookAuth { kind: SignatureKind::PlainToken, ..auth(None) };
        assert_eq!(judge(&card, &[("x-sig", "secret")], b""), Ok(None));
        for wrong in ["secre", "secrets", "Secret"] {
            assert_eq!(judge(&card, &[("x-sig", wrong)], b""), Err(SignatureFault::Wrong));
        }
    }
}
