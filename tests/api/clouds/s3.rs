//! The loaders of S3 objects: before a stand-in that recomputes every signature, and before the `moto` server, which
//! `.ci/s3` starts and names in `FLOWKEEP_S3` as `http://key:secret@host:port`.

use crate::overrides::override_settings;
use crate::support::canvases::Drawing;
use crate::support::provider::aws::{Account, xml_error};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, id, samples};
use flowkeep::aws::{AccessKey, SigningRequest, SigningScope, encode_path};
use flowkeep::base::cancel::CancelToken;
use flowkeep::net::{CallPurpose, Method, Outgoing, ResponseLimits};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use url::Url;

const ACCOUNT: Account = Account {
    id: "AKIAIOSFODNN7EXAMPLE",
    secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    session: None,
    region: "eu-central-1",
    service: "s3",
};

/// A service, and an address with objects.
struct Fixture {
    server: Server,
    base: String,
    key: Value,
}

impl Fixture {
    fn card(&self, card: &str, inputs: Value) -> (Drawing, String) {
        let mut all = json!({"region": "eu-central-1", "serverUrl": self.base, "bucketName": "our-books"});
        all.as_object_mut().unwrap().extend(inputs.as_object().cloned().unwrap());
        let mut drawing = Drawing::default();
        let loader = drawing.card(card, all);
        let body = json!({"name": "aws", "credentialName": "awsApi", "plainDataObj": self.key});
        drawing.credential(&loader, &id(&self.server.post("/credentials", &body)));
        drawing.choose_output(&loader, "text");
        drawing.answer_with_document(&loader);
        (drawing, loader)
    }

    /// What a flow says that repeats what the loader reads.
    fn answer_text(&self, card: &str, inputs: Value) -> String {
        let (drawing, _) = self.card(card, inputs);
        let flow = self.server.flow(&drawing.text());
        let answer = self.server.ask(&flow, &json!({"question": "Hi"}));
        let text = answer.text();
        assert!(!text.contains(ACCOUNT.secret) && !text.contains("another-secret"), "{text}");
        if answer.status == 200 { answer.json()["text"].as_str().unwrap().to_owned() } else { text }
    }

    /// The documents that a document store gets from the loader.
    fn documents(&self, card: &str, inputs: Value) -> Vec<Value> {
        let store = id(&self.server.post("/document-store/store", &json!({"name": "Books"})));
        let mut config = json!({"region": "eu-central-1", "serverUrl": self.base, "bucketName": "our-books"});
        config.as_object_mut().unwrap().extend(inputs.as_object().cloned().unwrap());
        let body = json!({"name": "aws", "credentialName": "awsApi", "plainDataObj": self.key});
        let credential = id(&self.server.post("/credentials", &body));
        let body = json!({"storeId": store, "loaderId": card, "loaderConfig": config, "credential": credential,
            "previewChunkCount": 100});
        let preview = self.server.post("/document-store/loader/preview", &body);
        preview["chunks"].as_array().unwrap().clone()
    }
}

/// Objects by name, in the order of their names.
type Objects = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A service whose loaders may call this address of its own machine.
fn server_that_reaches(base: &str) -> Server {
    Server::with(&[("SERVICE_HTTP_ALLOW", base.trim_start_matches("http://"))])
}

/// A service before a stand-in with these objects.
fn stand_in(objects: &[(&str, &[u8])]) -> (Fixture, Provider, Objects) {
    let provider = Provider::start();
    let mut kept: Vec<_> = objects.iter().map(|(key, bytes)| ((*key).to_owned(), bytes.to_vec())).collect();
    kept.sort();
    let kept: Objects = Arc::new(Mutex::new(kept));
    let shared = kept.clone();
    provider.set_decision(move |request| {
        ACCOUNT.refusal(request).unwrap_or_else(|| answer(request, &shared.lock().unwrap()))
    });
    let key = json!({"awsKey": ACCOUNT.id, "awsSecret": ACCOUNT.secret});
    let base = provider.base_url();
    (Fixture { server: server_that_reaches(&base), base, key }, provider, kept)
}

/// Two names at a time, so that there are pages.
const AT_ONCE: usize = 2;

