//! What an operator does without the web page: run the same way on a running service, through its control socket,
//! and on a data folder nobody uses.

use super::compaction;
use super::integrity;
use super::mail;
use super::repair::{self, Repair};
use crate::app::{App, AppOpenError};
use crate::base::cancel::CancelToken;
use crate::domain::accounts::api_key::ApiKeyEntry;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::person::Person;
use crate::domain::accounts::user::UserStatus;
use crate::domain::checks::setup::CheckSetup;
use crate::domain::damage::IntegrityReport;
use crate::domain::error::{Error, Result};
use crate::domain::flows::history::{HistoryReport, LoggedVersion};
use crate::domain::flows::publish::FlowPublication;
use crate::domain::flows::restore::RestorableVersion;
use crate::domain::flows::version_diff::VersionComparison;
use crate::domain::ids::{CheckId, FlowId, KeyId, WorkspaceId};
use crate::domain::promotion::entry::{IncomingFlow, IncomingList, Promotion};
use crate::domain::remote::environment::Environment;
use crate::domain::remote::status::CopyStatus;
use crate::domain::service::compaction::CompactionReport;
use crate::domain::workspace::import::{ExistingPolicy, FileImport};
use crate::flowise::FolderChoice;
use crate::ops::accounts::{keys, owner, people};
use crate::ops::checks::{self, CheckReport};
use crate::ops::flows::publish;
use crate::ops::flows::versions;
use crate::ops::promotion;
use crate::ops::remote::copy;
use crate::ops::workspace::transfer;
use crate::settings::Settings;
use crate::store::Store;
use crate::store::tables::{FLOW_WORKSPACE, WORKSPACES};
use crate::wire::checks::check::CheckStart;
use crate::wire::workspace::coverage::MoveInResult;
use crate::wire::workspace::export::ExportFile;
use crate::wire::workspace::import::ImportResult;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Time a command of the control socket may take to be done (manual 14.2).
const CONTROL_REPLY_SECONDS: u64 = 10;
/// Time such a command may take that reads from the history, or waits for a mail server (manual 14.2).
const CONTROL_HISTORY_REPLY_SECONDS: u64 = 60;
/// Time such a command may take that works on everything there is: checking a large history takes minutes (manual 14.2).
const CONTROL_LONG_REPLY_SECONDS: u64 = 3_600;
/// Random bytes of a password made for somebody: 24 characters when written.
const PASSWORD_RANDOM_BYTES: usize = 18;

