//! Tables of what each setting admits.

use super::*;
use crate::domain::remote::git_host::GitHost;
use std::path::Path;

fn read(vars: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let vars: Vec<(String, String)> =
        vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let lookup = move |name: &str| match vars.iter().find(|(known, _)| known == name) {
        Some((_, value)) => Some(value.clone()),
        None => (name == "HOME").then(|| "/home/ann".to_owned()),
    };
    Settings::from_vars(lookup, Flags::default())
}

fn good(name: &str, value: &str) -> Settings {
    read(&[(name, value)]).unwrap_or_else(|bad| panic!("{name}={value}: {bad}"))
}

#[test]
fn nothing_set_gives_the_defaults() {
    let settings = read(&[]).unwrap();
    assert_eq!((settings.host.to_string().as_str(), settings.port), ("127.0.0.1", 3000));
    assert_eq!(settings.data_dir, Path::new("/home/ann/.flowkeep"));
    assert!(
        settings.history && settings.drafts && !settings.git_host.file_remotes && !settings.hsts_subdomains
    );
    assert_eq!((settings.check_tokens_max, settings.check_seconds_max), (100_000, 180));
    assert_eq!(settings.streams_per_address, 1_024);
    assert_eq!((settings.code_seconds, settings.code_memory_mb), (10, 64));
    assert_eq!(settings.invitation_minutes, 15);
    assert!(
        settings.base_url.is_none() && settings.encryption_key.is_none() && settings.first_owner.is_none()
    );
    assert!(
        settings.cors_origins.is_empty()
            && settings.http_allow.is_empty()
            && settings.mcp_commands.is_empty()
            && settings.document_folders.is_empty()
    );
    assert!(!settings.is_https() && !settings.listens_beyond_loopback());
}

#[test]
fn four_words_turn_history_and_drafts_off() {
    for off in ["off", "OFF", " False ", "0", "no", "\tNo"] {
        assert!(!good("SERVICE_VERSIONS", off).history, "{off}");
        assert!(!good("SERVICE_DRAFTS", off).drafts, "{off}");
    }
    for on in ["", " ", "on", "true", "1", "nope", "disabled", "00", "n o"] {
        assert!(good("SERVICE_VERSIONS", on).history, "{on}");
        assert!(good("SERVICE_DRAFTS", on).drafts, "{on}");
    }
}

#[test]
fn check_caps_default_or_clamp() {
    let rows = [
        ("", 100_000),
        ("many", 100_000),
        ("0", 100_000),
        ("-5", 100_000),
        ("NaN", 100_000),
        ("inf", 100_000),
        ("0.5", 1_000),
        ("999", 1_000),
        ("1000", 1_000),
        ("2500.9", 2_500),
        (" 5000 ", 5_000),
        ("1e5", 100_000),
        ("2000000", 2_000_000),
        ("2000001", 2_000_000),
        ("99999999999999999999999", 2_000_000),
    ];
    for (text, expected) in rows {
        assert_eq!(good("SERVICE_CHECK_MAX_TOKENS", text).check_tokens_max, expected, "{text}");
    }
    for (text, expected) in [("9", 10), ("10", 10), ("60", 60), ("1801", 1_800), ("soon", 180)] {
        assert_eq!(good("SERVICE_CHECK_MAX_SECONDS", text).check_seconds_max, expected, "{text}");
    }
}

