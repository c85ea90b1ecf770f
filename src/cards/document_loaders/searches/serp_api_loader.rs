//! SerpApi For Web Search: what Google finds, by SerpApi, as documents.

use super::{QUERY, google_results, search_loader};
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::tools::search::serp_api::request;

pub(crate) const CARD: Card = Card {
    name: "serpApi",
    label: "SerpApi For Web Search",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "What a search with Google finds, through SerpApi, a document for each result.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["serpApi"]), QUERY, SPLITTER, METADATA, OMIT],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let key = inputs.secret("serpApiKey")?;
        search_loader(inputs, request(&key, &inputs.text(QUERY.name)?), |answer| {
            google_results(answer, "SerpAPI")
        })
    }),
};
