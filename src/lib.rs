//! Flowkeep hosts LLM flows and answers questions through them.
//!
//! The map of the house, floor by floor; a floor uses only floors below it (`ARCHITECTURE.md`):
//!
//! | floor | crate | rooms |
//! |---|---|---|
//! | 6 doors | this one | `http/` the API on warp, `tasks/` what runs beside requests, `cli/` the command line |
//! | 5 verbs | this one | `app.rs` the house in one handle, `ops/` the operations |
//! | 4 running | this one | `engine/` canvases become plans, plans answer |
//! | 3 cards | `flowkeep_cards` | `cards/` one file per card |
//! | 2 adapters | `flowkeep_adapters` | `store/` the database, `history/` versions in git, `files/` secrets and files on disk, `state/` what a restart forgets, `llm/` model providers, `documents/` files to text, `sql/` databases of others, `flowise/` the data folder of another product, `postgres/` PostgreSQL servers, `mysql/` MySQL and MariaDB servers, `redis/` Redis servers, `programs/` programs of this machine, `git_host/` the API of a git host, `mail/` mail servers, `traces/` spans for a collector |
//! | 2 adapters | this one | `backup/` the archive of a backup |
//! | 1 ground | `flowkeep_wire` | `wire/` what requests and answers look like |
//! | 1 ground | `flowkeep_core` | `age/` files encrypted with a passphrase, `aws/` signed requests and framed streams, `canvas/` a flow's drawing, `net/` outgoing calls, `script/` code inputs, `vectors/` what is nearest |
//! | 0 nouns | `flowkeep_core` | `base/` what every floor may use, `domain/` the words of the manual, `limits.rs` the numbers that several files name, `settings/` the environment, `clock.rs` the time, `worker/` walled-in processes, `durable/` files and folders that outlive a power cut |

// What nothing outside of the crate uses is the crate's own, so that the compiler sees what nothing uses at all.
#![warn(unreachable_pub)]
// The documentation is made of all items, so a link to one that is the crate's own leads somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub use flowkeep_adapters::{
    documents, files, git_host, history, llm, mysql, postgres, programs, redis, store,
};
pub(crate) use flowkeep_adapters::{flowise, mail, sql, state, traces};
pub use flowkeep_cards as cards;
pub(crate) use flowkeep_core::{age, clock, durable};
pub use flowkeep_core::{aws, base, canvas, domain, limits, net, script, settings, vectors};
pub use flowkeep_wire as wire;

pub mod app;
pub(crate) mod backup;
pub mod cli;
pub mod engine;
pub mod http;
pub mod ops;
pub mod tasks;
