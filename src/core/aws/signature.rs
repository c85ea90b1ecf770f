//! Signature Version 4: headers that prove that whoever sends a request holds a secret key, without showing it.

#[cfg(test)]
mod tests;

use crate::base::hex::to_hex;
use crate::base::hmac::hmac_sha256;
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode, utf8_percent_encode};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::fmt::Write as _;

/// The name of the procedure.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// All but letters, digits and `-._~` is escaped.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The same of a path, whose slashes stay.
const ESCAPED_IN_PATH: &AsciiSet = &ESCAPED.remove(b'/');

/// A text as one part of a path or of a query.
#[must_use]
pub fn encode_component(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// A text with slashes as a path.
#[must_use]
pub fn encode_path(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED_IN_PATH).to_string()
}

/// An access key. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessKey {
    pub id: String,
    pub secret: String,
    /// What makes a key of a limited time whole.
    pub session: Option<String>,
}

impl fmt::Debug for AccessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(hidden)")
    }
}

/// What a signature is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningScope {
    /// `us-east-1`.
    pub region: String,
    /// The service's name in signatures: `bedrock`, `s3`.
    pub service: String,
}

impl SigningScope {
    /// The object store takes paths as they are sent, and wants the sum of every body in a header.
    fn is_object_store(&self) -> bool {
        self.service == "s3"
    }
}

/// A request before it is signed.
#[derive(Debug, Clone, Copy)]
pub struct SigningRequest<'a> {
    /// `POST`.
    pub method: &'a str,
    /// Where it goes, as it will be sent.
    pub url: &'a str,
    /// What goes along; all of it is signed.
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

impl AccessKey {
    /// The headers that make the request a signed one, beside those it has.
    #[must_use]
    pub fn sign(
        &self,
        scope: &SigningScope,
        request: &SigningRequest<'_>,
        now: Timestamp,
    ) -> Vec<(String, String)> {
        let date = now.strftime("%Y%m%dT%H%M%SZ").to_string();
        let sum = to_hex(&Sha256::digest(request.body));
        let mut added = vec![("x-amz-date".to_owned(), date.clone())];
        if let Some(session) = &self.session {
            added.push(("x-amz-security-token".to_owned(), session.clone()));
        }
        if scope.is_object_store() {
            added.push(("x-amz-content-sha256".to_owned(), sum.clone()));
        }
        let place = UrlParts::parse(request.url);
        let own = added.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let (names, headers) = canonical_headers(request.headers.iter().copied().chain(own), &place.host);
        let canonical = format!(
            "{}\n{}\n{}\n{headers}\n{names}\n{sum}",
            request.method,
            canonical_path(place.path, scope),
            canonical_query(place.query),
        );
        let day = &date[..8];
        let credential = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
        let statement =
            format!("{ALGORITHM}\n{date}\n{credential}\n{}", to_hex(&Sha256::digest(canonical.as_bytes())));
        let parts = [day, &scope.region, &scope.service, "aws4_request", &statement];
        let secret = format!("AWS4{}", self.secret).into_bytes();
        let signature = parts.iter().fold(secret, |key, part| hmac_sha256(&key, &[part.as_bytes()]).to_vec());
        let proof = format!(
            "{ALGORITHM} Credential={}/{credential}, SignedHeaders={names}, Signature={}",
            self.id,
            to_hex(&signature)
        );
        added.push(("authorization".to_owned(), proof));
        added
    }
}

/// The parts of an address, as they are sent.
struct UrlParts<'a> {
    host: String,
    path: &'a str,
    query: &'a str,
}

impl<'a> UrlParts<'a> {
    fn parse(url: &'a str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
        // The port that everybody knows is not sent.
        let usual = if scheme.eq_ignore_ascii_case("http") { ":80" } else { ":443" };
        let host = host.strip_suffix(usual).map_or(host.clone(), str::to_owned);
        Self { host, path: if path.is_empty() { "/" } else { path }, query }
    }
}

/// The names of all headers, and the headers, in order.
fn canonical_headers<'a>(sent: impl Iterator<Item = (&'a str, &'a str)>, host: &'a str) -> (String, String) {
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, value) in sent.chain([("host", host)]) {
        let value = value.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let name = name.to_ascii_lowercase();
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, before)) => {
                before.push(',');
                before.push_str(&value);
            }
            None => all.push((name, value)),
        }
    }
    all.sort();
    let names = all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
    let mut headers = String::new();
    for (name, value) in &all {
        let _ = writeln!(headers, "{name}:{value}");
    }
    (names, headers)
}

fn canonical_path(path: &str, scope: &SigningScope) -> String {
    if scope.is_object_store() {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let end = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    // What is escaped in the address is escaped once more here.
    format!("/{}{end}", encode_path(&parts.join("/")))
}

fn canonical_query(query: &str) -> String {
    let escaped =
        |text: &str| percent_encode(&percent_decode_str(text).collect::<Vec<u8>>(), ESCAPED).to_string();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut pairs: Vec<(String, String)> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (escaped(name), escaped(value)))
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}