fn answer(request: &RecordedRequest, objects: &[(String, Vec<u8>)]) -> Behaviour {
    let url = Url::parse(&format!("http://h{}", request.path)).unwrap();
    assert_eq!(request.method, "GET");
    let Some(key) = url.path().strip_prefix("/our-books/") else {
        return xml_error(404, "NoSuchBucket", "The specified bucket does not exist");
    };
    if !key.is_empty() {
        let key = percent_encoding::percent_decode_str(key).decode_utf8().unwrap();
        return match objects.iter().find(|(known, _)| *known == key) {
            Some((_, body)) => {
                Behaviour::Bytes { kind: "binary/octet-stream", body: body.clone(), piece: 10_000 }
            }
            None => xml_error(404, "NoSuchKey", "The specified key does not exist."),
        };
    }
    let query =
        |name: &str| url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned());
    assert_eq!(query("list-type").as_deref(), Some("2"));
    let (prefix, after) = (query("prefix").unwrap_or_default(), query("continuation-token"));
    let found = objects.iter().filter(|(key, _)| {
        key.starts_with(&prefix) && after.as_ref().is_none_or(|after| format!("+/={key}") > *after)
    });
    let found: Vec<_> = found.collect();
    let mut body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>our-books</Name>".to_owned();
    for (key, bytes) in found.iter().take(AT_ONCE) {
        let key = key.replace('&', "&amp;").replace('<', "&lt;");
        write!(body, "<Contents><Key>{key}</Key><Size>{}</Size></Contents>", bytes.len()).unwrap();
    }
    match found.get(AT_ONCE - 1).filter(|_| found.len() > AT_ONCE) {
        Some((last, _)) => {
            let next = format!("+/={last}").replace('&', "&amp;");
            write!(
                body,
                "<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>"
            )
            .unwrap();
        }
        None => body.push_str("<IsTruncated>false</IsTruncated>"),
    }
    body.push_str("</ListBucketResult>");
    Behaviour::Bytes { kind: "application/xml", body: body.into_bytes(), piece: 97 }
}

/// What a bucket of books holds: texts, a PDF, a folder made by hand, and what is no text.
fn books() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("handbook/", Vec::new()),
        ("handbook/R&D + Grüße/first rule.txt", b"Parcels leave on Mondays.".to_vec()),
        ("handbook/rules.pdf", samples::pdf(&["First page".to_owned(), "Second page".to_owned()])),
        ("handbook/table.csv", b"day,what\nMonday,parcels\n".to_vec()),
        ("handbook/picture.png", b"\x89PNG".to_vec()),
        ("other.txt", b"Not of the handbook.".to_vec()),
    ]
}

/// Reads the books, whoever serves them.
fn check_books(house: &Fixture) {
    let rule = "handbook/R&D + Grüße/first rule.txt";
    assert_eq!(house.answer_text("S3", json!({ "keyName": rule })), "[Parcels leave on Mondays.]");
    let read =
        house.documents("S3", json!({"keyName": "handbook/rules.pdf", "metadata": "{\"kind\": \"manual\"}"}));
    let texts: Vec<&str> =
        read.iter().map(|document| document["pageContent"].as_str().unwrap().trim()).collect();
    assert_eq!(texts, ["First page", "Second page"]);
    let source = "s3://our-books/handbook/rules.pdf";
    let page = json!({"source": source, "totalPages": 2, "loc": {"pageNumber": 1}, "kind": "manual"});
    assert_eq!(read[0]["metadata"], page);
    let all = house.documents("s3Directory", json!({"prefix": "handbook/", "pdfUsage": "perFile"}));
    let sources: Vec<&str> =
        all.iter().map(|document| document["metadata"]["source"].as_str().unwrap()).collect();
    let table = "s3://our-books/handbook/table.csv";
    assert_eq!(sources, [&format!("s3://our-books/{rule}"), source, table]);
    assert_eq!(house.documents("s3Directory", json!({})).len(), 5);
    assert_eq!(house.answer_text("s3Directory", json!({"prefix": "nothing/"})), "[]");
    let gone = house.answer_text("S3", json!({"keyName": "handbook/gone.txt"}));
    assert!(gone.contains("S3: the provider answered 404: The specified key does not exist"), "{gone}");
    for card in ["S3", "s3Directory"] {
        let told = house.answer_text(card, json!({"bucketName": "no-books", "keyName": "a.txt"}));
        assert!(told.contains("answered 404: The specified bucket does not exist"), "{told}");
    }
}

#[test]
fn objects_are_read_by_their_kind() {
    let books = books();
    let objects: Vec<(&str, &[u8])> = books.iter().map(|(key, bytes)| (*key, bytes.as_slice())).collect();
    let (house, provider, _) = stand_in(&objects);
    check_books(&house);
    for request in provider.requests() {
        assert!(ACCOUNT.refusal(&request).is_none(), "{request:?}");
    }
}

