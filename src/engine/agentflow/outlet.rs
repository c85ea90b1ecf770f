//! The answer of a run on its way out: tokens of several steps that write at once become one text.

use super::sink::RunSink;
use super::walk::StepId;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::run_event::RunEvent;
use crate::llm::{ReplyStream, StreamEnd};
use std::collections::HashMap;

/// What stands between the texts of two last steps.
const BETWEEN: &str = "\n\n";

/// Where tokens and events go, and what went out so far.
pub(super) struct Outlet<'s> {
    sink: &'s mut dyn RunSink,
    /// What went out as tokens.
    answer: String,
    /// The step that wrote last.
    writer: Option<StepId>,
    /// Texts of steps whose turn has not come yet.
    held: HashMap<StepId, String>,
}

impl<'s> Outlet<'s> {
    pub(super) fn new(sink: &'s mut dyn RunSink) -> Self {
        Self { sink, answer: String::new(), writer: None, held: HashMap::new() }
    }

    /// A fragment of a last step. It goes out when it is the step's turn, and waits for that otherwise.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn token(&mut self, step: StepId, is_its_turn: bool, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if !is_its_turn {
            self.held.entry(step).or_default().push_str(text);
            return Ok(());
        }
        self.release(step)?;
        self.write(step, text)
    }

    /// The turn of a step has come: what waited goes out.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn release(&mut self, step: StepId) -> Result<()> {
        match self.held.remove(&step) {
            Some(text) => self.write(step, &text),
            None => Ok(()),
        }
    }

    fn write(&mut self, step: StepId, text: &str) -> Result<()> {
        let lead = self.lead(step);
        if !lead.is_empty() {
            self.send(lead)?;
        }
        self.writer = Some(step);
        self.send(text)
    }

    /// What stands before the next text of a step.
    fn lead(&self, step: StepId) -> &'static str {
        if self.writer.is_some_and(|writer| writer != step) && !self.answer.is_empty() { BETWEEN } else { "" }
    }

    fn send(&mut self, text: &str) -> Result<()> {
        self.answer.push_str(text);
        self.sink.token(text).map_err(|_| Error::Cancelled)
    }

    /// Has the sink take a whole stream of a step whose turn it is.
    pub(super) fn follow(&mut self, step: StepId, stream: ReplyStream) -> StreamEnd {
        let lead = self.lead(step);
        // A step that wrote already may have put a lead of its own before this stream.
        let end = self.sink.follow(if lead.is_empty() { stream } else { stream.with_lead(lead) });
        if !end.text.is_empty() {
            self.writer = Some(step);
            self.answer.push_str(&end.text);
        }
        end
    }

    /// A fragment of a model's reasoning.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn thinking(&mut self, text: &str) -> Result<()> {
        self.sink.thinking(text).map_err(|_| Error::Cancelled)
    }

    /// # Errors
    /// When the caller left.
    pub(super) fn event(&mut self, event: &RunEvent<'_>) -> Result<()> {
        self.sink.event(event).map_err(|_| Error::Cancelled)
    }

    /// The steps whose texts wait for their turn.
    pub(super) fn waiting(&self) -> impl Iterator<Item = StepId> {
        self.held.keys().copied()
    }

    /// True when a step wrote something, or has something that waits for its turn.
    pub(super) fn has_text_of(&self, step: StepId) -> bool {
        self.writer == Some(step) || self.held.contains_key(&step)
    }

    pub(super) fn answer(&self) -> &str {
        &self.answer
    }

    /// The answer of a run none of whose last steps has a text.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn answer_with(&mut self, text: &str) -> Result<()> {
        self.send(text)
    }

    pub(super) fn into_answer(self) -> String {
        self.answer
    }
}
