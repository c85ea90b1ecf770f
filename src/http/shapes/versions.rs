//! Version history (manual 6.1, 6.4), and what Publish, Roll back and Restore answer.

use super::flows::{DRAFT_STATUS, FLOW_BRIEF, FLOW_KIND, LAST_PUBLISHED, PROBLEMS};
use crate::http::openapi::shape::{
    COUNT, ID, ParamSpec, SHA, Shape, TEXT, TEXTS, TIME, field, object, optional, query,
};

pub const VERSION: Shape = Shape::Named(&object(
    "Version",
    "One entry of a flow's history.",
    &[
        field("sha", SHA),
        field("shortSha", SHA),
        field("date", TIME).about("In the author's zone."),
        field("author", TEXT),
        field("authorId", Shape::Maybe(&TEXT)),
        field("authorKind", Shape::Words(&["user", "system"])),
        field("title", TEXT),
        field("details", TEXTS),
        field(
            "kind",
            Shape::Words(&[
                "create", "save", "restore", "publish", "rollback", "promote", "delete", "unknown",
            ]),
        ),
        field("promotedFrom", Shape::Maybe(&SHA)),
        field("name", TEXT).about("The flow's name then."),
        field("hiddenSecrets", COUNT).about("Secrets that history did not keep."),
        field("published", Shape::Flag).about("It became what callers get."),
    ],
));

pub const HISTORY_STATUS: Shape = Shape::Named(&object(
    "HistoryStatus",
    "Whether version history is on.",
    &[field("enabled", Shape::Flag)],
));

/// The versions of a flow.
pub const VERSIONS: Shape = Shape::Named(&object(
    "VersionList",
    "The versions of a flow, newest first.",
    &[
        field("enabled", Shape::Flag),
        field("versions", Shape::List(&VERSION)),
        field("lastError", Shape::Maybe(&TEXT))
            .about("Why the last version was not recorded, or why the history cannot be read now."),
        field("liveSha", Shape::Maybe(&SHA)).about("The version that Live is the same as."),
        field("lastPublished", Shape::Maybe(&LAST_PUBLISHED)),
    ],
));

const MISSING: Shape = Shape::List(&Shape::Named(&object(
    "MissingCredential",
    "A credential that a version names and the workspace lacks.",
    &[field("name", TEXT), field("credentialName", TEXT)],
)));
const AMBIGUOUS: Shape = Shape::List(&Shape::Named(&object(
    "AmbiguousCredential",
    "A credential of whose name and type the workspace has several.",
    &[
        field("name", TEXT),
        field("credentialName", TEXT),
        field("count", COUNT),
        field("using", Shape::Words(&["current", "oldest"])).about("Which one was taken."),
    ],
)));
const HIDDEN: Shape = Shape::List(&Shape::Named(&object(
    "HiddenSecret",
    "An input whose secret history did not keep.",
    &[
        field("node", TEXT),
        field("label", TEXT),
        field("input", TEXT),
        field("inputLabel", TEXT),
        field("count", COUNT),
    ],
)));

pub const VERSION_CONTENT: Shape = Shape::Named(&object(
    "VersionContent",
    "A version with its canvas, filled in from what is stored now.",
    &[
        field("sha", SHA),
        field("name", TEXT),
        field("type", FLOW_KIND),
        field("flowData", TEXT).about("JSON text."),
        field("missingCredentials", MISSING),
        field("ambiguousCredentials", AMBIGUOUS),
        field("hiddenSecrets", HIDDEN),
    ],
));

const DIFF_CARDS: Shape = Shape::List(&Shape::Named(&object(
    "DiffCard",
    "A card that came or went.",
    &[field("id", TEXT), field("label", TEXT), field("name", TEXT)],
)));

pub const DIFF: Shape = Shape::Named(&object(
    "VersionDiff",
    "What a version changed in comparison with another.",
    &[
        field("added", DIFF_CARDS),
        field("removed", DIFF_CARDS),
        field(
            "changed",
            Shape::List(&Shape::Named(&object(
                "ChangedCard",
                "A card whose settings differ, or the settings of the flow.",
                &[
                    field("id", TEXT).about("Of the card, or `settings`."),
                    field("label", TEXT),
                    field("fields", TEXTS).about("Names of inputs, or keys of the flow's record."),
                ],
            ))),
        ),
        field("moved", TEXTS).about("Nodes that only moved."),
        field("edgesChanged", Shape::Flag),
        field("renamed", Shape::Maybe(&Shape::Object(&[field("from", TEXT), field("to", TEXT)]))),
        field("sha", SHA),
        field("against", Shape::Maybe(&TEXT)).about("A version, `current`, or null for the first one."),
    ],
));

/// What a version is compared with.
pub const AGAINST: &[ParamSpec] =
    &[query("against", TEXT, "`previous`, which is usual, `current`, or the id of a version.")];

pub const PUBLISHED: Shape = Shape::Named(&object(
    "PublishResult",
    "What Publish did.",
    &[
        field("chatflow", FLOW_BRIEF),
        field("version", Shape::Maybe(&VERSION)),
        field("unchanged", Shape::Flag).about("The draft was the same as Live."),
        field("recorded", Shape::Flag),
        field("historyError", Shape::Maybe(&TEXT)),
        field("status", DRAFT_STATUS),
        field("problems", PROBLEMS)
            .about("What is wrong with what is Live now, as `/validation/:id` says it."),
    ],
));

/// What publishing many flows answers.
pub const PUBLISHED_EACH: Shape = Shape::Named(&object(
    "PublishResults",
    "What became of each flow that was to be published.",
    &[
        field("published", COUNT),
        field("unchanged", COUNT),
        field("blocked", COUNT),
        field("refused", COUNT),
        field(
            "results",
            Shape::List(&Shape::Named(&object(
                "PublishOutcome",
                "What became of one of them.",
                &[
                    field("id", ID),
                    field("name", Shape::Maybe(&TEXT)).about("Null for a flow that the caller may not see."),
                    field("outcome", Shape::Words(&["published", "unchanged", "blocked", "refused"]))
                        .about("`blocked`: it could not answer, and stays as it was."),
                    field("reason", Shape::Maybe(&TEXT)).about("Why it was not published."),
                    field("problems", PROBLEMS),
                    field("version", Shape::Maybe(&VERSION)),
                    field("recorded", Shape::Flag),
                    field("historyError", Shape::Maybe(&TEXT)),
                ],
            ))),
        ),
    ],
));

/// Which version to roll back to.
pub const ROLLBACK: Shape =
    Shape::Named(&object("Rollback", "Which version becomes Live.", &[field("sha", SHA)]));

/// What Restore and Roll back answer.
pub const RESTORED: Shape = Shape::Named(&object(
    "RestoreResult",
    "What became of a version that was restored or rolled back to.",
    &[
        field("chatflow", FLOW_BRIEF),
        field("restoredFrom", SHA),
        field("restoredTo", Shape::Words(&["live", "draft"])),
        field("version", Shape::Maybe(&VERSION)),
        field("unchanged", Shape::Flag),
        field("recorded", Shape::Flag),
        field("historyError", Shape::Maybe(&TEXT)),
        field("missingCredentials", MISSING),
        field("ambiguousCredentials", AMBIGUOUS),
        field("hiddenSecrets", HIDDEN),
        optional("draft", DRAFT_STATUS).about("After a restore into the draft."),
        optional("status", DRAFT_STATUS).about("After Roll back."),
    ],
));
