//! Pages of the web, beyond their plain text: a part of one, its links, and Markdown.

use super::selector::Selector;
use super::text::{WIDTH_CHARS, trim_lines};
use super::{DocumentError, DocumentKind, DocumentPart, TextCollector, encoding};
use html2text::config::{self, Config};
use html2text::render::{PlainDecorator, TextDecorator, TrivialDecorator};
use html2text::{Element, Handle, RcDom};

/// The longest title of a page.
const TITLE_CHARS_MAX: usize = 500;

const DAMAGED: DocumentError = DocumentError::Damaged(DocumentKind::Html);

/// What a page holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    pub title: Option<String>,
    /// Its text, or that of the parts that were wanted.
    pub text: String,
    /// Where it leads, as the page writes it.
    pub links: Vec<String>,
}

impl WebPage {
    /// As a worker sends it: the first part is the page, the others are its links.
    pub(super) fn from_parts(parts: Vec<DocumentPart>) -> Self {
        let mut parts = parts.into_iter();
        let (title, text) = parts.next().map(|part| (part.title, part.text)).unwrap_or_default();
        Self { title, text, links: parts.map(|part| part.text).collect() }
    }
}

/// Reads a page for [`WebPage::from_parts`].
pub(super) fn read(
    bytes: &[u8],
    selector: Option<&str>,
    into: &mut TextCollector,
) -> Result<(), DocumentError> {
    let selector = selector.map(Selector::parse).transpose()?;
    let source = encoding::decode(bytes);
    let dom = parse(&source)?;
    let mut found =
        PageSelection { selector: selector.as_ref(), title: None, selected: Vec::new(), links: Vec::new() };
    found.walk(&dom.document, &mut Vec::new(), false);
    let text = match &selector {
        None => plain_text(&source)?,
        Some(_) => {
            let texts = found.selected.iter().map(inner_text).collect::<Result<Vec<_>, _>>()?;
            texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
    };
    // It goes into the metadata of every chunk, so it is no second way for a long text.
    let shortened = |title: String| title.chars().take(TITLE_CHARS_MAX).collect::<String>();
    let title =
        found.title.as_ref().map(title_text).transpose()?.map(shortened).filter(|title| !title.is_empty());
    into.add(DocumentPart { title, text })?;
    // Links beyond the number of parts that a document may have are not worth refusing the page for.
    let links = found.links.into_iter().take(into.sizes.parts_max.saturating_sub(1));
    links.into_iter().try_for_each(|link| into.add(DocumentPart { title: None, text: link }))
}

pub(super) fn markdown(bytes: &[u8], into: &mut TextCollector) -> Result<(), DocumentError> {
    let config =
        config::with_decorator(MarkdownDecorator { plain: PlainDecorator::new(), links: Vec::new() });
    let text = render(config, &encoding::decode(bytes))?;
    into.add(DocumentPart { title: None, text })
}

/// The words of a page, with no mark of ours among them.
fn plain_text(page: &str) -> Result<String, DocumentError> {
    render(config::with_decorator(TrivialDecorator::new()), page)
}

fn render<D: TextDecorator>(config: Config<D>, page: &str) -> Result<String, DocumentError> {
    let config = config.link_footnotes(false).no_table_borders().no_link_wrapping();
    let text = config.string_from_read(page.as_bytes(), WIDTH_CHARS).map_err(|_| DAMAGED)?;
    Ok(trim_lines(&text))
}

fn parse(source: &str) -> Result<RcDom, DocumentError> {
    config::plain_no_decorate().parse_html(source.as_bytes()).map_err(|_| DAMAGED)
}

fn inner_text(node: &Handle) -> Result<String, DocumentError> {
    let mut html = Vec::new();
    node.serialize(&mut html).map_err(|_| DAMAGED)?;
    plain_text(&String::from_utf8_lossy(&html))
}

/// A title is no part of what a page shows, so it is read without its element.
fn title_text(title: &Handle) -> Result<String, DocumentError> {
    title.children.borrow().iter().map(inner_text).collect()
}

struct PageSelection<'a> {
    selector: Option<&'a Selector>,
    title: Option<Handle>,
    selected: Vec<Handle>,
    links: Vec<String>,
}

