//! What every route must say of itself.

use super::describe::{describe, tag_of, template_path};
use super::spec::BodyFormat;
use crate::http::routing::routes;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

fn made() -> Value {
    describe(routes::service_routes())
}

#[test]
fn the_committed_description_is_that_of_this_service() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/openapi.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&made()).unwrap());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(file, text).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        committed == text,
        "assets/openapi.json is not up to date: UPDATE_GOLDEN=1 cargo test --lib committed_description"
    );
}

#[test]
fn every_route_is_described_once_and_says_what_it_gives() {
    let document = made();
    let paths = document["paths"].as_object().unwrap();
    let described: usize = paths.values().map(|path| path.as_object().unwrap().len()).sum();
    assert_eq!(described, routes::service_routes().len());
    let mut ids = HashSet::new();
    for route in routes::service_routes() {
        let name = format!("{} {}", route.method, route.pattern);
        assert!(
            !route.gives.is_empty(),
            "{name} does not say what it gives: its handler's types, or .answers(…)"
        );
        assert!(!route.summary.is_empty(), "{name} has no summary");
        assert!(tag_of(route).is_some(), "{name} belongs to no room: see TAGS");
        assert!(
            route.id.starts_with(|c: char| c.is_ascii_lowercase())
                && route.id.chars().all(|c| c.is_ascii_alphanumeric()),
            "{name} needs an id in camelCase: .id(…)"
        );
        assert!(ids.insert(route.id), "{name}: the id {} is taken", route.id);
        let forms = route.takes.iter().filter(|body| body.kind == BodyFormat::Form).count();
        let bodies = route.takes.len() - forms;
        use crate::http::routing::router::Accepts;
        match route.accepts {
            Accepts::None => assert!(route.takes.is_empty(), "{name} takes no body"),
            Accepts::Json => assert_eq!(forms, 0, "{name} takes no form"),
            Accepts::Multipart => assert_eq!((forms, bodies), (1, 0), "{name}: .takes_form(…)"),
            // The description shows what most callers send.
            Accepts::Bytes => assert_eq!((forms, bodies), (0, 1), "{name}: .may_take_json(…)"),
            Accepts::JsonOrMultipart => {
                assert_eq!((forms, bodies), (1, 1), "{name}: .takes_json(…) and .takes_form(…)");
            }
        }
    }
    assert_eq!(template_path("/api/v1/prediction/:id"), "/api/v1/prediction/{id}");
}
