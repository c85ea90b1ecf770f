//! Files made to do harm stay within their limits, and the next file is read as if nothing had been.

use super::*;
use flowkeep::base::cancel::CancelReason;
use samples::{archive, docx, paragraph, pdf, pdf_of, stream, xlsx};
use std::thread;
use std::time::Instant;

/// The error of a hostile file, which comes in time; an honest one is read afterwards.
#[track_caller]
fn assert_refused(documents: &DocumentReader, kind: DocumentKind, file: &[u8]) -> DocumentError {
    let start = Instant::now();
    let error =
        documents.read_text(kind, &file, &CancelToken::new(None)).expect_err("a hostile file was read");
    assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
    let honest = documents.read_text(DocumentKind::Text, b"honest", &CancelToken::new(None)).unwrap();
    assert_eq!(honest[0].text, "honest");
    error
}

#[test]
fn a_bomb_of_zeros_is_not_unpacked() {
    let zeros = vec![b' '; 80 << 20];
    for (name, kind) in [("word/document.xml", DocumentKind::Docx), ("xl/workbook.xml", DocumentKind::Sheet)]
    {
        let file = archive(&[(name, &zeros)]);
        assert!(file.len() < 1 << 20);
        assert_eq!(assert_refused(&DOCUMENTS, kind, &file), DocumentError::TooLarge(LimitKind::Unpacked));
    }
}

#[test]
fn a_bomb_beside_what_is_read_is_found_too() {
    let zeros = vec![0; 80 << 20];
    let file = archive(&[("xl/workbook.xml", b"<workbook/>"), ("xl/media/image1.png", &zeros)]);
    assert_eq!(
        assert_refused(&DOCUMENTS, DocumentKind::Sheet, &file),
        DocumentError::TooLarge(LimitKind::Unpacked)
    );
}

#[test]
fn an_entry_that_lies_about_its_size_is_counted_by_what_it_is() {
    let zeros = vec![b' '; 80 << 20];
    let mut file = archive(&[("word/document.xml", &zeros)]);
    let claimed = u32::try_from(zeros.len()).unwrap().to_le_bytes();
    while let Some(at) = file.windows(4).position(|window| window == claimed) {
        file[at..at + 4].copy_from_slice(&100_u32.to_le_bytes());
    }
    let error = assert_refused(&DOCUMENTS, DocumentKind::Docx, &file);
    assert!(
        matches!(error, DocumentError::TooLarge(LimitKind::Unpacked) | DocumentError::Damaged(_)),
        "{error:?}"
    );
}

#[test]
fn an_archive_with_too_many_files_is_refused() {
    let names: Vec<String> = (0..2_001).map(|number| format!("word/{number}.xml")).collect();
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    files.push(("word/document.xml", b"<w/>"));
    assert_eq!(
        assert_refused(&DOCUMENTS, DocumentKind::Docx, &archive(&files)),
        DocumentError::TooLarge(LimitKind::Entries)
    );
}

#[test]
fn entities_are_neither_expanded_nor_fetched() {
    let document = "<?xml version=\"1.0\"?><!DOCTYPE w [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\
         <!ENTITY file SYSTEM \"file:///etc/passwd\"><!ENTITY net SYSTEM \"http://127.0.0.1:1/\">]>\
         <w:document xmlns:w=\"w\"><w:p><w:r><w:t>[&b;&file;&net;]</w:t></w:r></w:p></w:document>";
    let file = archive(&[("word/document.xml", document.as_bytes())]);
    assert_eq!(texts("a.docx", &file), ["[]"]);
    let sheet = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>x&file;y</t></is></c></row>";
    if let Ok(parts) = read("a.xlsx", &xlsx(sheet)) {
        assert!(!parts[0].text.contains("root:"), "{parts:?}");
    }
    assert_eq!(texts("a.xml", document.as_bytes()), [document]);
}

#[test]
fn nesting_without_end_is_stopped() {
    let deep = "<w:p>".repeat(2_000_000);
    let error = assert_refused(&DOCUMENTS, DocumentKind::Docx, &docx(&deep));
    assert!(matches!(error, DocumentError::Damaged(_) | DocumentError::Exhausted), "{error:?}");
    let start = Instant::now();
    let page = "<div><b><i>".repeat(100_000);
    let _ = read("a.html", page.as_bytes());
    assert!(start.elapsed() < Duration::from_secs(12));
    assert_eq!(texts("a.txt", b"honest"), ["honest"]);
}

#[test]
fn a_cell_at_the_end_of_the_world_makes_no_table_of_it() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
    let text = &texts("a.xlsx", &xlsx(rows))[0];
    assert!(text.starts_with('1') && text.ends_with('2') && text.len() < 100, "{text:?}");
    let far = "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell \
               table:number-columns-repeated=\"16384\" office:value-type=\"float\" office:value=\"4\"/></table:table-row>";
    let error = assert_refused(&DOCUMENTS, DocumentKind::Sheet, &samples::ods(far));
    assert!(
        matches!(
            error,
            DocumentError::Exhausted
                | DocumentError::Timeout
                | DocumentError::TooLarge(_)
                | DocumentError::Damaged(_)
        ),
        "{error:?}"
    );
}

