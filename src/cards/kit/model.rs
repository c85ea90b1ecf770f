//! A chat model with the label of its card: every call of a model in a run goes through here.

use super::event::Sink;
use super::host::Host;
use crate::domain::error::Result;
use crate::llm::{ChatModel, ChatRequest, Completion, Delta};

/// A built chat model.
pub struct Model {
    label: String,
    chat: Box<dyn ChatModel>,
}

impl Model {
    /// Puts a label on a model.
    #[must_use]
    pub fn new(label: &str, chat: Box<dyn ChatModel>) -> Self {
        Self { label: label.to_owned(), chat }
    }

    /// The label of its card.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// True when messages may carry images.
    #[must_use]
    pub fn takes_images(&self) -> bool {
        self.chat.takes_images()
    }

    /// True when it can call tools.
    #[must_use]
    pub fn takes_tools(&self) -> bool {
        self.chat.takes_tools()
    }

    /// Asks the model, hands fragments to `sink` and notes the tokens used.
    ///
    /// # Errors
    /// What the provider refused, naming this card; [`crate::domain::error::Error::Cancelled`] when the run ended.
    pub fn ask(&self, request: &ChatRequest, host: &dyn Host, sink: &mut dyn Sink) -> Result<Completion> {
        let completion = self.chat.chat(request, host.cancel(), &mut |delta| match delta {
            Delta::Text(text) => sink.token(text),
            Delta::Thinking(text) => sink.thinking(text),
        });
        let completion = completion.map_err(|fault| fault.at(&self.label))?;
        host.used(&self.label, completion.usage);
        Ok(completion)
    }
}
