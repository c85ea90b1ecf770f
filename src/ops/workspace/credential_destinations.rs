//! Where stored credentials are sent. Whoever draws a card chooses the address its credential goes to, so an address of
//! one's own would hand out the secret. Therefore a credential goes to its provider's own address, or to one that
//! somebody who may change credentials has saved with it; for everybody else a save that says another is refused.

use crate::app::App;
use crate::canvas::Canvas;
use crate::canvas::template::variable_names;
use crate::cards::kit::{Card, Input, InputKind};
use crate::cards::{model_lists, registry};
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::settings::FlowSettings;
use crate::domain::ids::CredentialId;
use crate::domain::knowledge::document_store::{CardConfig, DocumentStore};
use crate::domain::knowledge::vector_config::{VectorCardConfig, VectorConfig};
use crate::engine::overrides::is_place;
use crate::engine::placed::for_each_card;
use crate::store::tables::{CANVASES, CREDENTIALS, DOCUMENT_STORES, DRAFT_CANVASES, FLOWS, VECTOR_CONFIGS};
use crate::store::{Tx, WriteTx};
use serde_json::{Map, Value};
use url::{Origin, Url};

/// Who may send a credential anywhere.
pub(super) const SEND_PERMISSION: &str = "credentials:update";
/// Settings that are kept from requests like addresses and are none: which database of a server is meant.
const NOT_ADDRESSES: &[&str] = &["database"];
/// Levels of a settings object in which a provider is chosen.
const LEVELS_MAX: usize = 8;

/// A credential, and the address that a card sends it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    pub credential: CredentialId,
    pub address: String,
    /// What people know the card by.
    pub card: String,
}

/// The destinations of a canvas that are not the provider's own.
#[must_use]
pub(crate) fn of_canvas(canvas: &Canvas) -> Vec<Destination> {
    of_nodes(canvas).into_iter().map(|(_, sent)| sent).collect()
}

/// As [`of_canvas`], each with the id of the node that it is of. A card that is picked inside of another sends its
/// credential as one that stands on the canvas does.
#[must_use]
pub(crate) fn of_nodes(canvas: &Canvas) -> Vec<(String, Destination)> {
    let mut found = Vec::new();
    for_each_card(canvas, &mut |placed| {
        let node = placed.node;
        let sent = of_card(placed.card, node.label(), &node.inputs, node.credential.as_deref());
        found.extend(sent.map(|sent| (placed.id.to_owned(), sent)));
    });
    found
}

/// The destinations among the settings of a flow: Speech to Text, follow-up prompts and the like choose a credential
/// beside an address.
#[must_use]
pub(crate) fn of_settings(settings: &FlowSettings) -> Vec<Destination> {
    let mut found = Vec::new();
    if let Ok(Value::Object(all)) = serde_json::to_value(settings) {
        for (name, value) in &all {
            collect(name, value, LEVELS_MAX, &mut found);
        }
    }
    found
}

fn collect(card: &str, value: &Value, levels: usize, found: &mut Vec<Destination>) {
    let (Value::Object(map), true) = (value, levels > 0) else { return };
    let credential = map.get("credentialId").and_then(Value::as_str).and_then(CredentialId::parse);
    if let Some(credential) = credential {
        let places = map.iter().filter(|(name, _)| is_place(name)).filter_map(|(_, value)| value.as_str());
        let address =
            join_addresses(places.filter(|place| !model_lists::homes().any(|home| same_origin(home, place))));
        found.extend(address.map(|address| Destination { credential, address, card: card.to_owned() }));
    }
    for (name, value) in map {
        collect(name, value, levels - 1, found);
    }
}

