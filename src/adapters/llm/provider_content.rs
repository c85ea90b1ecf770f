//! A reply word for word as its provider wrote it. What its own tools found, and what its model thought, is sealed for
//! its eyes: a conversation goes on as it should only when the provider gets all of it back, in its own order.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The parts of such a reply.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ProviderContent {
    /// Who wrote them: another protocol has no use for them, and another model cannot open what is sealed.
    source: String,
    parts: Vec<Value>,
}

impl ProviderContent {
    /// `None` where there is nothing to send back.
    pub(super) fn new(protocol: &str, model: &str, parts: Vec<Value>) -> Option<Self> {
        (!parts.is_empty()).then(|| Self { source: source(protocol, model), parts })
    }

    /// The parts, for the one that wrote them.
    pub(super) fn parts_for(&self, protocol: &str, model: &str) -> Option<&[Value]> {
        (self.source == source(protocol, model)).then_some(self.parts.as_slice())
    }
}

fn source(protocol: &str, model: &str) -> String {
    format!("{protocol}:{model}")
}

impl fmt::Debug for ProviderContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a model thought is nobody else's to read.
        write!(f, "ProviderContent({}, {} parts)", self.source, self.parts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_go_back_to_the_model_that_wrote_them_and_to_no_other() {
        let content = ProviderContent::new("a", "m", vec![json!({"thinking": "hm"})]).unwrap();
        assert_eq!(content.parts_for("a", "m"), Some([json!({"thinking": "hm"})].as_slice()));
        assert_eq!((content.parts_for("b", "m"), content.parts_for("a", "n")), (None, None));
        assert_eq!(ProviderContent::new("a", "m", Vec::new()), None);
    }

    #[test]
    fn parts_are_kept_with_a_run_that_waits_and_shown_to_nobody() {
        let content = ProviderContent::new("a", "m", vec![json!({"thinking": "hm"})]).unwrap();
        let kept = serde_json::to_value(&content).unwrap();
        assert_eq!(serde_json::from_value::<ProviderContent>(kept).unwrap(), content);
        assert!(!format!("{content:?}").contains("hm"));
    }
}
