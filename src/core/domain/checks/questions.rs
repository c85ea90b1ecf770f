//! The questions of a check (manual 18.3).

use super::check::{AskedQuestion, CHECK_QUESTION_CHARS_MAX, CHECK_QUESTIONS_MAX, QuestionRow};
use super::kept::{KeptQuestion, read_expectations};
use crate::domain::error::{Error, Result};
use std::collections::HashSet;

/// The questions that a check asks: those that are kept, then those that were sent, the first ten of all. A repeat is not asked
/// again; what it expects is expected of the first one.
///
/// # Errors
/// 400 when there are none, too many were sent, one is empty or too long, or what is expected of its answers cannot be read.
pub fn choose(sent: Vec<QuestionRow>, kept: Vec<KeptQuestion>) -> Result<Vec<AskedQuestion>> {
    if sent.len() > CHECK_QUESTIONS_MAX {
        return Err(Error::Invalid(format!(
            "Invalid questions: a check asks {CHECK_QUESTIONS_MAX} questions at most."
        )));
    }
    sent.iter().try_for_each(|asked| require_question(&asked.text, "questions"))?;
    let read = |(at, row): (usize, QuestionRow)| {
        Ok(AskedQuestion { expect: read_expectations(&row.expect, at + 1)?, text: row.text })
    };
    let sent = sent.into_iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
    let kept = kept.into_iter().map(|kept| AskedQuestion { expect: kept.expectations(), text: kept.text });
    let mut asked: Vec<AskedQuestion> = Vec::new();
    for question in kept.chain(sent) {
        let is_repeat = |known: &&mut AskedQuestion| known.text.trim() == question.text.trim();
        if let Some(known) = asked.iter_mut().find(is_repeat) {
            question.expect.into_iter().for_each(|one| known.expect(one));
        } else if asked.len() < CHECK_QUESTIONS_MAX {
            asked.push(question);
        }
    }
    if asked.is_empty() {
        return Err(Error::invalid("Invalid questions: send a list with at least one question."));
    }
    Ok(asked)
}

/// Judges a question that a check is to ask; `place` names it in the refusal.
///
/// # Errors
/// 400.
pub fn require_question(text: &str, place: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::Invalid(format!("Invalid {place}: a question must not be empty.")));
    }
    if text.chars().count() > CHECK_QUESTION_CHARS_MAX {
        return Err(Error::Invalid(format!(
            "Invalid {place}: a question has {CHECK_QUESTION_CHARS_MAX} characters at most."
        )));
    }
    Ok(())
}

/// Tells questions apart. What differs in the white space around it alone is a repeat.
#[derive(Default)]
pub struct Distinct(HashSet<String>);

impl Distinct {
    /// True for a question that was not there before.
    pub fn is_new(&mut self, text: &str) -> bool {
        self.0.insert(text.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::checks::case::Expectation;
    use crate::domain::checks::kept::ExpectationRow;

    fn choose_sent(sent: &[&str]) -> Result<Vec<String>> {
        let row = |text: &&str| QuestionRow { text: (*text).to_owned(), expect: Vec::new() };
        Ok(choose(sent.iter().map(row).collect(), Vec::new())?.into_iter().map(|asked| asked.text).collect())
    }

    #[test]
    fn repeats_are_dropped_and_the_order_stays() {
        assert_eq!(choose_sent(&["b", "a", "b", " a "]).unwrap(), ["b", "a"]);
    }

    #[test]
    fn what_is_expected_of_a_repeat_is_expected_of_the_first() {
        let expecting = |texts: &[&str]| {
            let rows = texts
                .iter()
                .map(|text| ExpectationRow { kind: "contains".to_owned(), value: (*text).into() });
            QuestionRow { text: "a".to_owned(), expect: rows.collect() }
        };
        let asked = choose(vec![expecting(&["x"]), expecting(&["x", "y"])], Vec::new()).unwrap();
        let contains = |text: &str| Expectation::Contains(text.to_owned());
        assert_eq!(
            asked,
            [AskedQuestion { text: "a".to_owned(), expect: vec![contains("x"), contains("y")] }]
        );
    }

    #[test]
    fn too_many_questions_are_refused_before_their_rows_are_read() {
        let wrong = ExpectationRow { kind: "matches".to_owned(), value: "(".into() };
        let row = QuestionRow { text: "a".to_owned(), expect: vec![wrong] };
        let refused = |count: usize| choose(vec![row.clone(); count], Vec::new()).unwrap_err().to_string();
        assert!(refused(11).contains("10 questions at most"), "{}", refused(11));
        assert!(refused(2).starts_with("Invalid questions: expect row 1 of question 1: "), "{}", refused(2));
    }

    #[test]
    fn none_eleven_an_empty_and_a_long_one_are_refused() {
        let long = "ü".repeat(CHECK_QUESTION_CHARS_MAX + 1);
        for wrong in [&[][..], &["a"; 11], &[" \n"], &["a", &long]] {
            let told = choose_sent(wrong).unwrap_err().to_string();
            assert!(told.starts_with("Invalid questions: "), "{told}");
        }
        let longest = "ü".repeat(CHECK_QUESTION_CHARS_MAX);
        assert_eq!(choose_sent(&[&longest]).unwrap(), [longest]);
        assert_eq!(choose_sent(&["a"; 10]).unwrap(), ["a"]);
    }
}
