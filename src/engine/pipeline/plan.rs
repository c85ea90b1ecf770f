//! A canvas as a pipeline: which cards bring documents, which ones documents pass, and which ones take them.

use super::{params, picked, targets};
use crate::canvas::{Canvas, Edge, Node};
use crate::cards::kit::Factory;
use crate::cards::kit::knowledge::transform::{DOCUMENTS, FAIL_FAST, MODE, REPLACE, START};
use crate::cards::kit::stores::store_inputs::DOCUMENT;
use crate::cards::registry;
use crate::domain::error::Error;
use crate::domain::ids::DocumentStoreId;
use crate::engine::plan::{Plan, PlanError};
use crate::engine::source;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// A pipeline that is ready to run.
#[derive(Debug)]
pub(crate) struct PipelinePlan {
    pub(super) plan: Plan,
    /// In the order in which documents pass them.
    pub(super) stages: Vec<Stage>,
    /// The first document that fails ends the run.
    pub(super) fails_fast: bool,
    /// What its run is started with.
    pub(super) params: BTreeMap<String, String>,
    /// The document stores that it fills, each with the label of a card that does.
    stores: BTreeMap<DocumentStoreId, String>,
}

/// A card that documents come from, pass, or go into.
#[derive(Debug)]
pub(super) struct Stage {
    /// Its step in the plan.
    pub(super) step: usize,
    pub(super) node: String,
    pub(super) label: String,
    pub(super) role: Role,
    /// The stages that take what it gives.
    pub(super) next: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Source,
    Transform,
    Target { replaces: bool },
}

/// Why a canvas is no pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PipelineFault {
    NoSource,
    NoTarget,
    /// No document comes here.
    Unfed {
        node: String,
        label: String,
    },
    /// What comes here goes nowhere.
    Unread {
        node: String,
        label: String,
    },
    /// A card is set in a way that no pipeline can have.
    Setting {
        node: String,
        why: String,
    },
    Wiring(PlanError),
}

impl PipelineFault {
    /// What is wrong with how a card is set.
    pub(super) fn setting(node: &Node, why: &str) -> Self {
        Self::Setting { node: picked::drawn_id(&node.id).to_owned(), why: format!("{}: {why}", node.label()) }
    }

    /// The card that is to blame; `None` for the flow as a whole.
    pub(crate) fn node(&self) -> Option<&str> {
        match self {
            Self::Unfed { node, .. } | Self::Unread { node, .. } | Self::Setting { node, .. } => Some(node),
            Self::Wiring(fault) => fault.node(),
            Self::NoSource | Self::NoTarget => None,
        }
    }
}

impl fmt::Display for PipelineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSource => f.write_str("The pipeline has no source: connect a document loader."),
            Self::NoTarget => {
                f.write_str("The pipeline has no target: connect a vector store, a document store or a file.")
            }
            Self::Unfed { label, .. } => {
                write!(f, "No document comes to '{label}': connect a source to it.")
            }
            Self::Unread { label, .. } => {
                write!(f, "What '{label}' gives goes nowhere: connect it to a target.")
            }
            Self::Setting { why, .. } => f.write_str(why),
            Self::Wiring(fault) => fault.fmt(f),
        }
    }
}

impl From<PipelineFault> for Error {
    fn from(fault: PipelineFault) -> Self {
        Self::Invalid(fault.to_string())
    }
}

impl PipelinePlan {
    /// The document stores that it fills.
    pub(crate) const fn stores(&self) -> &BTreeMap<DocumentStoreId, String> {
        &self.stores
    }

