//! `flowkeep doctor`: everything that can be looked at without changing anything, a line for each thing. What is wrong with one does
//! not keep the others from being looked at. `--fix` puts right before what needs no backup for that.

use crate::cli::config::setting_warnings;
use crate::cli::data::folder::{Audience, folder_problem};
use crate::cli::operator::{ask_service, execute, unexpected_reply};
use crate::cli::table::{json_lines, replace_controls, table};
use crate::cli::{CliError, Context, print};
use crate::ops::service::backup;
use crate::ops::service::control::OperatorCommand;
use crate::ops::service::data_folder;
use crate::ops::service::upgrade::{self, UpgradePlan};
use crate::settings::{MailPassword, Settings};
use crate::wire::service::operator::CommandReply;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;

/// With less of the disk free than this, files are not stored any more.
const DISK_LOW_BYTES: u64 = 256 * 1024 * 1024;
/// A stream takes three files, and a server has a thousand of them in a busy hour.
#[cfg(unix)]
const OPEN_FILES_MIN: u64 = 4_096;

/// Looks at settings, folder, disk, database, files, history and backups, and says what is wrong
///
/// Without --fix nothing is changed. With it, what can be put right without a backup is: folders that are open to other users, files that
/// no record names, and the list of versions where git says otherwise. What is going to be done is said before.
#[derive(clap::Args)]
pub(in crate::cli) struct DoctorArgs {
    /// Print what was found as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
    /// Put right what can be put right, and say before what that is [env: SERVICE_DOCTOR_FIX]
    #[arg(long)]
    fix: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    /// It works, and somebody should know.
    Warning,
    Failed,
}

impl Verdict {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    text: String,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, check: &'static str, verdict: Verdict, text: impl Into<String>) {
        self.0.push(Finding { check, verdict, text: replace_controls(&text.into()) });
    }

    /// A finding for each of these, or one that says that all is well.
    fn add_all(&mut self, check: &'static str, verdict: Verdict, texts: Vec<String>, fine: &str) {
        if texts.is_empty() {
            self.add(check, Verdict::Ok, fine);
        }
        texts.into_iter().for_each(|text| self.add(check, verdict, text));
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.0.iter().filter(|finding| finding.verdict == verdict).count()
    }
}

pub(in crate::cli) fn run(args: &DoctorArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    if context.is_switched_on(args.fix, "SERVICE_DOCTOR_FIX") {
        repair(&settings, context)?;
    }
    let mut findings = Findings::default();
    findings.add_all("settings", Verdict::Warning, setting_warnings(context), "Every setting can be used.");
    if let Some(why) = folder_problem(&settings.data_dir, Audience::Operator) {
        findings.add("folder", Verdict::Failed, why);
    } else if !settings.database().exists() {
        let why =
            format!("There is no data in {}: nothing was started here yet.", settings.data_dir.display());
        findings.add("folder", Verdict::Warning, why);
    } else {
        look_at_folder(&settings, &mut findings);
        look_at_service(&settings, &mut findings);
        if let Some(due) = due_upgrade(&settings) {
            findings.add("upgrade", Verdict::Warning, due);
        } else {
            look_at_data(&settings, context, &mut findings);
            look_at_history(&settings, context, &mut findings);
            look_at_repairs(&settings, context, &mut findings);
        }
    }
    look_at_upgrade_copy(&settings, &mut findings);
    look_at_backups(&settings, &mut findings);
    look_at_mail(&settings, &mut findings);
    look_at_limits(&mut findings);
    if context.is_switched_on(args.json, "SERVICE_JSON") {
        print(&json_lines(&serde_json::to_value(&findings.0).map_err(CliError::other)?)?)?;
    } else {
        let row =
            |found: &Finding| [found.check.to_owned(), found.verdict.as_str().to_owned(), found.text.clone()];
        print(&table(["CHECK", "VERDICT", "WHAT"], findings.0.iter().map(row)))?;
    }
    match findings.count(Verdict::Failed) {
        0 => Ok(()),
        failed => Err(CliError::Failed(format!("{failed} of what was looked at is not in order"))),
    }
}

