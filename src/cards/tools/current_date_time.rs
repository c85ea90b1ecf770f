//! Current Date Time: tells a model what time it is.

use crate::kit::{CallError, Card, Category, Factory, Risk, RunContext, Tool};
use crate::llm::ToolSpec;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "currentDateTime",
    label: "CurrentDateTime",
    version: 1.0,
    category: Category::Tools,
    description: "Tells the model the date, the time and the day of the week.",
    base_classes: &["CurrentDateTime", "Tool"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[],
    outputs: &[],
    make: Factory::Tools(|_| Ok(vec![Arc::new(CurrentDateTime)])),
};

struct CurrentDateTime;

impl Tool for CurrentDateTime {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "current_date_time".to_owned(),
            description: "Returns the current date, time, day of the week and time zone. Takes no arguments."
                .to_owned(),
            schema: json!({"type": "object", "properties": {}, "required": []}),
        }
    }

    fn call(&self, _arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        Ok(describe(turn.host.now(), TimeZone::system()))
    }
}

fn describe(now: Timestamp, zone: TimeZone) -> String {
    let zone_name = zone.iana_name().unwrap_or("UTC").to_owned();
    let local = now.to_zoned(zone);
    json!({
        "date": local.strftime("%Y-%m-%d").to_string(),
        "time": local.strftime("%H:%M:%S").to_string(),
        "day": local.strftime("%A").to_string(),
        "timezone": zone_name,
        "timezoneOffset": local.strftime("UTC%:z").to_string(),
        "iso8601": crate::clock::iso(now),
        "unix_timestamp": now.as_second(),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_and_offset_are_told() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let told: Value = serde_json::from_str(&describe(now, TimeZone::UTC)).unwrap();
        assert_eq!(told["day"], "Sunday");
        assert_eq!(told["timezoneOffset"], "UTC+00:00");
        assert_eq!(told["iso8601"], "2026-03-01T12:00:00.000Z");
    }
}
