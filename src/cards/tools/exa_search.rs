//! Exa Search: searches the web by meaning with Exa.

use super::search::{Search, set_only};
use crate::cards::kit::web::Request;
use crate::cards::kit::{Card, Category, Choice, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "exaSearch",
    label: "Exa Search",
    version: 1.1,
    category: Category::Tools,
    description: "Searches the web by meaning with Exa.",
    base_classes: &["ExaSearch", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::credential(&["exaSearchApi"]),
        Input::lines("description", "Tool Description").or(DESCRIPTION),
        Input::whole("numResults", "Number of Results", 1.0, 100.0).additional(),
        Input::choice("type", "Search Type", KINDS).additional(),
        Input::switch("useAutoprompt", "Use Auto Prompt").additional(),
        Input::choice("category", "Category", CATEGORIES).additional(),
        Input::text("includeDomains", "Include Domains").additional().help("Separated by commas."),
        Input::text("excludeDomains", "Exclude Domains").additional().help("Separated by commas."),
        Input::text("startCrawlDate", "Start Crawl Date").additional(),
        Input::text("endCrawlDate", "End Crawl Date").additional(),
        Input::text("startPublishedDate", "Start Published Date").additional(),
        Input::text("endPublishedDate", "End Published Date").additional(),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| {
        let (key, settings) = (inputs.secret("exaSearchApiKey")?, settings(inputs)?);
        let ask = move |question: &str| request(&key, &settings, question);
        Ok(vec![Arc::new(Search::new("exa-search", &inputs.text("description")?, ask, read))])
    }),
};

const ADDRESS: &str = "https://api.exa.ai/search";
const DESCRIPTION: &str = "Searches the web by meaning and returns what the best pages say. Give it what you look for in a \
                           sentence.";
const KINDS: &[Choice] =
    &[Choice::of("keyword", "Keyword"), Choice::of("neural", "Neural"), Choice::of("auto", "Auto")];
const CATEGORIES: &[Choice] = &[
    Choice::of("company", "Company"),
    Choice::of("research paper", "Research Paper"),
    Choice::of("news", "News"),
    Choice::of("github", "GitHub"),
    Choice::of("tweet", "Tweet"),
    Choice::of("movie", "Movie"),
    Choice::of("song", "Song"),
    Choice::of("pdf", "PDF"),
    Choice::of("personal site", "Personal Site"),
    Choice::of("linkedin profile", "LinkedIn Profile"),
    Choice::of("financial report", "Financial Report"),
];

/// What the owner set, under the names of the service.
fn settings(inputs: &Inputs<'_>) -> Result<Map<String, Value>> {
    let text = |name: &str| json!(inputs.maybe_text(name));
    Ok(set_only([
        ("numResults", json!(inputs.whole("numResults")?)),
        ("type", text("type")),
        ("useAutoprompt", if inputs.switch("useAutoprompt") { json!(true) } else { Value::Null }),
        ("category", text("category")),
        ("includeDomains", json!(inputs.comma_list("includeDomains"))),
        ("excludeDomains", json!(inputs.comma_list("excludeDomains"))),
        ("startCrawlDate", text("startCrawlDate")),
        ("endCrawlDate", text("endCrawlDate")),
        ("startPublishedDate", text("startPublishedDate")),
        ("endPublishedDate", text("endPublishedDate")),
    ]))
}

fn request(key: &str, settings: &Map<String, Value>, question: &str) -> Request {
    let mut body = settings.clone();
    body.insert("query".to_owned(), question.into());
    body.insert("contents".to_owned(), json!({"text": true}));
    Request::post(ADDRESS, &Value::Object(body)).header("x-api-key", key)
}

fn read(answer: &Value) -> String {
    let found = &answer["results"];
    found.as_array().filter(|results| !results.is_empty()).map_or_else(String::new, |_| found.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_settings_are_sent_with_the_question_and_results_read() {
        let request = request("secret", &set_only([("type", json!("auto"))]), "tea");
        let (method, url, headers, body) = request.parts();
        let sent = r#"{"type":"auto","query":"tea","contents":{"text":true}}"#;
        assert_eq!((method, url, body), ("POST", ADDRESS, Some(sent)));
        assert!(headers.contains(&("x-api-key".into(), "secret".into())));
        assert_eq!(read(&json!({"results": [{"text": "t"}]})), r#"[{"text":"t"}]"#);
        assert_eq!((read(&json!({"results": []})), read(&json!({}))), (String::new(), String::new()));
    }
}
