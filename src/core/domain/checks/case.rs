//! One question of a check, and what both sides answered.

use super::answer::Answer;
use super::expectation::Pattern;
use super::schema::Schema;

/// A question, the answers of both sides, and what its owner expects of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseAnswers {
    pub question: String,
    /// What Live answered, in order; empty where Live had no cards.
    pub live: Vec<Answer>,
    pub draft: Vec<Answer>,
    pub expect: Vec<Expectation>,
}

/// What the owner of a kept question expects of its answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Expectation {
    Contains(String),
    NotContains(String),
    /// A regular expression, matched in linear time.
    Matches(Pattern),
    Equals(String),
    /// The JSON schema that the answer follows.
    Json(Box<Schema>),
    /// A language, as ISO 639-1 names it.
    Language(String),
    /// The median of a side, at most.
    MaxMs(u64),
    /// A tool that is called.
    Calls(String),
    /// A tool that is not called.
    CallsNot(String),
    Refuses(bool),
}
