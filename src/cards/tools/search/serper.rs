//! Serper: searches with Google through Serper.

use super::{SearchTool, first_text};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "serper",
    label: "Serper",
    version: 1.0,
    category: Category::Tools,
    description: "Searches with Google through Serper.",
    base_classes: &["Serper", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["serperApi"])],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let key = inputs.secret("serperApiKey")?;
        let ask = move |question: &str| request(&key, question);
        Ok(vec![Arc::new(SearchTool::new("serper-search", DESCRIPTION, ask, read))])
    }),
};

const ADDRESS: &str = "https://google.serper.dev/search";
const DESCRIPTION: &str =
    "Searches the web and returns the best short answer. Use it for facts and current events.";

fn request(key: &str, question: &str) -> WebRequest {
    WebRequest::post(ADDRESS, &json!({"q": question})).header("x-api-key", key)
}

fn read(answer: &Value) -> String {
    let places = [
        "/answerBox/answer",
        "/answerBox/snippet",
        "/answerBox/snippetHighlighted/0",
        "/knowledgeGraph/description",
        "/organic/0/snippet",
    ];
    first_text(answer, &places).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_question_is_posted_and_the_best_answer_read() {
        let request = request("secret", "tea");
        let (method, url, headers, body) = request.parts();
        assert_eq!((method, url, body), ("POST", ADDRESS, Some(r#"{"q":"tea"}"#)));
        assert!(headers.contains(&("x-api-key".into(), "secret".into())));
        let organic = json!({"organic": [{"snippet": "s"}]});
        assert_eq!(read(&organic), "s");
        let answer = json!({"answerBox": {"answer": "42"}, "organic": organic["organic"]});
        assert_eq!((read(&answer), read(&json!({}))), ("42".into(), String::new()));
    }
}
