//! Which way a Condition card goes: the first of its conditions that is fulfilled, else the way behind them all.

use super::plain_text::strip_markdown;
use crate::canvas::template::into_text;
use crate::domain::error::{Error, Result};
use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Memory of the compiled pattern of a condition (manual 14.4).
const CONDITION_PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// The way that was taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BranchChoice {
    /// The output: the place of a condition, or the number of conditions for the way behind them.
    pub taken: usize,
    /// The conditions as they were judged, and the one that stands for all others.
    pub conditions: Vec<Value>,
}

/// Judges the resolved rows of the card called `label`.
///
/// Texts are compared without the marks of Markdown and without blanks at their ends, and by the case of their letters;
/// a pattern is taken as it is written. What is no number is neither smaller nor larger than any, and equal to none: an
/// answer of a model that is no number so takes the way behind all conditions, and does not end the run.
///
/// # Errors
/// A type, an operation or a pattern that is none.
pub(crate) fn choose_branch(label: &str, rows: &[Value]) -> Result<BranchChoice> {
    let wrong = |why: String| Error::RunFailed(format!("{label}: {why}"));
    let mut taken = None;
    let mut conditions = Vec::with_capacity(rows.len() + 1);
    for (at, row) in rows.iter().enumerate() {
        let Value::Object(row) = row else {
            return Err(wrong(format!("condition {} is no object.", at + 1)));
        };
        let fulfilled = taken.is_none()
            && is_fulfilled(row).map_err(|why| wrong(format!("condition {}: {why}", at + 1)))?;
        if fulfilled {
            taken = Some(at);
        }
        conditions.push(judged(row.clone(), fulfilled));
    }
    let otherwise = Map::from_iter(
        [("type", "string"), ("value1", ""), ("operation", "equal"), ("value2", "")]
            .map(|(key, value)| (key.to_owned(), Value::from(value))),
    );
    conditions.push(judged(otherwise, taken.is_none()));
    Ok(BranchChoice { taken: taken.unwrap_or(rows.len()), conditions })
}

fn judged(mut row: Map<String, Value>, fulfilled: bool) -> Value {
    row.insert("isFulfilled".to_owned(), fulfilled.into());
    row.into()
}

fn is_fulfilled(row: &Map<String, Value>) -> Result<bool, String> {
    let word = |key: &str, or: &'static str| {
        let given = row.get(key).and_then(Value::as_str);
        given.filter(|word| !word.is_empty()).unwrap_or(or).to_owned()
    };
    let operand = |key: &str| row.get(key).cloned().unwrap_or_default();
    let (operation, one, other) = (word("operation", "equal"), operand("value1"), operand("value2"));
    let kind = word("type", "string");
    let judged = match kind.as_str() {
        "string" => compare_texts(&operation, one, other)?,
        "number" => compare_numbers(&operation, one, other),
        "boolean" => compare_booleans(&operation, &one, &other),
        _ => return Err(format!("the type '{kind}' is unknown.")),
    };
    judged.ok_or_else(|| format!("the operation '{operation}' is unknown for the type '{kind}'."))
}

/// `None` for an operation that texts do not have.
fn compare_texts(operation: &str, one: Value, other: Value) -> Result<Option<bool>, String> {
    let (one, pattern) = (strip_markdown(&into_text(one)), into_text(other));
    if operation == "regex" {
        return matches_pattern(&one, &pattern).map(Some);
    }
    let other = strip_markdown(&pattern);
    Ok(Some(match operation {
        "equal" => one == other,
        "notEqual" => one != other,
        "contains" => one.contains(&other),
        "notContains" => !one.contains(&other),
        "startsWith" => one.starts_with(&other),
        "endsWith" => one.ends_with(&other),
        "isEmpty" => one.is_empty(),
        "notEmpty" => !one.is_empty(),
        _ => return Ok(None),
    }))
}

fn matches_pattern(text: &str, pattern: &str) -> Result<bool, String> {
    compile_pattern(pattern).map(|compiled| compiled.is_match(text))
}