#[test]
fn a_real_server_gives_its_objects() {
    let Ok(text) = std::env::var("FLOWKEEP_S3") else {
        // Not by the macro, whose words are only shown when a test fails.
        let _ = writeln!(std::io::stderr(), "skipped: FLOWKEEP_S3 names no server");
        return;
    };
    let url = Url::parse(&text).expect("FLOWKEEP_S3 is an address");
    let unescaped =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let keys = AccessKey {
        id: url.username().to_owned(),
        secret: unescaped(url.password().unwrap()),
        session: None,
    };
    let base = format!("http://{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let put = |path: &str, body: &[u8]| {
        let url = format!("{base}/our-books{path}");
        let scope = SigningScope { region: "eu-central-1".to_owned(), service: "s3".to_owned() };
        let request = SigningRequest { method: "PUT", url: &url, headers: &[], body };
        let signed = keys.sign(&scope, &request, jiff::Timestamp::now());
        let headers: Vec<(&str, &str)> =
            signed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let (outgoing, cancel) = (Outgoing::new(Vec::new(), true), CancelToken::new(None));
        let (purpose, limits) = (CallPurpose::Provider, ResponseLimits::default());
        let mut sent =
            outgoing.send(purpose, Method::PUT, &url, &headers, Some(body), &cancel, limits).unwrap();
        let said = sent.read_to_string(10_000).unwrap();
        // The bucket of a run before is still there.
        assert!(sent.status() == 200 || said.contains("BucketAlreadyOwnedByYou"), "{} {said}", sent.status());
    };
    put(
        "",
        b"<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LocationConstraint>eu-central-1</LocationConstraint></CreateBucketConfiguration>",
    );
    for (key, bytes) in books() {
        put(&format!("/{}", encode_path(key)), &bytes);
    }
    // More than one page of a listing.
    for number in 0..1_003 {
        put(&format!("/many/{number:04}.dat"), b"x");
    }
    put("/many/last.txt", b"Found behind a thousand.");
    let key = json!({"awsKey": keys.id, "awsSecret": keys.secret});
    let mut house = Fixture { server: server_that_reaches(&base), base, key };
    let last = house.answer_text("s3Directory", json!({"prefix": "many/"}));
    assert_eq!(last, "[Found behind a thousand.]");
    let rule = "handbook/R&D + Grüße/first rule.txt";
    assert_eq!(house.answer_text("S3", json!({ "keyName": rule })), "[Parcels leave on Mondays.]");
    let all = house.documents("s3Directory", json!({"prefix": "handbook/", "pdfUsage": "perFile"}));
    assert_eq!(all.len(), 3, "{all:?}");
    let gone = house.answer_text("S3", json!({"keyName": "handbook/gone.txt"}));
    assert!(gone.contains("answered 404: The specified key does not exist"), "{gone}");
    let told = house.answer_text("s3Directory", json!({"bucketName": "no-books"}));
    assert!(told.contains("answered 404: The specified bucket does not exist"), "{told}");
    for key in [
        json!({"awsKey": keys.id, "awsSecret": "another-secret-of-somebody"}),
        json!({"awsKey": "AKIAIOSFODNN7EXAMPLE", "awsSecret": keys.secret}),
    ] {
        house.key = key;
        let told = house.answer_text("S3", json!({ "keyName": rule }));
        assert!(told.contains("S3: the provider refused the API key"), "{told}");
    }
}

