//! Which card stands for a tool of another product, where one does the same; and what others would need.

use super::blueprint::PlacedCard;
use super::models::word;
use serde_json::json;

/// Names of tools in small letters without spaces and signs, and the card of each.
const TOOL_CARDS: &[(&[&str], &str)] = &[
    (&["toolcalculator", "calculatorcomponent", "calculatortool", "calculator", "maths"], "calculator"),
    (&["toolserpapi", "serpapi", "serp", "google", "googlesearch"], "serpAPI"),
    (&["googleserperapi", "googleserperapicore", "serper"], "serper"),
    (&["tavilysearchcomponent", "tavilyaitool", "tavily", "tavilysearch"], "tavilyAPI"),
    (&["toolsearxng", "searxngtool", "searxng"], "searXNG"),
    (&["toolwolframalpha", "wolframalphaapi", "wolframalpha"], "wolframAlpha"),
    (&["googlesearchapi", "googlesearchapicore"], "googleCustomSearch"),
    (&["arxivcomponent", "arxiv"], "arxiv"),
    (&["currentdate", "time", "currenttime"], "currentDateTime"),
    (&["urlcomponent", "url", "webscraper"], "webScraperTool"),
];

const WIKIPEDIA: &[&str] =
    &["toolwikipedia", "wikipediacomponent", "wikipediaapi", "wikipedia", "wikipediasearch"];

/// The tool that does the same, under any name that a product has for it.
pub(super) fn tool(name: &str) -> Option<PlacedCard> {
    let word = word(name);
    if WIKIPEDIA.contains(&word.as_str()) {
        return Some(wikipedia());
    }
    let (_, card) = TOOL_CARDS.iter().find(|(words, _)| words.contains(&word.as_str()))?;
    Some(PlacedCard::new(card))
}

/// Wikipedia has no card of its own: its search is asked as any address is.
fn wikipedia() -> PlacedCard {
    let arguments = json!({
        "q": {"type": "string", "in": "query", "required": true, "description": "What to look for"},
        "limit": {"type": "integer", "in": "query", "description": "How many articles, 1 to 5"},
    });
    PlacedCard::new("requestsGet")
        .with("requestsGetUrl", "https://en.wikipedia.org/w/rest.php/v1/search/page")
        .with("requestsGetName", "wikipedia")
        .with(
            "requestsGetDescription",
            "Searches Wikipedia for people, places, events and other facts. Gives titles and excerpts of articles.",
        )
        .with("requestsGetQueryParamsSchema", arguments.to_string())
}

/// A tool that gets one address, or sends to it.
pub(super) fn request(method: &str, url: &str, name: &str, description: &str) -> Option<PlacedCard> {
    let card = match method {
        "" | "GET" => "requestsGet",
        "POST" => "requestsPost",
        _ => return None,
    };
    let is_fixed = (url.starts_with("https://") || url.starts_with("http://")) && !url.contains(['{', '}']);
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    is_fixed.then(|| {
        PlacedCard::new(card)
            .with(&format!("{card}Url"), url)
            .with_text(&format!("{card}Name"), name.trim_matches('_'))
            .with_text(&format!("{card}Description"), description)
    })
}

/// The tools of an MCP server at an address.
pub(super) fn mcp_server(url: &str) -> Option<PlacedCard> {
    let is_fixed = (url.starts_with("https://") || url.starts_with("http://")) && !url.contains("{{");
    is_fixed.then(|| PlacedCard::new("customMCP").with("mcpServerConfig", json!({"url": url}).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::registry;

    #[test]
    fn every_tool_is_a_card_with_these_inputs() {
        let tools = TOOL_CARDS.iter().map(|(words, _)| tool(words[0]).unwrap());
        let others = [
            tool("toolWikipedia").unwrap(),
            request("GET", "https://a.example", "Get It", "d").unwrap(),
            request("POST", "https://a.example", "Send It", "d").unwrap(),
            mcp_server("https://a.example/mcp").unwrap(),
        ];
        for placed in tools.chain(others) {
            let card = registry::find(placed.name).unwrap_or_else(|| panic!("{}", placed.name));
            for input in placed.inputs.keys() {
                assert!(card.input(input).is_some(), "{} has no {input}", placed.name);
            }
        }
        assert!(tool("toolWorkflow").is_none());
        assert!(request("GET", "https://a.example/{id}", "x", "").is_none());
        assert!(request("DELETE", "https://a.example", "x", "").is_none());
        assert!(mcp_server("={{ $json.url }}").is_none());
    }
}
