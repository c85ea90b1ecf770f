//! InMemory Cache: a model that is asked the same thing again answers from memory.

use crate::kit::{Cache, Capability, Card, Category, Factory, Grant, Host, Need, ReplyKey, ReplyStore, Risk};
use crate::llm::Completion;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "inMemoryCache",
    label: "InMemory Cache",
    version: 1.0,
    category: Category::Cache,
    description: "Remembers what the model replied, for this flow and until it changes or the server restarts. The \
                  same messages to the same model settings are then answered without asking the provider.",
    base_classes: &["InMemoryCache", "BaseCache"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Replies)],
    inputs: &[],
    outputs: &[],
    make: Factory::Cache(|inputs| Ok(Arc::new(InMemoryCache(inputs.need()?)))),
};

/// The replies themselves lie with the host, which knows the flow they belong to.
struct InMemoryCache(Grant<dyn ReplyStore>);

impl Cache for InMemoryCache {
    fn find(&self, key: &ReplyKey, host: &dyn Host) -> Option<Completion> {
        serde_json::from_slice(&self.0.of(host).ok()?.recall(key)?).ok()
    }

    fn store(&self, key: &ReplyKey, reply: &Completion, host: &dyn Host) {
        if let (Ok(replies), Ok(bytes)) = (self.0.of(host), serde_json::to_vec(reply)) {
            replies.remember(key, bytes);
        }
    }
}
