//! Who may open, and who may frame, the page on which one flow chats.

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::flows::settings::AllowedOrigins;
use crate::domain::ids::FlowId;
use crate::http::routing::guard;
use crate::http::routing::origin::Origin;
use crate::ops::conversations::files;
use hyper::HeaderMap;

/// The sources of `frame-ancestors` for the chat page of the flow of this id; `None` when whoever opens it is told that
/// there is no such page.
///
/// A shared flow is everybody's, and its Allowed Domains may frame it: anyone where they name nobody in particular
/// (manual 2.4 r2, 2.13 r3). Another flow is for those who may see it when they are signed in.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn frame_ancestors(app: &App, flow: &str, headers: &HeaderMap) -> Result<Option<String>> {
    let Some(id) = FlowId::parse(flow) else { return Ok(None) };
    let flow = match app.flow_cache.flow(app, &id) {
        Ok(flow) => flow,
        Err(Error::NotFound(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    if flow.settings.is_shared() {
        return Ok(Some(sources(&flow.settings.chatbot_config.allowed_origins, &app.settings.cors_origins)));
    }
    // A session that is over proves nothing, and nothing is refused for it.
    let visitor = guard::visitor(app, headers).unwrap_or_default();
    let sees = visitor.is_some_and(|caller| files::can_see_conversations(&caller, &flow));
    Ok(sees.then(|| "'self'".to_owned()))
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
        sources.push_str(&origin.to_string());
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
