//! Document loaders in a flow: uploaded files, pages of the web, stores and code (manual 4.1 r4, 10.2).

mod unstructured;

use crate::support::canvases::Drawing;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server, id, samples};
use serde_json::{Value, json};

/// A file as an editor puts it into a canvas.
pub fn inline(name: &str, mime: &str, bytes: &[u8]) -> String {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("data:{mime};base64,{data},filename:{name}")
}

/// A flow that answers with the text that a loader brings.
fn flow_of(server: &Server, card: &str, inputs: Value) -> String {
    server.flow(&canvas_of(card, inputs, None))
}

fn canvas_of(card: &str, inputs: Value, splitter: Option<(&str, Value)>) -> String {
    let mut drawing = Drawing::default();
    let loader = drawing.card(card, inputs);
    drawing.choose_output(&loader, "text");
    if let Some((card, inputs)) = splitter {
        let splitter = drawing.card(card, inputs);
        drawing.wire(&splitter, &loader, "textSplitter");
    }
    drawing.answer_with_document(&loader);
    drawing.text()
}

fn ask(server: &Server, flow: &str) -> Answer {
    server.ask(flow, &json!({"question": "Hi"}))
}

fn answer_text(server: &Server, flow: &str) -> String {
    ask(server, flow).is(200).json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn uploaded_files_of_every_kind_are_read() {
    let server = Server::start();
    let docx = samples::docx(&samples::paragraph("Call me Ishmael."));
    let pdf = samples::pdf(&["First page".to_owned(), "Second page".to_owned()]);
    let rows = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>Item</t></is></c><c r="B1" t="inlineStr"><is><t>Price</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>Egg</t></is></c><c r="B2"><v>2</v></c></row>"#;
    let (xlsx, pptx, epub) = (samples::xlsx(rows), samples::pptx(), samples::epub());
    let jsonl = b"{\"a\": {\"t\": \"one\"}}\n\n{\"a\": {\"t\": \"two\"}}\n";
    let csv = b"name,age\n\"Ada, L.\",36\nBob,7\n";
    for (card, input, name, bytes, more, expected) in [
        ("textFile", "txtFile", "a.txt", b"Hello \xc3\xa9".as_slice(), json!({}), "[Hello é]"),
        ("docxFile", "docxFile", "a.docx", &docx, json!({}), "[Call me Ishmael.]"),
        ("microsoftWord", "docxFile", "a.docx", &docx, json!({}), "[Call me Ishmael.]"),
        ("pdfFile", "pdfFile", "a.pdf", &pdf, json!({}), "Second page"),
        ("pdfFile", "pdfFile", "a.pdf", &pdf, json!({"usage": "perFile"}), "First page"),
        ("csvFile", "csvFile", "a.csv", csv, json!({}), "[name: Ada, L.\nage: 36\nname: Bob\nage: 7]"),
        ("csvFile", "csvFile", "a.csv", csv, json!({"columnName": "name"}), "[Ada, L.\nBob]"),
        (
            "jsonFile",
            "jsonFile",
            "a.json",
            br#"{"a": "one", "b": {"c": ["two", 3]}}"#,
            json!({}),
            "[one\ntwo]",
        ),
        (
            "jsonFile",
            "jsonFile",
            "a.json",
            br#"[{"a": "x", "b": "one"}, {"b": "two"}]"#,
            json!({"pointersName": "/b"}),
            "[one\ntwo]",
        ),
        (
            "jsonFile",
            "jsonFile",
            "a.json",
            br#"[{"a": 1}, {"a": 2}]"#,
            json!({"separateByObject": true}),
            "[{\"a\":1}\n{\"a\":2}]",
        ),
        ("jsonlinesFile", "jsonlinesFile", "a.jsonl", jsonl, json!({"pointerName": "a/t"}), "[one\ntwo]"),
        ("microsoftExcel", "excelFile", "a.xlsx", &xlsx, json!({}), "- Item: Egg\n- Price: 2"),
        ("microsoftPowerpoint", "powerpointFile", "a.pptx", &pptx, json!({}), "["),
        ("epubFile", "epubFile", "a.epub", &epub, json!({}), "["),
        ("fileLoader", "file", "A.PDF", &pdf, json!({}), "First page"),
        ("fileLoader", "file", "a.csv", csv, json!({}), "name: Bob"),
    ] {
        let mut inputs = more;
        inputs[input] = inline(name, "application/octet-stream", bytes).into();
        let said = answer_text(&server, &flow_of(&server, card, inputs));
        assert!(said.contains(expected) && said.len() > 5, "{card}: {said}");
    }
}

#[test]
fn an_inline_file_becomes_a_stored_one_and_several_are_read_in_order() {
    let server = Server::start();
    let two = json!([inline("../b.txt", "text/plain", b"two"), inline("a.txt", "text/plain", b"one")]);
    let flow = flow_of(&server, "textFile", json!({"txtFile": two.to_string()}));
    let canvas = server.read(&format!("/chatflows/{flow}"))["flowData"].as_str().unwrap().to_owned();
    assert!(canvas.contains("FILE-STORAGE::[") && !canvas.contains(";base64,"), "{canvas}");
    assert_eq!(answer_text(&server, &flow), "[two\none]");
    let server = server.restart();
    assert_eq!(answer_text(&server, &flow), "[two\none]", "and is there after a restart");
}

#[test]
fn a_file_of_a_draft_is_read_once_it_is_published() {
    let server = Server::start();
    let flow = flow_of(&server, "plainText", json!({"text": "old"}));
    server.put(&format!("/flow-drafts/{flow}/settings"), &json!({"publishInstantly": false}));
    let canvas = canvas_of("textFile", json!({"txtFile": inline("a.txt", "text/plain", b"new")}), None);
    server.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": canvas}));
    assert_eq!(answer_text(&server, &flow), "[old]");
    server.owner("POST", &format!("/flow-drafts/{flow}/publish")).json(&json!({})).send().is(200);
    assert_eq!(answer_text(&server, &flow), "[new]");
}

#[test]
fn a_flow_reads_only_its_own_files() {
    let server = Server::start();
    let flow = flow_of(&server, "textFile", json!({"txtFile": inline("a.txt", "text/plain", b"secret")}));
    let canvas = server.read(&format!("/chatflows/{flow}"))["flowData"].as_str().unwrap().to_owned();
    let other = server.flow(&canvas);
    let message = ask(&server, &other).is_error(500);
    assert!(message.contains("Text File") && message.contains("not here any more"), "{message}");
    for odd in ["FILE-STORAGE::../../secrets", "FILE-STORAGE::/etc/passwd", "/etc/passwd", "FILE-STORAGE::[]"]
    {
        let message = ask(&server, &flow_of(&server, "textFile", json!({"txtFile": odd}))).is_error(500);
        assert!(message.contains("Text File"), "{odd}: {message}");
    }
    let sent = json!({"question": "Hi", "overrideConfig": {"txtFile": "FILE-STORAGE::x"}});
    assert_eq!(server.ask(&flow, &sent).is(200).json()["text"], "[secret]", "nor does a request name a file");
}

#[test]
fn files_that_cannot_be_read_fail_the_run_and_name_card_and_file() {
    let server = Server::start();
    for (card, inputs, expected) in [
        ("pdfFile", json!({"pdfFile": inline("a.pdf", "application/pdf", b"hello")}), "'a.pdf' was not read"),
        ("docxFile", json!({"docxFile": inline("a.docx", "x/y", b"PK\x03\x04 no")}), "'a.docx' was not read"),
        ("jsonFile", json!({"jsonFile": inline("a.json", "x/y", b"{")}), "not valid JSON"),
        ("csvFile", json!({"csvFile": inline("a.csv", "x/y", b"a\n1"), "columnName": "b"}), "no column 'b'"),
        ("jsonlinesFile", json!({"jsonlinesFile": inline("a.jsonl", "x/y", b"{}")}), "Pointer Extraction"),
        ("fileLoader", json!({"file": inline("a.exe", "x/y", b"MZ")}), "files of this type"),
        ("textFile", json!({}), "upload a file"),
        ("plainText", json!({"text": "x", "metadata": "["}), "Additional Metadata"),
        ("documentStore", json!({"selectedStore": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"}), "does not exist"),
    ] {
        let message = ask(&server, &flow_of(&server, card, inputs)).is_error(500);
        assert!(message.contains(expected), "{card}: {message}");
    }
}

#[test]
fn a_splitter_cuts_what_a_loader_brings() {
    let server = Server::start();
    let html = "<h1>One</h1><p>first <b>part</b></p><h1>Two</h1><p>second</p>";
    for (splitter, inputs, text, expected) in [
        (
            "characterTextSplitter",
            json!({"separator": "|", "chunkSize": 3, "chunkOverlap": 0}),
            "aa|bb|c",
            "[aa\nbb\nc]",
        ),
        (
            "recursiveCharacterTextSplitter",
            json!({"chunkSize": "7", "chunkOverlap": "0"}),
            "aaa bbb ccc",
            "[aaa bbb\nccc]",
        ),
        ("markdownTextSplitter", json!({"splitByHeaders": "h1"}), "# A\na\n# B\nb", "[# A\na\n# B\nb]"),
        (
            "codeTextSplitter",
            json!({"language": "python", "chunkSize": 12, "chunkOverlap": 0}),
            "def a():\n  1\ndef b():\n  2",
            "[def a():\n  1\ndef b():\n  2]",
        ),
        (
            "tokenTextSplitter",
            json!({"encodingName": "cl100k_base", "chunkSize": 2, "chunkOverlap": 0}),
            "one two three four",
            "[one two\nthree four]",
        ),
        (
            "htmlToMarkdownTextSplitter",
            json!({"chunkSize": 20, "chunkOverlap": 0}),
            html,
            "[# One\nfirst **part**\n# Two\n\nsecond]",
        ),
    ] {
        let canvas = canvas_of("plainText", json!({ "text": text }), Some((splitter, inputs)));
        assert_eq!(answer_text(&server, &server.flow(&canvas)), expected, "{splitter}");
    }
    let bad = json!({"chunkSize": 5, "chunkOverlap": 5});
    let canvas = canvas_of("plainText", json!({"text": "x"}), Some(("recursiveCharacterTextSplitter", bad)));
    let message = ask(&server, &server.flow(&canvas)).is_error(500);
    assert!(message.contains("Chunk Overlap"), "{message}");
}

/// A web site of two pages that lead to each other, and a list of them.
fn site() -> Provider {
    let web = Provider::start();
    let base = web.base_url();
    web.set_decision(move |request| {
        let (status, body) = match request.path.as_str() {
            "/" => (200, "<title>Home</title><body><p class=x>Welcome</p><a href='/b#c'>b</a><a href='http://elsewhere.example/'>e</a></body>".to_owned()),
            "/b" => (200, "<body><p>Page b</p><a href='/'>home</a><a href='/gone'>g</a></body>".to_owned()),
            "/sitemap.xml" => (200, format!("<urlset><url><loc>{base}/b</loc></url></urlset>")),
            "/data.json" => (200, "{\"a\":[1]}".to_owned()),
            _ => (404, "secret words".to_owned()),
        };
        Behaviour::Status { status, body, headers: Vec::new() }
    });
    web
}

#[test]
fn pages_are_read_only_where_the_operator_allows_it() {
    let web = site();
    let url = web.base_url();
    let server = Server::start();
    for (card, inputs) in [
        ("cheerioWebScraper", json!({"url": url})),
        ("apiLoader", json!({"url": url, "method": "GET"})),
        ("github", json!({"repoLink": "https://github.com/a/b", "githubInstanceApi": url})),
    ] {
        let message = ask(&server, &flow_of(&server, card, inputs)).is_error(500);
        assert!(message.contains("refused by policy"), "{message}");
    }
    assert_eq!(web.served_count(), 0);
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &url.replace("http://", ""))]);
    for (inputs, expected) in [
        (json!({"url": url, "relativeLinksMethod": ""}), "[Welcome\n\nbe]"),
        (json!({"url": url, "relativeLinksMethod": "", "selector": "p.x"}), "[Welcome]"),
        (json!({"url": url, "selector": "p"}), "[Welcome\nPage b]"),
        (json!({"url": url, "selector": "p", "limit": "1"}), "[Welcome]"),
        (json!({"url": url, "relativeLinksMethod": "scrapeXMLSitemap", "selector": "p"}), "[Page b]"),
    ] {
        assert_eq!(
            answer_text(&server, &flow_of(&server, "cheerioWebScraper", inputs.clone())),
            expected,
            "{inputs}"
        );
    }
    let said = answer_text(
        &server,
        &flow_of(&server, "apiLoader", json!({"url": format!("{url}/data.json"), "method": "GET"})),
    );
    assert_eq!(said, "[{\n  \"a\": [\n    1\n  ]\n}]");
    let gone = json!({"url": format!("{url}/x"), "relativeLinksMethod": ""});
    let message = ask(&server, &flow_of(&server, "cheerioWebScraper", gone)).is_error(500);
    assert!(message.contains("status 404") && !message.contains("secret"), "{message}");
    let odd = json!({"url": url, "relativeLinksMethod": "", "selector": "p["});
    assert!(ask(&server, &flow_of(&server, "cheerioWebScraper", odd)).is_error(500).contains("selector"));
}

#[test]
fn the_files_of_a_repository_are_read_with_the_owners_token() {
    let web = Provider::start();
    web.set_decision(|request| {
        let tree = json!({"tree": [
            {"path": "README.md", "type": "blob", "size": 5}, {"path": "src", "type": "tree"},
            {"path": "src/a b.rs", "type": "blob", "size": 5}, {"path": "logo.png", "type": "blob", "size": 5},
            {"path": "x.lock", "type": "blob", "size": 5},
        ]});
        let body = match request.path.as_str() {
            "/repos/me/app/git/trees/main?recursive=1" => tree.to_string(),
            "/repos/me/app/contents/README.md?ref=main" => "Read me".to_owned(),
            "/repos/me/app/contents/src/a%20b.rs?ref=main" => "fn a() {}".to_owned(),
            other => panic!("{other}"),
        };
        Behaviour::Status { status: 200, body, headers: Vec::new() }
    });
    let url = web.base_url();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &url.replace("http://", ""))]);
    let mut drawing: Value = serde_json::from_str(&canvas_of(
        "github",
        json!({"repoLink": "https://github.com/me/app", "githubInstanceApi": url, "recursive": true, "ignorePath": "[\"*.lock\"]"}),
        None,
    ))
    .unwrap();
    let credential =
        json!({"name": "g", "credentialName": "githubApi", "plainDataObj": {"accessToken": "ghp_secret"}});
    drawing["nodes"][0]["data"]["credential"] = id(&server.post("/credentials", &credential)).into();
    assert_eq!(answer_text(&server, &server.flow(&drawing.to_string())), "[Read me\nfn a() {}]");
    assert_eq!(web.last_request().header("authorization"), Some("Bearer ghp_secret"));
}

