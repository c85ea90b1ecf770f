//! The dates that a text names, in the ways people write them.

use regex::{Captures, Regex};
use std::fmt;
use std::sync::LazyLock;

/// Names of the months in the languages that are read, January first; several spellings are separated by a bar.
const MONTHS: [&str; 12] = [
    "january|jan|januar|jänner|janvier|enero|gennaio|janeiro|januari",
    "february|feb|februar|février|febrero|febbraio|fevereiro|februari",
    "march|mar|märz|mars|marzo|março|maart",
    "april|apr|avril|abril|aprile",
    "may|mai|mayo|maggio|maio|mei",
    "june|jun|juni|juin|junio|giugno|junho",
    "july|jul|juli|juillet|julio|luglio|julho",
    "august|aug|août|agosto|augustus",
    "september|sept|sep|septembre|septiembre|settembre|setembro",
    "october|oct|oktober|okt|octobre|octubre|ottobre|outubro",
    "november|nov|novembre|noviembre|novembro",
    "december|dec|dezember|dez|décembre|diciembre|dicembre|dezembro",
];

/// A date as far as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    year: Option<u32>,
    month: u32,
    day: Option<u32>,
    /// Day and month may be the other way round.
    turns: bool,
}

impl Date {
    /// True when nothing that both say differs.
    #[must_use]
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        let fits = |one: Option<u32>, other: Option<u32>| one.is_none() || other.is_none() || one == other;
        let as_written = |one: &Self, month: u32, day: Option<u32>| one.month == month && fits(one.day, day);
        let either = as_written(self, other.month, other.day)
            || (self.turns && self.turned().is_some_and(|one| as_written(&one, other.month, other.day)))
            || (other.turns && other.turned().is_some_and(|other| as_written(self, other.month, other.day)));
        fits(self.year, other.year) && either
    }

    fn turned(&self) -> Option<Self> {
        self.day.map(|day| Self { month: day, day: Some(self.month), ..*self })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(day) = self.day {
            write!(f, "{day} ")?;
        }
        let names = MONTHS[(self.month as usize).clamp(1, 12) - 1];
        let name = names.split('|').next().unwrap_or_default();
        write!(f, "{}{}", name[..1].to_uppercase(), &name[1..])?;
        self.year.map_or(Ok(()), |year| write!(f, " {year}"))
    }
}

/// A way of writing dates, and what is read of it.
type Pattern = LazyLock<Option<Regex>>;
type Reader = fn(&Captures<'_>) -> Option<Date>;

static YEAR_FIRST: Pattern =
    LazyLock::new(|| Regex::new(r"\b([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})\b").ok());
static FIGURES: Pattern =
    LazyLock::new(|| Regex::new(r"\b([0-9]{1,2})([./-])([0-9]{1,2})[./-]([0-9]{4}|[0-9]{2})\b").ok());
static DAY_FIRST: Pattern = LazyLock::new(|| {
    let months = MONTHS.join("|");
    Regex::new(&format!(
        r"(?i)\b([0-9]{{1,2}})(?:st|nd|rd|th|er|º|ª|\.)?\s+(?:of\s+|de\s+|di\s+)?({months})\b\.?(?:,?\s+(?:of\s+|de\s+|del\s+)?([0-9]{{4}})\b)?"
    ))
    .ok()
});
static MONTH_FIRST: Pattern = LazyLock::new(|| {
    let months = MONTHS.join("|");
    Regex::new(&format!(
        r"(?i)\b({months})\b\.?\s+(?:the\s+)?([0-9]{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+([0-9]{{4}})\b)?"
    ))
    .ok()
});
static MONTH_AND_YEAR: Pattern = LazyLock::new(|| {
    let months = MONTHS.join("|");
    Regex::new(&format!(r"(?i)\b({months})\b\.?,?\s+(?:of\s+|de\s+|del\s+)?([0-9]{{4}})\b")).ok()
});

/// The dates of a text, and the text without them.
#[must_use]
pub(crate) fn take(text: &str) -> (Vec<Date>, String) {
    let mut dates = Vec::new();
    let mut rest = text.to_owned();
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return (dates, rest);
    }
    let readings: [(&Pattern, Reader); 5] = [
        (&YEAR_FIRST, |hit| date(number(hit, 1), number(hit, 2)?, number(hit, 3), false)),
        (&FIGURES, read_figures),
        (&DAY_FIRST, |hit| date(number(hit, 3), month(hit, 2)?, number(hit, 1), false)),
        (&MONTH_FIRST, |hit| date(number(hit, 3), month(hit, 1)?, number(hit, 2), false)),
        (&MONTH_AND_YEAR, |hit| date(number(hit, 2), month(hit, 1)?, None, false)),
    ];
    for (pattern, read) in readings {
        let Some(pattern) = pattern.as_ref() else { continue };
        let replaced = pattern.replace_all(&rest, |hit: &Captures<'_>| match read(hit) {
            Some(date) => {
                dates.push(date);
                " ; ".to_owned()
            }
            None => hit[0].to_owned(),
        });
        rest = replaced.into_owned();
    }
    dates.sort_unstable();
    dates.dedup();
    (dates, rest)
}

