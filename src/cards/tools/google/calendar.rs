//! Google Calendar: reads and changes the calendars of whoever signed in.

use super::calendar_actions::{ACTIONS, ROLES, VISIBILITIES};
use crate::kit::web::actions::{chosen_by, toolkit};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "googleCalendarTool",
    label: "Google Calendar",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read and change events and calendars in Google Calendar.",
    base_classes: &["Tool"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::SignIns)],
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
        event_input("eventId", "Event ID")
            .when_any("eventActions", &["getEvent", "updateEvent", "deleteEvent"]),
        event_input("summary", "Summary"),
        event_input("description", "Description"),
        event_input("location", "Location"),
        event_input("startDateTime", "Start Date Time").help("Such as 2026-12-24T10:00:00."),
        event_input("endDateTime", "End Date Time").help("Such as 2026-12-24T11:00:00."),
        event_input("timeZone", "Time Zone").help("Such as Europe/Oslo."),
        Input::switch("allDay", "All Day Event").additional().when_any("eventActions", WRITTEN),
        event_input("startDate", "Start Date").help("Of an event of whole days, such as 2026-12-24."),
        event_input("endDate", "End Date").help("The day after its last one, such as 2026-12-25."),
        event_input("attendees", "Attendees").help("Mail addresses, divided by commas."),
        event_input("recurrence", "Recurrence Rules").help("Such as RRULE:FREQ=WEEKLY;COUNT=4."),
        Input::whole("reminderMinutes", "Reminder Minutes", 0.0, 40_320.0)
            .additional()
            .when_any("eventActions", WRITTEN),
        Input::choice("visibility", "Visibility", VISIBILITY).additional().when_any("eventActions", WRITTEN),
        Input::text("quickAddText", "Quick Add Text")
            .additional()
            .help("A sentence such as: Lunch with Ada tomorrow at noon")
            .when_any("eventActions", &["quickAddEvent"]),
        list_input("timeMin", "Time Min").help("Such as 2026-12-24T00:00:00Z."),
        list_input("timeMax", "Time Max").help("Such as 2026-12-25T00:00:00Z."),
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
        list_input("query", "Query"),
        Input::text("calendarIdForCalendar", "Calendar ID").additional().when_any(
            "calendarActions",
            &["getCalendar", "updateCalendar", "deleteCalendar", "clearCalendar"],
        ),
        calendar_input("calendarSummary", "Calendar Summary"),
        calendar_input("calendarDescription", "Calendar Description"),
        calendar_input("calendarLocation", "Calendar Location"),
        calendar_input("calendarTimeZone", "Calendar Time Zone").help("Such as Europe/Oslo."),
        Input::switch("showHidden", "Show Hidden")
            .additional()
            .when_any("calendarActions", &["listCalendars"]),
        Input::choice("minAccessRole", "Min Access Role", ROLE)
            .additional()
            .when_any("calendarActions", &["listCalendars"]),
        query_input("freebusyTimeMin", "Time Min").help("Such as 2026-12-24T00:00:00Z."),
        query_input("freebusyTimeMax", "Time Max").help("Such as 2026-12-25T00:00:00Z."),
        query_input("calendarIds", "Calendar IDs").help("Divided by commas."),
        Input::whole("groupExpansionMax", "Group Expansion Max", 1.0, 100.0)
            .additional()
            .when_any("freebusyActions", &["queryFreebusy"]),
        Input::whole("calendarExpansionMax", "Calendar Expansion Max", 1.0, 50.0)
            .additional()
            .when_any("freebusyActions", &["queryFreebusy"]),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let kinds =
            [("event", "eventActions"), ("calendar", "calendarActions"), ("freebusy", "freebusyActions")];
        let chosen = chosen_by(inputs, "calendarType", &kinds)?;
        let service = super::service("Google Calendar", "https://www.googleapis.com/calendar/v3");
        toolkit(inputs, chosen, ACTIONS, service)
    }),
};

const WRITTEN: &[&str] = &["createEvent", "updateEvent"];

const fn event_input(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("eventActions", WRITTEN)
}

const fn list_input(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("eventActions", &["listEvents"])
}

const fn calendar_input(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("calendarActions", &["createCalendar", "updateCalendar"])
}

const fn query_input(name: &'static str, label: &'static str) -> Input {
    Input::text(name, label).additional().when_any("freebusyActions", &["queryFreebusy"])
}

const KINDS: &[Choice] = &[
    Choice::new("event", "Event"),
    Choice::new("calendar", "Calendar"),
    Choice::new("freebusy", "Freebusy"),
];
const EVENTS: &[Choice] = &[
    Choice::new("listEvents", "List Events"),
    Choice::new("createEvent", "Create Event"),
    Choice::new("getEvent", "Get Event"),
    Choice::new("updateEvent", "Update Event"),
    Choice::new("deleteEvent", "Delete Event"),
    Choice::new("quickAddEvent", "Quick Add Event"),
];
const CALENDARS: &[Choice] = &[
    Choice::new("listCalendars", "List Calendars"),
    Choice::new("createCalendar", "Create Calendar"),
    Choice::new("getCalendar", "Get Calendar"),
    Choice::new("updateCalendar", "Update Calendar"),
    Choice::new("deleteCalendar", "Delete Calendar"),
    Choice::new("clearCalendar", "Clear Calendar"),
];
const FREEBUSY: &[Choice] = &[Choice::new("queryFreebusy", "Query Freebusy")];
const VISIBILITY: &[Choice] = &[
    Choice::new(VISIBILITIES[0], "Default"),
    Choice::new(VISIBILITIES[1], "Public"),
    Choice::new(VISIBILITIES[2], "Private"),
    Choice::new(VISIBILITIES[3], "Confidential"),
];
const ORDERS: &[Choice] = &[Choice::new("startTime", "Start Time"), Choice::new("updated", "Updated")];
const ROLE: &[Choice] = &[
    Choice::new(ROLES[0], "Free/Busy Reader"),
    Choice::new(ROLES[1], "Reader"),
    Choice::new(ROLES[2], "Writer"),
    Choice::new(ROLES[3], "Owner"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::kit::web::actions::check_actions(&super::CARD, super::ACTIONS);
    }
}
