//! A flow as a version holds it: taken, compared, told in words, and brought back.

mod titles;

pub use titles::Told;

use super::live::Origin;
use crate::app::App;
use crate::canvas::Canvas;
use crate::canvas::diff::{Diff, diff as compare};
use crate::canvas::secrets::{self, CredentialName, Rules};
use crate::cards::registry;
use crate::domain::credential::Credential;
use crate::domain::credential_types;
use crate::domain::error::{Error, Result};
use crate::domain::flow::{Flow, FlowSettings};
use crate::domain::ids::WorkspaceId;
use crate::domain::secrets::{first_hit, hide, tree};
use crate::domain::version::{FlowSnapshot, VersionKind};
use crate::history::{Found, canvas_text};
use crate::store::tables::CREDENTIALS;
use serde_json::{Map, Value, json};

/// A snapshot without secrets.
pub struct Hidden {
    /// What the version holds.
    pub snapshot: FlowSnapshot,
    /// How many placeholders it holds.
    pub count: u32,
}

/// A version's canvas brought up to date with this server.
pub struct Filling {
    /// `flowData`.
    pub canvas: String,
    /// `missingCredentials` (spec 4.3 r3).
    pub missing_credentials: Value,
    /// `ambiguousCredentials`.
    pub ambiguous_credentials: Value,
    /// `hiddenSecrets`.
    pub hidden_secrets: Value,
}

/// The workspace's credentials and the cards' schemas, as the canvas room asks for them.
struct House {
    credentials: Vec<Credential>,
}

impl House {
    fn of(app: &App, workspace: &WorkspaceId) -> Result<Self> {
        let mut credentials = app.store.read(|tx| CREDENTIALS.list(tx, workspace))?;
        credentials.sort_by_key(|credential| credential.created);
        Ok(Self { credentials })
    }

    fn candidates(&self) -> Vec<(String, CredentialName)> {
        self.credentials.iter().map(|credential| (credential.id.to_string(), name_of(credential))).collect()
    }
}

fn name_of(credential: &Credential) -> CredentialName {
    CredentialName { name: hide(&credential.name).text, credential_name: credential.credential_name.clone() }
}

impl Rules for House {
    fn is_never_stored(&self, card: &str, input: &str) -> bool {
        let declared = registry::find(card);
        let is_secret = declared.and_then(|card| card.input(input)).is_some_and(|input| input.is_secret());
        let mut types = declared.map(|card| card.credential_types()).unwrap_or_default().iter();
        is_secret
            || types.any(|name| {
                credential_types::find(name)
                    .is_some_and(|kind| kind.fields.iter().any(|field| field.name == input))
            })
    }

    fn credential(&self, id: &str) -> Option<CredentialName> {
        self.credentials.iter().find(|credential| credential.id.to_string() == id).map(name_of)
    }

    fn input_label(&self, card: &str, input: &str) -> Option<String> {
        registry::find(card)?.input(input).map(|input| input.label.to_owned())
    }
}

fn canvas_of(text: &str) -> Result<Canvas> {
    Canvas::parse(text).map_err(|fault| Error::Invalid(fault.to_string()))
}

/// Takes a flow as it is with this canvas; what history must not hold stays out.
///
/// # Errors
/// When the canvas or the credentials cannot be read.
pub fn take(app: &App, flow: &Flow, canvas: &str) -> Result<Hidden> {
    let house = House::of(app, &flow.workspace)?;
    let hidden = secrets::hide(canvas_of(canvas)?.raw(), &house);
    let mut settings = Value::Object(settings_of(&flow.settings));
    tree::hide_in(&mut settings);
    let name = hide(&flow.name).text;
    let category = flow.category.as_deref().map(|category| hide(category).text);
    let canvas = Value::Object(hidden);
    let count = tree::count_in(&canvas) + tree::count_in(&settings);
    let Value::Object(settings) = settings else { unreachable!("an object stays an object") };
    Ok(Hidden {
        snapshot: FlowSnapshot {
            id: flow.id,
            name,
            kind: flow.kind,
            category,
            canvas: canvas.to_string(),
            settings,
        },
        count: u32::try_from(count).unwrap_or(u32::MAX),
    })
}

/// Settings as history keeps them: the key binding and the token of the MCP endpoint are credentials.
fn settings_of(settings: &FlowSettings) -> Map<String, Value> {
    let Ok(Value::Object(mut map)) = serde_json::to_value(settings) else { return Map::new() };
    map.shift_remove("apiKey");
    if let Some(Value::Object(mcp)) = map.get_mut("mcpServerConfig") {
        mcp.shift_remove("token");
    }
    map.retain(|_, value| !value.is_null());
    map
}

/// A text without secrets, for titles.
#[must_use]
pub fn hidden_text(text: &str) -> String {
    hide(text).text
}

