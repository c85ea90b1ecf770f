//! Exa Search: searches the web by meaning with Exa.

use super::{SearchTool, set_only};
use crate::domain::error::Result;
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "exaSearch",
    label: "Exa Search",
    version: 1.1,
    category: Category::Tools,
    description: "Searches the web by meaning with Exa.",
    base_classes: &["ExaSearch", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
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
    make: Factory::Tools(|inputs| {
        let (key, settings) = (inputs.secret("exaSearchApiKey")?, settings(inputs)?);
        let ask = move |question: &str| request(&key, &settings, question);
        Ok(vec![Arc::new(SearchTool::new("exa-search", &inputs.text("description")?, ask, read))])
    }),
};

const ADDRESS: &str = "https://api.exa.ai/search";
const DESCRIPTION: &str = "Searches the web by meaning and returns what the best pages say. Give it what you look for in a \
                           sentence.";
const KINDS: &[Choice] =
    &[Choice::new("keyword", "Keyword"), Choice::new("neural", "Neural"), Choice::new("auto", "Auto")];
const CATEGORIES: &[Choice] = &[
    Choice::new("company", "Company"),
    Choice::new("research paper", "Research Paper"),
    Choice::new("news", "News"),
    Choice::new("github", "GitHub"),
    Choice::new("tweet", "Tweet"),
    Choice::new("movie", "Movie"),
    Choice::new("song", "Song"),
    Choice::new("pdf", "PDF"),
    Choice::new("personal site", "Personal Site"),
    Choice::new("linkedin profile", "LinkedIn Profile"),
    Choice::new("financial report", "Financial Report"),
];

/// What the owner set, under the names of the service.
fn settings(inputs: &Inputs<'_>) -> Result<Map<String, Value>> {
    let text = |name: &str| json!(inputs.optional_text(name));
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

fn request(key: &str, settings: &Map<String, Value>, question: &str) -> WebRequest {
    let mut body = settings.clone();
    body.insert("query".to_owned(), question.into());
    body.insert("contents".to_owned(), json!({"text": true}));
    WebRequest::post(ADDRESS, &Value::Object(body)).header("x-api-key", key)
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
