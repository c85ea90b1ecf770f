//! The questions of a check (manual 18.3).

use super::check::{AskedQuestion, CHECK_QUESTION_CHARS_MAX, CHECK_QUESTIONS_MAX};
use super::kept::KeptQuestion;
use crate::domain::error::{Error, Result};
use std::collections::HashSet;

/// The questions that a check asks: those that are kept, then those that were sent, the first ten of all. Repeats are
/// dropped.
///
/// # Errors
/// 400 when there are none, too many were sent, or one is empty or too long.
pub(crate) fn choose(sent: Vec<AskedQuestion>, kept: Vec<KeptQuestion>) -> Result<Vec<AskedQuestion>> {
    if sent.len() > CHECK_QUESTIONS_MAX {
        return Err(Error::Invalid(format!(
            "Invalid questions: a check asks {CHECK_QUESTIONS_MAX} questions at most."
        )));
    }
    sent.iter().try_for_each(|asked| require_question(&asked.text, "questions"))?;
    let mut chosen = Distinct::default();
    let kept = kept.into_iter().map(|kept| AskedQuestion { expect: kept.expectations(), text: kept.text });
    let asked: Vec<_> =
        kept.chain(sent).filter(|asked| chosen.is_new(&asked.text)).take(CHECK_QUESTIONS_MAX).collect();
    if asked.is_empty() {
        return Err(Error::invalid("Invalid questions: send a list with at least one question."));
    }
    Ok(asked)
}

/// Judges a question that a check is to ask; `place` names it in the refusal.
///
/// # Errors
/// 400.
pub(crate) fn require_question(text: &str, place: &str) -> Result<()> {
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
pub(crate) struct Distinct(HashSet<String>);

impl Distinct {
    /// True for a question that was not there before.
    pub(crate) fn is_new(&mut self, text: &str) -> bool {
        self.0.insert(text.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose_sent(sent: &[&str]) -> Result<Vec<String>> {
        let asked = |text: &&str| AskedQuestion { text: (*text).to_owned(), expect: Vec::new() };
        Ok(choose(sent.iter().map(asked).collect(), Vec::new())?
            .into_iter()
            .map(|asked| asked.text)
            .collect())
    }

    #[test]
    fn repeats_are_dropped_and_the_order_stays() {
        assert_eq!(choose_sent(&["b", "a", "b", " a "]).unwrap(), ["b", "a"]);
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
