//! `flowkeep check`: Live and the draft, or versions of a flow, are asked the same questions, by a running service or from two
//! files.

mod interrupt;
mod junit;
mod offline;
mod outcome;
mod questions;
mod service;

use self::outcome::{Ending, Outcome};
use super::ask::{parse_credentials, read_file};
use super::table::json_lines;
use super::{CliError, Context, print};
use crate::domain::checks::check::{QuestionRow, WantedSide};
use crate::settings::{Flags, LogLevel};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Asks Live and the draft of a flow the same questions, and says whether they differ by more than Live's own mood
///
/// Ends with 0 when nothing is reported, 1 when a change is, 2 when arguments or files cannot be used, and 3 when the check
/// could not be judged.
#[derive(clap::Args)]
#[command(
    override_usage = "flowkeep check [OPTIONS] <FLOW>\n       flowkeep check [OPTIONS] --live <FILE> --draft <FILE> --questions <FILE>"
)]
pub(super) struct CheckArgs {
    /// Id of the flow, or its name together with a key that may view flows
    #[arg(conflicts_with_all = ["live", "draft"])]
    flow: Option<String>,
    /// Address of the service [env: SERVICE_URL] [default: where the service of the data folder listens]
    #[arg(long, conflicts_with_all = ["live", "draft"])]
    url: Option<String>,
    /// API key; without one the service of the data folder is asked as its operator [env: SERVICE_API_KEY]
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["live", "draft"])]
    key: Option<String>,
    /// What stands: `live`, `draft`, the id of a version, or a file with a flow [env: SERVICE_CHECK_LEFT] [default: live]
    #[arg(long, value_name = "SIDE", conflicts_with_all = ["live", "draft"])]
    left: Option<String>,
    /// What is to take its place: `draft`, `live`, the id of a version, or a file [env: SERVICE_CHECK_RIGHT] [default: draft]
    #[arg(long, value_name = "SIDE", conflicts_with_all = ["live", "draft"])]
    right: Option<String>,
    /// File of questions: a question a line, or JSON as the service keeps questions [env: SERVICE_CHECK_QUESTIONS]
    /// [default: what people asked lately]
    #[arg(long, value_name = "FILE")]
    questions: Option<String>,
    /// Ask the questions first that are kept for the flow [env: SERVICE_CHECK_USE_KEPT]
    #[arg(long, conflicts_with_all = ["live", "draft"])]
    use_kept: bool,
    /// Do not ask Live once more to learn how much it differs from itself [env: SERVICE_CHECK_NO_CONTROL]
    #[arg(long)]
    no_control: bool,
    /// How often the draft answers each question, 1 to 5 [env: SERVICE_CHECK_REPEAT]
    #[arg(long, value_name = "N")]
    repeat: Option<String>,
    /// Run steps that may do something to the world as well [env: SERVICE_CHECK_INCLUDE_RISKY_STEPS]
    #[arg(long)]
    include_risky_steps: bool,
    /// Stop after so many tokens; never more than the service allows [env: SERVICE_CHECK_TOKENS]
    #[arg(long, value_name = "N")]
    max_tokens: Option<String>,
    /// Stop after so many seconds; never more than the service allows [env: SERVICE_CHECK_SECONDS]
    #[arg(long, value_name = "N")]
    max_seconds: Option<String>,
    /// Print the whole check as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
    /// Write the result as JUnit's XML too [env: SERVICE_CHECK_JUNIT]
    #[arg(long, value_name = "FILE")]
    junit: Option<String>,
    /// The flow as it stands: a canvas, a starter or an export [env: SERVICE_CHECK_LIVE]
    #[arg(long, value_name = "FILE", help_heading = "Without a service")]
    live: Option<String>,
    /// The flow as it is to become [env: SERVICE_CHECK_DRAFT]
    #[arg(long, value_name = "FILE", help_heading = "Without a service")]
    draft: Option<String>,
    /// Which flow of the files, where they hold several [env: SERVICE_FLOW_NAME]
    #[arg(long)]
    name: Option<String>,
    /// What the files' cards sign in with, such as openAIApi=openAIApiKey:KEY; repeat for more; others on this machine may
    /// see it in the list of processes [env: SERVICE_ASK_CREDENTIALS, one a line]
    #[arg(long = "credential", value_name = "NAME=FIELD:VALUE", help_heading = "Without a service")]
    credentials: Vec<String>,
}

/// What is asked, wherever it is asked.
struct CheckTarget {
    left: Option<WantedSide>,
    right: Option<WantedSide>,
    /// `None` asks what people asked lately.
    questions: Option<Vec<QuestionRow>>,
    use_kept: bool,
    control: bool,
    repeat: u64,
    include_risky_steps: bool,
    max_tokens: Option<u64>,
    max_seconds: Option<u64>,
}

