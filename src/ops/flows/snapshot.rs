//! A flow as a version holds it: taken without secrets, compared, and brought back (manual 6.4, 6.5, 6.6).

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::secrets::{self, CredentialName, PlaceholderPolicy, RestoreContext, RestoredCanvas};
use crate::canvas::{Canvas, StoredCanvas};
use crate::cards::registry::Registry;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::history::HistoryReport;
use crate::domain::flows::settings::FlowSettings;
use crate::domain::flows::version::FlowSnapshot;
use crate::domain::flows::version_diff::{Diff, NameChange};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::secrets::{first_match, redact, tree};
use crate::domain::workspace::credential::Credential;
use crate::history::{History, VerifyItem};
use crate::limits::VERSION_CANVAS_BYTES_MAX;
use crate::store::Tx;
use crate::store::tables::CREDENTIALS;
use serde_json::{Map, Value};

/// A flow without its secrets: what a version holds, or would hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    pub id: FlowId,
    pub name: String,
    pub kind: FlowKind,
    pub category: Option<String>,
    pub canvas: StoredCanvas,
    /// Settings; they are shown in a version and never restored.
    pub settings: Map<String, Value>,
}

impl Snapshot {
    /// Takes a flow with this canvas as it would be recorded.
    ///
    /// # Errors
    /// When the canvas or the credentials cannot be read.
    pub(crate) fn take(app: &App, flow: &Flow, canvas: &str) -> Result<Self> {
        app.store.read(|tx| Self::take_in(tx, flow, canvas))
    }

