//! What the rooms of these tests share.

#[path = "../../support/git_host/mod.rs"]
pub mod git_host;
#[path = "../../support/mail_server.rs"]
pub mod mail_server;
#[path = "../../support/provider/mod.rs"]
pub mod provider;
#[path = "../../support/samples.rs"]
pub mod samples;
#[path = "../../support/steps.rs"]
pub mod steps;

pub mod canvases;
pub mod client;
pub mod database;
mod folder_copy;
pub mod form;
pub mod golden;
pub mod internet;
pub mod log;
pub mod people;
pub mod server;

pub use client::Answer;
pub use people::Person;
pub use server::{Options, Server, id};
