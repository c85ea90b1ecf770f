//! Google Calendar: reads and changes the calendars of whoever signed in.

use super::calendar_actions::{ACTIONS, ROLES, VISIBILITIES};
use crate::cards::kit::actions::{chosen_by, toolkit};
use crate::cards::kit::{Card, Category, Choice, Input, Make, Risk};

/// The card.
pub const CARD: Card = Card {
    name: "googleCalendarTool",
    label: "Google Calendar",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read and change events and calendars in Google Calendar.",
    base_classes: &["Tool"],
    risk: Risk::Risky,
    inputs: &[
        Input::credential(&["googleCalendarOAuth2"]),
        Input::choice("calendarType", "Type", KINDS),
        Input::choices("eventActions", "Event Actions", EVENTS).when("calendarType", "event"),
        Input::choices("calendarActions", "Calendar Actions", CALENDARS).when("calendarType", "calendar"),
        Input::choices("freebusyActions", "Freebusy Actions", FREEBUSY).when("calendarType", "freebusy"),
        Input::text("calendarId", "Calendar ID")
            .starting("primary")
            .additional()
            .help("The calendar; primary is that of the account itself.")
            .when("calendarType", "event"),
        of_event("eventId", "Event ID").when_any("eventActions", &["getEvent", "updateEvent", "deleteEvent"]),
        of_event("summary", "Summary"),
        of_event("description", "Description"),
        of_event("location", "Location"),
        of_event("startDateTime", "Start Date Time").help("Such as 2026-12-24T10:00:00."),
        of_event("endDateTime", "End Date Time").help("Such as 2026-12-24T11:00:00."),
        of_event("timeZone", "Time Zone").help("Such as Europe/Oslo."),
        Input::switch("allDay", "All Day Event").additional().when_any("eventActions", WRITTEN),
        of_event("startDate", "Start Date").help("Of an event of whole days, such as 2026-12-24."),
        of_event("endDate", "End Date").help("The day after its last one, such as 2026-12-25."),
        of_event("attendees", "Attendees").help("Mail addresses, divided by commas."),
        of_event("recurrence", "Recurrence Rules").help("Such as RRULE:FREQ=WEEKLY;COUNT=4."),
        Input::whole("reminderMinutes", "Reminder Minutes", 0.0, 40_320.0)
            .additional()
            .when_any("eventActions", WRITTEN),
        Input::choice("visibility", "Visibility", VISIBILITY).additional().when_any("eventActions", WRITTEN),
        Input::text("quickAddText", "Quick Add Text")
            .additional()
            .help("A sentence such as: Lunch with Ada tomorrow at noon")
            .when_any("eventActions", &["quickAddEvent"]),
        listed("timeMin", "Time Min").help("Such as 2026-12-24T00:00:00Z."),
        listed("timeMax", "Time Max").help("Such as 2026-12-25T00:00:00Z."),
        Input::whole("maxResults", "Max Results", 1.0, 2500.0)
            .starting("250")
            .additional()
            .when_any("eventActions", &["listEvents"]),
        Input::switch("singleEvents", "Single Events")
            .starting("true")
            .additional()
            .help("Lists each date of a recurring event.")
            .when_any("eventActions", &["listEvents"]),
        Input::choice("orderBy", "Order By", ORDERS).additional().when_any("eventActions", &["listEvents"]),
        listed("query", "Query"),
        Input::text("calendarIdForCalendar", "Calendar ID").additional().when_any(
            "calendarActions",
            &["getCalendar", "updateCalendar", "deleteCalendar", "clearCalendar"],
        ),
        of_calendar("calendarSummary", "Calendar Summary"),
        of_calendar("calendarDescription", "Calendar Description"),
        of_calendar("calendarLocation", "Calendar Location"),
        of_calendar("calendarTimeZone", "Calendar Time Zone").help("Such as Europe/Oslo."),
        Input::switch("showHidden", "Show Hidden")
            .additional()
            .when_any("calendarActions", &["listCalendars"]),
        Input::choice("minAccessRole", "Min Access Role", ROLE)
            .additional()
            .when_any("calendarActions", &["listCalendars"]),
        asked("freebusyTimeMin", "Time Min").help("Such as 2026-12-24T00:00:00Z."),
        asked("freebusyTimeMax", "Time Max").help("Such as 2026-12-25T00:00:00Z."),
        asked("calendarIds", "Calendar IDs").help("Divided by commas."),
        Input::whole("groupExpansionMax", "Group Expansion Max", 1.0, 100.0)
            .additional()
            .when_any("freebusyActions", &["queryFreebusy"]),
        Input::whole("calendarExpansionMax", "Calendar Expansion Max", 1.0, 50.0)
            .additional()
            .when_any("freebusyActions", &["queryFreebusy"]),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| {
        let kinds =
            [("event", "eventActions"), ("calendar", "calendarActions"), ("freebusy", "freebusyActions")];
        let chosen = chosen_by(inputs, "calendarType", &kinds)?;
        let service = super::service("Google Calendar", "https://www.googleapis.com/calendar/v3");
        toolkit(inputs, chosen, ACTIONS, service)
    }),
};

const WRITTEN: &[&str] = &["createEvent", "updateEvent"];

const fn of_event(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("eventActions", WRITTEN)
}

const fn listed(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("eventActions", &["listEvents"])
}

const fn of_calendar(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("calendarActions", &["createCalendar", "updateCalendar"])
}

const fn asked(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("freebusyActions", &["queryFreebusy"])
}

const KINDS: &[Choice] =
    &[Choice::of("event", "Event"), Choice::of("calendar", "Calendar"), Choice::of("freebusy", "Freebusy")];
const EVENTS: &[Choice] = &[
    Choice::of("listEvents", "List Events"),
    Choice::of("createEvent", "Create Event"),
    Choice::of("getEvent", "Get Event"),
    Choice::of("updateEvent", "Update Event"),
    Choice::of("deleteEvent", "Delete Event"),
    Choice::of("quickAddEvent", "Quick Add Event"),
];
const CALENDARS: &[Choice] = &[
    Choice::of("listCalendars", "List Calendars"),
    Choice::of("createCalendar", "Create Calendar"),
    Choice::of("getCalendar", "Get Calendar"),
    Choice::of("updateCalendar", "Update Calendar"),
    Choice::of("deleteCalendar", "Delete Calendar"),
    Choice::of("clearCalendar", "Clear Calendar"),
];
const FREEBUSY: &[Choice] = &[Choice::of("queryFreebusy", "Query Freebusy")];
const VISIBILITY: &[Choice] = &[
    Choice::of(VISIBILITIES[0], "Default"),
    Choice::of(VISIBILITIES[1], "Public"),
    Choice::of(VISIBILITIES[2], "Private"),
    Choice::of(VISIBILITIES[3], "Confidential"),
];
const ORDERS: &[Choice] = &[Choice::of("startTime", "Start Time"), Choice::of("updated", "Updated")];
const ROLE: &[Choice] = &[
    Choice::of(ROLES[0], "Free/Busy Reader"),
    Choice::of(ROLES[1], "Reader"),
    Choice::of(ROLES[2], "Writer"),
    Choice::of(ROLES[3], "Owner"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::cards::kit::actions::hold(&super::CARD, super::ACTIONS);
    }
}
