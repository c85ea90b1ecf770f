//! Runs code that somebody tries while they write it (manual 11.7): with example values, and without anything of a flow.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::service::code_trial::{CodeFault, CodeOutcome, CodeTrial, PrintLevel, PrintedLine};
use crate::script::{ConsoleLevel, ConsoleLine, GuardedFetch, ScriptError, ScriptScope, Tenant};
use std::sync::Arc;
use std::time::Instant;

/// Runs it under the limits of every run of code. It finds what it is given and nothing else: no variables of the workspace,
/// no credentials, so no databases, and no tools.
#[must_use]
pub(crate) fn run(app: &App, caller: &Caller, trial: &CodeTrial, cancel: &CancelToken) -> CodeOutcome {
    let scope = ScriptScope {
        tenant: Tenant(*caller.workspace.bytes()),
        inputs: trial.inputs.clone(),
        vars: trial.variables.clone(),
        flow: trial.flow.clone(),
        fetch: Some(Arc::new(GuardedFetch::new(app.outgoing.clone()))),
    };
    let began = Instant::now();
    let ran = app.scripts.run(&trial.source, &scope, cancel);
    CodeOutcome {
        result: ran.result.map_err(|error| fault(&error)),
        lines: ran.console.lines.into_iter().map(printed).collect(),
        is_cut: ran.console.cut,
        took: began.elapsed(),
    }
}

fn fault(error: &ScriptError) -> CodeFault {
    let line = match error {
        ScriptError::Syntax { line, .. } | ScriptError::Threw { line, .. } => *line,
        _ => None,
    };
    CodeFault { message: error.to_string(), line }
}

fn printed(ConsoleLine { loudness, text }: ConsoleLine) -> PrintedLine {
    let level = match loudness {
        ConsoleLevel::Log => PrintLevel::Log,
        ConsoleLevel::Warn => PrintLevel::Warn,
        ConsoleLevel::Error => PrintLevel::Error,
    };
    PrintedLine { level, text }
}
