//! What concerns the service as a whole: cards, metrics, the data folder, the demo.

mod canvas_lists;
pub mod catalogue;
pub mod clock_check;
pub mod control;
pub mod data_folder;
pub mod demo;
pub mod history;
pub mod integrity;
pub mod leftovers;
pub mod load_methods;
pub mod metrics;
pub mod server_secrets;
