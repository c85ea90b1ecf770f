//! Pages that an answer leans on, as providers that search the web name them beside the protocol.

use crate::llm::Citation;
use serde_json::Value;

const PAGES_MAX: usize = 50;
/// Longest address, title and text that are kept.
const URL_BYTES_MAX: usize = 2_048;
const TITLE_CHARS_MAX: usize = 300;
const TEXT_CHARS_MAX: usize = 4_000;

/// The pages of a chunk: those with what was read of them, else the addresses alone. What is neither is left out:
/// another server may mean something else by the same word.
pub(super) fn citations(results: Option<&Value>, citations: Option<&Value>) -> Vec<Citation> {
    let list = |value: Option<&Value>| -> Vec<Citation> {
        value.and_then(Value::as_array).into_iter().flatten().take(PAGES_MAX).filter_map(citation).collect()
    };
    let found = list(results);
    if found.is_empty() { list(citations) } else { found }
}

/// A page by its address, title and what was read of it.
pub(super) fn citation(entry: &Value) -> Option<Citation> {
    let url = entry.as_str().or_else(|| entry["url"].as_str())?;
    let is_page = (url.starts_with("https://") || url.starts_with("http://")) && url.len() <= URL_BYTES_MAX;
    let text =
        |name: &str, most: usize| entry[name].as_str().unwrap_or_default().chars().take(most).collect();
    is_page.then(|| Citation {
        url: url.to_owned(),
        title: text("title", TITLE_CHARS_MAX),
        text: text("snippet", TEXT_CHARS_MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pages_are_read_in_either_form() {
        let urls = json!(["https://a.example/x", "javascript:alert(1)", 7]);
        let results = json!([{"title": "B", "url": "https://b.example", "snippet": "b", "date": null}, {"title": "no url"}]);
        let names = |found: Vec<Citation>| found.into_iter().map(|page| page.url).collect::<Vec<_>>();
        assert_eq!(names(citations(None, Some(&urls))), ["https://a.example/x"]);
        assert_eq!(names(citations(Some(&results), Some(&urls))), ["https://b.example"]);
        assert_eq!(names(citations(Some(&json!([])), Some(&json!({"a": 1})))), [""; 0]);
        assert_eq!(citations(Some(&results), None)[0].text, "b");
    }
}