    /// As [`Self::take`], in a transaction.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(crate) fn take_in(tx: &impl Tx, flow: &Flow, canvas: &str) -> Result<Self> {
        let credentials = WorkspaceCredentials::list(tx, &flow.workspace)?;
        Ok(Self {
            id: flow.id,
            name: redact(&flow.name).text,
            kind: flow.kind,
            category: flow.category.as_deref().map(|category| redact(category).text),
            canvas: secrets::redact(&parse_canvas(canvas)?, &Registry, &|id| credentials.name_of(id)),
            settings: secrets::redact_settings(&recorded_settings(&flow.settings)),
        })
    }

    /// Reads what a version holds; `None` when another tool left something else there.
    #[must_use]
    pub(crate) fn from_record(held: FlowSnapshot) -> Option<Self> {
        let canvas = StoredCanvas::parse(&held.canvas)?;
        let FlowSnapshot { id, name, kind, category, settings, .. } = held;
        Some(Self { id, name, kind, category, canvas, settings })
    }

    /// A flow that is deleted: of what it was, its name and its kind are left.
    #[must_use]
    pub(crate) fn deleted(id: FlowId, name: String, kind: FlowKind) -> Self {
        Self { id, name, kind, category: None, canvas: StoredCanvas::empty(), settings: Map::new() }
    }

    /// With credentials by the names they have now, where they were renamed since: nothing of the flow changed by that.
    ///
    /// # Errors
    /// When the credentials cannot be read.
    pub(crate) fn with_current_credential_names(self, app: &App, workspace: &WorkspaceId) -> Result<Self> {
        let credentials = WorkspaceCredentials::load(app, workspace)?;
        let canvas = secrets::rename_credentials(&self.canvas, &|wanted| credentials.current_name(wanted));
        Ok(Self { canvas, ..self })
    }

    /// As history writes it.
    ///
    /// # Errors
    /// 400 when the canvas is too large to be kept as a version that can be read again.
    pub(crate) fn to_record(&self) -> Result<FlowSnapshot> {
        let canvas = self.canvas.text_within(VERSION_CANVAS_BYTES_MAX).ok_or_else(|| {
            let most = VERSION_CANVAS_BYTES_MAX / (1024 * 1024);
            Error::Invalid(format!(
                "The canvas is too large for version history: written out it has more than {most} MB."
            ))
        })?;
        Ok(FlowSnapshot {
            id: self.id,
            name: self.name.clone(),
            kind: self.kind,
            category: self.category.clone(),
            canvas,
            settings: self.settings.clone(),
            references: None,
        })
    }

    /// How many placeholders it holds (manual 6.1).
    #[must_use]
    pub(crate) fn hidden_count(&self) -> u32 {
        let in_settings: usize = self.settings.values().map(tree::count_placeholders_in).sum();
        u32::try_from(self.canvas.placeholder_count() + in_settings).unwrap_or(u32::MAX)
    }

    /// Name, kind, tags and canvas are equal: all that a restore brings back (manual 6.7 r2).
    #[must_use]
    pub(crate) fn has_same_content(&self, other: &Self) -> bool {
        self.name == other.name
            && self.kind == other.kind
            && self.category == other.category
            && self.canvas == other.canvas
    }

    /// What this one changes against an older one; everything is new against none.
    #[must_use]
    pub(crate) fn diff(&self, older: Option<&Self>) -> Diff {
        let nothing = StoredCanvas::empty();
        let renamed = older.and_then(|older| NameChange::between(&older.name, &self.name));
        Diff { renamed, ..Diff::between(older.map_or(&nothing, |older| &older.canvas), &self.canvas) }
    }

    /// As [`Self::diff`], and the keys of the record that differ: what a version changed beside its canvas (manual 6.6).
    #[must_use]
    pub(crate) fn diff_with_record(&self, older: Option<&Self>) -> Diff {
        let diff = self.diff(older);
        match older {
            Some(older) => diff.with_record(&older.record(), &self.record()),
            None => diff,
        }
    }

    /// What it holds beside name and canvas, by the keys of the record.
    fn record(&self) -> Map<String, Value> {
        let mut record = self.settings.clone();
        record.insert("type".to_owned(), self.kind.as_str().into());
        record.insert("category".to_owned(), self.category.clone().into());
        record
    }

    /// The canvas as an editor of another place reads it: as history keeps it, with the ids of its credentials.
    ///
    /// # Errors
    /// When the credentials cannot be read.
    pub(crate) fn exported_canvas(&self, app: &App, flow: &Flow) -> Result<String> {
        let credentials = WorkspaceCredentials::load(app, &flow.workspace)?;
        let find = |wanted: &CredentialName| credentials.ids_of(wanted);
        let workspace = RestoreContext { cards: &Registry, credentials: &find };
        Ok(secrets::restore(&self.canvas, None, &workspace, PlaceholderPolicy::Keep).flow_data)
    }

    /// As [`Self::exported_canvas`], without any credential.
    #[must_use]
    pub(crate) fn without_credentials(&self) -> String {
        text_without_credentials(&self.canvas)
    }

    /// Brings the canvas up to date with a flow as it is now (manual 6.5).
    ///
    /// # Errors
    /// When Live's canvas or the credentials cannot be read.
    pub(crate) fn restore_onto(
        &self,
        app: &App,
        now: &Flow,
        live_canvas: &str,
        hidden: PlaceholderPolicy,
    ) -> Result<RestoredCanvas> {
        let credentials = WorkspaceCredentials::load(app, &now.workspace)?;
        let find = |wanted: &CredentialName| credentials.ids_of(wanted);
        let workspace = RestoreContext { cards: &Registry, credentials: &find };
        Ok(secrets::restore(&self.canvas, Some(&parse_canvas(live_canvas)?), &workspace, hidden))
    }

    /// As [`Self::restore_onto`], for a version of another server and a flow that may not be here yet: a secret that history
    /// hides keeps the value that it has here, and credentials are found by the names that they have now.
    ///
    /// # Errors
    /// When Live's canvas or the credentials cannot be read.
    pub(crate) fn promote_onto(
        &self,
        tx: &impl Tx,
        workspace: &WorkspaceId,
        live_canvas: Option<&str>,
    ) -> Result<RestoredCanvas> {
        let credentials = WorkspaceCredentials::list(tx, workspace)?;
        let find = |wanted: &CredentialName| credentials.ids_of(wanted);
        let context = RestoreContext { cards: &Registry, credentials: &find };
        let live = live_canvas.map(parse_canvas).transpose()?;
        Ok(secrets::restore(&self.canvas, live.as_ref(), &context, PlaceholderPolicy::UseCurrentValue))
    }
}

/// A canvas that came from elsewhere over `mine`, the flow's own: what no file holds stays as it is (manual 5.11 r4).
/// Credentials are those whose ids it says: what else it notes of them finds none.
///
/// # Errors
/// 400 when it is no canvas; when the flow's own canvas cannot be read.
pub(crate) fn merge_import(mine: &str, sent: &str) -> Result<String> {
    let canvas = StoredCanvas::parse(sent)
        .ok_or_else(|| Error::invalid("Its canvas must be JSON text with the lists 'nodes' and 'edges'."))?;
    let workspace = RestoreContext { cards: &Registry, credentials: &|_| Vec::new() };
    Ok(secrets::restore(&canvas, Some(&parse_canvas(mine)?), &workspace, PlaceholderPolicy::UseCurrentValue)
        .flow_data)
}

