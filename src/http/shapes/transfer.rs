//! What leaves a workspace and comes into one, and templates (manual 5.11).

use super::flows::{FLOW_KIND, PROBLEMS};
use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, SETTINGS, Shape, TEXT, TEXTS, TIME, field, object, optional,
};

/// What shall be in an export.
pub const EXPORT: Shape = Shape::Named(&object(
    "Export",
    "What shall be in the file; nothing named is everything the caller may have, without conversations.",
    &[
        optional("agentflow", Shape::Flag),
        optional("agentflowv2", Shape::Flag),
        optional("assistantCustom", Shape::Flag),
        optional("chatflow", Shape::Flag),
        optional("chat_message", Shape::Flag),
        optional("chat_feedback", Shape::Flag),
        optional("custom_template", Shape::Flag),
        optional("document_store", Shape::Flag),
        optional("tool", Shape::Flag),
        optional("variable", Shape::Flag),
    ],
));
pub const EXPORTED: Shape = Shape::Named(&object(
    "ExportFile",
    "A file of the family's format: a list for each kind of thing, and the name the file should have.",
    &[
        field("FileDefaultName", TEXT),
        field("AgentFlow", ROWS),
        field("AgentFlowV2", ROWS),
        field("AssistantCustom", ROWS),
        field("AssistantFlow", ROWS),
        field("AssistantOpenAI", ROWS),
        field("AssistantAzure", ROWS),
        field("ChatFlow", ROWS),
        field("ChatMessage", ROWS),
        field("ChatMessageFeedback", ROWS),
        field("CustomTemplate", ROWS),
        field("DocumentStore", ROWS),
        field("DocumentStoreFileChunk", ROWS),
        field("Execution", ROWS),
        field("Tool", ROWS),
        field("Variable", ROWS),
        field(
            "flowkeep",
            Shape::Named(&object(
                "ExportNotes",
                "What only this service knows of a file.",
                &[
                    field("version", COUNT),
                    field("credentials", SETTINGS).about("Names and types of the credentials in it, by id."),
                    field("keys", SETTINGS)
                        .about("Names and hashes of the API keys that its flows are bound to, by id, for callers who may see keys."),
                    optional("truncated", Shape::Flag)
                        .about("True when there are more messages or ratings than one file holds: these are the newest."),
                ],
            )),
        ),
    ],
));
/// Rows of a kind of thing.
const ROWS: Shape = Shape::List(&SETTINGS);
pub const IMPORT: Shape = Shape::Named(&object(
    "Import",
    "An export, a flow, a tool or a canvas, with how it is to come in beside it.",
    &[
        optional("mode", Shape::Maybe(&Shape::Words(&["preview", "import"])))
            .about("`preview` changes nothing and tells what an import would do."),
        optional("existing", EXISTING)
            .about("What to do with things that are here already; they stay as they are unless it is said."),
        optional("choices", Shape::Map(&ACTION))
            .about("What to do with single things of the file, by their ids in it."),
        optional("fileName", MAYBE_TEXT)
            .about("Name of the file, after which a canvas without a name is called."),
        optional("id", MAYBE_TEXT).about("Of a single flow."),
        optional("name", MAYBE_TEXT).about("Of a single flow."),
        optional("type", MAYBE_TEXT).about("Of a single flow."),
        optional("flowData", MAYBE_TEXT).about("Of a single flow: JSON text of its canvas."),
        optional("nodes", ROWS).about("Of a canvas."),
        optional("edges", ROWS).about("Of a canvas."),
        optional("ChatFlow", ROWS).about("Of an export, which has a list for each kind of thing."),
    ],
));
const EXISTING: Shape = Shape::Words(&["skip", "update", "duplicate"]);
const ACTION: Shape = Shape::Words(&["create", "duplicate", "update", "skip"]);
const DONE: Shape = Shape::Words(&["create", "duplicate", "update", "skip", "refused"]);
/// What became of a file.
pub const IMPORTED: Shape = Shape::Named(&object(
    "ImportResult",
    "What became of each thing of a file, or what would.",
    &[
        field("message", TEXT),
        field(
            "items",
            Shape::List(&Shape::Named(&object(
                "ImportItem",
                "A thing of the file, or a list of things that cannot come in.",
                &[
                    field("kind", TEXT),
                    field("action", DONE),
                    optional("choices", Shape::List(&ACTION))
                        .about("What it could be told to do; none when it is refused."),
                    optional("id", MAYBE_TEXT).about("Its id in the file."),
                    optional("newId", MAYBE_TEXT).about("Its id here, when it is another."),
                    optional("name", MAYBE_TEXT),
                    optional("reason", MAYBE_TEXT).about("Why this is done with it."),
                    optional("notes", TEXTS),
                    optional("type", FLOW_KIND).about("Of a flow that comes in."),
                    optional("problems", PROBLEMS)
                        .about("What is wrong with such a flow, as `/validation/:id` says it."),
                    optional("count", COUNT),
                ],
            ))),
        ),
        field("created", COUNT),
        field("updated", COUNT),
        field("skipped", COUNT),
        field("refused", COUNT),
        field(
            "unsupported",
            Shape::List(&Shape::Named(&object(
                "Unsupported",
                "A type of flow or a card that comes in and does not run on this server.",
                &[
                    field("what", Shape::Words(&["type", "card"])),
                    field("name", TEXT),
                    field("count", COUNT),
                    field("flows", COUNT).about("In how many flows."),
                ],
            ))),
        ),
    ],
));
const ONE_OR_MORE: Shape = Shape::Maybe(&Shape::AnyOf(&[TEXT, TEXTS]));
pub const TRANSCRIPTS: Shape = Shape::Named(&object(
    "TranscriptFilter",
    "Which conversations of a flow to export.",
    &[
        field("chatflowId", TEXT),
        optional("chatType", ONE_OR_MORE),
        optional("feedbackType", ONE_OR_MORE),
        optional("startDate", MAYBE_TEXT),
        optional("endDate", MAYBE_TEXT),
    ],
));
pub const TRANSCRIPT: Shape = Shape::List(&Shape::Named(&object(
    "Transcript",
    "A conversation as a file holds it.",
    &[
        field("id", ID),
        field("source", TEXT),
        field("sessionId", MAYBE_TEXT),
        field("memoryType", MAYBE_TEXT),
        field("email", MAYBE_TEXT),
        field("messages", Shape::List(&SETTINGS)),
    ],
)));

