//! What owners expect of the answers to a kept question: how it is read, and which answers meet it.

use super::answer::Answer;
use super::case::Expectation;
use super::facts::language::{Language, detect};
use super::facts::refusals::refuses;
use super::facts::structure::parse_json;
use super::schema::Schema;
use super::words::{fold, quote};
use crate::domain::error::{Error, Result};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// Most memory that a pattern of an expectation may compile to (manual 14.4).
const CHECK_PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// Longest text of an expectation, in characters (manual 14.4).
const EXPECTATION_CHARS_MAX: usize = 4_000;

const KINDS: &str =
    "contains, notContains, matches, equals, json, language, maxMs, calls, callsNot and refuses";

/// Reads an expectation. `place` names its row for whoever sent it, such as `expect row 2 of question 1`.
///
/// # Errors
/// 400 that names the row and says what is wrong with it.
pub fn parse(kind: &str, value: &Value, place: &str) -> Result<Expectation> {
    let wrong = |reason: &str| Error::invalid(format!("{place}: {reason}."));
    let text = || -> Result<String> {
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        let text =
            text.ok_or_else(|| wrong(&format!("the value of \"{kind}\" must be a text that is not empty")))?;
        if text.chars().count() > EXPECTATION_CHARS_MAX {
            return Err(wrong(&format!("the value may have {EXPECTATION_CHARS_MAX} characters")));
        }
        Ok(text.to_owned())
    };
    Ok(match kind {
        "contains" => Expectation::Contains(text()?),
        "notContains" => Expectation::NotContains(text()?),
        "equals" => Expectation::Equals(text()?),
        "calls" => Expectation::Calls(text()?),
        "callsNot" => Expectation::CallsNot(text()?),
        "matches" => {
            let pattern = text()?;
            let made = compile(&pattern);
            Expectation::Matches(Pattern(
                made.map_err(|reason| wrong(&format!("the pattern cannot be used: {reason}")))?,
            ))
        }
        "language" => {
            let code = text()?;
            if Language::from_code(code.trim()).is_none() {
                let known = Language::codes();
                return Err(wrong(&format!(
                    "the language must be one that can be told, by its ISO 639-1 code: {known}"
                )));
            }
            Expectation::Language(code.trim().to_ascii_lowercase())
        }
        "json" => {
            let schema = Schema::parse(value).map_err(|reason| wrong(&format!("the schema {reason}")))?;
            Expectation::Json(Box::new(schema))
        }
        "maxMs" => {
            let most = value.as_u64().filter(|most| *most > 0);
            Expectation::MaxMs(
                most.ok_or_else(|| wrong("the value of \"maxMs\" must be a whole number above 0"))?,
            )
        }
        "refuses" => {
            let wanted = value.as_bool();
            Expectation::Refuses(
                wanted.ok_or_else(|| wrong("the value of \"refuses\" must be true or false"))?,
            )
        }
        _ => return Err(wrong(&format!("the kind must be one of {KINDS}"))),
    })
}

/// A regular expression; two are equal that are written alike.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// The pattern, in a form that reads every text in linear time.
///
/// # Errors
/// What is wrong with it, without a full stop.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).size_limit(CHECK_PATTERN_BYTES_MAX).build();
    built.map_err(|error| {
        let text = error.to_string();
        // The last line names the fault; those before it draw where it lies.
        let line = text.lines().last().unwrap_or_default();
        line.trim().trim_start_matches("error: ").trim_end_matches('.').to_owned()
    })
}

impl Expectation {
    /// What is expected, as the end of a sentence about answers.
    #[must_use]
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Contains(text) => format!("contain {}", quote(text)),
            Self::NotContains(text) => format!("not contain {}", quote(text)),
            Self::Matches(pattern) => format!("match the pattern {}", quote(pattern.0.as_str())),
            Self::Equals(text) => format!("be {}", quote(text)),
            Self::Json(_) => "be JSON that follows the schema".to_owned(),
            Self::Language(code) => {
                let name = Language::from_code(code).map_or_else(String::new, |one| one.name().to_owned());
                format!("be in {name}")
            }
            Self::MaxMs(most) => format!("take at most {most} ms"),
            Self::Calls(tool) => format!("call the tool {}", quote(tool)),
            Self::CallsNot(tool) => format!("not call the tool {}", quote(tool)),
            Self::Refuses(true) => "refuse".to_owned(),
            Self::Refuses(false) => "not refuse".to_owned(),
        }
    }

    /// Whether a side fails it: more than half of its answers do, or its median is too long. A side without answers fails nothing.
    #[must_use]
    pub(crate) fn fails(&self, answers: &[&Answer]) -> bool {
        if let Self::MaxMs(most) = self {
            return median(answers).is_some_and(|median| median > *most);
        }
        let failing = answers.iter().filter(|answer| !self.is_met(answer)).count();
        failing * 2 > answers.len()
    }

    fn is_met(&self, answer: &Answer) -> bool {
        if answer.error.is_some() {
            return false;
        }
        let said = || fold(&answer.text);
        match self {
            Self::Contains(text) => said().contains(&fold(text)),
            Self::NotContains(text) => !said().contains(&fold(text)),
            Self::Equals(text) => said() == fold(text),
            Self::Matches(pattern) => pattern.0.is_match(&answer.text),
            Self::Json(schema) => {
                let value = answer.json.clone().or_else(|| parse_json(&answer.text));
                value.is_some_and(|value| schema.fits(&value))
            }
            // A text that is too short to tell is in no wrong language.
            Self::Language(code) => {
                detect(&answer.text).is_none_or(|one| Some(one) == Language::from_code(code))
            }
            Self::MaxMs(most) => answer.ms <= *most,
            Self::Calls(tool) => answer.tools.contains(tool),
            Self::CallsNot(tool) => !answer.tools.contains(tool),
            Self::Refuses(wanted) => refuses(&answer.text) == *wanted,
        }
    }
}

