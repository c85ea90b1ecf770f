//! What asks about flows may say in an address (manual 5.1, 5.4, 5.5), and the kinds of flow.

use super::{LIMIT, PAGE};
use crate::http::openapi::shape::{NamedShape, ParamSpec, Shape, TEXT, TEXTS, field, header, object, query};

pub const FLOW_KIND: Shape = Shape::Named(&NamedShape {
    name: "FlowType",
    about: "The kind of a flow.",
    shape: Shape::Words(&["CHATFLOW", "AGENTFLOW", "MULTIAGENT", "ASSISTANT", "HARNESS", "ETL"]),
});

/// Which canvas a question is about.
pub const SIDE: &[ParamSpec] = &[query(
    "source",
    Shape::Words(&["live", "draft"]),
    "`draft`, which is usual: the draft's, when there is one; `live`: Live's.",
)];

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

/// What is wrong with the cards of a flow that is imported.
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

/// Which flows of a key to list.
pub const OF_KEY: &[ParamSpec] = &[query("keyonly", TEXT, "Leaves out flows that are bound to no key.")];

/// What saving a draft looks at.
pub const DRAFT_MATCH: &[ParamSpec] = &[header(
    "If-Match",
    TEXT,
    "The `updatedDate` of the draft that was seen, in quotes, or `\"none\"`; another draft is a conflict.",
)];

/// What a version is compared with.
pub const AGAINST: &[ParamSpec] =
    &[query("against", TEXT, "`previous`, which is usual, `current`, or the id of a version.")];
