//! The web page: which of its files answers which address, and what the browser is told about it (manual 12.3).
//!
//! The page is one document for all its addresses; which there are is [`SCREENS`]. Elsewhere it says itself that nothing is
//! there, under a 404.

use super::assets::{self, Asset};
use super::manual;
use super::{INERT_POLICY, Reply};
use crate::app::App;
use crate::domain::accounts::token::Token;
use crate::domain::error::{Error, Result};
use crate::http::api::flows::chat_framing;
use crate::http::routing::prefix;
use crate::http::routing::router::parse_path;
use bytes::Bytes;
use hyper::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use hyper::{HeaderMap, Method, StatusCode};
use std::borrow::Cow;

/// Where the page asks for the value that its inline styles carry.
const NONCE_PLACEHOLDER: &str = "__CSP_NONCE__";
/// Files whose names hold a digest of their content.
const HASHED_FOLDER: &str = "app";
/// The chat as a script for pages of other sites.
const WIDGET: &str = "widget.js";
const MANUAL_FOLDER: &str = "docs";
/// The policy of the manual: text, one stylesheet and a search, and nothing that runs.
const MANUAL_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
                             form-action 'self'; frame-ancestors 'none'";

/// The addresses of the page's screens, as its table of routes writes them (`assets/ui/src/app/routes.tsx`): `:name` is any
/// one segment, and one at the end with `?` may be missing.
const SCREENS: &[&str] = &[
    "/setup",
    "/sign-in",
    "/invite",
    "/reset",
    "/home",
    "/",
    "/flows/:id/:tab?",
    "/assistants",
    "/conversations",
    "/conversations/:flow/:chat",
    "/usage",
    "/knowledge",
    "/knowledge/:id",
    "/templates",
    "/executions",
    "/executions/:id",
    "/execution/:id",
    "/git-copy",
    "/promote",
    "/promote/:id",
    "/credentials",
    "/variables",
    "/tools",
    "/api-keys",
    "/users",
    "/roles",
    "/workspaces",
    "/audit",
    "/server",
    "/account",
];

/// What an address outside the route table means.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::http) enum SitePage {
    Index,
    /// The page, which has nothing at this address.
    NotFound,
    /// The chat with one flow, alone on a page that others may frame.
    Chat(String),
    /// A file of the page, by its name.
    File(String),
    /// A page of the manual, or its stylesheet.
    Manual(String),
    /// The passages of the manual with these words.
    ManualSearch(String),
    /// The cards that flows are drawn from.
    Cards,
    Card(String),
}

/// What a GET of this path means, with its query as it came; `None` for what does not exist.
pub(in crate::http) fn find(method: &Method, path: &str, query: &str) -> Option<SitePage> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    if path == "/" {
        return Some(SitePage::Index);
    }
    let segments = parse_path(path)?;
    match segments.as_slice() {
        [first, ..] if first.eq_ignore_ascii_case("api") => None,
        [first, flow] if matches!(first.as_ref(), "chat" | "chatbot") => {
            Some(SitePage::Chat(flow.to_string()))
        }
        [first] if first == MANUAL_FOLDER => Some(SitePage::Manual(manual::INDEX.to_owned())),
        [first, name] if first == MANUAL_FOLDER && name == "search" => {
            let mut fields = form_urlencoded::parse(query.as_bytes());
            let words = fields.find_map(|(name, words)| (name == "q").then_some(words));
            Some(SitePage::ManualSearch(words.unwrap_or_default().into_owned()))
        }
        [first, name] if first == MANUAL_FOLDER && name == "cards" => Some(SitePage::Cards),
        [first, cards, name] if first == MANUAL_FOLDER && cards == "cards" => {
            Some(SitePage::Card(name.to_string()))
        }
        [first, name] if first == MANUAL_FOLDER && name != manual::INDEX && manual::has_page(name) => {
            Some(SitePage::Manual(name.to_string()))
        }
        [.., last] if last.contains('.') => Some(SitePage::File(segments.join("/"))),
        [first, ..] if first == HASHED_FOLDER => None,
        _ if SCREENS.iter().any(|screen| is_match(screen, &segments)) => Some(SitePage::Index),
        _ => Some(SitePage::NotFound),
    }
}

