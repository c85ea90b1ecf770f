//! Makes the API description from the route table and from what its routes say of themselves.

use super::components::{Components, param_schema};
use super::spec::{self, BodyFormat, ContentSpec, ParamKind, ParamLocation, ParamSpec};
use super::statuses;
use crate::http::reply::error_shape::ErrorShape;
use crate::http::routing::guard::RequiredAccess;
use crate::http::routing::router::Route;
use schemars::generate::Contract;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Tags by the first segment of a path, as clients list them.
const TAGS: &[(&str, &[&str])] = &[
    (
        "Asking",
        &[
            "prediction",
            "harnesses",
            "internal-prediction",
            "attachments",
            "get-upload-file",
            "public-chatbotConfig",
            "chatflows-uploads",
            "chatflows-streaming",
        ],
    ),
    ("OpenAI", &["openai"]),
    ("Flows", &["chatflows", "public-chatflows", "validation", "flow-config", "refused-origins"]),
    ("Webhooks", &["webhook", "webhook-listener"]),
    ("MCP", &["mcp", "mcp-server"]),
    ("Drafts", &["flow-drafts"]),
    ("Versions", &["flow-versions"]),
    (
        "Conversations",
        &["chatmessage", "internal-chatmessage", "conversations", "stats", "usage", "feedback", "leads"],
    ),
    ("Executions", &["executions", "public-executions"]),
    ("Vector stores", &["vector", "upsert-history"]),
    ("Document stores", &["document-store"]),
    ("Pipelines", &["etl"]),
    (
        "Cards",
        &[
            "nodes",
            "node-load-method",
            "node-config",
            "node-custom-function",
            "node-answer-schema",
            "node-icon",
        ],
    ),
    ("Assistants", &["assistants"]),
    ("Tools", &["tools", "custom-mcp-servers"]),
    (
        "Credentials",
        &[
            "credentials",
            "components-credentials",
            "components-credentials-icon",
            "oauth2-credential",
            "used-by",
        ],
    ),
    ("Variables", &["variables"]),
    ("API keys", &["apikey", "verify"]),
    ("Accounts", &["account", "auth", "user"]),
    ("People", &["organization", "organizationuser", "role", "workspace", "workspaceuser", "audit"]),
    ("Export and import", &["export-import", "marketplaces"]),
    (
        "Service",
        &["ping", "version", "health", "ready", "metrics", "openapi.json", "settings", "ip", "server"],
    ),
];

/// The tag of a route; `None` for one that [`TAGS`] does not know, which a test refuses.
pub(super) fn tag_of(route: &Route) -> Option<&'static str> {
    let first = path_below_prefix(route).split('/').find(|part| !part.is_empty())?;
    TAGS.iter().find(|(_, segments)| segments.contains(&first)).map(|(tag, _)| *tag)
}

pub(super) fn describe(routes: &[Route]) -> Value {
    let (mut paths, mut components) = (Map::new(), Components::default());
    for route in routes {
        let path = paths.entry(template_path(&route.pattern)).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route, &mut components);
    }
    let refusals = error_responses(&mut components);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Flowkeep",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Hosts LLM flows: drafts, versions, checks, and answers over HTTP.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "tags": TAGS.iter().map(|(tag, _)| json!({"name": tag})).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key, or the key of a flow."},
                "session": {"type": "apiKey", "in": "cookie", "name": "flowkeep_session", "description": "The cookie set by signing in; on https its name begins with __Host-."},
            },
            "responses": refusals,
            "schemas": components.finish(),
        },
    })
}

/// `/chatflows/:id` becomes `/chatflows/{id}`.
pub(super) fn template_path(pattern: &str) -> String {
    let parts = pattern
        .split('/')
        .map(|part| part.strip_prefix(':').map_or(part.to_owned(), |name| format!("{{{name}}}")));
    parts.collect::<Vec<_>>().join("/")
}

fn path_below_prefix(route: &Route) -> &str {
    route.pattern.strip_prefix("/api/v1").unwrap_or(&route.pattern)
}

