//! A place for the data of one service, and the commands of the program on it.

#![allow(dead_code, reason = "each test binary uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

use crate::program::{Program, error_output, run, standard_output};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A temporary folder, and in it the place of the data; a log lies beside the data.
pub struct Home {
    folder: tempfile::TempDir,
    pub data: PathBuf,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self { folder, data }
    }

    pub fn data(&self) -> &str {
        self.data.to_str().unwrap()
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn serve(&self) -> Program {
        Program::serve(&self.data, &[])
    }

    /// Runs a command on the data.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let mut all = arguments.to_vec();
        all.extend_from_slice(&["--data-dir", self.data()]);
        run(&all)
    }

    /// Runs a command that must succeed; what it printed.
    pub fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", error_output(&output));
        standard_output(&output)
    }

    /// Makes a key that may do everything.
    pub fn key(&self, name: &str) -> String {
        self.good(&["key", "create", "--name", name, "--all"]).trim().to_owned()
    }
}