/// What is wrong with the regular expressions that stand in rows of conditions, each with the number of its row.
pub fn pattern_faults(rows: &[Value]) -> impl Iterator<Item = (usize, String)> {
    rows.iter().enumerate().filter(|(_, row)| row["operation"] == "regex").filter_map(|(at, row)| {
        // What a reference stands for is known when the flow runs.
        let pattern = row["value2"].as_str().filter(|pattern| !pattern.contains("{{"))?;
        Some((at + 1, compile_pattern(pattern).err()?))
    })
}

fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    let compiled = RegexBuilder::new(pattern).size_limit(CONDITION_PATTERN_BYTES_MAX).build();
    let shown: String = pattern.chars().take(100).collect();
    compiled.map_err(|fault| match fault {
        regex::Error::CompiledTooBig(_) => format!("the regular expression '{shown}' is too large."),
        _ => format!("'{shown}' is not a valid regular expression."),
    })
}

fn compare_numbers(operation: &str, one: Value, other: Value) -> Option<bool> {
    let (one, other) = (strip_markdown(&into_text(one)), strip_markdown(&into_text(other)));
    let order = order_numbers(&one, &other);
    Some(match operation {
        "smaller" => order.is_some_and(Ordering::is_lt),
        "smallerEqual" => order.is_some_and(Ordering::is_le),
        "equal" => order.is_some_and(Ordering::is_eq),
        "notEqual" => !order.is_some_and(Ordering::is_eq),
        "larger" => order.is_some_and(Ordering::is_gt),
        "largerEqual" => order.is_some_and(Ordering::is_ge),
        "isEmpty" => one.is_empty(),
        "notEmpty" => !one.is_empty(),
        _ => return None,
    })
}

/// `None` when one of the texts is no number.
fn order_numbers(one: &str, other: &str) -> Option<Ordering> {
    // Whole numbers are told apart beyond what a fraction can hold.
    if let (Ok(one), Ok(other)) = (one.parse::<i128>(), other.parse::<i128>()) {
        return Some(one.cmp(&other));
    }
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    number(one)?.partial_cmp(&number(other)?)
}

