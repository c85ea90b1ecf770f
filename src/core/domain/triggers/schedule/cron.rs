//! Cron expressions of five fields, and the days and times of day that they mean. What that is in a time zone is said in
//! `times.rs`.

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime};

/// Days that are looked through for the next one an expression means. The 29th of February that is a given day of the week
/// comes once in forty years at most.
const DAYS_AHEAD_COUNT: u32 = 41 * 366;
/// Days in which every distance between two days of an expression that repeats by year occurs: leap years may be eight apart.
const DISTANCES_IN_DAYS: u32 = 9 * 366;
const MINUTES_PER_DAY: u32 = 24 * 60;

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// A parsed expression. A set of numbers is a bit for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronExpression {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// A day of either kind is enough. Where one of the two fields begins with a star, a day must be of both.
    either_day: bool,
    /// The hour field is a star: runs follow real time and not the hours of a clock.
    pub every_hour: bool,
}

/// One of the five fields.
struct Field {
    name: &'static str,
    least: u64,
    most: u64,
    /// What may stand for the numbers from `least` on.
    words: &'static [&'static str],
}

const MINUTE: Field = Field { name: "minute", least: 0, most: 59, words: &[] };
const HOUR: Field = Field { name: "hour", least: 0, most: 23, words: &[] };
const DAY: Field = Field { name: "day of the month", least: 1, most: 31, words: &[] };
const MONTH: Field = Field { name: "month", least: 1, most: 12, words: &MONTHS };
/// 7 is Sunday too.
const WEEKDAY: Field = Field { name: "day of the week", least: 0, most: 7, words: &WEEKDAYS };

impl CronExpression {
    /// Reads an expression.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim_start().starts_with('@') {
            return Err("names such as @daily are not known: write five fields, such as '0 9 * * *'.".into());
        }
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(match fields.len() {
                0 => "it is missing: write five fields, such as '0 9 * * *'.".into(),
                count @ (6 | 7) => format!(
                    "it has {count} fields. Seconds and years are not known: write five fields, which are minute, hour, \
                     day of the month, month and day of the week."
                ),
                count => format!(
                    "it has {count} fields and must have five: minute, hour, day of the month, month and day of the week."
                ),
            });
        };
        let weekdays = WEEKDAY.parse(weekday)?;
        let parsed = Self {
            minutes: MINUTE.parse(minute)?,
            hours: HOUR.parse(hour)?,
            days: DAY.parse(day)?,
            months: MONTH.parse(month)?,
            weekdays: (weekdays | (weekdays >> 7)) & 0x7f,
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
            every_hour: matches!(hour, "*" | "*/1"),
        };
        // Every date there is comes within the days that are looked through.
        if parsed.next_time(Date::constant(2000, 1, 1).at(0, 0, 0, 0)).is_none() {
            return Err("there is no such day: it would never come.".into());
        }
        Ok(parsed)
    }

    /// The first time from `from` on.
    pub(super) fn next_time(&self, from: DateTime) -> Option<DateTime> {
        let mut date = from.date();
        let is_whole = from.second() == 0 && from.subsec_nanosecond() == 0;
        let mut minute = i32::from(from.hour()) * 60 + i32::from(from.minute()) + i32::from(!is_whole);
        for _ in 0..DAYS_AHEAD_COUNT {
            if self.is_on(date)
                && let Some((hour, minute)) = self.time_of_day(u32::try_from(minute).unwrap_or(0))
            {
                return Some(date.at(hour, minute, 0, 0));
            }
            date = date.tomorrow().ok()?;
            minute = 0;
        }
        None
    }

    /// The first time of a day from this minute of it on.
    fn time_of_day(&self, from: u32) -> Option<(i8, i8)> {
        let (first, minute) = (from / 60, from % 60);
        (first..24).filter(|hour| has(self.hours, *hour)).find_map(|hour| {
            let left = if hour == first { (self.minutes >> minute) << minute } else { self.minutes };
            (left != 0)
                .then(|| Some((i8::try_from(hour).ok()?, i8::try_from(left.trailing_zeros()).ok()?)))
                .flatten()
        })
    }

    fn is_on(&self, date: Date) -> bool {
        let is_day = has(self.days, date.day().unsigned_abs().into());
        let weekday = date.weekday().to_sunday_zero_offset();
        let is_weekday = has(self.weekdays, weekday.unsigned_abs().into());
        let fits = if self.either_day { is_day || is_weekday } else { is_day && is_weekday };
        fits && has(self.months, date.month().unsigned_abs().into())
    }

    /// The shortest time between two runs by the hours of a clock that nobody sets, in minutes.
    #[must_use]
    pub(crate) fn shortest_gap_minutes(&self) -> u32 {
        let times: Vec<u32> = (0..MINUTES_PER_DAY)
            .filter(|minute| has(self.hours, minute / 60) && has(self.minutes, minute % 60))
            .collect();
        let within = times.windows(2).map(|pair| pair[1] - pair[0]).min();
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return u32::MAX };
        let (mut date, mut before, mut nearest) = (Date::constant(2000, 1, 1), None, u32::MAX);
        for number in 0..DISTANCES_IN_DAYS {
            if self.is_on(date) {
                if let Some(before) = before.replace(number) {
                    nearest = nearest.min((number - before) * MINUTES_PER_DAY + first - last);
                }
                if nearest <= MINUTES_PER_DAY + first - last {
                    break;
                }
            }
            date = date.saturating_add(1.day());
        }
        nearest.min(within.unwrap_or(u32::MAX))
    }
}