/// One command. It holds passwords, so it has no `Debug`.
#[derive(Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "camelCase")]
pub(crate) enum OperatorCommand {
    KeyCreate {
        name: String,
        /// What its holder may do: names of `domain::accounts::caller::PERMISSIONS`.
        permissions: Vec<String>,
        /// Where; `None` is the default workspace.
        workspace: Option<WorkspaceId>,
    },
    KeyList,
    /// Deletes an API key; it stops working with the next request.
    KeyRevoke {
        id: KeyId,
    },
    /// Gives an owner a new password and ends their sessions.
    OwnerResetPassword {
        /// The new password; `None` makes a random one.
        password: Option<String>,
    },
    UserList,
    /// Lets a person in or keeps them out.
    UserStatus {
        /// Who: an e-mail or an id.
        user: String,
        /// Whether they may sign in.
        active: bool,
    },
    /// Lists versions, newest first: of one flow, or of all.
    HistoryLog {
        /// Of this flow only.
        flow: Option<FlowId>,
        /// At most so many.
        limit: usize,
    },
    /// Reads one version of a flow.
    HistoryShow {
        flow: FlowId,
        /// The version's id or the start of it.
        sha: String,
    },
    /// Compares a version with another one, the one before it (`previous`) or the flow as it is now (`current`).
    HistoryDiff {
        flow: FlowId,
        /// The version's id or the start of it.
        sha: String,
        against: String,
    },
    /// Checks that the history is sound, has every version that the database knows and holds nothing that looks like a
    /// secret.
    HistoryVerify,
    /// Checks that every row and every file is what was stored.
    DataVerify,
    /// Makes database and history smaller.
    Compact,
    /// Says what of the data folder can be put right, and does it when told to.
    DataRepair {
        apply: bool,
    },
    /// Goes on with the history as it is, or begins a new one where it is missing.
    HistoryRestart,
    /// Copies what waits to the connected repository, or reads what is new there.
    HistoryPush,
    /// Writes a workspace as a file.
    Export {
        /// Which; `None` is the default one.
        workspace: Option<WorkspaceId>,
    },
    /// Takes a file into a workspace.
    Import {
        /// What is in the file.
        text: String,
        file_name: Option<String>,
        /// What to do with things that are here already.
        existing: ExistingPolicy,
        /// Only says what would become of it.
        preview: bool,
        /// Which; `None` is the default one.
        workspace: Option<WorkspaceId>,
    },
    /// Takes a data folder of Flowise into a workspace.
    MoveIn {
        /// The folder, or the database in it.
        path: PathBuf,
        /// The file with the key, where it is not in the folder.
        key: Option<PathBuf>,
        from_workspace: Option<String>,
        /// Only says what would become of it.
        preview: bool,
        /// Into which; `None` is the default one.
        workspace: Option<WorkspaceId>,
    },
    Publish {
        /// These flows; none are all of the workspace.
        flows: Vec<FlowId>,
        /// Which workspace's; `None` is the default one.
        workspace: Option<WorkspaceId>,
    },
    /// Something about the checks of a flow.
    Check {
        flow: FlowId,
        wanted: CheckCommand,
    },
    /// Something about what Dev offers.
    Promotion {
        wanted: PromotionCommand,
        /// Where flows are looked for and new ones are made; `None` is the default one, and for a flow that is here its own.
        workspace: Option<WorkspaceId>,
    },
    /// Sends one message at once.
    MailTest {
        /// To whom.
        address: String,
    },
    Status,
}

/// What is wanted of what Dev offers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PromotionCommand {
    List,
    /// What promoting a flow would do.
    Show(FlowId),
    Promote {
        flow: FlowId,
        /// The version on Dev.
        sha: String,
        /// What was shown.
        digest: String,
    },
}

/// What is wanted of the checks of a flow.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CheckCommand {
    /// What a check would be.
    Setup,
    /// Begins one.
    Start(Box<CheckStart>),
    /// How far one came.
    Read(CheckId),
    Stop(CheckId),
}

impl OperatorCommand {
    /// How long whoever sent it waits for what comes of it.
    #[must_use]
    pub(crate) const fn reply_seconds(&self) -> u64 {
        match self {
            Self::HistoryVerify
            | Self::HistoryRestart
            | Self::HistoryPush
            | Self::DataVerify
            | Self::Compact
            | Self::DataRepair { .. }
            | Self::Export { .. }
            | Self::Import { .. }
            | Self::MoveIn { .. }
            | Self::Publish { .. } => CONTROL_LONG_REPLY_SECONDS,
            Self::HistoryLog { .. }
            | Self::HistoryShow { .. }
            | Self::HistoryDiff { .. }
            | Self::MailTest { .. }
            | Self::Promotion { .. } => CONTROL_HISTORY_REPLY_SECONDS,
            Self::KeyCreate { .. }
            | Self::KeyList
            | Self::KeyRevoke { .. }
            | Self::OwnerResetPassword { .. }
            | Self::UserList
            | Self::UserStatus { .. }
            | Self::Check { .. }
            | Self::Status => CONTROL_REPLY_SECONDS,
        }
    }
}

