//! Texts and presentations of office programs (docx, pptx).

use super::archive::Archive;
use super::xml::{self, Piece};
use super::{DocumentError, Gathered, Kind, Limit, Part};
use std::collections::HashMap;

/// Where a text usually lies.
const BODY: &str = "word/document.xml";
/// What belongs below it.
const NOTES: &[&str] = &["word/footnotes.xml", "word/endnotes.xml"];

/// Texts: one part for all of it.
pub(super) fn docx(mut archive: Archive<'_>, into: &mut Gathered) -> Result<(), DocumentError> {
    let body =
        main_part(&mut archive)?.filter(|name| name.starts_with("word/")).unwrap_or_else(|| BODY.into());
    if !archive.has(&body) {
        return Err(DocumentError::NotThisKind(Kind::Docx));
    }
    let mut text = String::new();
    for name in std::iter::once(body.as_str()).chain(NOTES.iter().copied()) {
        if let Some(xml) = archive.text(name)? {
            words(&xml, Kind::Docx, into.room(), &mut text)?;
        }
    }
    into.add(Part::untitled(text.trim().to_owned()))
}

/// What the file itself calls its main part; some programs number it.
fn main_part(archive: &mut Archive<'_>) -> Result<Option<String>, DocumentError> {
    let Some(places) = archive.text("_rels/.rels")? else { return Ok(None) };
    let mut found = None;
    xml::each(&places, DocumentError::Damaged(Kind::Docx), |piece| {
        if let Piece::Open("Relationship", start) = piece
            && xml::attribute(start, "Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
        {
            found = xml::attribute(start, "Target");
        }
        Ok(())
    })?;
    Ok(found.map(|name| name.trim_start_matches('/').to_owned()))
}

/// Presentations: one part for each slide, in the order in which they are shown.
pub(super) fn pptx(mut archive: Archive<'_>, into: &mut Gathered) -> Result<(), DocumentError> {
    let damaged = DocumentError::Damaged(Kind::Pptx);
    let order = archive.text("ppt/presentation.xml")?.ok_or(DocumentError::NotThisKind(Kind::Pptx))?;
    let places = archive.text("ppt/_rels/presentation.xml.rels")?.ok_or(damaged)?;
    let mut targets = HashMap::new();
    xml::each(&places, damaged, |piece| {
        if let Piece::Open("Relationship", start) = piece
            && let (Some(id), Some(target)) = (xml::attribute(start, "Id"), xml::attribute(start, "Target"))
        {
            targets.insert(id, target);
        }
        Ok(())
    })?;
    let mut slides = Vec::new();
    xml::each(&order, damaged, |piece| {
        if let Piece::Open("sldId", start) = piece {
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
        if let Some(xml) = archive.text(&name)? {
            words(&xml, Kind::Pptx, into.room(), &mut text)?;
        }
        into.add(Part::untitled(text.trim().to_owned()))?;
    }
    Ok(())
}

/// The words of a body: both formats call a run of text `t`, a paragraph `p`, a row `tr` and a cell `tc`.
fn words(xml: &str, kind: Kind, room: usize, text: &mut String) -> Result<(), DocumentError> {
    let (mut in_text, mut fallbacks, mut cells) = (false, 0_usize, 0_usize);
    xml::each(xml, DocumentError::Damaged(kind), |piece| {
        match piece {
            // The same content once more, for programs that do not know the newer form.
            Piece::Open("Fallback", _) => fallbacks += 1,
            Piece::Close("Fallback") => fallbacks = fallbacks.saturating_sub(1),
            _ if fallbacks > 0 => {}
            Piece::Open("t", _) => in_text = true,
            Piece::Close("t") => in_text = false,
            Piece::Text(found) if in_text => text.push_str(found),
            Piece::Open("tab", _) => text.push('\t'),
            Piece::Open("br" | "cr", _) => text.push('\n'),
            Piece::Open("noBreakHyphen", _) => text.push('-'),
            Piece::Open("tc", _) => cells += 1,
            Piece::Close("tc") => {
                cells = cells.saturating_sub(1);
                end_with(text, '\t');
            }
            Piece::Close("tr") => end_with(text, '\n'),
            // A paragraph of a cell ends with the cell.
            Piece::Close("p") => text.push(if cells > 0 { ' ' } else { '\n' }),
            _ => {}
        }
        if text.len() > room { Err(DocumentError::TooLarge(Limit::Text)) } else { Ok(()) }
    })
}

/// Replaces the blanks at the end by one mark.
fn end_with(text: &mut String, mark: char) {
    text.truncate(text.trim_end_matches([' ', '\t']).len());
    text.push(mark);
}
