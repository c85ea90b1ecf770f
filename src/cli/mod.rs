//! The command line (manual 13.1): `flowkeep <command>`. Exit 0 is good, 1 failed, 2 wrong usage.

mod ask;
mod completions;
mod config;
mod data;
mod folder;
mod history;
mod keys;
mod logging;
mod openapi;
mod operator;
mod owner;
mod prompt;
mod publish;
mod serve;
mod table;
#[cfg(test)]
mod tests;
mod transfer;
mod users;

use crate::domain::error::Error;
use crate::settings::{BadSetting, Environment, Flags, LogLevel, Settings};
use clap::{ArgAction, CommandFactory as _, Parser, Subcommand};
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// Hosts LLM flows in one binary: drafts, versions, and answers over HTTP.
///
/// Every setting is an environment variable too; a flag wins over its variable.
#[derive(Parser)]
#[command(
    name = "flowkeep",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Args {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command.
#[derive(clap::Args)]
#[command(next_help_heading = "Everywhere")]
struct Shared {
    /// Folder that holds the data [env: SERVICE_DATA_DIR] [default: ~/.flowkeep]
    #[arg(long, global = true, value_name = "FOLDER")]
    data_dir: Option<String>,
    /// What the log shows, such as info,flowkeep::net=debug [env: SERVICE_LOG]
    #[arg(long, global = true, value_name = "LEVELS")]
    log: Option<String>,
    /// Form of a log line: human, json, or auto [env: SERVICE_LOG_FORMAT]
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Args),
    Ask(ask::Args),
    Key(keys::Args),
    Owner(owner::Args),
    User(users::Args),
    History(history::Args),
    Data(data::Args),
    Export(transfer::Export),
    Import(transfer::Import),
    Publish(publish::Args),
    Config(config::Args),
    /// Prints the description of the API (OpenAPI, JSON)
    Openapi,
    Completions(completions::Args),
}

/// Where the program was started, which decides whether it runs from a source checkout.
pub struct Place {
    /// The working folder.
    pub folder: Option<PathBuf>,
    /// The program itself.
    pub program: Option<PathBuf>,
    /// What starts it again, as a worker.
    pub workers: PathBuf,
    /// The names of the variables that are set.
    pub variables: Vec<String>,
}

impl Place {
    /// The working folder, when it is this project's source and the program was built in it.
    fn checkout(&self) -> Option<PathBuf> {
        let folder = fs::canonicalize(self.folder.as_ref()?).ok()?;
        let program = fs::canonicalize(self.program.as_ref()?).ok()?;
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let ours =
            manifest.lines().any(|line| line.trim() == concat!("name = \"", env!("CARGO_PKG_NAME"), "\""));
        (ours && program.starts_with(folder.join("target"))).then_some(folder)
    }
}

/// Everything a command may know of its surroundings.
struct Context<'a> {
    vars: &'a dyn Fn(&str) -> Option<String>,
    environment: Environment,
    shared: Shared,
    place: Place,
}

impl Context<'_> {
    /// Reads the settings; `flags` are those of the command itself.
    fn settings(&self, flags: Flags) -> Result<Settings, BadSetting> {
        Settings::from_vars(self.vars, self.flags(flags))
    }

    /// `flags` of a command with those of every command.
    fn flags(&self, flags: Flags) -> Flags {
        flags
            .with("SERVICE_DATA_DIR", "--data-dir", self.shared.data_dir.as_deref())
            .with("SERVICE_LOG", "--log", self.shared.log.as_deref())
            .with("SERVICE_LOG_FORMAT", "--log-format", self.shared.log_format.as_deref())
            .in_checkout(self.place.checkout())
    }

    /// The settings of a command that does one thing and ends; its log shows warnings.
    fn settings_and_log(&self) -> Result<Settings, BadSetting> {
        let settings = self.settings(Flags::default())?;
        logging::start(&settings, LogLevel::Warn, None);
        Ok(settings)
    }

    /// The flag, or its variable.
    fn text(&self, flag: &Option<String>, variable: &str) -> Option<String> {
        flag.clone().or_else(|| (self.vars)(variable)).filter(|text| !text.is_empty())
    }

    /// True when the flag is given, or its variable says yes.
    fn switch(&self, flag: bool, variable: &str) -> bool {
        let yes =
            |text: String| matches!(text.trim().to_ascii_lowercase().as_str(), "on" | "true" | "1" | "yes");
        flag || (self.vars)(variable).is_some_and(yes)
    }
}