/// The destination of a card that is set like this; `None` without a credential, and for the provider's own address.
#[must_use]
pub(crate) fn of_card(
    card: &Card,
    label: &str,
    settings: &Map<String, Value>,
    credential: Option<&str>,
) -> Option<Destination> {
    let credential = CredentialId::parse(credential?)?;
    if card.credential_types().is_empty() {
        return None;
    }
    let home = model_lists::home(card);
    let places = card.inputs.iter().filter_map(|input| {
        let set = settings.get(input.name).filter(|_| is_address(input))?;
        let text = set.as_str().map_or_else(|| set.to_string(), str::to_owned);
        let own = [input.default, input.start].contains(&Some(text.trim()));
        let at_home = home.is_some_and(|home| same_origin(home, &text));
        Some(text).filter(|_| !own && !at_home && !set.is_null())
    });
    let address = join_addresses(places.collect::<Vec<_>>().iter().map(String::as_str))?;
    Some(Destination { credential, address, card: label.to_owned() })
}

/// True for a setting that says where a card sends something.
#[must_use]
pub(crate) fn is_address(input: &Input) -> bool {
    let says_place = input.kind == InputKind::Address || is_place(input.name);
    says_place && input.kind != InputKind::Headers && !NOT_ADDRESSES.contains(&input.name)
}

/// The destination of a loader of a document store.
#[must_use]
pub(crate) fn of_loader(plan: &CardConfig) -> Option<Destination> {
    let card = registry::find(&plan.card)?;
    of_card(card, card.label, &plan.config, plan.credential.as_deref())
}

/// The destination of a card with which a document store makes or keeps vectors, or is described.
#[must_use]
pub(crate) fn of_vector_card(set: &VectorCardConfig) -> Option<Destination> {
    let card = registry::find(&set.name)?;
    of_card(card, card.label, &set.config, set.credential.as_deref())
}

/// The destinations of all cards of a document store's vectors.
#[must_use]
pub(crate) fn of_vectors(vectors: &VectorConfig) -> Vec<Destination> {
    let others = [&vectors.vector_store, &vectors.record_manager];
    let cards = std::iter::once(&vectors.embedding).chain(others.into_iter().flatten());
    cards.filter_map(of_vector_card).collect()
}

#[must_use]
pub(crate) fn of_loaders(store: &DocumentStore) -> Vec<Destination> {
    store.loaders.iter().filter_map(|loader| of_loader(&loader.plan.loader)).collect()
}

/// What a flow has now, Live and in its draft: it was saved before, and to save it again takes nothing anywhere.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn of_flow(tx: &impl Tx, flow: &Flow) -> Result<Vec<Destination>> {
    let texts =
        [CANVASES.get(tx, &flow.workspace, &flow.id)?, DRAFT_CANVASES.get(tx, &flow.workspace, &flow.id)?];
    let canvases = texts.iter().flatten().filter_map(|text| Canvas::parse(text).ok());
    let mut found: Vec<Destination> = canvases.flat_map(|canvas| of_canvas(&canvas)).collect();
    found.extend(of_settings(&flow.settings));
    Ok(found)
}

/// Refuses destinations that the caller may not choose. `before` is what is there already.
///
/// # Errors
/// 403 naming the card.
pub(crate) fn check(
    tx: &impl Tx,
    caller: &Caller,
    wanted: &[Destination],
    before: impl FnOnce() -> Result<Vec<Destination>>,
) -> Result<()> {
    if wanted.is_empty() || caller.permissions.has(SEND_PERMISSION) {
        return Ok(());
    }
    let before = before()?;
    for one in wanted {
        let is_same =
            |other: &Destination| (other.credential, &other.address) == (one.credential, &one.address);
        if before.iter().any(is_same) {
            continue;
        }
        let stored = CREDENTIALS.get(tx, &caller.workspace, &one.credential)?;
        // One that is not here is sent nowhere, and whether it is somewhere else must not show.
        if stored.is_some_and(|stored| !stored.addresses.contains(&one.address)) {
            let after = "' would send its credential to another address than the provider's own.";
            return Err(refusal(one, "The card '", after));
        }
    }
    Ok(())
}

