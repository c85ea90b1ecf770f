//! What promoting a version would do here, worked out in one transaction: shown to the owner, and once more where Live is
//! written.

use super::mapping::{self, MappedCanvas};
use super::offer::Offer;
use super::records::WorkspaceRecords;
use super::warnings::{self, Change};
use crate::app::App;
use crate::canvas::Canvas;
use crate::canvas::secrets::{noted_credentials, used_credentials};
use crate::cards::registry::Registry;
use crate::domain::checks::setup::Unavailable;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{CanvasDigest, Flow};
use crate::domain::flows::references::ReferenceKind;
use crate::domain::flows::restore::{HiddenSecret, MissingCredential, RestoreNotes};
use crate::domain::flows::settings::FlowSettings;
use crate::domain::flows::version::{Sha, Version};
use crate::domain::flows::version_diff::{ComparedWith, VersionComparison};
use crate::domain::ids::WorkspaceId;
use crate::domain::promotion::digest::OfferDetails;
use crate::domain::promotion::entry::{IncomingEntry, IncomingFlow, IncomingStatus};
use crate::domain::promotion::rules::published_since;
use crate::domain::promotion::warning::Warning;
use crate::domain::secrets::redact;
use crate::ops::checks;
use crate::ops::flows::snapshot::Snapshot;
use crate::ops::flows::{drafts, live, titles};
use crate::store::Tx;
use crate::store::tables::{CANVASES, FLOWS};
use std::rc::Rc;

/// A version of Dev as it would stand here.
pub(super) struct Candidate {
    /// The flow as it is here.
    pub here: Option<LiveFlow>,
    /// The flow as it would be.
    pub flow: Flow,
    /// The canvas as it would be, with records and secrets of this server.
    pub canvas: String,
    /// Both as a version would hold them.
    live: Option<Snapshot>,
    promoted: Snapshot,
    notes: RestoreNotes,
    hidden: Vec<HiddenSecret>,
    warnings: Vec<Warning>,
    records: Rc<WorkspaceRecords>,
}

/// A flow of this server with its Live canvas.
pub(super) struct LiveFlow {
    pub flow: Flow,
    pub canvas: String,
    pub has_draft: bool,
}

