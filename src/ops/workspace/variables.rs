//! Saved variables of a workspace (manual 7.5).

use super::credential_destinations;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Result};
use crate::domain::ids::{VariableId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::variable::{self, Variable, VariableChange, VariableKind};
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::settings::Environment;
use crate::store::Tx;
use crate::store::tables::VARIABLES;
use std::collections::HashMap;

/// The variables of the caller's workspace, by name.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<Variable>> {
    let mut found = app.store.read(|tx| VARIABLES.list(tx, &caller.workspace))?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Stores a variable; static, unless `change` says otherwise.
///
/// # Errors
/// 400 for a bad name, value or type, 409 when the name is taken.
pub(crate) fn create(app: &App, caller: &Caller, change: &VariableChange) -> Result<Variable> {
    create_as(app, caller, VariableId::random(), change)
}

/// As [`create`], under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use, too.
pub(crate) fn create_as(
    app: &App,
    caller: &Caller,
    id: VariableId,
    change: &VariableChange,
) -> Result<Variable> {
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
    let made = apply(fresh, change)?;
    app.store.write(|tx| {
        if VARIABLES.has(tx, &made.workspace, &made.id)? {
            return Err(Conflict::IdTaken.into());
        }
        credential_destinations::check_variables(tx, caller, &[&made.name])?;
        put(tx, &made)
    })?;
    Ok(made)
}

/// Changes what `change` names.
///
/// # Errors
/// 404 for an unknown variable, 400 and 409 as for [`create`].
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    id: VariableId,
    change: &VariableChange,
) -> Result<Variable> {
    app.store.write(|tx| {
        let before = get(tx, &caller.workspace, &id)?;
        let stored = Variable { updated: app.clock.monotonic_now(), ..apply(before.clone(), change)? };
        let says = |variable: &Variable| (variable.name.clone(), variable.value.clone(), variable.kind);
        if says(&before) != says(&stored) {
            credential_destinations::check_variables(tx, caller, &[&before.name, &stored.name])?;
        }
        put(tx, &stored)?;
        Ok(stored)
    })
}

/// Deletes a variable.
///
/// # Errors
/// 404 for an unknown one; 409 while flows use it, unless `force`.
pub(crate) fn delete(app: &App, caller: &Caller, id: VariableId, force: bool) -> Result<()> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, &id)?;
        usage::require_unused(tx, caller, ResourceKind::Variables, &stored.name, force)?;
        VARIABLES.remove(tx, &caller.workspace, &stored.id).map(drop)
    })
}

fn apply(stored: Variable, change: &VariableChange) -> Result<Variable> {
    let name = change.name.as_deref().map_or(stored.name, |name| name.trim().to_owned());
    let value = change.value.clone().unwrap_or(stored.value);
    variable::check_name(&name)?;
    variable::check_value(&value)?;
    Ok(Variable { name, value, kind: change.kind.unwrap_or(stored.kind), ..stored })
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

fn get(tx: &impl Tx, workspace: &WorkspaceId, id: &VariableId) -> Result<Variable> {
    VARIABLES.get(tx, workspace, id)?.ok_or_else(|| id.not_found())
}

/// The values flows see, by name; a runtime variable the environment lacks has none (manual 7.5).
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn values(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::Error;

    fn named(name: &str) -> VariableChange {
        VariableChange { name: Some(name.to_owned()), ..VariableChange::default() }
    }

    fn valued(value: &str) -> VariableChange {
        VariableChange { value: Some(value.to_owned()), ..VariableChange::default() }
    }

    #[test]
    fn a_variable_lives_in_its_workspace() {
        let (_folder, app, caller) = App::with_owner();
        let new = VariableChange { value: Some("Rome".to_owned()), ..named("city") };
        let id = create(&app, &caller, &new).unwrap().id;
        let stranger = Caller { workspace: WorkspaceId::random(), ..caller.clone() };
        assert!(list(&app, &stranger).unwrap().is_empty());
        assert!(matches!(update(&app, &stranger, id, &VariableChange::default()), Err(Error::NotFound(_))));
        assert!(matches!(delete(&app, &stranger, id, false), Err(Error::NotFound(_))));
        let changed = update(&app, &caller, id, &valued("Oslo")).unwrap();
        assert_eq!((&*changed.name, &*changed.value, changed.kind), ("city", "Oslo", VariableKind::Static));
        assert_eq!(list(&app, &caller).unwrap(), [changed]);
        delete(&app, &caller, id, false).unwrap();
        assert!(list(&app, &caller).unwrap().is_empty());
    }

    #[test]
    fn names_are_words_and_unique() {
        let (_folder, app, caller) = App::with_owner();
        for bad in [VariableChange::default(), named("a b")] {
            assert!(matches!(create(&app, &caller, &bad), Err(Error::Invalid(_))));
        }
        create(&app, &caller, &named("a")).unwrap();
        let taken =
            |result: Result<Variable>| matches!(result, Err(Error::Conflict(Conflict::NameTaken { .. })));
        assert!(taken(create(&app, &caller, &named(" a "))));
        let id = create(&app, &caller, &named("b")).unwrap().id;
        assert!(taken(update(&app, &caller, id, &named("a"))));
        assert!(
            update(&app, &caller, id, &VariableChange { name: Some("b".to_owned()), ..valued("1") }).is_ok()
        );
    }
}