/// As [`check`], in the transaction of a save. What somebody saves who may is remembered with the credential.
///
/// # Errors
/// As [`check`]; when the database cannot be written.
pub(crate) fn check_and_remember(
    tx: &WriteTx,
    caller: &Caller,
    wanted: &[Destination],
    before: impl FnOnce() -> Result<Vec<Destination>>,
) -> Result<()> {
    check(tx, caller, wanted, before)?;
    if !caller.permissions.has(SEND_PERMISSION) {
        return Ok(());
    }
    for one in wanted {
        let Some(mut stored) = CREDENTIALS.get(tx, &caller.workspace, &one.credential)? else { continue };
        if stored.allow_address(&one.address) {
            CREDENTIALS.put(tx, &caller.workspace, &one.credential, &stored)?;
        }
    }
    Ok(())
}

/// As [`check_and_remember`], for what is stored later, or is only tried.
///
/// # Errors
/// As [`check_and_remember`].
pub(crate) fn check_ahead(
    app: &App,
    caller: &Caller,
    wanted: &[Destination],
    before: &[Destination],
) -> Result<()> {
    if wanted.is_empty() {
        Ok(())
    } else if caller.permissions.has(SEND_PERMISSION) {
        app.store.write(|tx| check_and_remember(tx, caller, wanted, || Ok(Vec::new())))
    } else {
        app.store.read(|tx| check(tx, caller, wanted, || Ok(before.to_vec())))
    }
}

/// Refuses to change variables that stand in an address to which a credential is sent: another value is another address.
///
/// # Errors
/// 403 naming the card.
pub(crate) fn check_variables(tx: &impl Tx, caller: &Caller, names: &[&str]) -> Result<()> {
    if caller.permissions.has(SEND_PERMISSION) {
        return Ok(());
    }
    let workspace = &caller.workspace;
    let mut sends = Vec::new();
    for flow in FLOWS.list(tx, workspace)? {
        sends.extend(of_flow(tx, &flow)?);
    }
    for store in DOCUMENT_STORES.list(tx, workspace)? {
        sends.extend(of_loaders(&store));
        sends.extend(VECTOR_CONFIGS.get(tx, workspace, &store.id)?.iter().flat_map(of_vectors));
    }
    let stands_in = |one: &&Destination| variable_names(&one.address).any(|name| names.contains(&name));
    match sends.iter().find(stands_in) {
        None => Ok(()),
        Some(one) => Err(refusal(
            one,
            "The variable stands in the address to which the card '",
            "' sends its credential.",
        )),
    }
}

/// The sentence of a refusal, around the name of the card.
fn refusal(one: &Destination, before: &str, after: &str) -> Error {
    let card: String = one.card.chars().filter(|c| !c.is_control()).take(100).collect();
    Error::Forbidden(format!(
        "{before}{card}{after} This needs the permission {SEND_PERMISSION}, or has to be saved first by somebody who has it."
    ))
}

/// Addresses as they are compared: several settings of a card are one place.
fn join_addresses<'a>(places: impl Iterator<Item = &'a str>) -> Option<String> {
    let places: Vec<String> = places.map(normalize).filter(|place| !place.is_empty()).collect();
    (!places.is_empty()).then(|| places.join(" "))
}

fn normalize(place: &str) -> String {
    let place = place.trim();
    let written = Url::parse(place).ok().filter(|url| matches!(url.origin(), Origin::Tuple(..)));
    written.map_or_else(|| place.to_owned(), |url| url.as_str().trim_end_matches('/').to_owned())
}

