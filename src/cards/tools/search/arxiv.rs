//! Arxiv: finds papers.

use super::{NOTHING_FOUND, one_argument, text_argument};
use crate::domain::workspace::tool::model_name;
use crate::kit::web::request::WebRequest;
use crate::kit::{CallError, Card, Category, Factory, Input, Risk, RunContext, Tool};
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use regex::Regex;
use serde_json::Value;
use std::sync::{Arc, LazyLock};

pub(crate) const CARD: Card = Card {
    name: "arxiv",
    label: "Arxiv",
    version: 1.0,
    category: Category::Tools,
    description: "Finds papers on arXiv and reads their summaries.",
    base_classes: &["Arxiv", "DynamicStructuredTool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::text("arxivName", "Name").or("arxiv_search").additional(),
        Input::lines("arxivDescription", "Description").or(DESCRIPTION).additional(),
        Input::whole("topKResults", "Top K Results", 1.0, 100.0).or("3").additional(),
        Input::whole("maxQueryLength", "Max Query Length", 1.0, 10_000.0).or("300").additional(),
        Input::whole("docContentCharsMax", "Max Content Length", 0.0, 1_000_000.0).or("10000").additional(),
        Input::switch("loadFullContent", "Load Full Content")
            .or("false")
            .additional()
            .help("This server reads the summaries of papers, whatever this says."),
        Input::switch("continueOnFailure", "Continue On Failure").or("false").additional(),
        Input::switch("legacyBuild", "Legacy Build").or("false").additional(),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let size = |name: &str| {
            inputs.whole(name).map(|number| usize::try_from(number.unwrap_or_default()).unwrap_or(usize::MAX))
        };
        Ok(vec![Arc::new(Arxiv {
            name: model_name(&inputs.text("arxivName")?),
            description: inputs.text("arxivDescription")?,
            results_max: size("topKResults")?,
            query_chars_max: size("maxQueryLength")?,
            output_chars_max: size("docContentCharsMax")?,
        })])
    }),
};

const DESCRIPTION: &str = "Finds scientific papers on arXiv and returns their titles, authors, dates and summaries. Give it \
                           search words, or the ids of papers.";
const ADDRESS: &str = "https://export.arxiv.org/api/query";

struct Arxiv {
    name: String,
    description: String,
    results_max: usize,
    query_chars_max: usize,
    output_chars_max: usize,
}

impl Tool for Arxiv {
    fn spec(&self) -> ToolSpec {
        one_argument(&self.name, &self.description, "query", "Search words, or ids such as 2401.01234.")
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let query: String = text_argument(arguments, "query")?.chars().take(self.query_chars_max).collect();
        let feed = request(&query, self.results_max).fetch_text(turn, ResponseLimits::default())?;
        let papers = papers(&feed);
        if papers.is_empty() {
            return Ok(NOTHING_FOUND.to_owned());
        }
        Ok(papers.join("\n\n").chars().take(self.output_chars_max).collect())
    }
}

fn request(query: &str, results_max: usize) -> WebRequest {
    let most = results_max.to_string();
    let ids: Vec<&str> = query.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    if ids.iter().all(|word| is_id(word)) {
        return WebRequest::get(ADDRESS).query([("id_list", ids.join(",").as_str()), ("max_results", &most)]);
    }
    // Signs of the search language are no words of a question.
    let words = query.replace([':', '-', '"', '(', ')'], " ");
    WebRequest::get(ADDRESS).query([("search_query", words.trim()), ("start", "0"), ("max_results", &most)])
}

fn is_id(word: &str) -> bool {
    static ID: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?$").expect("the pattern is right")
    });
    ID.is_match(word)
}

/// Each paper of a feed as text.
fn papers(feed: &str) -> Vec<String> {
    feed.split("<entry>")
        .skip(1)
        .map(|entry| {
            let entry = entry.split("</entry>").next().unwrap_or_default();
            let one = |tag: &str| all(entry, tag).next().unwrap_or_default();
            let authors: Vec<String> = all(entry, "name").collect();
            format!(
                "Title: {}\nAuthors: {}\nPublished: {}\nLink: {}\nSummary: {}",
                one("title"),
                authors.join(", "),
                one("published").chars().take(10).collect::<String>(),
                one("id"),
                one("summary"),
            )
        })
        .collect()
}

/// The texts of all tags of this name, on one line each.
fn all<'e>(entry: &'e str, tag: &str) -> impl Iterator<Item = String> + use<'e> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut rest = entry;
    std::iter::from_fn(move || {
        let (text, after) = rest.split_once(&open)?.1.split_once(&close)?;
        rest = after;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let marks =
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")];
        Some(marks.into_iter().fold(text, |text, (mark, sign)| text.replace(mark, sign)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_searched_and_ids_are_looked_up() {
        let url = |query: &str| request(query, 3).parts().1.to_owned();
        assert_eq!(url("deep: nets"), format!("{ADDRESS}?search_query=deep++nets&start=0&max_results=3"));
        assert_eq!(
            url("2401.01234v2, math.GT/0309136"),
            format!("{ADDRESS}?id_list=2401.01234v2%2Cmath.GT%2F0309136&max_results=3")
        );
    }

    #[test]
    fn papers_are_read_from_the_feed() {
        let feed = "<feed><title>Query</title><entry><id>http://arxiv.org/abs/1</id><title>A &amp;\n  B</title>\
                    <author><name>Ada</name></author><author><name>Bo</name></author>\
                    <published>2024-01-02T00:00:00Z</published><summary> One.\n Two. </summary></entry></feed>";
        let wanted = "Title: A & B\nAuthors: Ada, Bo\nPublished: 2024-01-02\nLink: http://arxiv.org/abs/1\nSummary: One. Two.";
        assert_eq!(papers(feed), [wanted]);
        assert!(papers("<feed></feed>").is_empty());
    }
}