fn look_at_folder(settings: &Settings, findings: &mut Findings) {
    let folder = settings.data_dir.as_path();
    let open = data_folder::open_folders(settings);
    let open = open.iter().map(|path| format!("{} is open to other users.", path.display())).collect();
    findings.add_all("folder", Verdict::Warning, open, "The data folder is for its user alone.");
    match data_folder::free_bytes(folder) {
        Ok(Some(free)) => {
            let shown = format!("{} MB are free where the data folder lies.", free / (1024 * 1024));
            let verdict = if free < DISK_LOW_BYTES { Verdict::Warning } else { Verdict::Ok };
            findings.add("disk", verdict, shown);
        }
        Ok(None) => {}
        Err(error) => {
            findings.add("disk", Verdict::Failed, format!("The disk does not say what is free: {error}."));
        }
    }
}

fn look_at_service(settings: &Settings, findings: &mut Findings) {
    match ask_service(settings, &OperatorCommand::Status) {
        Ok(Some(CommandReply::Status { version, process_id, .. })) => {
            let own = env!("CARGO_PKG_VERSION");
            let verdict = if version == own { Verdict::Ok } else { Verdict::Warning };
            let other = if version == own { String::new() } else { format!(", and this program is {own}") };
            findings.add(
                "service",
                verdict,
                format!("Flowkeep {version} runs (process {process_id}){other}."),
            );
        }
        Ok(_) => findings.add("service", Verdict::Ok, "No service runs on this data folder."),
        Err(error) => findings.add("service", Verdict::Failed, sentence(error)),
    }
}

fn texts(answer: &Value, list: &str) -> Vec<String> {
    let all = answer[list].as_array().into_iter().flatten().filter_map(Value::as_str);
    all.map(str::to_owned).collect()
}

fn sentence(error: CliError) -> String {
    match error {
        CliError::Failed(text) | CliError::Usage(text) | CliError::Unjudged(text) => text,
        CliError::OutputClosed => String::new(),
    }
}

/// Rows, files, the secrets without which nothing of them opens, and the clock.
fn look_at_data(settings: &Settings, context: &Context<'_>, findings: &mut Findings) {
    match execute(settings.clone(), context, OperatorCommand::DataVerify) {
        Ok(CommandReply::Data { answer }) => {
            let fine = format!("{} rows and {} files are what was stored.", answer["rows"], answer["files"]);
            findings.add_all("data", Verdict::Failed, texts(&answer, "problems"), &fine);
            findings.add_all(
                "clock",
                Verdict::Warning,
                texts(&answer, "warnings"),
                "The clock goes as it should.",
            );
        }
        Ok(_) => findings.add("data", Verdict::Failed, "The service answered something else."),
        Err(error) => findings.add("data", Verdict::Failed, sentence(error)),
    }
}

fn look_at_history(settings: &Settings, context: &Context<'_>, findings: &mut Findings) {
    match execute(settings.clone(), context, OperatorCommand::HistoryVerify) {
        Ok(CommandReply::History { answer }) => {
            let fine = format!("{} versions, {} objects.", answer["versions"], answer["objects"]);
            findings.add_all("history", Verdict::Failed, texts(&answer, "problems"), &fine);
        }
        Ok(_) => findings.add("history", Verdict::Failed, "The service answered something else."),
        Err(error) => findings.add("history", Verdict::Failed, sentence(error)),
    }
}

/// What can be put right, in sentences; with `apply` it was.
fn repairs(settings: &Settings, context: &Context<'_>, apply: bool) -> Result<Vec<String>, CliError> {
    match execute(settings.clone(), context, OperatorCommand::DataRepair { apply })? {
        CommandReply::Data { answer } => serde_json::from_value(answer).map_err(CliError::other),
        _ => Err(unexpected_reply()),
    }
}

/// Why the rows of a folder are not read, when an older program wrote it: opening the database would bring it to the format of this
/// one, and who only looks does not expect that. A running service has done it already.
fn due_upgrade(settings: &Settings) -> Option<String> {
    match upgrade::plan(settings) {
        Ok(UpgradePlan::Due { found, .. }) => Some(format!(
            "The data is in format {found}, as an older program left it: run 'flowkeep upgrade' first, then this again to look at data \
             and history."
        )),
        Ok(UpgradePlan::None { .. }) | Err(_) => None,
    }
}

