//! Routes of harnesses (manual 22.6).

use super::permissions::HARNESS_VIEW;
use crate::http::api::predictions::harnesses::{self, RUN_HARNESS};
use crate::http::routing::guard::any_of;
use crate::http::routing::router::{Route, get, post};
use crate::limits::BODY_CANVAS_BYTES;
use crate::wire::predictions::answer::AnswerView;
use crate::wire::predictions::harnesses::HarnessQuestion;

#[rustfmt::skip]
pub(super) fn harness_routes() -> Vec<Route> {
    vec![
    get   ("/harnesses",                 any_of(HARNESS_VIEW), harnesses::list).summary("Lists the harnesses of the workspace.")
        .id("listHarnesses"),
    post  ("/harnesses/:name/runs",      RUN_HARNESS,          harnesses::run).limit(BODY_CANVAS_BYTES).summary("Asks a harness by its name.")
        .id("runHarness").takes_json::<HarnessQuestion>().answers_json::<AnswerView>(200).may_stream().refuses(&[409, 507]),
    ]
}
