//! Flows, their drafts, and what a chat page may know of them (manual 5.1, 5.4, 5.5).

use super::{LIMIT, PAGE};
use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, NamedShape, ParamSpec, SETTINGS, SHA, Shape, ShapeField, TEXT, TEXTS, TIME, field,
    header, object, optional, query, text,
};

/// A setting as clients send it: an object, or its JSON text; `null` clears it.
const SETTING: Shape = Shape::AnyOf(&[TEXT, SETTINGS, Shape::Null]);

pub const FLOW_KIND: Shape = Shape::Named(&NamedShape {
    name: "FlowType",
    about: "The kind of a flow.",
    shape: Shape::Words(&["CHATFLOW", "AGENTFLOW", "MULTIAGENT", "ASSISTANT", "HARNESS", "ETL"]),
});

macro_rules! record {
    ($($canvas:expr)?) => {
        &[
            field("id", ID),
            field("name", TEXT),
            $($canvas,)?
            field("deployed", Shape::Maybe(&Shape::Flag)),
            field("isPublic", Shape::Maybe(&Shape::Flag)),
            field("apikeyid", Shape::Maybe(&ID)).about("The API key that callers of the flow must hold."),
            field("chatbotConfig", MAYBE_TEXT).about("JSON text."),
            field("apiConfig", MAYBE_TEXT).about("JSON text."),
            field("analytic", MAYBE_TEXT).about("JSON text."),
            field("speechToText", MAYBE_TEXT).about("JSON text."),
            field("textToSpeech", MAYBE_TEXT).about("JSON text."),
            field("followUpPrompts", MAYBE_TEXT).about("JSON text."),
            field("mcpServerConfig", MAYBE_TEXT).about("JSON text, without the endpoint's token."),
            field("category", MAYBE_TEXT),
            field("type", FLOW_KIND),
            field("publishInstantly", Shape::Flag).about("Edits go straight to Live."),
            field("webhookSecretConfigured", Shape::Flag),
            field("workspaceId", ID),
            field("createdDate", TIME),
            field("updatedDate", TIME),
        ]
    };
}

pub const FLOW: Shape = Shape::Named(&object(
    "Flow",
    "A flow with its Live canvas.",
    record!(field("flowData", TEXT).about("The Live canvas: JSON text of `{nodes, edges, viewport}`.")),
));

/// A flow's record in a list.
const FLOW_RECORD: Shape = Shape::Named(&object("FlowRecord", "A flow without its canvas.", record!()));

/// The draft status of a flow in a list.
const FLOW_STATE: Shape = Shape::Named(&object(
    "FlowState",
    "Where edits of a flow go, and what is known of its draft and of Live.",
    &[
        field("enabled", Shape::Flag).about("Drafts are on for this server."),
        field("mode", EDIT_MODE),
        field("reason", LIVE_REASON).about("Why edits go straight to Live."),
        field("publishInstantly", Shape::Flag),
        field(
            "draft",
            Shape::Maybe(&Shape::Object(&[
                field("updatedDate", TIME),
                field("updatedBy", Shape::Maybe(&TEXT)),
                field("stale", Shape::Flag),
            ])),
        ),
        field("lastPublished", Shape::Maybe(&LAST_PUBLISHED)),
        field("unsupported", MAYBE_TEXT)
            .about("Why this server does not run flows of this kind; null where it does."),
        field("hasLive", Shape::Flag).about("Live has cards."),
    ],
));
const EDIT_MODE: Shape = Shape::Words(&["draft", "live"]);
const LIVE_REASON: Shape = Shape::Maybe(&Shape::Words(&["off", "type", "publish-instantly"]));

/// A flow in a list without canvases.
const FLOW_OUTLINE: Shape = Shape::Named(&object(
    "FlowOutline",
    "A flow without its canvas, with the state of its draft.",
    &[
        field("id", ID),
        field("name", TEXT),
        field("category", MAYBE_TEXT),
        field("type", FLOW_KIND),
        field("isPublic", Shape::Maybe(&Shape::Flag)),
        field("apikeyid", Shape::Maybe(&ID)),
        field("publishInstantly", Shape::Flag),
        field("workspaceId", ID),
        field("createdDate", TIME),
        field("updatedDate", TIME),
        field("state", FLOW_STATE),
    ],
));

/// Which canvas a question is about.
pub const SIDE: &[ParamSpec] = &[query(
    "source",
    Shape::Words(&["live", "draft"]),
    "`draft`, which is usual: the draft's, when there is one; `live`: Live's.",
)];

/// Flows, or a page of them.
pub const FLOWS: Shape = Shape::AnyOf(&[
    Shape::List(&FLOW_RECORD),
    Shape::List(&FLOW),
    Shape::List(&FLOW_OUTLINE),
    Shape::Named(&object(
        "FlowOutlinePage",
        "A page of flows without canvases.",
        &[field("data", Shape::List(&FLOW_OUTLINE)), field("total", COUNT).about("Flows on all pages.")],
    )),
    Shape::Named(&object(
        "FlowRecordPage",
        "A page of flows without their canvases.",
        &[field("data", Shape::List(&FLOW_RECORD)), field("total", COUNT).about("Flows on all pages.")],
    )),
    Shape::Named(&object(
        "FlowPage",
        "A page of flows.",
        &[field("data", Shape::List(&FLOW)), field("total", COUNT).about("Flows on all pages.")],
    )),
]);

