//! BraveSearch API Document Loader: what a search with Brave finds, a document for each page.

use super::{QUERY, document, search_loader};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::tools::search::brave_search::request;
use serde_json::Value;

pub(crate) const CARD: Card = Card {
    name: "braveSearchApiLoader",
    label: "BraveSearch API Document Loader",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "The pages that a search with Brave finds, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["braveSearchApi"]), QUERY, SPLITTER, METADATA, OMIT],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let key = inputs.secret("braveApiKey")?;
        search_loader(inputs, request(&key, &inputs.text(QUERY.name)?), read)
    }),
};

fn read(answer: &Value) -> Vec<Document> {
    let results = answer["web"]["results"].as_array().into_iter().flatten();
    let page = |result: &Value| {
        let said = result["description"].as_str().unwrap_or_default();
        document(said, &[("title", &result["title"]), ("link", &result["url"])])
    };
    results.filter_map(page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_page_with_a_description_is_a_document() {
        let answer = json!({"web": {"results": [
            {"title": "T", "url": "https://t.test", "description": " d ", "age": "1"}, {"title": "silent"},
        ]}});
        let found = read(&answer);
        assert_eq!((found.len(), found[0].page_content.as_str()), (1, "d"));
        assert_eq!(Value::Object(found[0].metadata.clone()), json!({"title": "T", "link": "https://t.test"}));
        assert!(read(&json!({"type": "search"})).is_empty());
    }
}
