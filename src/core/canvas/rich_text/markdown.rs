//! Markdown, written as the tags of a rich text come in.
//!
//! Open elements are a list and not calls within calls, so that no nesting of a text can use up the stack.

use super::element::Element;

/// How deep elements nest with their marks; what lies deeper is text of the element around it.
const DEPTH_MAX: usize = 40;

/// An element that is open.
#[derive(Debug)]
struct Frame {
    name: String,
    element: Element,
    blocks: Vec<Block>,
    /// Text since the last block.
    line: String,
}

#[derive(Debug)]
enum Block {
    Text(String),
    List(String),
    /// The cells of a row.
    Row(Vec<String>),
}

impl Block {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::List(text) => text,
            Self::Row(cells) => format!("| {} |", cells.join(" | ")),
        }
    }
}

impl Frame {
    fn new(name: &str, element: Element) -> Self {
        Self { name: name.to_owned(), element, blocks: Vec::new(), line: String::new() }
    }

    /// Adds text of a line: blanks in a row count as one, those that cannot break stay apart.
    fn push_collapsed(&mut self, text: &str) {
        let keeps_first = self.element.is_inline();
        for c in text.chars() {
            if !c.is_ascii_whitespace() {
                self.line.push(c);
            } else if if self.line.is_empty() { keeps_first } else { !self.line.ends_with([' ', '\n']) } {
                self.line.push(' ');
            }
        }
    }

    /// Adds a marked text, with the blanks at its ends outside of the marks.
    fn push_marked(&mut self, text: &str, mark: impl FnOnce(&str) -> String) {
        let core = text.trim();
        if text.starts_with(char::is_whitespace) {
            self.push_collapsed(" ");
        }
        if !core.is_empty() {
            self.line.push_str(&mark(core));
        }
        if text.ends_with(char::is_whitespace) {
            self.push_collapsed(" ");
        }
    }

