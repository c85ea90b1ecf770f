//! The folder as a whole: found, judged before anything is taken from it, and read table by table.

use super::cipher::Passphrase;
use super::error::{CellError, FlowiseError};
use super::files::{self, FileOwner};
use super::row::Row;
use crate::sql::TableReader;
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

const DATABASE: &str = "database.sqlite";
const KEY: &str = "encryption.key";
/// Where versions before 3 keep the keys of their API.
const KEYS_FILE: &str = "api.json";
/// Files of that kind are lists of some keys.
const SMALL_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// When the newest change of the tables was written that this program was tried with.
const NEWEST_MIGRATION: i64 = 1_776_240_000_000;
/// What says where a row belongs, in versions that have workspaces.
const WORKSPACE: &str = "workspaceId";

/// A table that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Flow,
    Credential,
    Tool,
    Variable,
    Assistant,
    DocumentStore,
    Chunk,
    Template,
    ToolServer,
    ApiKey,
    Message,
    Feedback,
    Lead,
    Execution,
    User,
    Schedule,
    Upsert,
    Evaluation,
    Dataset,
    Evaluator,
}

impl Table {
    /// Its name, the column that orders its rows, and the columns without which it cannot be read.
    const fn shape(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Flow => ("chat_flow", "createdDate", &["id", "name", "flowData", "createdDate"]),
            Self::Credential => (
                "credential",
                "createdDate",
                &["id", "name", "credentialName", "encryptedData", "createdDate"],
            ),
            Self::Tool => ("tool", "createdDate", &["id", "name", "createdDate"]),
            Self::Variable => ("variable", "createdDate", &["id", "name", "value", "createdDate"]),
            Self::Assistant => ("assistant", "createdDate", &["id", "details", "createdDate"]),
            Self::DocumentStore => {
                ("document_store", "createdDate", &["id", "name", "loaders", "createdDate"])
            }
            Self::Chunk => {
                ("document_store_file_chunk", "chunkNo", &["docId", "storeId", "chunkNo", "pageContent"])
            }
            Self::Template => ("custom_template", "createdDate", &["id", "name", "flowData", "createdDate"]),
            Self::ToolServer => {
                ("custom_mcp_server", "createdDate", &["id", "name", "serverUrl", "createdDate"])
            }
            Self::ApiKey => ("apikey", "updatedDate", &["id", "apiKey", "keyName", "updatedDate"]),
            Self::Message => (
                "chat_message",
                "createdDate",
                &["id", "role", "chatflowid", "content", "chatId", "createdDate"],
            ),
            Self::Feedback => (
                "chat_message_feedback",
                "createdDate",
                &["id", "chatflowid", "chatId", "messageId", "rating", "createdDate"],
            ),
            Self::Lead => ("lead", "createdDate", &["id", "chatflowid", "chatId", "createdDate"]),
            Self::Execution => (
                "execution",
                "createdDate",
                &["id", "executionData", "state", "agentflowId", "sessionId", "createdDate"],
            ),
            Self::User => ("user", "createdDate", &["id", "email", "createdDate"]),
            Self::Schedule => ("schedule_record", "createdDate", &["id", "createdDate"]),
            Self::Upsert => ("upsert_history", "date", &["id", "date"]),
            Self::Evaluation => ("evaluation", "runDate", &["id", "runDate"]),
            Self::Dataset => ("dataset", "createdDate", &["id", "createdDate"]),
            Self::Evaluator => ("evaluator", "createdDate", &["id", "createdDate"]),
        }
    }
}

/// Tables that are read; the first two are in every folder of Flowise.
const TABLES: [Table; 20] = [
    Table::Flow,
    Table::Credential,
    Table::Tool,
    Table::Variable,
    Table::Assistant,
    Table::DocumentStore,
    Table::Chunk,
    Table::Template,
    Table::ToolServer,
    Table::ApiKey,
    Table::Message,
    Table::Feedback,
    Table::Lead,
    Table::Execution,
    Table::User,
    Table::Schedule,
    Table::Upsert,
    Table::Evaluation,
    Table::Dataset,
    Table::Evaluator,
];
const NEEDED: usize = 2;

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct FolderChoice {
    /// The data folder, or the database in it.
    pub path: PathBuf,
    /// The file with the key, where it is not in the folder.
    pub key: Option<PathBuf>,
    /// Of a database with several workspaces, the id of the one that is meant.
    pub workspace: Option<String>,
}

