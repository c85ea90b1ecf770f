//! What the model calls of one step came to, each counted once.

use super::model::{Model, citation_documents};
use super::token_sink::TokenSink;
use crate::domain::error::Result;
use crate::domain::predictions::model_prices::UsageCost;
use crate::domain::predictions::prediction::{Document, Usage};
use crate::kit::capabilities::files::KeptFile;
use crate::kit::capabilities::host::Host;
use crate::llm::{ChatRequest, Completion};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The sum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelTally {
    /// `None` while no provider reported any.
    usage: Option<Usage>,
    /// What the calls cost whose models have a price.
    #[serde(default)]
    cost: UsageCost,
    /// The tokens of these calls. A sum that leaves calls out is no cost.
    #[serde(default)]
    priced_tokens: u64,
    /// The reasoning of all calls.
    thinking: String,
    /// How long the models thought, in seconds.
    #[serde(default)]
    thinking_seconds: u64,
    /// What the provider said of the newest reply.
    #[serde(default)]
    metadata: Map<String, Value>,
    /// Tokens of the calls that asked for tools.
    #[serde(default)]
    tool_call_tokens: u64,
    /// Files that the provider's tools made, as they are kept.
    #[serde(default)]
    pub files: Vec<KeptFile>,
    /// Pages that the replies lean on.
    pub citations: Vec<Document>,
}

impl ModelTally {
    /// Asks a model, and adds what the call came to.
    ///
    /// # Errors
    /// As [`Model::ask`].
    pub(crate) fn ask(
        &mut self,
        model: &Model,
        request: &ChatRequest,
        host: &dyn Host,
        sink: &mut dyn TokenSink,
    ) -> Result<Completion> {
        let completion = model.ask(request, host, sink)?;
        self.add(&completion, model.name(), host);
        Ok(completion)
    }

    /// Adds what a call came to. `model` is what its card calls the model, where it has a name.
    pub(in crate::kit) fn add(&mut self, completion: &Completion, model: Option<&str>, host: &dyn Host) {
        if let Some(used) = &completion.usage {
            self.usage.get_or_insert_default().add(used);
            let reported = completion.metadata.get("model_name").and_then(Value::as_str);
            if let Some(price) = host.prices().find([model, reported]) {
                self.cost.add(&price.cost(used));
                self.priced_tokens += used.total();
            }
        }
        if !completion.thinking.is_empty() {
            if !self.thinking.is_empty() {
                self.thinking.push_str("\n\n");
            }
            self.thinking.push_str(&completion.thinking);
        }
        self.thinking_seconds += completion.thinking_seconds.unwrap_or(0);
        if !completion.metadata.is_empty() {
            self.metadata.clone_from(&completion.metadata);
        }
        self.citations.extend(citation_documents(&completion.citations));
    }

    /// Counts a call that asked for tools once more, by itself.
    pub(crate) fn add_tool_call(&mut self, reply: &Completion) {
        self.tool_call_tokens += reply.usage.as_ref().map_or(0, Usage::total);
    }

    /// Writes it into what a step made, under the names by which clients know it.
    pub(crate) fn describe(&self, output: &mut Map<String, Value>) {
        if let Some(usage) = &self.usage {
            let mut metadata = usage_metadata(usage);
            if self.priced_tokens > 0 && self.priced_tokens == usage.total() {
                for (name, cost) in self.cost.named() {
                    metadata[name] = cost.into();
                }
            }
            if self.tool_call_tokens > 0 {
                metadata["tool_call_tokens"] = self.tool_call_tokens.into();
            }
            output.insert(USAGE.to_owned(), metadata);
        }
        if !self.metadata.is_empty() {
            output.insert("responseMetadata".to_owned(), self.metadata.clone().into());
        }
        if !self.thinking.is_empty() {
            let mut reasoning = json!({"thinking": self.thinking});
            if self.thinking_seconds > 0 {
                reasoning["thinkingDuration"] = self.thinking_seconds.into();
            }
            output.insert(REASONING.to_owned(), reasoning);
        }
        let (pictures, others): (Vec<&KeptFile>, Vec<&KeptFile>) =
            self.files.iter().partition(|file| file.is_picture());
        let mut put = |name: &str, files: Vec<Value>| {
            if !files.is_empty() {
                output.insert(name.to_owned(), files.into());
            }
        };
        put(ARTIFACTS, pictures.into_iter().map(picture).collect());
        put(FILE_ANNOTATIONS, others.into_iter().map(annotation).collect());
    }
}

