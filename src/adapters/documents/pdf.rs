//! PDF: one part for each page.

use super::{DocumentError, DocumentKind, DocumentPart, LimitKind, TextCollector};
use pdf_extract::{
    ConvertToFmt, Document, MediaBox, Object, OutputDev, OutputError, PlainTextOutput, Transform, output_doc,
    output_doc_page,
};
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

const DAMAGED: DocumentError = DocumentError::Damaged(DocumentKind::Pdf);

pub(super) fn read(bytes: &[u8], into: &mut TextCollector) -> Result<(), DocumentError> {
    let mut document = Document::load_mem(bytes).map_err(|_| DAMAGED)?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(DocumentError::Locked);
    }
    drop_images(&mut document);
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    if pages.len() > into.sizes.parts_max {
        return Err(DocumentError::TooLarge(LimitKind::Parts));
    }
    let mut output = PageCollector::new(into);
    if !is_ok_without_panic(|| output_doc(&document, &mut output)) {
        // A page the library stumbles over loses the rest of that page and not the pages behind it.
        while let Some(&next) = pages.get(output.finished_pages()) {
            output.check_room()?;
            if output.read_page(|output| is_ok_without_panic(|| output_doc_page(&document, output, next))) {
                output.failed += 1;
            }
        }
    }
    output.check_room()?;
    if output.failed == pages.len() { Err(DAMAGED) } else { Ok(()) }
}

/// Pictures are no text, and the library would look for some in them.
fn drop_images(document: &mut Document) {
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image")
        {
            stream.dict.remove(b"Filter");
            stream.set_content(Vec::new());
        }
    }
}

fn is_ok_without_panic(work: impl FnOnce() -> Result<(), OutputError>) -> bool {
    // The library ends many a doubt about a file with a panic.
    matches!(catch_unwind(AssertUnwindSafe(work)), Ok(Ok(())))
}

/// The text of the page that is being read; writing fails when there is too much of it.
#[derive(Clone)]
struct PageText(Rc<RefCell<(String, usize)>>);

impl fmt::Write for PageText {
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

impl ConvertToFmt for PageText {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}

/// Gathers pages as the library finishes them.
struct PageCollector<'a> {
    page: PageText,
    plain: PlainTextOutput<PageText>,
    into: &'a mut TextCollector,
    failed: usize,
}

impl<'a> PageCollector<'a> {
    fn new(into: &'a mut TextCollector) -> Self {
        // One more than there is room for, so that what just fits does.
        let page = PageText(Rc::new(RefCell::new((String::new(), into.bytes_left() + 1))));
        Self { plain: PlainTextOutput::new(page.clone()), page, into, failed: 0 }
    }

    fn finished_pages(&self) -> usize {
        self.into.parts.len()
    }

    /// Reads one page by itself and keeps what there is of it. True when the library failed on it.
    fn read_page(&mut self, read: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.finished_pages();
        let well = read(self);
        if self.finished_pages() == before {
            // There is room for it: pages were counted before.
            let _ = self.add_page();
        }
        !well
    }

    fn add_page(&mut self) -> Result<(), OutputError> {
        let text = std::mem::take(&mut self.page.0.borrow_mut().0);
        let kept = self.into.add(DocumentPart::from_text(text.trim().to_owned()));
        kept.map_err(|_| OutputError::FormatError(fmt::Error))
    }

    fn check_room(&self) -> Result<(), DocumentError> {
        let full = self.page.0.borrow().1 == 0;
        if full { Err(DocumentError::TooLarge(LimitKind::Text)) } else { Ok(()) }
    }
}

impl OutputDev for PageCollector<'_> {
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
        self.add_page()
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