/// A settings object that came from elsewhere over the flow's own of this name: what no file holds stays as it is.
#[must_use]
pub(crate) fn merge_imported_setting(
    mine: &FlowSettings,
    name: &str,
    sent: Map<String, Value>,
) -> Map<String, Value> {
    let Ok(Value::Object(real)) = serde_json::to_value(mine) else { return sent };
    let stored = secrets::redact_settings(&recorded_settings(mine));
    let (Some(stored), Some(real)) = (stored.get(name), real.get(name)) else { return sent };
    let mut merged = Value::Object(sent);
    secrets::merge_redacted(&mut merged, stored, real);
    match merged {
        Value::Object(merged) => merged,
        _ => Map::new(),
    }
}

/// A canvas as anybody may read it: without secrets and without credentials.
///
/// # Errors
/// 400 when it is no canvas.
pub(crate) fn anonymize(canvas: &str) -> Result<String> {
    Ok(text_without_credentials(&secrets::redact(&parse_canvas(canvas)?, &Registry, &|_| None)))
}

fn text_without_credentials(canvas: &StoredCanvas) -> String {
    let workspace = RestoreContext { cards: &Registry, credentials: &|_| Vec::new() };
    secrets::restore(canvas, None, &workspace, PlaceholderPolicy::Keep).flow_data
}

/// The credentials of a workspace, the oldest first.
struct WorkspaceCredentials(Vec<Credential>);

impl WorkspaceCredentials {
    fn load(app: &App, workspace: &WorkspaceId) -> Result<Self> {
        app.store.read(|tx| Self::list(tx, workspace))
    }

    fn list(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Self> {
        let mut credentials = CREDENTIALS.list(tx, workspace)?;
        credentials.sort_by_key(|credential| credential.created);
        Ok(Self(credentials))
    }

    fn name_of(&self, id: &str) -> Option<CredentialName> {
        let credential = self.0.iter().find(|credential| credential.id.to_string() == id)?;
        let Credential { name, credential_name, .. } = credential;
        Some(CredentialName { name: name.clone(), credential_name: credential_name.clone() })
    }

    /// The name of the one credential that was called so before, when none is called so now.
    fn current_name(&self, wanted: &CredentialName) -> Option<CredentialName> {
        if !self.ids_of(wanted).is_empty() {
            return None;
        }
        let was_called_so = |credential: &&Credential| {
            credential.credential_name == wanted.credential_name
                && credential.former_names.iter().any(|former| redact(former).text == wanted.name)
        };
        let mut found = self.0.iter().filter(was_called_so);
        let (Some(one), None) = (found.next(), found.next()) else { return None };
        Some(CredentialName { name: redact(&one.name).text, credential_name: one.credential_name.clone() })
    }

    /// Names are compared as history shows them: with secrets hidden.
    fn ids_of(&self, wanted: &CredentialName) -> Vec<String> {
        let is_wanted = |credential: &&Credential| {
            credential.credential_name == wanted.credential_name
                && redact(&credential.name).text == wanted.name
        };
        self.0.iter().filter(is_wanted).map(|credential| credential.id.to_string()).collect()
    }
}

fn parse_canvas(text: &str) -> Result<Canvas> {
    Canvas::parse(text).map_err(|fault| Error::Invalid(fault.to_string()))
}

/// Settings as history keeps them: the key binding and the token of the MCP endpoint are credentials.
fn recorded_settings(settings: &FlowSettings) -> Map<String, Value> {
    let recorded =
        FlowSettings { mcp_server_config: settings.mcp_server_config.without_token(), ..settings.clone() };
    let Ok(Value::Object(mut map)) = serde_json::to_value(recorded) else { return Map::new() };
    map.shift_remove("apiKey");
    map.retain(|_, value| !value.is_null());
    map
}

/// Checks the whole history: objects, index, and that no text in it looks like a secret.
///
/// # Errors
/// When the database cannot be read, or `cancel` was set.
pub(crate) fn verify(history: &History, cancel: &CancelToken) -> Result<HistoryReport> {
    let mut leaks = Vec::new();
    let sound = history.verify(cancel, &mut |found| {
        let (sha, place, bytes) = match found {
            VerifyItem::Commit(sha, bytes) => (sha, "its message".to_owned(), bytes),
            VerifyItem::File(sha, path, bytes) => (sha, path.to_owned(), bytes),
        };
        if let Some(family) = first_match(bytes) {
            leaks.push(format!("version {} holds a {family} in {place}", sha.short()));
        }
    })?;
    Ok(HistoryReport {
        versions: sound.versions,
        commits: sound.commits,
        objects: sound.objects,
        problems: sound.faults.into_iter().chain(leaks).collect(),
    })
}
