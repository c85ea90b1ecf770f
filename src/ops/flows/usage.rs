//! Which flows name a credential, a tool, a document store, a variable or a key, so that nobody deletes what is needed
//! without knowing. Live, drafts and settings count.

use super::access::{self, FlowAction};
use crate::app::App;
use crate::canvas::template::variable_names;
use crate::cards::kit::stores::databases::CREDENTIAL_TYPES;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::usage::{ResourceUsage, UsingFlow};
use crate::domain::ids::{WorkspaceId, find_ids};
use crate::ops::workspace::credentials;
use crate::store::Tx;
use crate::store::tables::{CANVASES, DRAFT_CANVASES, FLOWS};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Flows that are named of each; the count is of all.
const NAMED_MAX: usize = 20;
/// Things that are counted; a workspace with more shows the first ones.
const COUNTED_MAX: usize = 20_000;

/// What may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceKind {
    Credentials,
    Tools,
    ToolServers,
    Stores,
    Variables,
    /// By id: the flows that are bound to it.
    Keys,
}

impl ResourceKind {
    /// Reads the name of a group of permissions.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "credentials" => Some(Self::Credentials),
            "tools" => Some(Self::Tools),
            "toolServers" => Some(Self::ToolServers),
            "documentStores" => Some(Self::Stores),
            "variables" => Some(Self::Variables),
            "apikeys" => Some(Self::Keys),
            _ => None,
        }
    }

    const fn permission(self) -> &'static str {
        match self {
            Self::Credentials => "credentials:view",
            Self::Tools | Self::ToolServers => "tools:view",
            Self::Stores => "documentStores:view",
            Self::Variables => "variables:view",
            Self::Keys => "apikeys:view",
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Credentials => "credential",
            Self::Tools => "tool",
            Self::ToolServers => "server of tools",
            Self::Stores => "document store",
            Self::Variables => "variable",
            Self::Keys => "API key",
        }
    }

    fn names(self, canvas: &str) -> BTreeSet<&str> {
        match self {
            Self::Credentials | Self::Tools | Self::ToolServers | Self::Stores | Self::Keys => {
                find_ids(canvas).map(|(_, id)| id).collect()
            }
            Self::Variables => variable_names(canvas).collect(),
        }
    }
}

/// A credential of a database, which code names by its name.
struct CodeReference {
    id: String,
    /// The name as a text of code, in each kind of quotes, as it stands in a canvas.
    texts: [String; 3],
}

impl CodeReference {
    /// Those of a workspace, where credentials are what is looked for.
    fn load(tx: &impl Tx, used: ResourceKind, workspace: &WorkspaceId) -> Result<Vec<Self>> {
        if used != ResourceKind::Credentials {
            return Ok(Vec::new());
        }
        let found = credentials::list_of_types(tx, workspace, CREDENTIAL_TYPES)?;
        Ok(found.iter().map(|one| Self::new(one.id.to_string(), &one.name)).collect())
    }

    fn new(id: String, name: &str) -> Self {
        // A canvas is JSON, and so is the draft of a text within it.
        let in_json = |text: String| {
            let quoted = Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        };
        let texts = [format!("\"{name}\""), format!("'{name}'"), format!("`{name}`")].map(in_json);
        Self { id, texts }
    }
}

/// What texts of a flow name.
fn names_in<'t>(used: ResourceKind, texts: &'t [String], in_code: &'t [CodeReference]) -> BTreeSet<&'t str> {
    let mut names: BTreeSet<&str> = texts.iter().flat_map(|text| used.names(text)).collect();
    let is_said = |one: &&CodeReference| {
        one.texts.iter().any(|quoted| texts.iter().any(|text| text.contains(quoted.as_str())))
    };
    names.extend(in_code.iter().filter(is_said).map(|one| one.id.as_str()));
    names
}