/// What came of a command. It holds a key or a password, so it has no `Debug`.
pub(crate) enum CommandOutput {
    KeyCreated {
        key: ApiKeyEntry,
        /// The key itself, shown this once.
        value: String,
    },
    Keys(Vec<ApiKeyEntry>),
    KeyRevoked,
    PasswordReset {
        email: String,
        /// The password, when it was made here.
        password: Option<String>,
    },
    Users(Vec<Person>),
    UserStatusSet {
        email: String,
    },
    VersionLog(Vec<LoggedVersion>),
    Version(Box<RestorableVersion>),
    Comparison(VersionComparison),
    HistoryReport(HistoryReport),
    HistoryRestarted {
        is_new: bool,
    },
    /// How the copy stands after it was done or failed.
    Copied(Box<CopyStatus>),
    DataReport(IntegrityReport),
    Compacted(CompactionReport),
    /// What was put right, or would be.
    Repairs(Vec<Repair>),
    Exported(Box<ExportFile>),
    Imported(ImportResult),
    MovedIn(Box<MoveInResult>),
    /// What became of the flows that were to be published.
    Published(Vec<FlowPublication>),
    CheckSetup(Box<CheckSetup>),
    Check(Box<CheckReport>),
    IncomingList(IncomingList),
    IncomingFlow(Box<IncomingFlow>),
    Promoted(Box<Promotion>),
    MailTaken {
        /// Host and port of the server that took the message.
        server: String,
    },
    Status {
        version: &'static str,
        process_id: u32,
        /// Where it listens.
        address: SocketAddr,
        environment: Option<Environment>,
    },
}

/// Does what `command` says, as the operator.
///
/// # Errors
/// What the operation itself refuses: an unknown permission, key or e-mail, a password of the wrong length. A fault of
/// the service is logged here with its cause, since nobody else does it. [`Error::Cancelled`] when `cancel` was set
/// meanwhile.
pub(crate) fn execute(app: &App, command: OperatorCommand, cancel: &CancelToken) -> Result<CommandOutput> {
    run(app, command, cancel).inspect_err(|error| {
        if let Error::Internal(_) = error {
            tracing::error!(cause = error.for_log(), "an operator's command failed");
        }
    })
}

fn create_key(app: &App, caller: &Caller, name: &str, permissions: &[String]) -> Result<CommandOutput> {
    let (key, value) = keys::create(app, caller, name, permissions)?;
    tracing::info!(by = "operator", "an API key was made");
    Ok(CommandOutput::KeyCreated { key, value })
}

fn revoke_key(app: &App, id: KeyId) -> Result<CommandOutput> {
    keys::delete(app, &operator(app, None)?, id, true)?;
    tracing::info!(by = "operator", key = %id, "an API key was deleted");
    Ok(CommandOutput::KeyRevoked)
}

fn reset_password(app: &App, password: Option<&str>) -> Result<CommandOutput> {
    let made = if password.is_none() { Some(random_password()?) } else { None };
    let chosen = password.or(made.as_deref()).expect("one of the two is there");
    let email = owner::reset_password(app, chosen)?;
    tracing::info!(by = "operator", "the owner's password was reset");
    Ok(CommandOutput::PasswordReset { email, password: made })
}

