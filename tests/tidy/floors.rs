//! Which room stands on which floor, what each may use, and the one home of each package.

/// A crate that others are built on.
pub struct Library {
    /// As code names it.
    pub name: &'static str,
    /// Below `src/`.
    pub folder: &'static str,
    /// Or it is one room itself.
    pub has_rooms: bool,
}

/// The libraries. The rooms beside their folders are a crate together.
pub const LIBRARIES: &[Library] = &[
    Library { name: "flowkeep_core", folder: "core/", has_rooms: true },
    Library { name: "flowkeep_wire", folder: "wire/", has_rooms: false },
    Library { name: "flowkeep_adapters", folder: "adapters/", has_rooms: true },
    Library { name: "flowkeep_cards", folder: "cards/", has_rooms: false },
];

/// Which floor each room stands on. A room may use the floors below its own.
pub const FLOORS: &[(usize, &[&str])] = &[
    (0, &["base", "domain", "limits", "settings", "clock", "worker", "durable"]),
    (1, &["age", "aws", "canvas", "script", "net", "vectors", "wire"]),
    (
        2,
        &[
            "store",
            "history",
            "files",
            "state",
            "llm",
            "documents",
            "sql",
            "flowise",
            "postgres",
            "mysql",
            "redis",
            "programs",
            "git_host",
            "mail",
            "traces",
            "backup",
        ],
    ),
    (3, &["cards"]),
    (4, &["engine"]),
    (5, &["app", "ops"]),
    (6, &["http", "tasks"]),
    // The command line starts what is on floor 6, so it stands above it.
    (7, &["cli"]),
    (8, &["main", "lib"]),
];

/// Floors whose rooms may use one another: the nouns, and the application with its operations.
pub const SHARED_FLOORS: &[usize] = &[0, 5, 8];

/// Rooms that may use a room of their own floor, which does not use them: code asks for requests, and they are guarded; the folder of
/// another product has a database.
pub const BESIDE: &[(&str, &str)] = &[("script", "net"), ("flowise", "sql")];

/// Rooms that may use only these, of all that lies below them.
#[rustfmt::skip]
pub const ONLY: &[(&str, &[&str])] = &[
    ("worker", &["base", "domain", "limits"]),
    ("domain", &["base", "limits", "settings", "clock"]),
    ("script", &["net", "worker", "base", "domain", "limits"]),
    ("documents", &["worker", "base", "domain", "limits"]),
    ("sql", &["base", "domain", "limits"]),
    ("flowise", &["sql", "base", "domain", "limits"]),
    ("postgres", &["net", "base", "domain", "limits"]),
    ("mysql", &["net", "base", "domain", "limits"]),
    ("redis", &["net", "base", "domain", "limits"]),
    ("programs", &["worker", "base", "domain", "limits"]),
    ("backup", &["age", "wire", "base", "domain", "durable"]),
    ("git_host", &["net", "base", "domain", "limits", "settings"]),
    ("mail", &["net", "base", "domain", "limits", "settings"]),
    ("cards", &["aws", "llm", "documents", "sql", "postgres", "mysql", "redis", "programs", "canvas", "script", "net", "vectors", "base", "domain", "limits", "settings", "clock"]),
    ("engine", &["cards", "llm", "documents", "canvas", "script", "net", "vectors", "base", "domain", "limits", "settings", "clock"]),
    ("vectors", &[]),
    ("wire", &["domain", "limits", "clock"]),
    ("age", &["base", "domain"]),
    ("aws", &["base", "domain"]),
    ("http", &["app", "ops", "wire", "base", "domain", "limits", "settings", "clock"]),
    ("tasks", &["app", "ops", "wire", "base", "domain", "limits", "settings", "clock"]),
    ("traces", &["net", "base", "domain", "settings"]),
    ("cli", &["app", "net", "ops", "wire", "base", "domain", "limits", "settings", "clock", "http", "tasks", "traces"]),
];

/// The one home of each package.
pub const HOMES: &[(&str, &[&str])] = &[
    // A crate brings rooms of other crates in under their own names, so that a path reads the same wherever it stands.
    ("flowkeep_core", &["src/lib.rs", "src/adapters/lib.rs", "src/cards/lib.rs", "src/wire/lib.rs"]),
    ("flowkeep_wire", &["src/lib.rs"]),
    ("flowkeep_adapters", &["src/lib.rs", "src/cards/lib.rs"]),
    ("flowkeep_cards", &["src/lib.rs"]),
    ("redb", &["src/adapters/store/"]),
    ("crc32fast", &["src/core/base/checksum"]),
    ("quick_cache", &["src/core/base/bounded_cache"]),
    ("multer", &["src/http/"]),
    ("rquickjs", &["src/core/script/"]),
    ("seccompiler", &["src/core/worker/"]),
    ("calamine", &["src/adapters/documents/"]),
    ("pdf_extract", &["src/adapters/documents/"]),
    ("quick_xml", &["src/adapters/documents/"]),
    ("serde_saphyr", &["src/cards/kit/web/openapi", "src/ops/workspace/transfer/other_products/yaml"]),
    ("rusqlite", &["src/adapters/sql/"]),
    ("postgres_protocol", &["src/adapters/postgres/"]),
    ("fallible_iterator", &["src/adapters/postgres/"]),
    ("ring", &["src/adapters/llm/identity/service_account"]),
    ("aes", &["src/adapters/flowise/"]),
    ("cbc", &["src/adapters/flowise/"]),
    ("scrypt", &["src/core/age/"]),
    ("chacha20poly1305", &["src/core/age/", "src/adapters/files/vault"]),
    ("rustls", &["src/core/net/"]),
    ("webpki_roots", &["src/core/net/"]),
    ("tar", &["src/backup/"]),
    ("zstd", &["src/backup/"]),
    ("zip", &["src/adapters/documents/"]),
    ("html2text", &["src/adapters/documents/"]),
    ("html5ever", &["src/core/canvas/rich_text/"]),
    ("gix", &["src/adapters/history/"]),
    ("mail_builder", &["src/adapters/mail/"]),
    ("gix_pack", &["src/adapters/history/"]),
    ("ureq", &["src/core/net/"]),
    ("warp", &["src/http/"]),
    ("hyper", &["src/http/"]),
    ("hyper_util", &["src/http/"]),
    ("rust_embed", &["src/http/reply/assets.rs"]),
    ("clap", &["src/cli/"]),
    ("clap_complete", &["src/cli/"]),
    ("clap_mangen", &["src/cli/"]),
    // The one task below floor 6 reads a model's stream by readiness.
    (
        "tokio",
        &[
            "src/http/",
            "src/tasks/",
            "src/cli/",
            "src/main.rs",
            "src/core/net/incoming.rs",
            "src/core/net/task_tests.rs",
        ],
    ),
];
