//! Accounts, invitations, roles, workspaces and the list of what was done (manual 8.4, 8.5).

use crate::http::openapi::shape::{
    COUNT, EMAIL, ID, MAYBE_TEXT, MAYBE_TIME, ParamSpec, SECRET, Shape, ShapeField, TEXT, TEXTS, TIME, field,
    object, optional, query, text, text_in_format,
};

const NAME: Shape = text(1, 120);
const MAYBE_ID: Shape = Shape::Maybe(&ID);
const STATUS: Shape = Shape::Words(&["active", "disabled"]);
const TOTAL: ShapeField = field("total", COUNT).about("Rows on all pages.");
const WHO: Shape = Shape::Object(&[field("id", ID), field("name", TEXT), field("email", EMAIL)]);

pub const START: Shape =
    Shape::Named(&object("Start", "Where a page begins.", &[field("redirectUrl", TEXT)]));
pub const TOLD: Shape = Shape::Named(&object("Told", "What was done, in words.", &[field("message", TEXT)]));
/// A token to look at.
pub const PRESENTED: Shape = Shape::Named(&object(
    "PresentedLink",
    "The token of a link.",
    &[field("user", Shape::Object(&[field("tempToken", TEXT)]))],
));
/// What a token is for.
pub const OPENS: Shape = Shape::Named(&object(
    "LinkPurpose",
    "What a link is for.",
    &[
        field("kind", Shape::Words(&["invitation", "reset"])),
        field("email", EMAIL),
        field("name", MAYBE_TEXT),
        field("organization", TEXT),
        field("workspace", MAYBE_TEXT),
        field("expires", TIME),
    ],
));
pub const FORGOTTEN: Shape = Shape::Named(&object(
    "ForgottenPassword",
    "Who needs a new password.",
    &[field("user", Shape::Object(&[field("email", TEXT)]))],
));
/// A new password by a link.
pub const NEW_PASSWORD: Shape = Shape::Named(&object(
    "NewPassword",
    "A new password, and the token of the link that allows it.",
    &[field("user", Shape::Object(&[field("tempToken", TEXT), field("password", SECRET)]))],
));

const LINK: ShapeField = field(
    "link",
    Shape::Named(&object(
        "Link",
        "A link that works once.",
        &[
            field("path", TEXT).about("To be appended to the address of the service."),
            field("token", TEXT),
            field("expires", TIME),
        ],
    )),
)
.about("Shown this once.");

pub const ACCOUNT: Shape = Shape::Named(&object(
    "Account",
    "A person's account.",
    &[
        field("id", ID),
        field("name", TEXT),
        field("email", EMAIL),
        field("status", STATUS),
        field("isOwner", Shape::Flag),
        field("createdDate", TIME),
        field("updatedDate", TIME),
        field("lastLogin", MAYBE_TIME),
        field("resetRequestedDate", MAYBE_TIME),
    ],
));
pub const ACCOUNT_FILTER: &[ParamSpec] = &[
    query("id", ID, "Whose account; one's own when it is left out."),
    query("email", EMAIL, "Whose account, by e-mail."),
];
/// Changes of one's own account.
pub const ACCOUNT_EDIT: Shape = Shape::Named(&object(
    "AccountEdit",
    "What to change; what is left out stays.",
    &[
        optional("name", Shape::Maybe(&NAME)),
        optional("email", Shape::Maybe(&EMAIL)),
        optional("currentPassword", Shape::Maybe(&SECRET)).about("Needed for another e-mail or password."),
        optional("newPassword", Shape::Maybe(&SECRET)),
    ],
));
pub const SESSIONS: Shape = Shape::List(&Shape::Named(&object(
    "Session",
    "Where a person is signed in.",
    &[
        field("id", ID),
        field("createdDate", TIME),
        field("lastSeenDate", TIME),
        field("address", MAYBE_TEXT),
        field("userAgent", MAYBE_TEXT).about("Browser and system."),
        field("current", Shape::Flag).about("It is the one that asks."),
        field("workspaceId", ID),
        field("workspace", MAYBE_TEXT),
    ],
)));

const INVITATION_FIELDS: &[ShapeField] = &[
    field("id", ID),
    field("email", EMAIL),
    field("name", MAYBE_TEXT),
    field("workspaceId", ID),
    field("workspace", MAYBE_TEXT),
    field("roleId", ID),
    field("role", MAYBE_TEXT),
    field("invitedBy", TEXT),
    field("createdDate", TIME),
    field("expires", TIME),
    field("expired", Shape::Flag),
    ShapeField { required: false, ..LINK },
];
pub const INVITATION: Shape =
    Shape::Named(&object("Invitation", "A place that waits for a person.", INVITATION_FIELDS));
pub const INVITATIONS: Shape = Shape::List(&INVITATION);
pub const NEW_INVITATION: Shape = Shape::Named(&object(
    "NewInvitation",
    "Whom to invite, where, and as what.",
    &[
        field("user", Shape::Object(&[field("email", EMAIL), optional("name", MAYBE_TEXT)])),
        optional("workspaceId", MAYBE_ID).about("The active workspace when it is left out."),
        field("roleId", ID),
    ],
));