#[test]
fn addresses() {
    for (text, beyond) in [
        ("127.0.0.1", false),
        ("localhost", false),
        ("::1", false),
        ("[::1]", false),
        ("127.8.8.8", false),
        ("::ffff:127.0.0.1", false),
        ("0.0.0.0", true),
        ("::", true),
        ("192.168.1.4", true),
    ] {
        assert_eq!(good("SERVICE_HOST", text).listens_beyond_loopback(), beyond, "{text}");
    }
    let rows = [
        ("https://Flows.Example.com/", "https://flows.example.com"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://Example.com/Flows/", "https://example.com/Flows"),
        ("https://example.com:8443/a/b-c_d.e", "https://example.com:8443/a/b-c_d.e"),
    ];
    for (text, expected) in rows {
        assert_eq!(good("SERVICE_BASE_URL", text).base_url.unwrap().to_string(), expected);
    }
    assert!(good("SERVICE_BASE_URL", "https://a.example").is_https());
    let origins = good("CORS_ORIGINS", "https://A.example/, b.example:8080,*").cors_origins;
    assert_eq!(origins, ["https://a.example", "b.example:8080", "*"]);
    let hosts = good("SERVICE_HOSTS", "Flows.Example.com, flows.lan:3000 https://[fd00::1]:8443/").hosts;
    assert_eq!(hosts, ["flows.example.com", "flows.lan:3000", "[fd00::1]:8443"]);
    let proxies = good("SERVICE_TRUSTED_PROXIES", "10.0.0.7, fd00::/8").trusted_proxies;
    assert_eq!(proxies.iter().map(ToString::to_string).collect::<Vec<_>>(), ["10.0.0.7/32", "fd00::/8"]);
}

#[test]
#[cfg(unix)]
fn folders_are_divided_by_commas_alone() {
    let folders = good("SERVICE_DOCUMENT_FOLDERS", "/srv/our handbook, /srv/b/,").document_folders;
    assert_eq!(folders, [Path::new("/srv/our handbook"), Path::new("/srv/b")]);
}

#[test]
fn allowed_addresses_are_hosts_or_networks_with_a_port() {
    let rules =
        good("SERVICE_HTTP_ALLOW", "LocalHost:11434,10.0.0.0/8:443 [fd00::/8]:80,127.0.0.1:1").http_allow;
    let network = |text: &str, port| AllowRule::Network { network: text.parse().unwrap(), port };
    let expected = [
        AllowRule::Host { host: "localhost".to_owned(), port: 11434 },
        network("10.0.0.0/8", 443),
        network("fd00::/8", 80),
        network("127.0.0.1/32", 1),
    ];
    assert_eq!(rules, expected);
}

#[test]
fn a_key_is_hex_or_base64_of_32_bytes() {
    let key: [u8; 32] = std::array::from_fn(|at| 255 - at as u8 * 3);
    let hex: String = key.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(good("SERVICE_ENCRYPTION_KEY", &hex).encryption_key, Some(key));
    for text in [
        "//z59vPw7ern5OHe29jV0s/MycbDwL26t7SxrquopaI=",
        "__z59vPw7ern5OHe29jV0s_MycbDwL26t7SxrquopaI",
        " //z59vPw7ern5OHe29jV0s/MycbDwL26t7SxrquopaI=\n",
    ] {
        assert_eq!(good("SERVICE_ENCRYPTION_KEY", text).encryption_key, Some(key), "{text}");
    }
}

#[test]
fn the_owner_needs_both() {
    let owner =
        read(&[("SERVICE_OWNER_EMAIL", " a@b.example "), ("SERVICE_OWNER_PASSWORD", " eight 8 ")]).unwrap();
    assert!(
        owner.first_owner.is_some_and(|owner| owner.email == "a@b.example" && owner.password == " eight 8 ")
    );
    for (given, missing) in
        [("SERVICE_OWNER_EMAIL", "SERVICE_OWNER_PASSWORD"), ("SERVICE_OWNER_PASSWORD", "SERVICE_OWNER_EMAIL")]
    {
        let line = read(&[(given, "someone@b.example")]).unwrap_err().to_string();
        assert_eq!(line, format!("{given} is set without {missing}; set both, or neither"));
    }
}

#[test]
fn stand_ins_count_only_with_file_remotes() {
    let rows = [("SERVICE_GITHUB_TEST_ROOT", "/srv/git"), ("SERVICE_GITHUB_TEST_API", "http://127.0.0.1:9/")];
    let without = read(&rows).unwrap().git_host;
    assert!(without.test_root.is_none() && without.host == GitHost::provider());
    assert!(read(&[("SERVICE_GITHUB_TEST_ROOT", "relative")]).is_ok());
    let mut with = rows.to_vec();
    with.push(("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"));
    let with = read(&with).unwrap().git_host;
    assert_eq!(with.test_root.as_deref(), Some(Path::new("/srv/git")));
    assert_eq!((with.host.api(), with.host.web()), ("http://127.0.0.1:9", "https://github.com"));
    assert!(with.is_stand_in && !with.is_named);
    assert!(!good("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "true").git_host.file_remotes);
}

#[test]
fn another_git_host_has_two_addresses_and_no_stand_in() {
    let (url, api) = ("SERVICE_GITHUB_URL", "SERVICE_GITHUB_API");
    let host = |web, at| read(&[(url, web), (api, at)]).map(|settings| settings.git_host);
    let named = host("https://git.example.org/", "https://git.example.org/api/v1").unwrap();
    assert_eq!(
        (named.host.web(), named.host.api()),
        ("https://git.example.org", "https://git.example.org/api/v1")
    );
    assert!(named.is_named && !named.is_stand_in);
    for (given, missing) in [(url, api), (api, url)] {
        let line = read(&[(given, "https://git.example.org")]).unwrap_err().to_string();
        assert_eq!(line, format!("{given} is set without {missing}; set both, or neither"));
    }
    let both = [(url, "https://git.example.org"), (api, "https://git.example.org/api/v1")];
    for (stand_in, value) in
        [("SERVICE_GITHUB_TEST_ROOT", "/srv/git"), ("SERVICE_GITHUB_TEST_API", "http://127.0.0.1:9")]
    {
        let line = read(&[both[0], both[1], (stand_in, value)]).unwrap_err().to_string();
        assert!(line.contains(url) && line.contains(stand_in), "{line}");
    }
}

#[test]
fn a_git_host_without_encryption_is_one_of_this_machine_in_a_test() {
    let host = |web, allow| {
        let api = "https://git.example.org/api/v1";
        read(&[
            ("SERVICE_GITHUB_URL", web),
            ("SERVICE_GITHUB_API", api),
            ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", allow),
        ])
    };
    for local in ["http://127.0.0.1:3000", "http://localhost:3000/git", "http://[::1]:3000"] {
        assert!(host(local, "on").is_ok(), "{local}");
        assert!(host(local, "off").is_err() && host(local, "true").is_err(), "{local}");
    }
    for elsewhere in [
        "http://git.example.org",
        "http://10.0.0.7",
        "http://localhost.example.org",
        "ftp://x",
        "git.example.org",
    ] {
        let line = host(elsewhere, "on").unwrap_err().to_string();
        assert!(line.starts_with("SERVICE_GITHUB_URL is \""), "{line}");
    }
}

#[test]
fn a_wrong_value_is_one_line_that_names_variable_problem_and_fix() {
    let rows = [
        ("SERVICE_HOST", "example.com"),
        ("SERVICE_PORT", "70000"),
        ("SERVICE_PORT", "-1"),
        ("SERVICE_PORT", "http"),
        ("SERVICE_BASE_URL", "flows.example.com"),
        ("SERVICE_BASE_URL", "https://a.example/a//b"),
        ("SERVICE_BASE_URL", "https://user@a.example"),
        ("SERVICE_BASE_URL", "https://"),
        ("SERVICE_BASE_URL", "https://a:99999"),
        ("CORS_ORIGINS", "https://a.example/x"),
        ("CORS_ORIGINS", "null"),
        ("SERVICE_HTTP_ALLOW", "localhost"),
        ("SERVICE_HTTP_ALLOW", "fd00::1:80"),
        ("SERVICE_HTTP_ALLOW", "a/b:80"),
        ("SERVICE_TRUSTED_PROXIES", "proxy"),
        ("SERVICE_DOCUMENT_FOLDERS", "handbook"),
        ("SERVICE_DOCUMENT_FOLDERS", "/srv/a, ./b"),
        ("SERVICE_DOCUMENT_FOLDERS", "/srv/../etc"),
        ("SERVICE_OWNER_EMAIL", "ann"),
        ("SERVICE_STREAMS_PER_ADDRESS", "0"),
        ("SERVICE_STREAMS_PER_ADDRESS", "12001"),
        ("SERVICE_INVITATION_MINUTES", "14"),
        ("SERVICE_INVITATION_MINUTES", "10081"),
        ("SERVICE_CODE_SECONDS", "0"),
        ("SERVICE_CODE_SECONDS", "121"),
        ("SERVICE_CODE_MEMORY_MB", "15"),
        ("SERVICE_CODE_MEMORY_MB", "1.5"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
        ("SERVICE_METRICS", "on"),
        ("SERVICE_METRICS", "9464"),
        ("SERVICE_HSTS_SUBDOMAINS", "maybe"),
        ("SERVICE_LOG", "loud"),
        ("SERVICE_LOG_FORMAT", "xml"),
        ("SERVICE_LOG", "a\nb\u{1b}[2J"),
    ];
    for (name, value) in rows {
        let line = read(&[(name, value)]).expect_err(name).to_string();
        assert!(line.starts_with(&format!("{name} is \"")) && line.contains("; "), "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
    let long = read(&[("SERVICE_HOST", &"x".repeat(5_000))]).unwrap_err().to_string();
    assert!(long.len() < 300, "{long}");
}

#[test]
fn spans_go_where_the_standard_variables_say() {
    let traces = |vars: &[(&str, &str)]| read(vars).unwrap().traces;
    let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/");
    assert!(traces(&[]).is_none());
    assert!(traces(&[base, ("OTEL_SDK_DISABLED", "TRUE")]).is_none());
    let usual = traces(&[base]).unwrap();
    assert_eq!((usual.endpoint.as_str(), usual.queue, usual.batch), ("http://c:4318/v1/traces", 2_048, 512));
    assert_eq!(usual.resource, [("service.name".to_owned(), "flowkeep".to_owned())]);
    let named = traces(&[
        base,
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://d/own"),
        ("OTEL_RESOURCE_ATTRIBUTES", "service.name=a,deployment.environment.name=te%20st"),
        ("OTEL_TRACES_SAMPLER", "traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "0.25"),
    ])
    .unwrap();
    assert_eq!(named.endpoint, "https://d/own");
    assert_eq!((named.sampler.share, named.sampler.follows_caller), (0.25, false));
    assert_eq!(named.resource[1].1, "te st");
    for (name, value) in [("OTEL_TRACES_SAMPLER", "often"), ("OTEL_TRACES_SAMPLER_ARG", "2")] {
        assert!(read(&[base, (name, value)]).unwrap_err().to_string().starts_with(name));
    }
    let secret = read(&[base, ("OTEL_EXPORTER_OTLP_HEADERS", "hunter2")]).unwrap_err().to_string();
    assert!(!secret.contains("hunter2"), "{secret}");
    let environment = Environment::new(|_| Some("x".to_owned()));
    assert_eq!(environment.flow_variable("OTEL_EXPORTER_OTLP_HEADERS"), None);
}

#[test]
fn flows_read_what_is_listed_of_the_environment_and_nothing_else() {
    let reads = |vars: &[(&str, &str)], name: &str| {
        let environment = Environment::new(|_| Some("x".to_owned()));
        let settings = read(vars).unwrap();
        environment.with_flow_variables(settings.flow_variables).flow_variable(name).is_some()
    };
    for unset in [&[][..], &[("SERVICE_RUNTIME_VARIABLES", " ")]] {
        assert!(reads(unset, "FLOW_CITY"));
        for hidden in ["PATH", "HOME", "AWS_SECRET_ACCESS_KEY", "flow_city", "MY_FLOW_CITY", "SERVICE_PORT"] {
            assert!(!reads(unset, hidden), "{hidden}");
        }
    }
    let listed = &[("SERVICE_RUNTIME_VARIABLES", "REGION, CITY_2,")];
    assert!(reads(listed, "REGION") && reads(listed, "CITY_2"));
    for hidden in ["FLOW_CITY", "region", "CITY", "", "SERVICE_OWNER_PASSWORD"] {
        assert!(!reads(listed, hidden), "{hidden}");
    }
    for bad in ["A B", "A;B", "A=1", "SERVICE_PORT", "REGION,otel_headers"] {
        let line = read(&[("SERVICE_RUNTIME_VARIABLES", bad)]).unwrap_err().to_string();
        assert!(line.starts_with("SERVICE_RUNTIME_VARIABLES is"), "{line}");
    }
}

#[test]
fn a_secret_is_never_repeated() {
    let owner = ("SERVICE_OWNER_EMAIL", "a@b.example");
    for (name, beside) in [
        ("SERVICE_ENCRYPTION_KEY", owner),
        ("SERVICE_OWNER_PASSWORD", owner),
        // What a program is started with may open something.
        ("SERVICE_MCP_COMMANDS", ("SERVICE_PORT", "1")),
    ] {
        let line = read(&[(name, "hunter2"), beside]).unwrap_err().to_string();
        assert!(line.starts_with(name) && !line.contains("hunter2"), "{line}");
    }
}

#[test]
fn a_flag_wins_and_is_named() {
    let vars = |name: &str| (name == "SERVICE_PORT").then(|| "1".to_owned());
    let flags =
        |port| Flags::default().with("SERVICE_PORT", "--port", Some(port)).in_checkout(Some("/src".into()));
    let settings = Settings::from_vars(vars, flags("2")).unwrap();
    assert_eq!((settings.port, settings.data_dir.as_path()), (2, Path::new("/src/.flowkeep")));
    let line = Settings::from_vars(vars, flags("x")).unwrap_err().to_string();
    assert!(line.starts_with("--port (SERVICE_PORT) is \"x\""), "{line}");
}

#[test]
fn without_a_home_the_data_folder_must_be_named() {
    let line = Settings::from_vars(|_| None, Flags::default()).unwrap_err().to_string();
    assert!(line.starts_with("SERVICE_DATA_DIR is not set"), "{line}");
}
