//! Sources elsewhere: a run over a bucket, a repository or a site goes on where it was, and reads nothing that lies behind it.

use super::provider::{Behaviour, Provider, RecordedRequest};
use super::{BATCH, FILES, Ground, Program, Running, node, pipeline, stop};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Names on a page of a listing.
const PAGE: usize = 20;

/// What is answered for a document, and for the lists of them: by a bucket, a repository whose list comes in parts, and a site.
fn archive() -> Provider {
    let archive = Provider::start();
    let base = archive.base_url();
    archive.set_decision(move |request| {
        let path = request.path.as_str();
        let body = if path.starts_with("/books/?list-type=2") {
            bucket_page(path)
        } else if path == "/repos/me/app/git/trees/main?recursive=1" {
            json!({"tree": [], "truncated": true}).to_string()
        } else if path == "/repos/me/app/git/trees/main" {
            let folder = |number: usize| json!({"path": number.to_string(), "type": "tree", "sha": format!("s{number}")});
            json!({"tree": (0..FILES / 10).map(folder).collect::<Vec<_>>()}).to_string()
        } else if let Some(folder) = path.strip_prefix("/repos/me/app/git/trees/s") {
            repository_folder(folder.trim_end_matches("?recursive=1").parse().unwrap())
        } else if path == "/sitemap.xml" {
            let mut list = "<urlset>".to_owned();
            // No list is in any order.
            (0..FILES).rev().for_each(|number| write!(list, "<url><loc>{base}/{number:03}.txt</loc></url>").unwrap());
            list + "</urlset>"
        } else {
            let number: usize = document(request).expect("nothing else is asked for").parse().unwrap();
            format!("word {number}")
        };
        Behaviour::Bytes { kind: "text/plain", body: body.into_bytes(), piece: 10_000 }
    });
    archive
}

/// The number in the name of a document that is asked for.
fn document(request: &RecordedRequest) -> Option<String> {
    let path = request.path.split('?').next().unwrap();
    Some(path.rsplit('/').next().unwrap().strip_suffix(".txt")?.to_owned())
}

fn bucket_page(path: &str) -> String {
    let query = path.split_once('?').unwrap().1;
    let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name));
    let from = match (value("start-after="), value("continuation-token=")) {
        (Some(after), _) => after.trim_end_matches(".txt").parse::<usize>().unwrap() + 1,
        (None, token) => token.map_or(0, |token| token.parse().unwrap()),
    };
    let mut page = "<ListBucketResult>".to_owned();
    for number in from..FILES.min(from + PAGE) {
        write!(page, "<Contents><Key>{number:03}.txt</Key><Size>9</Size></Contents>").unwrap();
    }
    let next = from + PAGE;
    if next < FILES {
        write!(page, "<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>")
            .unwrap();
    }
    page + "</ListBucketResult>"
}

fn repository_folder(folder: usize) -> String {
    let file = |number: usize| json!({"path": format!("{number:03}.txt"), "type": "blob", "size": 9});
    json!({"tree": (folder * 10..folder * 10 + 10).map(file).collect::<Vec<_>>()}).to_string()
}

/// Runs over this source, kills the service behind the first batch, and looks at what is read then.
fn goes_on(archive: &Provider, source: impl FnOnce(&Ground<'_>) -> Value) {
    let allowed = archive.base_url().replace("http://", "");
    let running = Running::start_allowing(&allowed, |ground| pipeline(&source(ground), &[]));
    running.wait_for(BATCH);
    let running = running.again(Program::kill);
    let (done, resumed) = running.end();
    assert_eq!((resumed, &done["read"]), (true, &json!(FILES)), "{done}");
    running.check_targets(&done);
    let mut asked = vec![0; FILES];
    for number in archive.requests().iter().filter_map(document) {
        asked[number.parse::<usize>().unwrap()] += 1;
    }
    assert!(
        asked[..BATCH as usize - 1].iter().all(|count| *count == 1),
        "what lay behind was read again: {asked:?}"
    );
    assert!(asked.iter().all(|count| (1..=2).contains(count)), "{asked:?}");
    stop(running.service);
}

#[test]
fn a_killed_pipeline_over_a_bucket_goes_on() {
    let archive = archive();
    goes_on(&archive, |ground| {
        let key = json!({"awsKey": "AKIAIOSFODNN7EXAMPLE", "awsSecret": "secret"});
        let credential = ground.service.make_credential(ground.key, "awsApi", &key);
        let inputs =
            json!({"bucketName": "books", "region": "eu-central-1", "serverUrl": archive.base_url()});
        let mut source = node("source", "s3Directory", inputs);
        source["data"]["credential"] = credential.into();
        source
    });
}

#[test]
fn a_killed_pipeline_over_a_repository_goes_on() {
    let archive = archive();
    goes_on(&archive, |_| {
        let inputs = json!({
            "repoLink": "https://github.com/me/app", "githubInstanceApi": archive.base_url(), "branch": "main",
            "recursive": true,
        });
        node("source", "github", inputs)
    });
}

#[test]
fn a_killed_pipeline_over_the_pages_of_a_sitemap_goes_on() {
    let archive = archive();
    goes_on(&archive, |_| {
        let inputs =
            json!({"url": archive.base_url(), "relativeLinksMethod": "scrapeXMLSitemap", "limit": "0"});
        node("source", "cheerioWebScraper", inputs)
    });
}
