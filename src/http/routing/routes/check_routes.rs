//! Routes of behaviour checks.

use super::permissions::{DRAFT_EDIT, DRAFT_VIEW};
use crate::http::api::checks;
use crate::http::api::flows::gates;
use crate::http::routing::guard::any_of;
use crate::http::routing::router::{Route, delete, get, post, put};
use crate::wire::checks::check::CheckStart;
use crate::wire::checks::kept::KeptQuestionEdit;

/// Checks of drafts (manual 18). What a draft is, their permissions follow: view to look, update to run.
#[rustfmt::skip]
pub(super) fn check_routes() -> Vec<Route> { vec![
    get   ("/flow-drafts/:id/check",           any_of(DRAFT_VIEW), checks::setup)       .summary("What a check of the draft would be, and the newest one.")
        .id("getCheckSetup"),
    post  ("/flow-drafts/:id/check",           any_of(DRAFT_EDIT), checks::start)       .summary("Asks Live and the draft, or versions, the same questions.")
        .id("startCheck").takes_json::<CheckStart>().refuses(&[409, 429]),
    get   ("/flow-drafts/:id/check/questions", any_of(DRAFT_VIEW), checks::list_kept)   .summary("Lists the questions that are kept for checks of the flow.")
        .id("listKeptQuestions"),
    put   ("/flow-drafts/:id/check/questions", any_of(DRAFT_EDIT).on(gates::changeable), checks::replace_kept).summary("Keeps these questions for checks of the flow.")
        .id("setKeptQuestions").takes_json::<Vec<KeptQuestionEdit>>().refuses(&[409]),
    get   ("/flow-drafts/:id/check/:check",    any_of(DRAFT_VIEW), checks::read)        .summary("A check, as far as it came.")
        .id("getCheck"),
    delete("/flow-drafts/:id/check/:check",    any_of(DRAFT_EDIT), checks::stop)        .summary("Stops a check.")
        .id("stopCheck").refuses(&[409]),
] }
