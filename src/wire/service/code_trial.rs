//! Code that somebody tries while they write it (manual 11.7).

use crate::domain::service::code_trial::{CodeFault, CodeOutcome, CodeTrial, PrintLevel, PrintedLine};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The code, and example values for what it reads.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CodeTrial"))]
pub struct CodeTrialRequest {
    /// The body of an async function.
    javascript_function: String,
    /// `$name` for each.
    function_input_variables: Map<String, Value>,
    /// `$vars`.
    variables: Map<String, Value>,
    /// `$flow`; its `input` is `$input` too.
    flow: Map<String, Value>,
}

impl From<CodeTrialRequest> for CodeTrial {
    fn from(request: CodeTrialRequest) -> Self {
        let CodeTrialRequest { javascript_function, function_input_variables, variables, flow } = request;
        Self { source: javascript_function, inputs: function_input_variables, variables, flow }
    }
}

/// How it went: a result, or why there is none.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CodeOutcome"))]
pub struct CodeOutcomeView {
    /// What the code returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    /// Why it returned nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<CodeFaultView>,
    /// What it wrote to its console.
    console: Vec<PrintedLineView>,
    /// Later lines were dropped.
    console_cut: bool,
    milliseconds: u64,
}

/// Why code has no result.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CodeFault"))]
struct CodeFaultView {
    message: String,
    /// The line it is in, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// A line of its console.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PrintedLine"))]
struct PrintedLineView {
    level: PrintLevelView,
    text: String,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum PrintLevelView {
    Log,
    Warn,
    Error,
}

impl From<CodeOutcome> for CodeOutcomeView {
    fn from(CodeOutcome { result, lines, is_cut, took }: CodeOutcome) -> Self {
        let (result, error) = match result {
            Ok(value) => (Some(value), None),
            Err(CodeFault { message, line }) => (None, Some(CodeFaultView { message, line })),
        };
        Self {
            result,
            error,
            console: lines.into_iter().map(PrintedLineView::from).collect(),
            console_cut: is_cut,
            milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl From<PrintedLine> for PrintedLineView {
    fn from(PrintedLine { level, text }: PrintedLine) -> Self {
        let level = match level {
            PrintLevel::Log => PrintLevelView::Log,
            PrintLevel::Warn => PrintLevelView::Warn,
            PrintLevel::Error => PrintLevelView::Error,
        };
        Self { level, text }
    }
}
