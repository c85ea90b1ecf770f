//! SearchApi: searches with Google through SearchApi.

use super::{SearchTool, first_text};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "searchAPI",
    label: "SearchApi",
    version: 1.0,
    category: Category::Tools,
    description: "Searches with Google through SearchApi.",
    base_classes: &["SearchAPI", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["searchApi"])],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let key = inputs.secret("searchApiKey")?;
        let ask = move |question: &str| request(&key, question);
        Ok(vec![Arc::new(SearchTool::new("searchapi-search", DESCRIPTION, ask, read))])
    }),
};

const ADDRESS: &str = "https://www.searchapi.io/api/v1/search";
const DESCRIPTION: &str =
    "Searches the web and returns an answer or what the results say. Use it for facts and current events.";

fn request(key: &str, question: &str) -> WebRequest {
    search(key, [("engine", "google"), ("q", question)])
}

/// The search with these parameters.
pub(crate) fn search<'q>(key: &str, parameters: impl IntoIterator<Item = (&'q str, &'q str)>) -> WebRequest {
    let request = WebRequest::get(ADDRESS).query(parameters);
    request.header("authorization", &format!("Bearer {key}"))
}

fn read(answer: &Value) -> String {
    let snippets = || {
        let organic = answer["organic_results"].as_array().into_iter().flatten();
        organic.filter_map(|result| result["snippet"].as_str()).collect::<Vec<_>>().join("\n")
    };
    first_text(answer, &["/answer_box/answer", "/answer_box/snippet"]).unwrap_or_else(snippets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_goes_before_the_snippets_of_the_results() {
        let request = request("secret", "tea");
        let (_, url, headers, _) = request.parts();
        assert_eq!(url, format!("{ADDRESS}?engine=google&q=tea"));
        assert!(headers.contains(&("authorization".into(), "Bearer secret".into())));
        let list = json!([{"snippet": "a"}, {"title": "none"}, {"snippet": "b"}]);
        assert_eq!(read(&json!({"organic_results": list})), "a\nb");
        assert_eq!(read(&json!({"organic_results": list, "answer_box": {"answer": "42"}})), "42");
    }
}
