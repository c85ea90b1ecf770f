//! Who may read what the service keeps, whatever the mask it is started under.
#![cfg(unix)]

use crate::program::{OWNER, Program, free_port};
use crate::{Home, slow_canvas};
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Starts the service as a shell with this mask would.
fn serve_under(mask: &str, arguments: &[&str], variables: &[(&str, &str)], log: &Path) -> Program {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "umask \"$0\"; exec \"$@\"", mask, env!("CARGO_BIN_EXE_flowkeep"), "serve"]);
    shell.args(arguments).env_clear().envs(variables.iter().copied());
    shell.env("SERVICE_OWNER_EMAIL", OWNER.0).env("SERVICE_OWNER_PASSWORD", OWNER.1);
    let mut program = Program::start(shell, log);
    program.first_line();
    program
}

fn serve(home: &Home, mask: &str, variables: &[(&str, &str)]) -> Program {
    let port = free_port();
    let arguments = ["--data-dir", home.data(), "--port", &port.to_string()];
    let mut program = serve_under(mask, &arguments, variables, &home.path().join("log"));
    program.address.set_port(port);
    program
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

/// All folders and files from here on.
fn all(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| found.extend(all(&entry.unwrap().path())));
    }
    found
}

/// What is not of these modes: of a folder, of a file, of a file that is never written again.
fn others(root: &Path, folder: u32, file: u32, fixed: u32) -> Vec<String> {
    let mut wrong = all(root);
    wrong.retain(|path| {
        let kind = fs::symlink_metadata(path).unwrap().file_type();
        let found = mode(path);
        !(kind.is_socket() && found == 0o600
            || kind.is_dir() && found == folder
            || kind.is_file() && [file, fixed].contains(&found))
    });
    wrong.iter().map(|path| format!("{} {:o}", path.display(), mode(path))).collect()
}

#[test]
fn everything_is_for_the_owner_only_whatever_the_mask() {
    for mask in ["000", "022", "277"] {
        let home = Home::new();
        let service = serve(&home, mask, &[]);
        service.make_flow(&home.key("k"), "flow", &slow_canvas(1, 0));
        assert!(home.data.join("versions/refs/heads/main").exists());
        assert_eq!(others(&home.data, 0o700, 0o600, 0o400), Vec::<String>::new(), "mask {mask}");
        assert!(service.stop().success());
    }
}

#[test]
fn what_is_more_open_is_closed_at_the_start() {
    let home = Home::new();
    let service = serve(&home, "022", &[]);
    service.make_flow(&home.key("k"), "flow", &slow_canvas(1, 0));
    assert!(service.stop().success());
    for path in all(&home.data) {
        let open = fs::metadata(&path).unwrap().mode() | 0o055;
        fs::set_permissions(path, fs::Permissions::from_mode(open)).unwrap();
    }
    let service = serve(&home, "022", &[]);
    assert_eq!(others(&home.data, 0o700, 0o600, 0o400), Vec::<String>::new());
    assert!(service.stop().success());
}

#[test]
fn a_setting_opens_the_versions_to_a_group_and_nothing_else() {
    let home = Home::new();
    let service = serve(&home, "077", &[("SERVICE_VERSIONS_GROUP_READ", "on")]);
    service.make_flow(&home.key("k"), "flow", &slow_canvas(1, 0));
    assert_eq!(others(&home.data.join("versions"), 0o750, 0o640, 0o440), Vec::<String>::new());
    assert_eq!((mode(&home.data), mode(&home.data.join("secrets"))), (0o710, 0o700));
    assert_eq!(mode(&home.data.join("flowkeep.redb")), 0o600);
    assert!(service.stop().success());
    // And without it, they are closed again.
    let service = serve(&home, "022", &[]);
    assert_eq!(others(&home.data, 0o700, 0o600, 0o400), Vec::<String>::new());
    assert!(service.stop().success());
}

#[test]
fn a_folder_that_is_thrown_away_is_for_the_owner_only() {
    let home = Home::new();
    let temporary = home.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let variables = [("TMPDIR", temporary.to_str().unwrap())];
    let _service = serve_under("000", &["--throwaway", "--port", "0"], &variables, &home.path().join("log"));
    let [folder] =
        &all(&temporary).into_iter().filter(|path| path.parent() == Some(&temporary)).collect::<Vec<_>>()[..]
    else {
        panic!("one folder")
    };
    assert_eq!(others(folder, 0o700, 0o600, 0o400), Vec::<String>::new());
}
