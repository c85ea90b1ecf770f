//! Names whose values history never keeps (security rules 9), compared folded: case, blanks, `-` and `_` do not count.

/// Whole names.
const NAMES: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "passphrase",
    "connectionstring",
    "authorization",
    "cookie",
];

/// Ends of names.
const ENDS: &[&str] = &["secret", "password", "passwd", "pwd", "token"];

/// Header entries.
const HEADERS: &[&str] =
    &["authorization", "proxyauthorization", "cookie", "xapikey", "apikey", "xauthtoken"];

/// Keys under which a canvas keeps the id of a credential.
const CREDENTIAL_IDS: &[&str] = &["FLOWISE_CREDENTIAL_ID", "credential", "credentialId"];

/// A name with what does not count left out.
#[must_use]
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// True when history never keeps a value of this name.
#[must_use]
pub fn is_never_stored(name: &str) -> bool {
    // Most names are longer or shorter than all of these, but folding them is cheap beside reading them.
    let name = folded(name);
    NAMES.contains(&name.as_str())
        || HEADERS.contains(&name.as_str())
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// True when the value of this name is the id of a credential.
#[must_use]
pub fn is_credential_id(name: &str) -> bool {
    CREDENTIAL_IDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_folded() {
        for name in
            ["apiKey", "API-KEY", "x-api-key", "Proxy-Authorization", "db_password", "bot token", "COOKIE"]
        {
            assert!(is_never_stored(name), "{name}");
        }
        for name in
            ["model", "maxTokens", "tokens", "passwordHint", "sessionId", "memoryKey", "secretary", "key"]
        {
            assert!(!is_never_stored(name), "{name}");
        }
        assert!(is_credential_id("FLOWISE_CREDENTIAL_ID") && !is_credential_id("Credential"));
    }
}
