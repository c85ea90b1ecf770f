//! Books (epub): one part for each chapter, in the order of reading.

use super::archive::Archive;
use super::xml::{self, Piece};
use super::{DocumentError, Gathered, Kind, Part, text};
use std::collections::HashMap;

pub(super) fn read(mut archive: Archive<'_>, into: &mut Gathered) -> Result<(), DocumentError> {
    let damaged = DocumentError::Damaged(Kind::Epub);
    let container = archive.text("META-INF/container.xml")?.ok_or(DocumentError::NotThisKind(Kind::Epub))?;
    let mut package = None;
    xml::each(&container, damaged, |piece| {
        if let Piece::Open("rootfile", start) = piece {
            package = package.take().or_else(|| xml::attribute(start, "full-path"));
        }
        Ok(())
    })?;
    let package = package.ok_or(damaged)?;
    let contents = archive.text(&package)?.ok_or(damaged)?;
    let mut files = HashMap::new();
    let mut chapters = Vec::new();
    xml::each(&contents, damaged, |piece| {
        match piece {
            Piece::Open("item", start) => {
                files.extend(xml::attribute(start, "id").zip(xml::attribute(start, "href")));
            }
            Piece::Open("itemref", start) => chapters.extend(xml::attribute(start, "idref")),
            _ => {}
        }
        Ok(())
    })?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    for chapter in chapters {
        let Some(place) = files.get(&chapter) else { continue };
        let Some(page) = archive.text(&within(folder, place))? else { continue };
        let text = text::of_page(&page).ok_or(damaged)?;
        if !text.is_empty() {
            into.add(Part::untitled(text))?;
        }
    }
    Ok(())
}

/// The name of an entry that is named relative to a folder. It is only ever looked up in the archive.
fn within(folder: &str, place: &str) -> String {
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
    use super::within;

    #[test]
    fn places_are_named_from_the_folder_of_the_package() {
        assert_eq!(within("OEBPS", "text/a%20b.xhtml#x"), "OEBPS/text/a b.xhtml");
        assert_eq!(within("", "a.xhtml"), "a.xhtml");
        assert_eq!(within("a/b", "../c.xhtml"), "a/c.xhtml");
        assert_eq!(within("a", "../../../etc/passwd"), "etc/passwd");
    }
}
