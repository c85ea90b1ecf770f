//! Texts without the names of servers: whoever asks a flow from outside learns that a server cannot be reached, and not
//! which one.

use regex::Regex;
use std::sync::LazyLock;

/// Whole addresses; names and numbers with a port; bare numbers of addresses.
static HOSTS: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        r#"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s"'<>]+"#,
        r"\[[0-9a-fA-F:.%]{2,45}\](:\d{1,5})?",
        r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b",
        r"\b(?:[a-zA-Z0-9_-]+\.)+[a-zA-Z][a-zA-Z0-9-]*:\d{1,5}\b",
        r"\b[a-zA-Z0-9_](?:[a-zA-Z0-9_.-]{0,252}[a-zA-Z0-9_])?:\d{2,5}\b",
        r"\b(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}\b",
        r"\blocalhost\b",
    ];
    Regex::new(&parts.join("|")).expect("the pattern is written in code")
});

/// The text with its servers left unsaid.
#[must_use]
pub(crate) fn redact_hosts(text: &str) -> String {
    HOSTS.replace_all(text, "its server").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_server_is_named() {
        for (said, shown) in [
            ("ChatOpenAI: no connection to models.corp:8443", "ChatOpenAI: no connection to its server"),
            ("no connection to ollama:11434.", "no connection to its server."),
            ("no trusted TLS connection to 10.0.0.7:443", "no trusted TLS connection to its server"),
            ("no connection to [fd00::1]:8080", "no connection to its server"),
            ("GET http://user:pw@inner/v1?x=1 failed", "GET its server failed"),
            ("no connection to 127.0.0.1:9; check", "no connection to its server; check"),
            ("no connection to a.corp:9", "no connection to its server"),
            ("asked 192.168.0.1 and localhost", "asked its server and its server"),
            ("resolved to fd00:1:2:3::4", "resolved to its server"),
        ] {
            assert_eq!(redact_hosts(said), shown);
        }
        for plain in [
            "LLM Chain: fill this in",
            "The model 'gpt-4o:free' is not known",
            "status 404: not found",
            "at 12:5 something failed",
        ] {
            assert_eq!(redact_hosts(plain), plain);
        }
    }
}
