//! Questions and answers (manual 2.1, 2.6), stored conversations (manual 3.4), and upserts into vector stores.

use super::conversations::RATING;
use super::{LIMIT, PAGE};
use crate::http::openapi::shape::{ID, ParamSpec, Shape, TEXT, TIME, query};

/// What names a file of a conversation: its flow, conversation and name; or what a signed link carries.
pub const FILE_QUERY: &[ParamSpec] = &[
    query("chatflowId", ID, "The flow."),
    query("chatId", ID, "The conversation."),
    query(
        "fileName",
        TEXT,
        "The file: the name that this server gave it, or the one it was sent with; of several the newest.",
    ),
    query("expires", TEXT, "Of a signed link: when it ends."),
    query("signature", TEXT, "Of a signed link: its proof."),
];

/// The chat types that a filter may name: Flowise's, of which this server has some.
const DOORS: Shape = Shape::Words(&["INTERNAL", "EXTERNAL", "EVALUATION", "MCP", "SCHEDULED", "WEBHOOK"]);

macro_rules! message_filter {
    ($($more:expr),*) => {
        &[
            query("chatType", Shape::List(&DOORS), "Only messages of these kinds; may be given several times."),
            query("chatId", ID, "Only messages of this conversation."),
            query("sessionId", TEXT, "Only messages of this memory session."),
            query("memoryType", TEXT, "Only messages of this kind of memory."),
            query("messageId", ID, "Only this message."),
            query("startDate", TIME, "Only messages from then on."),
            query("endDate", TIME, "Only messages until then."),
            query("feedbackType", Shape::List(&RATING), "Only rated answers, each with its question; may be given several times."),
            $($more,)*
        ]
    };
}
pub const MESSAGE_FILTER: &[ParamSpec] = message_filter!();
pub const CONVERSATION_LIST: &[ParamSpec] = message_filter!(PAGE, LIMIT);
pub const MESSAGE_LIST: &[ParamSpec] = message_filter!(ORDER, PAGE, LIMIT, FEEDBACK_TOO);
const FEEDBACK_TOO: ParamSpec = query("feedback", TEXT, "Brings the rating of each answer along.");

pub const ORDER: ParamSpec =
    query("order", Shape::Words(&["ASC", "DESC"]), "Oldest first, which is usual, or newest first.");

pub const FILLING_FILTER: &[ParamSpec] = &[
    ORDER,
    query("startDate", TIME, "Only fillings from then on."),
    query("endDate", TIME, "Only fillings until then."),
];
