//! Backups that the service makes by itself: one after so many hours, and the newest ones stay. What was made is told from the names of
//! the files, so nothing has to be remembered, and files of others in the folder are left alone.

use super::passphrase_file::{self, PassphraseFileError};
use super::{BackupError, write, write_file};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::service::server_status::BackupHealth;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

const PREFIX: &str = "flowkeep-";
const SUFFIX: &str = ".tar.zst";
/// What follows the name of one that is encrypted, as the program age has it.
const ENCRYPTED: &str = ".age";
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
    let newest = made_before(folder).ok().and_then(|mut made| made.pop());
    // There is no age where none was made, or where all are of the future.
    let age = newest.and_then(|(moment, _)| Duration::try_from(Timestamp::now().duration_since(moment)).ok());
    Some(age.map_or(first, |age| gap.saturating_sub(age).max(first)))
}

/// Makes one, and removes those that are too many. Why it could not be made is kept for the owner until one is.
///
/// # Errors
/// When it cannot be made: nothing is removed then.
pub(crate) fn run(app: &App, cancel: &CancelToken) -> Result<(), BackupError> {
    let made = make(app, cancel);
    let failure = match &made {
        Err(BackupError::Stopped) => return made,
        Ok(()) => None,
        // Where the folder is, is for those on the machine.
        Err(BackupError::Folder(_, cause)) => {
            Some(format!("The folder of the backups cannot be written: {cause}."))
        }
        Err(BackupError::Passphrase(_, fault)) => Some(describe_passphrase_fault(fault)),
        Err(error) => Some(format!("The last backup could not be made: {error}.")),
    };
    *app.state.backup_failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    made
}

fn make(app: &App, cancel: &CancelToken) -> Result<(), BackupError> {
    let settings = &app.settings.backups;
    let Some(folder) = settings.folder.as_deref() else { return Ok(()) };
    let failed = |cause: io::Error| BackupError::Folder(folder.to_owned(), cause);
    let passphrase = settings.passphrase_file.as_deref().map(passphrase_file::load).transpose()?;
    let encrypted = if passphrase.is_some() { ENCRYPTED } else { "" };
    let name = format!("{PREFIX}{}{SUFFIX}{encrypted}", Timestamp::now().strftime(MOMENT));
    write_file::<_, BackupError>(&folder.join(name), passphrase.as_ref(), |out| {
        write(app, true, out, cancel)
    })?;
    let made = made_before(folder).map_err(failed)?;
    let keep = usize::try_from(settings.keep).unwrap_or(usize::MAX);
    for (_, name) in &made[..made.len().saturating_sub(keep)] {
        fs::remove_file(folder.join(name)).map_err(failed)?;
    }
    Ok(())
}

/// How the backups are that the service makes by itself.
#[must_use]
pub(crate) fn health(app: &App) -> BackupHealth {
    let settings = &app.settings.backups;
    let Some(folder) = settings.folder.as_deref() else { return BackupHealth::default() };
    let failure = app.state.backup_failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (last, unread) = match made_before(folder) {
        Ok(mut made) => (made.pop(), None),
        // The first one makes it.
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => (None, None),
        Err(fault) => (None, Some(format!("The folder of the backups cannot be read: {fault}."))),
    };
    let last = last.map(|(moment, name)| {
        let bytes = fs::metadata(folder.join(name)).map_or(0, |file| file.len());
        (moment, bytes)
    });
    BackupHealth {
        every_seconds: Some(settings.hours.saturating_mul(3_600)),
        has_folder: true,
        last,
        error: failure.or(unread).or_else(|| passphrase_problem(app)),
    }
}

/// Why the next backup will not be encrypted, and therefore not be made: that is told before it is due.
fn passphrase_problem(app: &App) -> Option<String> {
    match passphrase_file::load(app.settings.backups.passphrase_file.as_deref()?) {
        Err(BackupError::Passphrase(_, fault)) => Some(describe_passphrase_fault(&fault)),
        _ => None,
    }
}

/// Where the file is, is for those on the machine.
fn describe_passphrase_fault(fault: &PassphraseFileError) -> String {
    format!("No backup is made: the file of the passphrase {fault}.")
}

/// When the newest one in a folder was made; `None` where there is none.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn newest_in(folder: &Path) -> io::Result<Option<Timestamp>> {
    Ok(made_before(folder)?.pop().map(|(moment, _)| moment))
}

/// Those that are there, oldest first. One of the future is of a clock that was set back since: when it was made is not known, so
/// it makes room for those of which it is.
fn made_before(folder: &Path) -> io::Result<Vec<(Timestamp, String)>> {
    let now = Timestamp::now();
    let mut made = Vec::new();
    for entry in fs::read_dir(folder)? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        made.extend(moment_of(&name).map(|moment| (moment, name)));
    }
    made.sort_by_cached_key(|(moment, name)| (*moment <= now, *moment, name.clone()));
    Ok(made)
}

