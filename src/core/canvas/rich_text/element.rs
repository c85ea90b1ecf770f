//! The elements of rich text that mean something in Markdown.

/// One of them, with what its attributes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    /// The whole text.
    Root,
    Paragraph,
    /// A block without a mark of its own.
    Division,
    Heading(usize),
    Quote,
    /// The number of the next item, where they are counted.
    List(Option<u64>),
    Item,
    /// Code in lines of its own, with the language it is in.
    CodeBlock(String),
    /// With the language it is in, which counts inside a block of code only.
    Code(String),
    Strong,
    Emphasis,
    Strike,
    Link(String),
    /// A reference as the editor shows it, by its name.
    Mention(String),
    Table,
    Row,
    Cell,
    /// What is no text for anybody.
    Hidden,
}

impl Element {
    /// The element of a start tag; `None` for one whose content stands for itself.
    pub(super) fn read(name: &str, attribute: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        Some(match name {
            "p" => Self::Paragraph,
            "div" | "section" | "article" | "header" | "footer" | "figure" | "dl" | "dt" | "dd" => {
                Self::Division
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Self::Heading(usize::from(name.as_bytes()[1] - b'0')),
            "blockquote" => Self::Quote,
            "ul" => Self::List(None),
            "ol" => Self::List(Some(attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1))),
            "li" => Self::Item,
            "pre" => Self::CodeBlock(String::new()),
            "code" => {
                let class = attribute("class").unwrap_or_default();
                let mut words = class.split_ascii_whitespace();
                let language = words.find_map(|word| word.strip_prefix("language-"));
                Self::Code(language.unwrap_or_default().to_owned())
            }
            "strong" | "b" => Self::Strong,
            "em" | "i" => Self::Emphasis,
            "s" | "del" | "strike" => Self::Strike,
            "a" => Self::Link(attribute("href").unwrap_or_default()),
            "span" if attribute("data-type").as_deref() == Some("mention") => {
                Self::Mention(attribute("data-id").unwrap_or_default())
            }
            "table" => Self::Table,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            "head" | "title" | "template" => Self::Hidden,
            _ => return None,
        })
    }

    /// True for what stands in a line with other text.
    pub(super) const fn is_inline(&self) -> bool {
        matches!(
            self,
            Self::Code(_) | Self::Strong | Self::Emphasis | Self::Strike | Self::Link(_) | Self::Mention(_)
        )
    }

    /// True for what a start tag of `next` ends, though its own end is not written.
    pub(super) const fn ends_before(&self, next: &Self) -> bool {
        match self {
            Self::Paragraph | Self::Heading(_) => !next.is_inline() && !matches!(next, Self::Hidden),
            Self::Item => matches!(next, Self::Item),
            Self::Row => matches!(next, Self::Row),
            Self::Cell => matches!(next, Self::Cell | Self::Row),
            _ => false,
        }
    }
}
