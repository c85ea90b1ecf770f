//! WolframAlpha: computes and looks up facts.

use super::{one_argument, text_argument};
use crate::kit::web::request::WebRequest;
use crate::kit::{CallError, Card, Category, Factory, Input, Risk, RunContext, Tool};
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "wolframAlpha",
    label: "WolframAlpha",
    version: 1.0,
    category: Category::Tools,
    description: "Computes and looks up facts with WolframAlpha.",
    base_classes: &["WolframAlpha", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["wolframAlphaAppId"])],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        Ok(vec![Arc::new(WolframAlpha { app: inputs.secret("wolframAlphaAppId")? })])
    }),
};

const ADDRESS: &str = "https://www.wolframalpha.com/api/v1/llm-api";

struct WolframAlpha {
    app: String,
}

impl Tool for WolframAlpha {
    fn spec(&self) -> ToolSpec {
        let description = "Computes, and knows facts of mathematics, science, units, dates and places. Ask it short \
                           questions in English.";
        one_argument("wolfram_alpha", description, "input", "The question.")
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        request(&self.app, text_argument(arguments, "input")?).fetch_text(turn, ResponseLimits::default())
    }
}

fn request(app: &str, question: &str) -> WebRequest {
    WebRequest::get(ADDRESS).query([("appid", app), ("input", question)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_sent_with_the_app() {
        assert_eq!(request("id", "2+2").parts().1, format!("{ADDRESS}?appid=id&input=2%2B2"));
    }
}
