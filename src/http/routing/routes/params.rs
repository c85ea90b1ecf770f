//! What requests may say in an address or a header beside its path.

use crate::http::openapi::spec::{COUNT, EMAIL, ID, ParamKind, ParamSpec, SHA, TEXT, TIME, header, query};

const SWITCH: ParamKind = ParamKind::Words(&["true", "false"]);

/// `page` and `limit`: both above zero make a page (manual 1.6 r1).
pub(super) const PAGES: &[ParamSpec] = &[PAGE, LIMIT];
const PAGE: ParamSpec = query("page", COUNT, "Which page, from 1; only with `limit`.");
const LIMIT: ParamSpec = query("limit", COUNT, "How many rows a page has; only with `page`.");

pub(super) const FORCE: &[ParamSpec] = &[query("force", SWITCH, "`true`: deletes it although flows use it.")];

/// Which assistants a list shows.
pub(super) const ASSISTANT_FILTER: &[ParamSpec] =
    &[query("type", ParamKind::Words(&["CUSTOM", "OPENAI", "AZURE"]), "Only assistants of this type.")];

/// What clients say with the deletion of an assistant at its provider: none is called, so it changes nothing.
pub(super) const DELETE_BOTH: &[ParamSpec] =
    &[query("isDeleteBoth", SWITCH, "Taken, and changes nothing: no provider is called.")];

/// Which canvas a question is about.
pub(super) const SIDE: &[ParamSpec] = &[query(
    "source",
    ParamKind::Words(&["live", "draft"]),
    "`draft`, which is usual: the draft's, when there is one; `live`: Live's.",
)];

/// What the list of flows can be narrowed by.
pub(super) const FLOW_FILTER: &[ParamSpec] = &[
    query(
        "type",
        ParamKind::Words(&["ASSISTANT", "ETL", "CHATFLOW", "AGENTFLOW", "MULTIAGENT", "HARNESS"]),
        "Only flows of this kind.",
    ),
    query("fields", ParamKind::Words(&["summary"]), "The least of each flow, with the state of its draft."),
    query(
        "full",
        SWITCH,
        "`true`: with the canvas of each flow, as lists of Flowise have it. Its clients were looked at: flowise-sdk for \
         Node and flowise for Python ask flows and read no list, and neither does the chat widget.",
    ),
    PAGE,
    LIMIT,
];

/// What the list of records of runs can be narrowed by.
pub(super) const EXECUTION_FILTER: &[ParamSpec] = &[
    query("id", ID, "Only this record."),
    query("agentflowId", ID, "Only runs of this flow."),
    query("agentflowName", TEXT, "Only runs of flows whose name has this in it, in whatever case."),
    query("sessionId", TEXT, "Only runs of this session."),
    query(
        "state",
        ParamKind::Words(&["INPROGRESS", "FINISHED", "ERROR", "TERMINATED", "TIMEOUT", "STOPPED"]),
        "Only runs in this state.",
    ),
    query("startDate", TIME, "Only runs that changed last from then on."),
    query("endDate", TIME, "Only runs that changed last until then."),
    query("full", SWITCH, "`true`: with what each run did."),
    query("page", COUNT, "Which page, from 1, which is usual."),
    query("limit", COUNT, "How many rows a page has: 12 unless it is given, 100 at most."),
];
/// What chunks of a document store are searched for.
pub(super) const CHUNK_SEARCH: &[ParamSpec] = &[
    query("text", TEXT, "What the chunks have in them, in whatever case; 1 to 500 characters."),
    query("from", COUNT, "The place from which to look, from 1: `next` of the answer before."),
];

/// Which part of what was counted is wanted.
pub(super) const USAGE_FILTER: &[ParamSpec] = &[
    query(
        "from",
        TEXT,
        "The first day in UTC, as `2026-11-30`; 30 days before the last one unless it is given.",
    ),
    query("to", TEXT, "The last day in UTC; today unless it is given. At most 400 days."),
    query("flowId", ID, "Only what this flow used."),
    query("keyId", ID, "Only what was used with this API key."),
    query("model", TEXT, "Only calls of the model of this name, and the questions that made them."),
];
pub(super) const WHOLE_TEXTS: &[ParamSpec] =
    &[query("whole", SWITCH, "`true`: with texts of more than 1 MiB as they are.")];