    /// Compiles a canvas.
    ///
    /// # Errors
    /// The first thing that keeps it from being a pipeline.
    pub(crate) fn compile(canvas: &Canvas) -> Result<Self, PipelineFault> {
        let canvas = &picked::set_beside(canvas)?;
        let roles: Vec<Option<Role>> = canvas.nodes().iter().map(role).collect();
        let connections = connections(canvas, &roles);
        check_start(canvas)?;
        check(canvas, &roles, &connections)?;
        targets::check(canvas)?;
        let params = params::declared(canvas)?;
        params::check(canvas, &params)?;
        let cards: Vec<usize> = (0..roles.len()).filter(|&at| roles[at].is_some()).collect();
        let plan = Plan::compile_for_pipeline(canvas, &cards).map_err(PipelineFault::Wiring)?;
        let mut order: Vec<(usize, usize)> =
            cards.iter().map(|&at| (plan.places[&canvas.nodes()[at].id], at)).collect();
        order.sort_unstable();
        let stage_of: HashMap<usize, usize> =
            order.iter().enumerate().map(|(stage, (_, node))| (*node, stage)).collect();
        let stage = |&(step, at): &(usize, usize)| {
            let next = connections.iter().filter(|(from, _)| *from == at);
            let node = &canvas.nodes()[at];
            Some(Stage {
                step,
                node: node.id.clone(),
                label: node.label().to_owned(),
                role: roles[at]?,
                next: next.map(|(_, to)| stage_of[to]).collect(),
            })
        };
        let stages = order.iter().filter_map(stage).collect();
        Ok(Self {
            stages,
            plan,
            fails_fast: fails_fast(canvas),
            params,
            stores: targets::filled_stores(canvas),
        })
    }
}

fn role(node: &Node) -> Option<Role> {
    match registry::find(&node.name)?.make {
        Factory::Loader(_) => Some(Role::Source),
        Factory::Transform(_) => Some(Role::Transform),
        Factory::VectorStore(_) | Factory::Target(_) => {
            let replaces = node.inputs.get(MODE).and_then(Value::as_str) == Some(REPLACE);
            Some(Role::Target { replaces })
        }
        _ => None,
    }
}

/// From where to where documents go: what inputs name, and what edges say.
fn connections(canvas: &Canvas, roles: &[Option<Role>]) -> BTreeSet<(usize, usize)> {
    let places: HashMap<&str, usize> =
        canvas.nodes().iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let mut found = BTreeSet::new();
    let mut connect = |from: Option<&usize>, to: usize| {
        let gives = from.filter(|&&at| matches!(roles[at], Some(Role::Source | Role::Transform)));
        let takes = matches!(roles[to], Some(Role::Transform | Role::Target { .. }));
        // A card that is connected to itself gives itself nothing.
        if let (Some(&from), true) = (gives.filter(|&&from| from != to), takes) {
            found.insert((from, to));
        }
    };
    for (to, node) in canvas.nodes().iter().enumerate() {
        for input in [DOCUMENT.name, DOCUMENTS.name] {
            if let Some(value) = node.inputs.get(input) {
                source::for_each_reference(value, &mut |id| connect(places.get(id), to));
            }
        }
    }
    for Edge { source, target, .. } in canvas.edges() {
        if let Some(&to) = places.get(target.as_str()) {
            connect(places.get(source.as_str()), to);
        }
    }
    found
}

fn check(
    canvas: &Canvas,
    roles: &[Option<Role>],
    connections: &BTreeSet<(usize, usize)>,
) -> Result<(), PipelineFault> {
    if !roles.contains(&Some(Role::Source)) {
        return Err(PipelineFault::NoSource);
    }
    if !roles.iter().any(|role| matches!(role, Some(Role::Target { .. }))) {
        return Err(PipelineFault::NoTarget);
    }
    for (at, node) in canvas.nodes().iter().enumerate() {
        let Some(role) = roles[at] else { continue };
        let (node, label) = (node.id.clone(), node.label().to_owned());
        if role != Role::Source && !connections.iter().any(|(_, to)| *to == at) {
            return Err(PipelineFault::Unfed { node, label });
        }
        if !matches!(role, Role::Target { .. }) && !connections.iter().any(|(from, _)| *from == at) {
            return Err(PipelineFault::Unread { node, label });
        }
    }
    Ok(())
}

/// Refuses a second card that says how runs behave: nobody could tell which of them counts.
fn check_start(canvas: &Canvas) -> Result<(), PipelineFault> {
    match canvas.nodes().iter().filter(|node| node.name == START).nth(1) {
        Some(second) => {
            let why =
                "a pipeline has one Pipeline Start, and another one is on the canvas: remove one of them.";
            Err(PipelineFault::setting(second, why))
        }
        None => Ok(()),
    }
}

fn fails_fast(canvas: &Canvas) -> bool {
    let start = canvas.nodes().iter().find(|node| node.name == START);
    start.and_then(|start| start.inputs.get(FAIL_FAST)) == Some(&Value::Bool(true))
}