/// A data folder of Flowise. It holds its key, so it has no `Debug`.
pub struct Folder {
    root: PathBuf,
    database: TableReader,
    passphrase: Option<Passphrase>,
    /// Rows of others are passed over; `None` where there is one workspace at most.
    workspace: Option<String>,
    /// Tables that are there.
    present: Vec<Table>,
    is_newer: bool,
}

impl Folder {
    /// Opens a folder once all that is read of it is known to be there: the database is whole, its tables have the columns, and the
    /// key opens what is encrypted.
    ///
    /// # Errors
    /// As [`FlowiseError`].
    pub fn open(choice: &FolderChoice) -> Result<Self, FlowiseError> {
        let (root, database) = locate(&choice.path).ok_or(FlowiseError::NoDatabase)?;
        let database = TableReader::open(&database)?;
        let passphrase = read_key(&root, choice.key.as_deref())?;
        let mut present = Vec::new();
        for (at, table) in TABLES.into_iter().enumerate() {
            let (name, _, needed) = table.shape();
            let columns = database.columns(name)?;
            if columns.is_empty() && at < NEEDED {
                return Err(FlowiseError::NotFlowise(name));
            }
            if columns.is_empty() {
                continue;
            }
            if let Some(column) = needed.iter().find(|column| !columns.iter().any(|known| known == *column)) {
                return Err(FlowiseError::OtherVersion { table: name, column });
            }
            present.push(table);
        }
        let mut folder = Self { root, database, passphrase, workspace: None, present, is_newer: false };
        folder.workspace = folder.choose_workspace(choice.workspace.as_deref())?;
        folder.is_newer = folder.newest_migration()? > NEWEST_MIGRATION;
        folder.check_key()?;
        Ok(folder)
    }

    /// True for a database that a later version of Flowise changed than the newest that was tried.
    #[must_use]
    pub const fn is_newer(&self) -> bool {
        self.is_newer
    }

    /// Hands over the rows of a table that belong to the workspace, the oldest first; none where there is no such table.
    ///
    /// # Errors
    /// When the database cannot be read, and what `each` returns.
    pub fn rows<E: From<FlowiseError>>(
        &self,
        table: Table,
        each: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        self.rows_where(table, None, each)
    }