fn compare_booleans(operation: &str, one: &Value, other: &Value) -> Option<bool> {
    let truth = |value: &Value| match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => text.trim().parse::<bool>().ok(),
        _ => None,
    };
    let equal = truth(one).is_some_and(|one| truth(other) == Some(one));
    match operation {
        "equal" => Some(equal),
        "notEqual" => Some(!equal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn choose(rows: &Value) -> Result<BranchChoice> {
        choose_branch("Which way", rows.as_array().unwrap())
    }

    fn is_met(kind: &str, one: Value, operation: &str, other: Value) -> bool {
        let row = json!([{"type": kind, "value1": one, "operation": operation, "value2": other}]);
        choose(&row).unwrap().taken == 0
    }

    fn failure(row: Value) -> String {
        match choose(&json!([{"value1": "a", "value2": "b"}, row])) {
            Err(Error::RunFailed(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_compared_without_marks_and_by_case() {
        for (one, operation, other, met) in [
            ("**yes**\n", "equal", "yes", true),
            ("Yes", "equal", "yes", false),
            ("yes", "notEqual", "no", true),
            ("a yes b", "contains", "_yes_", true),
            ("a yes b", "notContains", "no", true),
            ("# Title here", "startsWith", "Title", true),
            ("Title here", "endsWith", "here", true),
            ("  ", "isEmpty", "x", true),
            ("x", "notEmpty", "", true),
        ] {
            assert_eq!(
                is_met("string", json!(one), operation, json!(other)),
                met,
                "{one} {operation} {other}"
            );
        }
        assert!(is_met("string", json!(7), "equal", json!("7")));
        assert!(is_met("string", Value::Null, "isEmpty", Value::Null));
        assert!(is_met("string", json!({"a": 1}), "contains", json!("\"a\":1")));
    }

    #[test]
    fn a_pattern_is_taken_as_it_is_written() {
        assert!(is_met("string", json!("order 4711"), "regex", json!(r"^\w+ \d*$")));
        assert!(!is_met("string", json!("order"), "regex", json!("^Order$")));
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        assert_eq!(
            failure(json!({"value1": "x", "operation": "regex", "value2": "(a"})),
            "Which way: condition 2: '(a' is not a valid regular expression."
        );
        let large = json!({"value1": "x", "operation": "regex", "value2": r"\w{1000}{1000}"});
        assert!(failure(large).ends_with("is too large."));
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        for (one, operation, other, met) in [
            (json!("10"), "larger", json!(9), true),
            (json!(9.5), "smaller", json!("10"), true),
            (json!("1e1"), "equal", json!(10), true),
            (json!(10), "largerEqual", json!(" 10.0 "), true),
            (json!(10), "smallerEqual", json!(10), true),
            (json!("9007199254740993"), "equal", json!("9007199254740992"), false),
            (json!("**5**"), "equal", json!(5), true),
            (json!(-5), "smaller", json!("-4"), true),
        ] {
            assert_eq!(
                is_met("number", one.clone(), operation, other.clone()),
                met,
                "{one} {operation} {other}"
            );
        }
    }

    #[test]
    fn what_is_no_number_is_equal_to_none_and_in_no_order() {
        for (one, other) in [(json!("many"), json!(0)), (json!(""), json!(0)), (json!("NaN"), json!("NaN"))] {
            for operation in ["smaller", "smallerEqual", "equal", "larger", "largerEqual"] {
                assert!(!is_met("number", one.clone(), operation, other.clone()), "{one} {operation}");
            }
            assert!(is_met("number", one, "notEqual", other));
        }
    }

    #[test]
    fn an_empty_number_is_empty_and_zero_is_not() {
        assert!(is_met("number", json!(""), "isEmpty", Value::Null));
        assert!(is_met("number", Value::Null, "isEmpty", Value::Null));
        assert!(is_met("number", json!(0), "notEmpty", Value::Null));
    }

    #[test]
    fn booleans_may_be_written_as_text() {
        assert!(is_met("boolean", json!(true), "equal", json!("true")));
        assert!(is_met("boolean", json!("false"), "equal", json!(false)));
        assert!(is_met("boolean", json!("true"), "notEqual", json!(false)));
        assert!(!is_met("boolean", json!("yes"), "equal", json!("yes")));
    }

    #[test]
    fn the_first_fulfilled_condition_wins_and_later_ones_are_not_judged() {
        let rows = json!([
            {"type": "string", "value1": "a", "operation": "equal", "value2": "b"},
            {"type": "string", "value1": "a", "operation": "equal", "value2": "a", "extra": 1},
            {"type": "string", "value1": "a", "operation": "regex", "value2": "("},
        ]);
        let choice = choose(&rows).unwrap();
        assert_eq!(choice.taken, 1);
        let output = json!({ "conditions": choice.conditions });
        let fulfilled: Vec<_> =
            output["conditions"].as_array().unwrap().iter().map(|row| &row["isFulfilled"]).collect();
        assert_eq!(fulfilled, [&json!(false), &json!(true), &json!(false), &json!(false)]);
        assert_eq!(output["conditions"][1]["extra"], 1);
    }

    #[test]
    fn the_way_behind_all_conditions_is_taken_when_none_is_fulfilled() {
        let choice = choose(&json!([{"value1": "a", "value2": "b"}])).unwrap();
        assert_eq!((choice.taken, &choice.conditions[1]["isFulfilled"]), (1, &json!(true)));
        assert_eq!(choose(&json!([])).unwrap().taken, 0);
    }

    #[test]
    fn a_type_or_an_operation_that_is_none_is_named() {
        assert_eq!(failure(json!({"type": "date"})), "Which way: condition 2: the type 'date' is unknown.");
        assert_eq!(
            failure(json!({"type": "boolean", "operation": "larger"})),
            "Which way: condition 2: the operation 'larger' is unknown for the type 'boolean'."
        );
        assert_eq!(failure(json!(1)), "Which way: condition 2 is no object.");
    }
}
