//! The inputs of a start by the clock. Whoever watches the clock reads them.

use super::{FIELDS, KIND as START, SCHEDULE};
use crate::kit::{Choice, Input};

const WRITTEN: &str = "scheduleType";
const EVERY: &str = "scheduleFrequency";
const MODE: &str = "scheduleInputMode";
const PICKED: &str = "visualPicker";

pub(crate) const KIND: Input = Input::choice(
    WRITTEN,
    "Schedule Type",
    &[Choice::new(PICKED, "Visual Picker"), Choice::new("cronExpression", "Cron Expression")],
)
.or(PICKED)
.when(START, SCHEDULE);

pub(crate) const CRON: Input = Input::text("scheduleCronExpression", "Cron Expression")
    .optional()
    .when(START, SCHEDULE)
    .when_any(WRITTEN, &["cronExpression"])
    .help("Five fields: minute, hour, day of the month, month, day of the week.");

pub(crate) const FREQUENCY: Input = Input::choice(
    EVERY,
    "Frequency",
    &[
        Choice::new("hourly", "Hourly"),
        Choice::new("daily", "Daily"),
        Choice::new("weekly", "Weekly"),
        Choice::new("monthly", "Monthly"),
    ],
)
.optional()
.when(START, SCHEDULE)
.when_any(WRITTEN, &[PICKED]);

pub(crate) const ON_MINUTE: Input = Input::whole("scheduleOnMinute", "On Minute", 0.0, 59.0)
    .optional()
    .when(START, SCHEDULE)
    .when_any(EVERY, &["hourly"]);

pub(crate) const ON_TIME: Input = Input::text("scheduleOnTime", "On Time")
    .optional()
    .when(START, SCHEDULE)
    .when_any(EVERY, &["daily", "weekly", "monthly"])
    .help("Hours and minutes, such as 09:30.");

pub(crate) const ON_DAY_OF_WEEK: Input = Input::choices(
    "scheduleOnDayOfWeek",
    "On Day of Week",
    &[
        Choice::new("1", "Monday"),
        Choice::new("2", "Tuesday"),
        Choice::new("3", "Wednesday"),
        Choice::new("4", "Thursday"),
        Choice::new("5", "Friday"),
        Choice::new("6", "Saturday"),
        Choice::new("0", "Sunday"),
    ],
)
.optional()
.when(START, SCHEDULE)
.when_any(EVERY, &["weekly"]);

pub(crate) const ON_DAY_OF_MONTH: Input = Input::text("scheduleOnDayOfMonth", "On Day of Month")
    .optional()
    .lists()
    .when(START, SCHEDULE)
    .when_any(EVERY, &["monthly"])
    .help("Days from 1 to 31, divided by commas.");

pub(crate) const TIMEZONE: Input = Input::text("scheduleTimezone", "Timezone")
    .or("UTC")
    .when(START, SCHEDULE)
    .help("A name of the IANA database, such as Europe/Berlin.");

pub(crate) const END_DATE: Input = Input::text("scheduleEndDate", "End Date")
    .optional()
    .when(START, SCHEDULE)
    .help("After this date the flow is started no more.");

pub(super) const INPUT_MODE: Input = Input::choice(
    MODE,
    "Input Mode",
    &[Choice::new("text", "Text"), Choice::new("form", "Form"), Choice::new("none", "None")],
)
.or("text")
.when(START, SCHEDULE);

pub(super) const DEFAULT_INPUT: Input = Input::lines("scheduleDefaultInput", "Default Input")
    .optional()
    .when(START, SCHEDULE)
    .when_any(MODE, &["text"])
    .help("The question of each run.");

pub(super) const FORM_FIELDS: Input = Input::rows("scheduleFormInputTypes", "Form Input Types", FIELDS)
    .optional()
    .when(START, SCHEDULE)
    .when_any(MODE, &["form"]);

pub(super) const FORM_DEFAULTS: Input = Input::json("scheduleFormDefaults", "Form Values")
    .optional()
    .when(START, SCHEDULE)
    .when_any(MODE, &["form"])
    .help("The values of each run, as a JSON object.");

pub(crate) const CATCH_UP_MINUTES: Input =
    Input::whole("scheduleCatchUpMinutes", "Catch up (minutes)", 0.0, 10_080.0)
        .or("10")
        .when(START, SCHEDULE)
        .additional()
        .help("A run that was missed is made up for when it is no later than this.");
