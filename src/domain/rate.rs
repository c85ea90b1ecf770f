//! A flow's rate limit: requests per window per client address (spec 8, reference 5.2).

use serde_json::Value;

/// A configured limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests admitted per window.
    pub max: u32,
    /// Window length in seconds.
    pub window_seconds: u32,
    /// The plain text of the refusal.
    pub message: String,
}

/// Where an address stands in the current window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowState {
    /// Requests admitted per window.
    pub limit: u32,
    /// Requests left.
    pub remaining: u32,
    /// Seconds until the window ends, rounded up.
    pub reset_seconds: u64,
}

impl RateLimit {
    /// Reads `apiConfig.rateLimit`. Numbers may come as text. `status: false` or a missing value is no limit;
    /// a missing `status` with all three values counts as on (reference 2.2).
    #[must_use]
    pub fn from_config(config: &Value) -> Option<Self> {
        if config.get("status").is_some_and(|status| status != &Value::Bool(true)) {
            return None;
        }
        let max = positive(config.get("limitMax")?)?;
        let window_seconds = positive(config.get("limitDuration")?)?;
        let message = config
            .get("limitMsg")
            .and_then(Value::as_str)
            .unwrap_or("Too many requests, please try again later.");
        Some(Self { max, window_seconds, message: message.to_owned() })
    }
}

fn positive(value: &Value) -> Option<u32> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Rounded down; above what a u32 holds the cast saturates, which is a limit nobody reaches.
    (number >= 1.0).then_some(number as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_may_be_text() {
        let config = json!({"status": true, "limitMax": "5", "limitDuration": 60, "limitMsg": "slow down"});
        let limit = RateLimit::from_config(&config).unwrap();
        assert_eq!((limit.max, limit.window_seconds, limit.message.as_str()), (5, 60, "slow down"));
    }

    #[test]
    fn a_limit_that_is_off_or_partial_is_no_limit() {
        for config in [
            json!({"status": false, "limitMax": 5, "limitDuration": 60}),
            json!({"status": true, "limitMax": "", "limitDuration": 60}),
            json!({"status": true, "limitMax": 5}),
            json!({"status": true, "limitMax": "0", "limitDuration": "60"}),
            json!(null),
        ] {
            assert_eq!(RateLimit::from_config(&config), None, "{config}");
        }
    }
}
