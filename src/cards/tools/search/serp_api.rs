//! Serp API: searches with Google through SerpApi.

use super::{SearchTool, first_text, results};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "serpAPI",
    label: "Serp API",
    version: 1.0,
    category: Category::Tools,
    description: "Searches with Google through SerpApi.",
    base_classes: &["SerpAPI", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["serpApi"])],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let key = inputs.secret("serpApiKey")?;
        let ask = move |question: &str| request(&key, question);
        Ok(vec![Arc::new(SearchTool::new("serpapi-search", DESCRIPTION, ask, read))])
    }),
};

const ADDRESS: &str = "https://serpapi.com/search";
const DESCRIPTION: &str =
    "Searches the web and returns an answer or a list of results. Use it for facts and current events.";

/// The search for a question.
pub(crate) fn request(key: &str, question: &str) -> WebRequest {
    WebRequest::get(ADDRESS).query([
        ("engine", "google"),
        ("output", "json"),
        ("q", question),
        ("api_key", key),
    ])
}

fn read(answer: &Value) -> String {
    let places = [
        "/answer_box/answer",
        "/answer_box/snippet",
        "/answer_box/snippet_highlighted_words/0",
        "/sports_results/game_spotlight",
        "/knowledge_graph/description",
    ];
    first_text(answer, &places).unwrap_or_else(|| results(&answer["organic_results"], "link", "snippet"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_goes_before_the_list_of_results() {
        assert_eq!(
            request("k", "tea").parts().1,
            format!("{ADDRESS}?engine=google&output=json&q=tea&api_key=k")
        );
        let list = json!([{"title": "T", "link": "l", "snippet": "s", "position": 1}]);
        assert_eq!(read(&json!({"organic_results": list})), r#"[{"title":"T","link":"l","snippet":"s"}]"#);
        assert_eq!(read(&json!({"organic_results": list, "answer_box": {"answer": "42"}})), "42");
        assert_eq!(read(&json!({})), "");
    }
}
