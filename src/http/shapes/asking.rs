//! Questions and answers (manual 2.1, 2.6), stored conversations (manual 3.4), and upserts into vector stores.

use super::conversations::RATING;
use super::{LIMIT, PAGE};
use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, ParamSpec, SETTINGS, Shape, TEXT, TEXTS, TIME, field, object, optional, query,
};

const SPEAKER: Shape = Shape::Words(&["userMessage", "apiMessage"]);

pub const PASSAGE: Shape = Shape::Named(&object(
    "SourceDocument",
    "A passage of a document.",
    &[field("pageContent", TEXT), field("metadata", SETTINGS)],
));
const USED_TOOLS: Shape = Shape::List(&Shape::Named(&object(
    "UsedTool",
    "A tool that an answer used.",
    &[
        field("tool", TEXT),
        field("toolInput", Shape::Anything),
        field("toolOutput", TEXT),
        optional("error", TEXT),
    ],
)));
const USAGE: Shape = Shape::Named(&object(
    "Usage",
    "Tokens that models read and wrote.",
    &[
        field("input_tokens", COUNT),
        field("output_tokens", COUNT),
        field("total_tokens", COUNT),
        optional("input_token_details", Shape::Object(&[field("cache_read", COUNT)])),
        optional("output_token_details", Shape::Object(&[field("reasoning", COUNT)])),
    ],
));

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

pub const FILL: Shape = Shape::Named(&object(
    "Fill",
    "Which vector store of a flow to fill, and with which settings.",
    &[
        optional("stopNodeId", MAYBE_TEXT).about("The vector store's node; needed where a flow has several."),
        optional("overrideConfig", Shape::Maybe(&SETTINGS)),
        optional("chatId", MAYBE_TEXT).about("Means nothing without files."),
        optional("source", MAYBE_TEXT).about(FILL_SOURCE),
    ],
));
const FILL_SOURCE: &str =
    "`live` for Live although there is a draft, where the canvas fills; elsewhere it means nothing.";
pub const FILL_FORM: Shape = Shape::Named(&object(
    "FillForm",
    "Which vector store to fill; every other field is an override. Files with a `chatId`, and files of those who may \
     not change the flow, are found in their conversation alone.",
    &[
        optional("stopNodeId", TEXT),
        optional("chatId", TEXT).about("The conversation the files belong to; empty for a new one."),
        optional("sessionToken", TEXT).about("The proof of the conversation."),
        optional("source", TEXT).about(FILL_SOURCE),
        optional("overrideConfig", TEXT).about("JSON text."),
    ],
));
pub const FILLED: Shape = Shape::Named(&object(
    "FillResult",
    "What a filling did.",
    &[
        field("numAdded", COUNT),
        field("numDeleted", COUNT),
        field("numUpdated", COUNT),
        field("numSkipped", COUNT),
        field("totalKeys", COUNT),
        field("addedDocs", Shape::List(&PASSAGE)).about("Some of them."),
        optional("chatId", ID).about("The conversation that the files belong to."),
        optional("sessionToken", TEXT)
            .about("The proof of that conversation, with which a question goes on in it."),
    ],
));
/// Upserts into the vector stores of a flow.
pub const FILLINGS: Shape = Shape::List(&Shape::Named(&object(
    "Filling",
    "One filling of a vector store.",
    &[
        field("id", ID),
        field("chatflowid", ID),
        field("date", TIME),
        field("result", FILLED),
        field(
            "flowData",
            Shape::Object(&[field(
                "nodes",
                Shape::List(&Shape::Object(&[field("id", TEXT), field("name", TEXT), field("label", TEXT)])),
            )]),
        ),
    ],
)));
pub const FILLING_FILTER: &[ParamSpec] = &[
    ORDER,
    query("startDate", TIME, "Only fillings from then on."),
    query("endDate", TIME, "Only fillings until then."),
];
pub const FILLING_IDS: Shape = Shape::Named(&object(
    "FillingIds",
    "Entries of the upsert history to delete.",
    &[field("ids", TEXTS).about("At least one.")],
));
