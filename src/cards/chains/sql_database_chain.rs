//! Sql Database Chain: a model writes a query, and answers from what it selects.

use super::llm_chain::{MODERATION, answer_with};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::build::component::moderate;
use crate::kit::models::sql_answer::{SqlAnswerer, sql_error};
use crate::kit::{
    Capability, Card, Category, Chain, Choice, Factory, Grant, Input, Inputs, Model, Moderation,
    ModerationVerdict, Need, Risk, RunContext, TokenSink, WireType, WorkspaceFiles,
};
use crate::sql::{SqlError, SqlLimits, VisibleTables};
use std::sync::Arc;

const SQLITE: &str = "sqlite";
/// Rows a model is told to ask for, and rows of each table it is shown, when the owner says nothing.
const TOP_K: &str = "10";
const SAMPLES: &str = "3";

pub(crate) const CARD: Card = Card {
    name: "sqlDatabaseChain",
    label: "Sql Database Chain",
    version: 5.0,
    category: Category::Chains,
    description: "Answers questions from a database by writing queries that only read.",
    base_classes: &["SqlDatabaseChain", "BaseChain", "Runnable"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::wire("model", "Language Model", WireType::LanguageModel),
        Input::choice(
            "database",
            "Database",
            &[
                Choice::new(SQLITE, "SQLite"),
                Choice::new("postgres", "PostgreSQL"),
                Choice::new("mssql", "MSSQL"),
                Choice::new("mysql", "MySQL"),
            ],
        )
        .or(SQLITE)
        .help("This server reads SQLite."),
        Input::address("url", "Connection string or file path (sqlite only)")
            .help("The name of a file in the databases folder of this workspace, such as shop.db."),
        Input::text("includesTables", "Include Tables")
            .additional()
            .help("The tables that may be read, with commas between them. Empty: all of them."),
        Input::text("ignoreTables", "Ignore Tables")
            .additional()
            .help("Tables that may not be read, with commas between them."),
        Input::whole("sampleRowsInTableInfo", "Sample table's rows info", 0.0, 50.0)
            .starting(SAMPLES)
            .additional()
            .help("How many rows of each table the model is shown before it writes a query. Empty: 3."),
        Input::whole("topK", "Top Keys", 1.0, 500.0)
            .starting(TOP_K)
            .additional()
            .help("How many rows a query asks for. Empty: 10."),
        Input::lines("customPrompt", "Custom Prompt")
            .additional()
            .help("Asks the model for the query. Holds {dialect}, {input}, {table_info} and {top_k}."),
        MODERATION,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| Ok(Arc::new(SqlChain::from_inputs(inputs)?))),
};

struct SqlChain {
    label: String,
    model: Arc<Model>,
    files: Grant<dyn WorkspaceFiles>,
    file: String,
    tables: VisibleTables,
    samples: usize,
    top_k: String,
    prompt: Option<String>,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl SqlChain {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let database = inputs.text("database")?;
        if database != SQLITE {
            return Err(inputs.input_error(
                "database",
                &format!("this server cannot read '{database}'; it reads {SQLITE}"),
            ));
        }
        let number = |name: &str, default: &str| -> Result<u64> {
            Ok(inputs.whole(name)?.unwrap_or_else(|| default.parse().unwrap_or_default()))
        };
        let file = inputs.text("url")?.trim().to_owned();
        let files = inputs.want::<dyn WorkspaceFiles>();
        let database = files.map(|files| files.of(inputs.host)?.database(&file)).transpose()?.flatten();
        let Some(files) = files.filter(|_| database.is_some()) else {
            return Err(inputs.input_error(
                "url",
                "there is no such file in the databases folder of this workspace; give the name of a file there, without a path",
            ));
        };
        Ok(Self {
            label: inputs.label.to_owned(),
            model: inputs.model("model")?,
            files,
            file,
            tables: VisibleTables {
                only: inputs.comma_list("includesTables"),
                not: inputs.comma_list("ignoreTables"),
            },
            samples: usize::try_from(number("sampleRowsInTableInfo", SAMPLES)?).unwrap_or_default(),
            top_k: number("topK", TOP_K)?.to_string(),
            prompt: inputs.optional_text("customPrompt"),
            moderations: inputs.moderations("inputModeration")?,
        })
    }
}

impl Chain for SqlChain {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let fault = |error: SqlError| sql_error(&self.label, &error);
        let database =
            self.files.of(turn.host)?.database(&self.file)?.ok_or_else(|| fault(SqlError::NotADatabase))?;
        let reader = database.open(&self.tables, SqlLimits::default(), turn.host.cancel()).map_err(fault)?;
        let querying = SqlAnswerer {
            label: &self.label,
            model: &self.model,
            samples: self.samples,
            top_k: &self.top_k,
            prompt: self.prompt.as_deref(),
            manner: "",
        };
        querying.answer(reader, turn, sink)
    }
}
