//! The data folder of Flowise, read for moving in: its SQLite database, the key that its secrets are encrypted with, and the files
//! that it stored. Columns are read by name, because their order differs with the age of the folder. Nothing in it is changed.

mod cipher;
mod error;
mod files;
mod folder;
mod row;

pub use error::{CellError, FlowiseError};
pub use folder::{Folder, FolderChoice, Table};
pub use row::Row;
