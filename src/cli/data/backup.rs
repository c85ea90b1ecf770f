//! `flowkeep backup`: one file that holds everything, made beside a running service or on a folder nobody uses.

use super::STANDARD_STREAM;
use super::folder::{Audience, folder_problem};
use super::passphrase::PassphraseArgs;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cli::operator::{open_error, require_data, unexpected_reply};
use crate::cli::{CliError, Context, print};
use crate::domain::service::backup::BackupSummary;
use crate::ops::service::backup::{self, BackupError};
use crate::settings::Settings;
use crate::tasks::control::{ControlReply, receive_backup};
use crate::wire::service::backup::{BackupOptions, BackupSummaryView};
use crate::wire::service::operator::CommandReply;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

/// Makes a backup of the data folder, also while the service runs
#[derive(clap::Args)]
pub(in crate::cli) struct BackupArgs {
    /// The file to write, in place of one that is there, or - for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave the secrets of the server out: credentials do not open without them [env: SERVICE_BACKUP_WITHOUT_SECRETS]
    #[arg(long)]
    without_secrets: bool,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

impl From<BackupError> for CliError {
    fn from(error: BackupError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(in crate::cli) fn run(args: &BackupArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    if let Some(why) = folder_problem(&settings.data_dir, Audience::Operator) {
        return Err(CliError::Failed(why));
    }
    let options = BackupOptions {
        secrets: !context.is_switched_on(args.without_secrets, "SERVICE_BACKUP_WITHOUT_SECRETS"),
    };
    let passphrase = args.passphrase.for_new(context)?;
    let passphrase = passphrase.as_ref();
    if args.file == Path::new(STANDARD_STREAM) {
        if io::stdout().is_terminal() {
            return Err(CliError::Usage(
                "a backup is no text: name a file, or send it on with a pipe".to_owned(),
            ));
        }
        let mut out = io::stdout().lock();
        let summary =
            backup::write_packed(&mut out, passphrase, |out| produce(&settings, context, options, out))?;
        let told = render(&summary, None, passphrase.is_some());
        let _told_as_well_as_can_be = io::stderr().write_all(told.as_bytes());
        return Ok(());
    }
    let summary =
        backup::write_file(&args.file, passphrase, |out| produce(&settings, context, options, out))?;
    print(&render(&summary, Some(&args.file), passphrase.is_some()))
}

/// Writes what is to be packed: from the service that uses the folder, or from the folder.
fn produce(
    settings: &Settings,
    context: &Context<'_>,
    options: BackupOptions,
    out: &mut dyn Write,
) -> Result<BackupSummary, CliError> {
    let reply = receive_backup(&settings.data_dir, options, out).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => {
            CliError::other("the running service broke off before the end of the backup; look at its log")
        }
        _ => CliError::from(BackupError::Io(error)),
    })?;
    match reply {
        Some(ControlReply::Done(CommandReply::Backup { answer })) => {
            let summary: BackupSummaryView =
                serde_json::from_value(answer).map_err(|_| unexpected_reply())?;
            return Ok(summary.into());
        }
        Some(ControlReply::Failed(message)) => return Err(CliError::Failed(message)),
        Some(_) => return Err(unexpected_reply()),
        None => {}
    }
    require_data(settings)?;
    let app = App::open(settings.clone(), context.environment.clone()).map_err(open_error)?;
    Ok(backup::write(&app, options.secrets, out, &CancelToken::new(None))?)
}

fn render(summary: &BackupSummary, file: Option<&Path>, is_encrypted: bool) -> String {
    let BackupSummary { head, files, bytes } = summary;
    let place = file.map(|file| format!(" in {}", file.display())).unwrap_or_default();
    let version = head.newest_version.as_ref().map(|sha| format!(", newest version {}", sha.short()));
    let secrets = match (head.has_secrets, is_encrypted) {
        (true, false) => "The secrets of the server are in it, so keep it as safe as the server.\n",
        (true, true) => "The secrets of the server are in it.\n",
        (false, _) => {
            "The secrets of the server are not in it: stored credentials open with the files secrets/*.key of this server only.\n"
        }
    };
    let encrypted = if is_encrypted {
        "It is encrypted, and opens with its passphrase alone: keep that where it is not lost together with this server.\n"
    } else {
        ""
    };
    format!(
        "Backed up {files} files, {bytes} bytes, as of {}{}{place}.\n{secrets}{encrypted}",
        head.created,
        version.unwrap_or_default()
    )
}
