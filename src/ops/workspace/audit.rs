//! The list of sign-ins and of what people changed (manual 8.11). An entry is written in the transaction of the
//! change it tells of, so there is none without the other.

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::workspace::audit::{AuditAction, AuditActor, AuditEntry, AuditPage, AuditRing, AuditRow};
use crate::ops::accounts::membership;
use crate::store::queries::audit;
use crate::store::tables::{API_KEYS, USERS};
use crate::store::{ReadTx, WriteTx};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Entries on a page unless asked otherwise, and at most.
const PAGE: usize = 50;
const PAGE_MAX: usize = 200;

/// Which entries are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct AuditQuery {
    /// Only these actions; none listed means all.
    pub actions: Vec<AuditAction>,
    /// Only what this person did, or what was done to their sign-in.
    pub user: Option<UserId>,
    /// Only in this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Not after.
    pub until: Option<Timestamp>,
    /// Which page, from 1.
    pub page: usize,
    pub limit: usize,
}

impl AuditQuery {
    /// Reads the filters as they are written in a query or a body.
    ///
    /// # Errors
    /// 400 naming the one that cannot be read.
    pub(crate) fn parse<'a>(actions: &[&str], field: impl Fn(&str) -> Option<&'a str>) -> Result<Self> {
        let bad = |name: &str, what: &str| Error::invalid(format!("'{name}' must be {what}."));
        let text = |name: &str| field(name).filter(|text| !text.is_empty());
        let time = |name: &str| {
            let parse = |text: &str| text.parse().map_err(|_| bad(name, "a date and time as ISO 8601"));
            text(name).map(parse).transpose()
        };
        let number = |name: &str| {
            let parse = |text: &str| text.parse::<usize>().map_err(|_| bad(name, "a whole number from 1 up"));
            text(name).map(parse).transpose()
        };
        let known =
            |name: &&str| AuditAction::parse(name).ok_or_else(|| bad("action", "the name of an action"));
        Ok(Self {
            actions: actions.iter().map(known).collect::<Result<_>>()?,
            user: text("userId")
                .map(|id| UserId::parse(id).ok_or_else(|| bad("userId", "an id")))
                .transpose()?,
            workspace: text("workspaceId")
                .map(|id| WorkspaceId::parse(id).ok_or_else(|| bad("workspaceId", "an id")))
                .transpose()?,
            since: time("since")?,
            until: time("until")?,
            page: number("page")?.unwrap_or(1).max(1),
            limit: number("limit")?.unwrap_or(PAGE).clamp(1, PAGE_MAX),
        })
    }

    fn matches(&self, entry: &AuditEntry) -> bool {
        (self.actions.is_empty() || self.actions.contains(&entry.action))
            && self.user.is_none_or(|user| entry.person() == Some(user))
            && self.workspace.is_none_or(|workspace| entry.workspace == Some(workspace))
            && self.since.is_none_or(|since| entry.date >= since)
            && self.until.is_none_or(|until| entry.date <= until)
    }
}

/// Writes an entry down, in the transaction of what it tells of.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn record(tx: &WriteTx, entry: &AuditEntry) -> Result<()> {
    let (AuditActor::Key { id, .. }, Some(workspace)) = (&entry.actor, &entry.workspace) else {
        return audit::append(tx, entry);
    };
    // The entry outlives the key, so it says what the key was called.
    let name = API_KEYS.get(tx, workspace, id)?.map(|key| key.name);
    audit::append(tx, &AuditEntry { actor: AuditActor::Key { id: *id, name }, ..entry.clone() })
}

/// A page of everything, for the owner.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, wanted: &AuditQuery) -> Result<AuditPage> {
    app.store.read(|tx| page(tx, wanted, &AuditRing::ALL, |_| true))
}

/// A page of sign-ins. Who is not the owner sees those of the people in their workspace.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list_sign_ins(app: &App, caller: &Caller, wanted: &AuditQuery) -> Result<AuditPage> {
    app.store.read(|tx| {
        let people: Option<BTreeSet<UserId>> = if caller.is_owner() {
            None
        } else {
            let owner = membership::organization(tx)?.owner;
            let here = USERS.list(tx)?.into_iter();
            let here =
                here.filter(|user| user.membership_in(&caller.workspace).is_some() && user.id != owner);
            Some(here.map(|user| user.id).collect())
        };
        page(tx, wanted, &[AuditRing::SignIns], |entry| {
            entry.action.is_login()
                && people.as_ref().is_none_or(|people| entry.person().is_some_and(|id| people.contains(&id)))
        })
    })
}

fn page(
    tx: &ReadTx,
    wanted: &AuditQuery,
    rings: &[AuditRing],
    seen: impl Fn(&AuditEntry) -> bool,
) -> Result<AuditPage> {
    let skip = (wanted.page - 1).saturating_mul(wanted.limit);
    let (mut total, mut rows) = (0, Vec::new());
    audit::walk(tx, rings, |number, entry| {
        if wanted.matches(&entry) && seen(&entry) {
            if total >= skip && rows.len() < wanted.limit {
                rows.push(AuditRow { number, entry });
            }
            total += 1;
        }
        Ok(())
    })?;
    Ok(AuditPage { rows, total })
}
