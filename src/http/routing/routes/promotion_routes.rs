//! Routes of versions that come from Dev.

use crate::http::api::promotion;
use crate::http::routing::guard::OWNER;
use crate::http::routing::router::{Route, delete, get, post};
use crate::wire::checks::check::CheckStart;

/// Promotion (manual 20): it puts onto callers what was made on another server, which is for the organization owner alone.
#[rustfmt::skip]
pub(super) fn promotion_routes() -> Vec<Route> { vec![
    get   ("/flow-versions/incoming",                  OWNER, promotion::list)       .summary("Lists the flows of which Dev has a version that is not Live here.")
        .id("listIncomingFlows"),
    get   ("/flow-versions/incoming/:id",              OWNER, promotion::read)       .summary("What promoting the newest version of Dev would change here.")
        .id("getIncomingFlow"),
    post  ("/flow-versions/incoming/:id/promote",      OWNER, promotion::promote)    .summary("Makes the newest version of Dev Live.")
        .id("promoteFlow").refuses(&[409]),
    get   ("/flow-versions/incoming/:id/check",        OWNER, promotion::check_setup).summary("What a check of the version of Dev would be, and the newest one.")
        .id("getPromotionCheckSetup"),
    post  ("/flow-versions/incoming/:id/check",        OWNER, promotion::start_check).summary("Asks Live and the version of Dev the same questions.")
        .id("startPromotionCheck").takes_json::<CheckStart>().refuses(&[409, 429]),
    get   ("/flow-versions/incoming/:id/check/:check", OWNER, promotion::read_check) .summary("A check of a version of Dev, as far as it came.")
        .id("getPromotionCheck"),
    delete("/flow-versions/incoming/:id/check/:check", OWNER, promotion::stop_check) .summary("Stops a check of a version of Dev.")
        .id("stopPromotionCheck").refuses(&[409]),
] }