    fn flush_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.trim();
        if !text.is_empty() {
            self.blocks.push(Block::Text(text.to_owned()));
        }
    }

    /// All blocks, with `before_list` before a list and an empty line before others.
    fn join_blocks(&mut self, before_list: &str) -> String {
        let mut out = String::new();
        for block in std::mem::take(&mut self.blocks) {
            if !out.is_empty() {
                out.push_str(if matches!(block, Block::List(_)) { before_list } else { "\n\n" });
            }
            out.push_str(&block.into_text());
        }
        out
    }

    /// Its text in one line, for what has no room for more.
    fn join_line(&mut self) -> String {
        let text = self.join_blocks("\n");
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// The text so far, and what is open.
#[derive(Debug)]
pub(super) struct MarkdownWriter {
    root: Frame,
    open: Vec<Frame>,
}

impl Default for MarkdownWriter {
    fn default() -> Self {
        Self { root: Frame::new("", Element::Root), open: Vec::new() }
    }
}

impl MarkdownWriter {
    fn top(&mut self) -> &mut Frame {
        self.open.last_mut().unwrap_or(&mut self.root)
    }

    pub(super) fn open(&mut self, name: &str, element: Element) {
        while self.open.last().is_some_and(|frame| frame.element.ends_before(&element)) {
            self.close_top();
        }
        let top = self.top();
        if matches!(top.element, Element::CodeBlock(_)) && element.is_inline() {
            if let Element::Code(language) = element {
                top.element = Element::CodeBlock(language);
            }
            return;
        }
        if !element.is_inline() && !top.element.is_inline() {
            top.flush_line();
        }
        if self.open.len() < DEPTH_MAX {
            self.open.push(Frame::new(name, element));
        }
    }

    /// Closes the innermost element of this name, with all that lies in it.
    pub(super) fn close(&mut self, name: &str) {
        let Some(place) = self.open.iter().rposition(|frame| frame.name == name) else { return };
        while self.open.len() > place {
            self.close_top();
        }
    }

    pub(super) fn push_text(&mut self, text: &str) {
        let top = self.top();
        match top.element {
            Element::Hidden => {}
            Element::CodeBlock(_) => top.line.push_str(text),
            _ => top.push_collapsed(text),
        }
    }

    pub(super) fn push_line_break(&mut self) {
        let top = self.top();
        if matches!(top.element, Element::CodeBlock(_)) {
            top.line.push('\n');
            return;
        }
        let end = top.line.trim_end_matches(' ').len();
        top.line.truncate(end);
        top.line.push_str("  \n");
    }

    pub(super) fn push_rule(&mut self) {
        self.open("hr", Element::Division);
        self.top().blocks.push(Block::Text("---".to_owned()));
        self.close("hr");
    }

    pub(super) fn push_image(&mut self, description: Option<&str>, address: Option<&str>) {
        let Some(address) = address else { return };
        let image = format!("![{}]({})", description.unwrap_or_default(), bracketed(address));
        self.top().line.push_str(&image);
    }

    /// The whole text, with everything closed.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close_top();
        }
        self.root.flush_line();
        // The editor writes a blank that cannot break where two blanks stand side by side: no model and no JSON wants it.
        self.root.join_blocks("\n\n").replace('\u{a0}', " ").trim().to_owned()
    }

    fn close_top(&mut self) {
        let Some(mut frame) = self.open.pop() else { return };
        if frame.element.is_inline() {
            self.close_inline(frame);
            return;
        }
        if !matches!(frame.element, Element::CodeBlock(_)) {
            frame.flush_line();
        }
        let block = match &frame.element {
            Element::Heading(level) => {
                let marks = "#".repeat(*level);
                Some(frame.join_line())
                    .filter(|text| !text.is_empty())
                    .map(|text| Block::Text(format!("{marks} {text}")))
            }
            Element::Quote => quote(&frame.join_blocks("\n\n")).map(Block::Text),
            Element::List(_) => list(frame.blocks),
            Element::Item => Some(Block::Text(self.item(&frame.join_blocks("\n")))),
            Element::CodeBlock(language) => Some(Block::Text(fence(language, &frame.line))),
            Element::Table => table(frame.blocks),
            Element::Row => Some(Block::Row(frame.blocks.into_iter().map(Block::into_text).collect())),
            Element::Cell => Some(Block::Text(frame.join_line().replace('|', "\\|"))),
            Element::Hidden => None,
            _ => {
                self.top().blocks.append(&mut frame.blocks);
                None
            }
        };
        self.top().blocks.extend(block);
    }

    fn close_inline(&mut self, mut frame: Frame) {
        let mut text = frame.join_blocks("\n\n");
        text.push_str(&frame.line);
        let top = self.top();
        match &frame.element {
            Element::Strong => top.push_marked(&text, |core| format!("**{core}**")),
            Element::Emphasis => top.push_marked(&text, |core| format!("*{core}*")),
            Element::Strike => top.push_marked(&text, |core| format!("~~{core}~~")),
            Element::Code(_) => top.push_marked(&text, code),
            Element::Link(address) => top.push_marked(&text, |core| link(core, address)),
            // Some editors save the name alone.
            Element::Mention(name) if text.trim().is_empty() && !name.is_empty() => {
                top.line.push_str(&format!("{{{{ {name} }}}}"));
            }
            _ => top.push_marked(&text, str::to_owned),
        }
    }

    /// An item of the list that is open, which counts on.
    fn item(&mut self, text: &str) -> String {
        let marker = match &mut self.top().element {
            Element::List(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        let indent = format!("\n{}", " ".repeat(marker.len()));
        let lines: Vec<&str> = text.split('\n').collect();
        format!("{marker}{}", lines.join(&indent)).replace(&format!("{indent}\n"), "\n\n")
    }
}

fn list(items: Vec<Block>) -> Option<Block> {
    let items: Vec<String> = items.into_iter().map(Block::into_text).collect();
    (!items.is_empty()).then(|| Block::List(items.join("\n")))
}

fn quote(text: &str) -> Option<String> {
    let line = |line: &str| if line.is_empty() { ">".to_owned() } else { format!("> {line}") };
    (!text.is_empty()).then(|| text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// The rows, with a line below the first one.
fn table(rows: Vec<Block>) -> Option<Block> {
    let mut lines = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        let rule = match &row {
            Block::Row(cells) if at == 0 => Some(format!("|{}", " --- |".repeat(cells.len()))),
            _ => None,
        };
        lines.push(row.into_text());
        lines.extend(rule);
    }
    (!lines.is_empty()).then(|| Block::Text(lines.join("\n")))
}

/// The longest row of backticks in a text.
fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

fn fence(language: &str, text: &str) -> String {
    let ticks = "`".repeat(longest_ticks(text).saturating_add(1).max(3));
    format!("{ticks}{language}\n{}\n{ticks}", text.trim_matches('\n'))
}

fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_ticks(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A link; an address that the editor made a link of by itself stays an address.
fn link(text: &str, address: &str) -> String {
    let bare = |address: &str| address.strip_suffix('/').unwrap_or(address).to_owned();
    let schemes = ["", "https://", "http://", "mailto:"];
    if address.is_empty() || schemes.iter().any(|scheme| bare(&format!("{scheme}{text}")) == bare(address)) {
        return text.to_owned();
    }
    format!("[{text}]({})", bracketed(address))
}

/// An address as a link takes it: one with blanks or brackets between angles.
fn bracketed(address: &str) -> String {
    let is_plain = !address.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    if is_plain { address.to_owned() } else { format!("<{address}>") }
}
