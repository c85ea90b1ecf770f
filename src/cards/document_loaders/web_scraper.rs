//! Cheerio Web Scraper: pages of the web, one or as many as they lead to. Scripts of a page are not run.

use crate::cards::kit::knowledge::loading::{
    BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, document, loader, read_error,
};
use crate::cards::kit::web::request::WebRequest;
use crate::cards::kit::{Card, Category, Choice, Factory, Host, Input, Inputs, Risk};
use crate::documents::WebPage;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::limits;
use crate::net::ResponseLimits;
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use url::Url;

const METHODS: &[Choice] =
    &[Choice::new("webCrawl", "Web Crawl"), Choice::new("scrapeXMLSitemap", "Scrape XML Sitemap")];
const LIMIT_DEFAULT: usize = 10;

pub(crate) const CARD: Card = Card {
    name: "cheerioWebScraper",
    label: "Cheerio Web Scraper",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "The text of web pages, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::address("url", "URL"),
        SPLITTER,
        Input::choice("relativeLinksMethod", "Get Relative Links Method", METHODS)
            .additional()
            .starting("webCrawl")
            .help("How further pages of the same site are found; empty for this page only."),
        Input::whole("limit", "Get Relative Links Limit", 0.0, 100_000.0)
            .additional()
            .starting("10")
            .help("The most pages; 0 for as many as one loader may read."),
        Input::text("selector", "Selector (CSS)")
            .additional()
            .help("Only the parts of a page that this CSS selector names."),
        Input::json("selectedLinks", "Selected Links")
            .lists()
            .additional()
            .help("A list of the only pages that are read, instead of those that are found."),
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let scraper = Scraper::from_inputs(inputs)?;
        loader(inputs, move |host: &dyn Host| scraper.read(host))
    }),
};

/// Where the pages come from.
enum PageSource {
    Listed(Vec<Url>),
    /// What the first one leads to on its own site.
    Crawled(Url),
    /// What a list of a site names.
    Sitemap(Url),
}

struct Scraper {
    label: String,
    pages: PageSource,
    most: usize,
    selector: Option<String>,
}

impl Scraper {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let url = Url::parse(inputs.text("url")?.trim())
            .map_err(|_| inputs.input_error("url", "this must be a full address"))?;
        let most = match inputs.whole("limit")?.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)) {
            None => LIMIT_DEFAULT,
            Some(0) => limits::PAGES_MAX,
            Some(limit) => limit.min(limits::PAGES_MAX),
        };
        let listed = read_links(inputs)?;
        let pages = match inputs.optional_text("relativeLinksMethod").as_deref() {
            _ if !listed.is_empty() => PageSource::Listed(listed),
            None => PageSource::Listed(vec![url]),
            Some("webCrawl") => PageSource::Crawled(url),
            Some("scrapeXMLSitemap") => PageSource::Sitemap(url),
            Some(_) => return Err(inputs.input_error("relativeLinksMethod", "choose one of the list")),
        };
        Ok(Self { label: inputs.label.to_owned(), pages, most, selector: inputs.optional_text("selector") })
    }

    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let (mut open, follows) = match &self.pages {
            PageSource::Listed(urls) => (urls.iter().take(self.most.max(1)).cloned().collect(), false),
            PageSource::Crawled(url) => (VecDeque::from([url.clone()]), true),
            PageSource::Sitemap(url) => (self.sitemap(url, host)?.into(), false),
        };
        let mut seen: HashSet<Url> = open.iter().cloned().collect();
        let mut found: Vec<Document> = Vec::new();
        let (mut asked, mut bytes) = (0, 0);
        while let Some(url) = open.pop_front() {
            if asked >= self.most.max(1) {
                break;
            }
            asked += 1;
            let page = match self.page(&url, host) {
                Ok(page) => page,
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                // Of many pages some are gone; a single one that cannot be read is what the flow was about.
                Err(error) if asked == 1 && found.is_empty() && open.is_empty() => return Err(error),
                Err(_) => continue,
            };
            if follows {
                let links = page.links.iter().filter_map(|link| url.join(link).ok());
                for mut link in links.filter(|link| link.origin() == url.origin()) {
                    link.set_fragment(None);
                    if seen.len() < limits::PAGES_MAX * 10 && seen.insert(link.clone()) {
                        open.push_back(link);
                    }
                }
            }
            bytes += page.text.len();
            if bytes > limits::CHUNKS_BYTES_MAX {
                return Err(Error::RunFailed(format!("{}: the pages hold too much text", self.label)));
            }
            let mut read = document(url.as_str(), page.text);
            read.metadata.extend(page.title.map(|title| ("title".to_owned(), Value::from(title))));
            found.push(read);
        }
        Ok(found)
    }

    fn page(&self, url: &Url, host: &dyn Host) -> Result<WebPage> {
        let body = self.get(url, host)?;
        let page = host.documents().read_page(body.as_bytes(), self.selector.as_deref(), host.cancel());
        page.map_err(|fault| read_error(&self.label, url.as_str(), fault))
    }

    fn get(&self, url: &Url, host: &dyn Host) -> Result<String> {
        if host.cancel().reason().is_some() {
            return Err(Error::Cancelled);
        }
        let answer = WebRequest::get(url.as_str()).send(host, ResponseLimits::default());
        answer.map(|answer| answer.body).map_err(|why| why.at(&self.label))
    }

    /// The pages of the same site that its list names. An address that is no list is taken as the site itself.
    fn sitemap(&self, url: &Url, host: &dyn Host) -> Result<Vec<Url>> {
        let list = if url.path().ends_with(".xml") {
            url.clone()
        } else {
            url.join("/sitemap.xml").unwrap_or(url.clone())
        };
        let text = self.get(&list, host)?;
        let mut seen = HashSet::new();
        let places = locations(&text).filter_map(|place| Url::parse(&place).ok());
        let same_site = places.filter(|place| place.origin() == list.origin() && seen.insert(place.clone()));
        Ok(same_site.take(self.most).collect())
    }
}

fn read_links(inputs: &Inputs<'_>) -> Result<Vec<Url>> {
    let wrong = || inputs.input_error("selectedLinks", "this must be a JSON list of full addresses");
    let Some(list) = inputs.json("selectedLinks")? else { return Ok(Vec::new()) };
    let list = list.as_array().ok_or_else(wrong)?;
    let url = |value: &Value| value.as_str().and_then(|text| Url::parse(text.trim()).ok()).ok_or_else(wrong);
    list.iter().map(url).collect()
}

/// What stands in the `loc` elements of a sitemap.
pub(crate) fn locations(xml: &str) -> impl Iterator<Item = String> + '_ {
    let places = xml.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next());
    places.map(|place| place.trim().replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sitemap_names_pages() {
        let xml =
            "<urlset><url><loc> http://a/b?x=1&amp;y=2 </loc></url><url><loc>http://a/c</loc></url></urlset>";
        assert_eq!(locations(xml).collect::<Vec<_>>(), ["http://a/b?x=1&y=2", "http://a/c"]);
    }
}
