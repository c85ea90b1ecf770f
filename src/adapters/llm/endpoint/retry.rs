//! The provider's 429: a few tries, then the caller is told when to come back (manual 2.10).

use crate::base::cancel::{CancelReason, CancelToken};
use crate::llm::ModelError;
use crate::net::{believed_wait, parse_retry_after, parse_seconds};
use serde_json::Value;
use std::time::Duration;

/// Tries of one model call.
const TRIES_MAX: u32 = 3;
/// All waits of one model call together, and so the longest single one.
const WAIT_SECONDS_MAX: u64 = 20;
/// The shortest wait.
const WAIT_SECONDS_MIN: u64 = 1;
/// What the caller is told when the provider named no wait.
const WAIT_SECONDS_DEFAULT: u64 = 30;

/// Why a try failed, and the wait in seconds the provider asked for.
#[derive(Debug)]
pub(in crate::llm) struct AttemptError {
    pub error: ModelError,
    pub retry_after_seconds: Option<u64>,
}

impl From<ModelError> for AttemptError {
    fn from(error: ModelError) -> Self {
        Self { error, retry_after_seconds: None }
    }
}

/// Tries `attempt` until it succeeds, fails for another reason than throttling, or has used up tries or time.
pub(in crate::llm) fn with_retries<T>(
    cancel: &CancelToken,
    attempt: impl FnMut() -> Result<T, AttemptError>,
) -> Result<T, ModelError> {
    let sleep = |wait: Duration| {
        // A wait that outlasts the run helps nobody.
        if cancel.time_left().is_some_and(|left| left <= wait) {
            return Ok(false);
        }
        if cancel.sleep(wait) {
            return Ok(true);
        }
        Err(match cancel.reason() {
            Some(CancelReason::TimedOut) => ModelError::TimedOut,
            _ => ModelError::Cancelled,
        })
    };
    with_retries_and_sleep(sleep, attempt)
}

