//! What reading a document costs: `cargo bench --bench documents`. Figures of the release program, on the machine at hand.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be made has failed")]

#[path = "../support/samples.rs"]
mod samples;

use flowkeep::base::cancel::CancelToken;
use flowkeep::documents::{DocumentKind, DocumentLimits, DocumentReader};
use std::time::Instant;

const MEBIBYTE: usize = 1024 * 1024;
const LINE: &str = "The quick brown fox jumps over the lazy dog and goes on its way to the next page";
const LINES_OF_PAGE: usize = 45;
const ROUNDS: usize = 5;

fn main() {
    let documents =
        DocumentReader::new(env!("CARGO_BIN_EXE_flowkeep").into(), DocumentLimits::default()).unwrap();
    measure(
        &documents,
        "one line of text: what the worker itself costs",
        DocumentKind::Text,
        LINE.as_bytes(),
    );
    measure(&documents, "docx, 100 pages", DocumentKind::Docx, &docx(100));
    measure(&documents, "pdf, 100 pages of text", DocumentKind::Pdf, &pdf(100, 0));
    measure(
        &documents,
        "pdf, 25 MB: 1,000 pages of text and a picture",
        DocumentKind::Pdf,
        &pdf(1_000, 20 * MEBIBYTE),
    );
    measure(&documents, "pdf, 5,000 pages of text", DocumentKind::Pdf, &pdf(5_000, 0));
}

fn measure(documents: &DocumentReader, what: &str, kind: DocumentKind, file: &[u8]) {
    let mut times = Vec::new();
    let mut found = (0, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        match documents.read_text(kind, &file, &CancelToken::new(None)) {
            Ok(parts) => found = (parts.len(), parts.iter().map(|part| part.text.len()).sum::<usize>()),
            Err(error) => return println!("{what} ({:.1} MB): {error}", file.len() as f64 / 1e6),
        }
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{what} ({:.1} MB): median {:.0} ms, most {:.0} ms; {} parts, {:.1} MB of text",
        file.len() as f64 / 1e6,
        times[ROUNDS / 2],
        times[ROUNDS - 1],
        found.0,
        found.1 as f64 / 1e6
    );
}

fn docx(pages: usize) -> Vec<u8> {
    let body: String =
        (0..pages * LINES_OF_PAGE).map(|line| samples::paragraph(&format!("{line} {LINE}"))).collect();
    samples::docx(&body)
}

/// Pages of text, and a picture that brings the file to its size.
fn pdf(pages: usize, picture_bytes: usize) -> Vec<u8> {
    let texts: Vec<String> =
        (0..pages).map(|page| format!("{page} {LINE}\n").repeat(LINES_OF_PAGE)).collect();
    samples::pdf_with_picture(&texts, &samples::noise(picture_bytes))
}
