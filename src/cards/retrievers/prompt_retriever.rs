//! Prompt Retriever: instructions for one kind of question, for a Multi Prompt Chain.

use crate::kit::models::router::{Route, RouteTarget};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "promptRetriever",
    label: "Prompt Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Instructions for one kind of question, for a Multi Prompt Chain.",
    base_classes: &["PromptRetriever"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::text("name", "Prompt Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Prompt Description").optional().help("Which questions it is for."),
        Input::lines("systemMessage", "Prompt System Message")
            .optional()
            .help("What the model is told when it answers them."),
    ],
    outputs: &[],
    make: Factory::Route(|inputs| {
        let with = RouteTarget::Instructions(inputs.instructions("systemMessage"));
        Ok(Arc::new(Route::from_inputs(inputs, with)))
    }),
};
