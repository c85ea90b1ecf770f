//! Texts and presentations of office programs (docx, pptx).

use super::archive::BoundedArchive;
use super::xml::{self, XmlEvent};
use super::{DocumentError, DocumentKind, DocumentPart, LimitKind, TextCollector};
use std::collections::HashMap;

/// Where a text usually lies.
const BODY: &str = "word/document.xml";
const NOTES: &[&str] = &["word/footnotes.xml", "word/endnotes.xml"];

/// Texts: one part for all of it.
pub(super) fn docx(mut archive: BoundedArchive<'_>, into: &mut TextCollector) -> Result<(), DocumentError> {
    let body =
        main_part(&mut archive)?.filter(|name| name.starts_with("word/")).unwrap_or_else(|| BODY.into());
    if !archive.contains(&body) {
        return Err(DocumentError::NotThisKind(DocumentKind::Docx));
    }
    let mut text = String::new();
    for name in std::iter::once(body.as_str()).chain(NOTES.iter().copied()) {
        if let Some(xml) = archive.read_text(name)? {
            extract_text(&xml, DocumentKind::Docx, into.bytes_left(), &mut text)?;
        }
    }
    into.add(DocumentPart::from_text(text.trim().to_owned()))
}

/// What the file itself calls its main part; some programs number it.
fn main_part(archive: &mut BoundedArchive<'_>) -> Result<Option<String>, DocumentError> {
    let Some(places) = archive.read_text("_rels/.rels")? else { return Ok(None) };
    let mut found = None;
    xml::for_each_event(&places, DocumentError::Damaged(DocumentKind::Docx), |piece| {
        if let XmlEvent::Open("Relationship", start) = piece
            && xml::attribute(start, "Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
        {
            found = xml::attribute(start, "Target");
        }
        Ok(())
    })?;
    Ok(found.map(|name| name.trim_start_matches('/').to_owned()))
}

/// Presentations: one part for each slide, in the order in which they are shown.
pub(super) fn pptx(mut archive: BoundedArchive<'_>, into: &mut TextCollector) -> Result<(), DocumentError> {
    let damaged = DocumentError::Damaged(DocumentKind::Pptx);
    let order =
        archive.read_text("ppt/presentation.xml")?.ok_or(DocumentError::NotThisKind(DocumentKind::Pptx))?;
    let places = archive.read_text("ppt/_rels/presentation.xml.rels")?.ok_or(damaged)?;
    let mut targets = HashMap::new();
    xml::for_each_event(&places, damaged, |piece| {
        if let XmlEvent::Open("Relationship", start) = piece
            && let (Some(id), Some(target)) = (xml::attribute(start, "Id"), xml::attribute(start, "Target"))
        {
            targets.insert(id, target);
        }
        Ok(())
    })?;
    let mut slides = Vec::new();
    xml::for_each_event(&order, damaged, |piece| {
        if let XmlEvent::Open("sldId", start) = piece {
            // `r:id`, which stands beside a plain `id`.
            slides.extend(xml::attribute(start, ":id").and_then(|id| targets.get(&id)));
        }
        Ok(())
    })?;
    for slide in slides {
        let name = match slide.strip_prefix('/') {
            Some(whole) => whole.to_owned(),
            None => format!("ppt/{slide}"),
        };
        let mut text = String::new();
        if let Some(xml) = archive.read_text(&name)? {
            extract_text(&xml, DocumentKind::Pptx, into.bytes_left(), &mut text)?;
        }
        into.add(DocumentPart::from_text(text.trim().to_owned()))?;
    }
    Ok(())
}

/// The words of a body: both formats call a run of text `t`, a paragraph `p`, a row `tr` and a cell `tc`.
fn extract_text(xml: &str, kind: DocumentKind, room: usize, text: &mut String) -> Result<(), DocumentError> {
    let (mut in_text, mut fallbacks, mut cells) = (false, 0_usize, 0_usize);
    xml::for_each_event(xml, DocumentError::Damaged(kind), |piece| {
        match piece {
            // The same content once more, for programs that do not know the newer form.
            XmlEvent::Open("Fallback", _) => fallbacks += 1,
            XmlEvent::Close("Fallback") => fallbacks = fallbacks.saturating_sub(1),
            _ if fallbacks > 0 => {}
            XmlEvent::Open("t", _) => in_text = true,
            XmlEvent::Close("t") => in_text = false,
            XmlEvent::Text(found) if in_text => text.push_str(found),
            XmlEvent::Open("tab", _) => text.push('\t'),
            XmlEvent::Open("br" | "cr", _) => text.push('\n'),
            XmlEvent::Open("noBreakHyphen", _) => text.push('-'),
            XmlEvent::Open("tc", _) => cells += 1,
            XmlEvent::Close("tc") => {
                cells = cells.saturating_sub(1);
                end_line_with(text, '\t');
            }
            XmlEvent::Close("tr") => end_line_with(text, '\n'),
            // A paragraph of a cell ends with the cell.
            XmlEvent::Close("p") => text.push(if cells > 0 { ' ' } else { '\n' }),
            _ => {}
        }
        if text.len() > room { Err(DocumentError::TooLarge(LimitKind::Text)) } else { Ok(()) }
    })
}

/// Replaces the blanks at the end by one mark.
fn end_line_with(text: &mut String, mark: char) {
    text.truncate(text.trim_end_matches([' ', '\t']).len());
    text.push(mark);
}
