//! Web Scraper Tool: pages that a model wants read, one or as many of its site as it leads to.

use super::search::{one_argument, text_argument};
use crate::document_loaders::web_scraper::locations;
use crate::kit::knowledge::untrusted_text;
use crate::kit::web::request::WebRequest;
use crate::kit::{CallError, Card, Category, Choice, Factory, Input, Risk, RunContext, Tool};
use crate::limits::PAGES_TEXT_BYTES_MAX;
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use url::Url;

/// Most of the text of one page that a scraping tool hands to a model (manual 14.5).
const PAGE_TEXT_CHARS_MAX: usize = 50_000;
const DESCRIPTION: &str = "Reads pages of the web. Give it one full address; it returns the title and the text of that page, and of pages \
                           of the same site when it is set to follow them.";
const SITEMAP: &str = "sitemap";
/// Links that are remembered while a site is read.
const LINKS_MAX: usize = 10_000;

pub(crate) const CARD: Card = Card {
    name: "webScraperTool",
    label: "Web Scraper Tool",
    version: 1.1,
    category: Category::Tools,
    description: "Reads web pages when the model wants it.",
    base_classes: &["Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::choice(
            "scrapeMode",
            "Scraping Mode",
            &[Choice::new("recursive", "Recursive Crawl"), Choice::new(SITEMAP, "Sitemap")],
        )
        .or("recursive")
        .additional()
        .help("Sitemap reads the pages that the site lists, and crawls when it lists none."),
        Input::whole("maxDepth", "Max Depth", 1.0, 10.0)
            .or("1")
            .additional()
            .help("1 reads the page itself, 2 also the pages it leads to on its own site, and so on."),
        Input::whole("maxPages", "Max Pages", 1.0, 100.0).or("10").additional(),
        Input::whole("timeoutS", "Timeout (s)", 1.0, 120.0)
            .or("60")
            .additional()
            .help("How long one page is waited for."),
        Input::lines("description", "Tool Description").or(DESCRIPTION).additional(),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let whole = |name: &str| inputs.whole(name).map(|number| number.unwrap_or(1));
        let timeout = Duration::from_secs(whole("timeoutS")?);
        let description = inputs.text("description")?;
        Ok(vec![Arc::new(WebScraper {
            spec: one_argument("web_scraper_tool", &description, "input", "The full address of a page."),
            by_sitemap: inputs.text("scrapeMode")? == SITEMAP,
            depth_max: whole("maxDepth")?,
            pages_max: usize::try_from(whole("maxPages")?).unwrap_or(1),
            limits: ResponseLimits { first_byte: timeout, stall: timeout, ..ResponseLimits::default() },
        })])
    }),
};

struct WebScraper {
    spec: ToolSpec,
    by_sitemap: bool,
    depth_max: u64,
    pages_max: usize,
    limits: ResponseLimits,
}

/// A page that was read.
struct ScrapedPage {
    title: String,
    description: String,
    text: String,
    links: Vec<Url>,
}

impl Tool for WebScraper {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let url = Url::parse(text_argument(arguments, "input")?)
            .map_err(|_| "The argument 'input' must be a full address, with https://.")?;
        let mut listed = if self.by_sitemap { self.sitemap_pages(&url, turn) } else { Vec::new() };
        let follows = listed.is_empty();
        if follows {
            listed.push(url);
        }
        let pages = self.read(listed, follows, turn)?;
        Ok(untrusted_text::mark_untrusted("pages", "the web", &Value::Array(pages).to_string()))
    }
}

impl WebScraper {
    /// The pages of the site that its list names; none when it has no list.
    fn sitemap_pages(&self, url: &Url, turn: &RunContext<'_>) -> Vec<Url> {
        let Ok(list) = url.join("/sitemap.xml") else { return Vec::new() };
        let text = WebRequest::get(list.as_str()).fetch_text(turn, self.limits).unwrap_or_default();
        let mut seen = HashSet::new();
        let places = locations(&text).filter_map(|place| Url::parse(&place).ok());
        let of_site = places.filter(|place| place.origin() == url.origin() && seen.insert(place.clone()));
        of_site.take(self.pages_max).collect()
    }

