//! The world as a run sees it: what everybody needs, and what a card must name to get it.

use super::Capabilities;
use super::observers::{CardObserver, UpsertObserver};
use crate::base::cancel::CancelToken;
use crate::clock::Clock;
use crate::documents::DocumentReader;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::model_prices::ModelPrices;
use crate::domain::predictions::prediction::RunIds;
use crate::llm::TokenCache;
use crate::net::Outgoing;
use jiff::Timestamp;
use std::collections::HashMap;

/// All a run may ask of the world.
pub trait Host: Send + Sync {
    fn context(&self) -> HostContext<'_>;

    fn capabilities(&self) -> Capabilities<'_>;
}

/// What every card may use.
pub struct HostContext<'a> {
    /// Set when the run must end.
    pub cancel: &'a CancelToken,
    /// The client for calls to model providers.
    pub outgoing: &'a Outgoing,
    pub documents: &'a DocumentReader,
    pub clock: &'a Clock,
    /// Access tokens that were fetched before.
    pub tokens: &'a TokenCache,
    /// The question; empty for a run without one.
    pub question: &'a str,
    /// The conversation that is asked, or whose files are upserted; `None` where everybody's knowledge is meant.
    pub conversation: Option<Conversation>,
    /// `None` for what belongs to no flow.
    pub facts: Option<RunFacts<'a>>,
    /// The saved variables, by name; `None` where there are none.
    pub variables: Option<&'a HashMap<String, String>>,
    /// Who waits for an upsert.
    pub progress: Option<&'a dyn UpsertObserver>,
    /// Who watches what the cards do; `None` where nobody does.
    pub cards: Option<&'a dyn CardObserver>,
    /// What models cost.
    pub prices: &'a ModelPrices,
}

impl<'a> HostContext<'a> {
    /// Of a run that is no question and belongs to no flow.
    pub const fn new(
        cancel: &'a CancelToken,
        outgoing: &'a Outgoing,
        documents: &'a DocumentReader,
        clock: &'a Clock,
        tokens: &'a TokenCache,
    ) -> Self {
        Self {
            cancel,
            outgoing,
            documents,
            clock,
            tokens,
            question: "",
            conversation: None,
            facts: None,
            variables: None,
            progress: None,
            cards: None,
            prices: ModelPrices::NONE,
        }
    }
}

/// What `{{$flow.…}}` reads.
#[derive(Debug, Clone, Copy)]
pub struct RunFacts<'a> {
    pub ids: &'a RunIds,
    /// The name of the conversation, where its holder gave it one.
    pub session: Option<&'a str>,
}

impl RunFacts<'_> {
    fn get(&self, name: &str) -> Option<String> {
        match name {
            "chatflowid" | "chatflowId" => Some(self.ids.flow.to_string()),
            "chatId" => Some(self.ids.chat.to_string()),
            "sessionId" => Some(self.session.map_or_else(|| self.ids.chat.to_string(), str::to_owned)),
            "apiMessageId" => Some(self.ids.answer.to_string()),
            _ => None,
        }
    }
}

impl dyn Host + '_ {
    pub fn cancel(&self) -> &CancelToken {
        self.context().cancel
    }

    pub fn outgoing(&self) -> &Outgoing {
        self.context().outgoing
    }

    pub fn documents(&self) -> &DocumentReader {
        self.context().documents
    }

    pub fn tokens(&self) -> TokenCache {
        self.context().tokens.clone()
    }

    /// The time, for what is signed or expires while a run goes on.
    pub fn clock(&self) -> Clock {
        self.context().clock.clone()
    }

    pub fn now(&self) -> Timestamp {
        self.context().clock.now()
    }

    pub fn question(&self) -> &str {
        self.context().question
    }

    pub fn conversation(&self) -> Option<Conversation> {
        self.context().conversation
    }

    /// What models cost.
    pub fn prices(&self) -> &ModelPrices {
        self.context().prices
    }

    /// A fact of the run for `{{$flow.…}}`.
    pub fn fact(&self, name: &str) -> Option<String> {
        self.context().facts?.get(name)
    }

    /// The value of a saved variable.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.context().variables?.get(name).cloned()
    }

    /// Notes how far an upsert into a vector store is, for whoever waits for it.
    pub(crate) fn report_progress(&self, at: UpsertProgress) {
        if let Some(observer) = self.context().progress {
            observer.report(at);
        }
    }
}
