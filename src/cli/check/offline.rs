//! A check of two files, without a service.

use super::super::ask::read_file;
use super::super::{CliError, Context};
use super::CheckTarget;
use crate::domain::checks::check::{CHECK_REPEAT_MAX, CheckLimits, CheckOptions, QuestionRow};
use crate::domain::error::Error;
use crate::ops::checks::files::FileCheck;
use crate::ops::predictions::offline::{
    GivenCredential, OfflineFlow, OfflineRequest, OfflineServices, refuse_unused,
};
use crate::settings::Settings;
use crate::wire::checks::check::CheckView;
use serde_json::Value;

/// The flows of both sides.
pub(super) struct Files<'a> {
    pub(super) live: &'a str,
    pub(super) draft: &'a str,
    /// Which flow of them, where they hold several.
    pub(super) name: Option<&'a str>,
    pub(super) credentials: Vec<GivenCredential>,
}

/// Asks both flows here, and gives what a service would answer.
pub(super) fn check(
    files: &Files<'_>,
    context: &Context<'_>,
    settings: &Settings,
    wanted: &CheckTarget,
) -> Result<Value, CliError> {
    let questions = questions(wanted)?;
    let options = options(wanted)?;
    let (live, draft) = (files.read(files.live)?, files.read(files.draft)?);
    refuse_unused(&[&live, &draft], &files.credentials).map_err(wrong)?;
    let services = OfflineServices::new(settings, context.environment.program()).map_err(CliError::from)?;
    let seconds =
        if wanted.control { settings.check_control_seconds_max } else { settings.check_seconds_max };
    let lower = |most: u64, wanted: Option<u64>| wanted.map_or(most, |wanted| wanted.min(most));
    let limits = CheckLimits::new(
        lower(settings.check_tokens_max, wanted.max_tokens),
        lower(seconds, wanted.max_seconds),
    );
    let check = FileCheck {
        services: &services,
        live: &live,
        draft: &draft,
        questions,
        options,
        limits,
        include_risky_steps: wanted.include_risky_steps,
    };
    let check = check.run().map_err(|error| match error {
        Error::Invalid(text) => CliError::Usage(text),
        other => CliError::Unjudged(with_flag(&other)),
    })?;
    let view = CheckView::new(check, false);
    serde_json::to_value(view).map_err(CliError::other)
}

impl Files<'_> {
    fn read(&self, file: &str) -> Result<OfflineFlow, CliError> {
        read(file, self.name, &self.credentials)
    }
}

/// The flow of a file, or the one of this name where it holds several.
pub(super) fn read(
    file: &str,
    flow: Option<&str>,
    credentials: &[GivenCredential],
) -> Result<OfflineFlow, CliError> {
    let text =
        read_file(file).map_err(|error| CliError::Usage(format!("{file} could not be read: {error}")))?;
    let asked = OfflineRequest { file: &text, flow, credentials: credentials.to_vec() };
    OfflineFlow::read(&asked).map_err(|error| CliError::Usage(format!("{file}: {error}")))
}

fn wrong(error: Error) -> CliError {
    CliError::Usage(error.to_string())
}

/// What the service refuses names a field of a request; here it is a flag.
fn with_flag(error: &Error) -> String {
    error.to_string().replace("includeRiskySteps: true", "--include-risky-steps")
}

fn questions(wanted: &CheckTarget) -> Result<Vec<QuestionRow>, CliError> {
    let questions = wanted.questions.clone();
    questions.ok_or_else(|| CliError::Usage("without a service give questions with --questions".to_owned()))
}

fn options(wanted: &CheckTarget) -> Result<CheckOptions, CliError> {
    let repeat = usize::try_from(wanted.repeat).ok().filter(|repeat| *repeat <= CHECK_REPEAT_MAX);
    let repeat =
        repeat.ok_or_else(|| CliError::Usage(format!("--repeat must be from 1 to {CHECK_REPEAT_MAX}")))?;
    Ok(CheckOptions { control: wanted.control, repeat, confirms: true })
}
