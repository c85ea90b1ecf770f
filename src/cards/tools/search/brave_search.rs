//! BraveSearch API: searches the web with Brave.

use super::{SearchTool, results};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "braveSearchAPI",
    label: "BraveSearch API",
    version: 1.0,
    category: Category::Tools,
    description: "Searches the web with Brave.",
    base_classes: &["BraveSearchAPI", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["braveSearchApi"])],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let key = inputs.secret("braveApiKey")?;
        let ask = move |question: &str| request(&key, question);
        Ok(vec![Arc::new(SearchTool::new("brave-search", DESCRIPTION, ask, read))])
    }),
};

const ADDRESS: &str = "https://api.search.brave.com/res/v1/web/search";
const DESCRIPTION: &str =
    "Searches the web. Use it for facts and events you do not know. Give it search words.";

/// The search for a question.
pub(crate) fn request(key: &str, question: &str) -> WebRequest {
    let request = WebRequest::get(ADDRESS).query([("q", question)]);
    request.header("accept", "application/json").header("x-subscription-token", key)
}

fn read(answer: &Value) -> String {
    results(&answer["web"]["results"], "url", "description")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_key_goes_in_a_header_and_the_question_in_the_query() {
        let request = request("secret", "tea & cake");
        let (method, url, headers, body) = request.parts();
        assert_eq!((method, url, body), ("GET", &*format!("{ADDRESS}?q=tea+%26+cake"), None));
        assert!(headers.contains(&("x-subscription-token".into(), "secret".into())));
    }

    #[test]
    fn results_are_title_link_and_snippet() {
        let answer =
            json!({"web": {"results": [{"title": "T", "url": "u", "description": "d", "age": "1"}]}});
        assert_eq!(read(&answer), r#"[{"title":"T","link":"u","snippet":"d"}]"#);
        assert_eq!(read(&json!({"query": {}})), "");
    }
}
