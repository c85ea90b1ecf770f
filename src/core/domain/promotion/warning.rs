//! What an owner should know before a version of Dev becomes Live here: a code and a sentence for each.

use crate::domain::flows::restore::CredentialChoice;
use serde::Serialize;
use std::fmt;

/// Names of what comes from elsewhere are shown up to so many characters.
const NAME_CHARS_MAX: usize = 100;

/// What is to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub enum WarningCode {
    /// A credential was changed here since the flow was promoted last.
    CredentialEdited,
    /// Several credentials have the name and type.
    CredentialAmbiguous,
    /// A credential would go to an address that it does not go to yet.
    CredentialAddress,
    /// A private address that Live does not use.
    AddressPrivate,
    VariableMissing,
    VariableType,
    ToolMissing,
    ToolDifferent,
    StoreMissing,
    FlowMissing,
    HarnessMissing,
    /// A card names an uploaded file that is not here.
    FileMissing,
    /// A model that Live does not ask.
    ModelNew,
    /// Code differs from Live's, or is new.
    CodeChanged,
    /// Requests may set something on Dev and not here; settings do not travel.
    OverrideWidened,
    /// A hidden secret keeps the value that Live has.
    SecretKept,
    /// Live has no value for a hidden secret.
    SecretMissing,
    /// The flow would be started by its schedule.
    ScheduleStarts,
    /// The flow would be started by calls.
    WebhookOpens,
}

/// One thing to be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub finding: Finding,
    /// The card that it is about.
    pub node: Option<String>,
    /// Name of the input of that card, where one alone is meant.
    pub input: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    CredentialEdited { name: String },
    CredentialAmbiguous { name: String, sort: String, count: usize, using: CredentialChoice },
    CredentialAddress { card: String, credential: String, address: String },
    AddressPrivate { card: String, address: String },
    VariableMissing { name: String },
    VariableType { name: String, there: String, here: String },
    RecordMissing { kind: MissingRecord, name: Option<String>, why: MissingReason },
    ToolDifferent { name: String, here: String },
    FileMissing { card: String, input: String, file: String },
    ModelNew { card: String, model: String },
    CodeChanged { card: String, input: String, is_new: bool },
    OverrideWidened { card: String, setting: String },
    VariableOverrideWidened { name: String },
    SecretKept { card: String, input: String },
    SecretMissing { card: String, input: String },
    ScheduleStarts,
    WebhookOpens,
}

/// What kind of record is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingRecord {
    Tool,
    ToolServer,
    Store,
    Flow,
    Harness,
}

/// Why a record was not found here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingReason {
    /// None has its id or its name.
    NotHere,
    /// Several have its name.
    Ambiguous,
    /// The version does not say its name.
    Unnamed,
}

impl MissingRecord {
    const fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::ToolServer => "server of tools",
            Self::Store => "document store",
            Self::Flow => "flow",
            Self::Harness => "harness",
        }
    }
}

impl Finding {
    #[must_use]
    pub const fn code(&self) -> WarningCode {
        match self {
            Self::CredentialEdited { .. } => WarningCode::CredentialEdited,
            Self::CredentialAmbiguous { .. } => WarningCode::CredentialAmbiguous,
            Self::CredentialAddress { .. } => WarningCode::CredentialAddress,
            Self::AddressPrivate { .. } => WarningCode::AddressPrivate,
            Self::VariableMissing { .. } => WarningCode::VariableMissing,
            Self::VariableType { .. } => WarningCode::VariableType,
            Self::RecordMissing { kind: MissingRecord::Tool | MissingRecord::ToolServer, .. } => {
                WarningCode::ToolMissing
            }
            Self::RecordMissing { kind: MissingRecord::Store, .. } => WarningCode::StoreMissing,
            Self::RecordMissing { kind: MissingRecord::Flow, .. } => WarningCode::FlowMissing,
            Self::RecordMissing { kind: MissingRecord::Harness, .. } => WarningCode::HarnessMissing,
            Self::ToolDifferent { .. } => WarningCode::ToolDifferent,
            Self::FileMissing { .. } => WarningCode::FileMissing,
            Self::ModelNew { .. } => WarningCode::ModelNew,
            Self::CodeChanged { .. } => WarningCode::CodeChanged,
            Self::OverrideWidened { .. } | Self::VariableOverrideWidened { .. } => {
                WarningCode::OverrideWidened
            }
            Self::SecretKept { .. } => WarningCode::SecretKept,
            Self::SecretMissing { .. } => WarningCode::SecretMissing,
            Self::ScheduleStarts => WarningCode::ScheduleStarts,
            Self::WebhookOpens => WarningCode::WebhookOpens,
        }
    }

