//! What concerns the service as a whole: cards, metrics, the data folder and its backups, the demo.

pub(crate) mod backup;
mod canvas_lists;
pub(crate) mod catalogue;
pub(crate) mod clock_check;
pub(crate) mod code_trials;
pub(crate) mod compaction;
pub(crate) mod control;
pub(crate) mod data_folder;
pub(crate) mod demo;
pub(crate) mod disk_use;
pub(crate) mod history;
pub(crate) mod integrity;
pub(crate) mod leftovers;
pub(crate) mod load_methods;
pub(crate) mod mail;
pub(crate) mod metrics;
pub(crate) mod model_prices;
pub(crate) mod repair;
pub(crate) mod server_secrets;
pub(crate) mod server_status;
pub(crate) mod upgrade;
