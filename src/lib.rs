//! Flowkeep hosts LLM flows and answers questions through them.
//!
//! The map of the house, floor by floor; a floor uses only floors below it (`ARCHITECTURE.md`):
//!
//! | floor | rooms |
//! |---|---|
//! | 6 doors | `http/` the API on warp, `tasks/` what runs beside requests, `cli/` the command line |
//! | 5 verbs | `app.rs` the house in one handle, `ops/` the operations |
//! | 4 running | `engine/` canvases become plans, plans answer |
//! | 3 cards | `cards/` one file per card |
//! | 2 adapters | `store/` the database, `history/` versions in git, `files/` secrets and files on disk, `state/` what a restart forgets, `llm/` model providers, `documents/` files to text, `sql/` databases of others, `flowise/` the data folder of another product, `postgres/` PostgreSQL servers, `mysql/` MySQL and MariaDB servers, `redis/` Redis servers, `programs/` programs of this machine, `git_host/` the API of a git host, `mail/` mail servers, `backup/` the archive of a backup, `traces/` spans for a collector |
//! | 1 ground | `age/` files encrypted with a passphrase, `aws/` signed requests and framed streams, `wire/` what requests and answers look like, `canvas/` a flow's drawing, `net/` outgoing calls, `script/` code inputs, `vectors/` what is nearest |
//! | 0 nouns | `base/` what every floor may use, `domain/` the words of the manual, `limits.rs` the numbers that several files name, `settings/` the environment, `clock.rs` the time, `worker/` walled-in processes, `durable/` files and folders that outlive a power cut |

// What nothing outside of the crate uses is the crate's own, so that the compiler sees what nothing uses at all.
#![warn(unreachable_pub)]
// The documentation is made of all items, so a link to one that is the crate's own leads somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub(crate) mod age;
pub mod app;
pub mod aws;
pub(crate) mod backup;
pub mod base;
pub mod canvas;
pub mod cards;
pub mod cli;
pub(crate) mod clock;
pub mod documents;
pub mod domain;
pub(crate) mod durable;
pub mod engine;
pub mod files;
pub(crate) mod flowise;
pub mod git_host;
pub mod history;
pub mod http;
pub mod limits;
pub mod llm;
pub(crate) mod mail;
pub mod mysql;
pub mod net;
pub mod ops;
pub mod postgres;
pub mod programs;
pub mod redis;
pub mod script;
pub mod settings;
pub(crate) mod sql;
pub(crate) mod state;
pub mod store;
pub mod tasks;
pub(crate) mod traces;
pub mod vectors;
pub mod wire;
pub(crate) mod worker;
