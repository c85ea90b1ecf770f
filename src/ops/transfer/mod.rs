//! Export and import (manual 5.11): one file in the family's form, with what only this service knows
//! beside it. No secret leaves: flows go out as history keeps them, variables without their values, credentials by name.

mod credentials;
mod export;
mod flow;
mod here;
mod import;
mod lone;
mod plan;
mod reading;
mod transcripts;

pub use export::{Wanted, export};
pub use import::{ImportBody, import};
pub use lone::{FileFlow, FileFlows};
pub use plan::Existing;
pub use transcripts::transcripts;

use super::access::{self, Action};
use crate::domain::caller::{Caller, Grants, Permission};
use crate::domain::error::{Error, Result};
use crate::domain::flow::FlowKind;

/// The kinds of things that go out and come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flow(FlowKind),
    Tool,
    Variable,
    DocumentStore,
    Template,
}

/// The lists of a file: their name, and what is in them.
const GROUPS: [(&str, Kind); 8] = [
    ("ChatFlow", Kind::Flow(FlowKind::Chatflow)),
    ("AgentFlow", Kind::Flow(FlowKind::Multiagent)),
    ("AgentFlowV2", Kind::Flow(FlowKind::Agentflow)),
    ("AssistantFlow", Kind::Flow(FlowKind::Assistant)),
    ("Tool", Kind::Tool),
    ("Variable", Kind::Variable),
    ("DocumentStore", Kind::DocumentStore),
    ("CustomTemplate", Kind::Template),
];

/// The permission of a person over all of a workspace.
const EXPORT_ALL: &str = "workspace:export";
const IMPORT_ALL: &str = "workspace:import";

impl Kind {
    /// The list of the file it stands in.
    fn group(self) -> &'static str {
        GROUPS.iter().find(|(_, kind)| *kind == self).map_or("ChatFlow", |(name, _)| name)
    }

    /// The permission that lets this kind out; the family has none for some kinds, whose readers may have them.
    const fn export_permission(self) -> &'static str {
        match self {
            Self::Flow(FlowKind::Assistant) => "assistants:view",
            Self::Flow(FlowKind::Agentflow | FlowKind::Multiagent) => "agentflows:export",
            Self::Flow(_) => "chatflows:export",
            Self::Tool => "tools:export",
            Self::Variable => "variables:view",
            Self::DocumentStore => "documentStores:view",
            Self::Template => "templates:custom",
        }
    }

    const fn import_permission(self) -> &'static str {
        match self {
            Self::Flow(FlowKind::Assistant) => "assistants:create",
            Self::Flow(FlowKind::Agentflow | FlowKind::Multiagent) => "agentflows:import",
            Self::Flow(_) => "chatflows:import",
            Self::Tool => "tools:create",
            Self::Variable => "variables:create",
            Self::DocumentStore => "documentStores:create",
            Self::Template => "templates:flowexport",
        }
    }

    /// Taking things out of a workspace is a permission of its own, which lets nobody read what they may not see.
    fn may_export(self, caller: &Caller) -> Result<()> {
        let own = self.export_permission();
        if !caller.may_any(&[EXPORT_ALL, own]) {
            return Err(Error::Forbidden(format!("This needs the permission {EXPORT_ALL} or {own}.")));
        }
        let seen = match self {
            Self::Flow(kind) => return access::permitted(caller, kind, Action::Read),
            Self::Tool => "tools:view",
            Self::Variable => "variables:view",
            Self::DocumentStore => "documentStores:view",
            Self::Template => "templates:custom",
        };
        if caller.grants.allow(seen) {
            return Ok(());
        }
        Err(Error::Forbidden(format!("This needs the permission {seen}.")))
    }

    fn may_import(self, caller: &Caller) -> bool {
        caller.may_any(&[IMPORT_ALL, self.import_permission()])
    }
}

/// The caller with one permission more, for flows of this kind: whoever may import them may make them.
fn with(caller: &Caller, kind: FlowKind, action: &str) -> Caller {
    let mut richer = caller.clone();
    let more = Permission::parse(&format!("{}:{action}", kind.resource()));
    if let (Grants::Only(held), Some(more)) = (&mut richer.grants, more) {
        held.insert(more);
    }
    richer
}