fn same_origin(one: &str, other: &str) -> bool {
    let origin = |text: &str| Url::parse(text.trim()).ok().map(|url| url.origin());
    origin(one).is_some_and(|one| one.is_tuple() && Some(one) == origin(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ID: &str = "11111111-1111-4111-8111-111111111111";

    fn address(card: &str, settings: Value) -> Option<String> {
        let card = registry::find(card).unwrap();
        of_card(card, "Label", settings.as_object().unwrap(), Some(ID)).map(|found| found.address)
    }

    #[test]
    fn the_providers_own_address_is_no_destination() {
        for settings in [
            json!({}),
            json!({"basepath": ""}),
            json!({"basepath": null}),
            json!({"basepath": " https://api.openai.com/v1/ "}),
            json!({"basepath": "https://API.openai.com:443/v2"}),
        ] {
            assert_eq!(address("chatOpenAI", settings.clone()), None, "{settings}");
        }
        assert_eq!(address("chatOllama", json!({"baseUrl": "http://localhost:11434"})), None);
    }

    #[test]
    fn every_other_address_is_one_however_it_is_written() {
        let expected = Some("https://else.example/v1".to_owned());
        for written in
            ["https://else.example/v1", " https://ELSE.example:443/v1/ ", "https://else.example/./v1"]
        {
            assert_eq!(address("chatOpenAI", json!({ "basepath": written })), expected, "{written}");
        }
        for foreign in [
            "http://api.openai.com/v1",
            "https://api.openai.com.else.example/v1",
            "https://api.openai.com@else.example/v1",
            "https://api.openai.com:8443/v1",
            "{{$vars.where}}",
        ] {
            assert!(address("chatOpenAI", json!({ "basepath": foreign })).is_some(), "{foreign}");
        }
        let database =
            |host: &str, port: u16| address("postgres", json!({"host": host, "port": port, "database": "d"}));
        assert!(database("a", 1).is_some() && database("a", 1) != database("a", 2));
    }

    #[test]
    fn every_card_with_a_credential_says_its_addresses() {
        let mut judged = 0;
        for card in registry::CARDS.iter().filter(|card| !card.credential_types().is_empty()) {
            let addresses = card.inputs.iter().filter(|input| input.kind == InputKind::Address);
            for input in addresses.filter(|input| !NOT_ADDRESSES.contains(&input.name)) {
                judged += 1;
                let found = address(card.name, json!({ (input.name): "https://else.example" }));
                assert_eq!(found.as_deref(), Some("https://else.example"), "{} {}", card.name, input.name);
            }
        }
        assert!(judged > 20, "{judged}");
    }

    /// Inputs of which each picks this card in one of the places where one may be picked.
    fn picks(fields: &[Input], config: &Value) -> Vec<Value> {
        let of_input = |input: &Input| match input.kind {
            InputKind::CardPick(_) => {
                vec![json!({ (input.name): "chatOpenAI", (format!("{}Config", input.name)): config })]
            }
            InputKind::Rows(fields) => {
                picks(fields, config).into_iter().map(|row| json!({ (input.name): [{}, row] })).collect()
            }
            InputKind::Variants(variants) => picks(variants, config),
            _ => Vec::new(),
        };
        fields.iter().flat_map(of_input).collect()
    }

    #[test]
    fn a_card_is_judged_wherever_one_may_be_picked() {
        let config = json!({"FLOWISE_CREDENTIAL_ID": ID, "basepath": "https://else.example/v1"});
        let mut judged = 0;
        for card in registry::CARDS {
            for inputs in picks(card.inputs, &config) {
                judged += 1;
                let data = json!({"id": "a_0", "name": card.name, "label": "Mine", "inputs": inputs});
                let drawn = json!({"nodes": [{"id": "a_0", "data": data}], "edges": []}).to_string();
                let found = of_canvas(&Canvas::parse(&drawn).unwrap());
                let sent: Vec<_> =
                    found.iter().map(|one| (one.address.as_str(), one.card.as_str())).collect();
                assert_eq!(sent, [("https://else.example/v1", "Mine")], "{} {inputs}", card.name);
            }
        }
        assert!(judged > 8, "{judged}");
    }

    #[test]
    fn settings_name_a_credential_beside_an_address() {
        let speech = json!({"localAISTT": {"credentialId": ID, "baseUrl": "https://else.example/", "model": "x"},
            "openAIWhisper": {"credentialId": ID}});
        let settings =
            FlowSettings { speech_to_text: speech.as_object().cloned().into(), ..FlowSettings::default() };
        let found = of_settings(&settings);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].address.as_str(), found[0].card.as_str()),
            ("https://else.example", "localAISTT")
        );
    }
}
