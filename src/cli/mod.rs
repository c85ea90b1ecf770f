//! The command line (manual 13.1): `flowkeep <command>`. Exit 0 is good, 1 failed, 2 wrong usage; 3 is a check that could not
//! be judged.

mod ask;
mod check;
pub(crate) mod client;
mod config;
mod data;
mod history;
mod keys;
mod logging;
mod mail;
mod operator;
mod owner;
mod promote;
mod prompt;
mod publish;
mod reference;
mod serve;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod transfer;
mod users;

use crate::domain::error::Error;
use crate::settings::{Environment, Flags, LogLevel, Settings, SettingsError};
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
struct Cli {
    #[command(flatten)]
    shared: GlobalArgs,
    #[command(subcommand)]
    command: CliCommand,
}

/// Flags of every command.
#[derive(clap::Args)]
#[command(next_help_heading = "Everywhere")]
struct GlobalArgs {
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
enum CliCommand {
    Serve(serve::ServeArgs),
    Ask(ask::AskArgs),
    Check(check::CheckArgs),
    Key(keys::KeyArgs),
    Owner(owner::OwnerArgs),
    User(users::UserArgs),
    Mail(mail::MailArgs),
    History(history::HistoryArgs),
    Data(data::DataArgs),
    Backup(data::backup::BackupArgs),
    Compact(data::compact::CompactArgs),
    Verify(data::restore::VerifyArgs),
    Restore(data::restore::RestoreArgs),
    Upgrade(data::upgrade::UpgradeArgs),
    Export(transfer::ExportArgs),
    Import(transfer::ImportArgs),
    Publish(publish::PublishArgs),
    Promote(promote::PromoteArgs),
    Status(status::StatusArgs),
    Healthcheck(status::healthcheck::HealthcheckArgs),
    Doctor(status::doctor::DoctorArgs),
    Config(config::ConfigArgs),
    /// Prints the description of the API (OpenAPI, JSON)
    Openapi,
    Completions(reference::completions::CompletionsArgs),
    Man(reference::man::ManArgs),
}

/// Where the program was started, which decides whether it runs from a source checkout.
pub struct ProgramPaths {
    pub current_dir: Option<PathBuf>,
    pub program: Option<PathBuf>,
    /// What starts it again, as a worker.
    pub worker_program: PathBuf,
    /// The names of the variables that are set.
    pub variable_names: Vec<String>,
}

impl ProgramPaths {
    /// The working folder, when it is this project's source and the program was built in it.
    fn checkout(&self) -> Option<PathBuf> {
        let folder = fs::canonicalize(self.current_dir.as_ref()?).ok()?;
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
    globals: GlobalArgs,
    paths: ProgramPaths,
}

impl Context<'_> {
    /// Reads the settings; `flags` are those of the command itself.
    fn settings(&self, flags: Flags) -> Result<Settings, SettingsError> {
        Settings::from_vars(self.vars, self.flags(flags))
    }

    /// `flags` of a command with those of every command.
    fn flags(&self, flags: Flags) -> Flags {
        flags
            .with("SERVICE_DATA_DIR", "--data-dir", self.globals.data_dir.as_deref())
            .with("SERVICE_LOG", "--log", self.globals.log.as_deref())
            .with("SERVICE_LOG_FORMAT", "--log-format", self.globals.log_format.as_deref())
            .in_checkout(self.paths.checkout())
    }

    /// The settings of a command that does one thing and ends; its log shows warnings.
    fn settings_and_log(&self) -> Result<Settings, SettingsError> {
        self.settings_and_log_with(Flags::default())
    }

    /// As [`Self::settings_and_log`]; `flags` are those of the command itself.
    fn settings_and_log_with(&self, flags: Flags) -> Result<Settings, SettingsError> {
        let settings = self.settings(flags)?;
        logging::start(&settings, LogLevel::Warn, None);
        Ok(settings)
    }

    fn text(&self, flag: &Option<String>, variable: &str) -> Option<String> {
        flag.clone().or_else(|| (self.vars)(variable)).filter(|text| !text.is_empty())
    }

