//! Books (epub): one part for each chapter, in the order of reading.

use super::archive::BoundedArchive;
use super::xml::{self, XmlEvent};
use super::{DocumentError, DocumentKind, DocumentPart, TextCollector, text};
use std::collections::HashMap;

pub(super) fn read(mut archive: BoundedArchive<'_>, into: &mut TextCollector) -> Result<(), DocumentError> {
    let damaged = DocumentError::Damaged(DocumentKind::Epub);
    let container =
        archive.read_text("META-INF/container.xml")?.ok_or(DocumentError::NotThisKind(DocumentKind::Epub))?;
    let mut package = None;
    xml::for_each_event(&container, damaged, |piece| {
        if let XmlEvent::Open("rootfile", start) = piece {
            package = package.take().or_else(|| xml::attribute(start, "full-path"));
        }
        Ok(())
    })?;
    let package = package.ok_or(damaged)?;
    let contents = archive.read_text(&package)?.ok_or(damaged)?;
    let mut files = HashMap::new();
    let mut chapters = Vec::new();
    xml::for_each_event(&contents, damaged, |piece| {
        match piece {
            XmlEvent::Open("item", start) => {
                files.extend(xml::attribute(start, "id").zip(xml::attribute(start, "href")));
            }
            XmlEvent::Open("itemref", start) => chapters.extend(xml::attribute(start, "idref")),
            _ => {}
        }
        Ok(())
    })?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    for chapter in chapters {
        let Some(place) = files.get(&chapter) else { continue };
        let Some(page) = archive.read_text(&join_path(folder, place))? else { continue };
        let text = text::page_text(&page).ok_or(damaged)?;
        if !text.is_empty() {
            into.add(DocumentPart::from_text(text))?;
        }
    }
    Ok(())
}

/// The name of an entry that is named relative to a folder. It is only ever looked up in the archive.
fn join_path(folder: &str, place: &str) -> String {
    let place = place.split('#').next().unwrap_or_default();
    let place = percent_encoding::percent_decode_str(place).decode_utf8_lossy();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in place.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::join_path;

    #[test]
    fn places_are_named_from_the_folder_of_the_package() {
        assert_eq!(join_path("OEBPS", "text/a%20b.xhtml#x"), "OEBPS/text/a b.xhtml");
        assert_eq!(join_path("", "a.xhtml"), "a.xhtml");
        assert_eq!(join_path("a/b", "../c.xhtml"), "a/c.xhtml");
        assert_eq!(join_path("a", "../../../etc/passwd"), "etc/passwd");
    }
}
