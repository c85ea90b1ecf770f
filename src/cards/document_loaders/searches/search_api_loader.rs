//! SearchApi For Web Search: what Google, or another engine, finds, by SearchApi, as documents.

use super::{QUERY, google_results, search_loader};
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::tools::search::search_api::search;

const PARAMETERS: &str = "customParameters";

pub(crate) const CARD: Card = Card {
    name: "searchApi",
    label: "SearchApi For Web Search",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "What a search with Google or another engine finds, through SearchApi, a document for each result.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["searchApi"]),
        QUERY.optional(),
        Input::json(PARAMETERS, "Custom Parameters")
            .additional()
            .help("Further parameters of the search, as a JSON object: {\"engine\": \"google_news\"}."),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let key = inputs.secret("searchApiKey")?;
        let mut parameters: Vec<(String, String)> = vec![("engine".to_owned(), "google".to_owned())];
        parameters.extend(inputs.optional_text(QUERY.name).map(|query| ("q".to_owned(), query)));
        for (name, value) in inputs.object(PARAMETERS)? {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // What the owner adds counts instead of what is there already; the key has a place of its own.
            parameters.retain(|(known, _)| *known != name);
            if name != "api_key" {
                parameters.push((name, value));
            }
        }
        if !parameters.iter().any(|(name, _)| name != "engine") {
            return Err(
                inputs.input_error(QUERY.name, "fill this in, or set what is searched for in the parameters")
            );
        }
        let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        search_loader(inputs, search(&key, parameters), |answer| google_results(answer, "SearchApi"))
    }),
};
