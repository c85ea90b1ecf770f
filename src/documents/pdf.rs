//! PDF: one part for each page.

use super::{DocumentError, Gathered, Kind, Limit, Part};
use pdf_extract::{
    ConvertToFmt, Document, MediaBox, Object, OutputDev, OutputError, PlainTextOutput, Transform, output_doc,
    output_doc_page,
};
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

const DAMAGED: DocumentError = DocumentError::Damaged(Kind::Pdf);

pub(super) fn read(bytes: &[u8], into: &mut Gathered) -> Result<(), DocumentError> {
    let mut document = Document::load_mem(bytes).map_err(|_| DAMAGED)?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(DocumentError::Locked);
    }
    forget_images(&mut document);
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    if pages.len() > into.sizes.parts_max {
        return Err(DocumentError::TooLarge(Limit::Parts));
    }
    let mut output = Pages::new(into);
    if !went_well(|| output_doc(&document, &mut output)) {
        // A page the library stumbles over loses the rest of that page and not the pages behind it.
        while let Some(&next) = pages.get(output.finished()) {
            output.over_room()?;
            if output.parts_of_page(|output| went_well(|| output_doc_page(&document, output, next))) {
                output.failed += 1;
            }
        }
    }
    output.over_room()?;
    if output.failed == pages.len() { Err(DAMAGED) } else { Ok(()) }
}

/// Pictures are no text, and the library would look for some in them.
fn forget_images(document: &mut Document) {
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image")
        {
            stream.dict.remove(b"Filter");
            stream.set_content(Vec::new());
        }
    }
}

fn went_well(work: impl FnOnce() -> Result<(), OutputError>) -> bool {
    // The library ends many a doubt about a file with a panic.
    matches!(catch_unwind(AssertUnwindSafe(work)), Ok(Ok(())))
}

/// The text of the page that is being read; writing fails when there is too much of it.
#[derive(Clone)]
struct Page(Rc<RefCell<(String, usize)>>);

impl fmt::Write for Page {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let (page, room) = &mut *self.0.borrow_mut();
        if text.len() > *room {
            return Err(fmt::Error);
        }
        *room -= text.len();
        page.push_str(text);
        Ok(())
    }
}

impl ConvertToFmt for Page {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}

/// Gathers pages as the library finishes them.
struct Pages<'a> {
    page: Page,
    plain: PlainTextOutput<Page>,
    into: &'a mut Gathered,
    failed: usize,
}

impl<'a> Pages<'a> {
    fn new(into: &'a mut Gathered) -> Self {
        // One more than there is room for, so that what just fits does.
        let page = Page(Rc::new(RefCell::new((String::new(), into.room() + 1))));
        Self { plain: PlainTextOutput::new(page.clone()), page, into, failed: 0 }
    }

    fn finished(&self) -> usize {
        self.into.parts.len()
    }

    /// Reads one page by itself and keeps what there is of it. True when the library failed on it.
    fn parts_of_page(&mut self, read: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.finished();
        let well = read(self);
        if self.finished() == before {
            // There is room for it: pages were counted before.
            let _ = self.keep();
        }
        !well
    }

    fn keep(&mut self) -> Result<(), OutputError> {
        let text = std::mem::take(&mut self.page.0.borrow_mut().0);
        let kept = self.into.add(Part::untitled(text.trim().to_owned()));
        kept.map_err(|_| OutputError::FormatError(fmt::Error))
    }

    fn over_room(&self) -> Result<(), DocumentError> {
        let full = self.page.0.borrow().1 == 0;
        if full { Err(DocumentError::TooLarge(Limit::Text)) } else { Ok(()) }
    }
}

impl OutputDev for Pages<'_> {
    fn begin_page(
        &mut self,
        number: u32,
        media_box: &MediaBox,
        art_box: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.plain.begin_page(number, media_box, art_box)
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        self.plain.end_page()?;
        self.keep()
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        spacing: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        self.plain.output_character(place, width, spacing, font_size, text)
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.plain.begin_word()
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        self.plain.end_word()
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        self.plain.end_line()
    }
}
