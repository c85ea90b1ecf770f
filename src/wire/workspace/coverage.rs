//! How flows of another product run here (manual 5.13): what `flowkeep import --from-flowise` prints.

use super::import::ImportResult;
use crate::domain::flows::flow::FlowKind;
use serde::Serialize;
use uuid::Uuid;

/// The flows that come in, by how they run here. What is here already is not judged again.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Those that run as they are.
    pub runs: Vec<CoveredFlow>,
    /// Those that run, and differ in what their notes say.
    pub differs: Vec<CoveredFlow>,
    /// Those that run once what their notes say is done.
    pub waits: Vec<CoveredFlow>,
    /// Cards that this server does not have.
    pub missing_cards: Vec<MissingCard>,
}

/// A flow of the other product.
#[derive(Debug, Serialize)]
pub struct CoveredFlow {
    pub id: Uuid,
    pub name: String,
    pub r#type: FlowKind,
    pub notes: Vec<String>,
}

/// A card that flows use and this server does not have.
#[derive(Debug, Serialize)]
pub struct MissingCard {
    pub name: String,
    /// How often it is drawn.
    pub count: usize,
    /// The names of the flows that have it.
    pub flows: Vec<String>,
}

/// What became of a folder of another product, or what would.
#[derive(Debug, Serialize)]
pub struct MoveInResult {
    #[serde(flatten)]
    pub result: ImportResult,
    pub coverage: Coverage,
    /// What is to be known of the folder as a whole.
    pub notes: Vec<String>,
}
