//! Markdown Text Splitter: cuts at headings first, and never lets a chunk reach over a heading where that is wanted.

use super::languages;
use crate::domain::error::Result;
use crate::kit::knowledge::splitting::{ChunkLimits, OVERLAP, SIZE, SplitRule};
use crate::kit::{Card, Category, Choice, ChunkSpan, Factory, Host, Input, Risk, Splitter};
use std::ops::Range;
use std::sync::Arc;

const LEVELS: &[Choice] = &[
    Choice::new("disabled", "Disabled"),
    Choice::new("h1", "# Headers (H1)"),
    Choice::new("h2", "## Headers (H2)"),
    Choice::new("h3", "### Headers (H3)"),
    Choice::new("h4", "#### Headers (H4)"),
    Choice::new("h5", "##### Headers (H5)"),
    Choice::new("h6", "###### Headers (H6)"),
];

pub(crate) const CARD: Card = Card {
    name: "markdownTextSplitter",
    label: "Markdown Text Splitter",
    version: 1.1,
    category: Category::TextSplitters,
    description: "Cuts Markdown at its headings, code blocks and rules before it cuts at paragraphs.",
    base_classes: &[
        "MarkdownTextSplitter",
        "RecursiveCharacterTextSplitter",
        "TextSplitter",
        "BaseDocumentTransformer",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        SIZE,
        OVERLAP,
        Input::choice("splitByHeaders", "Split by Headers", LEVELS)
            .optional()
            .or("disabled")
            .help("Begins a new chunk at every heading up to this level."),
    ],
    outputs: &[],
    make: Factory::Splitter(|inputs| {
        let chosen = inputs.optional_text("splitByHeaders").unwrap_or_default();
        let Some(level) = LEVELS.iter().position(|choice| choice.name == chosen) else {
            return Err(inputs.input_error("splitByHeaders", "choose a level from h1 to h6, or disabled"));
        };
        Ok(Arc::new(MarkdownSplitter {
            rule: SplitRule::keeping(languages::MARKDOWN, ChunkLimits::from_inputs(inputs)?),
            level,
        }))
    }),
};

/// Cuts Markdown.
pub(super) struct MarkdownSplitter {
    pub(super) rule: SplitRule,
    /// Headings up to this level begin a chunk; 0 for none.
    pub(super) level: usize,
}

impl Splitter for MarkdownSplitter {
    fn split(&self, text: &str, _: &dyn Host) -> Result<Vec<ChunkSpan>> {
        self.rule.cut_sections(text, sections(text, self.level).into_iter())
    }
}

/// The stretches of a text that begin with a heading up to `level`, and what stands before the first one. A line that
/// looks like a heading within a code block is none.
fn sections(text: &str, level: usize) -> Vec<Range<usize>> {
    let (mut sections, mut start, mut at, mut fence) = (Vec::new(), 0, 0, None);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(' ');
        let indented = line.len() - bare.len() > 3;
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark) && !indented);
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let hashes = bare.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=level).contains(&hashes)
            && bare[hashes..].starts_with([' ', '\t', '\n', '\r'])
            && !indented
            && fence.is_none();
        if is_heading && at > start {
            sections.push(start..at);
            start = at;
        }
        at += line.len();
    }
    sections.push(start..text.len());
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_up_to_the_level_begin_a_section() {
        let text =
            "intro\n# One\na\n### Deep\nb\n```\n# no heading\n```\n## Two\nc #\n#hashtag\n    # code\n";
        let found = |level| {
            let sections = sections(text, level);
            sections
                .into_iter()
                .map(|range| text[range].lines().next().unwrap_or_default().to_owned())
                .collect()
        };
        let all: [Vec<String>; 3] = [0, 2, 3].map(found);
        assert_eq!(all[0], ["intro"]);
        assert_eq!(all[1], ["intro", "# One", "## Two"]);
        assert_eq!(all[2], ["intro", "# One", "### Deep", "## Two"]);
    }

    #[test]
    fn sections_are_the_whole_text() {
        for text in ["", "# a", "\n\n# a\n# b\n", "a\n# b"] {
            let joined: String = sections(text, 6).into_iter().map(|range| &text[range]).collect();
            assert_eq!(joined, text);
        }
    }
}
