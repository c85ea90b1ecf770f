//! Text File: files that are text already, sources of programs included.

use crate::cards::kit::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader};
use crate::cards::kit::{Card, Category, Factory, Input, Risk};
use crate::documents::DocumentKind;

/// Endings of files that are read as they are.
pub(super) const ENDINGS: &[&str] = &[
    ".txt",
    ".text",
    ".log",
    ".html",
    ".htm",
    ".aspx",
    ".asp",
    ".cpp",
    ".c",
    ".cc",
    ".cs",
    ".css",
    ".go",
    ".h",
    ".hpp",
    ".java",
    ".js",
    ".mjs",
    ".jsx",
    ".less",
    ".ts",
    ".tsx",
    ".php",
    ".proto",
    ".python",
    ".py",
    ".rst",
    ".ruby",
    ".rb",
    ".rs",
    ".scala",
    ".sc",
    ".scss",
    ".sol",
    ".sql",
    ".swift",
    ".markdown",
    ".md",
    ".tex",
    ".ltx",
    ".vb",
    ".xml",
    ".yaml",
    ".yml",
    ".toml",
    ".sh",
    ".kt",
    ".lua",
    ".ex",
    ".exs",
    ".hs",
    ".ps1",
];

/// The card.
pub const CARD: Card = Card {
    name: "textFile",
    label: "Text File",
    version: 3.0,
    category: Category::DocumentLoaders,
    description: "A document of each uploaded text file.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    inputs: &[Input::file("txtFile", "Txt File", ENDINGS), SPLITTER, METADATA, OMIT],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        file_loader(inputs, "txtFile", |file| Ok(vec![file.document(file.text(DocumentKind::Text)?)]))
    }),
};
