//! What the head of an answer says about asking again.

use crate::clock::Clock;

/// Who names a longer wait has made a mistake.
const WAIT_SECONDS_BELIEVED_MAX: u64 = 24 * 60 * 60;

/// True for what the same request may not be answered with again.
#[must_use]
pub const fn status_may_pass(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// The seconds that a header `retry-after` asks for: a number, or an HTTP date.
#[must_use]
pub fn parse_retry_after(text: &str) -> Option<u64> {
    parse_seconds(text).or_else(|| seconds_until(text)).map(believed_wait)
}

/// A number of seconds as servers write it.
#[must_use]
pub fn parse_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain.then(|| text.parse().ok())?
}

/// A wait in whole seconds, a day at most.
#[must_use]
pub fn believed_wait(seconds: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is clamped to a day just before"
    )]
    let whole = seconds.ceil().clamp(0.0, WAIT_SECONDS_BELIEVED_MAX as f64) as u64;
    whole
}

/// Seconds from now until an HTTP date.
fn seconds_until(text: &str) -> Option<f64> {
    // The name of the day says nothing that the date does not.
    let parser = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let date = parser.parse_timestamp(text.trim()).ok()?;
    Some(date.duration_since(Clock::default().now()).as_secs_f64())
}