fn number(hit: &Captures<'_>, at: usize) -> Option<u32> {
    hit.get(at)?.as_str().parse().ok()
}

fn month(hit: &Captures<'_>, at: usize) -> Option<u32> {
    let name = hit.get(at)?.as_str().to_lowercase();
    let found = MONTHS.iter().position(|names| names.split('|').any(|one| one == name))?;
    u32::try_from(found + 1).ok()
}

fn date(year: Option<u32>, month: u32, day: Option<u32>, turns: bool) -> Option<Date> {
    let possible = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
    possible.then_some(Date { year, month, day, turns })
}

/// A day in figures. With a point the day stands first; with another mark either may, and where both can be a month nobody knows.
fn read_figures(hit: &Captures<'_>) -> Option<Date> {
    let (first, second) = (number(hit, 1)?, number(hit, 3)?);
    let year = number(hit, 4).map(|year| if year < 100 { 2_000 + year } else { year });
    if second > 12 {
        return date(year, first, Some(second), false);
    }
    date(year, second, Some(first), &hit[2] != "." && first <= 12 && first != second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        take(text).0.iter().map(Date::to_string).collect()
    }

    #[test]
    fn a_date_is_read_however_it_is_written() {
        for text in [
            "until 2026-11-23, please",
            "am 23.11.2026",
            "on 11/23/2026",
            "on 23/11/2026.",
            "23 November 2026",
            "the 23rd of November, 2026",
            "November 23rd, 2026",
            "Nov. 23, 2026",
            "am 23. November 2026",
            "le 23 novembre 2026",
            "el 23 de noviembre de 2026",
            "on 23.11.26",
        ] {
            assert_eq!(shown(text), ["23 November 2026"], "{text}");
        }
    }

    #[test]
    fn what_was_not_said_differs_from_nothing() {
        let one = |text: &str| take(text).0[0];
        assert!(one("3 May").agrees(&one("3 May 2026")));
        assert!(one("May 2026").agrees(&one("3 May 2026")));
        assert!(!one("3 May 2025").agrees(&one("3 May 2026")));
        assert!(one("3/5/2026").agrees(&one("3 May 2026")) && one("3/5/2026").agrees(&one("March 5, 2026")));
        assert!(!one("3.5.2026").agrees(&one("March 5, 2026")));
    }

    #[test]
    fn figures_that_are_no_date_stay() {
        for text in ["version 4.40.2019", "in 30 days", "you may 2 times", "1.2.3"] {
            let (dates, rest) = take(text);
            if text != "you may 2 times" {
                assert!(dates.is_empty() && rest == text, "{text}");
            }
        }
    }
}
