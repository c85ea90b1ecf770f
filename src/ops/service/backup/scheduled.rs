//! Backups that the service makes by itself: one after so many hours, and the newest ones stay. What was made is told from the names of
//! the files, so nothing has to be remembered, and files of others in the folder are left alone.

use super::{BackupError, write, write_file};
use crate::app::App;
use crate::base::cancel::CancelToken;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

const PREFIX: &str = "flowkeep-";
const SUFFIX: &str = ".tar.zst";
const MOMENT: &str = "%Y-%m-%dT%H%M%SZ";
/// Time after a start before its first backup (manual 14.2).
const BACKUP_START_WAIT_SECONDS: u64 = 60;

/// How long it is until the next one is due; `None` when none is wanted.
#[must_use]
pub(crate) fn time_to_next(app: &App) -> Option<Duration> {
    let settings = &app.settings.backups;
    let folder = settings.folder.as_deref()?;
    let gap = Duration::from_secs(settings.hours.saturating_mul(3_600));
    let first = Duration::from_secs(BACKUP_START_WAIT_SECONDS).min(gap);
    let Some((newest, _)) = made_before(folder).ok().and_then(|mut made| made.pop()) else {
        return Some(first);
    };
    // One of the future is of a clock that was set back since.
    let age = Timestamp::now().duration_since(newest).try_into().unwrap_or_default();
    Some(gap.saturating_sub(age).max(first))
}

/// Makes one, and removes those that are too many.
///
/// # Errors
/// When it cannot be made: nothing is removed then.
pub(crate) fn run(app: &App, cancel: &CancelToken) -> Result<(), BackupError> {
    let settings = &app.settings.backups;
    let Some(folder) = settings.folder.as_deref() else { return Ok(()) };
    let failed = |cause: io::Error| BackupError::Folder(folder.to_owned(), cause);
    let name = format!("{PREFIX}{}{SUFFIX}", Timestamp::now().strftime(MOMENT));
    write_file::<_, BackupError>(&folder.join(name), |out| write(app, true, out, cancel))?;
    let made = made_before(folder).map_err(failed)?;
    let keep = usize::try_from(settings.keep).unwrap_or(usize::MAX);
    for (_, name) in &made[..made.len().saturating_sub(keep)] {
        fs::remove_file(folder.join(name)).map_err(failed)?;
    }
    Ok(())
}

/// When the newest one in a folder was made; `None` where there is none.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn newest_in(folder: &Path) -> io::Result<Option<Timestamp>> {
    Ok(made_before(folder)?.pop().map(|(moment, _)| moment))
}

/// Those that are there, oldest first.
fn made_before(folder: &Path) -> io::Result<Vec<(Timestamp, String)>> {
    let mut made = Vec::new();
    for entry in fs::read_dir(folder)? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        made.extend(moment_of(&name).map(|moment| (moment, name)));
    }
    made.sort();
    Ok(made)
}

fn moment_of(name: &str) -> Option<Timestamp> {
    let text = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let moment = DateTime::strptime(MOMENT, text).ok()?;
    moment.to_zoned(TimeZone::UTC).ok().map(|moment| moment.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Environment, Flags, Settings};

    fn app(data: &Path, folder: &Path) -> App {
        let folder = folder.to_str().unwrap().to_owned();
        let vars = move |name: &str| match name {
            "SERVICE_BACKUP_TO" => Some(folder.clone()),
            "SERVICE_BACKUP_KEEP" => Some("2".to_owned()),
            _ => None,
        };
        let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", data.to_str());
        App::open(Settings::from_vars(vars, flags).unwrap(), Environment::new(|_| None)).unwrap()
    }

    #[test]
    fn the_newest_stay_and_files_of_others_too() {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let app = app(&data.path().join("data"), folder.path());
        let never = CancelToken::new(None);
        for name in [
            "flowkeep-2020-01-01T000000Z.tar.zst",
            "flowkeep-2021-01-01T000000Z.tar.zst",
            "flowkeep-mine.tar.zst",
            "other",
        ] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        assert_eq!(time_to_next(&app), Some(Duration::from_secs(60)), "the last is years old");
        run(&app, &never).unwrap();
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names.len(), 4, "{names:?}");
        assert_eq!(
            (names[0].as_str(), names[2].as_str(), names[3].as_str()),
            ("flowkeep-2021-01-01T000000Z.tar.zst", "flowkeep-mine.tar.zst", "other")
        );
        let next = time_to_next(&app).unwrap();
        assert!(next > Duration::from_secs(86_000) && next <= Duration::from_secs(86_400), "{next:?}");
        drop(folder);
        assert!(matches!(run(&app, &never), Err(BackupError::Folder(..))));
    }
}
