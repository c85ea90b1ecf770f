//! What the Start card says of a schedule.

use super::ScheduleDefinition;
use super::cron::CronExpression;
use super::times::{ScheduleTimes, find_zone};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const CRON: &str = "scheduleCronExpression";
const FREQUENCY: &str = "scheduleFrequency";
const ON_MINUTE: &str = "scheduleOnMinute";
const ON_TIME: &str = "scheduleOnTime";
const ON_DAY_OF_WEEK: &str = "scheduleOnDayOfWeek";
const ON_DAY_OF_MONTH: &str = "scheduleOnDayOfMonth";
const ZONE: &str = "scheduleTimezone";
const END: &str = "scheduleEndDate";
const FORM_VALUES: &str = "scheduleFormDefaults";
const CATCH_UP: &str = "scheduleCatchUpMinutes";

/// Minutes by which a missed run may be late and still be made up for, unless the card says it.
const CATCH_UP_MINUTES: u64 = 10;
/// Most minutes that a card may say: a week.
const CATCH_UP_MAX_MINUTES: u64 = 10_080;

/// What each run of a schedule begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScheduleInput {
    Text(String),
    Form(Map<String, Value>),
    Nothing,
}

/// An input of the Start card that says no schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFault {
    /// Its name.
    pub input: &'static str,
    pub why: String,
}

impl InputFault {
    fn new(input: &'static str, why: impl Into<String>) -> Self {
        Self { input, why: why.into() }
    }
}

/// The inputs of a Start card.
struct Inputs<'a>(&'a Map<String, Value>);

impl ScheduleDefinition {
    /// Reads the schedule of the Start card `node`; `None` when it starts with something else.
    ///
    /// # Errors
    /// The first input that is wrong; one that would come more often than every `seconds_min` seconds too.
    pub fn read(
        node: &str,
        inputs: &Map<String, Value>,
        seconds_min: u64,
    ) -> Result<Option<Self>, InputFault> {
        let inputs = Inputs(inputs);
        if inputs.text("startInputType").as_deref() != Some("scheduleInput") {
            return Ok(None);
        }
        let (cron, cron_input) = inputs.cron()?;
        let parsed = CronExpression::parse(&cron).map_err(|why| InputFault::new(cron_input, why))?;
        check_gap(&parsed, seconds_min).map_err(|why| InputFault::new(cron_input, why))?;
        let zone_name = inputs.text(ZONE).unwrap_or_else(|| "UTC".to_owned());
        let zone = find_zone(&zone_name).ok_or_else(|| unknown_zone(&zone_name))?;
        Ok(Some(Self {
            node: node.to_owned(),
            cron,
            end: inputs.end(&zone)?,
            zone: zone.iana_name().unwrap_or(&zone_name).to_owned(),
            input: inputs.input()?,
            catch_up_minutes: inputs.catch_up_minutes()?,
        }))
    }

    /// The times of what was read before.
    ///
    /// # Errors
    /// As [`Self::read`]: the zone may be unknown by now, and the operator may have raised the least gap.
    pub fn times(&self, seconds_min: u64) -> Result<ScheduleTimes, InputFault> {
        let cron = CronExpression::parse(&self.cron).map_err(|why| InputFault::new(CRON, why))?;
        check_gap(&cron, seconds_min).map_err(|why| InputFault::new(CRON, why))?;
        let zone = find_zone(&self.zone).ok_or_else(|| unknown_zone(&self.zone))?;
        Ok(ScheduleTimes::new(cron, zone, self.end))
    }

    /// True when it comes at the same times.
    pub fn has_times_of(&self, other: &Self) -> bool {
        (&self.cron, &self.zone, self.end) == (&other.cron, &other.zone, other.end)
    }

    /// When it comes after a moment, the next time first; never where it cannot be kept.
    pub(crate) fn upcoming(&self, seconds_min: u64, after: Timestamp, count: usize) -> Vec<Timestamp> {
        let Ok(times) = self.times(seconds_min) else { return Vec::new() };
        std::iter::successors(times.next(after), |last| times.next(*last)).take(count).collect()
    }
}

fn check_gap(cron: &CronExpression, seconds_min: u64) -> Result<(), String> {
    // A whole minute is the shortest there is.
    if seconds_min <= 60 || u64::from(cron.shortest_gap_minutes()) * 60 >= seconds_min {
        return Ok(());
    }
    Err(format!(
        "it starts the flow more often than every {seconds_min} seconds, which the operator does not allow."
    ))
}

fn unknown_zone(name: &str) -> InputFault {
    const SHOWN_MAX_CHARS: usize = 60;
    let shown: String = name.escape_debug().take(SHOWN_MAX_CHARS).collect();
    InputFault::new(ZONE, format!("'{shown}' is no time zone: write a name such as Europe/Berlin or UTC."))
}