/// The time in the middle.
fn median(answers: &[&Answer]) -> Option<u64> {
    let mut times: Vec<u64> = answers.iter().map(|answer| answer.ms).collect();
    times.sort_unstable();
    let middle = times.len() / 2;
    let upper = *times.get(middle)?;
    Some(if times.len() % 2 == 1 { upper } else { times[middle - 1].midpoint(upper) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(text: &str) -> Answer {
        Answer { text: text.to_owned(), ms: 40, tools: vec!["search".to_owned()], ..Answer::default() }
    }

    fn meets(kind: &str, value: Value, text: &str) -> bool {
        !parse(kind, &value, "row 1").unwrap().fails(&[&said(text)])
    }

    #[test]
    fn each_kind_tells_answers_apart() {
        let cases = [
            ("contains", json!("30  Days"), "Within 30 days.", "Within 14 days."),
            ("notContains", json!("sorry"), "Yes.", "Sorry, no."),
            ("matches", json!(r"\b[A-Z]{2}\d{3}\b"), "It is AB123.", "It is ab12."),
            ("equals", json!("yes"), " YES ", "yes."),
            ("json", json!({"required": ["a"]}), "{\"a\": 1}", "a is 1"),
            (
                "language",
                json!("DE"),
                "Sie können den Artikel zurückgeben.",
                "You can return it with the receipt, and we will refund you.",
            ),
            ("refuses", json!(true), "I can't help with that.", "Of course."),
            ("refuses", json!(false), "Of course.", "I don't know."),
        ];
        for (kind, value, good, bad) in cases {
            assert!(meets(kind, value.clone(), good), "{kind} {value}: {good}");
            assert!(!meets(kind, value.clone(), bad), "{kind} {value}: {bad}");
        }
        assert!(meets("calls", json!("search"), "") && !meets("calls", json!("mail"), ""));
        assert!(meets("callsNot", json!("mail"), "") && !meets("callsNot", json!("search"), ""));
        assert!(meets("maxMs", json!(40), "") && !meets("maxMs", json!(39), ""));
    }

    #[test]
    fn a_side_fails_when_more_than_half_of_it_does() {
        let expectation = parse("contains", &json!("a"), "row 1").unwrap();
        let (good, bad) = (said("a"), said("b"));
        assert!(!expectation.fails(&[&good, &bad]) && expectation.fails(&[&good, &bad, &bad]));
        assert!(!expectation.fails(&[]));
    }

    #[test]
    fn a_failed_answer_meets_nothing() {
        let failed = Answer { error: Some("No.".to_owned()), ..said("") };
        assert!(parse("notContains", &json!("x"), "row 1").unwrap().fails(&[&failed]));
    }

    #[test]
    fn a_bad_row_is_refused_with_its_reason() {
        let refused = |kind: &str, value: Value| {
            parse(kind, &value, "expect row 2 of question 1").unwrap_err().to_string()
        };
        let cases = [
            ("includes", json!("a"), "the kind must be one of contains"),
            ("contains", json!(1), "must be a text that is not empty"),
            ("contains", json!(" "), "must be a text that is not empty"),
            ("matches", json!("(a"), "the pattern cannot be used: unclosed group"),
            ("matches", json!(r"(\w{500}){500}"), "the pattern cannot be used: "),
            ("json", json!({"type": "date"}), "the schema has a \"type\" that cannot be used"),
            ("language", json!("klingon"), "ISO 639-1"),
            ("maxMs", json!(0), "whole number above 0"),
            ("maxMs", json!("5"), "whole number above 0"),
            ("refuses", json!("yes"), "true or false"),
            ("equals", json!("a".repeat(4_001)), "4000 characters"),
        ];
        for (kind, value, reason) in cases {
            let text = refused(kind, value);
            assert!(text.starts_with("expect row 2 of question 1: ") && text.contains(reason), "{text}");
        }
    }
}
