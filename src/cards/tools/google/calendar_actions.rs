//! What Google Calendar can be asked to do.

use crate::kit::web::actions::{ActionArgument, CallArguments, ServiceAction};
use serde_json::{Value, json};

pub(super) const VISIBILITIES: &[&str] = &["default", "public", "private", "confidential"];
/// What one may do with a calendar, from little to much.
pub(super) const ROLES: &[&str] = &["freeBusyReader", "reader", "writer", "owner"];

const CALENDAR: ActionArgument =
    ActionArgument::line("calendarId", "The id of the calendar; primary is the account's own.")
        .or("primary")
        .set_by("calendarId");
const OWN_CALENDAR: ActionArgument =
    ActionArgument::line("calendarId", "The id of the calendar.").required().set_by("calendarIdForCalendar");
const EVENT: ActionArgument =
    ActionArgument::line("eventId", "The id of the event.").required().set_by("eventId");

const SUMMARY: ActionArgument =
    ActionArgument::line("summary", "What the event is called.").set_by("summary");
const DESCRIPTION: ActionArgument =
    ActionArgument::text("description", "What is to be said of it.").set_by("description");
const LOCATION: ActionArgument = ActionArgument::line("location", "Where it is.").set_by("location");
const START: ActionArgument =
    ActionArgument::line("startDateTime", "When it begins, such as 2026-12-24T10:00:00.")
        .set_by("startDateTime");
const END: ActionArgument =
    ActionArgument::line("endDateTime", "When it ends, such as 2026-12-24T11:00:00.").set_by("endDateTime");
const ZONE: ActionArgument =
    ActionArgument::line("timeZone", "The time zone of these times, such as Europe/Oslo; UTC otherwise.")
        .set_by("timeZone");
const ALL_DAY: ActionArgument =
    ActionArgument::flag("allDay", "It lasts whole days, from startDate to the day before endDate.")
        .set_by("allDay");
const START_DATE: ActionArgument =
    ActionArgument::line("startDate", "The first day of an event of whole days, such as 2026-12-24.")
        .set_by("startDate");
const END_DATE: ActionArgument = ActionArgument::line(
    "endDate",
    "The day after the last day of an event of whole days, such as 2026-12-25.",
)
.set_by("endDate");
const ATTENDEES: ActionArgument =
    ActionArgument::line("attendees", "Who is invited: mail addresses divided by commas.")
        .set_by("attendees");
const RECURRENCE: ActionArgument =
    ActionArgument::line("recurrence", "When it comes again, such as RRULE:FREQ=WEEKLY;COUNT=4.")
        .set_by("recurrence");
const REMINDER: ActionArgument =
    ActionArgument::whole("reminderMinutes", 0, 40_320, "How many minutes ahead people are reminded.")
        .set_by("reminderMinutes");
const VISIBILITY: ActionArgument =
    ActionArgument::word("visibility", VISIBILITIES, "Who sees it.").set_by("visibility");

const CALENDAR_SUMMARY: ActionArgument =
    ActionArgument::line("summary", "What the calendar is called.").set_by("calendarSummary");
const CALENDAR_DESCRIPTION: ActionArgument =
    ActionArgument::text("description", "What it is for.").set_by("calendarDescription");
const CALENDAR_LOCATION: ActionArgument =
    ActionArgument::line("location", "Where it is used.").set_by("calendarLocation");
const CALENDAR_ZONE: ActionArgument =
    ActionArgument::line("timeZone", "Its time zone, such as Europe/Oslo.").set_by("calendarTimeZone");

