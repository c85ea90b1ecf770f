//! What stands against an operation (409): the request is right, and what it finds is not.

use super::checks::sides::SideNames;
use super::error::count_phrase;
use std::fmt;

/// One variant per 409.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    OwnerExists,
    /// A name that must be unique is taken.
    NameTaken {
        /// What kind of thing has the name.
        what: &'static str,
    },
    /// An id that was posted is in use.
    IdTaken,
    DraftsOff,
    /// The disk has no room for the copy of which a smaller database is made.
    NoRoomToCompact {
        needed: u64,
        free: u64,
    },
    HistoryOff,
    /// History cannot be read, or is not there, in its own words.
    HistoryBroken(String),
    NoDraft,
    /// Live changed after the draft started, and the caller did not say to overwrite.
    StaleDraft,
    /// Canvas edits of this flow go straight to Live.
    PublishInstantly,
    /// Flows of this kind have no drafts.
    KindWithoutDrafts,
    /// The flow is an assistant's, which is edited and not drawn.
    FlowOfAssistant,
    /// Publish instantly cannot be turned on over unpublished changes.
    DraftInTheWay,
    /// The flow's kind cannot change over unpublished changes.
    KindChangeWithDraft,
    /// The flow became another kind after these edits started.
    KindChangedSinceEdits,
    /// Live changed between reading and publishing.
    LiveChangedWhilePublishing,
    /// Live changed between reading and saving it anew.
    LiveChangedWhileSaving,
    /// A version of another kind cannot become a draft.
    OtherKindIntoDraft,
    /// A version that deleted its flow holds nothing that could become it again.
    NothingInVersion,
    /// The draft is not the one the caller saw (manual 5.6 r3).
    DraftMoved,
    /// The draft is not the one the caller wants to publish (manual 5.7 r8).
    DraftMovedBeforePublish,
    /// The flow is not the one the caller saw (manual 5.4 r7).
    FlowMoved,
    /// Another account signs in with this e-mail.
    EmailTaken,
    /// Who is to be invited is here already.
    HasAccount,
    /// Who is to be added is in the workspace already.
    MemberAlready,
    /// The owner is everywhere and stays.
    OwnerStays,
    /// People or invitations refer to the role.
    RoleInUse {
        people: usize,
        /// How many open invitations promise it.
        invitations: usize,
    },
    /// Another flow of the workspace has this name as a tool.
    ToolNameTaken,
    /// Flows use what is to be deleted.
    InUse {
        what: &'static str,
        /// The names of flows that use it.
        flows: Vec<String>,
        others: usize,
    },
    /// The workspace is not empty.
    WorkspaceInUse {
        /// What it holds, in words.
        holds: String,
    },
    /// The workspace in which everybody begins.
    DefaultWorkspace,
    /// There are as many as there may be.
    TooMany {
        what: &'static str,
    },
    /// The run has not come to a stop yet.
    RunUnderWay,
    /// The run waits for no answer, or not for this one any more.
    NothingToAnswer,
    /// The run is over, so there is nothing to stop.
    RunEnded,
    /// What is answered was asked by another canvas than the one of today.
    FlowChangedSinceAsked,
    /// A call with this signature was taken already.
    SignatureRepeated,
    /// The call that this one repeats is still being answered.
    CallUnderWay,
    /// The canvas has not all steps of a run that are to stay as they were.
    StepsMissing {
        steps: Vec<String>,
    },
    /// With what stays of a run the canvas does not lead to the step that is to run again.
    StepOutOfReach,
    /// The record of a run does not hold what another run would need to take these steps over.
    StepsNotKept {
        steps: Vec<String>,
    },
    /// The record of a run does not hold what it was asked with.
    QuestionNotKept,
    /// A file that a run was asked with is gone.
    FileNotKept {
        name: String,
    },
    /// A check of the flow is under way.
    CheckUnderWay,
    /// A run of the pipeline is under way.
    PipelineUnderWay,
    /// The flow has no draft that a check could ask.
    NothingToCheck,
    /// Flows of this kind are not checked.
    KindWithoutChecks,
    /// The flow, on one of these sides, does not start with a chat message.
    CheckStart {
        sides: SideNames,
    },
    /// There is no Live with which a version from Dev could be compared.
    CheckOfNewFlow,
    /// A version from Dev cannot answer without these credentials.
    CheckCredentials {
        names: Vec<String>,
    },
    /// There is no repository to copy to.
    NoRepositoryConnected {
        host: String,
    },
    /// The repository holds something that this server did not write.
    OtherContent {
        host: String,
    },
    /// The label would turn copying into reading, or the reverse.
    EnvironmentWhileConnected,
    /// The label of the server changed while a repository was looked at.
    EnvironmentMoved,
    /// A check would run cards that may do something to the world.
    RiskySteps {
        /// Their labels.
        steps: Vec<String>,
    },
    /// Versions of Dev are promoted on Prod alone.
    NotProd,
    /// Dev has a newer version of the flow than the one that was asked for.
    NewerOnDev,
    /// Dev offers no version of the flow, or another one.
    NotOffered,
    /// A version of Dev needs credentials that are not here.
    CredentialsMissing {
        /// The name and the type of each.
        credentials: Vec<(String, String)>,
    },
    /// What promoting would do is not what the caller was shown.
    PromotionChanged,
}