impl PageSelection<'_> {
    fn walk(&mut self, node: &Handle, above: &mut Vec<Handle>, within_chosen: bool) {
        let mut within_chosen = within_chosen;
        let name = node.element_name();
        match name.as_deref() {
            Some("title") if self.title.is_none() => self.title = Some(node.clone()),
            Some("a") => self.links.extend(attribute(node, "href")),
            _ => {}
        }
        // What lies in a chosen part is read with it.
        if !within_chosen && self.selector.is_some_and(|selector| selector.matches(node, above)) {
            self.selected.push(node.clone());
            within_chosen = true;
        }
        above.push(node.clone());
        for child in node.children.borrow().iter() {
            self.walk(child, above, within_chosen);
        }
        above.pop();
    }
}

/// The value of an element's attribute.
pub(super) fn attribute(node: &Handle, name: &str) -> Option<String> {
    let Element { attrs, .. } = &node.data else { return None };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(found.value.to_string())
}

/// Plain text with the marks of Markdown.
#[derive(Clone, Debug)]
struct MarkdownDecorator {
    plain: PlainDecorator,
    /// Addresses of the links that are open.
    links: Vec<String>,
}

impl MarkdownDecorator {
    fn mark(mark: &str) -> (String, ()) {
        (mark.to_owned(), ())
    }
}

impl TextDecorator for MarkdownDecorator {
    type Annotation = ();

    fn decorate_link_start(&mut self, url: &str) -> (String, ()) {
        self.links.push(url.to_owned());
        Self::mark("[")
    }

    fn decorate_link_end(&mut self) -> String {
        format!("]({})", self.links.pop().unwrap_or_default())
    }

    fn decorate_em_start(&self) -> (String, ()) {
        Self::mark("*")
    }

    fn decorate_em_end(&self) -> String {
        "*".to_owned()
    }

    fn decorate_strong_start(&self) -> (String, ()) {
        Self::mark("**")
    }

    fn decorate_strong_end(&self) -> String {
        "**".to_owned()
    }

    fn decorate_strikeout_start(&self) -> (String, ()) {
        Self::mark("~~")
    }

    fn decorate_strikeout_end(&self) -> String {
        "~~".to_owned()
    }

    fn decorate_code_start(&self) -> (String, ()) {
        Self::mark("`")
    }

    fn decorate_code_end(&self) -> String {
        "`".to_owned()
    }

    fn decorate_preformat_first(&self) {}

    fn decorate_preformat_cont(&self) {}

    fn decorate_image(&mut self, src: &str, title: &str) -> (String, ()) {
        (format!("![{title}]({src})"), ())
    }

    fn header_prefix(&self, level: usize) -> String {
        self.plain.header_prefix(level)
    }

    fn quote_prefix(&self) -> String {
        self.plain.quote_prefix()
    }

    fn unordered_item_prefix(&self) -> String {
        "- ".to_owned()
    }

    fn ordered_item_prefix(&self, number: i64) -> String {
        self.plain.ordered_item_prefix(number)
    }

    fn make_subblock_decorator(&self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::DocumentLimits;

    const PAGE: &str = "<html><head><title>Shop</title><script>x()</script></head><body><nav><a href=/a>A</a></nav>\
        <main id=m class='wide big'><h2>Prices</h2><p>An <b>egg</b> costs <a href='b.html'>two</a>.</p>\
        <ul><li>one<li>two</ul></main></body></html>";

    fn page(selector: Option<&str>) -> Result<WebPage, DocumentError> {
        let mut into = TextCollector::new(DocumentLimits::default().sizes);
        read(PAGE.as_bytes(), selector, &mut into).map(|()| WebPage::from_parts(into.parts))
    }

    #[test]
    fn a_page_has_a_title_a_text_and_links() {
        let whole = page(None).unwrap();
        assert_eq!(whole.title.as_deref(), Some("Shop"));
        assert_eq!(whole.links, ["/a", "b.html"]);
        assert!(whole.text.contains("costs") && !whole.text.contains("x()"), "{whole:?}");
        let part = page(Some("main p, nav")).unwrap();
        assert_eq!(part.text, "A\nAn egg costs two.");
        assert_eq!(page(Some("article")).unwrap().text, "");
        assert_eq!(page(Some("p[")), Err(DocumentError::Selector));
    }

    #[test]
    fn a_page_becomes_markdown() {
        let mut into = TextCollector::new(DocumentLimits::default().sizes);
        markdown(PAGE.as_bytes(), &mut into).unwrap();
        let text = &into.parts[0].text;
        assert!(text.contains("## Prices") && text.contains("An **egg** costs [two](b.html)."), "{text}");
        assert!(text.contains("- one\n- two"), "{text}");
    }
}