pub(super) const ACTIONS: &[ServiceAction] = &[
    ServiceAction::get("listEvents", "Lists events of a calendar.", "/calendars/{calendarId}/events").takes(
        &[
            CALENDAR,
            ActionArgument::line("timeMin", "Only events that end after this, such as 2026-12-24T00:00:00Z.")
                .in_query()
                .set_by("timeMin"),
            ActionArgument::line(
                "timeMax",
                "Only events that begin before this, such as 2026-12-25T00:00:00Z.",
            )
            .in_query()
            .set_by("timeMax"),
            ActionArgument::whole("maxResults", 1, 2500, "How many to list at most.")
                .in_query()
                .set_by("maxResults"),
            ActionArgument::flag("singleEvents", "Lists each date of a recurring event.")
                .in_query()
                .set_by("singleEvents"),
            ActionArgument::word(
                "orderBy",
                &["startTime", "updated"],
                "The order; startTime needs singleEvents.",
            )
            .in_query()
            .set_by("orderBy"),
            ActionArgument::line("query", "Words to look for.").as_query("q").set_by("query"),
        ],
    ),
    ServiceAction::post("createEvent", "Makes an event in a calendar.", "/calendars/{calendarId}/events")
        .takes(&[
            CALENDAR,
            SUMMARY.required(),
            DESCRIPTION,
            LOCATION,
            START,
            END,
            ZONE,
            ALL_DAY,
            START_DATE,
            END_DATE,
            ATTENDEES,
            RECURRENCE,
            REMINDER,
            VISIBILITY,
        ])
        .sends(|given| {
            let event = event(given)?;
            let has_time = event.get("start").is_some() && event.get("end").is_some();
            has_time.then_some(event).ok_or_else(|| {
                "Give startDateTime and endDateTime, or startDate and endDate for whole days.".to_owned()
            })
        }),
    ServiceAction::get("getEvent", "Reads an event.", "/calendars/{calendarId}/events/{eventId}")
        .takes(&[CALENDAR, EVENT]),
    ServiceAction::patch(
        "updateEvent",
        "Changes what is given of an event; the rest stays as it is.",
        "/calendars/{calendarId}/events/{eventId}",
    )
    .takes(&[
        CALENDAR,
        EVENT,
        SUMMARY,
        DESCRIPTION,
        LOCATION,
        START,
        END,
        ZONE,
        ALL_DAY,
        START_DATE,
        END_DATE,
        ATTENDEES,
        RECURRENCE,
        REMINDER,
        VISIBILITY,
    ])
    .sends(event),
    ServiceAction::delete("deleteEvent", "Deletes an event.", "/calendars/{calendarId}/events/{eventId}")
        .takes(&[CALENDAR, EVENT]),
    ServiceAction::post(
        "quickAddEvent",
        "Makes an event of a sentence that says what and when.",
        "/calendars/{calendarId}/events/quickAdd",
    )
    .takes(&[
        CALENDAR,
        ActionArgument::line("quickAddText", "The sentence, such as: Lunch with Ada tomorrow at noon")
            .required()
            .as_query("text")
            .set_by("quickAddText"),
    ]),
    ServiceAction::get("listCalendars", "Lists the calendars there are.", "/users/me/calendarList").takes(&[
        ActionArgument::flag("showHidden", "Lists hidden ones too.").in_query().set_by("showHidden"),
        ActionArgument::word("minAccessRole", ROLES, "Only those with which one may do at least this.")
            .in_query()
            .set_by("minAccessRole"),
    ]),
    ServiceAction::post("createCalendar", "Makes a calendar.", "/calendars")
        .takes(&[CALENDAR_SUMMARY.required(), CALENDAR_DESCRIPTION, CALENDAR_LOCATION, CALENDAR_ZONE])
        .sends_fields(),
    ServiceAction::get("getCalendar", "Reads what a calendar is.", "/calendars/{calendarId}")
        .takes(&[OWN_CALENDAR]),
    ServiceAction::patch(
        "updateCalendar",
        "Changes what is given of a calendar; the rest stays as it is.",
        "/calendars/{calendarId}",
    )
    .takes(&[OWN_CALENDAR, CALENDAR_SUMMARY, CALENDAR_DESCRIPTION, CALENDAR_LOCATION, CALENDAR_ZONE])
    .sends_fields(),
    ServiceAction::delete(
        "deleteCalendar",
        "Deletes a calendar with all its events.",
        "/calendars/{calendarId}",
    )
    .takes(&[OWN_CALENDAR]),
    ServiceAction::post(
        "clearCalendar",
        "Deletes all events of the account's own calendar.",
        "/calendars/{calendarId}/clear",
    )
    .takes(&[OWN_CALENDAR]),
    ServiceAction::post("queryFreebusy", "Says when calendars are busy.", "/freeBusy")
        .takes(&[
            ActionArgument::line("timeMin", "From when, such as 2026-12-24T00:00:00Z.")
                .required()
                .set_by("freebusyTimeMin"),
            ActionArgument::line("timeMax", "Until when, such as 2026-12-25T00:00:00Z.")
                .required()
                .set_by("freebusyTimeMax"),
            ActionArgument::line("calendarIds", "The ids of the calendars, divided by commas.")
                .required()
                .set_by("calendarIds"),
            ActionArgument::whole(
                "groupExpansionMax",
                1,
                100,
                "How many calendars of a group are looked at at most.",
            )
            .set_by("groupExpansionMax"),
            ActionArgument::whole("calendarExpansionMax", 1, 50, "How many calendars are looked at at most.")
                .set_by("calendarExpansionMax"),
        ])
        .sends(busy),
];

