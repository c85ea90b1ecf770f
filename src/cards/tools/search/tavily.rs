//! Tavily API: searches the web with Tavily, made for models.

use super::{SearchTool, set_only};
use crate::domain::error::Result;
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "tavilyAPI",
    label: "Tavily API",
    version: 1.2,
    category: Category::Tools,
    description: "Searches the web with Tavily, made for models.",
    base_classes: &["TavilyAPI", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["tavilyApi"]),
        Input::choice("topic", "Topic", TOPICS).or("general").additional(),
        Input::choice("searchDepth", "Search Depth", DEPTHS).or("basic").additional(),
        Input::whole("chunksPerSource", "Chunks Per Source", 1.0, 3.0)
            .or("3")
            .additional()
            .help("With advanced depth."),
        Input::whole("maxResults", "Max Results", 1.0, 20.0).or("5").additional(),
        Input::choice("timeRange", "Time Range", RANGES).additional(),
        Input::whole("days", "Days", 1.0, 3_650.0).or("7").additional().help("With the topic News."),
        Input::switch("includeAnswer", "Include Answer").or("false").additional(),
        Input::switch("includeRawContent", "Include Raw Content").or("false").additional(),
        Input::switch("includeImages", "Include Images").or("false").additional(),
        Input::switch("includeImageDescriptions", "Include Image Descriptions").or("false").additional(),
        Input::text("includeDomains", "Include Domains").additional().help("Separated by commas."),
        Input::text("excludeDomains", "Exclude Domains").additional().help("Separated by commas."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let (key, settings) = (inputs.secret("tavilyApiKey")?, settings(inputs)?);
        let ask = move |question: &str| request(&key, &settings, question);
        Ok(vec![Arc::new(SearchTool::new("tavily-search", DESCRIPTION, ask, read))])
    }),
};

const ADDRESS: &str = "https://api.tavily.com/search";
const DESCRIPTION: &str =
    "Searches the web and returns what the best pages say. Use it for facts and current events.";
const TOPICS: &[Choice] = &[Choice::new("general", "General"), Choice::new("news", "News")];
const DEPTHS: &[Choice] = &[Choice::new("basic", "Basic"), Choice::new("advanced", "Advanced")];
const RANGES: &[Choice] = &[
    Choice::new("day", "Day"),
    Choice::new("week", "Week"),
    Choice::new("month", "Month"),
    Choice::new("year", "Year"),
];

/// What the owner set, under the names of the service.
fn settings(inputs: &Inputs<'_>) -> Result<Map<String, Value>> {
    let is = |name: &str, wanted: &str| inputs.optional_text(name).as_deref() == Some(wanted);
    let mut settings = set_only([
        ("topic", json!(inputs.optional_text("topic"))),
        ("search_depth", json!(inputs.optional_text("searchDepth"))),
        ("max_results", json!(inputs.whole("maxResults")?)),
        ("time_range", json!(inputs.optional_text("timeRange"))),
        ("include_answer", json!(inputs.switch("includeAnswer"))),
        ("include_raw_content", json!(inputs.switch("includeRawContent"))),
        ("include_images", json!(inputs.switch("includeImages"))),
        ("include_image_descriptions", json!(inputs.switch("includeImageDescriptions"))),
        ("include_domains", json!(inputs.comma_list("includeDomains"))),
        ("exclude_domains", json!(inputs.comma_list("excludeDomains"))),
    ]);
    // The service takes these with the one setting they belong to.
    if is("searchDepth", "advanced") {
        settings.extend(set_only([("chunks_per_source", json!(inputs.whole("chunksPerSource")?))]));
    }
    if is("topic", "news") {
        settings.extend(set_only([("days", json!(inputs.whole("days")?))]));
    }
    Ok(settings)
}

fn request(key: &str, settings: &Map<String, Value>, question: &str) -> WebRequest {
    let mut body = settings.clone();
    body.insert("query".to_owned(), question.into());
    WebRequest::post(ADDRESS, &Value::Object(body)).header("authorization", &format!("Bearer {key}"))
}

/// The results; with an answer or images beside them, all of it.
fn read(answer: &Value) -> String {
    let kept = ["answer", "images", "results"].map(|name| (name, answer[name].clone()));
    let kept = set_only(kept);
    match kept.get("results") {
        _ if kept.is_empty() => String::new(),
        Some(results) if kept.len() == 1 => results.to_string(),
        _ => Value::Object(kept).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_settings_are_sent_with_the_question_and_results_read() {
        let request = request("secret", &set_only([("topic", json!("news")), ("x", json!(""))]), "tea");
        let (method, url, headers, body) = request.parts();
        assert_eq!((method, url, body), ("POST", ADDRESS, Some(r#"{"topic":"news","query":"tea"}"#)));
        assert!(headers.contains(&("authorization".into(), "Bearer secret".into())));
        let results = json!([{"title": "T", "url": "u", "content": "c"}]);
        assert_eq!(read(&json!({"query": "tea", "results": results, "images": []})), results.to_string());
        let both = json!({"answer": "42", "results": results});
        assert_eq!((read(&both), read(&json!({"results": []}))), (both.to_string(), String::new()));
    }
}
