//! Questions and answers (manual 2.1, 2.6), stored conversations (manual 3.4), and upserts into vector stores.

use super::conversations::{FEEDBACK, RATING};
use super::{LIMIT, PAGE};
use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, ParamSpec, SETTINGS, Shape, TEXT, TEXTS, TIME, field, object, optional, query,
};

const HISTORY: Shape = Shape::List(&Shape::Named(&object(
    "PastMessage",
    "An earlier message, for a flow without memory: `{role, content}`, or `{type, message}` from older clients.",
    &[
        optional("role", SPEAKER),
        optional("content", MAYBE_TEXT),
        optional("type", SPEAKER),
        optional("message", MAYBE_TEXT),
    ],
)));
const SPEAKER: Shape = Shape::Words(&["userMessage", "apiMessage"]);

const UPLOADS: Shape = Shape::List(&Shape::Named(&object(
    "Upload",
    "A file or a link that goes along with a question.",
    &[
        field("type", TEXT).about("`file`, `file:full`, `url` or `audio`."),
        optional("name", MAYBE_TEXT),
        optional("mime", MAYBE_TEXT),
        optional("data", MAYBE_TEXT).about("A data URI, or the link."),
    ],
)));

macro_rules! question {
    ($name:literal, $about:literal $(, $more:expr)*) => {
        Shape::Named(&object($name, $about, &[
            optional("question", MAYBE_TEXT).about("Required unless files are sent along."),
            optional("streaming", STREAMING).about("Answers as a stream of events."),
            optional("chatId", MAYBE_TEXT).about("Goes on with a conversation, when its token comes along."),
            optional("sessionToken", MAYBE_TEXT).about("Proof of a conversation, from an earlier answer."),
            optional("overrideConfig", Shape::Maybe(&SETTINGS)).about("Settings that the flow allows requests to change."),
            optional("history", Shape::Maybe(&HISTORY)),
            optional("uploads", Shape::Maybe(&UPLOADS)),
            optional("leadEmail", MAYBE_TEXT),
            $($more,)*
        ]))
    };
}
const STREAMING: Shape = Shape::AnyOf(&[Shape::Maybe(&Shape::Flag), Shape::Words(&["true", "false"])]);

pub const QUESTION: Shape = question!("Question", "A question to a flow.");
/// A question from the canvas.
pub const INTERNAL_QUESTION: Shape = question!(
    "InternalQuestion",
    "A question in the canvas test chat.",
    optional("source", Shape::Maybe(&Shape::Words(&["live", "draft"])))
        .about("`live` asks Live although there is a draft.")
);
pub const QUESTION_FORM: Shape = Shape::Named(&object(
    "QuestionForm",
    "A question with files; every other field is an override.",
    &[
        optional("files", Shape::List(&Shape::File)),
        optional("question", TEXT),
        optional("streaming", Shape::Words(&["true", "false"])),
        optional("chatId", TEXT),
        optional("sessionToken", TEXT),
        optional("leadEmail", TEXT),
        optional("overrideConfig", TEXT).about("JSON text."),
    ],
));

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

pub const ANSWER: Shape = Shape::Named(&object(
    "Answer",
    "A whole answer.",
    &[
        field("text", TEXT),
        optional("json", Shape::Anything).about("Where the flow answers with a value."),
        field("question", TEXT),
        field("chatId", ID),
        field("chatMessageId", ID),
        field("sessionId", TEXT).about(
            "The conversation; or what the caller named it, where the flow lets callers with its key do so.",
        ),
        optional("memoryType", TEXT),
        optional("usageMetadata", USAGE),
        optional("flowVariables", SETTINGS),
        optional("followUpPrompts", TEXT).about("JSON text of a list."),
        field("isStreamValid", Shape::Flag),
        optional("sourceDocuments", Shape::List(&PASSAGE)),
        optional("usedTools", USED_TOOLS),
        field("sessionToken", TEXT).about("Proof of this conversation, to go on with it."),
    ],
));

pub const ATTACHMENTS: Shape = Shape::List(&Shape::Named(&object(
    "Attachment",
    "A document and its text.",
    &[field("name", TEXT), field("mimeType", TEXT), field("size", COUNT), field("content", TEXT)],
)));
pub const ATTACHMENT_FORM: Shape = Shape::Named(&object(
    "AttachmentForm",
    "Documents to read.",
    &[
        field("files", Shape::List(&Shape::File)),
        optional("base64", Shape::Words(&["true", "false"]))
            .about("The files themselves instead of their text."),
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

/// Where a question came from: the canvas test chat, or anywhere else.
pub const CHAT_TYPE: Shape = Shape::Words(&["INTERNAL", "EXTERNAL"]);

/// The chat types that a filter may name: Flowise's, of which this server has some.
const DOORS: Shape = Shape::Words(&["INTERNAL", "EXTERNAL", "EVALUATION", "MCP", "SCHEDULED", "WEBHOOK"]);

pub const MESSAGES: Shape = Shape::List(&Shape::Named(&object(
    "Message",
    "A stored message.",
    &[
        field("id", ID),
        field("role", SPEAKER),
        field("chatflowid", ID),
        field("content", TEXT),
        field("chatType", CHAT_TYPE),
        field("chatId", ID),
        field("sessionId", MAYBE_TEXT),
        field("memoryType", MAYBE_TEXT),
        field("createdDate", TIME),
        field("leadEmail", MAYBE_TEXT),
        field("sourceDocuments", Shape::Maybe(&Shape::List(&PASSAGE))),
        field("usedTools", Shape::Maybe(&USED_TOOLS)),
        field(
            "fileUploads",
            Shape::Maybe(&Shape::List(&Shape::Named(&object(
                "MessageFile",
                "A file of a message, without its data.",
                &[
                    field("type", TEXT),
                    field("name", TEXT),
                    field("mime", TEXT),
                    optional("fileName", TEXT).about("What `/get-upload-file` calls it."),
                    optional("data", TEXT).about("The address of a link."),
                ],
            )))),
        ),
        field("followUpPrompts", MAYBE_TEXT).about("JSON text of a list."),
        field("usageMetadata", Shape::Maybe(&USAGE)),
        field("stopped", Shape::Flag).about("The answer was cut short."),
        field("execution", Shape::Null),
        optional("feedback", Shape::Maybe(&FEEDBACK)).about("Its rating, when asked for."),
    ],
)));

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
