//! Who may frame the page on which one flow chats.

use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flow::AllowedOrigins;
use crate::domain::ids::FlowId;
use crate::http::origin::Origin;
use crate::ops;

/// The sources of `frame-ancestors` for the chat page of the flow of this id: its Allowed Domains, anyone where they name
/// nobody in particular, and nobody else when there is no such flow (security rules 2, contract 4.9).
///
/// # Errors
/// When the database cannot be read.
pub fn ancestors(app: &App, flow: &str) -> Result<String> {
    let allowed = match FlowId::parse(flow) {
        Some(id) => ops::flows::allowed_origins(app, &id)?,
        None => None,
    };
    Ok(allowed.map_or_else(|| "'self'".to_owned(), |allowed| sources(&allowed, &app.settings.cors_origins)))
}

/// An entry is written anew from what was understood of it, so that it cannot say anything else.
fn sources(allowed: &AllowedOrigins, cors: &[String]) -> String {
    let allowed = match allowed {
        AllowedOrigins::Only(entries) if cors.iter().all(|entry| entry.trim() != "*") => entries,
        AllowedOrigins::Only(_) | AllowedOrigins::Every => return "*".to_owned(),
    };
    let mut sources = "'self'".to_owned();
    for origin in allowed.iter().chain(cors).filter_map(|entry| Origin::parse_entry(entry)) {
        if !origin.host.is_ascii() {
            continue;
        }
        sources.push(' ');
        if let Some(scheme) = &origin.scheme {
            sources.push_str(scheme);
            sources.push_str("://");
        }
        sources.push_str(&origin.host);
        if let Some(port) = origin.port {
            sources.push_str(&format!(":{port}"));
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allowed_domains_may_frame_a_chat() {
        let list = |entries: &[&str]| entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>();
        assert_eq!(sources(&AllowedOrigins::Every, &[]), "*");
        for (allowed, cors, expected) in [
            (list(&[]), list(&[]), "'self'"),
            (list(&["https://A.example/x"]), list(&[]), "'self' https://a.example"),
            (
                list(&["b.example:8080"]),
                list(&["http://c.example"]),
                "'self' b.example:8080 http://c.example",
            ),
            (list(&["https://a.example"]), list(&["*"]), "*"),
            (list(&["a.example; script-src *"]), list(&[]), "'self'"),
            (list(&["*"]), list(&[]), "'self'"),
        ] {
            let allowed = AllowedOrigins::Only(allowed);
            assert_eq!(sources(&allowed, &cors), expected, "{allowed:?} {cors:?}");
        }
    }
}