fn has(set: u64, number: u32) -> bool {
    (set >> number) & 1 == 1
}

impl Field {
    /// The numbers that a field means.
    fn parse(&self, text: &str) -> Result<u64, String> {
        let mut set = 0;
        for part in text.split(',') {
            set |= self.parse_part(part)?;
        }
        Ok(set)
    }

    /// One entry of a list: a star, a number or a range, each with a step or without.
    fn parse_part(&self, part: &str) -> Result<u64, String> {
        self.refuse_foreign(part)?;
        let (range, step) = match part.split_once('/') {
            None => (part, None),
            Some((range, step)) => (range, Some(self.parse_step(part, step)?)),
        };
        let (first, last) = match (range, range.split_once('-')) {
            ("*", _) => (self.least, self.highest()),
            (_, Some((first, last))) => self.parse_range(range, first, last)?,
            (_, None) => {
                let first = self.parse_number(range, range)?;
                // A number with a step goes on to the end.
                (first, if step.is_some() { self.highest().max(first) } else { first })
            }
        };
        let step = usize::try_from(step.unwrap_or(1)).unwrap_or(usize::MAX);
        Ok((first..=last).step_by(step).fold(0, |set, number| set | (1 << number)))
    }

    /// What other schedulers know beside the five fields of cron.
    fn refuse_foreign(&self, part: &str) -> Result<(), String> {
        let is_word = self.words.iter().any(|word| part.to_ascii_uppercase().contains(word));
        for (sign, meaning) in
            [('?', "'?'"), ('#', "'#'"), ('L', "'L' for the last"), ('W', "'W' for workdays")]
        {
            let found = part.contains(sign) || part.contains(sign.to_ascii_lowercase());
            if found && (!is_word || !sign.is_ascii_alphabetic()) {
                return Err(format!(
                    "{meaning} is not known in the field '{}': it takes numbers, names of months and days of the week, \
                     ranges, steps and lists.",
                    self.name
                ));
            }
        }
        Ok(())
    }

    fn parse_step(&self, part: &str, step: &str) -> Result<u64, String> {
        match self.parse_digits(step) {
            Some(step @ 1..) => Ok(step),
            _ => Err(self.wrong(part, "the step behind '/' must be a number from 1 on")),
        }
    }

    fn parse_range(&self, range: &str, first: &str, last: &str) -> Result<(u64, u64), String> {
        let (from, mut until) = (self.parse_number(range, first)?, self.parse_number(range, last)?);
        // The week ends with Sunday as well as it begins with it.
        if self.most == WEEKDAY.most && until == 0 && from > 0 {
            until = 7;
        }
        if from > until {
            return Err(self.wrong(range, "a range must not end before it begins"));
        }
        Ok((from, until))
    }

    fn parse_number(&self, part: &str, text: &str) -> Result<u64, String> {
        let word = || self.words.iter().position(|word| word.eq_ignore_ascii_case(text));
        let number = self.parse_digits(text).or_else(|| Some(self.least + u64::try_from(word()?).ok()?));
        number.filter(|number| (self.least..=self.most).contains(number)).ok_or_else(|| {
            let words = match self.words {
                [first, .., last] => format!(" or a name from {first} to {last}"),
                _ => String::new(),
            };
            self.wrong(part, &format!("it takes numbers from {} to {}{words}", self.least, self.most))
        })
    }

