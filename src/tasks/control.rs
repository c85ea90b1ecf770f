//! The control socket in the data folder: one JSON line in, one JSON line out. Through it a command reaches the
//! service that holds the database, instead of failing on its lock.
//!
//! Only the user who runs the service gets through: the socket has mode 0600 and every peer is asked who they are.

use crate::wire::service::operator::CommandReply;
use serde::{Deserialize, Serialize};

/// The line that comes back.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ControlReply {
    Done(CommandReply),
    /// A backup follows, and then another line.
    Stream,
    /// It was refused or failed; the text is for a person.
    Failed(String),
}

#[cfg(unix)]
pub(super) use unix::write_line;
#[cfg(unix)]
pub(crate) use unix::{ControlSocket, call, receive_backup};

#[cfg(not(unix))]
pub use elsewhere::{ControlSocket, call, receive_backup};

#[cfg(unix)]
mod unix {
    //! Unix sockets.

    use super::ControlReply;
    use crate::app::App;
    use crate::base::cancel::{CancelReason, CancelToken};
    use crate::base::hex::to_hex;
    use crate::domain::error::Error;
    use crate::limits::IMPORT_FILE_MAX_BYTES;
    use crate::ops::service::control::{OperatorCommand, execute};
    use crate::tasks::backup_stream;
    use crate::tasks::command_reply::command_reply;
    use crate::wire::service::backup::{BackupOptions, BackupRequest};
    use sha2::{Digest as _, Sha256};
    use std::fs::{self, DirBuilder, Permissions};
    use std::io::{self, ErrorKind, Read as _, Write};
    use std::net::Shutdown;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};
    use tokio::net::UnixListener;
    use tokio::sync::watch;
    use tokio::task::JoinSet;

    /// Longest command of the control socket: a file to import, written as text within JSON (manual 14.2).
    const CONTROL_COMMAND_MAX_BYTES: usize = 2 * IMPORT_FILE_MAX_BYTES + 64 * 1024;
    /// Longest answer of the control socket: a canvas, written as text within JSON (manual 14.2).
    const CONTROL_REPLY_MAX_BYTES: usize = 256 * 1024 * 1024;
    /// Time a command may take to arrive at the control socket (manual 14.2).
    const CONTROL_COMMAND_SECONDS: u64 = 10;
    /// Longest path of a Unix socket that every supported system takes; a longer one moves to the temporary folder (manual 14.2).
    const CONTROL_PATH_MAX_BYTES: usize = 100;

    /// The listening end. Dropping it removes the socket.
    pub(crate) struct ControlSocket {
        listener: UnixListener,
        path: PathBuf,
        owner: u32,
    }

    impl ControlSocket {
        /// Opens the socket of `data_dir`. Only for the process that holds the database's lock: whatever socket is
        /// found there was left behind, and is replaced.
        ///
        /// # Errors
        /// The file system refuses, or the folder for a long path belongs to somebody else.
        pub(crate) fn bind(data_dir: &Path) -> io::Result<Self> {
            let path = socket_path(data_dir)?;
            if let Some(folder) = path.parent().filter(|folder| *folder != data_dir) {
                private_folder(folder, data_dir)?;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = UnixListener::bind(&path)?;
            let owner = fs::metadata(&path)?.uid();
            let door = Self { listener, path, owner };
            fs::set_permissions(&door.path, Permissions::from_mode(0o600))?;
            Ok(door)
        }

        /// Answers one command after the other until `stop` turns true, which also ends the one that is under way.
        pub(crate) async fn serve(self, app: App, mut stop: watch::Receiver<bool>) {
            let mut backups = BackupTasks { tasks: JoinSet::new(), cancel: CancelToken::new(None) };
            loop {
                let accepted = tokio::select! {
                    _ = stop.wait_for(|stop| *stop) => break,
                    accepted = self.listener.accept() => accepted,
                };
                let Ok((stream, _)) = accepted else {
                    // Out of file handles, most likely: waiting beats spinning.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                // The mode keeps others out already, save for the instant between bind and chmod.
                if !stream.peer_cred().is_ok_and(|peer| peer.uid() == self.owner || peer.uid() == 0) {
                    continue;
                }
                let app = app.clone();
                let cancel = CancelToken::new(None);
                let (asked, token) = (app.clone(), cancel.clone());
                let mut answered = tokio::task::spawn_blocking(move || {
                    let stream = stream.into_std()?;
                    stream.set_nonblocking(false)?;
                    let wanted = answer(&asked, &stream, &token)?;
                    Ok::<_, io::Error>(wanted.map(|options| (stream, options)))
                });
                let ended = tokio::select! {
                    answered = &mut answered => Some(answered),
                    _ = stop.wait_for(|stop| *stop) => None,
                };
                let answered = match ended {
                    Some(answered) => answered,
                    None => {
                        cancel.cancel(CancelReason::Shutdown);
                        answered.await
                    }
                };
                match answered {
                    Ok(Ok(None)) | Err(_) => {}
                    Ok(Ok(Some((stream, options)))) => backups.start(app, stream, options),
                    Ok(Err(error)) => tracing::debug!(%error, "a control command was not answered"),
                }
            }
            backups.stop().await;
        }
    }

    /// Backups that are being sent, beside which other commands are answered.
    struct BackupTasks {
        tasks: JoinSet<()>,
        cancel: CancelToken,
    }

    impl BackupTasks {
        fn start(&mut self, app: App, stream: UnixStream, options: BackupOptions) {
            // Those that have ended are forgotten.
            while self.tasks.try_join_next().is_some() {}
            let cancel = self.cancel.clone();
            self.tasks.spawn_blocking(move || {
                if let Err(error) = backup_stream::send(&app, &stream, options, &cancel) {
                    tracing::warn!(%error, "a backup was not taken to its end");
                }
            });
        }

        async fn stop(mut self) {
            self.cancel.cancel(CancelReason::Shutdown);
            while self.tasks.join_next().await.is_some() {}
        }
    }

    /// Asks the service that uses `data_dir` for a backup, and writes it to `out`; `None` when no service does.
    ///
    /// # Errors
    /// A service is there but cannot be reached or breaks off, or `out` does not take it.
    pub(crate) fn receive_backup(
        data_dir: &Path,
        options: BackupOptions,
        out: &mut dyn Write,
    ) -> io::Result<Option<ControlReply>> {
        let Some(stream) = connect(data_dir)? else { return Ok(None) };
        write_line(&stream, &BackupRequest { backup: options })?;
        backup_stream::receive(&stream, out).map(Some)
    }

    impl Drop for ControlSocket {
        fn drop(&mut self) {
            // Gone already is as good. The folder goes too where it was made for the socket; the data folder stays,
            // since it is not empty.
            let _ = fs::remove_file(&self.path);
            let _ = self.path.parent().map(fs::remove_dir);
        }
    }

    /// Answers a command; or says that a backup is wanted, which takes longer than others wait.
    fn answer(app: &App, stream: &UnixStream, cancel: &CancelToken) -> io::Result<Option<BackupOptions>> {
        // Who connected and says nothing is not waited for either.
        let silent = stream.try_clone()?;
        let _hook = cancel.on_cancel(move || drop(silent.shutdown(Shutdown::Read)));
        let line = read_line(stream, &COMMAND)?;
        if let Ok(BackupRequest { backup }) = serde_json::from_slice(&line) {
            return Ok(Some(backup));
        }
        let reply = match serde_json::from_slice::<OperatorCommand>(&line) {
            Ok(command) => execute(app, command, cancel)
                .and_then(command_reply)
                .map_or_else(|error| ControlReply::Failed(error_text(&error)), ControlReply::Done),
            Err(_) => ControlReply::Failed(
                "The service does not know this command. Use the program of the same version.".to_owned(),
            ),
        };
        write_line(stream, &reply).map(|()| None)
    }

    fn error_text(error: &Error) -> String {
        match error {
            Error::Cancelled => "The service is stopping. Run this again on the stopped service.".to_owned(),
            other => other.to_string(),
        }
    }

    /// Sends `command` to the service that uses `data_dir`; `None` when no service does.
    ///
    /// # Errors
    /// A service is there but cannot be reached; [`ErrorKind::TimedOut`] when it does not answer in time.
    pub(crate) fn call(data_dir: &Path, command: &OperatorCommand) -> io::Result<Option<ControlReply>> {
        call_within(data_dir, command, Duration::from_secs(command.reply_seconds()))
    }

    fn call_within(
        data_dir: &Path,
        command: &OperatorCommand,
        time: Duration,
    ) -> io::Result<Option<ControlReply>> {
        let Some(stream) = connect(data_dir)? else { return Ok(None) };
        write_line(&stream, command)?;
        let reply = serde_json::from_slice(&read_line(
            &stream,
            &LineLimits { bytes: CONTROL_REPLY_MAX_BYTES, time },
        )?)?;
        Ok(Some(reply))
    }

    /// A connection to the service that uses `data_dir`; `None` when no service does.
    fn connect(data_dir: &Path) -> io::Result<Option<UnixStream>> {
        let Ok(path) = socket_path(data_dir) else { return Ok(None) };
        if let Some(folder) = path.parent().filter(|folder| *folder != data_dir) {
            match fs::symlink_metadata(folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                _ => check_folder(folder, data_dir)?,
            }
        }
        match UnixStream::connect(path) {
            Ok(stream) => Ok(Some(stream)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// How much a line may hold, and how long it may take to come.
    struct LineLimits {
        bytes: usize,
        time: Duration,
    }

    const COMMAND: LineLimits =
        LineLimits { bytes: CONTROL_COMMAND_MAX_BYTES, time: Duration::from_secs(CONTROL_COMMAND_SECONDS) };

    /// What a socket says when its time is over differs between systems.
    fn timeout_error(error: io::Error) -> io::Error {
        if error.kind() == ErrorKind::WouldBlock { ErrorKind::TimedOut.into() } else { error }
    }

    /// Reads up to the line's end, within the limits of time and size.
    fn read_line(mut stream: &UnixStream, limits: &LineLimits) -> io::Result<Vec<u8>> {
        let end = Instant::now() + limits.time;
        let mut line = Vec::new();
        let mut buffer = [0; 4096];
        while line.last() != Some(&b'\n') {
            // A timeout of zero would mean none at all.
            let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            stream.set_read_timeout(Some(left))?;
            let count = stream.read(&mut buffer).map_err(timeout_error)?;
            if count == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if line.len() + count > limits.bytes {
                return Err(io::Error::new(ErrorKind::InvalidData, "the line is too long"));
            }
            if Instant::now() >= end {
                return Err(ErrorKind::TimedOut.into());
            }
            line.extend_from_slice(&buffer[..count]);
        }
        Ok(line)
    }

    pub(in crate::tasks) fn write_line(
        mut stream: &UnixStream,
        value: &impl serde::Serialize,
    ) -> io::Result<()> {
        stream.set_write_timeout(Some(COMMAND.time))?;
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        stream.write_all(&line).map_err(timeout_error)
    }

    /// Where the socket of `data_dir` lies: in it, or, when its path is too long for a socket, in a folder of the
    /// temporary folder named after it.
    fn socket_path(data_dir: &Path) -> io::Result<PathBuf> {
        let folder = fs::canonicalize(data_dir)?;
        let path = folder.join("control.sock");
        if path.as_os_str().len() <= CONTROL_PATH_MAX_BYTES {
            return Ok(path);
        }
        let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
        let name = format!("flowkeep-{}", to_hex(&digest[..16]));
        Ok(tempfile::env::temp_dir().join(name).join("control.sock"))
    }

    fn private_folder(folder: &Path, data_dir: &Path) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => check_folder(folder, data_dir),
            other => other,
        }
    }

    /// Anyone may make a folder in the temporary folder first; only one of ours is used.
    fn check_folder(folder: &Path, data_dir: &Path) -> io::Result<()> {
        let found = fs::symlink_metadata(folder)?;
        let ours =
            found.is_dir() && found.uid() == fs::metadata(data_dir)?.uid() && found.mode() & 0o077 == 0;
        if !ours {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                "the folder of the control socket belongs to somebody else",
            ));
        }
        Ok(())
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::domain::workspace::import::ExistingPolicy;

        #[test]
        fn a_long_path_moves_to_the_temporary_folder() {
            let root = tempfile::tempdir().unwrap();
            let near = socket_path(root.path()).unwrap();
            assert!(near.starts_with(fs::canonicalize(root.path()).unwrap()));
            let far = root.path().join("x".repeat(120));
            fs::create_dir(&far).unwrap();
            let moved = socket_path(&far).unwrap();
            assert!(
                moved.as_os_str().len() <= CONTROL_PATH_MAX_BYTES && !moved.starts_with(&far),
                "{moved:?}"
            );
        }

        #[test]
        fn a_caller_that_says_nothing_does_not_hold_the_stop() {
            let (_folder, app) = App::temporary();
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            let (stop, stopping) = watch::channel(false);
            let data_dir = app.settings.data_dir.clone();
            let served = runtime.block_on(async move {
                let door = ControlSocket::bind(&data_dir).unwrap();
                let served = tokio::spawn(door.serve(app, stopping));
                let silent = UnixStream::connect(socket_path(&data_dir).unwrap()).unwrap();
                tokio::time::sleep(Duration::from_millis(200)).await;
                stop.send_replace(true);
                let ended = tokio::time::timeout(Duration::from_secs(5), served).await;
                drop(silent);
                ended
            });
            assert!(matches!(served, Ok(Ok(()))), "{served:?}");
        }

        #[test]
        fn a_folder_open_to_others_is_not_used() {
            let root = tempfile::tempdir().unwrap();
            let folder = root.path().join("door");
            private_folder(&folder, root.path()).unwrap();
            private_folder(&folder, root.path()).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
            assert!(private_folder(&folder, root.path()).is_err());
        }

        #[test]
        fn nobody_there_is_no_error() {
            let root = tempfile::tempdir().unwrap();
            assert!(call(root.path(), &OperatorCommand::Status).unwrap().is_none());
            drop(std::os::unix::net::UnixListener::bind(root.path().join("control.sock")).unwrap());
            assert!(call(root.path(), &OperatorCommand::Status).unwrap().is_none());
            assert!(call(&root.path().join("none"), &OperatorCommand::Status).unwrap().is_none());
        }

        #[test]
        fn a_service_that_does_not_answer_is_not_waited_for() {
            let root = tempfile::tempdir().unwrap();
            let _stuck = std::os::unix::net::UnixListener::bind(root.path().join("control.sock")).unwrap();
            let waited = call_within(root.path(), &OperatorCommand::Status, Duration::from_millis(50));
            assert_eq!(waited.err().map(|error| error.kind()), Some(ErrorKind::TimedOut));
        }

        #[test]
        fn only_what_works_long_is_waited_for_long() {
            for short in [OperatorCommand::Status, OperatorCommand::KeyList, OperatorCommand::UserList] {
                assert!(short.reply_seconds() <= 10);
            }
            let import = OperatorCommand::Import {
                text: String::new(),
                file_name: None,
                existing: ExistingPolicy::Skip,
                preview: true,
                workspace: None,
            };
            for long in [OperatorCommand::HistoryVerify, import, OperatorCommand::Export { workspace: None }]
            {
                assert!(long.reply_seconds() >= 600);
            }
        }

        #[test]
        fn a_line_without_end_is_refused() {
            let (one, other) = UnixStream::pair().unwrap();
            let writer =
                std::thread::spawn(move || (&other).write_all(&[b'x'; CONTROL_COMMAND_MAX_BYTES + 1]));
            assert_eq!(read_line(&one, &COMMAND).unwrap_err().kind(), ErrorKind::InvalidData);
            drop(one);
            // Whether the writer got rid of its last bytes does not matter.
            let _ = writer.join().unwrap();
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    //! Systems without Unix sockets: the service has to be stopped for such commands.

    use super::ControlReply;
    use crate::app::App;
    use crate::ops::service::control::OperatorCommand;
    use crate::wire::service::backup::BackupOptions;
    use std::io;
    use std::path::Path;
    use tokio::sync::watch;

    /// There is no listening end here.
    pub enum ControlSocket {}

    impl ControlSocket {
        /// Always refuses.
        ///
        /// # Errors
        /// Always.
        pub fn bind(_data_dir: &Path) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub async fn serve(self, _app: App, _stop: watch::Receiver<bool>) {
            match self {}
        }
    }

    /// Never finds a service.
    ///
    /// # Errors
    /// Never.
    pub fn receive_backup(
        _data_dir: &Path,
        _options: BackupOptions,
        _out: &mut dyn io::Write,
    ) -> io::Result<Option<ControlReply>> {
        Ok(None)
    }

    /// Never finds a service.
    ///
    /// # Errors
    /// Never.
    pub fn call(_data_dir: &Path, _command: &OperatorCommand) -> io::Result<Option<ControlReply>> {
        Ok(None)
    }
}
