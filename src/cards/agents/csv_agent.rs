//! CSV Agent: answers questions about a file with rows and columns. The model writes SQL over it; no code of a model runs.

use crate::chains::llm_chain::{MODERATION, answer_with};
use crate::document_loaders::files::rows::csv;
use crate::documents::DocumentKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{Document, RunOutput};
use crate::kit::build::component::moderate;
use crate::kit::knowledge::loading::{DocumentSource, file_source};
use crate::kit::models::sql_answer::{SqlAnswerer, sql_error};
use crate::kit::{
    Capability, Card, Category, Chain, Factory, Input, Model, Moderation, ModerationVerdict, Need, Risk,
    RunContext, TokenSink, WireType,
};
use crate::sql::{Sheet, SqlLimits};
use std::collections::HashSet;
use std::sync::Arc;

const FILE: &str = "csvFile";
/// Rows that a model is shown before it writes, and rows that it asks for.
const SAMPLES: usize = 3;
const TOP_K: &str = "20";
/// A table whose file has no name that could be one.
const UNNAMED: &str = "data";
const NAME_CHARS_MAX: usize = 40;

pub(crate) const CARD: Card = Card {
    name: "csvAgent",
    label: "CSV Agent",
    version: 3.0,
    category: Category::Agents,
    description: "Answers questions about CSV files by writing queries over their rows.",
    base_classes: &["AgentExecutor", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file(FILE, "Csv File", &[".csv"]),
        Input::wire("model", "Language Model", WireType::LanguageModel),
        Input::lines("systemMessagePrompt", "System Message")
            .additional()
            .help("What the model keeps to when it answers, such as its manner or its language."),
        MODERATION,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let source =
            file_source(inputs, FILE, |file| Ok(vec![file.document(file.text(DocumentKind::Text)?)]))?;
        Ok(Arc::new(CsvAgent {
            label: inputs.label.to_owned(),
            source: Box::new(source),
            model: inputs.model("model")?,
            manner: inputs.instructions("systemMessagePrompt"),
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

struct CsvAgent {
    label: String,
    source: Box<dyn DocumentSource>,
    model: Arc<Model>,
    manner: String,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for CsvAgent {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let sheets = sheets(&self.source.read(turn.host)?);
        let reader = Sheet::open_reader(&sheets, SqlLimits::default(), turn.host.cancel());
        let reader = reader.map_err(|error| sql_error(&self.label, &error))?;
        let querying = SqlAnswerer {
            label: &self.label,
            model: &self.model,
            samples: SAMPLES,
            top_k: TOP_K,
            prompt: None,
            manner: &self.manner,
        };
        querying.answer(reader, turn, sink)
    }
}

/// A table for each file, named after it.
fn sheets(files: &[Document]) -> Vec<Sheet> {
    let mut taken = HashSet::new();
    let sheet = |file: &Document| {
        let own = table_name(file.metadata.get("source").and_then(|name| name.as_str()).unwrap_or_default());
        let mut name = own.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{own}_{number}");
            number += 1;
        }
        Sheet { name, rows: csv(&file.page_content) }
    };
    files.iter().map(sheet).collect()
}

/// A plain word out of the name of a file.
fn table_name(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_ascii_lowercase();
    let words: Vec<&str> =
        stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("_").chars().take(NAME_CHARS_MAX).collect();
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.starts_with("sqlite");
    if is_word { name } else { UNNAMED.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_plain_name() {
        for (file, name) in [
            ("Sales 2024 (final).csv", "sales_2024_final"),
            ("2024.csv", "data"),
            ("größe.csv", "gr_e"),
            ("", "data"),
            ("sqlite_master.csv", "data"),
        ] {
            assert_eq!(table_name(file), name, "{file}");
        }
    }
}
