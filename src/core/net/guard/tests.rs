//! Address forms, one per line.

use super::*;

fn guard(purpose: CallPurpose, loopback_service: bool, allow: Vec<AllowRule>) -> AddressGuard {
    AddressGuard { purpose, allow, loopback_service }
}

/// Judges an address whose host is an address already, as the resolver does.
fn judge(guard: &AddressGuard, text: &str) -> Result<bool, NetError> {
    let uri = parse(text)?;
    let host = uri.host().unwrap().trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(80);
    Ok(guard.allows_address(host, SocketAddr::new(host.parse().unwrap(), port)))
}

#[test]
fn every_form_of_a_denied_address_is_refused() {
    let callers = guard(CallPurpose::Reachable, true, Vec::new());
    for host in [
        "0",
        "0.0.0.0",
        "127.0.0.1",
        "127.1",
        "127.0.0.1.",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.1.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "169.254.169.254",
        "0xa9fea9fe",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::7f00:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::a9fe:a9fe]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[2002:a00:1::1]",
        "[100::1]",
        "[2001::1]",
        "[2001:db8::1]",
        "[3fff::1]",
        "[5f00::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[fd00:ec2::23]",
        "[fd20:ce::254]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
    ] {
        assert_eq!(judge(&callers, &format!("http://{host}/x")), Ok(false), "{host}");
    }
}

#[test]
fn public_addresses_pass_in_every_form() {
    let callers = guard(CallPurpose::Reachable, false, Vec::new());
    for host in [
        "93.184.216.34",
        "0x5db8d822",
        "172.32.0.1",
        "172.15.0.1",
        "100.128.0.1",
        "192.0.1.1",
        "198.20.0.1",
        "11.0.0.1",
        "[2606:4700::1111]",
        "[::ffff:93.184.216.34]",
        "[64:ff9b::5db8:d822]",
        "[2002:5db8:d822::1]",
    ] {
        assert_eq!(judge(&callers, &format!("http://{host}/x")), Ok(true), "{host}");
    }
}

#[test]
fn forms_that_are_not_addresses_are_refused() {
    for text in [
        "",
        "x",
        "//host/x",
        "ftp://host/",
        "file:///etc/passwd",
        "gopher://h/",
        "javascript:1",
        "http://",
        "http:///",
        "http://user@host/",
        "http://user:secret@host/",
        "http://:secret@host/",
        "http://host:0/",
        "http://host:99999/",
        "http://ho st/",
        "http://[::1/",
        "http://a..b..\u{0}/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
        "http://./",
        "http://host\\@other/",
    ] {
        let parsed = parse(text);
        let elsewhere = parsed.as_ref().is_ok_and(|uri| uri.host() == Some("host") && !text.contains("user"));
        assert!(matches!(parsed, Err(NetError::BadAddress(_))) || elsewhere, "{text}: {parsed:?}");
        assert!(!format!("{parsed:?}").contains("secret"));
    }
}

#[test]
fn one_form_is_judged_and_called() {
    for (text, expected) in [
        ("HTTP://Example.COM./a?b=c#d", "http://example.com/a?b=c"),
        ("https://example.com:443/v1", "https://example.com/v1"),
        ("  https://bücher.example/ ", "https://xn--bcher-kva.example/"),
        ("http://0x7f.1:80/", "http://127.0.0.1/"),
        ("http://localhost.:11434/api", "http://localhost:11434/api"),
        ("http://host\\@other/", "http://host/@other/"),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
    }
    assert_eq!(label(&parse("https://example.com/secret?key=1").unwrap()), "example.com:443");
}