/// Writes title and details of a change. They are made from names and labels and scanned like everything else.
///
/// # Errors
/// When a canvas cannot be read.
pub fn tell(
    app: &App,
    kind: VersionKind,
    origin: &Origin,
    before: Option<(&Flow, &str)>,
    after: &Flow,
    hidden: &Hidden,
) -> Result<Told> {
    let older = before.map(|(flow, canvas)| take(app, flow, canvas)).transpose()?;
    let older = older.as_ref().map(|older| canvas_of(&older.snapshot.canvas)).transpose()?;
    let diff = compare(older.as_ref(), &canvas_of(&hidden.snapshot.canvas)?);
    let told = titles::tell(kind, origin, before.map(|(flow, _)| flow), after, &diff);
    Ok(Told {
        title: hide(&told.title).text,
        details: told.details.iter().map(|line| hide(line).text).collect(),
    })
}

/// True when a save says nothing that history keeps: such a save is no version.
///
/// # Errors
/// When a canvas cannot be read.
pub fn same(app: &App, before: &Flow, canvas_before: &str, after: &Flow, canvas_after: &str) -> Result<bool> {
    let (before, after) =
        (take(app, before, canvas_before)?.snapshot, take(app, after, canvas_after)?.snapshot);
    Ok(before.settings == after.settings && matches(&before, &after))
}

/// Name, type, category and canvas are equal (contract 7.5), editor noise aside.
fn matches(one: &FlowSnapshot, other: &FlowSnapshot) -> bool {
    one.name == other.name
        && one.kind == other.kind
        && one.category == other.category
        && text_of(one) == text_of(other)
}

fn text_of(snapshot: &FlowSnapshot) -> Option<String> {
    canvas_text(&snapshot.canvas).ok()
}

/// True when Live is what a version holds; values history never keeps are not compared.
///
/// # Errors
/// When the canvas cannot be read.
pub fn is_live(app: &App, flow: &Flow, canvas: &str, held: &FlowSnapshot) -> Result<bool> {
    Ok(matches(&take(app, flow, canvas)?.snapshot, held))
}

/// Brings a version's canvas up to date (spec 4.3 r3).
///
/// # Errors
/// When a canvas or the credentials cannot be read.
pub fn fill(app: &App, flow: &Flow, live_canvas: &str, held: &FlowSnapshot) -> Result<Filling> {
    let house = House::of(app, &flow.workspace)?;
    let version = canvas_of(&held.canvas)?;
    let current = canvas_of(live_canvas)?;
    let hidden = secrets::hidden_at(version.raw(), &house);
    let (canvas, matched) = secrets::fill(version.raw(), current.raw(), &house.candidates(), &house);
    let ambiguous = matched.ambiguous.iter().map(|(name, count, in_use)| {
        json!({
            "name": name.name, "credentialName": name.credential_name, "count": count,
            "using": if *in_use { "current" } else { "oldest" },
        })
    });
    Ok(Filling {
        canvas: Value::Object(canvas).to_string(),
        missing_credentials: json!(matched.missing),
        ambiguous_credentials: ambiguous.collect(),
        hidden_secrets: json!(hidden),
    })
}

/// What a version changes against an older snapshot (spec 4.3 r4).
///
/// # Errors
/// When a canvas cannot be read.
pub fn diff(older: Option<&FlowSnapshot>, newer: &FlowSnapshot) -> Result<Value> {
    let before = older.map(|older| canvas_of(&older.canvas)).transpose()?;
    let found: Diff = compare(before.as_ref(), &canvas_of(&newer.canvas)?);
    let renamed = older.filter(|older| older.name != newer.name);
    let mut told = serde_json::to_value(&found).map_err(Error::internal)?;
    told["renamed"] = renamed.map_or(Value::Null, |older| json!({"from": older.name, "to": newer.name}));
    Ok(told)
}

/// Checks the whole history: objects, index, and that no text in it looks like a secret.
///
/// # Errors
/// When the history cannot be read.
pub fn verify(app: &App) -> Result<Value> {
    let mut leaks = Vec::new();
    let sound = app.history.verify(&mut |found| {
        let (sha, place, bytes) = match found {
            Found::Commit(sha, bytes) => (sha, "its message".to_owned(), bytes),
            Found::File(sha, path, bytes) => (sha, path.to_owned(), bytes),
        };
        if let Some(family) = first_hit(bytes) {
            leaks.push(format!("version {} holds a {family} in {place}", sha.short()));
        }
    })?;
    let problems: Vec<String> = sound.faults.into_iter().chain(leaks).collect();
    Ok(
        json!({"versions": sound.versions, "commits": sound.commits, "objects": sound.objects, "problems": problems}),
    )
}
