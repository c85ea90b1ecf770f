//! What this server is, Dev or Prod: a word in a file of the repository's own folder, which git passes over and no copy
//! carries.

use crate::domain::remote::environment::Environment;
use crate::history::History;
use crate::history::error::{HistoryError, Result};
use crate::history::repository::catch_panic;
use std::io::Read as _;

const FOLDER: &str = "flowkeep";
const FILE: &str = "environment";
/// A file that is longer holds no label.
const BYTES_MAX: u64 = 64;

impl History {
    /// What this server is, by the label in the repository's internal folder.
    ///
    /// # Errors
    /// When the label cannot be read, or was lost with its repository: a server that may be Prod must not pass for one that
    /// copies.
    pub fn environment(&self) -> Result<Option<Environment>> {
        let folder = self.repository.tree.open(&[FOLDER])?;
        let Some(file) = folder.map_or(Ok(None), |folder| folder.file(FILE))? else {
            let is_lost = self.repository.holds_versions() && !self.repository.exists();
            return if is_lost { Err(HistoryError::Missing) } else { Ok(None) };
        };
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text)?;
        let label = Environment::parse(text.trim_end());
        label.map(Some).ok_or(HistoryError::corrupt("the label of the environment says neither dev nor prod"))
    }

    /// True when there is a repository, in which a label would stand.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.repository.exists()
    }

    /// Labels this server; makes the repository when there is none.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub fn set_environment(&self, environment: Option<Environment>) -> Result<()> {
        self.require_enabled()?;
        let tree = &self.repository.tree;
        if environment.is_none() && tree.open(&[FOLDER])?.is_none() {
            return Ok(());
        }
        catch_panic(|| self.repository.get_or_create().map(drop))?;
        let folder = tree.make(&[FOLDER])?;
        match environment {
            Some(environment) => folder.write(FILE, format!("{}\n", environment.as_str()).as_bytes())?,
            None => {
                folder.remove(FILE)?;
                folder.flush()?;
            }
        }
        Ok(())
    }
}