impl Candidate {
    /// Works it out; `None` where the version is not offered: it was promoted already, Live is the same, it could answer nobody, or
    /// the id of the flow belongs to another workspace.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn find(
        app: &App,
        tx: &impl Tx,
        workspace: &WorkspaceId,
        offer: &Offer,
        records: Rc<WorkspaceRecords>,
    ) -> Result<Option<Self>> {
        let id = offer.content.id;
        if live::stored_workspace_of(tx, &id)?.is_some_and(|home| home != *workspace) {
            return Ok(None);
        }
        let here = match FLOWS.get(tx, workspace, &id)? {
            Some(flow) => {
                let canvas = CANVASES.get(tx, workspace, &id)?.unwrap_or_default();
                let has_draft = drafts::find(tx, &flow)?.is_some();
                Some(LiveFlow { flow, canvas, has_draft })
            }
            None => None,
        };
        if here
            .as_ref()
            .and_then(|here| here.flow.last_promoted)
            .is_some_and(|last| last.from == offer.version.sha)
        {
            return Ok(None);
        }
        let candidate = Self::build(app, tx, (workspace, records), offer, here)?;
        let is_live = candidate.live.as_ref().is_some_and(|live| live.has_same_content(&candidate.promoted));
        let is_settled = is_live && candidate.notes.missing_credentials.is_empty();
        Ok((!is_settled && candidate.flow.card_count > 0).then_some(candidate))
    }

    fn build(
        app: &App,
        tx: &impl Tx,
        (workspace, records): (&WorkspaceId, Rc<WorkspaceRecords>),
        offer: &Offer,
        here: Option<LiveFlow>,
    ) -> Result<Self> {
        let content = &offer.content;
        let MappedCanvas { canvas, warnings } =
            mapping::map(content.id, &content.canvas, offer.references.as_deref(), &records)?;
        let hidden = canvas.hidden_secrets(&Registry);
        let mapped = Snapshot { canvas, ..content.clone() };
        let live_canvas = here.as_ref().map(|here| here.canvas.as_str());
        let restored = mapped.promote_onto(tx, workspace, live_canvas)?;
        let canvas = live::ParsedCanvas::parse(restored.flow_data)?;
        let mut flow = flow_to_be(app, workspace, content, here.as_ref());
        canvas.update_record(&mut flow);
        let mut missing = restored.missing_credentials;
        missing.extend(missing_in_code(content, offer, &records));
        let live = here.as_ref().map(|here| Snapshot::take_in(tx, &here.flow, &here.canvas)).transpose()?;
        let promoted = Snapshot::take_in(tx, &flow, canvas.text())?;
        let notes = RestoreNotes {
            missing_credentials: missing,
            ambiguous_credentials: restored.ambiguous_credentials,
            hidden_secrets: restored.hidden_secrets,
        };
        let canvas = canvas.text().to_owned();
        Ok(Self { here, flow, canvas, live, promoted, notes, hidden, warnings, records })
    }

    /// The credentials that the version needs and the workspace lacks.
    pub(super) fn missing_credentials(&self) -> &[MissingCredential] {
        &self.notes.missing_credentials
    }

    pub(super) fn notes(&self) -> &RestoreNotes {
        &self.notes
    }

    pub(super) fn has_draft(&self) -> bool {
        self.here.as_ref().is_some_and(|here| here.has_draft)
    }

    /// The row of the list. `line` has the versions of the flow on Dev, newest first.
    pub(super) fn entry(&self, version: &Version, line: Vec<Version>) -> IncomingEntry {
        let last_promoted = self.here.as_ref().and_then(|here| here.flow.last_promoted);
        let (changes, more_changes) = published_since(line, last_promoted.map(|last| last.from).as_ref());
        IncomingEntry {
            flow: self.flow.id,
            name: self.flow.name.clone(),
            kind: self.flow.kind,
            status: if self.here.is_some() { IncomingStatus::Update } else { IncomingStatus::New },
            version: version.clone(),
            changes,
            more_changes,
            has_draft: self.has_draft(),
            last_promoted,
        }
    }

    /// All that the owner is shown.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn show(
        &self,
        app: &App,
        tx: &impl Tx,
        offer: &Offer,
        line: Vec<Version>,
    ) -> Result<IncomingFlow> {
        let entry = self.entry(&offer.version, line);
        let comparison = VersionComparison {
            sha: offer.version.sha,
            against: if self.live.is_some() { ComparedWith::Live } else { ComparedWith::Nothing },
            diff: self.promoted.diff_with_record(self.live.as_ref()),
            sentences: titles::sentences(self.live.as_ref(), &self.promoted),
        };
        let canvas = Canvas::parse(&self.canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
        let mut warnings = self.warnings.clone();
        let change = Change {
            here: self.here.as_ref(),
            flow: &self.flow,
            canvas: &canvas,
            settings_on_dev: &offer.content.settings,
            notes: &self.notes,
            hidden: &self.hidden,
            records: &self.records,
        };
        warnings.extend(warnings::find(app, tx, &change)?);
        let mut once: Vec<Warning> = Vec::new();
        for warning in warnings {
            if !once.contains(&warning) {
                once.push(warning);
            }
        }
        let warnings = once;
        let hidden_secrets: usize = self.hidden.iter().map(|hidden| hidden.count).sum();
        let hidden_secrets = u32::try_from(hidden_secrets).unwrap_or(u32::MAX);
        let check_unavailable = self.check_unavailable(&canvas, offer.version.sha);
        let credentials: Vec<String> =
            used_credentials(&canvas, &Registry).into_iter().map(|(_, id)| id).collect();
        let live_text = self.live.as_ref().map(|live| live.canvas.text());
        let shown = OfferDetails {
            entry: &entry,
            comparison: &comparison,
            notes: &self.notes,
            hidden_secrets,
            check_unavailable: check_unavailable.as_ref(),
            warnings: &warnings,
            live: live_text.as_deref(),
            promoted: &self.promoted.canvas.text(),
            credentials: &credentials,
        };
        let digest = shown.digest();
        Ok(IncomingFlow {
            entry,
            comparison,
            canvas: self.canvas.clone(),
            notes: self.notes.clone(),
            hidden_secrets,
            check_unavailable,
            warnings,
            digest,
        })
    }

    /// Why Live and the version cannot be asked the same questions.
    fn check_unavailable(&self, canvas: &Canvas, sha: Sha) -> Option<Unavailable> {
        let Some(here) = &self.here else { return Some(Unavailable::NewFlow) };
        let live = Canvas::parse(&here.canvas).ok();
        let live = live.as_ref().filter(|live| live.card_count() > 0);
        let sides = [(self.flow.kind, Some(canvas)), (here.flow.kind, live)];
        checks::promotion::unavailable(&sides, sha, &self.notes.missing_credentials)
    }
}

/// The flow as promoting would leave it: name, type and tags of the version, settings and all else of this server.
fn flow_to_be(app: &App, workspace: &WorkspaceId, content: &Snapshot, here: Option<&LiveFlow>) -> Flow {
    let now = app.clock.now();
    let (name, kind, category) = (content.name.clone(), content.kind, content.category.clone());
    match here {
        Some(here) => Flow { name, kind, category, ..here.flow.clone() },
        None => Flow {
            id: content.id,
            workspace: *workspace,
            name,
            kind,
            category,
            digest: CanvasDigest::compute(kind, ""),
            card_count: 0,
            settings: FlowSettings::default(),
            last_published: None,
            last_promoted: None,
            harness: None,
            live_version: None,
            created: now,
            updated: now,
        },
    }
}

/// Credentials that code of the version names by their names: what the cards themselves name is found with them.
fn missing_in_code(content: &Snapshot, offer: &Offer, here: &WorkspaceRecords) -> Vec<MissingCredential> {
    let on_cards = noted_credentials(&content.canvas);
    let noted = offer.references.iter().flatten().filter(|one| one.kind == ReferenceKind::Credential);
    let in_code = noted.filter_map(|one| {
        let sort = one.sort.clone()?;
        let is_on_card =
            on_cards.iter().any(|(_, card)| card.name == one.name && card.credential_name == sort);
        let is_here = here
            .credentials
            .iter()
            .any(|known| redact(&known.name).text == one.name && known.credential_name == sort);
        (!is_on_card && !is_here).then(|| MissingCredential { name: one.name.clone(), credential_name: sort })
    });
    in_code.collect()
}
