//! The questions of a file: lines, or JSON as kept questions are written.

use super::super::CliError;
use crate::domain::checks::check::QuestionRow;
use crate::domain::checks::kept::{ExpectationRow, read_expectations};
use serde_json::Value;

/// Reads the file's text: JSON where it begins like a list, else a question a line.
pub(super) fn parse(text: &str) -> Result<Vec<QuestionRow>, CliError> {
    let wrong = |reason: &str| CliError::Usage(format!("the file of questions cannot be used: {reason}"));
    let text = text.trim_start_matches('\u{feff}');
    let questions = if text.trim_start().starts_with('[') {
        let rows: Vec<Value> =
            serde_json::from_str(text).map_err(|error| wrong(&format!("it is no JSON list ({error})")))?;
        rows.iter().enumerate().map(|(at, row)| parse_row(at, row).map_err(|reason| wrong(&reason))).collect()
    } else {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(lines.map(|line| QuestionRow { text: line.to_owned(), expect: Vec::new() }).collect())
    };
    let questions: Vec<QuestionRow> = questions?;
    if questions.is_empty() {
        return Err(wrong("it holds no question"));
    }
    // What cannot be used is told before anything is asked.
    for (at, question) in questions.iter().enumerate() {
        read_expectations(&question.expect, at + 1).map_err(|error| CliError::Usage(error.to_string()))?;
    }
    Ok(questions)
}

fn parse_row(at: usize, row: &Value) -> Result<QuestionRow, String> {
    let text = row.as_str().or_else(|| row["text"].as_str()).filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| format!("row {} has no text", at + 1))?;
    let expect = match &row["expect"] {
        Value::Null => Vec::new(),
        Value::Array(rows) => rows.iter().map(parse_expectation).collect(),
        _ => return Err(format!("\"expect\" of row {} is no list", at + 1)),
    };
    Ok(QuestionRow { text: text.to_owned(), expect })
}

/// A row without a kind has none that is known, and is refused with the others.
fn parse_expectation(row: &Value) -> ExpectationRow {
    let kind = row["kind"].as_str().unwrap_or_default().to_owned();
    ExpectationRow { kind, value: row["value"].clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(result: Result<Vec<QuestionRow>, CliError>) -> String {
        match result {
            Err(CliError::Usage(text)) => text,
            _ => String::new(),
        }
    }

    #[test]
    fn lines_and_json_are_read() {
        let texts =
            |text: &str| parse(text).map(|all| all.into_iter().map(|one| one.text).collect::<Vec<_>>()).ok();
        assert_eq!(
            texts("\u{feff}What?\r\n\n  Where? \n"),
            Some(vec!["What?".to_owned(), "Where?".to_owned()])
        );
        assert_eq!(
            texts(" [\"What?\", {\"text\": \"Where?\"}]"),
            Some(vec!["What?".to_owned(), "Where?".to_owned()])
        );
        let rows = json!([{"text": "What?", "expect": [{"kind": "contains", "value": "30"}]}]).to_string();
        let read = parse(&rows).ok().map(|all| all[0].expect.clone());
        assert_eq!(read, Some(vec![ExpectationRow { kind: "contains".to_owned(), value: "30".into() }]));
    }

    #[test]
    fn a_file_that_cannot_be_used_says_why() {
        assert!(message(parse("\n \n")).ends_with("it holds no question"));
        assert!(message(parse("[1]")).ends_with("row 1 has no text"));
        assert!(message(parse("[{\"text\": \"a\", \"expect\": 1}]")).contains("row 1 is no list"));
        assert!(message(parse("[\"a\"")).contains("no JSON list"));
        let bad = parse("[{\"text\": \"a\", \"expect\": [{\"kind\": \"maxMs\"}]}]");
        assert!(message(bad).contains("expect row 1 of question 1: "));
    }
}