/// How much of a run was seen before.
pub(super) const EVENTS_SINCE: &[ParamSpec] =
    &[query("since", COUNT, "How many entries were seen before; those are left out.")];

/// Which rows of the log of a schedule to list.
pub(super) const TRIGGER_LOG_FILTER: &[ParamSpec] = &[
    query(
        "status",
        ParamKind::List(&ParamKind::Words(&["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "SKIPPED"])),
        "Only rows in these states; may be given several times.",
    ),
    query("page", COUNT, "Which page, from 1, which is usual."),
    query("limit", COUNT, "How many rows a page has: 20 unless it is given, 100 at most."),
];

/// Which of the runs of a pipeline to list.
pub(super) const PIPELINE_RUNS: &[ParamSpec] =
    &[query("page", COUNT, "Which page of 20 rows, from 1, which is usual.")];

/// Which flows of a key to list.
pub(super) const OF_KEY: &[ParamSpec] =
    &[query("keyonly", TEXT, "Leaves out flows that are bound to no key.")];

/// A conversation that goes on, by a protocol that has no place for one.
pub(super) const NAMED_SESSION: &[ParamSpec] = &[header(
    "x-flowkeep-session",
    TEXT,
    "Names the conversation, where the flow lets callers with its key give one.",
)];
/// What clients of MCP say beside their message.
pub(super) const MCP: &[ParamSpec] = &[
    header("MCP-Protocol-Version", TEXT, "The revision of the protocol; 2025-03-26 where it is left out."),
    header("Mcp-Session-Id", TEXT, "What `initialize` answered with, where there was a handshake."),
    header("Mcp-Method", TEXT, "The method of the message, from revision 2026-07-28 on."),
    header("Mcp-Name", TEXT, "The tool that is called, from revision 2026-07-28 on."),
];
/// A call of a webhook that may be repeated.
pub(super) const IDEMPOTENCY_KEY: &[ParamSpec] = &[header(
    "Idempotency-Key",
    TEXT,
    "Names the call: one with the same name and body gets the first answer, for a day.",
)];
/// Which lines of the log to show.
pub(super) const SERVER_LOG: &[ParamSpec] = &[
    query(
        "level",
        ParamKind::Words(&["error", "warn", "info"]),
        "Lines at least this grave; `info` is usual.",
    ),
    query("limit", ParamKind::Whole(1), "How many at most: 200 unless it is given, 1,000 at most."),
];

/// What saving and publishing a draft look at.
pub(super) const DRAFT_MATCH: &[ParamSpec] = &[header(
    "If-Match",
    TEXT,
    "The `updatedDate` of the draft that was seen, in quotes, or `\"none\"`; another draft is a conflict.",
)];

/// What saving a flow looks at.
pub(super) const FLOW_MATCH: &[ParamSpec] = &[header(
    "If-Match",
    TEXT,
    "The `updatedDate` of the flow that was seen, in quotes; another one by now is a conflict.",
)];

/// What a version is compared with.
pub(super) const AGAINST: &[ParamSpec] =
    &[query("against", TEXT, "`previous`, which is usual, `current`, or the id of a version.")];

/// Which answers of a version to list.
pub(super) const ANSWERS_PAGE: &[ParamSpec] = &[query("page", COUNT, "Which page, from 1, which is usual.")];

/// What names a file of a conversation: its flow, conversation and name; or what a signed link carries.
pub(super) const FILE_QUERY: &[ParamSpec] = &[
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
const CHAT_TYPES: ParamKind = ParamKind::List(&ParamKind::Words(&[
    "INTERNAL",
    "EXTERNAL",
    "EVALUATION",
    "MCP",
    "SCHEDULED",
    "WEBHOOK",
]));
const RATINGS: ParamKind = ParamKind::List(&ParamKind::Words(&["THUMBS_UP", "THUMBS_DOWN"]));
const ORDER: ParamSpec =
    query("order", ParamKind::Words(&["ASC", "DESC"]), "Oldest first, which is usual, or newest first.");

macro_rules! message_filter {
    ($($more:expr),*) => {
        &[
            query("chatType", CHAT_TYPES, "Only messages of these kinds; may be given several times."),
            query("chatId", ID, "Only messages of this conversation."),
            query("sessionId", TEXT, "Only messages of this memory session."),
            query("memoryType", TEXT, "Only messages of this kind of memory."),
            query("messageId", ID, "Only this message."),
            query("startDate", TIME, "Only messages from then on."),
            query("endDate", TIME, "Only messages until then."),
            query("feedbackType", RATINGS, "Only rated answers, each with its question; may be given several times."),
            query("text", ParamKind::Bounded(0, 200), "Only messages with all of these words, in whatever case."),
            query("stopped", SWITCH, "`true`: only answers that ended before they were whole."),
            $($more,)*
        ]
    };
}
pub(super) const MESSAGE_FILTER: &[ParamSpec] = message_filter!();
pub(super) const CONVERSATION_LIST: &[ParamSpec] = message_filter!(PAGE, LIMIT);
macro_rules! conversation_filter {
    ($($more:expr),*) => {
        message_filter!(
            query("flowId", ID, "Only conversations of this flow."),
            query("versionId", SHA, "Only conversations in which this version of its flow answered."),
            query(
                "failed",
                SWITCH,
                "`true`: only conversations in which a run failed; of that version, where one is named."
            )
            $(, $more)*
        )
    };
}
/// Which conversations of all flows are wanted, and which page of them.
pub(super) const CONVERSATION_SEARCH: &[ParamSpec] = conversation_filter!(CURSOR, CURSOR_LIMIT);
/// Which conversations of all flows are wanted.
pub(super) const CONVERSATION_FILTER: &[ParamSpec] = conversation_filter!();
/// Which leads of all flows are wanted.
pub(super) const LEAD_LIST: &[ParamSpec] =
    &[query("flowId", ID, "Only leads of this flow."), CURSOR, CURSOR_LIMIT];
const CURSOR: ParamSpec = query("cursor", TEXT, "The `nextCursor` of the page before.");
const CURSOR_LIMIT: ParamSpec =
    query("limit", ParamKind::Whole(1), "How many rows a page has: 20 unless it is given, 100 at most.");

pub(super) const MESSAGE_LIST: &[ParamSpec] =
    message_filter!(ORDER, PAGE, LIMIT, query("feedback", TEXT, "Brings the rating of each answer along."));

pub(super) const FILLING_FILTER: &[ParamSpec] = &[
    ORDER,
    query("startDate", TIME, "Only fillings from then on."),
    query("endDate", TIME, "Only fillings until then."),
];

pub(super) const FEEDBACK_FILTER: &[ParamSpec] = &[
    ORDER,
    query("chatId", ID, "Only ratings in this conversation."),
    query("startDate", TIME, "Only ratings from then on."),
    query("endDate", TIME, "Only ratings until then."),
];

pub(super) const CREDENTIAL_FILTER: &[ParamSpec] = &[query(
    "credentialName",
    ParamKind::List(&TEXT),
    "Only credentials of these types; may be given several times.",
)];

/// What a provider sends a person back with.
pub(super) const RETURNED: &[ParamSpec] = &[
    query("state", TEXT, "The word of the sign-in, which counts once."),
    query("code", TEXT, "What buys tokens."),
    query("error", TEXT, "Why there is no code."),
];

pub(super) const ACCOUNT_FILTER: &[ParamSpec] = &[
    query("id", ID, "Whose account; one's own when it is left out."),
    query("email", EMAIL, "Whose account, by e-mail."),
];
pub(super) const WHOM: &[ParamSpec] = &[query("userId", ID, "Whom.")];
pub(super) const WHERE_TO: &[ParamSpec] = &[query("id", ID, "The workspace to go to.")];
/// Whose place, and where.
pub(super) const MEMBER_FILTER: &[ParamSpec] =
    &[query("workspaceId", ID, "The active workspace when it is left out."), query("userId", ID, "Whom.")];

pub(super) const AUDIT_FILTER: &[ParamSpec] = &[
    query("action", ParamKind::List(&TEXT), "Only these actions; may be given several times."),
    query("userId", ID, "Only what this person did."),
    query("workspaceId", ID, "Only in this workspace."),
    query("since", TIME, "Not before."),
    query("until", TIME, "Not after."),
    query("page", ParamKind::Whole(1), "Which page, from 1."),
    query("limit", ParamKind::Whole(1), "How many rows a page has, at most 200."),
];
