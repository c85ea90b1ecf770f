//! Documents made on the spot: honest ones of every kind, and the pieces of hostile ones.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An archive of these files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        writer.start_file(*name, options).expect("a name");
        writer.write_all(content).expect("room");
    }
    writer.finish().expect("an archive").into_inner()
}

/// A text of a word processor whose body is `body`.
pub fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document xmlns:w=\"w\" xmlns:mc=\"mc\"><w:body>{body}</w:body></w:document>"
    );
    archive(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", document.as_bytes())])
}

/// A paragraph of one.
pub fn paragraph(text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:pStyle w:val=\"Normal\"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
    )
}

/// A spreadsheet of one sheet named `Prices`, whose rows are `rows`.
pub fn xlsx(rows: &str) -> Vec<u8> {
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
    );
    archive(&[
        ("[Content_Types].xml", b"<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>"),
        (
            "_rels/.rels",
            b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
              <Relationship Id=\"rId1\" Target=\"xl/workbook.xml\" \
              Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\"/></Relationships>",
        ),
        (
            "xl/styles.xml",
            b"<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><cellXfs>\
              <xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>",
        ),
        (
            "xl/workbook.xml",
            b"<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
              xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
              <sheets><sheet name=\"Prices\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
              <Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\" \
              Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\"/></Relationships>",
        ),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

/// A spreadsheet of the open format with one sheet.
pub fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
         xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><office:body><office:spreadsheet>\
         <table:table table:name=\"Open\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", b"<manifest/>"),
        ("content.xml", content.as_bytes()),
    ])
}

/// A presentation whose slides are shown in an order other than that of their names.
pub fn pptx() -> Vec<u8> {
    let slide = |text: &str| {
        format!(
            "<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sld>"
        )
    };
    archive(&[
        (
            "ppt/presentation.xml",
            b"<p:presentation xmlns:p=\"p\" xmlns:r=\"r\"><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId2\"/>\
              <p:sldId id=\"257\" r:id=\"rId1\"/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            b"<Relationships><Relationship Id=\"rId1\" Target=\"slides/slide1.xml\"/>\
              <Relationship Id=\"rId2\" Target=\"/ppt/slides/slide2.xml\"/></Relationships>",
        ),
        ("ppt/slides/slide1.xml", slide("shown second").as_bytes()),
        ("ppt/slides/slide2.xml", slide("shown first &amp; early").as_bytes()),
    ])
}

/// A book of two chapters.
pub fn epub() -> Vec<u8> {
    archive(&[
        ("mimetype", b"application/epub+zip"),
        (
            "META-INF/container.xml",
            b"<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>",
        ),
        (
            "OEBPS/book.opf",
            b"<package><manifest><item id=\"b\" href=\"two.xhtml\"/><item id=\"a\" href=\"text/one%20.xhtml\"/>\
              <item id=\"out\" href=\"../../../../etc/passwd\"/></manifest>\
              <spine><itemref idref=\"a\"/><itemref idref=\"b\"/><itemref idref=\"out\"/></spine></package>",
        ),
        ("OEBPS/text/one .xhtml", b"<html><head><title>t</title></head><body><h1>One</h1><p>first</p></body></html>"),
        ("OEBPS/two.xhtml", b"<html><body><p>second</p><script>alert(1)</script></body></html>"),
    ])
}

/// A PDF of these objects, the first of which is its catalogue.
pub fn pdf_of(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", number + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(table, "{place:010} 00000 n ");
    }
    let _ =
        write!(table, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    file.extend(table.bytes());
    file
}

/// A stream object.
pub fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", content.len()).into_bytes();
    object.extend(content);
    object.extend(b"\nendstream");
    object
}

/// Noise for a picture, so that nothing about it is easy to compress.
pub fn noise(bytes: usize) -> Vec<u8> {
    let mut seed = 1_u32;
    let next = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_be_bytes()[0]
    };
    (0..bytes).map(next).collect()
}

/// A PDF with one page for each text, whose lines are divided by `\n`.
pub fn pdf(pages: &[String]) -> Vec<u8> {
    pdf_with_picture(pages, &[])
}

/// The same, with this picture on every page.
pub fn pdf_with_picture(pages: &[String], picture: &[u8]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + page * 2)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} /MediaBox [0 0 612 792] >>",
            kids.join(" "),
            pages.len()
        )
        .into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
    ];
    let last = 4 + pages.len() * 2;
    for (number, page) in pages.iter().enumerate() {
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /Contents {} 0 R \
                 /Resources << /Font << /F1 3 0 R >> /XObject << /P1 {last} 0 R >> >> >>",
                5 + number * 2
            )
            .into_bytes(),
        );
        let drawn = if picture.is_empty() { "" } else { "/P1 Do " };
        let mut content = format!("{drawn}BT /F1 11 Tf 14 TL 50 750 Td\n");
        for line in page.lines() {
            let _ = writeln!(content, "({line}) Tj T*");
        }
        content.push_str("ET");
        objects.push(stream("", content.as_bytes()));
    }
    let shape =
        "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray /BitsPerComponent 8";
    objects.push(stream(shape, picture));
    pdf_of(&objects)
}