fn moment_of(name: &str) -> Option<Timestamp> {
    let name = name.strip_suffix(ENCRYPTED).unwrap_or(name);
    let text = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let moment = DateTime::strptime(MOMENT, text).ok()?;
    moment.to_zoned(TimeZone::UTC).ok().map(|moment| moment.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::service::backup::examine::verify;
    use crate::settings::{Environment, Flags, Settings};

    fn app(data: &Path, folder: &Path, passphrase_file: Option<&Path>) -> App {
        let folder = folder.to_str().unwrap().to_owned();
        let passphrase_file = passphrase_file.map(|file| file.to_str().unwrap().to_owned());
        let vars = move |name: &str| match name {
            "SERVICE_BACKUP_TO" => Some(folder.clone()),
            "SERVICE_BACKUP_KEEP" => Some("2".to_owned()),
            "SERVICE_BACKUP_PASSPHRASE_FILE" => passphrase_file.clone(),
            _ => None,
        };
        let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", data.to_str());
        App::open(Settings::from_vars(vars, flags).unwrap(), Environment::new(|_| None)).unwrap()
    }

    #[test]
    fn the_newest_stay_and_files_of_others_too() {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let app = app(&data.path().join("data"), folder.path(), None);
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
        let names = names_in(folder.path());
        assert_eq!(names.len(), 4, "{names:?}");
        assert_eq!(
            (names[0].as_str(), names[2].as_str(), names[3].as_str()),
            ("flowkeep-2021-01-01T000000Z.tar.zst", "flowkeep-mine.tar.zst", "other")
        );
        let next = time_to_next(&app).unwrap();
        assert!(next > Duration::from_secs(86_000) && next <= Duration::from_secs(86_400), "{next:?}");
        assert!(health(&app).last.is_some_and(|(_, bytes)| bytes > 0) && health(&app).error.is_none());
        drop(folder);
        assert!(matches!(run(&app, &never), Err(BackupError::Folder(..))));
        let told = health(&app).error.unwrap();
        assert!(told.starts_with("The folder of the backups cannot be written: "), "{told}");
    }

    #[test]
    fn those_of_a_clock_that_was_ahead_stand_in_no_others_way() {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let app = app(&data.path().join("data"), folder.path(), None);
        for year in 2090..2093 {
            fs::write(folder.path().join(format!("flowkeep-{year}-01-01T000000Z.tar.zst")), "x").unwrap();
        }
        assert_eq!(
            time_to_next(&app),
            Some(Duration::from_secs(60)),
            "a start waits for no date of the future"
        );
        for _ in 0..2 {
            run(&app, &CancelToken::new(None)).unwrap();
            let made = newest_in(folder.path()).unwrap().unwrap();
            assert!(made <= Timestamp::now(), "what was just made is the newest: {made}");
            assert!(time_to_next(&app).unwrap() > Duration::from_secs(86_000));
            // Names tell seconds, so two of one second would be one file.
            std::thread::sleep(Duration::from_millis(1_100));
        }
        let names = names_in(folder.path());
        assert!(names.len() == 2 && names.iter().all(|name| !name.contains("-209")), "{names:?}");
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn write_secret(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }

    #[test]
    fn with_a_passphrase_they_are_encrypted_and_count_with_those_that_are_not() {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = data.path().join("passphrase");
        write_secret(&secret, "correct horse");
        let app = app(&data.path().join("data"), folder.path(), Some(&secret));
        let others = [
            "flowkeep-2020-01-01T000000Z.tar.zst.age",
            "flowkeep-2021-01-01T000000Z.tar.zst",
            "flowkeep-2022-01-01T000000Z.age",
        ];
        for name in others {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        run(&app, &CancelToken::new(None)).unwrap();
        let names = names_in(folder.path());
        assert_eq!(names.len(), 3, "{names:?}");
        assert_eq!((names[0].as_str(), names[1].as_str()), (others[1], others[2]));
        assert!(names[2].ends_with("Z.tar.zst.age"), "{names:?}");
        let made = fs::read(folder.path().join(&names[2])).unwrap();
        assert!(made.starts_with(b"age-encryption.org/v1\n"));
        let passphrase = passphrase_file::load(&secret).unwrap();
        let found = verify(made.as_slice(), Some(&passphrase), data.path(), &app.settings).unwrap();
        assert!(found.is_encrypted && found.damages.is_empty() && found.summary.head.has_secrets);
        assert!(health(&app).last.is_some_and(|(_, bytes)| bytes == made.len() as u64));
    }

    #[test]
    fn without_the_passphrase_that_is_named_none_is_made_and_none_removed() {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = data.path().join("passphrase");
        let app = app(&data.path().join("data"), folder.path(), Some(&secret));
        for year in 2020..2024 {
            fs::write(folder.path().join(format!("flowkeep-{year}-01-01T000000Z.tar.zst")), "x").unwrap();
        }
        let told = |is_missing: bool| {
            let told = health(&app).error.unwrap();
            let expected = if is_missing { "cannot be read: " } else { "holds no passphrase." };
            let start = format!("No backup is made: the file of the passphrase {expected}");
            assert!(told.starts_with(&start) && !told.contains(data.path().to_str().unwrap()), "{told}");
        };
        told(true);
        assert!(matches!(run(&app, &CancelToken::new(None)), Err(BackupError::Passphrase(..))));
        told(true);
        write_secret(&secret, "");
        assert!(matches!(run(&app, &CancelToken::new(None)), Err(BackupError::Passphrase(..))));
        told(false);
        assert_eq!(names_in(folder.path()).len(), 4);
        write_secret(&secret, "correct horse");
        run(&app, &CancelToken::new(None)).unwrap();
        assert_eq!((health(&app).error, names_in(folder.path()).len()), (None, 2));
    }
}
