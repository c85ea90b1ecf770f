//! What an operation can fail with. The one map from these to HTTP is `http/reply/error.rs`.

use super::damage::Damage;
use super::ids::FlowId;
use std::fmt;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation did not do what was asked. Every text here may be shown to the caller: it says what to
/// fix, and never holds a path, a secret or another caller's value.
#[derive(Debug)]
pub enum Error {
    /// The request itself is wrong (400).
    Invalid(String),
    /// Who is asking was not proven (401).
    Unauthorized(Unauthorized),
    /// The caller is known and may not (403).
    Forbidden(String),
    /// A page of this origin may not ask this flow (403); the text is the flow's configured message.
    OriginRefused(String),
    /// There is no such thing, or none the caller may see (404).
    NotFound(String),
    /// The request does not fit the present state (409).
    Conflict(Conflict),
    /// There is no room for another file (413, 507).
    QuotaExceeded(FullQuota),
    /// The flow's own rate limit was reached (429, plain text).
    RateLimited(RateLimitExceeded),
    /// Too many failed attempts; wait before the next one (429).
    TooManyAttempts {
        /// Seconds until another attempt is judged.
        retry_after_seconds: u64,
    },
    /// The model provider kept answering 429 (manual 2.10).
    ProviderThrottled {
        /// Seconds the provider asked to wait, or the default.
        retry_after_seconds: u64,
    },
    /// The flow failed while it ran (500); the text names the card.
    RunFailed(String),
    /// As [`Self::RunFailed`], for what may pass: the other side was busy, unreachable or too slow.
    Transient(TransientFault),
    /// The service is shutting down or full (503).
    Unavailable(UnavailableReason),
    /// The run was ended because its caller left.
    Cancelled,
    /// Something stored is not what was stored (500); the log names it too.
    Damaged(Damage),
    /// A fault of the service itself (500). The caller sees a fixed sentence; the log gets the cause.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// Which proof was missing (401).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthorized {
    /// No key, a wrong key, or no session where one is needed.
    NoProof,
    SessionExpired,
    /// E-mail or password is wrong: never which.
    WrongPassword,
    /// A signed-in person did not know their own password.
    WrongCurrentPassword,
}

impl Unauthorized {
    /// The sentence the caller reads.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NoProof => "Unauthorized",
            Self::SessionExpired => "Token Expired",
            Self::WrongPassword => "The e-mail or the password is wrong.",
            Self::WrongCurrentPassword => "The current password is not right.",
        }
    }
}

/// Why the service cannot take the request now (503).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnavailableReason {
    /// It is stopping (manual 13.6).
    Restarting,
    /// As many runs as it allows are under way.
    Busy,
}

/// A failure of another server that the same request may not meet again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransientFault {
    /// Names the card.
    pub message: String,
    /// How long the other server asked to wait, in seconds.
    pub retry_after_seconds: Option<u64>,
}

/// A refused request of a rate-limited flow (manual 2.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitExceeded {
    pub message: String,
    /// The state of the window, for the headers.
    pub window: super::flows::rate_limit::WindowState,
}

/// What has no room for another file (manual 4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullQuota {
    /// The conversation holds as many files as one may (413).
    Conversation,
    /// The files of the workspace's conversations are as large as they may be (507).
    Workspace,
    /// The disk is nearly full (507).
    Disk,
}

impl FullQuota {
    /// The sentence the caller reads.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Conversation => {
                "This conversation holds as many files as one may. Start a new conversation, or send fewer files."
            }
            Self::Workspace => {
                "This workspace holds as many files of conversations as it may. Delete conversations that are not needed."
            }
            Self::Disk => {
                "This server has no room for files at the moment. Ask its operator to free some space."
            }
        }
    }
}

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
    /// The draft is not the one the caller saw (manual 5.6 r3).
    DraftMoved,
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
}