fn at(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

#[test]
fn local_names_are_refused_whatever_they_resolve_to() {
    let callers = guard(CallPurpose::Reachable, true, Vec::new());
    for name in ["localhost", "a.localhost", "metadata.google.internal", "metadata", "instance-data"] {
        assert!(!callers.allows_address(name, at("93.184.216.34:80")), "{name}");
    }
    assert!(callers.allows_address("localhost.example.com", at("93.184.216.34:80")));
    assert!(!callers.allows_address("rebound.example.com", at("127.0.0.1:80")));
}

#[test]
fn an_owners_provider_may_be_beside_a_service_that_is_not_reachable_itself() {
    let beside = guard(CallPurpose::Provider, true, Vec::new());
    for (name, address) in [
        ("localhost", "127.0.0.1:11434"),
        ("localhost", "[::1]:11434"),
        ("nas.lan", "192.168.1.4:8000"),
        ("10.0.0.1", "10.0.0.1:80"),
        ("x", "[fd12::1]:80"),
        ("x", "[::ffff:127.0.0.1]:80"),
    ] {
        assert!(beside.allows_address(name, at(address)), "{name} {address}");
        assert!(
            !guard(CallPurpose::Provider, false, Vec::new()).allows_address(name, at(address)),
            "{name} {address}"
        );
        assert!(
            !guard(CallPurpose::Reachable, true, Vec::new()).allows_address(name, at(address)),
            "{name} {address}"
        );
    }
    for address in [
        "169.254.1.1:80",
        "169.254.169.254:80",
        "[fd00:ec2::254]:80",
        "[fd00:ec2::23]:80",
        "[fd20:ce::254]:80",
        "0.0.0.0:80",
        "224.0.0.1:80",
        "[fe80::1]:80",
    ] {
        assert!(!beside.allows_address("x", at(address)), "{address}");
    }
}

#[test]
fn what_the_operator_allows_is_allowed_for_that_port_and_never_opens_metadata() {
    let allow = vec![
        AllowRule::Host { host: "model.lan".into(), port: 8000 },
        AllowRule::Host { host: "[::1]".into(), port: 9000 },
        AllowRule::Host { host: "localhost".into(), port: 11434 },
        AllowRule::Network { network: "192.168.0.0/16".parse().unwrap(), port: 80 },
        AllowRule::Network { network: "0.0.0.0/0".parse().unwrap(), port: 81 },
        AllowRule::Network { network: "::/0".parse().unwrap(), port: 81 },
        AllowRule::Host { host: "169.254.169.254".into(), port: 80 },
        AllowRule::Host { host: "metadata.google.internal".into(), port: 80 },
    ];
    let callers = guard(CallPurpose::Reachable, false, allow);
    for (name, address, allowed) in [
        ("model.lan", "10.0.0.5:8000", true),
        ("model.lan", "10.0.0.5:8001", false),
        ("other.lan", "10.0.0.5:8000", false),
        ("::1", "[::1]:9000", true),
        ("localhost", "127.0.0.1:11434", true),
        ("localhost", "127.0.0.1:80", false),
        ("nas", "192.168.4.4:80", true),
        ("nas", "[::ffff:192.168.4.4]:80", true),
        ("nas", "192.168.4.4:443", false),
        ("169.254.169.254", "169.254.169.254:80", false),
        ("metadata.google.internal", "93.184.216.34:80", false),
        ("x", "169.254.170.2:81", false),
        ("x", "169.254.170.23:81", false),
        ("x", "[fd00:ec2::23]:81", false),
        ("x", "[fd20:ce::254]:81", false),
        ("x", "[fd20:ce::253]:81", true),
        ("x", "[::ffff:169.254.169.254]:81", false),
        ("x", "[::a9fe:a9fe]:81", false),
        ("x", "[2002:a9fe:a9fe::]:81", false),
        ("x", "10.9.9.9:81", true),
    ] {
        assert_eq!(callers.allows_address(name, at(address)), allowed, "{name} {address}");
    }
}

#[test]
fn what_an_owner_wrote_out_reaches_a_named_host_and_no_named_network() {
    let rules = || {
        vec![
            AllowRule::Host { host: "model.lan".into(), port: 8000 },
            AllowRule::Network { network: "192.168.0.0/16".parse().unwrap(), port: 80 },
            AllowRule::Network { network: "127.0.0.1/32".parse().unwrap(), port: 9000 },
        ]
    };
    let judge = |purpose, name: &str, address: &str| {
        guard(purpose, true, rules()).allows_address(name, address.parse().unwrap())
    };
    assert!(judge(CallPurpose::WrittenOut, "model.lan", "10.0.0.5:8000"));
    assert!(!judge(CallPurpose::WrittenOut, "nas.lan", "192.168.4.4:80"));
    assert!(judge(CallPurpose::WrittenOut, "127.0.0.1", "127.0.0.1:9000"));
    assert!(!judge(CallPurpose::WrittenOut, "localhost", "127.0.0.1:11434"));
}

#[test]
fn an_assembled_address_reaches_nothing_that_the_operator_named() {
    let rules = vec![AllowRule::Host { host: "model.lan".into(), port: 8000 }];
    let judge = guard(CallPurpose::Assembled, true, rules);
    assert!(!judge.allows_address("model.lan", "10.0.0.5:8000".parse().unwrap()));
    assert!(judge.allows_address("a.example", "93.184.216.34:80".parse().unwrap()));
}

#[test]
fn this_machines_own_address_is_known() {
    assert!(is_own("127.0.0.1".parse().unwrap()));
    assert!(!is_own("192.0.2.77".parse().unwrap()));
}
