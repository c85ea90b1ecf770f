//! HTTP: a request to an address of the owner, and what came back.

mod body;
mod secrets;

use crate::domain::error::{Error, Result};
use crate::kit::steps::on_error;
use crate::kit::web::request::{self, WebRequest};
use crate::kit::{
    CallError, Card, Category, Choice, Factory, Input, Inputs, Risk, StepContext, StepOutcome, TokenSink,
    input_lists,
};
use crate::net::{ResponseLimits, status_text};
use crate::script::{FetchError, FetchedBytes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

const METHOD: &str = "method";
const URL: &str = "url";
const HEADERS: &str = "headers";
const QUERY: &str = "queryParams";
const BODY_TYPE: &str = "bodyType";
const BODY: &str = "body";
const ANSWER_TYPE: &str = "responseType";
const KEY: &str = "key";
const VALUE: &str = "value";

pub(crate) const CARD: Card = Card {
    name: "httpAgentflow",
    label: "HTTP",
    version: 1.1,
    category: Category::AgentFlows,
    description: "Sends a request to an address.",
    base_classes: &["HTTP"],
    risk: Risk::Risky,
    needs: &[],
    inputs: input_lists![
        &[
            Input::credential(&["httpBasicAuth", "httpBearerToken", "httpApiKey"]).optional(),
            Input::choice(METHOD, "Method", METHODS).or("GET"),
            Input::address(URL, "URL").variables(),
            Input::rows(HEADERS, "Headers", PAIR).optional().variables(),
            Input::rows(QUERY, "Query Params", PAIR)
                .optional()
                .variables()
                .help("Appended to what the URL holds already."),
            Input::choice(BODY_TYPE, "Body Type", BODY_TYPES).optional().help("A GET request sends no body."),
            Input::variants(BODY, "Body", BODIES).optional().variables(),
            Input::choice(ANSWER_TYPE, "Response Type", ANSWER_TYPES)
                .optional()
                .help("Empty: JSON, or the text where it is none. Bytes are given as base64."),
        ],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(send),
};

const METHODS: &[Choice] = &[
    Choice::new("GET", "GET"),
    Choice::new("POST", "POST"),
    Choice::new("PUT", "PUT"),
    Choice::new("DELETE", "DELETE"),
    Choice::new("PATCH", "PATCH"),
];
const PAIR: &[Input] = &[Input::text(KEY, "Key"), Input::text(VALUE, "Value").variables()];
const BODY_TYPES: &[Choice] = &[
    Choice::new("json", "JSON"),
    Choice::new("raw", "Raw"),
    Choice::new("formData", "Form Data"),
    Choice::new("xWwwFormUrlencoded", "x-www-form-urlencoded"),
];
const BODIES: &[Input] = &[
    Input::lines(BODY, "Body").optional().json_with_variables().when_any(BODY_TYPE, &["raw", "json"]),
    Input::rows(BODY, "Body", PAIR)
        .optional()
        .variables()
        .when_any(BODY_TYPE, &["xWwwFormUrlencoded", "formData"]),
];
const ANSWER_TYPES: &[Choice] = &[
    Choice::new("json", "JSON"),
    Choice::new("text", "Text"),
    Choice::new("arraybuffer", "Array Buffer"),
    Choice::new("base64", "Raw (Base64)"),
];

fn send(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let login = Login::from_inputs(inputs);
    let request = request(inputs, login.as_ref())?;
    let key_header = login.as_ref().map(|login| login.header.as_str());
    let answer = request
        .fetch_bytes(context.turn.host, ResponseLimits::default(), inputs.call_purpose(URL), key_header)
        .map_err(|error| fetch_error(inputs.label, &error))?;
    if !(200..=299).contains(&answer.status) {
        return Err(status_error(inputs.label, &answer));
    }
    let mut outcome = StepOutcome::default().with_input("http", record_of_request(inputs));
    let shape = inputs.optional_text(ANSWER_TYPE);
    outcome.output.insert("http".to_owned(), record_of_answer(answer, shape.as_deref()));
    Ok(outcome)
}

/// What the credential adds to a request.
struct Login {
    header: String,
    value: String,
}

impl Login {
    fn from_inputs(inputs: &Inputs<'_>) -> Option<Self> {
        let field = |name: &str| inputs.optional_secret(name);
        let authorization = |value: String| Self { header: "authorization".to_owned(), value };
        if let Some(user) = field("basicAuthUsername") {
            let password = field("basicAuthPassword").unwrap_or_default();
            return Some(authorization(format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))));
        }
        if let Some(token) = field("token") {
            return Some(authorization(format!("Bearer {token}")));
        }
        Some(Self { header: field(KEY)?, value: field(VALUE)? })
    }
}

