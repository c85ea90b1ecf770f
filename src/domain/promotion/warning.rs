//! What an owner should know before a version of Dev becomes Live here: a code and a sentence for each.

use serde::Serialize;

/// What is to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum WarningCode {
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

impl WarningCode {
    /// True where the flow would fail when it is asked.
    #[must_use]
    pub(crate) const fn is_blocking(self) -> bool {
        matches!(
            self,
            Self::VariableMissing
                | Self::ToolMissing
                | Self::StoreMissing
                | Self::FlowMissing
                | Self::HarnessMissing
                | Self::SecretMissing
        )
    }
}

/// One thing to be known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Warning {
    pub code: WarningCode,
    pub message: String,
    /// The card that it is about.
    pub node: Option<String>,
    /// The input of it.
    pub input: Option<String>,
}
