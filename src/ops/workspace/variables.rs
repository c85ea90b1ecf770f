//! Saved variables of a workspace (manual 7.5).

use super::credential_destinations;
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{VariableId, WorkspaceId};
use crate::domain::workspace::variable::{self, Variable, VariableKind};
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::settings::Environment;
use crate::store::Tx;
use crate::store::tables::VARIABLES;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The body of `POST /variables`, and of `PUT /variables/:id`, where all of it is optional.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct VariableBody {
    pub name: Option<String>,
    /// The value of a static one.
    pub value: Option<String>,
    /// `static` or `runtime`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// The variables of the caller's workspace, by name.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<Value>> {
    let mut found = app.store.read(|tx| VARIABLES.list(tx, &caller.workspace))?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found.iter().map(row).collect())
}

/// Stores a variable; static, unless the body says otherwise.
///
/// # Errors
/// 400 for a bad name, value or type, 409 when the name is taken.
pub fn create(app: &App, caller: &Caller, body: &VariableBody) -> Result<Value> {
    create_as(app, caller, VariableId::random(), body)
}

/// As [`create`], under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use, too.
pub fn create_as(app: &App, caller: &Caller, id: VariableId, body: &VariableBody) -> Result<Value> {
    let now = app.clock.monotonic_now();
    let fresh = Variable {
        id,
        workspace: caller.workspace,
        name: String::new(),
        value: String::new(),
        kind: VariableKind::Static,
        created: now,
        updated: now,
    };
    let made = apply(fresh, body)?;
    app.store.write(|tx| {
        if VARIABLES.has(tx, &made.workspace, &made.id)? {
            return Err(Conflict::IdTaken.into());
        }
        credential_destinations::check_variables(tx, caller, &[&made.name])?;
        put(tx, &made)
    })?;
    Ok(row(&made))
}

/// Changes what the body names.
///
/// # Errors
/// 404 for an unknown variable, 400 and 409 as for [`create`].
pub fn update(app: &App, caller: &Caller, id: &str, body: &VariableBody) -> Result<Value> {
    let stored = app.store.write(|tx| {
        let before = get(tx, &caller.workspace, id)?;
        let stored = Variable { updated: app.clock.monotonic_now(), ..apply(before.clone(), body)? };
        let says = |variable: &Variable| (variable.name.clone(), variable.value.clone(), variable.kind);
        if says(&before) != says(&stored) {
            credential_destinations::check_variables(tx, caller, &[&before.name, &stored.name])?;
        }
        put(tx, &stored)?;
        Ok(stored)
    })?;
    Ok(row(&stored))
}

/// Deletes a variable.
///
/// # Errors
/// 404 for an unknown one; 409 while flows use it, unless `force`.
pub fn delete(app: &App, caller: &Caller, id: &str, force: bool) -> Result<Value> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, id)?;
        usage::require_unused(tx, caller, ResourceKind::Variables, &stored.name, force)?;
        VARIABLES.remove(tx, &caller.workspace, &stored.id)
    })?;
    Ok(json!({ "raw": [], "affected": 1 }))
}

fn apply(stored: Variable, body: &VariableBody) -> Result<Variable> {
    let name = body.name.clone().map_or(stored.name, |name| name.trim().to_owned());
    let value = body.value.clone().unwrap_or(stored.value);
    let kind = body.kind.as_deref().map_or(Ok(stored.kind), VariableKind::parse)?;
    variable::check_name(&name)?;
    variable::check_value(&value)?;
    Ok(Variable { name, value, kind, ..stored })
}

/// Stores a variable unless another one of the workspace has its name: flows could not tell the two apart.
fn put(tx: &crate::store::WriteTx, wanted: &Variable) -> Result<()> {
    membership::require_workspace(tx, &wanted.workspace)?;
    let others = VARIABLES.list(tx, &wanted.workspace)?;
    if others.iter().any(|other| other.name == wanted.name && other.id != wanted.id) {
        return Err(Conflict::NameTaken { what: "variable" }.into());
    }
    VARIABLES.put(tx, &wanted.workspace, &wanted.id, wanted)
}

fn get(tx: &impl Tx, workspace: &WorkspaceId, id: &str) -> Result<Variable> {
    let found = VariableId::parse(id).map(|id| VARIABLES.get(tx, workspace, &id)).transpose()?;
    found.flatten().ok_or_else(|| {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
        Error::NotFound(format!("Variable {shown} not found"))
    })
}

/// The values flows see, by name; a runtime variable the environment lacks has none (manual 7.5).
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn values(
    tx: &impl Tx,
    environment: &Environment,
    workspace: &WorkspaceId,
) -> Result<HashMap<String, String>> {
    let value = |variable: Variable| match variable.kind {
        VariableKind::Static => Some((variable.name, variable.value)),
        VariableKind::Runtime => {
            environment.flow_variable(&variable.name).map(|value| (variable.name, value))
        }
    };
    Ok(VARIABLES.list(tx, workspace)?.into_iter().filter_map(value).collect())
}

fn row(variable: &Variable) -> Value {
    json!({
        "id": variable.id,
        "name": variable.name,
        "value": variable.value,
        "type": variable.kind,
        "createdDate": iso(variable.created),
        "updatedDate": iso(variable.updated),
        "workspaceId": variable.workspace,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(value: Value) -> VariableBody {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_variable_lives_in_its_workspace() {
        let (_folder, app, caller) = App::with_owner();
        let made =
            create(&app, &caller, &body(json!({"name": "city", "value": "Rome", "type": "static"}))).unwrap();
        let id = made["id"].as_str().unwrap();
        let stranger = Caller { workspace: WorkspaceId::random(), ..caller.clone() };
        assert!(list(&app, &stranger).unwrap().is_empty());
        assert!(matches!(update(&app, &stranger, id, &body(json!({}))), Err(Error::NotFound(_))));
        assert!(matches!(delete(&app, &stranger, id, false), Err(Error::NotFound(_))));
        let changed = update(&app, &caller, id, &body(json!({"value": "Oslo"}))).unwrap();
        assert_eq!(
            (&changed["name"], &changed["value"], &changed["type"]),
            (&json!("city"), &json!("Oslo"), &json!("static"))
        );
        assert_eq!(list(&app, &caller).unwrap(), [changed]);
        assert_eq!(delete(&app, &caller, id, false).unwrap()["affected"], 1);
        assert!(list(&app, &caller).unwrap().is_empty());
    }

    #[test]
    fn names_are_words_and_unique() {
        let (_folder, app, caller) = App::with_owner();
        for bad in [json!({}), json!({"name": "a b"}), json!({"name": "a", "type": "dynamic"})] {
            assert!(matches!(create(&app, &caller, &body(bad.clone())), Err(Error::Invalid(_))), "{bad}");
        }
        create(&app, &caller, &body(json!({"name": "a", "type": "runtime"}))).unwrap();
        let taken =
            |result: Result<Value>| matches!(result, Err(Error::Conflict(Conflict::NameTaken { .. })));
        assert!(taken(create(&app, &caller, &body(json!({"name": " a "})))));
        let other = create(&app, &caller, &body(json!({"name": "b"}))).unwrap();
        let id = other["id"].as_str().unwrap();
        assert!(taken(update(&app, &caller, id, &body(json!({"name": "a"})))));
        assert!(update(&app, &caller, id, &body(json!({"name": "b", "value": "1"}))).is_ok());
    }
}
