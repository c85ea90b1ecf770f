//! Selectors of style sheets, as far as people name parts of pages with them: elements, ids, classes, attributes,
//! lists, and one element within another.

use super::DocumentError;
use super::web_page::attribute;
use html2text::Handle;

/// Longest selector.
const CHARS_MAX: usize = 1_000;

/// Any of several paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selector(Vec<Vec<SelectorStep>>);

/// One element of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct SelectorStep {
    /// It lies right within the one before it.
    is_child: bool,
    element: Option<String>,
    /// Attributes and what they must be. A class is one word of `class`.
    attributes: Vec<(String, AttributeTest)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum AttributeTest {
    Present,
    Equal(String),
    Word(String),
}

impl Selector {
    pub(super) fn parse(text: &str) -> Result<Self, DocumentError> {
        if text.chars().count() > CHARS_MAX {
            return Err(DocumentError::Selector);
        }
        let paths = text.split(',').map(|path| parse_path(path).filter(|path| !path.is_empty()));
        paths.collect::<Option<Vec<_>>>().map(Self).ok_or(DocumentError::Selector)
    }

    /// True when an element that lies in those above is one of the wanted.
    pub(super) fn matches(&self, node: &Handle, above: &[Handle]) -> bool {
        self.0.iter().any(|path| {
            let Some((last, before)) = path.split_last() else { return false };
            last.matches(node) && path_matches(before, above, last.is_child)
        })
    }
}

/// True when the elements above hold the path, whose last step is right above where `is_child` says so.
fn path_matches(path: &[SelectorStep], above: &[Handle], is_child: bool) -> bool {
    let Some((last, before)) = path.split_last() else { return true };
    let mut places = (0..above.len()).rev().take(if is_child { 1 } else { usize::MAX });
    // Of elements that lie in one another the innermost leaves the most room above it, except before a child.
    places.any(|at| last.matches(&above[at]) && path_matches(before, &above[..at], last.is_child))
}

impl SelectorStep {
    fn matches(&self, node: &Handle) -> bool {
        let Some(name) = node.element_name() else { return false };
        self.element.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(&name))
            && self.attributes.iter().all(|(attribute_name, wanted)| {
                let Some(value) = attribute(node, attribute_name) else { return false };
                match wanted {
                    AttributeTest::Present => true,
                    AttributeTest::Equal(text) => value == *text,
                    AttributeTest::Word(word) => value.split_ascii_whitespace().any(|found| found == word),
                }
            })
    }
}

fn parse_path(text: &str) -> Option<Vec<SelectorStep>> {
    let spaced = text.replace('>', " > ");
    let mut path = Vec::new();
    let mut is_child = false;
    for word in spaced.split_whitespace() {
        if word == ">" {
            // A sign between two steps only.
            if is_child || path.is_empty() {
                return None;
            }
            is_child = true;
            continue;
        }
        path.push(SelectorStep { is_child, ..parse_step(word)? });
        is_child = false;
    }
    (!is_child).then_some(path)
}

fn parse_step(word: &str) -> Option<SelectorStep> {
    let mut step = SelectorStep::default();
    let (element, mut rest) = split_name(word);
    if !element.is_empty() {
        step.element = Some(element.to_owned());
    } else if let Some(any) = rest.strip_prefix('*') {
        rest = any;
    }
    while let Some(mark) = rest.chars().next() {
        let after = &rest[mark.len_utf8()..];
        if mark == '[' {
            let (inside, later) = after.split_once(']')?;
            let (key, value) =
                inside.split_once('=').map_or((inside, None), |(key, value)| (key, Some(value)));
            if key.is_empty() || !split_name(key).1.is_empty() {
                return None;
            }
            let value = value.map(|value| AttributeTest::Equal(value.trim_matches(['"', '\'']).to_owned()));
            step.attributes.push((key.to_owned(), value.unwrap_or(AttributeTest::Present)));
            rest = later;
            continue;
        }
        let (value, later) = split_name(after);
        if value.is_empty() {
            return None;
        }
        step.attributes.push(match mark {
            '#' => ("id".to_owned(), AttributeTest::Equal(value.to_owned())),
            '.' => ("class".to_owned(), AttributeTest::Word(value.to_owned())),
            _ => return None,
        });
        rest = later;
    }
    Some(step)
}

/// The name a text begins with, and what comes after it.
fn split_name(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use html2text::config;

    fn count(selector: &str) -> usize {
        fn walk(node: &Handle, above: &mut Vec<Handle>, selector: &Selector) -> usize {
            let mut found = usize::from(selector.matches(node, above));
            above.push(node.clone());
            found += node.children.borrow().iter().map(|child| walk(child, above, selector)).sum::<usize>();
            above.pop();
            found
        }
        let page =
            "<div id=a class='x y'><p class=x>1</p><section><p data-k='v'>2</p></section></div><p>3</p>";
        let dom = config::plain().parse_html(page.as_bytes()).unwrap();
        walk(&dom.document, &mut Vec::new(), &Selector::parse(selector).unwrap())
    }

    #[test]
    fn selectors_choose_elements() {
        for (selector, expected) in [
            ("p", 3),
            ("P", 3),
            ("*", 8),
            ("#a", 1),
            (".x", 2),
            ("div.x.y", 1),
            ("div p", 2),
            ("div > p", 1),
            ("div>section p", 1),
            ("body > p", 1),
            ("[data-k]", 1),
            ("p[data-k='v']", 1),
            ("p[data-k=w]", 0),
            ("div, section", 2),
            ("section div", 0),
        ] {
            assert_eq!(count(selector), expected, "{selector}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for bad in [
            "",
            " ",
            ",",
            "p,",
            "> p",
            "p >",
            "p > > a",
            "p:hover",
            "p[",
            "p[]",
            ".",
            "#",
            "a+b",
            "é\u{301}~",
        ] {
            assert_eq!(Selector::parse(bad), Err(DocumentError::Selector), "{bad}");
        }
    }
}