pub const STARTERS: Shape = Shape::List(&Shape::Named(&object(
    "Starter",
    "A flow to start from.",
    &[
        field("id", TEXT),
        field("templateName", TEXT),
        field("flowData", TEXT).about("JSON text of a canvas."),
        field("badge", MAYBE_TEXT),
        field("framework", TEXTS),
        field("usecases", TEXTS),
        field("categories", TEXTS),
        field("type", TEXT),
        field("description", TEXT),
    ],
)));
/// A template of a workspace.
pub const TEMPLATE: Shape = Shape::Named(&object(
    "Template",
    "A flow or a tool to start from, kept in a workspace.",
    &[
        field("id", ID),
        field("name", TEXT),
        field("templateName", TEXT),
        field("description", MAYBE_TEXT),
        field("badge", MAYBE_TEXT),
        field("usecases", TEXTS),
        field("type", TEXT),
        field("flowData", TEXT).about("JSON text of a canvas or a tool."),
        field("framework", TEXTS),
        field("categories", TEXTS),
        field("createdDate", TIME),
        field("workspaceId", ID),
        optional("schema", Shape::Anything),
        optional("func", Shape::Anything),
        optional("color", Shape::Anything),
        optional("iconSrc", Shape::Anything),
    ],
));
pub const TEMPLATES: Shape = Shape::List(&TEMPLATE);
pub const NEW_TEMPLATE: Shape = Shape::Named(&object(
    "NewTemplate",
    "Makes a template of a flow or of a tool.",
    &[
        field("name", TEXT),
        optional("description", MAYBE_TEXT),
        optional("badge", MAYBE_TEXT),
        optional("usecases", Shape::Maybe(&TEXTS)),
        optional("chatflowId", MAYBE_TEXT),
        optional("tool", Shape::Maybe(&SETTINGS)),
    ],
));
