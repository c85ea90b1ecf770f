//! Requests Post: a tool that posts to an address its owner chose.

use super::{OUTPUT_DEFAULT, RequestKind, RequestTool};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

const DESCRIPTION: &str = "Sends data to an address with POST. Use it to add something there; the answer is the text of the response.";
static KIND: RequestKind = RequestKind {
    method: "POST",
    prefix: "requestsPost",
    schema: "requestsPostBodySchema",
    body: Some("requestPostBody"),
};

pub(crate) const CARD: Card = Card {
    name: "requestsPost",
    label: "Requests Post",
    version: 2.0,
    category: Category::Tools,
    description: "Posts to an address when the model wants it.",
    base_classes: &["RequestsPost", "DynamicStructuredTool", "StructuredTool", "Runnable", "Tool"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::address("requestsPostUrl", "URL").variables(),
        Input::text("requestsPostName", "Name").or("requests_post").additional(),
        Input::lines("requestsPostDescription", "Description").or(DESCRIPTION).additional(),
        Input::headers("requestsPostHeaders", "Headers").additional().variables(),
        Input::json("requestPostBody", "Body")
            .additional()
            .variables()
            .help("Sent with every call, as a JSON object; what the model sends goes over it."),
        Input::code("requestsPostBodySchema", "Body Schema").additional().help(
            "Arguments of the tool as JSON: {\"name\": {\"type\": \"string\", \"required\": true, \"description\": \"...\"}}. They \
             are the fields of the body.",
        ),
        Input::whole("requestsPostMaxOutputLength", "Max Output Length", 0.0, 1_000_000.0)
            .or(OUTPUT_DEFAULT)
            .additional()
            .help("Characters of the response that the model reads."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(RequestTool::from_inputs(inputs, &KIND)?)])),
};
