//! SearXNG: searches the web with a SearXNG of your own.

use super::{SearchTool, results};
use crate::domain::error::Result;
use crate::domain::workspace::tool::model_name;
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk};
use crate::limits::OUTGOING_BODY_MAX_BYTES;
use crate::net::ResponseLimits;
use crate::tools::requests::pairs;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const CARD: Card = Card {
    name: "searXNG",
    label: "SearXNG",
    version: 3.0,
    category: Category::Tools,
    description: "Searches the web with a SearXNG of your own.",
    base_classes: &["SearXNG", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::address("apiBase", "Base URL")
            .or("http://localhost:8080")
            .help("An address of this machine or its network must be named in SERVICE_HTTP_ALLOW."),
        Input::text("toolName", "Tool Name").or("searxng-search"),
        Input::lines("toolDescription", "Tool Description").or(DESCRIPTION),
        Input::headers("headers", "Headers").additional(),
        Input::choice("format", "Format", FORMATS).or("json").additional(),
        Input::text("categories", "Categories").additional().help("Separated by commas."),
        Input::text("engines", "Engines").additional().help("Separated by commas."),
        Input::text("language", "Language").additional(),
        Input::whole("pageno", "Page Number", 1.0, 1_000.0).additional(),
        Input::text("time_range", "Time Range").additional().help("day, month or year."),
        Input::whole("safesearch", "Safe Search", 0.0, 2.0).additional(),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let base = inputs.address("apiBase").ok_or_else(|| inputs.input_error("apiBase", "fill this in"))?;
        let (fields, headers) = (fields(inputs)?, pairs(inputs, "headers")?);
        let ask = move |question: &str| request(&base, &headers, &fields, question);
        let name = model_name(&inputs.text("toolName")?);
        let search = SearchTool::new(&name, &inputs.text("toolDescription")?, ask, read);
        Ok(vec![Arc::new(search.within(LIMITS))])
    }),
};

const DESCRIPTION: &str =
    "Searches the web. Use it for facts and events you do not know. Give it search words.";
const FORMATS: &[Choice] = &[Choice::new("json", "JSON"), Choice::new("html", "HTML")];
/// A service of one's own answers soon or not at all.
const LIMITS: ResponseLimits = ResponseLimits {
    first_byte: Duration::from_secs(5),
    stall: Duration::from_secs(5),
    body_bytes: OUTGOING_BODY_MAX_BYTES,
};
const RESULTS_MAX: usize = 10;

/// What the owner set, as fields of the form.
fn fields(inputs: &Inputs<'_>) -> Result<Vec<(&'static str, String)>> {
    let number = |name: &str| inputs.whole(name).map(|number| number.map(|number| number.to_string()));
    let all = [
        ("categories", inputs.optional_text("categories")),
        ("engines", inputs.optional_text("engines")),
        ("language", inputs.optional_text("language")),
        ("pageno", number("pageno")?),
        ("time_range", inputs.optional_text("time_range")),
        ("safesearch", number("safesearch")?),
    ];
    Ok(all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

fn request(
    base: &str,
    headers: &[(String, String)],
    fields: &[(&str, String)],
    question: &str,
) -> WebRequest {
    // Pages for people say the same and more, so results are read as JSON whatever the format was set to.
    let fixed = [("q", question), ("format", "json")];
    let fields = fields.iter().map(|(name, value)| (*name, value.as_str()));
    let request = WebRequest::new("POST", format!("{base}/search")).form(fixed.into_iter().chain(fields));
    headers.iter().fold(request, |request, (name, value)| request.header(name, value))
}

fn read(answer: &Value) -> String {
    let list: Vec<Value> =
        answer["results"].as_array().into_iter().flatten().take(RESULTS_MAX).cloned().collect();
    results(&Value::Array(list), "url", "content")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_question_is_sent_as_a_form_and_ten_results_read() {
        let request = request("http://s", &[("x-a".into(), "b".into())], &[("language", "en".into())], "a b");
        let (method, url, headers, body) = request.parts();
        assert_eq!((method, url, body), ("POST", "http://s/search", Some("q=a+b&format=json&language=en")));
        assert!(headers.contains(&("x-a".into(), "b".into())));
        let list = vec![json!({"title": "T", "url": "u", "content": "c"}); 12];
        let read: Vec<Value> = serde_json::from_str(&read(&json!({"results": list}))).unwrap();
        assert_eq!((read.len(), &read[0]), (10, &json!({"title": "T", "link": "u", "snippet": "c"})));
    }
}