    /// True when the flag is given, or its variable says yes.
    fn is_switched_on(&self, flag: bool, variable: &str) -> bool {
        let yes =
            |text: String| matches!(text.trim().to_ascii_lowercase().as_str(), "on" | "true" | "1" | "yes");
        flag || (self.vars)(variable).is_some_and(yes)
    }
}

/// Why a command ended without having done its work.
enum CliError {
    /// It failed (exit 1); the text says what to do next.
    Failed(String),
    /// It was called wrongly (exit 2).
    Usage(String),
    /// A check could not be judged (exit 3).
    Unjudged(String),
    /// Whoever read its output has seen enough.
    OutputClosed,
}

impl CliError {
    fn other(text: impl Display) -> Self {
        Self::Failed(text.to_string())
    }
}

impl From<SettingsError> for CliError {
    fn from(bad: SettingsError) -> Self {
        Self::Usage(bad.to_string())
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        match error {
            // The operator is at the terminal: the cause need not hide in a log.
            Error::Internal(cause) => Self::Failed(format!("the service failed to do this: {cause}")),
            Error::Damaged(damage) => Self::Failed(format!("{damage} (It is the {}.)", damage.place())),
            other => Self::other(other),
        }
    }
}

/// Runs the command that `arguments` name, the program's own name first. `vars` looks an environment variable up.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    vars: impl Fn(&str) -> Option<String> + Clone + Send + Sync + 'static,
    paths: ProgramPaths,
) -> ExitCode {
    let args = match Cli::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version come this way too, with code 0. A closed terminal is no reason to fail further.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let environment = Environment::new(vars.clone()).with_program(paths.worker_program.clone());
    let context = Context { vars: &vars, environment, globals: args.shared, paths };
    let done = match args.command {
        CliCommand::Serve(args) => serve::run(&args, &context),
        CliCommand::Ask(args) => ask::run(&args, &context),
        CliCommand::Check(args) => check::run(&args, &context),
        CliCommand::Key(args) => keys::run(&args, &context),
        CliCommand::Owner(args) => owner::run(&args, &context),
        CliCommand::User(args) => users::run(&args, &context),
        CliCommand::Mail(args) => mail::run(&args, &context),
        CliCommand::History(args) => history::run(&args, &context),
        CliCommand::Data(args) => data::run(&args, &context),
        CliCommand::Backup(args) => data::backup::run(&args, &context),
        CliCommand::Compact(args) => data::compact::run(&args, &context),
        CliCommand::Verify(args) => data::restore::verify(&args, &context),
        CliCommand::Restore(args) => data::restore::run(&args, &context),
        CliCommand::Upgrade(args) => data::upgrade::run(&args, &context),
        CliCommand::Export(args) => transfer::export(&args, &context),
        CliCommand::Import(args) => transfer::import(&args, &context),
        CliCommand::Publish(args) => publish::run(&args, &context),
        CliCommand::Promote(args) => promote::run(&args, &context),
        CliCommand::Status(args) => status::run(&args, &context),
        CliCommand::Doctor(args) => status::doctor::run(&args, &context),
        CliCommand::Healthcheck(args) => status::healthcheck::run(&args, &context),
        CliCommand::Config(args) => config::run(&args, &context),
        CliCommand::Openapi => reference::openapi::run(),
        CliCommand::Completions(args) => reference::completions::run(&args),
        CliCommand::Man(args) => reference::man::run(&args),
    };
    match done {
        Ok(()) | Err(CliError::OutputClosed) => ExitCode::SUCCESS,
        Err(CliError::Failed(text)) => print_error(&text, 1),
        Err(CliError::Usage(text)) => print_error(&text, 2),
        Err(CliError::Unjudged(text)) => print_error(&text, 3),
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
    collect(&Cli::command(), &mut switches, &mut others);
    for names in [&mut switches, &mut others] {
        names.sort();
        names.dedup();
    }
    (switches, others)
}

fn print_error(text: &str, code: u8) -> ExitCode {
    // Nobody is left to tell when this fails.
    let _ = writeln!(io::stderr().lock(), "flowkeep: {text}");
    ExitCode::from(code)
}

/// Writes to standard output at once.
fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CliError::OutputClosed,
        _ => CliError::Failed(format!("the output could not be written: {error}")),
    })
}