    /// True where the flow would fail when it is asked.
    #[must_use]
    pub const fn is_blocking(&self) -> bool {
        matches!(
            self,
            Self::VariableMissing { .. }
                | Self::RecordMissing { .. }
                | Self::FileMissing { .. }
                | Self::SecretMissing { .. }
        )
    }
}

impl fmt::Display for Finding {
    #[allow(clippy::too_many_lines, reason = "a sentence for each finding")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CredentialEdited { name } => write!(
                f,
                "The credential '{}' was changed here since this flow was promoted last.",
                clean_name(name)
            ),
            Self::CredentialAmbiguous { name, sort, count, using } => {
                let chosen = match using {
                    CredentialChoice::Current => "the one that this flow uses now",
                    CredentialChoice::Oldest => "the oldest of them",
                };
                let (name, sort) = (clean_name(name), clean_name(sort));
                write!(f, "{count} credentials here are called '{name}' ({sort}); {chosen} is used.")
            }
            Self::CredentialAddress { card, credential, address } => write!(
                f,
                "'{}' would send the credential '{}' to {}, where nothing that is Live here sends it.",
                clean_name(card),
                clean_name(credential),
                clean_name(address)
            ),
            Self::AddressPrivate { card, address } => write!(
                f,
                "'{}' would call {}, a private address that Live here does not call.",
                clean_name(card),
                clean_name(address)
            ),
            Self::VariableMissing { name } => write!(f, "There is no variable '{}' here.", clean_name(name)),
            Self::VariableType { name, there, here } => write!(
                f,
                "The variable '{}' is {} on Dev and {} here.",
                clean_name(name),
                clean_name(there),
                clean_name(here)
            ),
            Self::RecordMissing { kind, name, why } => write_missing(f, *kind, name.as_deref(), *why),
            Self::ToolDifferent { name, here } => write!(
                f,
                "The tool '{}', which stands for '{}' of Dev, does something else here than there.",
                clean_name(here),
                clean_name(name)
            ),
            Self::FileMissing { card, input, file } => write!(
                f,
                "'{}' of '{}' names the uploaded file '{}', which is not on this server: uploaded files do not come with a version.",
                clean_name(input),
                clean_name(card),
                clean_name(file)
            ),
            Self::ModelNew { card, model } => {
                write!(
                    f,
                    "'{}' asks the model '{}', which Live here does not ask.",
                    clean_name(card),
                    clean_name(model)
                )
            }
            Self::CodeChanged { card, input, is_new: false } => {
                write!(
                    f,
                    "The code in '{}' of '{}' is another than Live's.",
                    clean_name(input),
                    clean_name(card)
                )
            }
            Self::CodeChanged { card, input, is_new: true } => {
                write!(f, "The code in '{}' of '{}' is new here.", clean_name(input), clean_name(card))
            }
            Self::OverrideWidened { card, setting } => write!(
                f,
                "On Dev, requests may set '{}' of '{}'; here they may not, and promoting does not change that.",
                clean_name(setting),
                clean_name(card)
            ),
            Self::VariableOverrideWidened { name } => write!(
                f,
                "On Dev, requests may set the variable '{}'; here they may not, and promoting does not change that.",
                clean_name(name)
            ),
            Self::SecretKept { card, input } => write!(
                f,
                "'{}' of '{}' holds a secret that is not in the history, so all of this input stays as it is in Live here.",
                clean_name(input),
                clean_name(card)
            ),
            Self::SecretMissing { card, input } => write!(
                f,
                "'{}' of '{}' holds a secret that is not in the history, and Live here has no value for it.",
                clean_name(input),
                clean_name(card)
            ),
            Self::ScheduleStarts => {
                f.write_str("Once it is promoted, the flow is started by the schedule of this version.")
            }
            Self::WebhookOpens => f.write_str("Once it is promoted, calls of the flow's webhook start it."),
        }
    }
}

fn write_missing(
    f: &mut fmt::Formatter<'_>,
    kind: MissingRecord,
    name: Option<&str>,
    why: MissingReason,
) -> fmt::Result {
    let noun = kind.noun();
    let name = name.map_or_else(String::new, |name| format!(" '{}'", clean_name(name)));
    match why {
        MissingReason::NotHere => {
            write!(f, "The {noun}{name} that this version uses is not in this workspace.")
        }
        MissingReason::Ambiguous => write!(
            f,
            "The {noun}{name} that this version uses could be several of this workspace, so none of them is used."
        ),
        MissingReason::Unnamed => write!(
            f,
            "The {noun} that this version uses is not in this workspace, and the version does not say its name."
        ),
    }
}

/// A text of elsewhere as a sentence may hold it.
#[must_use]
pub fn clean_name(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let cut: String = shown.clone().take(NAME_CHARS_MAX).collect();
    if shown.count() > NAME_CHARS_MAX { format!("{cut}…") } else { cut }
}
