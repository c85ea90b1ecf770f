//! A message as it goes over the wire.

use crate::domain::service::mail::Letter;
use crate::domain::service::mail::address::MailSender;
use jiff::Timestamp;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::raw::Raw;

/// Writes a letter as a message in plain text, whose lines end as they do in mail. `id` makes the same message recognizable when it
/// comes twice. Nothing of a name or a subject begins a header of its own: what would end a line is left out, and other letters
/// than those of ASCII are encoded.
#[must_use]
pub fn compose(letter: &Letter, from: &MailSender, id: &str, date: Timestamp) -> Vec<u8> {
    let address = |name: Option<&str>, address: &str| {
        let name = name.map(one_line).filter(|name| !name.is_empty());
        Address::new_address(name, address.to_owned())
    };
    let message = MessageBuilder::new()
        .from(address(from.name.as_deref(), from.address.as_str()))
        .to(address(letter.name.as_deref(), letter.to.as_str()))
        .subject(one_line(&letter.subject))
        .message_id(format!("{id}@{}", from.address.host()))
        .date(date.as_second())
        // So that no out-of-office note answers it (RFC 3834).
        .header("Auto-Submitted", Raw::new("auto-generated"))
        .text_body(letter.text.as_str());
    let mut bytes = Vec::new();
    message.serialize(&mut bytes);
    bytes
}

/// The text in one line.
fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.split(breaks).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