pub(super) fn run(args: &CheckArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings(Flags::default())?;
    super::logging::start(&settings, LogLevel::Warn, None);
    let wanted = CheckTarget::read(args, context)?;
    let junit = context.text(&args.junit, "SERVICE_CHECK_JUNIT");
    junit.as_deref().map_or(Ok(()), require_writable)?;
    let files =
        (context.text(&args.live, "SERVICE_CHECK_LIVE"), context.text(&args.draft, "SERVICE_CHECK_DRAFT"));
    let (check, name) = match (&args.flow, files) {
        (Some(flow), _) => (service::check(args, context, &settings, flow, &wanted)?, flow.clone()),
        (None, (Some(live), Some(draft))) => {
            let credentials = parse_credentials(&args.credentials, context)?;
            let name = context.text(&args.name, "SERVICE_FLOW_NAME");
            let files = offline::Files { live: &live, draft: &draft, name: name.as_deref(), credentials };
            (offline::check(&files, context, &settings, &wanted)?, draft)
        }
        (None, _) => {
            return Err(CliError::Usage("give the flow, or two files with --live and --draft".to_owned()));
        }
    };
    let is_json = context.is_switched_on(args.json, "SERVICE_JSON");
    let outcome = Outcome::new(&check);
    print(&if is_json { json_lines(&check)? } else { outcome.render() })?;
    if let Some(file) = junit {
        fs::write(&file, junit::render(&outcome, &name)).map_err(|error| unwritable(&file, &error))?;
    }
    conclude(&outcome)
}

/// Finds a file that cannot be written before the questions are paid for.
fn require_writable(file: &str) -> Result<(), CliError> {
    let is_new = !Path::new(file).exists();
    let opened = OpenOptions::new().append(true).create(true).open(file);
    drop(opened.map_err(|error| unwritable(file, &error))?);
    // Whoever reads results takes an empty file for a broken one.
    if is_new { fs::remove_file(file).map_err(|error| unwritable(file, &error)) } else { Ok(()) }
}

fn unwritable(file: &str, error: &io::Error) -> CliError {
    CliError::Usage(format!("{file} could not be written: {error}"))
}

/// Ends as what came of it says.
fn conclude(outcome: &Outcome<'_>) -> Result<(), CliError> {
    match outcome.ending {
        Ending::Clean => Ok(()),
        Ending::Reported => Err(CliError::Failed("the check reports a change".to_owned())),
        Ending::Unjudged => Err(CliError::Unjudged(outcome.obstacle())),
    }
}

/// A side as the service is told it: what is a file's name is the canvas of that file.
fn side(wanted: Option<String>, flow: Option<&str>) -> Result<Option<WantedSide>, CliError> {
    let Some(wanted) = wanted else { return Ok(None) };
    if !wanted.contains(['/', '\\', '.']) {
        return Ok(Some(WantedSide::Named(wanted)));
    }
    let flow = offline::read(&wanted, flow, &[])?;
    Ok(Some(WantedSide::Canvas(serde_json::Value::Object(flow.canvas.raw().clone()).to_string())))
}

impl CheckTarget {
    fn read(args: &CheckArgs, context: &Context<'_>) -> Result<Self, CliError> {
        let flow = context.text(&args.name, "SERVICE_FLOW_NAME");
        let file = context.text(&args.questions, "SERVICE_CHECK_QUESTIONS");
        let questions = file.map(|file| {
            let text = read_file(&file)
                .map_err(|error| CliError::Usage(format!("{file} could not be read: {error}")))?;
            questions::parse(&text)
        });
        let number = |flag: &Option<String>, variable: &str, name: &str| {
            let parse = |text: String| {
                let number = text.trim().parse::<u64>().ok().filter(|number| *number > 0);
                number.ok_or_else(|| CliError::Usage(format!("{name} must be a whole number above 0")))
            };
            context.text(flag, variable).map(parse).transpose()
        };
        Ok(Self {
            left: side(context.text(&args.left, "SERVICE_CHECK_LEFT"), flow.as_deref())?,
            right: side(context.text(&args.right, "SERVICE_CHECK_RIGHT"), flow.as_deref())?,
            questions: questions.transpose()?,
            use_kept: context.is_switched_on(args.use_kept, "SERVICE_CHECK_USE_KEPT"),
            control: !context.is_switched_on(args.no_control, "SERVICE_CHECK_NO_CONTROL"),
            repeat: number(&args.repeat, "SERVICE_CHECK_REPEAT", "--repeat")?.unwrap_or(1),
            include_risky_steps: context
                .is_switched_on(args.include_risky_steps, "SERVICE_CHECK_INCLUDE_RISKY_STEPS"),
            max_tokens: number(&args.max_tokens, "SERVICE_CHECK_TOKENS", "--max-tokens")?,
            max_seconds: number(&args.max_seconds, "SERVICE_CHECK_SECONDS", "--max-seconds")?,
        })
    }
}
