//! Filters of stored conversations and of their ratings (manual 3.5).

use super::asking::ORDER;
use crate::http::openapi::shape::{ID, ParamSpec, Shape, TIME, query};

/// How an answer was rated.
pub const RATING: Shape = Shape::Words(&["THUMBS_UP", "THUMBS_DOWN"]);

pub const FEEDBACK_FILTER: &[ParamSpec] = &[
    ORDER,
    query("chatId", ID, "Only ratings in this conversation."),
    query("startDate", TIME, "Only ratings from then on."),
    query("endDate", TIME, "Only ratings until then."),
];
