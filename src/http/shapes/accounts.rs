//! People and their sessions (manual 8.1, 8.2), and the service itself.

use crate::http::openapi::shape::{EMAIL, ID, SECRET, Shape, TEXT, TEXTS, field, object, optional, text};

/// The signed-in person.
pub const USER: Shape = Shape::Named(&object(
    "User",
    "A signed-in person, and what they may do here.",
    &[
        field("id", ID),
        field("email", EMAIL),
        field("name", TEXT),
        field("roleId", Shape::Maybe(&TEXT)),
        field("activeOrganizationId", ID),
        field("activeOrganizationSubscriptionId", Shape::Null),
        field("activeOrganizationCustomerId", Shape::Null),
        field("activeOrganizationProductId", Shape::Null),
        field("isOrganizationAdmin", Shape::Flag),
        field("activeWorkspaceId", ID),
        field("activeWorkspace", Shape::Maybe(&TEXT)),
        field(
            "assignedWorkspaces",
            Shape::List(&Shape::Named(&object(
                "AssignedWorkspace",
                "A workspace of a person.",
                &[field("id", ID), field("name", TEXT), field("role", TEXT), field("organizationId", ID)],
            ))),
        ),
        field("permissions", TEXTS),
        field("features", Shape::Object(&[])),
        field("isSSO", Shape::Flag),
    ],
));

pub const REGISTRATION: Shape = Shape::Named(&object(
    "Registration",
    "The first owner, or somebody who was invited.",
    &[
        field(
            "user",
            Shape::Object(&[
                field("name", text(1, 100)),
                optional("email", Shape::Maybe(&EMAIL)).about("Needed for the first owner."),
                field("credential", SECRET).about("The password."),
                optional("tempToken", Shape::Maybe(&TEXT)).about("The token of an invitation."),
            ]),
        ),
        optional("organization", Shape::Maybe(&Shape::Object(&[field("name", text(1, 100))]))),
        optional("setupToken", Shape::Maybe(&TEXT)).about("What the service printed when it started."),
    ],
));

pub const REGISTERED: Shape = Shape::Named(&object(
    "Registered",
    "What was made.",
    &[
        field("user", Shape::Object(&[field("id", ID), field("name", TEXT), field("email", EMAIL)])),
        field("organization", Shape::Object(&[field("id", ID), field("name", TEXT)])),
        field("workspace", Shape::Object(&[field("id", ID), field("name", TEXT)])),
    ],
));

/// Who signs in.
pub const LOGIN: Shape =
    Shape::Named(&object("Login", "Who signs in.", &[field("email", TEXT), field("password", SECRET)]));

pub const LOGGED_OUT: Shape = Shape::Named(&object(
    "LoggedOut",
    "The session is over.",
    &[field("message", TEXT), field("redirectTo", TEXT)],
));

/// The catalogue of permissions, by category.
pub const PERMISSIONS: Shape = Shape::Map(&Shape::List(&Shape::Named(&object(
    "PermissionRow",
    "A permission.",
    &[
        field("key", TEXT),
        field("value", TEXT).about("In words."),
        field("isOpenSource", Shape::Flag),
        field("isEnterprise", Shape::Flag),
        field("isCloud", Shape::Flag),
    ],
))));

pub const SERVICE_VERSION: Shape =
    Shape::Named(&object("ServiceVersion", "The service's version.", &[field("version", TEXT)]));
pub const SERVICE_STATUS: Shape =
    Shape::Named(&object("ServiceStatus", "How the service is.", &[field("status", TEXT)]));

/// What a page needs to know before anybody signs in.
pub const PUBLIC_SETTINGS: Shape = Shape::Named(&object(
    "PublicSettings",
    "What a page needs to know before anybody signs in.",
    &[
        field("PLATFORM_TYPE", TEXT),
        field("ownerExists", Shape::Flag),
        field("setupTokenNeeded", Shape::Flag),
    ],
));
/// Where a caller comes from.
pub const ADDRESS: Shape = Shape::Named(&object(
    "CallerAddress",
    "The address a caller is counted by.",
    &[field("ip", TEXT), field("msg", TEXT)],
));
