//! Addresses as mail servers are told them: what would end a command or a header, or begin another one, is no part of any.

use std::fmt;
use url::Host;

/// Longest address that a mail server is told (RFC 5321).
const ADDRESS_BYTES_MAX: usize = 254;
/// Longest part before the at sign.
const LOCAL_BYTES_MAX: usize = 64;
/// Longest name beside an address.
const NAME_CHARS_MAX: usize = 120;

/// An address that can stand in a command and in a header as it is: ASCII, with its host as the network knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailAddress(String);

impl MailAddress {
    /// Reads an address. A host in other letters is written as the network knows it; a part before the at sign in other letters
    /// needs an extension that many servers lack, so it is none here.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (local, host) = text.trim().rsplit_once('@')?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
        let is_dotted = !local.split('.').any(str::is_empty);
        if local.len() > LOCAL_BYTES_MAX || !is_dotted || !local.bytes().all(plain) {
            return None;
        }
        let Host::Domain(host) = Host::parse(host).ok()? else { return None };
        let address = format!("{local}@{host}");
        let is_name =
            host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
        (is_name && address.len() <= ADDRESS_BYTES_MAX).then_some(Self(address))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What follows the at sign.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, host)| host)
    }
}

impl fmt::Display for MailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who a message comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSender {
    pub name: Option<String>,
    pub address: MailAddress,
}

impl MailSender {
    /// Reads `address`, or `name <address>`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let Some(named) = text.strip_suffix('>') else {
            return Some(Self { name: None, address: MailAddress::parse(text)? });
        };
        let (name, address) = named.rsplit_once('<')?;
        let name = name.trim().trim_matches('"').trim();
        if name.chars().any(char::is_control) || name.chars().count() > NAME_CHARS_MAX {
            return None;
        }
        let name = Some(name.to_owned()).filter(|name| !name.is_empty());
        Some(Self { name, address: MailAddress::parse(address)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_as_the_network_knows_it() {
        for (text, expected) in [
            ("ada@example.org", "ada@example.org"),
            (" Ada.L+x@Example.ORG ", "Ada.L+x@example.org"),
            ("ada@müller.example", "ada@xn--mller-kva.example"),
            ("ada@localhost", "ada@localhost"),
        ] {
            assert_eq!(MailAddress::parse(text).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn what_would_end_a_command_or_a_header_is_no_address() {
        for bad in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "a b@example.org",
            "ada@example.org>\r\nRCPT TO:<eve@example.org",
            "ada\r\nBcc: eve@example.org",
            "ada@exam\nple.org",
            "<ada@example.org>",
            "ada,eve@example.org",
            "\"ada\"@example.org",
            "ada..l@example.org",
            ".ada@example.org",
            "größe@example.org",
            "ada@[127.0.0.1]",
            "ada@127.0.0.1",
            "ada@exa mple.org",
            "ada@example.org SIZE=1",
            &format!("{}@example.org", "x".repeat(65)),
            &format!("ada@{}.org", "x.".repeat(130)),
        ] {
            assert_eq!(MailAddress::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_sender_may_have_a_name() {
        let of = |text: &str| MailSender::parse(text).map(|sender| (sender.name, sender.address.0));
        let flows = "flows@example.org".to_owned();
        assert_eq!(of("flows@example.org"), Some((None, flows.clone())));
        assert_eq!(of("<flows@example.org>"), Some((None, flows.clone())));
        assert_eq!(of("\"Flows, Inc.\" <flows@example.org>"), Some((Some("Flows, Inc.".to_owned()), flows)));
        for bad in ["Flows", "Flows <flows>", "a\nb <flows@example.org>", "Flows <flows@example.org> x"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