/// What the list of flows can be narrowed by.
pub const FLOW_FILTER: &[ParamSpec] = &[
    query("type", FLOW_KIND, "Only flows of this kind."),
    query("fields", Shape::Words(&["summary"]), "The least of each flow, with the state of its draft."),
    query(
        "full",
        Shape::Words(&["true", "false"]),
        "`true`: with the canvas of each flow, as lists of the family have it. Its clients were looked at: flowise-sdk for \
         Node and flowise for Python ask flows and read no list, and neither does the chat widget.",
    ),
    PAGE,
    LIMIT,
];

pub const NEW_FLOW: Shape = Shape::Named(&object("NewFlow", "A flow to make.", NEW_FLOW_FIELDS));
pub const FLOW_EDIT: Shape =
    Shape::Named(&object("FlowEdit", "What to change; what is left out stays.", FLOW_EDIT_FIELDS));

macro_rules! flow_fields {
    ($needed:ident) => {
        &[
            $needed("name", text(1, 255)),
            $needed("type", FLOW_KIND),
            optional("flowData", TEXT).about("JSON text of `{nodes, edges, viewport}`."),
            optional("category", MAYBE_TEXT),
            optional("deployed", Shape::Maybe(&Shape::Flag)),
            optional("isPublic", Shape::Maybe(&Shape::Flag)),
            optional("apikeyid", MAYBE_TEXT).about("The id of an API key; empty or null for none."),
            optional("publishInstantly", Shape::Flag),
            optional("chatbotConfig", SETTING),
            optional("apiConfig", SETTING),
            optional("analytic", SETTING),
            optional("speechToText", SETTING),
            optional("textToSpeech", SETTING),
            optional("followUpPrompts", SETTING),
            optional("mcpServerConfig", SETTING),
        ]
    };
}
const NEW_FLOW_FIELDS: &[ShapeField] = flow_fields!(field);
const FLOW_EDIT_FIELDS: &[ShapeField] = flow_fields!(optional);

/// A flow in a few words.
pub const FLOW_BRIEF: Shape = Shape::Named(&object(
    "FlowBrief",
    "A flow in a few words.",
    &[field("id", ID), field("name", TEXT), field("type", FLOW_KIND), field("updatedDate", TIME)],
));

pub const PROBLEMS: Shape = Shape::List(&Shape::Named(&object(
    "CardProblems",
    "What is wrong with a card.",
    &[
        field("id", TEXT).about("The card's node; empty for the flow as a whole."),
        field("label", TEXT),
        field("name", TEXT),
        field("issues", TEXTS),
        field("blocks", Shape::Flag).about("The flow cannot answer until they are mended."),
    ],
)));

/// What Override Config may list.
pub const ALLOWABLE: Shape = Shape::List(&Shape::Named(&object(
    "AllowableSetting",
    "A setting that a request may be allowed to change.",
    &[
        field("node", TEXT),
        field("nodeId", TEXT),
        field("label", TEXT),
        field("name", TEXT),
        field("type", TEXT),
    ],
)));

/// Pages that a flow turned away.
pub const REFUSED_ORIGINS: Shape = Shape::List(&Shape::Named(&object(
    "RefusedOrigin",
    "A site whose pages the flow's Allowed Domains kept out, since the service started and within a month.",
    &[
        field("origin", TEXT).about("`scheme://host[:port]`, or `null` for a page that has no site."),
        field("count", COUNT).about("Refused requests; a page makes several."),
        field("lastDate", TIME),
    ],
)));

/// Which flows of a key to list.
pub const OF_KEY: &[ParamSpec] = &[query("keyonly", TEXT, "Leaves out flows that are bound to no key.")];
/// Whether a flow was saved since.
pub const CHANGED: Shape = Shape::Named(&object(
    "HasChanged",
    "Whether a flow was saved since a time.",
    &[field("hasChanged", Shape::Flag)],
));
/// A list of flows without pages.
pub const FLOW_LIST: Shape = Shape::List(&FLOW);
pub const PUBLIC_FLOW: Shape = Shape::AnyOf(&[
    FLOW,
    Shape::Named(&object(
        "SharedFlow",
        "A shared flow as a chat page needs it.",
        &[
            field("id", ID),
            field("name", TEXT),
            field("type", FLOW_KIND),
            field("isPublic", Shape::Flag),
            field("apikeyid", MAYBE_TEXT).about("`bound` when the flow asks for a key."),
            field("chatbotConfig", TEXT).about("JSON text."),
            field("flowData", TEXT).about("JSON text of the Start card, if there is one."),
        ],
    )),
]);

pub const STREAMING: Shape = Shape::Named(&object(
    "Streaming",
    "Whether a flow answers token by token.",
    &[field("isStreaming", Shape::Flag)],
));