/// A person as the organization sees them.
pub const PERSON: Shape = Shape::Named(&object(
    "Person",
    "A person of the organization.",
    &[
        field("organizationId", ID),
        field("userId", ID),
        field("isOwner", Shape::Flag),
        field("status", STATUS),
        field("lastLogin", MAYBE_TIME),
        field("createdDate", TIME),
        field("resetRequestedDate", MAYBE_TIME).about("They asked for a new password; for the owner."),
        field("roleId", MAYBE_ID).about("The owner's role."),
        field("user", WHO),
        field(
            "workspaces",
            Shape::List(&Shape::Object(&[
                field("id", ID),
                field("name", TEXT),
                field("roleId", ID),
                field("role", TEXT),
            ])),
        ),
        field("sessions", Shape::Maybe(&COUNT)).about("For the owner."),
    ],
));
/// People, or a page of them.
pub const PEOPLE_OR_PAGE: Shape = Shape::AnyOf(&[
    Shape::List(&PERSON),
    Shape::Named(&object("PersonPage", "A page of people.", &[field("data", Shape::List(&PERSON)), TOTAL])),
]);
/// Lets somebody in or keeps them out.
pub const PERSON_STATUS: Shape = Shape::Named(&object(
    "PersonStatus",
    "Whether a person may sign in.",
    &[field("userId", ID), field("status", STATUS)],
));
pub const WHOM: &[ParamSpec] = &[query("userId", ID, "Whom.")];
/// A link for a new password.
pub const RESET_LINK: Shape = Shape::Named(&object(
    "ResetLink",
    "A link with which a person sets a new password.",
    &[field("userId", ID), field("email", EMAIL), LINK],
));

pub const ORGANIZATION: Shape = Shape::Named(&object(
    "Organization",
    "The organization.",
    &[field("id", ID), field("name", TEXT), field("ownerId", ID), field("createdDate", TIME)],
));
pub const ORGANIZATION_EDIT: Shape =
    Shape::Named(&object("OrganizationEdit", "The new name.", &[field("name", NAME)]));

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

/// A member of a workspace.
pub const MEMBER: Shape = Shape::Named(&object(
    "Member",
    "A person's place in a workspace.",
    &[
        field("workspaceId", ID),
        field("userId", ID),
        field("roleId", ID),
        field("status", STATUS),
        field("lastLogin", MAYBE_TIME),
        field("isOwner", Shape::Flag),
        field("createdDate", TIME),
        field("user", WHO),
        field(
            "role",
            Shape::Maybe(&Shape::Object(&[
                field("id", ID),
                field("name", TEXT),
                field("description", TEXT),
                field("builtIn", Shape::Flag),
            ])),
        ),
    ],
));
pub const MEMBERS: Shape = Shape::List(&MEMBER);
/// Whose place, and where.
pub const MEMBER_FILTER: &[ParamSpec] =
    &[query("workspaceId", ID, "The active workspace when it is left out."), query("userId", ID, "Whom.")];
pub const MEMBER_EDIT: Shape = Shape::Named(&object(
    "MemberEdit",
    "Who is to be what, and where.",
    &[
        optional("workspaceId", MAYBE_ID).about("The active workspace when it is left out."),
        optional("userId", MAYBE_ID),
        optional("email", Shape::Maybe(&text_in_format("email")))
            .about("In the place of `userId`, to add somebody."),
        field("roleId", ID),
    ],
));

pub const ROLE: Shape = Shape::Named(&object(
    "Role",
    "A named list of permissions.",
    &[
        field("id", ID),
        field("organizationId", ID),
        field("name", TEXT),
        field("description", TEXT),
        field("permissions", TEXTS),
        field("builtIn", Shape::Flag),
        field("assignable", Shape::Flag).about("The caller may give it."),
        field("editable", Shape::Flag).about("The caller may change it."),
        field("userCount", COUNT),
        field("createdDate", MAYBE_TIME),
        field("updatedDate", MAYBE_TIME),
    ],
));
pub const ROLES: Shape = Shape::List(&ROLE);
const NAMES: Shape = Shape::AnyOf(&[TEXTS, TEXT]);
pub const NEW_ROLE: Shape = Shape::Named(&object(
    "NewRole",
    "A role to make.",
    &[
        field("name", NAME),
        optional("description", MAYBE_TEXT),
        field("permissions", NAMES).about("At least one; a list, or the list as JSON text."),
    ],
));
pub const ROLE_EDIT: Shape = Shape::Named(&object(
    "RoleEdit",
    "What to change; what is left out stays.",
    &[
        optional("id", MAYBE_ID).about("Which role, where the path does not say."),
        optional("name", Shape::Maybe(&NAME)),
        optional("description", MAYBE_TEXT),
        optional("permissions", Shape::Maybe(&NAMES)),
    ],
));

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
