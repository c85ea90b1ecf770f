//! A page of a few words, for a person whom another service sends back here. It tells the window it was opened from, and
//! every other one of this service, how it went, and holds nothing of the request.

use super::{INERT_POLICY, Reply};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::StatusCode;
use sha2::{Digest as _, Sha256};

const STYLE: &str = ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.25rem}";
/// The address holds a code of the provider, so it goes first. A window that opened a sign-in elsewhere is out of reach, and
/// hears of it by the channel.
const SCRIPT: &str = "history.replaceState(null,'',location.pathname);\
    const told={type:document.body.dataset.outcome};\
    new BroadcastChannel('flowkeep-sign-in').postMessage(told);\
    if(window.opener)window.opener.postMessage(told,location.origin);";

impl Reply {
    /// A page that says how a sign-in went.
    #[must_use]
    pub fn notice(status: u16, title: &'static str, text: &'static str) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let outcome = if status.is_success() { "OAUTH2_SUCCESS" } else { "OAUTH2_ERROR" };
        let page = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
             <title>{title}</title><style>{STYLE}</style></head><body data-outcome=\"{outcome}\"><main><h1>{title}</h1><p>{text}</p>\
             </main><script>{SCRIPT}</script></body></html>"
        );
        let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
            digest(STYLE),
            digest(SCRIPT)
        );
        Self::from_parts(status, "text/html; charset=utf-8", Bytes::from(page), INERT_POLICY)
            .with_header("content-security-policy", &policy)
            .with_header("referrer-policy", "no-referrer")
    }
}
