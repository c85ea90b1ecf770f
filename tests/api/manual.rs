//! The manual at `/docs`: for everybody, complete in itself, and nothing in it runs.

use crate::support::Server;
use std::collections::BTreeSet;

/// The addresses that a page leads to or needs, without their anchors.
fn places(page: &str) -> BTreeSet<String> {
    let named = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let whole = named.map(|place| place.split('#').next().unwrap_or_default().to_owned());
    whole.filter(|place| !place.is_empty()).collect()
}

/// The anchors that a page leads to, with the address of their page.
fn anchors(page: &str, own: &str) -> Vec<(String, String)> {
    let named = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()?.split_once('#'));
    let of = |(place, anchor): (&str, &str)| {
        (if place.is_empty() { own } else { place }.to_owned(), anchor.to_owned())
    };
    named.map(of).collect()
}

#[test]
fn everybody_reads_every_chapter() {
    let server = Server::start();
    let index = server.call_root("GET", "/docs").send().is(200);
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(index.header("cache-control"), Some("no-cache"));
    assert_eq!(index.header("cross-origin-resource-policy"), Some("same-origin"));
    let policy = index.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'; ") && !policy.contains("unsafe"),
        "{policy}"
    );
    let places = places(&index.text());
    assert!(places.len() > 14, "{places:?}");
    for place in places {
        let page = server.call_root("GET", &place).send().is(200);
        let text = page.text();
        assert!(!text.contains("<script") && !text.contains("style=\""), "{place}");
        for (other, anchor) in anchors(&text, &place) {
            let other = server.call_root("GET", &other).send().is(200).text();
            assert!(other.contains(&format!("id=\"{anchor}\"")), "{place} leads to {anchor}");
        }
    }
    server.call_root("GET", "/docs/nothing").send().is(404);
    server.call_root("GET", "/docs/nothing.css").send().is_error(404);
    server.call_root("POST", "/docs").send().is_error(404);
}

#[test]
fn a_search_leads_to_the_rules_that_hold_every_word() {
    let server = Server::start();
    let found = server.call_root("GET", "/docs/search?q=Publish+draft").send().is(200).text();
    assert!(found.contains("<mark>"), "{found}");
    let places = anchors(&found, "/docs/search");
    assert!(places.len() > 3, "{places:?}");
    for (place, anchor) in places {
        let page = server.call_root("GET", &place).send().is(200).text();
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{place}#{anchor}");
    }
    let strange = server.call_root("GET", "/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E").send().is(200);
    assert!(!strange.text().contains("<script"), "{}", strange.text());
    assert!(strange.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
}

#[test]
fn every_card_has_a_page_in_the_reference() {
    let server = Server::start();
    let list = server.call_root("GET", "/docs/cards").send().is(200).text();
    for card in server.read("/nodes").as_array().unwrap() {
        let place = format!("/docs/cards/{}", card["name"].as_str().unwrap());
        assert!(list.contains(&format!("href=\"{place}\"")), "{place}");
        let page = server.call_root("GET", &place).send().is(200).text();
        for input in card["inputs"].as_array().unwrap() {
            let name = format!("<code>{}</code>", input["name"].as_str().unwrap());
            assert!(page.contains(&name), "{place}: {name}");
        }
        assert!(!page.contains("<script") && !page.contains("style=\""), "{place}");
    }
    server.call_root("GET", "/docs/cards/chatOfTomorrow").send().is_error(404);
}

#[test]
fn a_rule_has_an_address_of_its_own() {
    let server = Server::start();
    let page = server.call_root("GET", "/docs/flows").send().is(200).text();
    assert!(page.contains("<h2 id=\"57-publishing\">") && page.contains("<li id=\"5.7-r3\">"), "{page}");
}

#[test]
fn a_chapter_is_sent_once_to_a_browser_that_keeps_it() {
    let server = Server::start();
    let first = server.call_root("GET", "/docs/limits").send().is(200);
    let etag = first.header("etag").unwrap();
    let again = server.call_root("GET", "/docs/limits").header("if-none-match", etag).send().is(304);
    assert_eq!((again.text().as_str(), again.header("etag")), ("", Some(etag)));
    let zipped = server.call_root("GET", "/docs/limits").header("accept-encoding", "gzip").send().is(200);
    assert_eq!(zipped.header("content-encoding"), Some("gzip"));
    assert_ne!(zipped.header("etag"), Some(etag));
}

#[test]
fn below_a_path_the_chapters_lead_to_one_another() {
    let server = Server::with(&[("SERVICE_BASE_URL", "https://host.example/flows")]);
    for before in ["", "/flows"] {
        let index = server.call_root("GET", &format!("{before}/docs")).send().is(200).text();
        for place in places(&index) {
            assert!(place.starts_with("/flows/"), "{place}");
            server.call_root("GET", &place).send().is(200);
        }
    }
}
