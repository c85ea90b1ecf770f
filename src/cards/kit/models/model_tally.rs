//! What the model calls of one step came to, each counted once.

use super::model::{Model, citation_documents};
use super::token_sink::TokenSink;
use crate::cards::kit::capabilities::host::Host;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{Document, Usage};
use crate::llm::{ChatRequest, Completion};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The sum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelTally {
    /// `None` while no provider reported any.
    usage: Option<Usage>,
    /// The reasoning of all calls.
    thinking: String,
    /// Pages that the replies lean on.
    pub citations: Vec<Document>,
}

impl ModelTally {
    /// Asks a model, and adds what the call came to.
    ///
    /// # Errors
    /// As [`Model::ask`].
    pub fn ask(
        &mut self,
        model: &Model,
        request: &ChatRequest,
        host: &dyn Host,
        sink: &mut dyn TokenSink,
    ) -> Result<Completion> {
        let completion = model.ask(request, host, sink)?;
        if let Some(used) = &completion.usage {
            self.usage.get_or_insert_default().add(used);
        }
        if !completion.thinking.is_empty() {
            if !self.thinking.is_empty() {
                self.thinking.push_str("\n\n");
            }
            self.thinking.push_str(&completion.thinking);
        }
        self.citations.extend(citation_documents(&completion.citations));
        Ok(completion)
    }

    /// Writes it into what a step made, under the names by which clients know it.
    pub fn describe(&self, output: &mut Map<String, Value>) {
        if let Some(usage) = &self.usage {
            output.insert(USAGE.to_owned(), usage_metadata(usage));
        }
        if !self.thinking.is_empty() {
            output.insert(REASONING.to_owned(), json!({"thinking": self.thinking}));
        }
    }
}

const USAGE: &str = "usageMetadata";
const REASONING: &str = "reasonContent";

fn usage_metadata(usage: &Usage) -> Value {
    let mut metadata = json!({
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total(),
    });
    if usage.cached_tokens > 0 {
        metadata["input_token_details"] = json!({"cache_read": usage.cached_tokens});
    }
    if usage.reasoning_tokens > 0 {
        metadata["output_token_details"] = json!({"reasoning": usage.reasoning_tokens});
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::kit::NullSink;
    use crate::cards::kit::capabilities::test_host::TestHost;
    use crate::cards::kit::models::test_model::{TestModel, reply};

    fn asked(replies: Vec<Completion>) -> Map<String, Value> {
        let (host, model) = (TestHost::default(), TestModel::new(replies.clone()));
        let mut tally = ModelTally::default();
        for _ in replies {
            tally.ask(&model.model, &ChatRequest::default(), &host, &mut NullSink).unwrap();
        }
        let mut output = Map::new();
        tally.describe(&mut output);
        output
    }

    #[test]
    fn each_call_is_counted_once() {
        let used = |input_tokens, output_tokens, cached_tokens| Completion {
            usage: Some(Usage { input_tokens, output_tokens, cached_tokens, reasoning_tokens: 0 }),
            ..reply("x")
        };
        let output = asked(vec![used(10, 2, 4), used(20, 3, 0)]);
        let expected = json!({"usageMetadata": {
            "input_tokens": 30, "output_tokens": 5, "total_tokens": 35, "input_token_details": {"cache_read": 4},
        }});
        assert_eq!(Value::Object(output), expected);
    }

    #[test]
    fn the_reasoning_of_all_calls_is_kept() {
        let thought = |thinking: &str| Completion { thinking: thinking.to_owned(), ..reply("x") };
        let output = asked(vec![thought("one"), reply("x"), thought("two")]);
        assert_eq!(output["reasonContent"], json!({"thinking": "one\n\ntwo"}));
    }

    #[test]
    fn a_model_that_reports_nothing_leaves_nothing() {
        assert!(asked(vec![reply("x")]).is_empty());
    }
}