fn repair(settings: &Settings, context: &Context<'_>) -> Result<(), CliError> {
    if let Some(due) = due_upgrade(settings) {
        return Err(CliError::Failed(due));
    }
    // What is found goes to standard output, which may be read by a program.
    let tell = |when: &str, sentences: &[String]| {
        for sentence in sentences {
            eprintln!("{when}: {}", replace_controls(sentence));
        }
    };
    let planned = repairs(settings, context, false)?;
    tell("to do", &planned);
    if planned.is_empty() {
        eprintln!("There is nothing to put right.");
        return Ok(());
    }
    tell("done", &repairs(settings, context, true)?);
    Ok(())
}

fn look_at_repairs(settings: &Settings, context: &Context<'_>, findings: &mut Findings) {
    match repairs(settings, context, false) {
        Ok(found) => {
            let texts = found.into_iter().map(|text| format!("'flowkeep doctor --fix' does this: {text}."));
            findings.add_all("repairs", Verdict::Warning, texts.collect(), "There is nothing to put right.");
        }
        Err(error) => findings.add("repairs", Verdict::Failed, sentence(error)),
    }
}

/// It takes room until somebody removes it.
fn look_at_upgrade_copy(settings: &Settings, findings: &mut Findings) {
    let folder = upgrade::copy_folder(settings);
    if folder.exists() {
        let what = format!("The database as it was before the last upgrade is in {}.", folder.display());
        findings.add("upgrade", Verdict::Ok, what);
    }
}

/// One that is due twice over was not made.
fn look_at_backups(settings: &Settings, findings: &mut Findings) {
    if let Some(file) = settings.backups.passphrase_file.as_deref()
        && let Err(error) = backup::passphrase_file::load(file)
    {
        findings.add("backups", Verdict::Failed, format!("No backup is made: {error}."));
    }
    let Some(folder) = settings.backups.folder.as_deref() else {
        let what = "The service makes no backups by itself; SERVICE_BACKUP_TO names a folder for them.";
        return findings.add("backups", Verdict::Warning, what);
    };
    match backup::scheduled::newest_in(folder) {
        Err(error) => {
            findings.add(
                "backups",
                Verdict::Failed,
                format!("{} cannot be read: {error}.", folder.display()),
            );
        }
        Ok(None) => {
            findings.add("backups", Verdict::Warning, format!("There is none in {} yet.", folder.display()));
        }
        Ok(Some(newest)) => {
            let age = Timestamp::now().duration_since(newest);
            let hours = i64::try_from(settings.backups.hours).unwrap_or(i64::MAX);
            let is_late = age > SignedDuration::from_hours(hours.saturating_mul(2).min(1_000_000));
            let verdict = if is_late { Verdict::Warning } else { Verdict::Ok };
            findings.add("backups", verdict, format!("The newest is {} hours old.", age.as_hours().max(0)));
        }
    }
}

/// Nothing is sent by looking: 'flowkeep mail test' does that.
fn look_at_mail(settings: &Settings, findings: &mut Findings) {
    let Some(mail) = &settings.mail else { return };
    match mail.sign_in.as_ref().map(|sign_in| &sign_in.password) {
        Some(MailPassword::File(path)) if let Err(error) = backup::passphrase_file::read(path) => {
            findings.add("mail", Verdict::Failed, format!("No mail is sent: {} {error}.", path.display()));
        }
        _ => {
            let what =
                format!("Mail goes to {}; 'flowkeep mail test ADDRESS' sends a message.", mail.server());
            findings.add("mail", Verdict::Ok, what);
        }
    }
}

#[cfg(unix)]
fn look_at_limits(findings: &mut Findings) {
    use rustix::process::{Resource, getrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    match most {
        Some(most) if most < OPEN_FILES_MIN => {
            let what =
                format!("A process may open {most} files here: raise that to {OPEN_FILES_MIN} or more.");
            findings.add("limits", Verdict::Warning, what);
        }
        _ => findings.add("limits", Verdict::Ok, "A process may open as many files as streams want."),
    }
}

#[cfg(not(unix))]
const fn look_at_limits(_: &mut Findings) {}
