//! Export and import (manual 5.11): one file in Flowise's form, with what only this service knows
//! beside it. No secret leaves: flows go out as history keeps them, variables without their values, credentials by name.

mod assistants;
mod coverage;
mod credentials;
mod export;
pub(crate) mod file_flows;
mod flow;
mod import;
mod move_in;
mod other_products;
pub(crate) mod parse;
mod plan;
mod runs;
mod tool_servers;
mod transcripts;
pub(crate) mod workspace_view;

pub(crate) use self::export::{export, export_all};
pub(crate) use self::file_flows::FileFlows;
pub(crate) use self::import::import;
pub(crate) use self::move_in::move_in;
pub(crate) use self::transcripts::transcripts;
use crate::domain::accounts::caller::{Caller, Permission, PermissionSet};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::workspace::assistant::AssistantKind;
use crate::ops::flows::access::{self, FlowAction};

/// The kinds of things that go out and come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Flow(FlowKind),
    Tool,
    /// A server of tools, without its address and the values of its headers.
    ToolServer,
    Variable,
    DocumentStore,
    Template,
    // Assistants that run at their providers.
    OpenAiAssistant,
    AzureAssistant,
}

/// The lists of a file: their name, and what is in them. Flowise has no list for harnesses and pipelines, which stand among
/// the chatflows and say what they are.
const GROUPS: [(&str, ItemKind); 13] = [
    ("ChatFlow", ItemKind::Flow(FlowKind::Chatflow)),
    ("ChatFlow", ItemKind::Flow(FlowKind::Harness)),
    ("ChatFlow", ItemKind::Flow(FlowKind::Etl)),
    ("AgentFlow", ItemKind::Flow(FlowKind::Multiagent)),
    ("AgentFlowV2", ItemKind::Flow(FlowKind::Agentflow)),
    ("AssistantFlow", ItemKind::Flow(FlowKind::Assistant)),
    ("Tool", ItemKind::Tool),
    ("CustomMcpServer", ItemKind::ToolServer),
    ("Variable", ItemKind::Variable),
    ("DocumentStore", ItemKind::DocumentStore),
    ("CustomTemplate", ItemKind::Template),
    ("AssistantOpenAI", ItemKind::OpenAiAssistant),
    ("AssistantAzure", ItemKind::AzureAssistant),
];

/// The permission of a person over all of a workspace.
const EXPORT_ALL: &str = "workspace:export";
const IMPORT_ALL: &str = "workspace:import";

impl ItemKind {
    /// The list of the file it stands in.
    fn group(self) -> &'static str {
        GROUPS.iter().find(|(_, kind)| *kind == self).map_or("ChatFlow", |(name, _)| name)
    }

    /// The kind of a hosted assistant.
    const fn assistant(self) -> Option<AssistantKind> {
        match self {
            Self::OpenAiAssistant => Some(AssistantKind::OpenAi),
            Self::AzureAssistant => Some(AssistantKind::Azure),
            _ => None,
        }
    }

    /// The permission that lets this kind out; Flowise has none for some kinds, whose readers may have them.
    const fn export_permission(self) -> &'static str {
        match self {
            Self::Flow(FlowKind::Assistant) | Self::OpenAiAssistant | Self::AzureAssistant => {
                "assistants:view"
            }
            Self::Flow(FlowKind::Agentflow | FlowKind::Multiagent) => "agentflows:export",
            Self::Flow(_) => "chatflows:export",
            Self::Tool | Self::ToolServer => "tools:export",
            Self::Variable => "variables:view",
            Self::DocumentStore => "documentStores:view",
            Self::Template => "templates:custom",
        }
    }

    const fn import_permission(self) -> &'static str {
        match self {
            Self::Flow(FlowKind::Assistant) | Self::OpenAiAssistant | Self::AzureAssistant => {
                "assistants:create"
            }
            Self::Flow(FlowKind::Agentflow | FlowKind::Multiagent) => "agentflows:import",
            Self::Flow(_) => "chatflows:import",
            Self::Tool | Self::ToolServer => "tools:create",
            Self::Variable => "variables:create",
            Self::DocumentStore => "documentStores:create",
            Self::Template => "templates:flowexport",
        }
    }

    /// Taking things out of a workspace is a permission of its own, which lets nobody read what they may not see.
    fn check_export(self, caller: &Caller) -> Result<()> {
        let own = self.export_permission();
        if !caller.has_any(&[EXPORT_ALL, own]) {
            return Err(Error::Forbidden(format!("This needs the permission {EXPORT_ALL} or {own}.")));
        }
        let seen = match self {
            Self::Flow(kind) => return access::check_permission(caller, kind, FlowAction::Read),
            Self::Tool | Self::ToolServer => "tools:view",
            Self::Variable => "variables:view",
            Self::DocumentStore => "documentStores:view",
            Self::Template => "templates:custom",
            Self::OpenAiAssistant | Self::AzureAssistant => "assistants:view",
        };
        if caller.permissions.has(seen) {
            return Ok(());
        }
        Err(Error::Forbidden(format!("This needs the permission {seen}.")))
    }

    fn can_import(self, caller: &Caller) -> bool {
        caller.has_any(&[IMPORT_ALL, self.import_permission()])
    }
}

/// The caller with one permission more, for flows of this kind: whoever may import them may make them.
fn with_permission(caller: &Caller, kind: FlowKind, action: &str) -> Caller {
    let mut richer = caller.clone();
    let more = Permission::parse(&format!("{}:{action}", kind.resource()));
    if let (PermissionSet::Only(held), Some(more)) = (&mut richer.permissions, more) {
        held.insert(more);
    }
    richer
}