impl Inputs<'_> {
    /// A text or a number that is not blank.
    fn text(&self, name: &str) -> Option<String> {
        plain_text(self.0.get(name)?)
    }

    /// The entries of a list, however it is stored: a list, the JSON text of one, or a text with commas.
    fn list(&self, name: &str) -> Vec<String> {
        let stored = match self.0.get(name) {
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(Value::Array(items)) => items,
                _ => text.split(',').map(Value::from).collect(),
            },
            Some(Value::Array(items)) => items.clone(),
            Some(Value::Number(number)) => vec![Value::Number(number.clone())],
            _ => Vec::new(),
        };
        stored.iter().filter_map(plain_text).collect()
    }

    /// The expression, as it is written or as what was picked means it, and the input that says how often it comes.
    fn cron(&self) -> Result<(String, &'static str), InputFault> {
        if self.text("scheduleType").as_deref() == Some("cronExpression") {
            return Ok((self.text(CRON).unwrap_or_default(), CRON));
        }
        let cron = match self.text(FREQUENCY).as_deref() {
            Some("hourly") => {
                let minute = self.text(ON_MINUTE).unwrap_or_else(|| "0".to_owned());
                let minute = number_in(&minute, 0, 59)
                    .ok_or_else(|| InputFault::new(ON_MINUTE, "it must be a minute from 0 to 59."))?;
                format!("{minute} * * * *")
            }
            Some("daily") => format!("{} * * *", self.time_of_day()?),
            Some("weekly") => {
                // 7 is Sunday too.
                let days = self.numbers(ON_DAY_OF_WEEK, (0, 7), "choose at least one day of the week.")?;
                format!("{} * * {days}", self.time_of_day()?)
            }
            Some("monthly") => {
                let days =
                    self.numbers(ON_DAY_OF_MONTH, (1, 31), "write days from 1 to 31, divided by commas.")?;
                format!("{} {days} * *", self.time_of_day()?)
            }
            _ => return Err(InputFault::new(FREQUENCY, "choose hourly, daily, weekly or monthly.")),
        };
        Ok((cron, FREQUENCY))
    }

    /// Minute and hour, as cron has them.
    fn time_of_day(&self) -> Result<String, InputFault> {
        let text = self.text(ON_TIME).unwrap_or_default();
        let read = || {
            let (hour, minute) = text.split_once(':')?;
            Some((number_in(minute, 0, 59)?, number_in(hour, 0, 23)?))
        };
        let (minute, hour) =
            read().ok_or_else(|| InputFault::new(ON_TIME, "write hours and minutes, such as 09:30."))?;
        Ok(format!("{minute} {hour}"))
    }

    /// A list of numbers as cron has it.
    fn numbers(
        &self,
        name: &'static str,
        (least, most): (u64, u64),
        why: &str,
    ) -> Result<String, InputFault> {
        let numbers: Option<Vec<u64>> =
            self.list(name).iter().map(|text| number_in(text, least, most)).collect();
        let mut numbers =
            numbers.filter(|numbers| !numbers.is_empty()).ok_or_else(|| InputFault::new(name, why))?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
    }

    /// The last moment at which it may come. A date without a time counts to its end, in the zone of the schedule.
    fn end(&self, zone: &TimeZone) -> Result<Option<Timestamp>, InputFault> {
        let Some(text) = self.text(END) else { return Ok(None) };
        let read = || {
            if let Ok(moment) = text.parse::<Timestamp>() {
                return Some(moment);
            }
            if text.len() > "2026-12-31".len() {
                return zone.to_timestamp(text.parse::<DateTime>().ok()?).ok();
            }
            let next = text.parse::<Date>().ok()?.tomorrow().ok()?;
            zone.to_timestamp(next.at(0, 0, 0, 0)).ok()?.checked_sub(Span::new().milliseconds(1)).ok()
        };
        match read() {
            Some(end) => Ok(Some(end)),
            None => Err(InputFault::new(END, "it is no date: write one such as 2026-12-31.")),
        }
    }

    fn input(&self) -> Result<ScheduleInput, InputFault> {
        match self.text("scheduleInputMode").as_deref() {
            Some("form") => Ok(ScheduleInput::Form(self.form()?)),
            Some("none") => Ok(ScheduleInput::Nothing),
            _ => Ok(match self.text("scheduleDefaultInput") {
                Some(text) => ScheduleInput::Text(text),
                None => ScheduleInput::Nothing,
            }),
        }
    }

    /// The values of the form; a field without one is empty, as it is where a person leaves it out.
    fn form(&self) -> Result<Map<String, Value>, InputFault> {
        let wrong = || InputFault::new(FORM_VALUES, "it must be a JSON object with a value for each field.");
        let mut values = match self.0.get(FORM_VALUES) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(values)) => values.clone(),
            Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
            Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| wrong())?,
            Some(_) => return Err(wrong()),
        };
        let fields = self.0.get("scheduleFormInputTypes").and_then(Value::as_array).into_iter().flatten();
        for name in fields.filter_map(|field| plain_text(field.get("name")?)) {
            values.entry(name).or_insert_with(|| "".into());
        }
        Ok(values)
    }

    fn catch_up_minutes(&self) -> Result<u64, InputFault> {
        let Some(text) = self.text(CATCH_UP) else { return Ok(CATCH_UP_MINUTES) };
        number_in(&text, 0, CATCH_UP_MAX_MINUTES).ok_or_else(|| {
            let why = format!("it must be a number of minutes from 0 to {CATCH_UP_MAX_MINUTES}.");
            InputFault::new(CATCH_UP, why)
        })
    }
}

fn plain_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn number_in(text: &str, least: u64, most: u64) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (least..=most).contains(number))
}
