//! A harness ready to run. Compiled once per canvas.

use super::drawing::TeamDrawing;
use crate::canvas::{Canvas, Node};
use crate::cards::harness::specialist;
use crate::cards::kit::Card;
use crate::cards::registry;
use crate::domain::error::{Error, Result};
use crate::domain::flows::harness_name::HarnessName;
use crate::engine::agentflow::step::inputs::{self as step_inputs, StepSources};
use crate::engine::agentflow::takes_images;
use crate::engine::overrides::CardPlace;
use serde_json::Value;

/// The place of the team among the cards of a plan; its specialists follow.
pub(super) const TEAM: usize = 0;

/// A compiled harness.
#[derive(Debug)]
pub struct TeamPlan {
    pub(super) name: HarnessName,
    pub(super) team: TeamCard,
    /// In the order of the team.
    pub(super) specialists: Vec<SpecialistPlan>,
    /// True when the flow's chat offers image uploads (manual 4.1).
    pub takes_images: bool,
}

/// A card of a harness.
#[derive(Debug)]
pub(super) struct TeamCard {
    pub(super) node: String,
    pub(super) label: String,
    pub(super) card: &'static Card,
    pub(super) inputs: StepSources,
}

#[derive(Debug)]
pub(super) struct SpecialistPlan {
    pub(super) name: HarnessName,
    /// All that the model that chooses sees.
    pub(super) description: String,
    pub(super) card: TeamCard,
}

impl TeamPlan {
    /// Compiles the canvas of a harness.
    ///
    /// # Errors
    /// 400 naming the first card that is wrong, and why.
    pub fn compile(canvas: &Canvas) -> Result<Self> {
        let drawing = read(canvas)?.ok_or_else(|| Error::invalid("The harness has no cards."))?;
        let specialist = |(name, node): (HarnessName, &Node)| {
            let description = node.inputs.get(specialist::DESCRIPTION).and_then(Value::as_str);
            let description = description.unwrap_or_default().to_owned();
            Ok(SpecialistPlan { name, description, card: TeamCard::compile(node)? })
        };
        Ok(Self {
            name: drawing.name,
            team: TeamCard::compile(drawing.team)?,
            takes_images: canvas.nodes().iter().any(takes_images),
            specialists: drawing.specialists.into_iter().map(specialist).collect::<Result<_>>()?,
        })
    }

    /// Its cards, each with its place.
    fn cards(&self) -> impl Iterator<Item = (usize, &TeamCard)> {
        let specialists = self.specialists.iter().map(|one| &one.card);
        std::iter::once(&self.team).chain(specialists).enumerate()
    }

    /// The cards whose settings a request may mean: its own, and those that are picked in their inputs.
    #[must_use]
    pub fn places(&self) -> Vec<CardPlace<'_>> {
        let mut places = Vec::new();
        for (step, TeamCard { node, label, card, inputs }) in self.cards() {
            let place = CardPlace::new(step, node, label, card);
            places.push(place);
            places.extend(step_inputs::picked_cards(inputs).map(|(input, card)| place.picked(input, card)));
        }
        places
    }
}

/// The drawing of a canvas.
///
/// # Errors
/// 400 naming the first card that is wrong, and why.
pub(crate) fn read(canvas: &Canvas) -> Result<Option<TeamDrawing<'_>>> {
    TeamDrawing::read(canvas).map_err(|problems| {
        let told = problems.first().map(|problem| match canvas.node(&problem.node) {
            Some(node) => format!("{}: {}", node.label(), problem.message),
            None => problem.message.clone(),
        });
        Error::Invalid(told.unwrap_or_else(|| "The harness cannot run.".to_owned()))
    })
}

impl TeamCard {
    fn compile(node: &Node) -> Result<Self> {
        let card = registry::find(&node.name)
            .ok_or_else(|| Error::internal("a card of a harness is not among all cards"))?;
        let inputs = step_inputs::compile(card, node);
        Ok(Self { node: node.id.clone(), label: node.label().to_owned(), card, inputs })
    }
}
