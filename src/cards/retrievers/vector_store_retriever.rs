//! Vector Store Retriever: a store for one kind of question, for a Multi Retrieval QA Chain.

use crate::kit::models::router::{Route, RouteTarget};
use crate::kit::{Card, Category, Factory, Input, Risk, WireType};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "vectorStoreRetriever",
    label: "Vector Store Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "A store for one kind of question, for a Multi Retrieval QA Chain.",
    base_classes: &["VectorStoreRetriever"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("vectorStore", "Vector Store", WireType::VectorStore),
        Input::text("name", "Retriever Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Retriever Description").optional().help("Which questions it is for."),
    ],
    outputs: &[],
    make: Factory::Route(|inputs| {
        let with = RouteTarget::Retriever(inputs.retriever("vectorStore")?);
        Ok(Arc::new(Route::from_inputs(inputs, with)))
    }),
};
