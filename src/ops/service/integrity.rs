//! Whether what is stored is what was stored: every row of the database and every file.

use super::clock_check;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::damage::IntegrityReport;
use crate::domain::error::{Error, Result};
use crate::files::integrity;

/// Looks at every row and every file. Changes nothing, and what is asked meanwhile is answered.
///
/// # Errors
/// When the database or a folder cannot be opened; [`Error::Cancelled`] when `cancel` was set meanwhile.
pub(crate) fn verify(app: &App, cancel: &CancelToken) -> Result<IntegrityReport> {
    let is_over = || cancel.reason().is_some();
    let rows = app.store.verify(&is_over)?;
    let files = integrity::verify(&app.settings.data_dir.join("files"), &is_over).map_err(Error::internal)?;
    if is_over() {
        return Err(Error::Cancelled);
    }
    let damages = rows.damages.into_iter().chain(files.damages).collect();
    let warnings = clock_check::clock_warnings(app);
    Ok(IntegrityReport {
        rows: rows.rows,
        files: files.files,
        unknown_files: files.without_checksum,
        damages,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::damage::Damage;
    use crate::domain::ids::{ChatId, FlowId};
    use crate::files::flow_files::FlowFileName;
    use std::fs;

    #[test]
    fn a_damaged_file_is_an_error_of_its_own_and_is_found() {
        let (folder, app, caller) = App::with_owner();
        let (here, flow, chat) = (caller.workspace, FlowId::random(), ChatId::random());
        let uploaded = app.chat_files.store(&here, &flow, &chat, "txt", b"uploaded").unwrap();
        let other = app.chat_files.store(&here, &flow, &chat, "txt", b"another").unwrap();
        let stored = FlowFileName::new_live("a.txt", b"stored");
        app.files.put(&here, &flow, &stored, b"stored").unwrap();
        let never = CancelToken::new(None);
        let sound = verify(&app, &never).unwrap();
        assert_eq!((sound.files, sound.unknown_files, sound.damages.as_slice()), (3, 0, [].as_slice()));
        assert!(sound.rows > 5, "{sound:?}");

        let flow_folder = folder.path().join("files").join(here.to_string()).join(flow.to_string());
        for (path, content) in [
            (flow_folder.join(stored.as_str()), "stares"),
            (flow_folder.join(chat.to_string()).join(uploaded.as_str()), "upload"),
        ] {
            fs::write(path, content).unwrap();
        }
        let read = |name| app.chat_files.read(&here, &flow, &chat, name).map_err(Error::from);
        assert!(matches!(read(&uploaded), Err(Error::Damaged(_))));
        assert_eq!(read(&other).unwrap().unwrap(), b"another");
        let of_flow = crate::ops::flows::files::read(&app, &here, &flow, stored.as_str());
        assert!(matches!(of_flow, Err(Error::Damaged(_))));
        let found = verify(&app, &never).unwrap();
        let places: Vec<&str> = found.damages.iter().map(Damage::place).collect();
        assert_eq!(places.len(), 2, "{places:?}");
        assert!(places.iter().any(|place| place.ends_with(stored.as_str())), "{places:?}");
        assert!(places.iter().any(|place| place.ends_with(uploaded.as_str())), "{places:?}");
        let stopped = CancelToken::new(None);
        stopped.cancel(crate::base::cancel::CancelReason::Shutdown);
        assert!(matches!(verify(&app, &stopped), Err(Error::Cancelled)));
    }
}