impl fmt::Display for Conflict {
    #[allow(clippy::too_many_lines, reason = "a sentence for each conflict")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnerExists => f.write_str("This server already has an owner. Sign in instead."),
            Self::NameTaken { what } => {
                write!(f, "There is already a {what} with this name. Choose another name.")
            }
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
            Self::DraftMoved => {
                f.write_str("The draft was changed elsewhere since you loaded it, so nothing was saved. Reload it to continue.")
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
            Self::RunUnderWay => f.write_str("This run is still under way."),
            Self::NothingToAnswer => f.write_str("There is nothing to answer in this conversation."),
            Self::RunEnded => f.write_str("This run has ended already."),
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

/// `1 person has`, `2 people have`.
#[must_use]
pub fn count_phrase(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

impl Error {
    /// The 404 of a thing of this kind; the id is the one the caller sent.
    #[must_use]
    pub fn no_such(what: &str, id: &str) -> Self {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
        Self::NotFound(format!("{what} {shown} not found"))
    }

    /// The 404 of a flow, which names the id the caller sent (manual 1.4).
    #[must_use]
    pub fn no_flow(id: &FlowId) -> Self {
        Self::no_flow_text(&id.to_string())
    }

    /// As [`Self::no_flow`], for an id that is not even a UUID: the two answers are alike.
    #[must_use]
    pub fn no_flow_text(id: &str) -> Self {
        Self::no_such("Chatflow", id)
    }

    /// A 400 with this text.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }

    /// A 401 without a hint.
    #[must_use]
    pub const fn unauthorized() -> Self {
        Self::Unauthorized(Unauthorized::NoProof)
    }

    /// What a log says of it. The text of an error is for the caller: it may hold what a person asked, what code threw
    /// or what a provider answered. So a log names the kind alone, and the causes of what the service itself got wrong.
    #[must_use]
    pub fn for_log(&self) -> String {
        let kind = match self {
            Self::Invalid(_) => "something in the request is wrong",
            Self::Unauthorized(_) => "nobody proved who asks",
            Self::Forbidden(_) => "the caller may not do this",
            Self::OriginRefused(_) => "the flow does not admit this page",
            Self::NotFound(_) => "what was asked for is not there",
            Self::Conflict(_) => "it does not fit the present state",
            Self::QuotaExceeded(_) => "there is no room for another file",
            Self::RateLimited(_) => "the rate limit of the flow was reached",
            Self::TooManyAttempts { .. } => "there were too many failed attempts",
            Self::ProviderThrottled { .. } => "the provider is limiting requests",
            Self::RunFailed(_) | Self::Transient(_) => "a card of the flow failed",
            Self::Unavailable(_) => "the service is stopping or full",
            Self::Cancelled => "it was stopped",
            Self::Internal(cause) => return causes(cause.as_ref()),
            Self::Damaged(what) => return what.to_string(),
        };
        kind.to_owned()
    }

    /// True when nothing was changed: the operation was refused. After a fault of the service nobody knows, because a commit
    /// that failed may have reached the disk all the same; what belongs to it must stay then.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        !matches!(self, Self::Internal(_) | Self::Damaged(_))
    }

    /// What may pass, where nobody said when.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::Transient(TransientFault { message: message.into(), retry_after_seconds: None })
    }

    /// True for what the same request may not meet again.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Transient(_) | Self::ProviderThrottled { .. })
    }

    /// How long the other side asked to wait, in seconds.
    #[must_use]
    pub const fn retry_after_seconds(&self) -> Option<u64> {
        match self {
            Self::Transient(fault) => fault.retry_after_seconds,
            Self::ProviderThrottled { retry_after_seconds } => Some(*retry_after_seconds),
            _ => None,
        }
    }

    /// A fault of the service, with its cause for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }
}

/// Longest text of causes in a log, in characters.
const CAUSES_CHARACTERS_MAX: usize = 4_000;

/// A cause and what caused it. A reader of JSON quotes what it read, which may be anybody's words: of it only the place.
fn causes(first: &(dyn std::error::Error + 'static)) -> String {
    let mut told = Vec::new();
    let mut next = Some(first);
    while let Some(cause) = next {
        told.push(match cause.downcast_ref::<serde_json::Error>() {
            Some(json) => {
                format!("JSON that cannot be read, at line {} column {}", json.line(), json.column())
            }
            None => cause.to_string(),
        });
        next = cause.source();
    }
    let told = told.join(": ");
    told.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CAUSES_CHARACTERS_MAX).collect()
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text)
            | Self::Forbidden(text)
            | Self::OriginRefused(text)
            | Self::NotFound(text)
            | Self::RunFailed(text) => f.write_str(text),
            Self::Unauthorized(why) => f.write_str(why.message()),
            Self::Transient(fault) => f.write_str(&fault.message),
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::QuotaExceeded(full) => f.write_str(full.message()),
            Self::RateLimited(limited) => f.write_str(&limited.message),
            Self::TooManyAttempts { retry_after_seconds } => {
                write!(f, "Too many failed attempts. Try again in {retry_after_seconds} seconds.")
            }
            Self::ProviderThrottled { retry_after_seconds } => write!(
                f,
                "The model provider is limiting requests. Try again in {retry_after_seconds} seconds."
            ),
            Self::Unavailable(UnavailableReason::Restarting) => {
                f.write_str("The service is restarting. Try again in a minute.")
            }
            Self::Unavailable(UnavailableReason::Busy) => {
                f.write_str("The service is running as many flows as it can. Try again in a moment.")
            }
            Self::Cancelled => f.write_str("The run was stopped."),
            Self::Damaged(damage) => damage.fmt(f),
            Self::Internal(_) => f.write_str("The service failed to do this. Its log says why."),
        }
    }
}

impl std::error::Error for Error {}