/// Why a command ended without having done its work.
enum Failure {
    /// It failed (exit 1); the text says what to do next.
    Failed(String),
    /// It was called wrongly (exit 2).
    Usage(String),
    /// Whoever read its output has seen enough.
    ReaderLeft,
}

impl Failure {
    fn failed(text: impl Display) -> Self {
        Self::Failed(text.to_string())
    }
}

impl From<BadSetting> for Failure {
    fn from(bad: BadSetting) -> Self {
        Self::Usage(bad.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            // The operator is at the terminal: the cause need not hide in a log.
            Error::Internal(cause) => Self::Failed(format!("the service failed to do this: {cause}")),
            Error::Damaged(damage) => Self::Failed(format!("{damage} (It is the {}.)", damage.place())),
            other => Self::failed(other),
        }
    }
}

/// Runs the command that `arguments` name, the program's own name first. `vars` looks an environment variable up.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    vars: impl Fn(&str) -> Option<String> + Clone + Send + Sync + 'static,
    place: Place,
) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version come this way too, with code 0. A closed terminal is no reason to fail further.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let environment = Environment::new(vars.clone()).with_program(place.workers.clone());
    let context = Context { vars: &vars, environment, shared: args.shared, place };
    let done = match args.command {
        Command::Serve(args) => serve::run(&args, &context),
        Command::Ask(args) => ask::run(&args, &context),
        Command::Key(args) => keys::run(&args, &context),
        Command::Owner(args) => owner::run(&args, &context),
        Command::User(args) => users::run(&args, &context),
        Command::History(args) => history::run(&args, &context),
        Command::Data(args) => data::run(&args, &context),
        Command::Export(args) => transfer::export(&args, &context),
        Command::Import(args) => transfer::import(&args, &context),
        Command::Publish(args) => publish::run(&args, &context),
        Command::Config(args) => config::run(&args, &context),
        Command::Openapi => openapi::run(),
        Command::Completions(args) => completions::run(&args),
    };
    match done {
        Ok(()) | Err(Failure::ReaderLeft) => ExitCode::SUCCESS,
        Err(Failure::Failed(text)) => complain(&text, 1),
        Err(Failure::Usage(text)) => complain(&text, 2),
    }
}

/// The variables of flags: those that say yes or no, and the others. Each flag names its own in its help.
fn variables_of_commands() -> (Vec<String>, Vec<String>) {
    fn collect(command: &clap::Command, switches: &mut Vec<String>, others: &mut Vec<String>) {
        for flag in command.get_arguments() {
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            let Some((_, named)) = help.split_once("[env: ") else { continue };
            let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            let (name, rest) = named.split_at(named.find(|c| !is_name(c)).unwrap_or(named.len()));
            let is_switch = matches!(flag.get_action(), ArgAction::SetTrue) && !rest.starts_with('=');
            if is_switch { &mut *switches } else { &mut *others }.push(name.to_owned());
        }
        command.get_subcommands().for_each(|inner| collect(inner, switches, others));
    }
    let (mut switches, mut others) = (Vec::new(), Vec::new());
    collect(&Args::command(), &mut switches, &mut others);
    for names in [&mut switches, &mut others] {
        names.sort();
        names.dedup();
    }
    (switches, others)
}

fn complain(text: &str, code: u8) -> ExitCode {
    // Nobody is left to tell when this fails.
    let _ = writeln!(io::stderr().lock(), "flowkeep: {text}");
    ExitCode::from(code)
}

/// Writes to standard output at once.
fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderLeft,
        _ => Failure::Failed(format!("the output could not be written: {error}")),
    })
}
