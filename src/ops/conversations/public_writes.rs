//! What anybody may leave at a public flow, ratings and leads, counted by address so that nobody fills the disk.

use crate::app::App;
use crate::domain::error::{Error, RateLimitExceeded, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::rate_limit::RateLimit;
use std::net::IpAddr;

/// Ratings and leads one address may leave at a flow in a minute (manual 14.1).
const NOTES_PER_MINUTE_MAX: u32 = 60;

/// Counts one of them.
///
/// # Errors
/// 429 for an address that leaves too many.
pub(crate) fn admit(app: &App, flow: &Flow, address: IpAddr) -> Result<()> {
    let limit = RateLimit {
        max: NOTES_PER_MINUTE_MAX,
        window_seconds: 60,
        message: "Too many requests, please try again later.".to_owned(),
    };
    let now = app.clock.now().as_millisecond();
    match app.state.public_writes.admit(&flow.id, &limit, address, now) {
        Ok(_) => Ok(()),
        Err(window) => Err(Error::RateLimited(RateLimitExceeded { message: limit.message, window })),
    }
}