fn with_retries_and_sleep<T>(
    mut sleep: impl FnMut(Duration) -> Result<bool, ModelError>,
    mut attempt: impl FnMut() -> Result<T, AttemptError>,
) -> Result<T, ModelError> {
    let mut waited = 0;
    let mut tried = 0;
    loop {
        let failure = match attempt() {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        if !matches!(failure.error, ModelError::Throttled { .. }) {
            return Err(failure.error);
        }
        tried += 1;
        let wait =
            failure.retry_after_seconds.unwrap_or(u64::from(tried)).clamp(WAIT_SECONDS_MIN, WAIT_SECONDS_MAX);
        waited += wait;
        if tried == TRIES_MAX || waited > WAIT_SECONDS_MAX || !sleep(Duration::from_secs(wait))? {
            return Err(failure.error);
        }
    }
}

/// The error that names the provider's wait, or the default.
pub(in crate::llm) fn throttled_error(asked: Option<u64>) -> ModelError {
    ModelError::Throttled { retry_after_seconds: asked.unwrap_or(WAIT_SECONDS_DEFAULT).max(WAIT_SECONDS_MIN) }
}

/// The wait a refusal asks for, in seconds: from its headers, else from Google's error details.
pub(in crate::llm) fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>, body: &Value) -> Option<u64> {
    let milliseconds = header("retry-after-ms").and_then(parse_seconds).map(|ms| believed_wait(ms / 1000.0));
    milliseconds.or_else(|| header("retry-after").and_then(parse_retry_after)).or_else(|| {
        let details = body["error"]["details"].as_array()?;
        let delay = |detail: &Value| parse_seconds(detail["retryDelay"].as_str()?.strip_suffix('s')?);
        details.iter().find_map(delay).map(believed_wait)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const WAIT_SECONDS_BELIEVED_MAX: u64 = 24 * 60 * 60;

    fn asked(name: &str, value: &str) -> Option<u64> {
        retry_after(|header| (header == name).then_some(value), &Value::Null)
    }

    #[test]
    fn waits_are_read_in_every_form() {
        for (name, value, expected) in [
            ("retry-after", "7", Some(7)),
            ("retry-after", " 0 ", Some(0)),
            ("retry-after", "1.2", Some(2)),
            ("retry-after", "99999999999", Some(WAIT_SECONDS_BELIEVED_MAX)),
            ("retry-after", "soon", None),
            ("retry-after", "-5", None),
            ("retry-after", "", None),
            ("retry-after-ms", "1500", Some(2)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("retry-after", "Sun, 06 Nov 2094 08:49:37 GMT", Some(WAIT_SECONDS_BELIEVED_MAX)),
            ("x-other", "7", None),
        ] {
            assert_eq!(asked(name, value), expected, "{name}: {value}");
        }
        let date = jiff::fmt::rfc2822::to_string(&(jiff::Zoned::now() + Duration::from_secs(90))).unwrap();
        assert!(matches!(asked("retry-after", &date), Some(88..=91)));
        let google = json!({"error":{"details":[{"@type":"x.QuotaFailure"},{"@type":"x.RetryInfo","retryDelay":"13.4s"}]}});
        assert_eq!(retry_after(|_| None, &google), Some(14));
    }

    /// Runs calls that are all throttled, and gives the waits in between.
    fn waits(asked: &[Option<u64>]) -> (Vec<u64>, Result<(), ModelError>) {
        let (mut slept, mut at) = (Vec::new(), 0);
        let result = with_retries_and_sleep(
            |wait| {
                slept.push(wait.as_secs());
                Ok(true)
            },
            || {
                let asked = asked.get(at).copied().flatten();
                at += 1;
                Err(AttemptError { error: throttled_error(asked), retry_after_seconds: asked })
            },
        );
        (slept, result)
    }

    #[test]
    fn three_tries_within_about_twenty_seconds() {
        for (asked, expected, told) in [
            (&[None, None, None][..], &[1, 2][..], 30),
            (&[Some(3), Some(4), Some(5)], &[3, 4], 5),
            (&[Some(0), Some(0), Some(0)], &[1, 1], 1),
            (&[Some(60), Some(60)], &[20], 60),
            (&[Some(15), Some(15)], &[15], 15),
            (&[Some(10), Some(10), Some(99)], &[10, 10], 99),
        ] {
            let (slept, result) = waits(asked);
            assert_eq!(slept, expected, "{asked:?}");
            assert_eq!(result, Err(ModelError::Throttled { retry_after_seconds: told }), "{asked:?}");
        }
    }

    #[test]
    fn only_throttling_is_tried_again() {
        let mut tries = 0;
        let result: Result<(), _> = with_retries_and_sleep(
            |_| Ok(true),
            || {
                tries += 1;
                Err(AttemptError { error: ModelError::OutOfCredit, retry_after_seconds: Some(1) })
            },
        );
        assert_eq!((result, tries), (Err(ModelError::OutOfCredit), 1));
        let mut tries = 0;
        let result = with_retries_and_sleep(
            |_| Ok(true),
            || {
                tries += 1;
                if tries < 3 {
                    Err(AttemptError { error: throttled_error(None), retry_after_seconds: None })
                } else {
                    Ok(tries)
                }
            },
        );
        assert_eq!(result, Ok(3));
    }

    #[test]
    fn a_wait_ends_with_the_run() {
        let cancel = CancelToken::new(None);
        let other = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.cancel(CancelReason::CallerLeft);
        });
        let start = std::time::Instant::now();
        let throttle =
            || Err::<(), _>(AttemptError { error: throttled_error(Some(9)), retry_after_seconds: Some(9) });
        assert_eq!(with_retries(&cancel, throttle), Err(ModelError::Cancelled));
        assert!(start.elapsed() < Duration::from_secs(3));
        let short = CancelToken::new(Some(Duration::from_secs(5)));
        assert_eq!(with_retries(&short, throttle), Err(ModelError::Throttled { retry_after_seconds: 9 }));
    }
}
