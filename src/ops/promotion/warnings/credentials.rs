//! Where credentials of this server would be sent, and which.

use super::Change;
use crate::canvas::Canvas;
use crate::canvas::secrets::used_credentials;
use crate::cards::registry::Registry;
use crate::domain::error::Result;
use crate::domain::flows::restore::AmbiguousCredential;
use crate::domain::ids::CredentialId;
use crate::domain::promotion::warning::{Finding, Warning};
use crate::engine::placed::for_each_card;
use crate::net::is_private_place;
use crate::ops::workspace::credential_destinations::{self, Destination};
use crate::store::Tx;
use crate::store::tables::CANVASES;
use std::collections::BTreeSet;

/// Credentials that somebody changed here since the flow was promoted last.
pub(super) fn edited(change: &Change<'_>) -> Vec<Warning> {
    let Some(last) = change.here.and_then(|here| here.flow.last_promoted) else { return Vec::new() };
    let used = used_credentials(change.canvas, &Registry);
    let known = &change.records.credentials;
    let edited = known.iter().filter(|credential| credential.updated > last.date);
    let warning = |credential: &crate::domain::workspace::credential::Credential| {
        let id = credential.id.to_string();
        let (node, _) = used.iter().find(|(_, used)| *used == id)?;
        let finding = Finding::CredentialEdited { name: credential.name.clone() };
        Some(Warning { finding, node: Some(node.clone()), input: None })
    };
    edited.filter_map(warning).collect()
}

/// Names that several credentials have.
pub(super) fn ambiguous(change: &Change<'_>) -> Vec<Warning> {
    let used = used_credentials(change.canvas, &Registry);
    let node_of = |ambiguous: &AmbiguousCredential| {
        let is_it = |id: &str| {
            change.records.credentials.iter().any(|known| {
                known.id.to_string() == id
                    && known.name == ambiguous.name
                    && known.credential_name == ambiguous.credential_name
            })
        };
        used.iter().find(|(_, id)| is_it(id)).map(|(node, _)| node.clone())
    };
    let warning = |one: &AmbiguousCredential| Warning {
        node: node_of(one),
        input: None,
        finding: Finding::CredentialAmbiguous {
            name: one.name.clone(),
            sort: one.credential_name.clone(),
            count: one.count,
            using: one.using,
        },
    };
    change.notes.ambiguous_credentials.iter().map(warning).collect()
}

/// Credentials that would go where Live does not send them; for a new flow, where no flow of the workspace does.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn addresses(tx: &impl Tx, change: &Change<'_>, live: Option<&Canvas>) -> Result<Vec<Warning>> {
    let wanted = credential_destinations::of_nodes(change.canvas);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut known: BTreeSet<(CredentialId, String)> = BTreeSet::new();
    let mut add = |canvas: &Canvas| {
        let sent = credential_destinations::of_canvas(canvas);
        known.extend(sent.into_iter().map(|sent| (sent.credential, sent.address)));
    };
    match (change.here, live) {
        (Some(_), Some(live)) => add(live),
        (Some(_), None) => {}
        (None, _) => {
            for flow in &change.records.flows {
                let canvas = CANVASES.get(tx, &flow.workspace, &flow.id)?;
                if let Some(canvas) = canvas.and_then(|canvas| Canvas::parse(&canvas).ok()) {
                    add(&canvas);
                }
            }
        }
    }
    let new =
        wanted.into_iter().filter(|(_, sent)| !known.contains(&(sent.credential, sent.address.clone())));
    let warning = |(node, sent): (String, Destination)| {
        let named = change.records.credentials.iter().find(|known| known.id == sent.credential);
        let credential = named.map(|known| known.name.clone()).unwrap_or_default();
        let finding = Finding::CredentialAddress { card: sent.card, credential, address: sent.address };
        Warning { finding, node: Some(node), input: None }
    };
    Ok(new.map(warning).collect())
}

/// An address on a card: node, name of the card, input, and the address.
type Place = (String, String, &'static str, String);

fn places(canvas: &Canvas) -> Vec<Place> {
    let mut found = Vec::new();
    for_each_card(canvas, &mut |placed| {
        placed.for_each_setting(&mut |setting| {
            let is_address = credential_destinations::is_address(setting.input);
            if let Some(text) = setting.value.as_str().filter(|_| is_address) {
                let card = placed.node.label().to_owned();
                found.push((placed.id.to_owned(), card, setting.input.name, text.trim().to_owned()));
            }
        });
    });
    found
}

/// Addresses of the network this server is in that Live does not use.
pub(super) fn private_addresses(change: &Change<'_>, live: Option<&Canvas>) -> Vec<Warning> {
    let known: BTreeSet<String> =
        live.map(places).unwrap_or_default().into_iter().map(|(.., address)| address).collect();
    let new = places(change.canvas)
        .into_iter()
        .filter(|(.., address)| is_private_place(address) && !known.contains(address));
    let warning = |(node, card, input, address): Place| Warning {
        finding: Finding::AddressPrivate { card, address },
        node: Some(node),
        input: Some(input.to_owned()),
    };
    new.map(warning).collect()
}
