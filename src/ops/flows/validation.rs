//! What is wrong with flows before anybody asks them: the one answer of `/validation/:id`, of Publish and of an import.

use super::access::{self, FlowAction};
use super::drafts;
use super::live::harnesses;
use crate::app::App;
use crate::canvas::Canvas;
use crate::cards::kit::Picker;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::card_problems::CardProblems;
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::ids::{CredentialId, DocumentStoreId, FlowId, ToolId, ToolServerId, WorkspaceId};
use crate::domain::local_program::AllowedProgram;
pub(crate) use crate::engine::former_names;
use crate::engine::resources::Resources;
pub(crate) use crate::engine::validate::unknown_cards;
use crate::engine::validate::validate;
use crate::store::Tx;
use crate::store::tables::{
    API_KEYS, CANVASES, CREDENTIALS, DOCUMENT_STORES, FLOWS, TOOL_SERVERS, TOOLS, VARIABLES,
};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Judges canvases by what their workspace holds in one transaction.
pub(crate) struct Validator<'a, T> {
    tx: &'a T,
    workspace: &'a WorkspaceId,
    imported: &'a ImportedResources,
    programs: &'a [AllowedProgram],
    schedule_seconds_min: u64,
    variables: OnceCell<BTreeSet<String>>,
    /// The first thing that could not be read.
    fault: RefCell<Option<Error>>,
}

/// What is about to come into a workspace, and counts as there already.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportedResources {
    /// Tools, servers of tools, document stores and flows.
    pub ids: BTreeSet<Uuid>,
    pub variables: BTreeSet<String>,
    /// Credentials, with their types.
    pub credentials: BTreeMap<CredentialId, String>,
}

const NOTHING: &ImportedResources =
    &ImportedResources { ids: BTreeSet::new(), variables: BTreeSet::new(), credentials: BTreeMap::new() };

impl<'a, T: Tx> Validator<'a, T> {
    /// For this workspace as it is.
    pub(crate) fn new(app: &'a App, tx: &'a T, workspace: &'a WorkspaceId) -> Self {
        Self::with_imports(app, tx, workspace, NOTHING)
    }

    /// For this workspace as it will be.
    pub(crate) fn with_imports(
        app: &'a App,
        tx: &'a T,
        workspace: &'a WorkspaceId,
        arrivals: &'a ImportedResources,
    ) -> Self {
        let programs = &app.settings.mcp_commands;
        Self {
            tx,
            workspace,
            imported: arrivals,
            programs,
            schedule_seconds_min: app.settings.schedule_seconds_min,
            variables: OnceCell::new(),
            fault: RefCell::new(None),
        }
    }

    /// The problems of a canvas, by card; none when it is fine.
    ///
    /// # Errors
    /// 400 when the text is no canvas; when the database cannot be read.
    pub(crate) fn check_canvas(&self, kind: FlowKind, canvas: &str) -> Result<Vec<CardProblems>> {
        let canvas = Canvas::parse(canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
        let found = validate(kind, &canvas, self);
        self.fault.take().map_or(Ok(found), Err)
    }

    /// The problems of a flow with this canvas: those of the canvas, and a key that is gone.
    ///
    /// # Errors
    /// As [`Self::check_canvas`].
    pub(crate) fn check_flow(&self, flow: &Flow, canvas: &str) -> Result<Vec<CardProblems>> {
        let mut found = self.check_canvas(flow.kind, canvas)?;
        if let Some(key) = &flow.settings.api_key
            && !API_KEYS.has(self.tx, self.workspace, key)?
        {
            found.push(CardProblems {
                id: String::new(),
                label: flow.name.clone(),
                name: String::new(),
                issues: vec![
                    "The API key that this flow is bound to was deleted, so nobody can ask it: choose another one, or none."
                        .to_owned(),
                ],
                lost: Vec::new(),
                blocks: false,
            });
        }
        Ok(found)
    }

    /// What was read, or nothing once something could not be read: then nothing of what was found counts.
    fn read_or_note<V>(&self, read: impl FnOnce() -> Result<V>) -> Option<V> {
        match read() {
            Ok(value) => Some(value),
            Err(fault) => {
                self.fault.borrow_mut().get_or_insert(fault);
                None
            }
        }
    }
}

impl<T: Tx> Resources for Validator<'_, T> {
    fn credential_type(&self, id: &str) -> Option<String> {
        let id = CredentialId::parse(id)?;
        self.read_or_note(|| CREDENTIALS.get(self.tx, self.workspace, &id))?
            .map(|stored| stored.credential_name)
            .or_else(|| self.imported.credentials.get(&id).cloned())
    }

    fn has(&self, what: Picker, id: &str) -> bool {
        let (tx, home) = (self.tx, self.workspace);
        if what == Picker::Harness {
            // What is no name of a harness is told as a value, or is still to be filled in.
            let Some(name) = HarnessName::parse(id) else { return true };
            let found = self.read_or_note(|| match harnesses::find(tx, home, &name) {
                Ok(_) => Ok(true),
                Err(Error::NotFound(_)) => Ok(false),
                Err(fault) => Err(fault),
            });
            return found == Some(true);
        }
        let Ok(uuid) = Uuid::parse_str(id) else { return true };
        let bytes = *uuid.as_bytes();
        let found = self.read_or_note(|| match what {
            Picker::Tool => TOOLS.has(tx, home, &ToolId::from_bytes(bytes)),
            Picker::ToolServer => TOOL_SERVERS.has(tx, home, &ToolServerId::from_bytes(bytes)),
            Picker::DocumentStore => DOCUMENT_STORES.has(tx, home, &DocumentStoreId::from_bytes(bytes)),
            Picker::Flow | Picker::Pipeline => FLOWS.has(tx, home, &FlowId::from_bytes(bytes)),
            Picker::Harness | Picker::Actions | Picker::Step | Picker::ToolArgument => Ok(true),
        });
        found == Some(true) || self.imported.ids.contains(&uuid)
    }

    fn has_variable(&self, name: &str) -> bool {
        let saved = self.variables.get_or_init(|| {
            let listed = self.read_or_note(|| VARIABLES.list(self.tx, self.workspace)).unwrap_or_default();
            listed.into_iter().map(|variable| variable.name).collect()
        });
        saved.contains(name) || self.imported.variables.contains(name)
    }

    fn programs(&self) -> &[AllowedProgram] {
        self.programs
    }

    fn schedule_seconds_min(&self) -> u64 {
        self.schedule_seconds_min
    }
}

/// The problems that a flow would have with this canvas, which is stored nowhere. Marks that stand for passwords count as
/// filled in: who may look at a flow is not given what they stand for.
///
/// # Errors
/// 400 when the text is no canvas, 404 or 403.
pub(crate) fn problems_of_canvas(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    canvas: &str,
) -> Result<Vec<CardProblems>> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Read)?;
        Validator::new(app, tx, &flow.workspace).check_flow(&flow, canvas)
    })
}

/// The problems of a flow: of its draft when there is one, or of Live.
///
/// # Errors
/// 404 or 403.
pub(crate) fn problems(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    side: CanvasSide,
) -> Result<Vec<CardProblems>> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Read)?;
        let draft = match side {
            CanvasSide::Draft if app.settings.drafts => drafts::canvas(tx, &flow)?,
            CanvasSide::Draft | CanvasSide::Live => None,
        };
        let canvas = match draft {
            Some(canvas) => canvas,
            None => CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default(),
        };
        Validator::new(app, tx, &flow.workspace).check_flow(&flow, &canvas)
    })
}
