//! Files that people send: archives, XML, sheets, PDF. Each is read in a worker, as the service reads them.

use crate::{fuzz, samples};
use flowkeep::base::cancel::CancelToken;
use flowkeep::documents::{DocumentError, DocumentKind, DocumentLimits, DocumentReader};
use std::time::Duration;

const WORDS: &[&str] = &[
    "PK\x03\x04",
    "PK\x05\x06",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "&b;",
    "<a xmlns:r=\"\">",
    "]]>",
    "%PDF-1.7",
    "obj",
    "endobj",
    "stream\n",
    "/FlateDecode",
    "/Length 99999999",
    "/Kids [1 0 R]",
    "xref",
    "trailer",
    "<c r=\"XFD1048576\"><v>",
    "word/document.xml",
    "xl/worksheets/sheet1.xml",
];

fn read(target: &str, name: &str, seeds: Vec<Vec<u8>>) {
    let limits = DocumentLimits {
        time: Duration::from_secs(10),
        memory_bytes: 256 << 20,
        ..DocumentLimits::default()
    };
    let documents = DocumentReader::new(env!("CARGO_BIN_EXE_flowkeep").into(), limits).unwrap();
    fuzz(target, seeds, WORDS, |input| {
        let found = DocumentKind::detect(name, &input)
            .and_then(|kind| documents.read_text(kind, &input, &CancelToken::new(None)));
        match found {
            Ok(parts) => format!("{} parts", parts.len()),
            Err(error @ (DocumentError::Unavailable | DocumentError::Busy | DocumentError::Timeout)) => {
                panic!("a damaged file must not cost that much: {error:?}")
            }
            Err(error) => format!("{error:?}"),
        }
    });
}

#[test]
fn archives_of_office() {
    read("docx", "a.docx", vec![samples::docx(&samples::paragraph("One"))]);
}

#[test]
fn sheets() {
    read("xlsx", "a.xlsx", vec![samples::xlsx("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>")]);
}

#[test]
fn books_and_slides() {
    read("epub", "a.epub", vec![samples::epub()]);
    read("pptx", "a.pptx", vec![samples::pptx()]);
}

#[test]
fn pdf() {
    read("pdf", "a.pdf", vec![samples::pdf(&["One".to_owned(), "Two".to_owned()])]);
}
