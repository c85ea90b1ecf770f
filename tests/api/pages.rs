//! The web page as the program serves it (manual 12.3): which address answers what, and how a browser is told
//! to treat it.

use crate::support::Server;
use crate::support::canvases::scripted_flow;
use crate::support::client::Answer;
use serde_json::json;

fn policy(answer: &Answer) -> &str {
    answer.header("content-security-policy").unwrap()
}

/// The paths of the scripts and styles that a page names.
fn parts(page: &str) -> Vec<String> {
    let quoted = page.split('"').filter(|text| text.starts_with('/') && text.contains('.'));
    quoted.map(str::to_owned).collect()
}

#[test]
fn every_address_without_an_ending_is_the_page() {
    let server = Server::start();
    let screens = ["/", "/flows/x", "/flows/x/versions?with=1", "/sign-in"].map(|path| (path, 200));
    // Elsewhere the page says itself that nothing is there.
    let others =
        ["/elsewhere", "/nothing", "/flows", "/flows/x/y/z", "/chat", "/sign-in/x"].map(|path| (path, 404));
    for (path, status) in screens.into_iter().chain(others) {
        let answer = server.call_root("GET", path).send().is(status);
        assert!(answer.text().contains("<div id=\"root\">"), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{path}");
        assert!(policy(&answer).contains("frame-ancestors 'none'"), "{path}: {}", policy(&answer));
    }
}

#[test]
fn below_a_path_everything_is_found_with_and_without_it() {
    let server = Server::with(&[("SERVICE_BASE_URL", "https://host.example/flows/")]);
    let flow = server.flow_with(&scripted_flow(), &json!({"isPublic": true}));
    for before in ["", "/flows"] {
        for (path, status) in [
            ("/", 200),
            ("/sign-in", 200),
            ("/widget.js", 200),
            ("/api/v1/ping", 200),
            ("/health", 200),
            ("/docs", 200),
            ("/elsewhere", if before.is_empty() { 404 } else { 200 }),
            ("/nothing.js", 404),
            ("/api/v1/nothing", 404),
        ] {
            server.call_root("GET", &format!("{before}{path}")).send().is(status);
        }
        let page = server.call_root("GET", &format!("{before}/flows/{flow}/versions")).send().is(200).text();
        assert!(page.contains("<meta name=\"base-path\" content=\"/flows\" />"), "{page}");
        for part in parts(&page) {
            assert!(part.starts_with("/flows/"), "{part}");
            server.call_root("GET", &part).send().is(200);
        }
        let chat = server.call_root("GET", &format!("{before}/chat/{flow}")).send().is(200).text();
        assert!(chat.contains("src=\"/flows/chat.js\""), "{chat}");
        let asked = server.call_root("POST", &format!("{before}/api/v1/prediction/{flow}"));
        let asked =
            asked.header("Origin", "https://host.example").json(&json!({"question": "Hi"})).send().is(200);
        assert!(asked.header("set-cookie").unwrap().contains("; Path=/flows/api/v1; "), "{asked:?}");
    }
    server.call_root("GET", "/flowsome/api/v1/ping").send().is(404);
    server.call_root("DELETE", "/flows/api/v1/ping").send().is_error(405);
    assert!(server.cookie.starts_with("__Secure-flowkeep_session="), "{}", server.cookie);
}

#[test]
fn styles_carry_a_value_that_each_answer_has_anew() {
    let server = Server::start();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let answer = server.call_root("GET", "/").send().is(200);
        let nonce = policy(&answer).split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
        assert_eq!(nonce.len(), 43);
        let page = answer.text();
        assert!(page.contains(&nonce) && !page.contains("__CSP_NONCE__"), "{page}");
        assert!(!policy(&answer).contains("unsafe"), "{}", policy(&answer));
        seen.push(nonce);
    }
    assert_ne!(seen[0], seen[1]);
}

#[test]
fn all_that_a_page_names_is_served() {
    let server = Server::start();
    let shared = server.flow_with(&scripted_flow(), &json!({"isPublic": true}));
    for path in ["/", &format!("/chat/{shared}")] {
        let page = server.call_root("GET", path).send().is(200).text();
        let parts = parts(&page);
        assert!(parts.iter().any(|part| part.ends_with(".js")), "{page}");
        for part in parts {
            let answer = server.call_root("GET", &part).send().is(200);
            let kind = answer.header("content-type").unwrap();
            assert!(!kind.starts_with("text/html"), "{part}: {kind}");
            let hashed = part.starts_with("/app/");
            let caching = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
            assert_eq!(answer.header("cache-control"), Some(caching), "{part}");
        }
    }
}

