//! What the history calls a change of Live, and which change a version is: written when the version is recorded, so that answers
//! which were given before find their version, and a version finds its answers.

use crate::base::hex::to_hex;
use crate::domain::error::{Error, Result};
use crate::domain::flows::live_version::VersionName;
use crate::domain::flows::version::{Sha, ShaPrefix};
use crate::domain::ids::FlowId;
use crate::store::keys::{self, KeyRange};
use crate::store::tables::VERSION_NAMES;
use crate::store::transaction::{Order, Tx, WriteTx};
use std::ops::ControlFlow;
use uuid::Uuid;

/// From a change to its version, as JSON.
const BY_CHANGE: u8 = 1;
/// From a commit to the change, 16 bytes.
const BY_COMMIT: u8 = 2;

/// The version that holds a change of this flow; `None` until it is recorded.
///
/// # Errors
/// When the database cannot be read.
pub fn name_of(tx: &impl Tx, flow: &FlowId, change: &Uuid) -> Result<Option<VersionName>> {
    tx.get_with(VERSION_NAMES, &keys::version_name(flow, BY_CHANGE, change.as_bytes()), |value| {
        serde_json::from_slice(value).map_err(Error::internal)
    })
}

/// The change of this flow that a version holds; `None` for one that answers nothing of its own.
///
/// # Errors
/// When the database cannot be read.
pub fn change_of(tx: &impl Tx, flow: &FlowId, sha: &Sha) -> Result<Option<Uuid>> {
    tx.get_with(VERSION_NAMES, &keys::version_name(flow, BY_COMMIT, sha.bytes()), |value| {
        Uuid::from_slice(value).map_err(Error::internal)
    })
}

/// The change of this flow that the one version holds whose id starts so; `None` when there is none, or more than one.
///
/// # Errors
/// When the database cannot be read.
pub fn change_of_prefix(tx: &impl Tx, flow: &FlowId, version: &ShaPrefix) -> Result<Option<Uuid>> {
    let (mut changes, bytes) = (Vec::new(), version.whole_bytes());
    let range = KeyRange::prefix(&keys::version_name(flow, BY_COMMIT, &bytes));
    tx.scan(VERSION_NAMES, &range, Order::Ascending, |key, value| {
        let sha = key.get(17..).map(to_hex).unwrap_or_default();
        if sha.starts_with(version.as_str()) {
            changes.push(Uuid::from_slice(value).map_err(Error::internal)?);
        }
        Ok(if changes.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(if changes.len() == 1 { changes.pop() } else { None })
}

/// Notes that a version holds a change.
///
/// # Errors
/// When the database cannot be written.
pub fn put_name(tx: &WriteTx, flow: &FlowId, change: &Uuid, name: &VersionName) -> Result<()> {
    let value = serde_json::to_vec(name).map_err(Error::internal)?;
    tx.put(VERSION_NAMES, &keys::version_name(flow, BY_CHANGE, change.as_bytes()), &value)?;
    tx.put(VERSION_NAMES, &keys::version_name(flow, BY_COMMIT, name.sha.bytes()), change.as_bytes())
}
