//! Requests Get: a tool that gets an address its owner chose.

use super::{OUTPUT_DEFAULT, RequestKind, RequestTool};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

const DESCRIPTION: &str =
    "Reads from an address. Use it when you need what is there; the answer is the text of the response.";
static KIND: RequestKind =
    RequestKind { method: "GET", prefix: "requestsGet", schema: "requestsGetQueryParamsSchema", body: None };

pub(crate) const CARD: Card = Card {
    name: "requestsGet",
    label: "Requests Get",
    version: 2.0,
    category: Category::Tools,
    description: "Gets an address when the model wants it.",
    base_classes: &["RequestsGet", "DynamicStructuredTool", "StructuredTool", "Runnable", "Tool"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::address("requestsGetUrl", "URL").variables(),
        Input::text("requestsGetName", "Name").or("requests_get").additional(),
        Input::lines("requestsGetDescription", "Description").or(DESCRIPTION).additional(),
        Input::headers("requestsGetHeaders", "Headers").additional().variables(),
        Input::code("requestsGetQueryParamsSchema", "Query Params Schema").additional().help(
            "Arguments of the tool as JSON: {\"id\": {\"type\": \"string\", \"in\": \"path\", \"required\": true, \"description\": \"...\"}}. \
             In path they take the place of :id in the URL, or stand behind it; others go into the query.",
        ),
        Input::whole("requestsGetMaxOutputLength", "Max Output Length", 0.0, 1_000_000.0)
            .or(OUTPUT_DEFAULT)
            .additional()
            .help("Characters of the response that the model reads."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(RequestTool::from_inputs(inputs, &KIND)?)])),
};
