//! Ids that callers name in addresses, and what is said of one that leads nowhere.

use super::error::{Error, Result};
use super::ids::{
    AssistantId, CredentialId, DocumentStoreId, ExecutionId, FeedbackId, InvitationId, KeyId, RoleId,
    SessionId, TemplateId, ToolId, ToolServerId, UserId, VariableId, WorkspaceId,
};
use std::fmt::Display;
use std::str::FromStr;

/// An id that a caller may name.
pub trait ResourceId: FromStr + Display {
    /// What it names, as a sentence begins.
    const NOUN: &'static str;

    /// Reads an id that a caller sent.
    ///
    /// # Errors
    /// 404 for a text that is no id: nothing can have it.
    fn from_caller(text: &str) -> Result<Self> {
        text.parse().map_err(|_| Error::no_such(Self::NOUN, text))
    }

    /// As [`Self::from_caller`], of an id that may be left out; an empty text counts as none.
    ///
    /// # Errors
    /// As [`Self::from_caller`].
    fn from_caller_if_any(text: Option<&str>) -> Result<Option<Self>> {
        text.filter(|text| !text.is_empty()).map(Self::from_caller).transpose()
    }

    /// The answer where nothing has this id, or nothing that the caller may see.
    fn not_found(&self) -> Error {
        Error::no_such(Self::NOUN, &self.to_string())
    }
}

macro_rules! resource_ids {
    ($($id:ident: $noun:literal,)*) => {
        $(impl ResourceId for $id {
            const NOUN: &'static str = $noun;
        })*
    };
}

resource_ids! {
    AssistantId: "Assistant",
    CredentialId: "Credential",
    DocumentStoreId: "Document store",
    ExecutionId: "Execution",
    FeedbackId: "Feedback",
    InvitationId: "Invitation",
    KeyId: "API key",
    RoleId: "Role",
    SessionId: "Session",
    TemplateId: "Template",
    ToolId: "Tool",
    ToolServerId: "Server of tools",
    UserId: "Person",
    VariableId: "Variable",
    WorkspaceId: "Workspace",
}
