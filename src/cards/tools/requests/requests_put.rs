//! Requests Put: a tool that puts to an address its owner chose.

use super::{OUTPUT_DEFAULT, RequestKind, RequestTool};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

const DESCRIPTION: &str = "Sends data to an address with PUT. Use it to change something there; the answer is the text of the response.";
static KIND: RequestKind = RequestKind {
    method: "PUT",
    prefix: "requestsPut",
    schema: "requestsPutBodySchema",
    body: Some("requestPutBody"),
};

pub(crate) const CARD: Card = Card {
    name: "requestsPut",
    label: "Requests Put",
    version: 1.0,
    category: Category::Tools,
    description: "Puts to an address when the model wants it.",
    base_classes: &["RequestsPut", "DynamicStructuredTool", "StructuredTool", "Runnable", "Tool"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::address("requestsPutUrl", "URL").variables(),
        Input::text("requestsPutName", "Name").or("requests_put").additional(),
        Input::lines("requestsPutDescription", "Description").or(DESCRIPTION).additional(),
        Input::headers("requestsPutHeaders", "Headers").additional().variables(),
        Input::json("requestPutBody", "Body")
            .additional()
            .variables()
            .help("Sent with every call, as a JSON object; what the model sends goes over it."),
        Input::code("requestsPutBodySchema", "Body Schema").additional().help(
            "Arguments of the tool as JSON: {\"name\": {\"type\": \"string\", \"required\": true, \"description\": \"...\"}}. They \
             are the fields of the body.",
        ),
        Input::whole("requestsPutMaxOutputLength", "Max Output Length", 0.0, 1_000_000.0)
            .or(OUTPUT_DEFAULT)
            .additional()
            .help("Characters of the response that the model reads."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(RequestTool::from_inputs(inputs, &KIND)?)])),
};