fn run(app: &App, command: OperatorCommand, cancel: &CancelToken) -> Result<CommandOutput> {
    match command {
        OperatorCommand::KeyCreate { name, permissions, workspace } => {
            create_key(app, &operator(app, workspace)?, &name, &permissions)
        }
        OperatorCommand::KeyList => Ok(CommandOutput::Keys(keys::list(app, &operator(app, None)?)?)),
        OperatorCommand::KeyRevoke { id } => revoke_key(app, id),
        OperatorCommand::OwnerResetPassword { password } => reset_password(app, password.as_deref()),
        OperatorCommand::UserList => Ok(CommandOutput::Users(people::list(app, &operator(app, None)?)?)),
        OperatorCommand::UserStatus { user, active } => {
            let status = if active { UserStatus::Active } else { UserStatus::Disabled };
            let person = people::set_status_by_name(app, &operator(app, None)?, &user, status)?;
            Ok(CommandOutput::UserStatusSet { email: person.user.email.as_str().to_owned() })
        }
        OperatorCommand::HistoryLog { flow, limit } => {
            Ok(CommandOutput::VersionLog(versions::log(app, flow.as_ref(), limit)?))
        }
        OperatorCommand::HistoryShow { flow, sha } => {
            let version = versions::read(app, &operator_for_flow(app, &flow)?, &flow, &sha)?;
            Ok(CommandOutput::Version(Box::new(version)))
        }
        OperatorCommand::HistoryDiff { flow, sha, against } => {
            let caller = operator_for_flow(app, &flow)?;
            Ok(CommandOutput::Comparison(versions::diff(app, &caller, &flow, &sha, &against)?))
        }
        OperatorCommand::DataVerify => Ok(CommandOutput::DataReport(integrity::verify(app, cancel)?)),
        OperatorCommand::Compact => Ok(CommandOutput::Compacted(compaction::run(app, cancel)?)),
        OperatorCommand::DataRepair { apply } => Ok(CommandOutput::Repairs(repair::run(app, apply, cancel)?)),
        OperatorCommand::HistoryVerify => {
            Ok(CommandOutput::HistoryReport(versions::verify(&app.history, cancel)?))
        }
        OperatorCommand::HistoryRestart => {
            Ok(CommandOutput::HistoryRestarted { is_new: versions::restart(app)? })
        }
        OperatorCommand::HistoryPush => {
            Ok(CommandOutput::Copied(Box::new(copy::push(app, &operator(app, None)?, cancel)?)))
        }
        OperatorCommand::Export { workspace } => {
            let file = transfer::export_all(app, &operator(app, workspace)?)?;
            Ok(CommandOutput::Exported(Box::new(file)))
        }
        OperatorCommand::Import { text, file_name, existing, preview, workspace } => {
            let wanted = FileImport::from_text(&text, file_name, existing, preview)?;
            let result = transfer::import(app, &operator(app, workspace)?, wanted)?;
            Ok(CommandOutput::Imported(result))
        }
        OperatorCommand::MoveIn { path, key, from_workspace, preview, workspace } => {
            let choice = FolderChoice { path, key, workspace: from_workspace };
            let moved = transfer::move_in(app, &operator(app, workspace)?, &choice, preview, cancel)?;
            Ok(CommandOutput::MovedIn(Box::new(moved)))
        }
        OperatorCommand::Publish { flows, workspace } if flows.is_empty() => {
            Ok(CommandOutput::Published(publish::publish_all(app, &operator(app, workspace)?)?))
        }
        OperatorCommand::Publish { flows, .. } => publish_flows(app, &flows),
        OperatorCommand::Check { flow, wanted } => check(app, &flow, wanted),
        OperatorCommand::Promotion { wanted, workspace } => promote(app, wanted, workspace),
        OperatorCommand::MailTest { address } => test_mail(app, &address, cancel),
        OperatorCommand::Status => Ok(CommandOutput::Status {
            version: env!("CARGO_PKG_VERSION"),
            process_id: std::process::id(),
            address: SocketAddr::new(app.settings.host, app.settings.port),
            environment: app.state.remote_copy.environment(),
        }),
    }
}

fn test_mail(app: &App, address: &str, cancel: &CancelToken) -> Result<CommandOutput> {
    Ok(CommandOutput::MailTaken { server: mail::trial::send(app, address, cancel)? })
}

fn check(app: &App, flow: &FlowId, wanted: CheckCommand) -> Result<CommandOutput> {
    let caller = operator_for_flow(app, flow)?;
    let report = match wanted {
        CheckCommand::Setup => {
            let (setup, _) = checks::setup(app, &caller, flow)?;
            return Ok(CommandOutput::CheckSetup(Box::new(setup)));
        }
        CheckCommand::Start(request) => checks::start(app, &caller, flow, (*request).into())?,
        CheckCommand::Read(id) => checks::read(app, &caller, flow, Some(id))?,
        CheckCommand::Stop(id) => checks::stop(app, &caller, flow, Some(id))?,
    };
    Ok(CommandOutput::Check(Box::new(report)))
}

