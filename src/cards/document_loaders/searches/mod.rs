//! What search services find, as documents: over the same services as the tools of these names.

pub(crate) mod brave_search_api_loader;
pub(crate) mod search_api_loader;
pub(crate) mod serp_api_loader;

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::loader;
use crate::kit::web::request::WebRequest;
use crate::kit::{Host, Input, Inputs, Loader};
use crate::net::ResponseLimits;
use serde_json::{Map, Value};
use std::sync::Arc;

const QUERY: Input = Input::lines("query", "Query");

/// The loader of what a search finds. `read` makes documents of its answer.
fn search_loader(
    inputs: &Inputs<'_>,
    request: WebRequest,
    read: fn(&Value) -> Vec<Document>,
) -> Result<Arc<dyn Loader>> {
    let label = inputs.label.to_owned();
    loader(inputs, move |host: &dyn Host| {
        let answer = request.clone().fetch_json(host, ResponseLimits::default());
        let answer = answer.map_err(|why| why.at(&label))?;
        Ok(read(&answer))
    })
}

/// A document of what is found; none where it says nothing.
fn document(text: &str, metadata: &[(&str, &Value)]) -> Option<Document> {
    let set = metadata.iter().filter(|(_, value)| !value.is_null());
    let metadata: Map<String, Value> =
        set.map(|(name, value)| ((*name).to_owned(), (*value).clone())).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| Document { page_content: text.to_owned(), metadata })
}

/// The results that SerpApi and SearchApi take from Google: an answer where there is one, what is known about the thing,
/// and the pages found.
fn google_results(answer: &Value, source: &str) -> Vec<Document> {
    let source = Value::from(source);
    let text = |value: &Value, names: &[&str]| {
        let said = names.iter().filter_map(|name| value[name].as_str()).map(str::trim);
        said.filter(|said| !said.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let found = |kind: &str, value: &Value, names: &[&str], link: &Value| {
        let metadata = [
            ("source", &source),
            ("responseType", &Value::from(kind)),
            ("title", &value["title"]),
            ("link", link),
            ("position", &value["position"]),
        ];
        document(&text(value, names), &metadata)
    };
    let answered = &answer["answer_box"];
    let known = &answer["knowledge_graph"];
    let organic = answer["organic_results"].as_array().into_iter().flatten();
    let pages =
        organic.map(|result| found("organic_results", result, &["title", "snippet"], &result["link"]));
    let first = [
        found("answer_box", answered, &["title", "answer", "snippet"], &answered["link"]),
        found("knowledge_graph", known, &["title", "type", "description"], &known["website"]),
    ];
    first.into_iter().chain(pages).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_what_is_known_and_every_page_are_documents() {
        let answer = json!({
            "answer_box": {"answer": "42", "link": "https://a.test"},
            "knowledge_graph": {"title": "Tea", "type": "Drink", "description": "It is hot."},
            "organic_results": [
                {"position": 1, "title": "T", "link": "https://t.test", "snippet": "S"},
                {"position": 2, "link": "https://empty.test"},
            ],
        });
        let found = google_results(&answer, "SerpAPI");
        let texts: Vec<&str> = found.iter().map(|document| document.page_content.as_str()).collect();
        assert_eq!(texts, ["42", "Tea\nDrink\nIt is hot.", "T\nS"]);
        assert_eq!(
            Value::Object(found[2].metadata.clone()),
            json!({"source": "SerpAPI", "responseType": "organic_results", "title": "T", "link": "https://t.test",
                "position": 1})
        );
        assert!(google_results(&json!({"error": "none"}), "SerpAPI").is_empty());
    }
}