impl SitePage {
    /// True when there is something to show.
    pub(in crate::http) fn exists(&self) -> bool {
        match self {
            Self::Index
            | Self::Chat(_)
            | Self::Manual(_)
            | Self::ManualSearch(_)
            | Self::Cards
            | Self::Card(_) => true,
            Self::File(name) => assets::find(name).is_some(),
            Self::NotFound => false,
        }
    }
}

/// True when an address of these segments is one of this screen's.
fn is_match(screen: &str, segments: &[Cow<'_, str>]) -> bool {
    let parts: Vec<&str> = screen.split('/').skip(1).collect();
    let needed = parts.iter().filter(|part| !part.ends_with('?')).count();
    let fits = |(part, segment): (&&str, &Cow<'_, str>)| part.starts_with(':') || part == segment;
    (needed..=parts.len()).contains(&segments.len()) && parts.iter().zip(segments).all(fits)
}

/// Answers it: blocking, because a chat page asks for its flow's Allowed Domains.
///
/// # Errors
/// 404 for a file that is none of the page's; when the database cannot be read.
pub(in crate::http) fn render(app: &App, page: &SitePage, headers: &HeaderMap) -> Result<Reply> {
    match page {
        SitePage::Index => document(app, StatusCode::OK, "index.html", "'none'"),
        SitePage::NotFound => document(app, StatusCode::NOT_FOUND, "index.html", "'none'"),
        SitePage::Chat(flow) => {
            let framing = chat_framing::frame_ancestors(app, flow, headers)?;
            // Who opens the link of a chat that is none of theirs reads so in the page's own words.
            let status = if framing.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            document(app, status, "chat.html", framing.as_deref().unwrap_or("'self'"))
        }
        SitePage::File(name) => file(name, headers),
        SitePage::Manual(name) => manual_page(manual::find(name, app.settings.base_path()), headers),
        SitePage::ManualSearch(words) => {
            manual_page(manual::search_page(words, app.settings.base_path()), headers)
        }
        SitePage::Cards => manual_page(manual::cards_page(app.settings.base_path()), headers),
        SitePage::Card(name) => manual_page(manual::card_page(name, app.settings.base_path()), headers),
    }
}

fn file_not_found() -> Error {
    Error::NotFound("There is no such file.".to_owned())
}

/// A page with a value of its own for its styles, which no cache may keep.
fn document(app: &App, status: StatusCode, name: &str, frame_ancestors: &str) -> Result<Reply> {
    let asset = assets::find(name).ok_or_else(file_not_found)?;
    let text = std::str::from_utf8(&asset.bytes).map_err(Error::internal)?;
    let nonce = Token::random();
    let placed = prefix::insert_prefix(text, app.settings.base_path());
    let body = Bytes::from(placed.replace(NONCE_PLACEHOLDER, nonce.as_str()));
    let policy = format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-{}'; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
         frame-ancestors {frame_ancestors}",
        nonce.as_str()
    );
    Ok(Reply::from_parts(status, asset.content_type, body, INERT_POLICY)
        .with_header("content-security-policy", &policy)
        .with_header("cross-origin-opener-policy", "same-origin")
        .with_header("cross-origin-resource-policy", "same-origin")
        .with_header(
            "permissions-policy",
            "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
        ))
}

fn file(name: &str, headers: &HeaderMap) -> Result<Reply> {
    // A page is only served by its address, where its place for a value is filled.
    let asset =
        (!name.ends_with(".html")).then(|| assets::find(name)).flatten().ok_or_else(file_not_found)?;
    let hashed = name.split_once('/').is_some_and(|(folder, _)| folder == HASHED_FOLDER);
    let caching = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    let reply = reply_unless_cached(&asset, headers, INERT_POLICY)?.with_header("cache-control", caching);
    if name == WIDGET {
        // It holds nothing of anybody, and pages of other sites load it.
        return Ok(reply
            .with_header("access-control-allow-origin", "*")
            .with_header("cross-origin-resource-policy", "cross-origin"));
    }
    Ok(reply.with_header("cross-origin-resource-policy", "same-origin"))
}

/// The manual is the same for everybody and says nothing of this server, so nobody has to sign in for it.
fn manual_page(asset: Result<Asset>, headers: &HeaderMap) -> Result<Reply> {
    let reply = reply_unless_cached(&asset?, headers, MANUAL_POLICY)?;
    Ok(reply
        .with_header("cache-control", "no-cache")
        .with_header("cross-origin-resource-policy", "same-origin"))
}

/// A file with its tag, or 304 for a browser that has it already.
fn reply_unless_cached(asset: &Asset, headers: &HeaderMap, policy: &'static str) -> Result<Reply> {
    let zipped = asset.is_text() && accepts_gzip(headers);
    let etag = format!("\"{}{}\"", asset.digest, if zipped { "-gzip" } else { "" });
    let reply = if has_etag(headers, &etag) {
        Reply::empty(StatusCode::NOT_MODIFIED.as_u16())
    } else {
        full_reply(asset, zipped, policy)?
    };
    let reply = reply.with_header("etag", &etag);
    Ok(if asset.is_text() { reply.with_header("vary", "accept-encoding") } else { reply })
}

fn full_reply(asset: &Asset, zipped: bool, policy: &'static str) -> Result<Reply> {
    let bytes = if zipped { asset.gzip().map_err(Error::internal)? } else { asset.bytes.clone() };
    let reply = Reply::from_parts(StatusCode::OK, asset.content_type, bytes, policy);
    Ok(if zipped { reply.with_header("content-encoding", "gzip") } else { reply })
}

fn has_etag(headers: &HeaderMap, etag: &str) -> bool {
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    known.split(',').any(|one| one.trim().trim_start_matches("W/") == etag)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let taken = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    taken.split(',').any(|one| {
        let (coding, weight) = one.split_once(';').unwrap_or((one, ""));
        coding.trim().eq_ignore_ascii_case("gzip")
            && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_page_a_file_or_nothing() {
        let index = || Some(SitePage::Index);
        let nothing = || Some(SitePage::NotFound);
        let chat = || Some(SitePage::Chat("x".to_owned()));
        let file = |name: &str| Some(SitePage::File(name.to_owned()));
        let manual = |name: &str| Some(SitePage::Manual(name.to_owned()));
        for (path, expected) in [
            ("/", index()),
            ("/flows/x/versions", index()),
            ("/chat", nothing()),
            ("/docs", manual("README")),
            ("/docs/", manual("README")),
            ("/docs/limits", manual("limits")),
            ("/docs/manual.css", manual("manual.css")),
            ("/docs/README", nothing()),
            ("/docs/nothing", nothing()),
            ("/docs/search", Some(SitePage::ManualSearch("a b".to_owned()))),
            ("/docs/cards", Some(SitePage::Cards)),
            ("/docs/cards/llmChain", Some(SitePage::Card("llmChain".to_owned()))),
            ("/flows", nothing()),
            ("/flows/x/", index()),
            ("/flows/x/y/z", nothing()),
            ("/Sign-in", nothing()),
            ("/sign-in", index()),
            ("/x/y", nothing()),
            ("/chat/x", chat()),
            ("/chatbot/x/", chat()),
            ("/app/index-abc.js", file("app/index-abc.js")),
            ("/widget.js", file("widget.js")),
            ("/flows/a.b", file("flows/a.b")),
            ("/app/x", None),
            ("/api", None),
            ("/api/v1/nothing", None),
            ("/API/v1/nothing.js", None),
            ("/app/../BUILD.js", None),
            ("/app/%2e%2e/x.js", None),
            ("//widget.js", None),
        ] {
            assert_eq!(find(&Method::GET, path, "x=1&q=a+b"), expected, "{path}");
        }
        assert_eq!(find(&Method::POST, "/", ""), None);
    }

    #[test]
    fn the_screens_are_those_of_the_page() {
        let routes = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/ui/src/app/routes.tsx");
        let routes = std::fs::read_to_string(routes).unwrap();
        let lines = routes.lines().map(str::trim);
        let framed = lines.filter_map(|line| {
            let frames = ["shell('", "full('", "bare('"];
            frames.iter().find_map(|frame| line.strip_prefix(frame))?.split('\'').next()
        });
        let mut known = SCREENS.to_vec();
        let mut screens: Vec<&str> = framed.collect();
        known.sort_unstable();
        screens.sort_unstable();
        assert_eq!(screens, known);
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        for (sent, expected) in [
            ("gzip, deflate, br", true),
            ("br;q=1, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("br", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, sent.parse().unwrap())]);
            assert_eq!(accepts_gzip(&headers), expected, "{sent}");
        }
    }
}