/// An event of these arguments.
fn event(given: &CallArguments) -> Result<Value, String> {
    let mut event = given.object(&[
        ("summary", "summary"),
        ("description", "description"),
        ("location", "location"),
        ("visibility", "visibility"),
    ]);
    let whole_days = given.value("allDay") == Some(&Value::Bool(true));
    let dates = given.text("startDate").zip(given.text("endDate"));
    let zone = given.text("timeZone");
    let moment = |text: &str| {
        // A time that says its distance from UTC needs no zone.
        let says_zone =
            text.ends_with('Z') || text.rfind(['+', '-']).is_some_and(|at| at > "2026-12-24".len());
        match (zone, says_zone) {
            (None, true) => json!({ "dateTime": text }),
            (zone, _) => json!({"dateTime": text, "timeZone": zone.unwrap_or("UTC")}),
        }
    };
    let span = match (dates, given.text("startDateTime"), given.text("endDateTime")) {
        (Some((start, end)), ..) => Some((json!({ "date": start }), json!({ "date": end }))),
        (None, ..) if whole_days => {
            return Err("Give startDate and endDate for an event of whole days.".to_owned());
        }
        (None, Some(start), Some(end)) => Some((moment(start), moment(end))),
        (None, None, None) => None,
        (None, ..) => return Err("Give startDateTime and endDateTime together.".to_owned()),
    };
    if let Some((start, end)) = span {
        event.insert("start".to_owned(), start);
        event.insert("end".to_owned(), end);
    }
    let attendees: Vec<Value> =
        given.parts("attendees").iter().map(|email| json!({ "email": email })).collect();
    if !attendees.is_empty() {
        event.insert("attendees".to_owned(), attendees.into());
    }
    if let Some(rule) = given.text("recurrence") {
        let rule = if rule.contains(':') { rule.to_owned() } else { format!("RRULE:{rule}") };
        event.insert("recurrence".to_owned(), json!([rule]));
    }
    if let Some(minutes) = given.value("reminderMinutes") {
        let overrides = json!([{"method": "popup", "minutes": minutes}]);
        event.insert("reminders".to_owned(), json!({"useDefault": false, "overrides": overrides}));
    }
    Ok(event.into())
}

#[allow(clippy::unnecessary_wraps, reason = "a row of the table may refuse its arguments")]
fn busy(given: &CallArguments) -> Result<Value, String> {
    let mut asked = given.object(&[
        ("timeMin", "timeMin"),
        ("timeMax", "timeMax"),
        ("groupExpansionMax", "groupExpansionMax"),
        ("calendarExpansionMax", "calendarExpansionMax"),
    ]);
    asked.insert(
        "items".to_owned(),
        given.parts("calendarIds").iter().map(|id| json!({ "id": id })).collect(),
    );
    Ok(asked.into())
}
