//! The numbers that a text names: in figures however they are grouped, times of day, and the words one to twelve.

use super::super::words::split_words;
use super::dates::{self, Date};
use super::language::Language;
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The words from one to twelve. Articles are left out, with a stroke in their place: "ein Tag" is no count.
const WORDS: [(Language, &str); 7] = [
    (Language::English, "one two three four five six seven eight nine ten eleven twelve"),
    (Language::German, "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"),
    (Language::French, "- deux trois quatre cinq six sept huit neuf dix onze douze"),
    (Language::Spanish, "- dos tres cuatro cinco seis siete ocho nueve diez once doce"),
    (Language::Italian, "- due tre quattro cinque sei sette otto nove dieci undici dodici"),
    (Language::Portuguese, "- dois três quatro cinco seis sete oito nove dez onze doze"),
    (Language::Dutch, "- twee drie vier vijf zes zeven acht negen tien elf twaalf"),
];

/// Words around "one" that show that nothing is counted: "no one", "one of our people".
const BEFORE_ONE: &str = "no any every some this that which the each another last first next only new";
const AFTER_ONE: &str = "of another by can should must may is who that day moment way";

/// Words that multiply the number before them.
const MAGNITUDES: [(f64, &str); 3] = [
    (1e3, "k thousand tausend mille mil"),
    (1e6, "million millions mio millionen millón millones milioni"),
    (1e9, "billion milliarden milliards"),
];

static LINKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:https?://|www\.)\S+|\S+@\S+\.\S+").ok());
static LIST_MARKERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t>]*(?:\*\*)?[0-9]{1,3}[.)](?:\*\*)?[ \t]").ok());
static TIMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b([0-9]{1,2})(?::([0-5][0-9]))?\s?([ap])\.?m\b\.?|\b([0-9]{1,2}):([0-5][0-9])\b").ok()
});
static FIGURES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[0-9]{1,3}(?:[ \u{a0}\u{202f}'’][0-9]{3})+\b(?:[.,][0-9]+)?|[0-9]+(?:[.,][0-9]+)*").ok()
});

/// What a text counts and dates.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// Each as it is written without groups, so that 1,000 and 1.000 are one.
    pub numbers: BTreeSet<String>,
    pub dates: Vec<Date>,
}

impl Figures {
    /// Without what the question named already: to repeat it says nothing.
    pub(crate) fn leave_out(&mut self, asked: &Self) {
        self.numbers.retain(|number| !asked.numbers.contains(number));
        self.dates.retain(|date| !asked.dates.iter().any(|one| one.agrees(date)));
    }
}

/// The numbers and dates of a text in this language; links and the marks of lists count nothing.
#[must_use]
pub(crate) fn read(text: &str, language: Option<Language>) -> Figures {
    let mut rest = text.trim().to_owned();
    for pattern in [&LINKS, &LIST_MARKERS] {
        if let Some(pattern) = pattern.as_ref() {
            rest = pattern.replace_all(&rest, " ; ").into_owned();
        }
    }
    let (dates, mut rest) = dates::take(&rest);
    let mut numbers = BTreeSet::new();
    if let Some(times) = TIMES.as_ref() {
        let replaced = times.replace_all(&rest, |hit: &Captures<'_>| {
            numbers.extend(read_time(hit));
            " ; ".to_owned()
        });
        rest = replaced.into_owned();
    }
    if let Some(figures) = FIGURES.as_ref() {
        for found in figures.find_iter(&rest) {
            let (before, after) = (&rest[..found.start()], &rest[found.end()..]);
            // What hangs on a letter is a name: B12, GPT-4.
            if !is_part_of_name(before) {
                numbers.extend(value(found.as_str(), before, after));
            }
        }
    }
    numbers.extend(read_words(text, language));
    Figures { numbers, dates }
}

fn is_part_of_name(before: &str) -> bool {
    let mut last = before.chars().rev();
    match last.next() {
        Some('-' | '_' | '.') => last.next().is_some_and(char::is_alphabetic),
        Some(sign) => sign.is_alphabetic(),
        None => false,
    }
}

/// A time as its hour: 17:00 and 5 pm are 17, half past is 17:30.
fn read_time(hit: &Captures<'_>) -> Option<String> {
    let figure = |at: usize| hit.get(at).and_then(|part| part.as_str().parse::<u32>().ok());
    let hour = figure(1).or_else(|| figure(4))?;
    let minute = figure(2).or_else(|| figure(5)).unwrap_or(0);
    let hour = match hit.get(3).map(|half| half.as_str().eq_ignore_ascii_case("p")) {
        Some(true) if hour < 12 => hour + 12,
        Some(false) if hour == 12 => 0,
        _ => hour,
    };
    Some(if minute == 0 { hour.to_string() } else { format!("{hour}:{minute:02}") })
}