#[test]
fn wrong_keys_are_told_from_a_wrong_clock() {
    let (mut house, _provider, _) = stand_in(&[("a.txt", b"A.")]);
    house.server.app.clock.advance_seconds(3_600);
    let told = house.answer_text("S3", json!({"keyName": "a.txt"}));
    assert!(told.contains("the clock of this server is off"), "{told}");
    house.server.app.clock.advance_seconds(-3_600);
    for (key, says) in [
        (json!({"awsKey": ACCOUNT.id, "awsSecret": "another-secret-of-somebody"}), "refused the API key"),
        (json!({"awsKey": "AKIAIOSFODNN7OTHERS", "awsSecret": ACCOUNT.secret}), "refused the API key"),
        (json!({"awsKey": ACCOUNT.id}), "are not lent to flows"),
    ] {
        house.key = key;
        for card in ["S3", "s3Directory"] {
            let told = house.answer_text(card, json!({"keyName": "a.txt"}));
            assert!(told.contains(says), "{told}");
        }
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let (house, provider, _) = stand_in(&[]);
    for (inputs, says) in [
        (json!({"bucketName": "a/b"}), "must be the name of a bucket"),
        (json!({"bucketName": "evil.example#"}), "must be the name of a bucket"),
        (json!({"bucketName": ".."}), "must be the name of a bucket"),
        (json!({"region": "evil.example/"}), "must be the name of a region"),
        (json!({"fileProcessingMethod": "unstructured"}), "not sent to an Unstructured server"),
    ] {
        let mut all = json!({"keyName": "a.txt"});
        all.as_object_mut().unwrap().extend(inputs.as_object().cloned().unwrap());
        let told = house.answer_text("S3", all);
        assert!(told.contains(says), "{told}");
    }
    for key in ["../other/a.txt", "a/./b.txt", "a/.."] {
        let told = house.answer_text("S3", json!({ "keyName": key }));
        assert!(told.contains("parts that are dots only"), "{told}");
    }
    assert_eq!(provider.served_count(), 0);
}

#[test]
fn no_request_leads_a_loader_to_another_object() {
    let (house, provider, _) = stand_in(&[("a.txt", b"Ours."), ("b.txt", b"Not for everybody.")]);
    let (drawing, _) = house.card("S3", json!({"keyName": "a.txt"}));
    let names = ["keyName", "bucketName", "region", "serverUrl", "credential"];
    let flow = house.server.flow_with(&drawing.text(), &override_settings(&[("S3", &names)], &[]));
    let sent = json!({"keyName": "b.txt", "bucketName": "other", "region": "us-east-1",
        "serverUrl": "http://127.0.0.1:1"});
    let answer = house.server.ask(&flow, &json!({"question": "Hi", "overrideConfig": sent})).is(200).json();
    assert_eq!(answer["text"], "[Ours.]");
    assert!(provider.requests().iter().all(|request| request.path == "/our-books/a.txt"));
}

#[test]
fn an_object_that_is_too_large_or_of_no_kind_is_named() {
    let large = vec![b'a'; 25 * 1024 * 1024 + 1];
    let (house, _provider, objects) = stand_in(&[("picture.png", b"x"), ("broken.pdf", b"no pdf")]);
    objects.lock().unwrap().push(("large.txt".to_owned(), large));
    for (key, says) in [
        ("large.txt", "'large.txt' is larger than 25 MB"),
        ("picture.png", "'picture.png' was not read: files of this type"),
        ("broken.pdf", "'broken.pdf' was not read"),
    ] {
        let told = house.answer_text("S3", json!({ "keyName": key }));
        assert!(told.contains(says), "{told}");
    }
}

#[test]
fn a_bucket_of_too_many_objects_is_refused() {
    let (house, provider, _) = stand_in(&[]);
    provider.set_decision(|request| {
        assert!(ACCOUNT.refusal(request).is_none());
        let entry = "<Contents><Key>a.png</Key><Size>1</Size></Contents>".repeat(10);
        let body = format!("<ListBucketResult>{entry}<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>");
        Behaviour::Bytes { kind: "application/xml", body: body.into_bytes(), piece: 10_000 }
    });
    let told = house.answer_text("s3Directory", json!({}));
    assert!(told.contains("S3 Directory: there are too many objects"), "{told}");
    assert_eq!(provider.served_count(), 20);
}

#[test]
fn a_server_that_answers_nonsense_is_named() {
    let (house, provider, _) = stand_in(&[]);
    for (behaviour, says) in [
        (Behaviour::status(200, "<html>Hello</html>"), "list of objects could not be read"),
        (Behaviour::status(200, "<ListBucketResult><Contents>"), "list of objects could not be read"),
        (
            Behaviour::Bytes { kind: "application/xml", body: vec![b' '; 9_000_000], piece: 100_000 },
            "could not be read",
        ),
        (
            xml_error(301, "PermanentRedirect", "The bucket is in another region."),
            "301: The bucket is in another region.",
        ),
        (
            xml_error(400, "ExpiredToken", "The provided token has expired."),
            "the session token of the credential has expired",
        ),
        (xml_error(403, "AccessDenied", "Access Denied"), "403: Access Denied"),
    ] {
        provider.push_behaviour(behaviour);
        let told = house.answer_text("s3Directory", json!({}));
        assert!(told.contains(says) && told.contains("S3 Directory: "), "{told}");
    }
    let nobody = "http://127.0.0.1:1";
    let house = Fixture { server: server_that_reaches(nobody), base: nobody.to_owned(), ..house };
    let told = house.answer_text("S3", json!({"keyName": "a.txt"}));
    assert!(told.contains("S3: no connection to its server"), "{told}");
}

#[test]
fn an_address_inside_the_network_is_refused_unless_the_operator_names_it() {
    let (mut house, provider, _) = stand_in(&[("a.txt", b"Inside.")]);
    assert_eq!(house.answer_text("S3", json!({"keyName": "a.txt"})), "[Inside.]");
    let calls = provider.requests().len();
    house.server = Server::start();
    let refused = house.answer_text("S3", json!({"keyName": "a.txt"}));
    assert!(refused.contains("refused by policy") && !refused.contains("Inside"), "{refused}");
    assert_eq!(provider.requests().len(), calls);
}
