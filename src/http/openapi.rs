//! The API description, made from the route table.

use super::guard::Who;
use super::router::{Accepts, Route};
use super::routes;
use hyper::Method;
use serde_json::{Map, Value, json};

/// The OpenAPI 3.1 document of every route.
#[must_use]
pub fn document() -> Value {
    describe(routes::table())
}

fn describe(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(path(&route.pattern)).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Flowkeep",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Hosts LLM flows: drafts, versions, checks, and answers over HTTP.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key."},
                "session": {"type": "apiKey", "in": "cookie", "name": "flowkeep_session", "description": "The cookie set by signing in."},
            },
            "schemas": {"Error": error_schema()},
            "responses": {"Error": {
                "description": "The request was not carried out; `message` says what to do.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }},
        },
    })
}

/// `/chatflows/:id` becomes `/chatflows/{id}`.
fn path(pattern: &str) -> String {
    let parts = pattern
        .split('/')
        .map(|part| part.strip_prefix(':').map_or(part.to_owned(), |name| format!("{{{name}}}")));
    parts.collect::<Vec<_>>().join("/")
}

fn operation(route: &Route) -> Value {
    let params: Vec<Value> = route
        .params()
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": params,
        "security": security(route.guard.who),
        "responses": {
            "2XX": {"description": "Done."},
            "4XX": {"$ref": "#/components/responses/Error"},
            "5XX": {"$ref": "#/components/responses/Error"},
        },
    });
    if let Who::AnyOf(permissions) = route.guard.who {
        operation["description"] = Value::from(format!("Needs one of: {}.", permissions.join(", ")));
    }
    if let Some(content) = content(route) {
        operation["requestBody"] = json!({"content": content});
    }
    operation
}

/// The method and the pattern as one word, so that generated clients have names.
fn operation_id(route: &Route) -> String {
    let path = route.pattern.strip_prefix("/api/v1").unwrap_or(&route.pattern);
    let words = path.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let method = route.method.as_str().to_ascii_lowercase();
    std::iter::once(method.as_str()).chain(words).collect::<Vec<_>>().join("_")
}

fn security(who: Who) -> Value {
    match who {
        Who::Public => json!([]),
        Who::Ask => json!([{}, {"key": []}]),
        Who::SignedIn | Who::AnyOf(_) => json!([{"key": []}, {"session": []}]),
        Who::Session | Who::Owner => json!([{"session": []}]),
    }
}

fn content(route: &Route) -> Option<Value> {
    let any = json!({"schema": {"type": "object"}});
    match route.accepts {
        _ if route.method == Method::DELETE => None,
        Accepts::None => None,
        Accepts::Json => Some(json!({"application/json": any})),
        Accepts::Multipart => Some(json!({"multipart/form-data": any})),
        Accepts::JsonOrMultipart => {
            Some(json!({"application/json": any.clone(), "multipart/form-data": any}))
        }
    }
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["statusCode", "success", "message", "stack"],
        "properties": {
            "statusCode": {"type": "integer"},
            "success": {"const": false},
            "message": {"type": "string"},
            "stack": {"type": "object"},
            "code": {"type": "string", "description": "UNAVAILABLE with status 503."},
            "retry": {"type": "boolean", "description": "True when a session ended."},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_described_once() {
        let document = document();
        let paths = document["paths"].as_object().unwrap();
        let described: usize = paths.values().map(|path| path.as_object().unwrap().len()).sum();
        assert_eq!(described, routes::table().len());
        assert_eq!(document["paths"]["/api/v1/ping"]["get"]["operationId"], "get_ping");
        assert_eq!(path("/api/v1/prediction/:id"), "/api/v1/prediction/{id}");
    }
}
