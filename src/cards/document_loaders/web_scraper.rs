//! Cheerio Web Scraper: pages of the web, one or as many as they lead to. Scripts of a page are not run.

use crate::documents::WebPage;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, DocumentSource, METADATA, OMIT, OUTPUTS, SPLITTER, document, loader, read_error,
};
use crate::kit::knowledge::pieces::{DocumentPiece, PieceVisitor};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Choice, Factory, Host, Input, Inputs, JsonShape, Risk};
use crate::limits;
use crate::net::ResponseLimits;
use serde_json::Value;
use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher as _;
use url::Url;

const METHODS: &[Choice] =
    &[Choice::new("webCrawl", "Web Crawl"), Choice::new("scrapeXMLSitemap", "Scrape XML Sitemap")];
const LIMIT_DEFAULT: usize = 10;
/// Pages of a site that passes a page at a time (manual 14.8).
const STREAMED_PAGES_MAX: usize = 100_000;
/// Addresses that a crawl finds before it looks for no others.
const LINKS_MAX: usize = 1_000_000;
/// Bytes of addresses that a crawl keeps to go to.
const OPEN_BYTES_MAX: usize = 8 * 1024 * 1024;

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
            .shape(JsonShape::TextList)
            .lists()
            .additional()
            .help("A list of the only pages that are read, instead of those that are found."),
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| loader(inputs, Scraper::from_inputs(inputs)?)),
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
    /// How many of them are read, where so many may be.
    most: usize,
    selector: Option<String>,
}

impl Scraper {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let url = Url::parse(inputs.text("url")?.trim())
            .map_err(|_| inputs.input_error("url", "this must be a full address"))?;
        let most = match inputs.whole("limit")?.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)) {
            None => LIMIT_DEFAULT,
            Some(0) => usize::MAX,
            Some(limit) => limit,
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

    /// Hands over these pages, each with its place. Of many pages some are gone; one that stands alone is what the flow is about.
    fn each_of(
        &self,
        (pages, is_alone): (impl Iterator<Item = (String, Url)>, bool),
        host: &dyn Host,
        each: PieceVisitor<'_>,
    ) -> Result<()> {
        for (place, url) in pages {
            let page = match self.page(&url, host) {
                Err(fault) if is_alone || matches!(fault, Error::Cancelled) => return Err(fault),
                page => page,
            };
            let read = page.map(|page| vec![page_document(&url, page)]);
            each(DocumentPiece::named(url.into(), Some(place), read))?;
        }
        Ok(())
    }

    /// Hands over what `first` leads to on its own site. Where that is is only found by going there, so no page is a place to
    /// go on from.
    fn crawl(&self, (first, most): (&Url, usize), host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        let mut open = OpenPages::beginning_with(first);
        let mut asked = 0;
        while let Some(url) = open.next() {
            if asked >= most {
                break;
            }
            asked += 1;
            let mut page = match self.page(&url, host) {
                Err(fault) if asked == 1 || matches!(fault, Error::Cancelled) => return Err(fault),
                page => page,
            };
            if let Ok(page) = &mut page {
                open.add(&url, std::mem::take(&mut page.links));
            }
            let read = page.map(|page| vec![page_document(&url, page)]);
            each(DocumentPiece::named(url.into(), None, read))?;
        }
        Ok(())
    }

    fn page(&self, url: &Url, host: &dyn Host) -> Result<WebPage> {
        let body = self.get(url, host)?;
        let page = host.documents().read_page(body.as_bytes(), self.selector.as_deref(), host.cancel());
        page.map_err(|fault| read_error(&self.label, url.as_str(), fault))
    }

    fn get(&self, url: &Url, host: &dyn Host) -> Result<String> {
        Error::check_cancelled(host.cancel())?;
        let answer = WebRequest::get(url.as_str()).send(host, ResponseLimits::default());
        answer.map(|answer| answer.body).map_err(|why| why.at(&self.label))
    }

    /// The pages of the same site that its list names, the first `most` of them. An address that is no list is taken as the site
    /// itself.
    fn sitemap(&self, url: &Url, most: usize, host: &dyn Host) -> Result<Vec<Url>> {
        let list = if url.path().ends_with(".xml") {
            url.clone()
        } else {
            url.join("/sitemap.xml").unwrap_or(url.clone())
        };
        let text = self.get(&list, host)?;
        let mut seen = HashSet::new();
        let places = locations(&text).filter_map(|place| Url::parse(&place).ok());
        let same_site = places.filter(|place| place.origin() == list.origin() && seen.insert(place.clone()));
        Ok(same_site.take(most).collect())
    }
}