fn request(inputs: &Inputs<'_>, login: Option<&Login>) -> Result<WebRequest> {
    let method = inputs.text(METHOD)?;
    let mut request = WebRequest::new(&method, inputs.text(URL)?.trim());
    let query = pairs(inputs, QUERY);
    if !query.is_empty() {
        request = request.query(query.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    }
    let body = if method == "GET" { None } else { body::RequestBody::from_inputs(inputs)? };
    let mut headers: Vec<(String, String)> = pairs(inputs, HEADERS);
    if let Some(body) = body {
        // The owner's header wins, but for a form with parts: only its own says where they end.
        match body.content_type {
            Some(kind) if body.has_parts => headers.push((CONTENT_TYPE.to_owned(), kind)),
            Some(kind) => headers.insert(0, (CONTENT_TYPE.to_owned(), kind)),
            None => {}
        }
        request = request.body(body.text);
    }
    headers.extend(login.map(|login| (login.header.clone(), login.value.clone())));
    Ok(headers.iter().fold(request, |request, (name, value)| request.header(name, value)))
}

const CONTENT_TYPE: &str = "content-type";

/// The rows of keys and values; a row without a key says nothing.
fn pairs(inputs: &Inputs<'_>, name: &str) -> Vec<(String, String)> {
    let pair = |row: Inputs<'_>| {
        let key = row.optional_text(KEY)?.trim().to_owned();
        (!key.is_empty()).then(|| (key, row.optional_text(VALUE).unwrap_or_default()))
    };
    inputs.rows(name).into_iter().filter_map(pair).collect()
}

fn fetch_error(label: &str, error: &FetchError) -> Error {
    let why = match error {
        FetchError::NoUrl => format!("URL: {error}"),
        _ => format!("the request failed: {error}"),
    };
    request::fetch_error(error, why).at(label)
}

fn status_error(label: &str, answer: &FetchedBytes) -> Error {
    let message = format!("the address answered with status {}", answer.status);
    CallError::from_status(answer.status, message, answer.header("retry-after")).at(label)
}

/// The request as the record keeps it: without what is a secret by its name, and nothing of the credential.
fn record_of_request(inputs: &Inputs<'_>) -> Value {
    let rows = |name: &str| {
        let mut rows = inputs.rows_json(name);
        rows.iter_mut().for_each(secrets::hide_in_row);
        rows
    };
    let url = inputs.optional_text(URL).unwrap_or_default();
    let mut record = Map::from_iter([
        (METHOD.to_owned(), inputs.optional_text(METHOD).into()),
        (URL.to_owned(), secrets::hide_in_url(url.trim()).into()),
        (HEADERS.to_owned(), rows(HEADERS).into()),
        (QUERY.to_owned(), rows(QUERY).into()),
    ]);
    for name in [BODY_TYPE, ANSWER_TYPE] {
        record.extend(inputs.optional_text(name).map(|text| (name.to_owned(), text.into())));
    }
    let body = match inputs.any(BODY) {
        Some(Value::String(text)) => Some(secrets::hide_in_json(text).into()),
        Some(other) => Some(other.clone()),
        None => Some(rows(BODY)).filter(|rows| !rows.is_empty()).map(Value::from),
    };
    record.extend(body.map(|body| (BODY.to_owned(), body)));
    Value::Object(record)
}

fn record_of_answer(answer: FetchedBytes, shape: Option<&str>) -> Value {
    let mut headers = Map::new();
    for (name, value) in answer.headers {
        let value = if secrets::is_secret(&name) { secrets::HIDDEN.to_owned() } else { value };
        match headers.get_mut(&name) {
            Some(Value::String(first)) => *first = format!("{first}, {value}"),
            _ => drop(headers.insert(name, value.into())),
        }
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let data: Value = match shape {
        Some("text") => text(&answer.body).into(),
        Some("arraybuffer" | "base64") => STANDARD.encode(&answer.body).into(),
        _ => serde_json::from_slice(&answer.body).unwrap_or_else(|_| text(&answer.body).into()),
    };
    json!({
        "data": data, "status": answer.status, "statusText": status_text(answer.status), "headers": headers,
    })
}

#[cfg(test)]
mod tests;