/// By id or name: how many flows use it, and those of them that the caller may see.
///
/// # Errors
/// 403 without the permission to see these things.
pub(crate) fn count(
    app: &App,
    caller: &Caller,
    used: ResourceKind,
) -> Result<BTreeMap<String, ResourceUsage>> {
    if !caller.permissions.has(used.permission()) {
        return Err(Error::Forbidden(format!("This needs the permission {}.", used.permission())));
    }
    let mut found = BTreeMap::new();
    app.store.read(|tx| {
        let in_code = CodeReference::load(tx, used, &caller.workspace)?;
        for flow in FLOWS.list(tx, &caller.workspace)? {
            let (in_live, in_draft) = (live_texts(tx, used, &flow)?, draft_texts(tx, used, &flow)?);
            let live = names_in(used, &in_live, &in_code);
            let mut draft = names_in(used, &in_draft, &in_code);
            draft.retain(|name| !live.contains(name));
            count_use(&mut found, caller, &flow, &live, false);
            count_use(&mut found, caller, &flow, &draft, true);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Where a flow may name such a thing in what answers: Live, and the settings.
fn live_texts(tx: &impl Tx, used: ResourceKind, flow: &Flow) -> Result<Vec<String>> {
    if used == ResourceKind::Keys {
        return Ok(flow.settings.api_key.iter().map(ToString::to_string).collect());
    }
    let canvas = CANVASES.get(tx, &flow.workspace, &flow.id)?;
    let settings = serde_json::to_string(&flow.settings).map_err(Error::internal)?;
    Ok(canvas.into_iter().chain([settings]).collect())
}

/// Where its draft may, if it has one.
fn draft_texts(tx: &impl Tx, used: ResourceKind, flow: &Flow) -> Result<Vec<String>> {
    if used == ResourceKind::Keys {
        return Ok(Vec::new());
    }
    Ok(DRAFT_CANVASES.get(tx, &flow.workspace, &flow.id)?.into_iter().collect())
}

/// The flows of the kinds that are `wanted` which use one thing, in Live or in their draft alone. It reads their canvases.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn flows_using(
    tx: &impl Tx,
    caller: &Caller,
    used: ResourceKind,
    name: &str,
    wanted: impl Fn(FlowKind) -> bool,
) -> Result<Vec<UsingFlow>> {
    let in_code = CodeReference::load(tx, used, &caller.workspace)?;
    let mut found = Vec::new();
    for flow in FLOWS.list(tx, &caller.workspace)?.into_iter().filter(|flow| wanted(flow.kind)) {
        let names = |texts: &[String]| names_in(used, texts, &in_code).contains(name);
        let in_live = names(&live_texts(tx, used, &flow)?);
        if in_live || names(&draft_texts(tx, used, &flow)?) {
            found.push(UsingFlow { id: flow.id, name: flow.name, kind: flow.kind, is_draft: !in_live });
        }
    }
    Ok(found)
}

/// Whether the caller may be told of a flow of this kind.
pub(crate) fn is_seen(caller: &Caller, kind: FlowKind) -> bool {
    access::check_permission(caller, kind, FlowAction::Read).is_ok()
}

/// Refuses to delete what flows use, unless the caller knows and wants it all the same. Those that the caller may not see
/// are counted and not named.
///
/// # Errors
/// 409 naming the flows.
pub(crate) fn require_unused(
    tx: &impl Tx,
    caller: &Caller,
    used: ResourceKind,
    name: &str,
    force: bool,
) -> Result<()> {
    if force {
        return Ok(());
    }
    let (mut flows, mut others) = (Vec::new(), 0);
    for flow in flows_using(tx, caller, used, name, |_| true)? {
        if is_seen(caller, flow.kind) && flows.len() < NAMED_MAX {
            flows.push(flow.name);
        } else {
            others += 1;
        }
    }
    if flows.is_empty() && others == 0 {
        return Ok(());
    }
    flows.sort();
    Err(Conflict::InUse { what: used.noun(), flows, others }.into())
}

fn count_use(
    found: &mut BTreeMap<String, ResourceUsage>,
    caller: &Caller,
    flow: &Flow,
    names: &BTreeSet<&str>,
    is_draft: bool,
) {
    // A flow names itself and its own parts too; what is no credential is looked up by nobody.
    for name in names {
        if found.len() >= COUNTED_MAX && !found.contains_key(*name) {
            continue;
        }
        let usage = found.entry((*name).to_owned()).or_default();
        usage.count += 1;
        usage.drafts += usize::from(is_draft);
        if is_seen(caller, flow.kind) && usage.flows.len() < NAMED_MAX {
            let (id, name, kind) = (flow.id, flow.name.clone(), flow.kind);
            usage.flows.push(UsingFlow { id, name, kind, is_draft });
        }
    }
}