#[test]
fn a_file_is_sent_once_to_a_browser_that_keeps_it() {
    let server = Server::start();
    let first = server.call_root("GET", "/widget.js").send().is(200);
    let etag = first.header("etag").unwrap();
    let again = server.call_root("GET", "/widget.js").header("if-none-match", etag).send().is(304);
    assert_eq!((again.text().as_str(), again.header("etag")), ("", Some(etag)));
    server.call_root("GET", "/widget.js").header("if-none-match", "\"another\"").send().is(200);
    let zipped = server.call_root("GET", "/widget.js").header("accept-encoding", "br, gzip").send().is(200);
    assert_eq!(zipped.header("content-encoding"), Some("gzip"));
    assert_eq!(zipped.header("vary"), Some("accept-encoding"));
    assert_ne!(zipped.header("etag"), Some(etag));
}

#[test]
fn the_widget_may_be_loaded_by_any_page_and_the_rest_only_by_ours() {
    let server = Server::start();
    let widget = server.call_root("GET", "/widget.js").send().is(200);
    assert_eq!(widget.header("access-control-allow-origin"), Some("*"));
    assert_eq!(widget.header("cross-origin-resource-policy"), Some("cross-origin"));
    let theme = server.call_root("GET", "/theme.js").send().is(200);
    assert_eq!(theme.header("access-control-allow-origin"), None);
    assert_eq!(theme.header("cross-origin-resource-policy"), Some("same-origin"));
}

#[test]
fn what_is_no_file_of_the_page_is_not_found() {
    let server = Server::start();
    for path in [
        "/nothing.js",
        "/index.html",
        "/app/nothing.js",
        "/app/nothing",
        "/BUILD.txt",
        "/app/..%2fBUILD.js",
        "/assets/dist/widget.js",
        "/widget.js.map",
        "/api",
        "/api/v1/nothing",
        "/api/v2/widget.js",
    ] {
        server.call_root("GET", path).send().is_error(404);
    }
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        server.call_root(method, "/flows").send().is_error(404);
    }
}

#[test]
fn a_chat_may_be_framed_by_the_allowed_domains_of_its_flow() {
    let server = Server::with(&[("CORS_ORIGINS", "https://everywhere.example")]);
    let open = server.flow_with(&scripted_flow(), &json!({"isPublic": true}));
    let config = json!({"allowedOrigins": ["https://a.example", "b.example:8443"]}).to_string();
    let closed = server.flow_with(&scripted_flow(), &json!({"chatbotConfig": config, "isPublic": true}));
    let ancestors = |path: &str| {
        let answer = server.call_root("GET", path).send().is(200);
        policy(&answer).split("frame-ancestors ").nth(1).unwrap().to_owned()
    };
    assert_eq!(ancestors(&format!("/chat/{open}")), "*");
    for path in ["chat", "chatbot"] {
        assert_eq!(
            ancestors(&format!("/{path}/{closed}")),
            "'self' https://a.example b.example:8443 https://everywhere.example"
        );
    }
}

#[test]
fn the_chat_of_a_flow_that_is_not_shared_opens_for_those_who_may_see_it() {
    let server = Server::start();
    let config = json!({"allowedOrigins": ["https://a.example"]}).to_string();
    let private = server.flow_with(&scripted_flow(), &json!({"chatbotConfig": config}));
    let nobodys = "00000000-0000-4000-8000-000000000000";
    for path in ["chat", "chatbot"] {
        for flow in [&private, nobodys, "unknown"] {
            let answer = server.call_root("GET", &format!("/{path}/{flow}")).send().is(404);
            assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
            assert!(policy(&answer).ends_with("frame-ancestors 'self'"), "{}", policy(&answer));
            let stale = server.call_root("GET", &format!("/{path}/{flow}"));
            stale.header("cookie", "flowkeep_session=nothing").send().is(404);
        }
        // A link in a mail leads there from another site.
        let call = server.call_root("GET", &format!("/{path}/{private}")).header("cookie", &server.cookie);
        let answer = call.header("sec-fetch-site", "cross-site").send().is(200);
        assert!(policy(&answer).ends_with("frame-ancestors 'self'"), "{}", policy(&answer));
        let unknown = server.call_root("GET", &format!("/{path}/{nobodys}"));
        unknown.header("cookie", &server.cookie).send().is(404);
    }
    server.put(&format!("/chatflows/{private}"), &json!({"isPublic": true}));
    server.call_root("GET", &format!("/chat/{private}")).send().is(200);
}