#[test]
fn code_and_stores_bring_documents_too() {
    let server = Server::start();
    let code = "return [{pageContent: $who + ' one', metadata: {a: 1}}, {pageContent: 'two'}];";
    let inputs = json!({"javascriptFunction": code, "functionInputVariables": "{\"who\": \"number\"}"});
    assert_eq!(answer_text(&server, &flow_of(&server, "customDocumentLoader", inputs)), "[number one\ntwo]");
    let bad = json!({"javascriptFunction": "return 7;"});
    let message = ask(&server, &flow_of(&server, "customDocumentLoader", bad)).is_error(500);
    assert!(message.contains("must return"), "{message}");
    let store = id(&server.post("/document-store/store", &json!({"name": "s"})));
    let text = json!({"loader": {"name": "plainText", "config": {"text": "From the store."}}});
    server.post(&format!("/document-store/upsert/{store}"), &text);
    assert_eq!(
        answer_text(&server, &flow_of(&server, "documentStore", json!({"selectedStore": store}))),
        "[From the store.]"
    );
}

#[test]
fn a_search_without_its_key_names_the_loader() {
    let server = Server::start();
    for (card, label) in [
        ("braveSearchApiLoader", "BraveSearch API Document Loader"),
        ("serpApi", "SerpApi For Web Search"),
        ("searchApi", "SearchApi For Web Search"),
    ] {
        let mut drawing = Drawing::default();
        let loader = drawing.card(card, json!({"query": "tea"}));
        drawing.choose_output(&loader, "text");
        drawing.answer_with_document(&loader);
        let error = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is_error(500);
        assert!(error.starts_with(&format!("{label}: ")) && error.contains("credential"), "{error}");
    }
}
