//! XML as a run of events. References are resolved only when they are characters or the five names every XML has:
//! what a document declares for itself, inside or outside, stays unknown and is left out.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// What a format looks at.
pub(super) enum XmlEvent<'a> {
    /// An element begins. Names come without their prefix.
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Text(&'a str),
}

/// Hands every piece to `look`, until it says stop by an error. Broken XML gives `broken`.
pub(super) fn for_each_event<E>(
    xml: &str,
    broken: E,
    mut look: impl FnMut(XmlEvent<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => look(XmlEvent::Open(start.local_name().as_ref(), &start))?,
            Ok(Event::Empty(start)) => {
                let name = start.local_name();
                look(XmlEvent::Open(name.as_ref(), &start))?;
                look(XmlEvent::Close(name.as_ref()))?;
            }
            Ok(Event::End(end)) => look(XmlEvent::Close(end.local_name().as_ref()))?,
            Ok(Event::Text(text)) => look(XmlEvent::Text(&text.xml10_content()))?,
            Ok(Event::CData(text)) => look(XmlEvent::Text(&text.xml10_content()))?,
            Ok(Event::GeneralRef(reference)) => {
                let known = match reference.resolve_char_ref() {
                    Ok(Some(character)) => Some(character),
                    _ => entity_char(&reference.xml10_content()),
                };
                if let Some(character) = known {
                    look(XmlEvent::Text(character.encode_utf8(&mut [0; 4])))?;
                }
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Err(_) => return Err(broken),
        }
    }
}

/// The value of an attribute, by its name as it is written, or by the end of it: `:id` is `id` with any prefix.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().with_checks(false).flatten().find(|attribute| {
        let own = attribute.key.as_ref();
        if name.starts_with(':') { own.ends_with(name) } else { own == name }
    })?;
    unescape(&found.value).ok().map(Cow::into_owned)
}

fn entity_char(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}