impl fmt::Display for Conflict {
    #[allow(clippy::too_many_lines, reason = "a sentence for each conflict")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnerExists => f.write_str("This server already has an owner. Sign in instead."),
            Self::NameTaken { what } => {
                write!(f, "There is already a {what} with this name. Choose another name.")
            }
            Self::ToolNameTaken => f.write_str("Another flow of this workspace is a tool of this name: choose another one."),
            Self::IdTaken => f.write_str("This id is in use already."),
            Self::DraftsOff => f.write_str("Drafts are off on this server."),
            Self::HistoryOff => f.write_str("Version history is off on this server."),
            Self::HistoryBroken(why) => f.write_str(why),
            Self::NoDraft => f.write_str("This flow has no unpublished changes to publish."),
            Self::StaleDraft => f.write_str(
                "Live changed after this draft was started. Publish again with overwriteLiveChanges: true to replace those \
                 changes, or discard the draft.",
            ),
            Self::PublishInstantly => {
                f.write_str("Publish instantly is on for this flow, so its changes are saved straight to Live.")
            }
            Self::KindWithoutDrafts => {
                f.write_str("Flows of this type have no drafts; their changes are saved straight to Live.")
            }
            Self::FlowOfAssistant => f.write_str(
                "This flow belongs to an assistant, so its name, type and canvas follow from it: edit the assistant.",
            ),
            Self::DraftInTheWay => {
                f.write_str("This flow has unpublished changes. Publish or discard them before turning on Publish instantly.")
            }
            Self::KindChangeWithDraft => f.write_str(
                "This flow has unpublished changes. Publish or discard them before changing the flow's type.",
            ),
            Self::KindChangedSinceEdits => f.write_str(
                "This flow changed to another kind of flow after these edits started, so they can't be saved. Discard \
                 them to continue.",
            ),
            Self::LiveChangedWhilePublishing => {
                f.write_str("Live changed while publishing, so nothing was published. Try again.")
            }
            Self::LiveChangedWhileSaving => {
                f.write_str("Live changed while this was being saved, so nothing was changed. Try again.")
            }
            Self::OtherKindIntoDraft => f.write_str(
                "This version is a different kind of flow, so it cannot become the draft. Use Roll back Live instead.",
            ),
            Self::NothingInVersion => f.write_str(
                "The flow was deleted in this version, so there is nothing to bring back. Choose an earlier version.",
            ),
            Self::DraftMoved => {
                f.write_str("The draft was changed elsewhere since you loaded it, so nothing was saved. Reload it to continue.")
            }
            Self::DraftMovedBeforePublish => {
                f.write_str("The draft was changed since you looked at it, so nothing was published. Look at it again to continue.")
            }
            Self::FlowMoved => {
                f.write_str("The flow was changed elsewhere since you loaded it, so nothing was saved. Reload it to continue.")
            }
            Self::EmailTaken => f.write_str("Another account has this e-mail address already."),
            Self::HasAccount => f.write_str(
                "This person has an account already. Add them to the workspace instead.",
            ),
            Self::MemberAlready => f.write_str("This person is in the workspace already."),
            Self::OwnerStays => f.write_str(
                "This is the organization owner, who is in every workspace and cannot be added, disabled or removed.",
            ),
            Self::RoleInUse { people, invitations: 0 } => write!(
                f,
                "This role is in use: {} it. Give them another role first.",
                count_phrase(*people, "person has", "people have")
            ),
            Self::RoleInUse { people, invitations } => write!(
                f,
                "This role is in use: {} it, and {} it. Give them another role and remove the invitations first.",
                count_phrase(*people, "person has", "people have"),
                count_phrase(*invitations, "open invitation promises", "open invitations promise")
            ),
            Self::WorkspaceInUse { holds } => {
                write!(f, "This workspace still holds {holds}. Delete what is not needed first.")
            }
            Self::InUse { what, flows, others } => write!(f, "{}", in_use_message(what, flows, *others)),
            Self::DefaultWorkspace => {
                f.write_str("This is the workspace in which everybody begins, so it cannot be deleted.")
            }
            Self::TooMany { what } => write!(f, "There are as many {what} as there may be. Remove some first."),
            Self::NoRoomToCompact { needed, free } => write!(
                f,
                "Making the database smaller needs {} MiB on the disk of the data folder for a while, and {} MiB are free. \
                 Make room first.",
                needed.div_ceil(1024 * 1024),
                free / (1024 * 1024)
            ),
            Self::RunUnderWay => f.write_str("This run is still under way."),
            Self::NothingToAnswer => f.write_str("There is nothing to answer in this conversation."),
            Self::RunEnded => f.write_str("This run has ended already."),
            Self::FlowChangedSinceAsked => f.write_str(
                "The flow was changed since it asked, so it cannot go on from there. Ask your question again.",
            ),
            Self::SignatureRepeated => {
                f.write_str("A call with this signature was taken already. Sign the call anew to send it again.")
            }
            Self::CallUnderWay => f.write_str(
                "The first call with this Idempotency-Key is still being answered. Try again in a moment.",
            ),
            Self::StepsMissing { steps } => write!(
                f,
                "These steps of the run are not in the canvas any more, and what they did is needed: {}.",
                steps.join(", ")
            ),
            Self::StepOutOfReach => {
                f.write_str("With what the run did before, the canvas does not lead to this step any more.")
            }
            Self::StepsNotKept { steps } => write!(
                f,
                "How these steps ended is not in the record, so they cannot stay as they were: {}. Run again from the first \
                 of them.",
                steps.join(", ")
            ),
            Self::QuestionNotKept => f.write_str(
                "This record does not hold what its run was asked with: it came in with a file, or is of an earlier build \
                 of the service. Ask the flow anew.",
            ),
            Self::FileNotKept { name } => {
                write!(f, "The file '{name}' that the run was asked with is gone, so it cannot run again.")
            }
            Self::CheckUnderWay => {
                f.write_str("A check of this flow is running already. Wait for its end, or stop it.")
            }
            Self::PipelineUnderWay => {
                f.write_str("A run of this pipeline is under way already. Wait for its end, or stop it.")
            }
            Self::NothingToCheck => f.write_str("This flow has no unpublished changes to check."),
            Self::KindWithoutChecks => {
                f.write_str("Only chatflows and agentflows are checked, and this flow is of another type.")
            }
            Self::CheckStart { sides: SideNames { left, right } } => write!(
                f,
                "A check asks questions, so the agentflow must start with a chat message (Start input type Chat Input), in \
                 {left} and in {right}.",
            ),
            Self::CheckOfNewFlow => f.write_str(
                "This flow is new on this server, so there is no Live with which the version from Dev could be compared.",
            ),
            Self::CheckCredentials { names } => write!(
                f,
                "The version from Dev uses credentials that this server does not have: {}. Add them, then check.",
                names.join(", ")
            ),
            Self::NoRepositoryConnected { host } => write!(f, "{host} is not connected."),
            Self::OtherContent { host } => write!(
                f,
                "This repository at {host} has other content than this server's versions. Connect an empty repository, or the \
                 one that this server copied to."
            ),
            Self::EnvironmentWhileConnected => f.write_str(
                "A repository is connected. Disconnect it before you switch between Dev and Prod.",
            ),
            Self::EnvironmentMoved => {
                f.write_str("The label of this server changed meanwhile, so nothing was connected. Try again.")
            }
            Self::RiskySteps { steps } => write!(
                f,
                "A check would run these steps, which may change something outside of this service: {}. Send \
                 includeRiskySteps: true to run them all the same.",
                steps.join(", ")
            ),
            Self::NotProd => f.write_str(
                "Only a server that is labeled Prod promotes versions. Label this one in its settings, or promote there.",
            ),
            Self::NewerOnDev => {
                f.write_str("Dev has a newer version of this flow by now. Look at that one, then promote it.")
            }
            Self::NotOffered => f.write_str("This version is not offered any more, so nothing was promoted."),
            Self::CredentialsMissing { credentials } => {
                let named = |(name, kind): &(String, String)| format!("'{name}' ({kind})");
                let named: Vec<String> = credentials.iter().map(named).collect();
                write!(
                    f,
                    "This version needs credentials that are not in this workspace: {}. Add them with these names and \
                     types, then promote.",
                    named.join(", ")
                )
            }
            Self::PromotionChanged => {
                f.write_str("What was shown has changed. Look again before you promote.")
            }
        }
    }
}

/// Who uses what is to be deleted, and how it is deleted all the same.
fn in_use_message(what: &str, flows: &[String], others: usize) -> String {
    let mut users: Vec<String> = flows.iter().map(|name| format!("'{name}'")).collect();
    if others > 0 {
        users.push(count_phrase(others, "other flow", "other flows"));
    }
    format!(
        "This {what} is used by {}. Send force=true to delete it all the same: what uses it then fails or goes without it, \
         and its problems say so.",
        users.join(", ")
    )
}
