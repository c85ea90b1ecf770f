//! Google Custom Search: searches the web, or some sites, with Google.

use super::{SearchTool, results};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "googleCustomSearch",
    label: "Google Custom Search",
    version: 1.0,
    category: Category::Tools,
    description: "Searches the web, or some sites, with Google.",
    base_classes: &["GoogleCustomSearchAPI", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["googleCustomSearchApi"])],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let (key, engine) =
            (inputs.secret("googleCustomSearchApiKey")?, inputs.secret("googleCustomSearchApiId")?);
        let ask = move |question: &str| request(&key, &engine, question);
        Ok(vec![Arc::new(SearchTool::new("google-custom-search", DESCRIPTION, ask, read))])
    }),
};

const ADDRESS: &str = "https://www.googleapis.com/customsearch/v1";
const DESCRIPTION: &str =
    "Searches with Google. Use it for facts and events you do not know. Give it search words.";

fn request(key: &str, engine: &str, question: &str) -> WebRequest {
    WebRequest::get(ADDRESS).query([("key", key), ("cx", engine), ("q", question)])
}

fn read(answer: &Value) -> String {
    results(&answer["items"], "link", "snippet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_engine_and_question_are_sent_and_results_read() {
        assert_eq!(request("k", "e", "a b").parts().1, format!("{ADDRESS}?key=k&cx=e&q=a+b"));
        let answer = json!({"items": [{"title": "T", "link": "l", "snippet": "s", "kind": "x"}]});
        assert_eq!(read(&answer), r#"[{"title":"T","link":"l","snippet":"s"}]"#);
        assert_eq!(read(&json!({})), "");
    }
}
