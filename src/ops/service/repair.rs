//! What of a data folder can be put right without a backup: what is made of something else, and what nothing leads to.

use super::data_folder;
use super::leftovers::{self, LEFTOVER_AGE_MIN_SECONDS, SweepReport};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::path::PathBuf;

/// Something that can be put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Folders that other users may enter.
    Modes(Vec<PathBuf>),
    /// Folders of flows and document stores that are gone, and files that no message and no record of a run names.
    Leftovers(SweepReport),
    /// The list of versions does not say what git says.
    VersionList,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Modes(folders) => {
                f.write_str("folders open to other users: closed to them are")?;
                folders.iter().try_for_each(|folder| write!(f, " {}", folder.display()))
            }
            Self::Leftovers(SweepReport { folders, files }) => {
                write!(
                    f,
                    "files without records: {folders} folders and {files} files that nothing leads to are removed"
                )
            }
            Self::VersionList => f.write_str("list of versions: it is made anew from git"),
        }
    }
}

/// What can be put right, and with `apply` was.
///
/// # Errors
/// When the disk, the database or the history cannot be read; [`crate::domain::error::Error::Cancelled`] when `cancel` was set
/// meanwhile.
pub(crate) fn run(app: &App, apply: bool, cancel: &CancelToken) -> Result<Vec<Repair>> {
    let mut repairs = Vec::new();
    let open = data_folder::open_folders(&app.settings);
    if !open.is_empty() {
        if apply {
            data_folder::restrict(&app.settings).map_err(Error::internal)?;
        }
        repairs.push(Repair::Modes(open));
    }
    if app.settings.history && app.history.is_list_wrong(cancel)? {
        if apply {
            app.history.rebuild_list()?;
        }
        repairs.push(Repair::VersionList);
    }
    let before = Timestamp::now() - SignedDuration::from_secs(LEFTOVER_AGE_MIN_SECONDS);
    let leftovers = if apply { leftovers::sweep_all } else { leftovers::count };
    let found = leftovers(app, before, cancel)?;
    if found != SweepReport::default() {
        repairs.push(Repair::Leftovers(found));
    }
    Ok(repairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow_change::FlowChange;
    use crate::ops::flows::{self, versions};
    use crate::store::Order;
    use crate::store::queries::version_index;

    #[test]
    fn a_list_of_versions_that_git_contradicts_is_made_anew_and_one_that_says_the_same_is_left() {
        let (_folder, app, caller) = App::with_owner();
        let flow = flows::create(&app, &caller, &FlowChange::chatflow("f")).unwrap().flow.id;
        let never = CancelToken::new(None);
        let sound = versions::verify(&app.history, &never).unwrap();
        assert!(sound.problems.is_empty() && sound.versions == 1, "{sound:?}");
        assert_eq!(run(&app, false, &never).unwrap(), []);

        // The list is made when it is first asked for.
        assert_eq!(versions::log(&app, Some(&flow), 10).unwrap().len(), 1);
        app.history.flush_index().unwrap();
        app.store
            .write(|tx| {
                let mut rows = version_index::range(tx, b"p", b"q", Order::Ascending, 1)?;
                rows[0].1[0] ^= 0xff;
                version_index::put(tx, &rows)
            })
            .unwrap();
        assert!(app.history.is_list_wrong(&never).unwrap());
        for apply in [false, true] {
            assert_eq!(run(&app, apply, &never).unwrap(), [Repair::VersionList]);
        }
        assert_eq!(run(&app, true, &never).unwrap(), []);
        assert_eq!(versions::verify(&app.history, &never).unwrap(), sound);
    }

    #[test]
    fn a_list_that_names_what_git_has_not_is_kept_as_the_trace_of_what_was_lost() {
        let (folder, app, caller) = App::with_owner();
        let flow = flows::create(&app, &caller, &FlowChange::chatflow("f")).unwrap().flow.id;
        assert_eq!(versions::log(&app, Some(&flow), 10).unwrap().len(), 1);
        app.history.flush_index().unwrap();
        let objects = folder.path().join("versions/objects");
        std::fs::remove_dir_all(&objects).unwrap();
        std::fs::create_dir(&objects).unwrap();
        let never = CancelToken::new(None);
        let report = versions::verify(&app.history, &never).unwrap();
        assert!(!report.problems.is_empty() && !app.history.is_list_wrong(&never).unwrap(), "{report:?}");
        assert_eq!(run(&app, true, &never).unwrap(), []);
        assert_eq!(versions::verify(&app.history, &never).unwrap().problems, report.problems);
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_others_may_enter_are_named_and_then_closed() {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;
        let (folder, app, _) = App::with_owner();
        let never = CancelToken::new(None);
        let secrets = folder.path().join("secrets");
        std::fs::set_permissions(&secrets, Permissions::from_mode(0o755)).unwrap();
        let expected = [Repair::Modes(vec![secrets.clone()])];
        assert_eq!(run(&app, false, &never).unwrap(), expected);
        assert_eq!(run(&app, true, &never).unwrap(), expected);
        assert_eq!(run(&app, false, &never).unwrap(), []);
        assert_eq!(std::fs::metadata(&secrets).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
