//! `flowkeep verify` and `flowkeep restore`: whether a backup is whole, and a data folder made of one.

use super::STANDARD_STREAM;
use super::folder::{Audience, folder_problem};
use super::passphrase::PassphraseArgs;
use crate::cli::table::replace_controls;
use crate::cli::{CliError, Context, print};
use crate::domain::service::passphrase::Passphrase;
use crate::ops::service::backup::examine::{self, BackupFindings};
use crate::ops::service::backup::restore;
use crate::settings::{Flags, Settings};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Checks a backup to its last byte, without restoring it
///
/// It is unpacked into the temporary folder (TMPDIR), which needs room for all of it meanwhile.
#[derive(clap::Args)]
pub(in crate::cli) struct VerifyArgs {
    /// The backup, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

/// Makes the data folder what a backup holds
#[derive(clap::Args)]
pub(in crate::cli) struct RestoreArgs {
    /// The backup, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Restore over a data folder that is in use, which keeps what was there beside it [env: SERVICE_RESTORE_REPLACE]
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

pub(in crate::cli) fn verify(args: &VerifyArgs, context: &Context<'_>) -> Result<(), CliError> {
    let temporary = tempfile::env::temp_dir();
    // No other folder is looked into, so no home folder is asked for.
    let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", temporary.to_str());
    let settings = context.settings_and_log_with(flags)?;
    let passphrase = args.passphrase.for_archive(context, &args.file)?;
    let findings = examine::verify(open(&args.file)?, passphrase.as_ref(), &temporary, &settings)?;
    let unused = render_unused(passphrase.as_ref(), &findings);
    let described = describe(&findings);
    print(&format!("The backup is whole: {described}{unused}{}", render_findings(&findings)))?;
    if findings.damages.is_empty() {
        return Ok(());
    }
    Err(CliError::Failed(format!(
        "{} of what the backup holds was damaged already when it was made; everything else can be restored",
        findings.damages.len()
    )))
}

pub(in crate::cli) fn run(args: &RestoreArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    if let Some(why) = folder_problem(&settings.data_dir, Audience::Operator) {
        return Err(CliError::Failed(why));
    }
    let replaces = context.is_switched_on(args.replace, "SERVICE_RESTORE_REPLACE");
    let passphrase = args.passphrase.for_archive(context, &args.file)?;
    let result = restore::restore(open(&args.file)?, passphrase.as_ref(), &settings, replaces)?;
    let folder = settings.data_dir.display();
    let mut told = format!("Restored into {folder}: {}", describe(&result.findings));
    told.push_str(render_unused(passphrase.as_ref(), &result.findings));
    // Writing to a text cannot fail.
    if let Some(kept) = &result.kept {
        let _ = writeln!(
            told,
            "What was there before is in {folder}/{kept}; remove it when the restored one works."
        );
    }
    if result.keeps_secrets {
        let _ = writeln!(told, "The secrets that were there stay, because the backup has none.");
    }
    told.push_str(&render_findings(&result.findings));
    told.push_str(&render_closed(&result.findings, &settings));
    print(&told)
}

fn open(file: &Path) -> Result<Box<dyn Read>, CliError> {
    if file == Path::new(STANDARD_STREAM) {
        return Ok(Box::new(io::stdin()));
    }
    let failed = |error| CliError::Failed(format!("{} cannot be read: {error}", file.display()));
    let opened = File::open(file).map_err(failed)?;
    if opened.metadata().map_err(failed)?.is_dir() {
        return Err(CliError::Failed(format!("{} is a folder and no backup", file.display())));
    }
    Ok(Box::new(opened))
}

fn describe(findings: &BackupFindings) -> String {
    let (head, summary) = (&findings.summary.head, &findings.summary);
    let secrets = if head.has_secrets { "with" } else { "without" };
    let encrypted = if findings.is_encrypted { ", encrypted" } else { "" };
    format!(
        "as of {}, made by flowkeep {}, {secrets} secrets{encrypted}; {} files, {} bytes, {} rows, {} versions.\n",
        head.created,
        replace_controls(&head.service),
        summary.files,
        summary.bytes,
        findings.rows,
        findings.versions
    )
}

/// Whoever named a passphrase believes that the backup is encrypted.
fn render_unused(passphrase: Option<&Passphrase>, findings: &BackupFindings) -> &'static str {
    if passphrase.is_some() && !findings.is_encrypted {
        "The backup is not encrypted, so the passphrase was not used.\n"
    } else {
        ""
    }
}

fn render_findings(findings: &BackupFindings) -> String {
    findings.damages.iter().map(|damage| format!("damaged: {}\n", replace_controls(damage))).collect()
}

/// What will not open, in one sentence.
fn render_closed(findings: &BackupFindings, settings: &Settings) -> String {
    if findings.closed.is_empty() {
        return String::new();
    }
    format!(
        "Not to be opened with the secrets that are here: {}; before you start, put the files secrets/*.key of the server that was backed \
         up into {}, or set SERVICE_ENCRYPTION_KEY if it had that.\n",
        findings.closed.join(", "),
        settings.data_dir.join("secrets").display()
    )
}
