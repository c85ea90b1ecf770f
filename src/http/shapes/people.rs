//! Accounts, invitations, roles, workspaces and the list of what was done (manual 8.4, 8.5).

use crate::http::openapi::shape::{
    COUNT, EMAIL, ID, MAYBE_TEXT, MAYBE_TIME, ParamSpec, Shape, ShapeField, TEXT, TEXTS, TIME, field, object,
    optional, query, text,
};

const NAME: Shape = text(1, 120);
const MAYBE_ID: Shape = Shape::Maybe(&ID);
const TOTAL: ShapeField = field("total", COUNT).about("Rows on all pages.");

pub const ACCOUNT_FILTER: &[ParamSpec] = &[
    query("id", ID, "Whose account; one's own when it is left out."),
    query("email", EMAIL, "Whose account, by e-mail."),
];
pub const WHOM: &[ParamSpec] = &[query("userId", ID, "Whom.")];
/// Whose place, and where.
pub const MEMBER_FILTER: &[ParamSpec] =
    &[query("workspaceId", ID, "The active workspace when it is left out."), query("userId", ID, "Whom.")];

pub const WORKSPACE: Shape = Shape::Named(&object(
    "Workspace",
    "A workspace.",
    &[
        field("id", ID),
        field("name", TEXT),
        field("description", TEXT),
        field("organizationId", ID),
        field("isDefault", Shape::Flag).about("Everybody begins here, so it stays."),
        field("isActive", Shape::Flag),
        field("memberCount", COUNT)
            .about("People with a membership, as `/workspaceuser` lists them; the owner needs none."),
        field("role", MAYBE_TEXT).about("What the caller is there."),
        field("createdDate", TIME),
        field("updatedDate", TIME),
    ],
));
pub const WORKSPACES: Shape = Shape::List(&WORKSPACE);
pub const NEW_WORKSPACE: Shape = Shape::Named(&object(
    "NewWorkspace",
    "A workspace to make.",
    &[field("name", NAME), optional("description", MAYBE_TEXT)],
));
pub const WORKSPACE_EDIT: Shape = Shape::Named(&object(
    "WorkspaceEdit",
    "What to change; what is left out stays.",
    &[
        optional("id", MAYBE_ID).about("The active workspace when it is left out."),
        optional("name", Shape::Maybe(&NAME)),
        optional("description", MAYBE_TEXT),
    ],
));
pub const WHERE_TO: &[ParamSpec] = &[query("id", ID, "The workspace to go to.")];

/// A page of what was done.
pub const AUDIT_PAGE: Shape = Shape::Named(&object(
    "AuditPage",
    "What was done, the newest first.",
    &[
        field(
            "data",
            Shape::List(&Shape::Named(&object(
                "AuditEntry",
                "Something a person or a key did.",
                &[
                    field("id", TEXT),
                    field("date", TIME),
                    field("action", TEXT),
                    field("outcome", Shape::Words(&["ok", "refused"])),
                    field("reason", MAYBE_TEXT).about("Why it was refused."),
                    field(
                        "actor",
                        Shape::Object(&[
                            field("kind", Shape::Words(&["user", "key", "operator", "nobody"])),
                            field("id", MAYBE_ID),
                            field("name", MAYBE_TEXT),
                        ]),
                    ),
                    field("address", MAYBE_TEXT),
                    field("workspaceId", MAYBE_ID),
                    field(
                        "target",
                        Shape::Maybe(&Shape::Object(&[
                            field("kind", TEXT),
                            field("id", MAYBE_TEXT),
                            field("name", MAYBE_TEXT),
                        ])),
                    ),
                ],
            ))),
        ),
        TOTAL,
    ],
));
pub const AUDIT_FILTER: &[ParamSpec] = &[
    query("action", TEXTS, "Only these actions; may be given several times."),
    query("userId", ID, "Only what this person did."),
    query("workspaceId", ID, "Only in this workspace."),
    query("since", TIME, "Not before."),
    query("until", TIME, "Not after."),
    query("page", Shape::Whole(1), "Which page, from 1."),
    query("limit", Shape::Whole(1), "How many rows a page has, at most 200."),
];
pub const LOGIN_FILTER: Shape = Shape::Named(&object(
    "LoginFilter",
    "Which sign-ins.",
    &[
        optional("actions", TEXTS),
        optional("userId", MAYBE_ID),
        optional("since", MAYBE_TIME),
        optional("until", MAYBE_TIME),
        optional("page", Shape::Maybe(&Shape::Whole(1))),
        optional("limit", Shape::Maybe(&Shape::Whole(1))).about("At most 200."),
    ],
));