    fn parse_digits(&self, text: &str) -> Option<u64> {
        let is_short = (1..=4).contains(&text.len());
        (is_short && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
    }

    /// The last number of a star: Sunday counts once.
    const fn highest(&self) -> u64 {
        if self.most == WEEKDAY.most { 6 } else { self.most }
    }

    fn wrong(&self, part: &str, why: &str) -> String {
        const SHOWN_MAX_CHARS: usize = 40;
        let shown: String = part.escape_debug().take(SHOWN_MAX_CHARS).collect();
        format!("the field '{}' cannot be '{shown}': {why}.", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn parse(text: &str) -> CronExpression {
        CronExpression::parse(text).unwrap()
    }

    fn refusal(text: &str) -> String {
        CronExpression::parse(text).unwrap_err()
    }

    #[test]
    fn numbers_names_ranges_steps_and_lists_are_read() {
        let same = |a: &str, b: &str| assert_eq!(parse(a), parse(b), "{a} and {b}");
        same("0 9 * jan,MAR-may mon-FRI", "0 9 * 1,3,4,5 1-5");
        same("*/15 0 1 1 *", "0,15,30,45 0 1 1 *");
        same("50/4 1-9/4 1 1 *", "50,54,58 1,5,9 1 1 *");
        same("0 9 * * 7", "0 9 * * SUN");
        same("0 9 * * FRI-SUN", "0 9 * * 0,5,6");
        same("  0\t9 * * 5-7 ", "0 9 * * 5,6,0");
    }

    #[test]
    fn what_cron_does_not_have_is_refused_in_words() {
        assert!(refusal("@daily").contains("names such as @daily are not known"));
        assert!(refusal("0 0 9 * * *").contains("Seconds and years are not known"));
        assert!(
            refusal("0 9 L * *").contains("'L' for the last is not known in the field 'day of the month'")
        );
        assert!(refusal("0 9 15W * *").contains("'W' for workdays is not known"));
        assert!(refusal("0 9 ? * MON").contains("'?' is not known in the field 'day of the month'"));
        assert!(refusal("0 9 * * MON#2").contains("'#' is not known in the field 'day of the week'"));
        assert!(refusal("0 9 * * 5L").contains("'L' for the last is not known"));
    }

    #[test]
    fn what_no_field_can_be_is_refused_and_names_the_field() {
        assert_eq!(
            refusal("60 9 * * *"),
            "the field 'minute' cannot be '60': it takes numbers from 0 to 59."
        );
        assert!(refusal("0 9 * FOO *").ends_with("numbers from 1 to 12 or a name from JAN to DEC."));
        assert!(refusal("0 17-9 * * *").contains("must not end before it begins"));
        assert!(refusal("*/0 * * * *").contains("must be a number from 1 on"));
        for text in
            ["", "0 9 * *", "0 9 0 * *", "0 9 , * *", "0 9 1- * *", "+1 9 * * *", "0 9 * * 8", "1//2 * * * *"]
        {
            assert!(CronExpression::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_day_that_never_comes_is_refused() {
        assert!(refusal("0 0 30 2 *").contains("never come"));
        assert!(CronExpression::parse("0 0 29 2 *").is_ok());
        assert!(CronExpression::parse("0 0 30 2 MON").is_ok());
    }

    #[test]
    fn days_of_both_kinds_mean_either_and_a_star_means_both() {
        let is_on = |text: &str, day: i8| parse(text).is_on(date(2026, 5, day));
        // The 1st of May 2026 is a Friday.
        assert_eq!([1, 4, 5].map(|day| is_on("0 0 1 * MON", day)), [true, true, false]);
        assert_eq!([1, 4, 5].map(|day| is_on("0 0 * * MON", day)), [false, true, false]);
        assert_eq!([3, 4, 18, 25].map(|day| is_on("0 0 */2 * MON", day)), [false, false, false, true]);
    }

    #[test]
    fn the_shortest_gap_crosses_midnight_and_months() {
        let gap = |text: &str| parse(text).shortest_gap_minutes();
        assert_eq!((gap("* * * * *"), gap("*/7 * * * *"), gap("0 9 * * *")), (1, 4, 1_440));
        assert_eq!((gap("59 23,0 * * *"), gap("0,55 0,23 * * *")), (60, 5));
        assert_eq!((gap("0 9 * * MON"), gap("0 9 1 * *")), (7 * 1_440, 28 * 1_440));
        assert_eq!((gap("0 9 1,31 * *"), gap("0 9 1 1 *")), (1_440, 365 * 1_440));
    }
}