/// The value of figures, with what stands around them.
fn value(figures: &str, before: &str, after: &str) -> Option<String> {
    let plain = fold_separators(figures);
    let digits = plain.trim_start_matches('0');
    // What has so many figures is a name for something, such as the number of an account, and is no quantity.
    if digits.len() > 15 && !plain.contains('.') {
        return Some(digits.to_owned());
    }
    let next: String = after
        .trim_start_matches(' ')
        .chars()
        .take_while(|c| c.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect();
    let factor = MAGNITUDES.iter().find(|(_, names)| place(names, &next).is_some());
    let factor = factor.map_or(1.0, |(factor, _)| *factor);
    let number = plain.parse::<f64>().ok()? * factor;
    // A hyphen is a sign only where nothing hangs on its other side.
    let is_negative =
        before.strip_suffix(['-', '−']).is_some_and(|rest| !rest.ends_with(|c: char| !c.is_whitespace()));
    Some(format!("{}{number}", if is_negative && number != 0.0 { "-" } else { "" }))
}

/// The figures with a point before the fraction and nothing between groups.
fn fold_separators(figures: &str) -> String {
    let plain: String = figures.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let marks: Vec<char> = plain.chars().filter(|c| !c.is_ascii_digit()).collect();
    let Some(last) = marks.last().copied() else { return plain };
    let (whole, fraction) = plain.rsplit_once(last).unwrap_or((&plain, ""));
    let groups = marks.iter().all(|mark| *mark == last)
        && plain.split(last).skip(1).all(|group| group.len() == 3)
        && (1..=3).contains(&plain.split(last).next().map_or(0, str::len))
        && !plain.starts_with('0');
    let keep = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    match groups {
        true => keep(&plain),
        // 1.2.3 is no number with a fraction: its parts stay apart by being written as one.
        false if marks.len() > 1 && marks.iter().all(|mark| *mark == last) => keep(&plain),
        false => format!("{}.{fraction}", keep(whole)),
    }
}

fn read_words(text: &str, language: Option<Language>) -> Vec<String> {
    let words = split_words(text);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(number) = number_word(word, language) else { continue };
        let beside = |list, other: Option<&String>| other.is_some_and(|other| place(list, other).is_some());
        let is_pronoun = word == "one"
            && (beside(AFTER_ONE, words.get(at + 1))
                || beside(BEFORE_ONE, at.checked_sub(1).and_then(|at| words.get(at))));
        if !is_pronoun {
            found.push(number.to_string());
        }
    }
    found
}

/// The number that a word is. Where the language is not known, a word counts that means the same in all that have it.
fn number_word(word: &str, language: Option<Language>) -> Option<usize> {
    const OTHER_MEANINGS: &str = "once due sei elf sept doze otto";
    if let Some((_, words)) = WORDS.iter().find(|(one, _)| Some(*one) == language) {
        return place(words, word).map(|at| at + 1);
    }
    if place(OTHER_MEANINGS, word).is_some() {
        return None;
    }
    WORDS.iter().find_map(|(_, words)| place(words, word)).map(|at| at + 1)
}

/// Where a word stands in a list of words.
fn place(list: &str, word: &str) -> Option<usize> {
    list.split(' ').position(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::super::language::detect;
    use super::*;
    use proptest::prelude::*;

    fn numbers(text: &str) -> Vec<String> {
        read(text, detect(text)).numbers.into_iter().collect()
    }

    #[test]
    fn separators_fold() {
        for text in ["1,000.50 euros", "1.000,50 Euro", "1 000,50 €", "1'000.50", "1000.5"] {
            assert_eq!(numbers(text), ["1000.5"], "{text}");
        }
        assert_eq!(numbers("1,000 and 2,5 and 0.125 and 3 million"), ["0.125", "1000", "2.5", "3000000"]);
    }

    #[test]
    fn words_from_one_to_twelve_count() {
        assert_eq!(numbers("within three days"), numbers("within 3 days"));
        assert_eq!(numbers("Wir liefern innerhalb von zwölf Tagen, und das ist alles."), ["12"]);
        assert_eq!(numbers("No one knows; one of us may ask."), Vec::<String>::new());
        assert_eq!(numbers("You get one ticket."), ["1"]);
        assert_eq!(numbers("You can do it once and it is due to you."), Vec::<String>::new());
    }

    #[test]
    fn times_are_hours() {
        assert_eq!(numbers("from 9 am to 5 p.m."), numbers("from 9:00 to 17:00"));
        assert_eq!(numbers("at 5:30 pm"), ["17:30"]);
    }

    #[test]
    fn dates_links_markers_names_and_the_question_do_not_count() {
        let text = "1. See https://a.example/42 on 3 May 2026\n2. Ask GPT-4 about B12 for order 77";
        let mut said = read(text, None);
        said.leave_out(&read("Where is order 77, of May 2026?", None));
        assert_eq!(said, Figures::default());
        assert_eq!(numbers("the 30th, -5 degrees, 10-12 people"), ["-5", "10", "12", "30"]);
    }

    proptest! {
        #[test]
        fn grouping_does_not_change_a_number(number in 1_000_u64..999_999_999) {
            let digits = number.to_string();
            for mark in [",", ".", " ", "'"] {
                let mut grouped = String::new();
                for (at, digit) in digits.chars().enumerate() {
                    if at > 0 && (digits.len() - at).is_multiple_of(3) {
                        grouped.push_str(mark);
                    }
                    grouped.push(digit);
                }
                prop_assert_eq!(numbers(&format!("It costs {grouped} coins.")), vec![digits.clone()]);
            }
        }

        #[test]
        fn numbers_do_not_depend_on_case_or_spaces(text in "[a-zA-Z0-9., ]{0,40}") {
            prop_assert_eq!(numbers(&text), numbers(&format!("  {}  ", text.to_lowercase())));
        }
    }
}