impl DocumentSource for Scraper {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let most = self.most.min(limits::PAGES_MAX);
        let (mut found, mut room) = (Vec::new(), limits::CHUNKS_BYTES_MAX);
        let mut gather = |piece: DocumentPiece| {
            let read = piece.documents.unwrap_or_default();
            let size = read.iter().map(|document| document.page_content.len()).sum();
            let too_much = || Error::RunFailed(format!("{}: the pages hold too much text", self.label));
            room = room.checked_sub(size).ok_or_else(too_much)?;
            found.extend(read);
            Ok(())
        };
        let unplaced = |url: Url| (String::new(), url);
        match &self.pages {
            PageSource::Listed(urls) => {
                let pages = urls.iter().take(most).cloned().map(unplaced);
                self.each_of((pages, urls.len() == 1), host, &mut gather)?;
            }
            PageSource::Crawled(url) => self.crawl((url, most), host, &mut gather)?,
            PageSource::Sitemap(url) => {
                let urls = self.sitemap(url, most, host)?;
                let is_alone = urls.len() == 1;
                self.each_of((urls.into_iter().map(unplaced), is_alone), host, &mut gather)?;
            }
        }
        Ok(found)
    }

    /// The place of a page is its number in a list of the owner, and its address in a list that may change.
    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        let most = self.most.min(STREAMED_PAGES_MAX);
        match &self.pages {
            PageSource::Listed(urls) => {
                let from = from.and_then(|number| number.parse().ok()).unwrap_or(0);
                let pages = urls.iter().cloned().enumerate().take(most).skip(from);
                let pages = pages.map(|(number, url)| (number.to_string(), url));
                self.each_of((pages, urls.len() == 1), host, each)
            }
            PageSource::Crawled(url) => self.crawl((url, most), host, each),
            PageSource::Sitemap(url) => {
                let mut urls = self.sitemap(url, most, host)?;
                urls.sort_unstable();
                let is_alone = urls.len() == 1;
                let read = urls.partition_point(|url| url.as_str() < from.unwrap_or_default());
                let pages = urls.into_iter().skip(read).map(|url| (url.as_str().to_owned(), url));
                self.each_of((pages, is_alone), host, each)
            }
        }
    }
}

/// Pages that a crawl has yet to see.
struct OpenPages {
    open: VecDeque<Url>,
    /// Bytes of their addresses.
    bytes: usize,
    /// Hashes of the addresses that were ever among them.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl OpenPages {
    fn beginning_with(first: &Url) -> Self {
        let hasher = RandomState::new();
        let seen = HashSet::from([hasher.hash_one(first)]);
        Self { open: VecDeque::from([first.clone()]), bytes: first.as_str().len(), seen, hasher }
    }

    fn next(&mut self) -> Option<Url> {
        let next = self.open.pop_front()?;
        self.bytes -= next.as_str().len();
        Some(next)
    }

    /// Adds what a page leads to on its own site, as far as there is room for it.
    fn add(&mut self, page: &Url, links: Vec<String>) {
        for link in links {
            let Ok(mut link) = page.join(&link) else { continue };
            link.set_fragment(None);
            let bytes = self.bytes + link.as_str().len();
            let has_room = bytes <= OPEN_BYTES_MAX && self.seen.len() < LINKS_MAX;
            if link.origin() == page.origin() && has_room && self.seen.insert(self.hasher.hash_one(&link)) {
                self.bytes = bytes;
                self.open.push_back(link);
            }
        }
    }
}

fn page_document(url: &Url, page: WebPage) -> Document {
    let mut read = document(url.as_str(), page.text);
    read.metadata.extend(page.title.map(|title| ("title".to_owned(), Value::from(title))));
    read
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