fn promote(app: &App, wanted: PromotionCommand, workspace: Option<WorkspaceId>) -> Result<CommandOutput> {
    let caller = |flow: &FlowId| match workspace {
        None => operator_for_flow(app, flow),
        given => operator(app, given),
    };
    match wanted {
        PromotionCommand::List => {
            Ok(CommandOutput::IncomingList(promotion::list(app, &operator(app, workspace)?)?))
        }
        PromotionCommand::Show(flow) => {
            let found = promotion::read(app, &caller(&flow)?, &flow)?;
            Ok(CommandOutput::IncomingFlow(Box::new(found)))
        }
        PromotionCommand::Promote { flow, sha, digest } => {
            let promoted = promotion::promote(app, &caller(&flow)?, &flow, &sha, Some(&digest))?;
            Ok(CommandOutput::Promoted(Box::new(promoted)))
        }
    }
}

fn publish_flows(app: &App, flows: &[FlowId]) -> Result<CommandOutput> {
    let one = |id: &FlowId| Ok(publish::publish_if_valid(app, &operator_for_flow(app, id)?, id));
    Ok(CommandOutput::Published(flows.iter().map(one).collect::<Result<_>>()?))
}

/// What [`OperatorCommand::HistoryVerify`] says of a data folder whose service is stopped. Nothing in the folder changes.
///
/// # Errors
/// Says why the database cannot be read; as the command.
pub(crate) fn verify_stopped(
    settings: &Settings,
    cancel: &CancelToken,
) -> Result<CommandOutput, AppOpenError> {
    let store = Arc::new(Store::open_read_only(&settings.database()).map_err(AppOpenError::Store)?);
    let looked = super::history::open_read_only(settings, &store);
    let report = looked.and_then(|history| versions::verify(&history, cancel)).map_err(AppOpenError::Look)?;
    Ok(CommandOutput::HistoryReport(report))
}

/// The operator as a caller in the workspace of a flow.
fn operator_for_flow(app: &App, flow: &FlowId) -> Result<Caller> {
    let workspace = app.store.read(|tx| FLOW_WORKSPACE.get(tx, flow))?;
    operator(app, workspace)
}

/// The operator as a caller in `workspace`, or in the default one.
fn operator(app: &App, workspace: Option<WorkspaceId>) -> Result<Caller> {
    let nobody = || Error::NotFound("There is no owner yet. Register one first.".to_owned());
    let caller = owner::operator(app)?.ok_or_else(nobody)?;
    let Some(workspace) = workspace else { return Ok(caller) };
    let known = app.store.read(|tx| Ok(WORKSPACES.get(tx, &workspace)?.is_some()))?;
    if !known {
        return Err(Error::NotFound(format!("There is no workspace {workspace}.")));
    }
    Ok(Caller { workspace, ..caller })
}

/// Makes a password nobody has to remember.
///
/// # Errors
/// The system has no random bytes to give.
pub(crate) fn random_password() -> Result<String> {
    let mut bytes = [0; PASSWORD_RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_survives_the_wire() {
        let text = r#"{"command":"keyCreate","name":"ci","permissions":["chatflows:view"],"workspace":null}"#;
        let command: OperatorCommand = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&command).unwrap(), text);
        assert!(serde_json::from_str::<OperatorCommand>(r#"{"command":"keyRevoke","id":"x"}"#).is_err());
        assert!(serde_json::from_str::<OperatorCommand>(r#"{"command":"dropTables"}"#).is_err());
    }

    #[test]
    fn made_passwords_differ_and_are_long() {
        let (one, other) = (random_password().unwrap(), random_password().unwrap());
        assert!(one != other && one.len() == 24);
    }
}
