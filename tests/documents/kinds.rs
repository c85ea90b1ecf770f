//! An honest file of every kind gives its text.

use super::*;
use samples::{archive, docx, epub, ods, paragraph, pdf, pptx, xlsx};

#[test]
fn text_is_given_as_it_is_in_every_encoding() {
    assert_eq!(texts("a.txt", b"one\r\ntwo"), ["one\ntwo"]);
    assert_eq!(texts("a.csv", b"\xEF\xBB\xBFa;\xC3\xA9"), ["a;é"]);
    assert_eq!(texts("a.md", b"\xFF\xFEh\0i\0"), ["hi"]);
    assert_eq!(texts("a.txt", b"na\xEFve \x93q\x94"), ["naïve “q”"]);
    for name in ["a.json", "a.yaml", "a.yml", "a.xml", "a.sql"] {
        assert_eq!(texts(name, b"{\"a\": [1]}\x07"), ["{\"a\": [1]} "]);
    }
    assert_eq!(texts("a.txt", b""), [""]);
}

#[test]
fn a_page_gives_its_text_without_scripts_and_styles() {
    let page = b"<html><head><title>T</title><style>p{}</style></head><body><h1>Head</h1><p>One &amp; <b>two</b></p>\
                 <script>alert('no')</script><ul><li>item</li></ul><table><tr><td>a</td><td>b</td></tr></table></body></html>";
    let text = &texts("a.html", page)[0];
    for word in ["Head", "One & two", "item", "a", "b"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    for word in ["alert", "p{}", "<"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn a_pdf_gives_a_part_for_each_page() {
    let file = pdf(&["First line\nSecond line".into(), "Another page".into(), String::new()]);
    let found = texts("a.pdf", &file);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].split_whitespace().collect::<Vec<_>>(), ["First", "line", "Second", "line"]);
    assert!(found[0].contains("First line\n"), "{:?}", found[0]);
    assert_eq!((found[1].as_str(), found[2].as_str()), ("Another page", ""));
}

#[test]
fn a_text_gives_paragraphs_tables_and_breaks() {
    let body = format!(
        "{}<w:p><w:r><w:t>tab</w:t><w:tab/><w:t>after</w:t><w:br/><w:t>line &lt;&#233;&gt;</w:t></w:r>\
         <w:r><w:delText>gone</w:delText></w:r></w:p>\
         <w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>\
         <mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        paragraph("First"),
        paragraph("a"),
        paragraph("b"),
        paragraph("once"),
        paragraph("twice"),
    );
    assert_eq!(texts("a.docx", &docx(&body)), ["First\ntab\tafter\nline <é>\na\tb\nonce"]);
}

#[test]
fn an_older_spreadsheet_gives_the_same() {
    let parts = read("a.xls", include_bytes!("old.xls")).unwrap();
    assert_eq!(
        parts,
        [DocumentPart { title: Some("Old".into()), text: "Name\t\t2.5\n\ttrue\n2023-03-15".into() }]
    );
}

#[test]
fn the_main_part_of_a_text_may_have_another_name() {
    let relations = "<Relationships><Relationship Type=\"http://x/officeDocument\" Target=\"/word/document2.xml\"/></Relationships>";
    let document = format!("<w:document xmlns:w=\"w\">{}</w:document>", paragraph("found"));
    let file = archive(&[("_rels/.rels", relations.as_bytes()), ("word/document2.xml", document.as_bytes())]);
    assert_eq!(texts("a.docx", &file), ["found"]);
}

#[test]
fn a_spreadsheet_gives_a_part_for_each_sheet() {
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Name</t></is></c><c r=\"C1\"><v>2.5</v></c></row>\
                <row r=\"3\"><c r=\"A3\" t=\"b\"><v>1</v></c><c r=\"B3\" s=\"1\"><v>45000</v></c></row>";
    let parts = read("a.xlsx", &xlsx(rows)).unwrap();
    assert_eq!(
        parts,
        [DocumentPart { title: Some("Prices".into()), text: "Name\t\t2.5\n\ntrue\t2023-03-15".into() }]
    );
    let rows = "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>x</text:p></table:table-cell>\
                <table:table-cell office:value-type=\"float\" office:value=\"4\"><text:p>4</text:p></table:table-cell></table:table-row>";
    let parts = read("a.ods", &ods(rows)).unwrap();
    assert_eq!(parts, [DocumentPart { title: Some("Open".into()), text: "x\t4".into() }]);
}

#[test]
fn a_presentation_gives_its_slides_in_the_order_in_which_they_are_shown() {
    assert_eq!(texts("a.pptx", &pptx()), ["shown first & early", "shown second"]);
}

#[test]
fn a_book_gives_its_chapters_in_the_order_of_reading() {
    let found = texts("a.epub", &epub());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("One") && found[0].contains("first"), "{found:?}");
    assert_eq!(found[1], "second");
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_refused() {
    let plain = archive(&[("a.txt", b"hello")]);
    for (name, kind) in [
        ("a.docx", DocumentKind::Docx),
        ("a.xlsx", DocumentKind::Sheet),
        ("a.pptx", DocumentKind::Pptx),
        ("a.epub", DocumentKind::Epub),
    ] {
        assert_eq!(read(name, &plain), Err(DocumentError::NotThisKind(kind)), "{name}");
    }
    assert_eq!(read("a.docx", &pptx()), Err(DocumentError::NotThisKind(DocumentKind::Docx)));
    assert_eq!(read("a.txt", &plain), Err(DocumentError::NotThisKind(DocumentKind::Text)));
    assert_eq!(read("a.pdf", b"hello"), Err(DocumentError::NotThisKind(DocumentKind::Pdf)));
    assert_eq!(read("a.exe", b"hello"), Err(DocumentError::UnknownKind));
}

#[test]
fn a_damaged_file_is_an_error_and_not_half_a_text() {
    for (name, file, kind) in [
        ("a.docx", docx(&paragraph("x")), DocumentKind::Docx),
        ("a.xlsx", xlsx(""), DocumentKind::Sheet),
        ("a.epub", epub(), DocumentKind::Epub),
    ] {
        let half = &file[..file.len() / 2];
        assert_eq!(read(name, half), Err(DocumentError::Damaged(kind)), "{name}");
    }
    assert_eq!(read("a.pdf", b"%PDF-1.4\nnothing"), Err(DocumentError::Damaged(DocumentKind::Pdf)));
    assert_eq!(read("a.docx", &docx("<w:p></w:q>")), Err(DocumentError::Damaged(DocumentKind::Docx)));
    let compound = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and no more".repeat(100);
    assert_eq!(read("a.docx", &compound), Err(DocumentError::Locked));
    assert_eq!(read("a.xls", &compound), Err(DocumentError::Damaged(DocumentKind::Sheet)));
}

#[test]
fn a_short_text_takes_no_worker_and_a_long_one_does() {
    let program = std::path::PathBuf::from("/nowhere/flowkeep");
    let documents = DocumentReader::new(program, DocumentLimits::default()).unwrap();
    let read =
        |text: &str| documents.read_text(DocumentKind::Text, &text.as_bytes(), &CancelToken::new(None));
    assert_eq!(read("a\r\nb\u{7}").unwrap()[0].text, "a\nb ");
    assert_eq!(read(&"x".repeat(1024 * 1024 + 1)).unwrap_err(), DocumentError::Unavailable);
    let html = documents.read_text(DocumentKind::Html, &b"<p>a</p>".as_slice(), &CancelToken::new(None));
    assert_eq!(html.unwrap_err(), DocumentError::Unavailable);
}
