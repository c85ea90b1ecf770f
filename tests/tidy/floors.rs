//! Which room stands on which floor, what each may use, and the one home of each package.

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
    ("redb", &["src/store/"]),
    ("crc32fast", &["src/base/checksum"]),
    ("quick_cache", &["src/base/bounded_cache"]),
    ("multer", &["src/http/"]),
    ("rquickjs", &["src/script/"]),
    ("seccompiler", &["src/worker/"]),
    ("calamine", &["src/documents/"]),
    ("pdf_extract", &["src/documents/"]),
    ("quick_xml", &["src/documents/"]),
    ("serde_saphyr", &["src/cards/kit/web/openapi", "src/ops/workspace/transfer/other_products/yaml"]),
    ("rusqlite", &["src/sql/"]),
    ("postgres_protocol", &["src/postgres/"]),
    ("fallible_iterator", &["src/postgres/"]),
    ("ring", &["src/llm/identity/service_account"]),
    ("aes", &["src/flowise/"]),
    ("cbc", &["src/flowise/"]),
    ("scrypt", &["src/age/"]),
    ("chacha20poly1305", &["src/age/", "src/files/vault"]),
    ("rustls", &["src/net/"]),
    ("webpki_roots", &["src/net/"]),
    ("tar", &["src/backup/"]),
    ("zstd", &["src/backup/"]),
    ("zip", &["src/documents/"]),
    ("html2text", &["src/documents/"]),
    ("html5ever", &["src/canvas/rich_text/"]),
    ("gix", &["src/history/"]),
    ("mail_builder", &["src/mail/"]),
    ("gix_pack", &["src/history/"]),
    ("ureq", &["src/net.rs", "src/net/"]),
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
            "src/net/incoming.rs",
            "src/net/task_tests.rs",
        ],
    ),
    ("tokio_stream", &["src/http/", "src/tasks/", "src/cli/", "src/main.rs"]),
];