/// Where a step lists the pictures that it made.
pub(crate) const ARTIFACTS: &str = "artifacts";
/// Where it lists other files.
pub(crate) const FILE_ANNOTATIONS: &str = "fileAnnotations";
const USAGE: &str = "usageMetadata";
const REASONING: &str = "reasonContent";

/// A picture as clients show it.
pub fn picture(file: &KeptFile) -> Value {
    json!({"type": file.mime.rsplit('/').next().unwrap_or_default(), "data": file.link})
}

/// A file as clients offer it.
fn annotation(file: &KeptFile) -> Value {
    json!({"filePath": file.link, "fileName": file.name})
}

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
    use crate::kit::NullSink;
    use crate::kit::capabilities::test_host::TestHost;
    use crate::kit::models::test_model::{TestModel, reply};

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
    fn calls_of_models_with_a_price_tell_their_cost_and_others_none() {
        let host = TestHost::with_prices(r#"{"one": {"input": 2, "output": 8}}"#);
        let said = |model: &str| Completion {
            usage: Some(Usage { input_tokens: 1_000, output_tokens: 100, ..Usage::default() }),
            metadata: Map::from_iter([("model_name".to_owned(), model.into())]),
            ..reply("x")
        };
        let cost = |models: &[&str]| {
            let model = TestModel::new(models.iter().map(|name| said(name)).collect());
            let mut tally = ModelTally::default();
            for _ in models {
                tally.ask(&model.model, &ChatRequest::default(), &host, &mut NullSink).unwrap();
            }
            let mut output = Map::new();
            tally.describe(&mut output);
            output["usageMetadata"].clone()
        };
        let twice = cost(&["one", "one"]);
        let told = ["input_cost", "output_cost", "total_cost", "base_input_cost", "base_output_cost"]
            .map(|name| twice[name].as_f64().unwrap());
        assert_eq!(told, [0.004, 0.0016, 0.0056, 0.000_002, 0.000_008]);
        assert_eq!(cost(&["one", "other"])["total_cost"], Value::Null, "a part of the cost is none");
    }

    #[test]
    fn the_reasoning_of_all_calls_is_kept() {
        let thought = |thinking: &str| Completion { thinking: thinking.to_owned(), ..reply("x") };
        let output = asked(vec![thought("one"), reply("x"), thought("two")]);
        assert_eq!(output["reasonContent"], json!({"thinking": "one\n\ntwo"}));
    }

    #[test]
    fn what_the_provider_says_of_its_newest_reply_is_shown_with_how_long_it_thought() {
        let said = |model: &str, seconds| Completion {
            metadata: Map::from_iter([("model_name".to_owned(), model.into())]),
            thinking: "Hm".to_owned(),
            thinking_seconds: seconds,
            ..reply("x")
        };
        let output = asked(vec![said("one", Some(2)), said("two", None), said("two", Some(3))]);
        assert_eq!(output["responseMetadata"], json!({"model_name": "two"}));
        assert_eq!(output["reasonContent"]["thinkingDuration"], 5);
    }

    #[test]
    fn pictures_are_artifacts_and_other_files_annotations() {
        let file = |name: &str, mime: &str| KeptFile {
            name: name.to_owned(),
            mime: mime.to_owned(),
            link: format!("/{name}"),
            file_name: String::new(),
        };
        let tally = ModelTally {
            files: vec![file("a.png", "image/png"), file("b.csv", "text/csv")],
            ..ModelTally::default()
        };
        let mut output = Map::new();
        tally.describe(&mut output);
        let expected = json!({
            "artifacts": [{"type": "png", "data": "/a.png"}],
            "fileAnnotations": [{"filePath": "/b.csv", "fileName": "b.csv"}],
        });
        assert_eq!(Value::Object(output), expected);
    }

    #[test]
    fn a_model_that_reports_nothing_leaves_nothing() {
        assert!(asked(vec![reply("x")]).is_empty());
    }
}
