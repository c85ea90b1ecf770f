//! A flow's rate limit: requests per window per client address (manual 2.5).

use serde_json::Value;

/// A configured limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    pub max: u32,
    /// Window length in seconds.
    pub window_seconds: u32,
    /// The plain text of the refusal.
    pub message: String,
}

/// Where an address stands in the current window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowState {
    pub limit: u32,
    pub remaining: u32,
    /// Seconds until the window ends, rounded up.
    pub reset_seconds: u64,
}

/// What `apiConfig.rateLimit` says (manual 5.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RateLimitSetting {
    Off,
    /// Switched on, with a value not filled in: the limit of before stays.
    Partial,
    On(RateLimit),
}

impl RateLimitSetting {
    /// Reads it. Numbers may come as text. `status: false` or a missing value is no limit; a missing `status` counts as
    /// on, and an empty message as absent.
    ///
    /// # Errors
    /// What a value must be that cannot mean anything.
    pub fn parse(config: Option<&Value>) -> Result<Self, &'static str> {
        let config = match config {
            None | Some(Value::Null) => return Ok(Self::Off),
            Some(config) => config.as_object().ok_or("it must be an object")?,
        };
        match config.get("status") {
            None | Some(Value::Null | Value::Bool(true)) => {}
            Some(Value::Bool(false)) => return Ok(Self::Off),
            Some(_) => return Err("status must be true or false"),
        }
        let max = parse_number(config.get("limitMax")).ok_or("limitMax must be a number from 1")?;
        let seconds =
            parse_number(config.get("limitDuration")).ok_or("limitDuration must be a number from 1")?;
        let message = match config.get("limitMsg") {
            None | Some(Value::Null) => DEFAULT_MESSAGE,
            Some(Value::String(text)) if text.trim().is_empty() => DEFAULT_MESSAGE,
            Some(Value::String(text)) => text,
            Some(_) => return Err("limitMsg must be a text"),
        };
        let limit = max.zip(seconds);
        Ok(limit.map_or(Self::Partial, |(max, window_seconds)| {
            Self::On(RateLimit { max, window_seconds, message: message.to_owned() })
        }))
    }

    /// The limit, where there is one.
    #[must_use]
    pub fn limit(self) -> Option<RateLimit> {
        if let Self::On(limit) = self { Some(limit) } else { None }
    }
}

const DEFAULT_MESSAGE: &str = "Too many requests, please try again later.";

/// Nothing where no number is filled in; `None` for what is no number from 1.
fn parse_number(value: Option<&Value>) -> Option<Option<u32>> {
    let number: f64 = match value {
        None | Some(Value::Null) => return Some(None),
        Some(Value::Number(number)) => number.as_f64()?,
        Some(Value::String(text)) if text.trim().is_empty() => return Some(None),
        Some(Value::String(text)) => text.trim().parse().ok()?,
        Some(_) => return None,
    };
    // Rounded down; above what a u32 holds the cast saturates, which is a limit nobody reaches.
    (number.is_finite() && number >= 1.0).then_some(Some(number as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(config: &Value) -> Result<RateLimitSetting, &'static str> {
        RateLimitSetting::parse(Some(config))
    }

    #[test]
    fn numbers_may_be_text() {
        let config = json!({"status": true, "limitMax": "5", "limitDuration": 60, "limitMsg": "slow down"});
        let limit = read(&config).unwrap().limit().unwrap();
        assert_eq!((limit.max, limit.window_seconds, limit.message.as_str()), (5, 60, "slow down"));
    }

    #[test]
    fn an_empty_message_counts_as_absent() {
        for message in [json!(""), json!("  "), json!(null)] {
            let config = json!({"limitMax": 5, "limitDuration": 60, "limitMsg": message});
            assert_eq!(read(&config).unwrap().limit().unwrap().message, DEFAULT_MESSAGE);
        }
    }

    #[test]
    fn a_limit_that_is_off_partial_or_nonsense_is_told_apart() {
        for off in
            [json!(null), json!({"status": false, "limitMax": 5}), json!({"status": false, "limitMax": []})]
        {
            assert_eq!(read(&off), Ok(RateLimitSetting::Off), "{off}");
        }
        for partial in [
            json!({}),
            json!({"status": true}),
            json!({"status": true, "limitMax": "", "limitDuration": 60}),
            json!({"status": true, "limitMax": 5}),
            json!({"limitDuration": "60", "limitMax": null}),
        ] {
            assert_eq!(read(&partial), Ok(RateLimitSetting::Partial), "{partial}");
        }
        for nonsense in [
            json!([]),
            json!("5"),
            json!({"status": "true", "limitMax": 5, "limitDuration": 60}),
            json!({"status": true, "limitMax": "0", "limitDuration": "60"}),
            json!({"limitMax": 5, "limitDuration": "a minute"}),
            json!({"limitMax": -5, "limitDuration": 60}),
            json!({"limitMax": "inf", "limitDuration": 60}),
            json!({"limitMax": "NaN", "limitDuration": 60}),
            json!({"limitMax": [5], "limitDuration": 60}),
            json!({"limitMax": 5, "limitDuration": {"s": 60}}),
            json!({"limitMax": 5, "limitDuration": true}),
            json!({"limitMax": 5, "limitDuration": 60, "limitMsg": 7}),
        ] {
            assert!(read(&nonsense).is_err(), "{nonsense}");
        }
    }
}
