//! Which versions of Dev are offered here (manual 20.1).

use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::version::{Sha, Version, VersionKind};

/// Most versions of one flow that the list names (manual 20.1).
pub(crate) const CHANGES_LISTED_MAX: usize = 20;

/// What was published on Dev since the version that was promoted here last, newest first, and whether there is more. `line` has
/// the versions of the flow, newest first; its first one is what is offered, and always counts: it is Dev's Live.
#[must_use]
pub fn published_since(line: Vec<Version>, last: Option<&Sha>) -> (Vec<Version>, bool) {
    let since = line.into_iter().take_while(|version| Some(&version.sha) != last).enumerate();
    let mut changes: Vec<Version> =
        since.filter(|(at, version)| *at == 0 || is_published(version)).map(|(_, version)| version).collect();
    let has_more = changes.len() > CHANGES_LISTED_MAX;
    changes.truncate(CHANGES_LISTED_MAX);
    (changes, has_more)
}

/// True for what its author put before callers on purpose: flows of kinds without drafts have no other way than to be saved.
fn is_published(version: &Version) -> bool {
    let has_drafts = matches!(version.flow_kind, Some(FlowKind::Chatflow | FlowKind::Agentflow));
    let is_save = matches!(version.kind, VersionKind::Create | VersionKind::Save | VersionKind::Restore);
    version.kind.is_published() || (is_save && !has_drafts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::version::Author;
    use jiff::Timestamp;

    fn version(number: u8, kind: VersionKind, flow_kind: FlowKind) -> Version {
        Version {
            sha: Sha::from_bytes([number; 20]),
            date: Timestamp::UNIX_EPOCH,
            offset_seconds: 0,
            author: Author::system(),
            title: String::new(),
            details: Vec::new(),
            kind,
            promoted_from: None,
            name: String::new(),
            hidden_secrets: 0,
            flow_kind: Some(flow_kind),
        }
    }

    fn numbers((changes, has_more): (Vec<Version>, bool)) -> (Vec<u8>, bool) {
        (changes.iter().map(|version| version.sha.bytes()[0]).collect(), has_more)
    }

    #[test]
    fn what_was_published_since_the_last_promotion_is_listed() {
        use VersionKind::{Create, Publish, Restore, Rollback, Save};
        let kinds = [(9, Save), (8, Rollback), (7, Save), (6, Publish), (5, Publish), (4, Create)];
        let line = |of: FlowKind| kinds.map(|(number, kind)| version(number, kind, of)).to_vec();
        let since = |line: Vec<Version>, last: Option<u8>| {
            numbers(published_since(line, last.map(|last| Sha::from_bytes([last; 20])).as_ref()))
        };
        assert_eq!(since(line(FlowKind::Chatflow), None), (vec![9, 8, 6, 5], false));
        assert_eq!(since(line(FlowKind::Chatflow), Some(6)), (vec![9, 8], false));
        assert_eq!(since(line(FlowKind::Assistant), Some(4)), (vec![9, 8, 7, 6, 5], false));
        assert_eq!(since(vec![version(1, Restore, FlowKind::Etl)], Some(7)), (vec![1], false));
    }

    #[test]
    fn twenty_are_listed_and_more_are_told() {
        let line = |count: u8| {
            (0..count).map(|at| version(200 - at, VersionKind::Publish, FlowKind::Chatflow)).collect()
        };
        let (twenty, more) = numbers(published_since(line(20), None));
        assert_eq!((twenty.len(), more), (20, false));
        let (listed, more) = numbers(published_since(line(21), None));
        assert_eq!((listed.len(), listed[0], more), (20, 200, true));
    }
}