/// A page whose content is drawn by object 4 with the resources of object 5.
fn page_of(more: Vec<Vec<u8>>) -> Vec<u8> {
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources 5 0 R >>".to_vec(),
    ];
    objects.extend(more);
    pdf_of(&objects)
}

#[test]
fn a_pdf_that_draws_itself_is_stopped() {
    let file = page_of(vec![
        stream("", b"/X Do"),
        b"<< /XObject << /X 6 0 R >> >>".to_vec(),
        stream("/Type /XObject /Subtype /Form /Resources 5 0 R", b"/X Do /X Do"),
    ]);
    let error = assert_refused(&DOCUMENTS, DocumentKind::Pdf, &file);
    assert!(
        matches!(error, DocumentError::Exhausted | DocumentError::Timeout | DocumentError::Damaged(_)),
        "{error:?}"
    );
}

#[test]
fn a_pdf_whose_pages_contain_themselves_is_stopped() {
    for tree in [
        "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1000000000 /Parent 2 0 R >>",
    ] {
        let file = pdf_of(&[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            tree.as_bytes().to_vec(),
            b"<< /Type /Page /Parent 2 0 R >>".to_vec(),
        ]);
        let start = Instant::now();
        let _ = read("a.pdf", &file);
        assert!(start.elapsed() < Duration::from_secs(12), "{tree}");
    }
    assert_eq!(texts("a.txt", b"honest"), ["honest"]);
}

#[test]
fn a_pdf_with_nothing_but_brackets_is_stopped() {
    let start = Instant::now();
    let mut file = pdf(&["x".into()]);
    let brackets = "[".repeat(1_000_000);
    let at = file.windows(4).position(|window| window == b"/F1 ").unwrap();
    file.splice(at..at, brackets.bytes());
    let _ = read("a.pdf", &file);
    assert!(start.elapsed() < Duration::from_secs(12));
    assert_eq!(texts("a.txt", b"honest"), ["honest"]);
}

#[test]
fn one_bad_page_does_not_cost_the_others() {
    let mut file = pdf(&["one".into(), "two".into(), "three".into()]);
    // The second page shows an object that is no form.
    let at = file.windows(5).position(|window| window == b"(two)").unwrap();
    file.splice(at..at + 8, b"/Nope Do".iter().copied());
    let found = texts("a.pdf", &file);
    assert_eq!((found.len(), found[0].as_str(), found[2].as_str()), (3, "one", "three"));
}

#[test]
fn pages_and_text_have_a_largest_number() {
    let few = documents(|limits| {
        limits.sizes.parts_max = 3;
        limits.sizes.text_bytes_max = 1_000;
    });
    let pages = |count: usize, text: &str| pdf(&vec![text.to_owned(); count]);
    let read = |kind, file: &[u8]| few.read_text(kind, &file, &CancelToken::new(None));
    assert_eq!(read(DocumentKind::Pdf, &pages(4, "x")), Err(DocumentError::TooLarge(LimitKind::Parts)));
    assert_eq!(
        read(DocumentKind::Pdf, &pages(3, &"words ".repeat(80))),
        Err(DocumentError::TooLarge(LimitKind::Text))
    );
    assert_eq!(
        read(DocumentKind::Docx, &docx(&paragraph(&"x".repeat(1_001)))),
        Err(DocumentError::TooLarge(LimitKind::Text))
    );
    assert_eq!(read(DocumentKind::Text, &[b'x'; 1_001]), Err(DocumentError::TooLarge(LimitKind::Text)));
    assert_eq!(read(DocumentKind::Pdf, &pages(3, "x")).unwrap().len(), 3);
    let small = documents(|limits| limits.sizes.file_bytes_max = 10);
    let error = small.read_text(DocumentKind::Text, b"eleven bytes", &CancelToken::new(None));
    assert_eq!(error, Err(DocumentError::TooLarge(LimitKind::File)));
}

#[test]
fn reading_ends_when_its_time_is_up_or_nobody_waits_any_more() {
    let hurried = documents(|limits| limits.time = Duration::from_millis(300));
    let slow = pdf(&vec!["many words on many lines\n".repeat(60); 3_000]);
    let start = Instant::now();
    assert_eq!(
        hurried.read_text(DocumentKind::Pdf, &slow, &CancelToken::new(None)),
        Err(DocumentError::Timeout)
    );
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    let cancel = CancelToken::new(None);
    let token = cancel.clone();
    let reading = thread::spawn(move || DOCUMENTS.read_text(DocumentKind::Pdf, &slow, &token));
    thread::sleep(Duration::from_millis(300));
    cancel.cancel(CancelReason::CallerLeft);
    assert_eq!(reading.join().unwrap(), Err(DocumentError::Cancelled(CancelReason::CallerLeft)));
}

#[test]
fn messages_say_nothing_of_the_host() {
    for error in [
        DocumentError::Damaged(DocumentKind::Pdf),
        DocumentError::Exhausted,
        DocumentError::NotThisKind(DocumentKind::Docx),
        DocumentError::TooLarge(LimitKind::Unpacked),
        DocumentError::Locked,
    ] {
        let said = error.to_string();
        assert!(!said.contains('/') && said.len() < 80, "{said}");
    }
}
