//! What goes over the wire, subject by subject, as the API description says it. A shape stands for one value that operations
//! build or read; `tests/api/api_description.rs` holds every answer against them, names that they lack included.

pub mod asking;
pub mod cards;
pub mod conversations;
pub mod flows;
pub mod management;
pub mod people;
pub mod transfer;

use super::openapi::shape::{COUNT, NamedShape, ParamSpec, Shape, TEXT, field, object, optional, query};

/// The body of every refusal (manual 1.4).
pub const ERROR: NamedShape = object(
    "Error",
    "Why a request was not carried out.",
    &[
        field("statusCode", Shape::Whole(400)),
        field("success", Shape::Flag).about("False."),
        field("message", TEXT).about("What to do about it."),
        field("stack", Shape::Object(&[])).about("Empty."),
        optional("code", Shape::Words(&["UNAVAILABLE"])).about("With status 503."),
        optional("retry", Shape::Flag).about("True when a session ended: sign in again."),
    ],
);

pub const DELETED: Shape = Shape::Named(&object(
    "Deleted",
    "What was deleted.",
    &[field("raw", Shape::List(&Shape::Anything)).about("Empty."), field("affected", COUNT)],
));

/// `page` and `limit`: both above zero make a page (manual 1.6 r1).
pub const PAGES: &[ParamSpec] = &[PAGE, LIMIT];
pub const PAGE: ParamSpec = query("page", COUNT, "Which page, from 1; only with `limit`.");
/// How long a page is.
pub const LIMIT: ParamSpec = query("limit", COUNT, "How many rows a page has; only with `page`.");
/// Deletes what is in use.
pub const FORCE: &[ParamSpec] =
    &[query("force", Shape::Words(&["true", "false"]), "`true`: deletes it although flows use it.")];
