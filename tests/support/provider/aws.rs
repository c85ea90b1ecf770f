//! An account of AWS that lets nobody in whose signature is not right. It shares no code with what signs.

use super::{Behaviour, RecordedRequest};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Minutes a signature may be away from now.
const MINUTES_MAX: i64 = 5;

/// Whose requests pass.
#[derive(Debug, Clone)]
pub struct Account {
    pub id: &'static str,
    pub secret: &'static str,
    pub session: Option<&'static str>,
    pub region: &'static str,
    pub service: &'static str,
}

impl Account {
    /// The refusal of a request that is not this account's; `None` for one that passes.
    pub fn refusal(&self, request: &RecordedRequest) -> Option<Behaviour> {
        let refused = |kind: &str, message: String| {
            if self.service == "s3" {
                return Some(of_object_store(kind, &message));
            }
            let headers =
                vec![("x-amzn-errortype".to_owned(), format!("{kind}:http://internal.amazon.com/"))];
            Some(Behaviour::Status { status: 403, body: json!({ "message": message }).to_string(), headers })
        };
        let Some(proof) = request.header("authorization") else {
            return refused("MissingAuthenticationTokenException", "Missing Authentication Token".into());
        };
        let field = |name: &str| {
            let rest = proof.split_once(&format!("{name}="))?.1;
            Some(rest.split(',').next()?.trim().to_owned())
        };
        let (Some(credential), Some(names), Some(signature), Some(date)) =
            (field("Credential"), field("SignedHeaders"), field("Signature"), request.header("x-amz-date"))
        else {
            return refused("IncompleteSignatureException", "Incomplete".into());
        };
        let parts: Vec<&str> = credential.split('/').collect();
        let [id, day, region, service, "aws4_request"] = parts[..] else {
            return refused("IncompleteSignatureException", "Credential is no scope".into());
        };
        if id != self.id || request.header("x-amz-security-token") != self.session {
            return refused(
                "UnrecognizedClientException",
                "The security token included in the request is invalid.".into(),
            );
        }
        if (region, service) != (self.region, self.service) || !date.starts_with(day) {
            let wanted = format!("Credential should be scoped to {}/{}", self.region, self.service);
            return refused("InvalidSignatureException", wanted);
        }
        let sent = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", date).unwrap();
        let late = jiff::Timestamp::now().as_second()
            - sent.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_second();
        if late.abs() > MINUTES_MAX * 60 {
            let what = if late > 0 { "Signature expired" } else { "Signature not yet current" };
            return refused("InvalidSignatureException", format!("{what}: {date} is too far from now"));
        }
        for needed in ["host", "x-amz-date"].into_iter().chain(self.session.map(|_| "x-amz-security-token")) {
            assert!(names.split(';').any(|name| name == needed), "{needed} is not signed: {names}");
        }
        let canonical = self.canonical(request, &names);
        let statement = format!(
            "AWS4-HMAC-SHA256\n{date}\n{day}/{region}/{service}/aws4_request\n{}",
            hex(Sha256::digest(&canonical))
        );
        let key = mac(format!("AWS4{}", self.secret).as_bytes(), day);
        let key = mac(&mac(&mac(&key, region), service), "aws4_request");
        if hex(mac(&key, &statement)) == signature {
            return None;
        }
        // The real one tells what it made of the request, the session's token included.
        refused(
            "InvalidSignatureException",
            format!(
                "The request signature we calculated does not match the signature you provided. The Canonical String for this request should have been '{canonical}'"
            ),
        )
    }

    fn canonical(&self, request: &RecordedRequest, names: &str) -> String {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let path = if self.service == "s3" { path.to_owned() } else { escape(path.as_bytes(), true) };
        let mut pairs: Vec<String> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            pairs.push(format!("{}={}", escape(&unescape(name), false), escape(&unescape(value), false)));
        }
        pairs.sort();
        let mut headers = String::new();
        for name in names.split(';') {
            let value = request.header(name).unwrap_or_else(|| panic!("{name} is signed and not sent"));
            headers += &format!("{name}:{}\n", value.trim());
        }
        let sum = hex(Sha256::digest(&request.raw));
        if let Some(told) = request.header("x-amz-content-sha256") {
            assert_eq!(told, sum, "the sum of the body");
        }
        format!("{}\n{path}\n{}\n{headers}\n{names}\n{sum}", request.method, pairs.join("&"))
    }
}

/// The object store has codes of its own, and says them in XML.
fn of_object_store(kind: &str, message: &str) -> Behaviour {
    let code = match kind {
        "UnrecognizedClientException" => "InvalidAccessKeyId",
        _ if message.starts_with("Signature ") => "RequestTimeTooSkewed",
        _ => "SignatureDoesNotMatch",
    };
    xml_error(403, code, message)
}

/// An error as the object store writes it.
pub fn xml_error(status: u16, code: &str, message: &str) -> Behaviour {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message><RequestId>1</RequestId></Error>"
    );
    let headers = vec![("content-type".to_owned(), "application/xml".to_owned())];
    Behaviour::Status { status, body, headers }
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn escape(bytes: &[u8], slashes: bool) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(*byte));
            }
            b'/' if slashes => out.push('/'),
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
        } else {
            out.push(byte);
        }
    }
    out
}