fn operation(route: &Route, components: &mut Components) -> Value {
    let in_path = route.params().map(|name| {
        json!({"name": name, "in": "path", "required": true, "schema": param_schema(segment_kind(name))})
    });
    let mut params: Vec<Value> = in_path.collect();
    params.extend(route.query.iter().map(parameter));
    let mut operation = json!({
        "operationId": route.id,
        "tags": tag_of(route),
        "summary": route.summary,
        "parameters": params,
        "security": security(route.guard.access),
        "responses": responses(route, components),
    });
    if let RequiredAccess::AnyOf(permissions) = route.guard.access {
        let mut needs = format!("Needs one of: {}.", permissions.join(", "));
        if !route.shows.is_empty() {
            let _ = write!(
                needs,
                " Besides, because it shows what is stored, one of: {}.",
                route.shows.join(", ")
            );
        }
        operation["description"] = needs.into();
    }
    if !route.takes.is_empty() {
        let content: Map<String, Value> = route
            .takes
            .iter()
            .map(|body| {
                let schema = match body.kind {
                    BodyFormat::Form => components.form(body.schema),
                    BodyFormat::Json => components.body(body.schema, Contract::Deserialize),
                };
                (body.kind.content_type().to_owned(), json!({"schema": schema}))
            })
            .collect();
        let required = route.takes.iter().all(|body| body.required);
        operation["requestBody"] = json!({"required": required, "content": content});
    }
    operation
}

fn parameter(param: &ParamSpec) -> Value {
    let place = match param.location {
        ParamLocation::Query => "query",
        ParamLocation::Header => "header",
    };
    json!({
        "name": param.name, "in": place, "required": false, "description": param.about,
        "schema": param_schema(param.kind),
    })
}

/// What stands in a segment of a path, by the name its pattern gives it.
fn segment_kind(name: &str) -> ParamKind {
    match name {
        "id" | "flow" | "chat" | "chunk" => spec::ID,
        "sha" => spec::SHA,
        "page" => ParamKind::Whole(1),
        _ => ParamKind::Bounded(1, 512),
    }
}

/// The schema of what an answer holds.
fn content_schema(content: ContentSpec, components: &mut Components) -> Value {
    match content {
        ContentSpec::Json(schema) => components.body(schema, Contract::Serialize),
        ContentSpec::Text(_) => json!({"type": "string"}),
        ContentSpec::File => json!({"type": "string", "format": "binary"}),
        ContentSpec::Events | ContentSpec::Nothing => json!({}),
    }
}

fn responses(route: &Route, components: &mut Components) -> Value {
    let mut responses = Map::new();
    for gives in &route.gives {
        let response = responses.entry(gives.status.to_string()).or_insert_with(
            || json!({"description": if matches!(gives.content, ContentSpec::Nothing) { "Done." } else { "The answer." }}),
        );
        if let Some(kind) = gives.content.content_type() {
            response["content"][kind] = json!({"schema": content_schema(gives.content, components)});
        }
    }
    let foreign = ErrorShape::of_pattern(&route.pattern).body();
    for refusal in statuses::errors_of(route) {
        if let Some(body) = foreign {
            let response = responses
                .entry(refusal.status.to_string())
                .or_insert_with(|| json!({"description": refusal.about}));
            response["content"]["application/json"] =
                json!({"schema": components.body(body, Contract::Serialize)});
            continue;
        }
        // A route may itself give a status that a refusal has too.
        if let Some(own) = responses.get_mut(&refusal.status.to_string()) {
            for content in refusal.contents() {
                let Some(kind) = content.content_type() else { continue };
                own["content"][kind] = json!({"schema": content_schema(content, components)});
            }
            own["description"] = refusal.about.into();
            continue;
        }
        let name = format!("#/components/responses/{}", refusal.name);
        responses.insert(refusal.status.to_string(), json!({ "$ref": name }));
    }
    Value::Object(responses)
}

/// The refusals, by name.
fn error_responses(components: &mut Components) -> Value {
    let mut refusals = Map::new();
    for refusal in statuses::ALL {
        let content: Map<String, Value> = refusal
            .contents()
            .filter_map(|content| {
                Some((
                    content.content_type()?.to_owned(),
                    json!({"schema": content_schema(content, components)}),
                ))
            })
            .collect();
        refusals.insert(refusal.name.to_owned(), json!({"description": refusal.about, "content": content}));
    }
    Value::Object(refusals)
}

fn security(who: RequiredAccess) -> Value {
    match who {
        RequiredAccess::Public => json!([]),
        RequiredAccess::Ask => json!([{}, {"key": []}, {"session": []}]),
        RequiredAccess::Key => json!([{"key": []}]),
        RequiredAccess::SignedIn | RequiredAccess::AnyOf(_) => json!([{"key": []}, {"session": []}]),
        RequiredAccess::Session | RequiredAccess::Owner => json!([{"session": []}]),
    }
}