const UPLOAD_RULES: Shape = Shape::List(&Shape::Named(&object(
    "UploadRule",
    "Files that may be sent along.",
    &[field("fileTypes", TEXTS), field("maxUploadSize", COUNT).about("In MiB.")],
)));

/// What a chat may upload.
pub const UPLOADS: Shape = Shape::Named(&object(
    "UploadOffer",
    "What a flow's chat may upload.",
    &[
        field("isSpeechToTextEnabled", Shape::Flag),
        field("isImageUploadAllowed", Shape::Flag),
        field("isRAGFileUploadAllowed", Shape::Flag),
        field("imgUploadSizeAndTypes", UPLOAD_RULES),
        field("fileUploadSizeAndTypes", UPLOAD_RULES),
    ],
));

/// What a chat can count on.
const CHAT_STATE: Shape = Shape::Words(&["live", "unpublished", "unsupported"]);

/// What a chat page needs.
pub const CHATBOT_CONFIG: Shape = Shape::Named(&object(
    "ChatbotConfig",
    "What a chat page needs to know of a flow; how it looks is told in further fields.",
    &[
        field("uploads", UPLOADS),
        field("flowData", TEXT).about("Of the canvas, the Start card's form: JSON text."),
        field("isTTSEnabled", Shape::Flag),
        field("state", CHAT_STATE).about("Whether questions are answered."),
        optional("backgroundColor", Shape::Anything),
        optional("botMessage", Shape::Anything),
        optional("chatFeedback", Shape::Anything),
        optional("errorMessage", Shape::Anything),
        optional("followUpPrompts", Shape::Anything),
        optional("fontSize", Shape::Anything),
        optional("fullFileUpload", Shape::Anything),
        optional("generateNewSession", Shape::Anything),
        optional("leads", Shape::Anything),
        optional("poweredByTextColor", Shape::Anything),
        optional("renderHTML", Shape::Anything),
        optional("showAgentMessages", Shape::Anything),
        optional("starterPrompts", Shape::Anything),
        optional("textInput", Shape::Anything),
        optional("title", Shape::Anything),
        optional("titleAvatarSrc", Shape::Anything),
        optional("titleBackgroundColor", Shape::Anything),
        optional("titleTextColor", Shape::Anything),
        optional("userMessage", Shape::Anything),
        optional("welcomeMessage", Shape::Anything),
    ],
));

/// The last Publish or Roll back.
pub const LAST_PUBLISHED: Shape = Shape::Named(&object(
    "LastPublished",
    "The last Publish or Roll back of a flow.",
    &[
        field("sha", Shape::Maybe(&SHA)).about("The version; null when none was recorded."),
        field("date", TIME),
    ],
));

pub const DRAFT: Shape = Shape::Named(&object(
    "Draft",
    "Edits that touch nothing but themselves until they are published.",
    &[
        field("flowData", TEXT).about("The draft's canvas, JSON text."),
        field("updatedDate", TIME).about("What `If-Match` takes when it is saved again."),
        field("updatedBy", Shape::Maybe(&ID)),
        field("stale", Shape::Flag).about("Live changed after the draft was started."),
    ],
));

/// Where edits of a flow go, and its draft.
pub const DRAFT_STATUS: Shape = Shape::Named(&object(
    "DraftStatus",
    "Where edits of a flow go, and its draft.",
    &[
        field("enabled", Shape::Flag).about("Drafts are on for this server."),
        field("mode", EDIT_MODE),
        field("reason", LIVE_REASON).about("Why edits go straight to Live."),
        field("publishInstantly", Shape::Flag),
        field("draft", Shape::Maybe(&DRAFT)),
        field("lastPublished", Shape::Maybe(&LAST_PUBLISHED)),
        field("unsupported", MAYBE_TEXT)
            .about("Why this server does not run flows of this kind; null where it does."),
    ],
));

pub const DRAFT_EDIT: Shape = Shape::Named(&object(
    "DraftEdit",
    "A draft to save.",
    &[field("flowData", TEXT).about("JSON text of `{nodes, edges, viewport}`.")],
));

/// What saving a draft looks at.
pub const DRAFT_MATCH: &[ParamSpec] = &[header(
    "If-Match",
    TEXT,
    "The `updatedDate` of the draft that was seen, in quotes, or `\"none\"`; another draft is a conflict.",
)];

pub const DRAFT_SETTINGS: Shape = Shape::Named(&object(
    "DraftSettings",
    "Whether edits go straight to Live.",
    &[field("publishInstantly", Shape::Flag)],
));

pub const PUBLISH: Shape = Shape::Named(&object(
    "Publish",
    "How to publish.",
    &[optional("overwriteLiveChanges", Shape::Maybe(&Shape::Flag))
        .about("Replace what changed in Live after the draft was started.")],
));

pub const PUBLISH_EACH: Shape = Shape::Named(&object(
    "PublishEach",
    "Which flows to publish, as far as they can run.",
    &[field("ids", Shape::List(&ID)).about("1 to 1,000 flows.")],
));