    /// The chunks of a loader of a document store, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunks_of(&self, store: &str, loader: &str) -> Result<Vec<Row>, FlowiseError> {
        let mut found = Vec::new();
        self.rows_where(Table::Chunk, Some(("docId", loader)), |row| {
            if row.text("storeId") == Some(store) {
                found.push(row);
            }
            Ok::<_, FlowiseError>(())
        })?;
        Ok(found)
    }

    fn rows_where<E: From<FlowiseError>>(
        &self,
        table: Table,
        filter: Option<(&str, &str)>,
        mut each: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.present.contains(&table) {
            return Ok(());
        }
        let (name, order, _) = table.shape();
        let read = self.database.rows(name, order, filter, |columns| {
            let row = Row::new(columns);
            let is_other = self.workspace.is_some() && row.text(WORKSPACE) != self.workspace.as_deref();
            if is_other && row.text(WORKSPACE).is_some() {
                return Ok(());
            }
            each(row).map_err(Stop::Caller)
        });
        read.map_err(|stop| match stop {
            Stop::Sql(error) => FlowiseError::from(error).into(),
            Stop::Caller(error) => error,
        })
    }

    /// All rows of a table that is small.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, table: Table) -> Result<Vec<Row>, FlowiseError> {
        let mut found = Vec::new();
        self.rows(table, |row| {
            found.push(row);
            Ok::<_, FlowiseError>(())
        })?;
        Ok(found)
    }

    /// What an encrypted value holds.
    ///
    /// # Errors
    /// As [`CellError`].
    pub fn open_sealed(&self, sealed: &str) -> Result<Value, CellError> {
        self.passphrase.as_ref().ok_or(CellError::OtherKey)?.open(sealed)
    }

    /// The keys of the API that versions before 3 keep in a file beside the database.
    #[must_use]
    pub fn filed_keys(&self) -> Vec<Row> {
        let path = self.root.join(KEYS_FILE);
        let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= SMALL_FILE_BYTES_MAX);
        let text = if is_small { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
        let keys: Vec<Map<String, Value>> = serde_json::from_str(&text).unwrap_or_default();
        keys.into_iter().map(Row::new).collect()
    }

    /// A file of a flow, by the name that its canvas has for it.
    #[must_use]
    pub fn flow_file(&self, flow: &str, name: &str, bytes_max: u64) -> Option<Vec<u8>> {
        files::read(&self.root, FileOwner::Flow(flow), name, bytes_max)
    }

    /// A file of a document store, by the name that a loader has for it.
    #[must_use]
    pub fn store_file(&self, store: &str, name: &str, bytes_max: u64) -> Option<Vec<u8>> {
        files::read(&self.root, FileOwner::Store(store), name, bytes_max)
    }

    /// A file that went with a question.
    #[must_use]
    pub fn chat_file(&self, flow: &str, chat: &str, name: &str, bytes_max: u64) -> Option<Vec<u8>> {
        files::read(&self.root, FileOwner::Conversation { flow, chat }, name, bytes_max)
    }

    /// The workspace to read, where it matters which.
    fn choose_workspace(&self, wanted: Option<&str>) -> Result<Option<String>, FlowiseError> {
        let mut known = Vec::new();
        if !self.database.columns("workspace")?.is_empty() {
            self.database.rows("workspace", "createdDate", None, |columns| {
                let row = Row::new(columns);
                let (id, name) = (row.text("id").unwrap_or_default(), row.text("name").unwrap_or_default());
                known.push((id.to_owned(), name.to_owned()));
                Ok::<_, FlowiseError>(())
            })?;
        }
        match wanted {
            Some(wanted) if known.iter().any(|(id, _)| id == wanted) => Ok(Some(wanted.to_owned())),
            Some(_) => Err(FlowiseError::NoWorkspace),
            None if known.len() <= 1 => Ok(None),
            None => {
                let told: Vec<String> = known.iter().map(|(id, name)| format!("{id} ({name})")).collect();
                Err(FlowiseError::SeveralWorkspaces(told.join(", ")))
            }
        }
    }

    fn newest_migration(&self) -> Result<i64, FlowiseError> {
        let mut newest = 0;
        if self.database.columns("migrations")?.iter().any(|column| column == "timestamp") {
            self.database.rows("migrations", "timestamp", None, |columns| {
                newest = newest.max(Row::new(columns).number("timestamp").unwrap_or(0));
                Ok::<_, FlowiseError>(())
            })?;
        }
        Ok(newest)
    }

    /// Refuses a key that opens none of the credentials: one that opens some has met others that were made with another.
    fn check_key(&self) -> Result<(), FlowiseError> {
        let (mut sealed, mut opened) = (0, 0);
        self.rows(Table::Credential, |row| {
            sealed += 1;
            opened +=
                usize::from(row.text("encryptedData").is_some_and(|text| self.open_sealed(text).is_ok()));
            Ok::<_, FlowiseError>(())
        })?;
        match (sealed, opened, &self.passphrase) {
            (0, ..) => Ok(()),
            (_, _, None) => Err(FlowiseError::NoKey),
            (_, 0, Some(_)) => Err(FlowiseError::WrongKey),
            _ => Ok(()),
        }
    }
}

/// What ends the reading of a table.
enum Stop<E> {
    Sql(crate::sql::SqlError),
    Caller(E),
}

impl<E> From<crate::sql::SqlError> for Stop<E> {
    fn from(error: crate::sql::SqlError) -> Self {
        Self::Sql(error)
    }
}

/// The folder and the database in it.
fn locate(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let found = fs::metadata(path).ok()?;
    if found.is_file() {
        return Some((path.parent()?.to_path_buf(), path.to_path_buf()));
    }
    let database = path.join(DATABASE);
    database.is_file().then(|| (path.to_path_buf(), database))
}

/// The key: in the file that was named, or in the folder.
fn read_key(root: &Path, named: Option<&Path>) -> Result<Option<Passphrase>, FlowiseError> {
    let path = named.map_or_else(|| root.join(KEY), Path::to_path_buf);
    let is_small =
        fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= SMALL_FILE_BYTES_MAX);
    match (is_small, named) {
        (true, _) => {
            let text = fs::read_to_string(path).map_err(|_| FlowiseError::UnreadableKey)?;
            Passphrase::read(&text).map(Some).ok_or(FlowiseError::UnreadableKey)
        }
        (false, None) => Ok(None),
        (false, Some(_)) => Err(FlowiseError::UnreadableKey),
    }
}
