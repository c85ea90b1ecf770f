//! Requests Delete: a tool that deletes at an address its owner chose.

use super::{OUTPUT_DEFAULT, RequestKind, RequestTool};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

const DESCRIPTION: &str =
    "Deletes what is at an address. Use it only when that is wanted; the answer is the text of the response.";
static KIND: RequestKind = RequestKind {
    method: "DELETE",
    prefix: "requestsDelete",
    schema: "requestsDeleteQueryParamsSchema",
    body: None,
};

pub(crate) const CARD: Card = Card {
    name: "requestsDelete",
    label: "Requests Delete",
    version: 1.0,
    category: Category::Tools,
    description: "Deletes at an address when the model wants it.",
    base_classes: &["RequestsDelete", "DynamicStructuredTool", "StructuredTool", "Runnable", "Tool"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::address("requestsDeleteUrl", "URL").variables(),
        Input::text("requestsDeleteName", "Name").or("requests_delete").additional(),
        Input::lines("requestsDeleteDescription", "Description").or(DESCRIPTION).additional(),
        Input::headers("requestsDeleteHeaders", "Headers").additional().variables(),
        Input::code("requestsDeleteQueryParamsSchema", "Query Params Schema").additional().help(
            "Arguments of the tool as JSON: {\"id\": {\"type\": \"string\", \"in\": \"path\", \"required\": true, \"description\": \"...\"}}. \
             In path they take the place of :id in the URL, or stand behind it; others go into the query.",
        ),
        Input::whole("requestsDeleteMaxOutputLength", "Max Output Length", 0.0, 1_000_000.0)
            .or(OUTPUT_DEFAULT)
            .additional()
            .help("Characters of the response that the model reads."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(RequestTool::from_inputs(inputs, &KIND)?)])),
};
