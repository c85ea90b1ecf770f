//! Routes that speak OpenAI's protocol.

use super::params;
use crate::http::api::predictions::openai::{self, KEY};
use crate::http::routing::router::{Cors, Route, get, post};
use crate::limits::BODY_CANVAS_BYTES;
use crate::wire::predictions::openai::chat::CompletionView;
use crate::wire::predictions::openai::responses::ResponseView;

/// Flows as models (manual 2.14).
#[rustfmt::skip]
pub(super) fn openai_routes() -> Vec<Route> { vec![
    get ("/openai/v1/models", KEY, openai::list).summary("Lists the flows that this key may ask, as OpenAI's protocol lists models.")
        .id("listModels").cors(Cors::FlowOfModel),
    get ("/openai/v1/models/:model", KEY, openai::read).summary("A flow that this key may ask, as OpenAI's protocol shows a model.")
        .id("getModel").cors(Cors::FlowOfModel).takes_free_name(),
    post("/openai/v1/chat/completions", KEY, openai::complete).summary("Asks a flow by OpenAI's protocol for chats.")
        .id("createChatCompletion").cors(Cors::FlowOfModel).limit(BODY_CANVAS_BYTES).query(params::NAMED_SESSION)
        .answers_json::<CompletionView>(200).may_stream().refuses(&[403, 404, 409, 429, 507]),
    post("/openai/v1/responses", KEY, openai::respond).summary("Asks a flow by OpenAI's protocol for responses.")
        .id("createResponse").cors(Cors::FlowOfModel).limit(BODY_CANVAS_BYTES).query(params::NAMED_SESSION)
        .answers_json::<ResponseView>(200).may_stream().refuses(&[403, 404, 409, 429, 507]),
] }
