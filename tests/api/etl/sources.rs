//! Sources elsewhere, which hand their documents over one at a time.

use super::{counts, line, pipeline, run};
use crate::support::canvases::Drawing;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// More than are held at once where a source is read as a whole.
const OBJECTS: usize = 1_100;
/// Names on a page of a listing.
const PAGE: usize = 100;

fn text(body: String) -> Behaviour {
    Behaviour::Bytes { kind: "text/plain", body: body.into_bytes(), piece: 100_000 }
}

fn bucket_page(path: &str) -> String {
    let token = path.split_once("continuation-token=").map(|(_, token)| token.parse().unwrap());
    let from: usize = token.unwrap_or(0);
    let mut page = "<ListBucketResult>".to_owned();
    for number in from..OBJECTS.min(from + PAGE) {
        write!(page, "<Contents><Key>{number:04}.txt</Key><Size>9</Size></Contents>").unwrap();
    }
    let next = from + PAGE;
    if next < OBJECTS {
        write!(page, "<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>")
            .unwrap();
    }
    page + "</ListBucketResult>"
}

/// A service that may read the bucket beside it.
fn start() -> (Server, Provider) {
    let bucket = Provider::start();
    (Server::with(&[("SERVICE_HTTP_ALLOW", &bucket.base_url().replace("http://", ""))]), bucket)
}

/// A pipeline over the objects of this server's bucket.
fn over_bucket(server: &Server, base: &str, card: (&str, Value)) -> Drawing {
    let mut inputs = json!({"bucketName": "books", "region": "eu-central-1", "serverUrl": base});
    inputs.as_object_mut().unwrap().extend(card.1.as_object().unwrap().clone());
    let mut drawing = line((card.0, inputs), &[], "append");
    let keys = json!({"awsKey": "AKIAIOSFODNN7EXAMPLE", "awsSecret": "secret"});
    let body = json!({"name": "aws", "credentialName": "awsApi", "plainDataObj": keys});
    drawing.credential(&format!("{}_0", card.0), &id(&server.post("/credentials", &body)));
    drawing
}

#[test]
fn a_bucket_passes_a_page_and_an_object_at_a_time_whatever_its_size() {
    let (server, bucket) = start();
    bucket.set_decision(|request| match request.path.as_str() {
        list if list.starts_with("/books/?") => text(bucket_page(list)),
        "/books/0007.txt" => {
            Behaviour::status(404, "<Error><Code>NoSuchKey</Code><Message>It went.</Message></Error>")
        }
        object => text(format!("Parcel {object}")),
    });
    let flow = pipeline(&server, &over_bucket(&server, &bucket.base_url(), ("s3Directory", json!({}))));
    let done = run(&server, &flow);
    let all = OBJECTS as u64;
    assert_eq!((&done["state"], counts(&done)), (&json!("FINISHED"), [all, all - 1, 0, 1]), "{done}");
    assert_eq!(done["errors"][0]["document"], "0007.txt");
    // A list is asked for when what the one before named is read.
    let lists: Vec<usize> = bucket
        .requests()
        .iter()
        .enumerate()
        .filter(|(_, request)| request.path.contains("list-type=2"))
        .map(|(at, _)| at)
        .collect();
    assert_eq!(lists, (0..OBJECTS / PAGE).map(|page| page * (PAGE + 1)).collect::<Vec<_>>());
}

#[test]
fn a_bucket_that_closes_in_the_midst_of_a_run_fails_it() {
    let (server, bucket) = start();
    bucket.set_decision(|request| match request.path.as_str() {
        list if list.starts_with("/books/?") => text(bucket_page(list)),
        object if object < "/books/0100.txt" => text(format!("Parcel {object}")),
        _ => Behaviour::status(
            400,
            "<Error><Code>ExpiredToken</Code><Message>It has expired.</Message></Error>",
        ),
    });
    let flow = pipeline(&server, &over_bucket(&server, &bucket.base_url(), ("s3Directory", json!({}))));
    let failed = run(&server, &flow);
    assert_eq!((&failed["state"], &failed["failed"]), (&json!("FAILED"), &json!(0)), "{failed}");
    assert!(failed["error"].as_str().unwrap().starts_with("S3 Directory: "), "{failed}");
}

#[test]
fn a_list_that_does_not_go_on_ends_a_run() {
    let (server, bucket) = start();
    bucket.set_decision(|_| {
        text("<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>".to_owned())
    });
    let flow = pipeline(&server, &over_bucket(&server, &bucket.base_url(), ("s3Directory", json!({}))));
    let failed = run(&server, &flow);
    assert!(failed["error"].as_str().unwrap().contains("does not go on"), "{failed}");
    assert_eq!(bucket.served_count(), 2);
}

#[test]
fn a_crawl_hands_over_its_pages_as_it_finds_them_and_names_those_that_are_gone() {
    let web = Provider::start();
    web.set_decision(|request| {
        let number: usize = request.path.trim_start_matches('/').parse().unwrap_or(0);
        if number == 5 {
            return Behaviour::status(404, "gone");
        }
        let links: String = (1..=3).map(|step| format!("<a href='/{}'>on</a>", number * 3 + step)).collect();
        let links = if number < 40 { links } else { String::new() };
        text(format!("<body><p>Page {number}</p>{links}</body>"))
    });
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &web.base_url().replace("http://", ""))]);
    let inputs = json!({"url": web.base_url(), "selector": "p", "limit": "0"});
    let flow = pipeline(&server, &line(("cheerioWebScraper", inputs), &[], "append"));
    let done = run(&server, &flow);
    // Page 5 would have led to 16, 17 and 18, and they to nine others.
    assert_eq!((&done["state"], counts(&done)), (&json!("FINISHED"), [109, 108, 0, 1]), "{done}");
    assert_eq!(done["errors"][0]["document"], json!(format!("{}/5", web.base_url())));
    let gone = json!({"url": format!("{}/5", web.base_url())});
    let failed = run(&server, &pipeline(&server, &line(("cheerioWebScraper", gone), &[], "append")));
    assert_eq!((&failed["state"], &failed["read"]), (&json!("FAILED"), &json!(0)), "{failed}");
    assert!(failed["error"].as_str().unwrap().contains("status 404"), "{failed}");
}

#[test]
fn the_chunks_of_a_document_store_pass_through_a_pipeline_that_fills_the_same_store() {
    let server = Server::start();
    let store = id(&server.post("/document-store/store", &json!({"name": "s"})));
    for number in 0..3 {
        let text = json!({"loader": {"name": "plainText", "config": {"text": format!("Parcel {number}")}}});
        server.post(&format!("/document-store/upsert/{store}"), &text);
    }
    let mut drawing = Drawing::default();
    let source = drawing.card("documentStore", json!({"selectedStore": store}));
    let code = json!({"javascriptFunction": "return $pageContent + '!';"});
    let louder = drawing.card("etlFunction", code);
    let target = drawing.card("etlDocumentStore", json!({"selectedStore": store}));
    drawing.wire(&source, &louder, "documents");
    drawing.wire(&louder, &target, "documents");
    let flow = pipeline(&server, &drawing);
    for read in [3, 6] {
        let done = run(&server, &flow);
        assert_eq!((&done["state"], &done["read"]), (&json!("FINISHED"), &json!(read)), "{done}");
    }
}
