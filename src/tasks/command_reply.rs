//! What came of an operator's command as it is shown: on the command line, and over the control socket.

use crate::domain::error::{Error, Result};
use crate::ops::service::control::CommandOutput;
use crate::wire::accounts::api_keys::ApiKeyView;
use crate::wire::accounts::people::PersonView;
use crate::wire::checks::check::CheckView;
use crate::wire::checks::setup::CheckSetupView;
use crate::wire::flows::publish::PublishResultsView;
use crate::wire::flows::versions::{
    HistoryReportView, HistoryRestart, LoggedVersionView, VersionContentView, VersionDiffView,
};
use crate::wire::promotion::incoming::{IncomingFlowView, IncomingListView};
use crate::wire::promotion::promote::PromoteResultView;
use crate::wire::remote::status::CopyStatusView;
use crate::wire::service::compaction::CompactionView;
use crate::wire::service::operator::CommandReply;
use crate::wire::service::status::IntegrityReportView;
use serde::Serialize;
use serde_json::Value;

/// # Errors
/// [`Error::Internal`] when it cannot be written as JSON.
pub(crate) fn command_reply(output: CommandOutput) -> Result<CommandReply> {
    let history = |answer: Result<Value>| answer.map(|answer| CommandReply::History { answer });
    match output {
        CommandOutput::KeyCreated { key, value } => {
            Ok(CommandReply::KeyCreated { key: answer(&ApiKeyView::of_new(key, value))? })
        }
        CommandOutput::Keys(keys) => {
            let rows = keys.into_iter().map(|key| answer(&ApiKeyView::from(key)));
            Ok(CommandReply::Keys { keys: rows.collect::<Result<_>>()? })
        }
        CommandOutput::KeyRevoked => Ok(CommandReply::KeyRevoked),
        CommandOutput::PasswordReset { email, password } => {
            Ok(CommandReply::PasswordReset { email, password })
        }
        CommandOutput::Users(people) => {
            let rows = people.into_iter().map(|person| answer(&PersonView::from(person)));
            Ok(CommandReply::Users { users: rows.collect::<Result<_>>()? })
        }
        CommandOutput::UserStatusSet { email } => Ok(CommandReply::UserStatusSet { email }),
        CommandOutput::VersionLog(versions) => {
            let rows: Vec<_> = versions.into_iter().map(LoggedVersionView::from).collect();
            history(answer(&rows))
        }
        CommandOutput::Version(version) => history(answer(&VersionContentView::from(*version))),
        CommandOutput::Comparison(compared) => history(answer(&VersionDiffView::from(compared))),
        CommandOutput::HistoryReport(report) => history(answer(&HistoryReportView::from(report))),
        CommandOutput::HistoryRestarted { is_new } => history(answer(&HistoryRestart { is_new })),
        CommandOutput::Copied(status) => history(answer(&CopyStatusView::from(*status))),
        CommandOutput::DataReport(report) => {
            Ok(CommandReply::Data { answer: answer(&IntegrityReportView::from(report))? })
        }
        CommandOutput::Compacted(report) => {
            Ok(CommandReply::Data { answer: answer(&CompactionView::from(report))? })
        }
        CommandOutput::Repairs(repairs) => {
            let sentences: Vec<String> = repairs.iter().map(ToString::to_string).collect();
            Ok(CommandReply::Data { answer: answer(&sentences)? })
        }
        CommandOutput::Exported(file) => Ok(CommandReply::Exported { file: answer(&file)? }),
        CommandOutput::Imported(result) => Ok(CommandReply::Imported { answer: answer(&result)? }),
        CommandOutput::MovedIn(moved) => Ok(CommandReply::Imported { answer: answer(&moved)? }),
        CommandOutput::Published(flows) => {
            Ok(CommandReply::Published { answer: answer(&PublishResultsView::from(flows))? })
        }
        CommandOutput::CheckSetup(setup) => {
            Ok(CommandReply::Check { answer: answer(&CheckSetupView::new(*setup, None))? })
        }
        CommandOutput::Check(report) => {
            let view = CheckView::new(report.check, report.draft_changed);
            Ok(CommandReply::Check { answer: answer(&view)? })
        }
        CommandOutput::MailTaken { server } => Ok(CommandReply::MailTaken { server }),
        CommandOutput::Status { version, process_id, address, environment } => Ok(CommandReply::Status {
            version: version.to_owned(),
            process_id,
            address: Some(address),
            environment,
        }),
        CommandOutput::IncomingList(list) => {
            Ok(CommandReply::Promotion { answer: answer(&IncomingListView::from(list))? })
        }
        CommandOutput::IncomingFlow(flow) => {
            Ok(CommandReply::Promotion { answer: answer(&IncomingFlowView::from(*flow))? })
        }
        CommandOutput::Promoted(promotion) => {
            Ok(CommandReply::Promotion { answer: answer(&PromoteResultView::from(*promotion))? })
        }
    }
}

fn answer(shown: &impl Serialize) -> Result<Value> {
    serde_json::to_value(shown).map_err(Error::internal)
}
