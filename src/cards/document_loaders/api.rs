//! API Loader: what an address answers.

use crate::domain::error::Result;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, document, loader};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Choice, Factory, Host, Input, Inputs, JsonShape, Risk};
use crate::net::ResponseLimits;
use serde_json::Value;

const METHODS: &[Choice] = &[Choice::new("GET", "GET"), Choice::new("POST", "POST")];

pub(crate) const CARD: Card = Card {
    name: "apiLoader",
    label: "API Loader",
    version: 2.1,
    category: Category::DocumentLoaders,
    description: "A document of what an address answers.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::choice("method", "Method", METHODS).or("GET"),
        Input::address("url", "URL"),
        Input::headers("headers", "Headers").shape(JsonShape::Texts).additional(),
        Input::json("body", "Body").additional().lists(),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let url = inputs.text("url")?.trim().to_owned();
        let request = request(inputs, &url)?;
        let label = inputs.label.to_owned();
        loader(inputs, move |host: &dyn Host| {
            let answer = request.clone().send(host, ResponseLimits::default());
            let answer = answer.map_err(|why| why.at(&label))?;
            Ok(vec![document(&url, readable(answer.body))])
        })
    }),
};

fn request(inputs: &Inputs<'_>, url: &str) -> Result<WebRequest> {
    let method = inputs.text("method")?;
    if !METHODS.iter().any(|known| known.name == method) {
        return Err(inputs.input_error("method", "choose GET or POST"));
    }
    let mut request = WebRequest::new(&method, url);
    for (name, value) in inputs.object("headers")? {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        request = request.header(&name, &value);
    }
    Ok(match inputs.json("body")? {
        Some(body) if method == "POST" => request.json(&body),
        _ => request,
    })
}

/// JSON on several lines, so that it can be cut; any other text as it is.
fn readable(body: String) -> String {
    let parsed = serde_json::from_str::<Value>(&body).ok();
    parsed.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or(body)
}