    /// Reads these pages and, if that is wanted, what they lead to. A page that cannot be read says why.
    fn read(&self, first: Vec<Url>, follows: bool, turn: &RunContext<'_>) -> Result<Vec<Value>, CallError> {
        let mut seen: HashSet<Url> = first.iter().cloned().collect();
        let mut open: VecDeque<(Url, u64)> = first.into_iter().map(|url| (url, 1)).collect();
        let (mut pages, mut room) = (Vec::new(), PAGES_TEXT_BYTES_MAX);
        while let Some((url, depth)) = open.pop_front() {
            if pages.len() == self.pages_max {
                break;
            }
            if turn.host.cancel().reason().is_some() {
                return Err(CallError::Cancelled);
            }
            let page = match self.page(&url, turn) {
                Ok(page) => page,
                Err(why) => {
                    let empty = json!({"url": url.as_str(), "title": "", "description": "", "body_text": "", "error": why.to_string()});
                    pages.push(empty);
                    continue;
                }
            };
            if follows && depth < self.depth_max {
                for link in page.links {
                    if seen.len() < LINKS_MAX && seen.insert(link.clone()) {
                        open.push_back((link, depth + 1));
                    }
                }
            }
            let text: String = page.text.chars().take(PAGE_TEXT_CHARS_MAX).collect();
            let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            room -= end;
            let mut shown = Map::new();
            shown.insert("url".into(), url.as_str().into());
            shown.insert("title".into(), page.title.into());
            shown.insert("description".into(), page.description.into());
            shown.insert("body_text".into(), text[..end].into());
            pages.push(Value::Object(shown));
        }
        Ok(pages)
    }

    fn page(&self, url: &Url, turn: &RunContext<'_>) -> Result<ScrapedPage, CallError> {
        let answer = WebRequest::get(url.as_str()).send(turn.host, self.limits)?;
        let read = turn.host.documents().read_page(answer.body.as_bytes(), None, turn.host.cancel());
        let page = read.map_err(|fault| format!("The page was not read: {fault}."))?;
        // A page that was moved leads on from where it is.
        let here = Url::parse(&answer.url).unwrap_or_else(|_| url.clone());
        let links = page.links.iter().filter_map(|link| here.join(link).ok());
        let links = links.filter(|link| link.origin() == url.origin()).map(|mut link| {
            link.set_fragment(None);
            link
        });
        Ok(ScrapedPage {
            title: page.title.unwrap_or_default(),
            description: description(&answer.body),
            text: page.text,
            links: links.collect(),
        })
    }
}

/// What a page says of itself in its head.
fn description(page: &str) -> String {
    const CHARS_MAX: usize = 500;
    static META: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)<meta\s[^>]*>").expect("a fixed pattern"));
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)\sname\s*=\s*["']?description["'\s/>]"#).expect("a fixed pattern")
    });
    static CONTENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)\scontent\s*=\s*(?:"([^"]*)"|'([^']*)')"#).expect("a fixed pattern")
    });
    let meta = META.find_iter(page).map(|found| found.as_str()).find(|meta| NAME.is_match(meta));
    let found = meta.and_then(|meta| CONTENT.captures(meta));
    let content = found.and_then(|found| found.get(1).or(found.get(2))).map(|text| text.as_str());
    let marks = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let plain =
        marks.iter().fold(content.unwrap_or_default().to_owned(), |text, (mark, c)| text.replace(mark, c));
    plain.trim().chars().take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_describes_itself() {
        for (page, told) in [
            ("<head><META content='It&#39;s &amp; that' name=description></head>", "It's & that"),
            ("<meta name=\"description\" content=\"A > B\">", ""),
            ("<meta name=\"description\" content=\"A page\" />", "A page"),
            (
                "<meta property=\"og:description\" content=\"x\"><meta name=\"descriptions\" content=\"x\">",
                "",
            ),
            ("", ""),
        ] {
            assert_eq!(description(page), told, "{page}");
        }
    }
}
