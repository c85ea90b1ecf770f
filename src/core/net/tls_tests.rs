//! Who is trusted, what is said of those who are not, and the way through proxies.

use super::test_servers::{
    ForwardProxy, ServerIdentity, TestAuthority, read_head, serve_hello, serve_plain, serve_tls,
};
use super::*;
use crate::settings::{Proxy, ProxyBypass};
use std::io::{Read, Write};

fn get(outgoing: &Outgoing, url: &str) -> Result<String, NetError> {
    get_as(outgoing, CallPurpose::Provider, url)
}

fn get_as(outgoing: &Outgoing, purpose: CallPurpose, url: &str) -> Result<String, NetError> {
    let answer =
        outgoing.get(purpose, url, &[("x-a", "b")], &CancelToken::new(None), ResponseLimits::default())?;
    { answer }.read_to_string(100)
}

/// Trusts this authority besides the built-in ones.
fn trusting(authority: &TestAuthority) -> TrustStore {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), authority.pem()).unwrap();
    TrustStore::with_file(file.path()).unwrap()
}

fn outgoing(trust: TrustStore, proxies: Proxies) -> Outgoing {
    Outgoing::with_trust(Vec::new(), true, trust, proxies)
}

#[track_caller]
fn fault(trust: &TrustStore, port: u16) -> TlsError {
    let url = format!("https://localhost:{port}/");
    match get(&outgoing(trust.clone(), Proxies::default()), &url) {
        Err(NetError::Untrusted { place, fault }) => {
            assert_eq!(place, format!("localhost:{port}"));
            fault
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_authority_of_the_operator_is_trusted_besides_the_others() {
    let authority = TestAuthority::generate();
    let port = serve_hello(authority.issue("localhost"));
    let outgoing = outgoing(trusting(&authority), Proxies::default());
    for _ in 0..3 {
        assert_eq!(get(&outgoing, &format!("https://localhost:{port}/")).unwrap(), "hello");
    }
}

#[test]
fn an_answer_that_came_before_all_was_sent_is_read() {
    let authority = TestAuthority::generate();
    let port = serve_tls(authority.issue("localhost"), |mut tls| {
        // An answer that the system holds back would be lost with the connection.
        tls.sock.set_nodelay(true).unwrap();
        tls.read_exact(&mut [0; 1_000]).unwrap();
        tls.write_all(b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 8\r\n\r\ntoo much").unwrap();
    });
    let (url, cancel) = (format!("https://localhost:{port}/"), CancelToken::new(None));
    let body = &mut std::io::repeat(7);
    let mut answer = outgoing(trusting(&authority), Proxies::default())
        .post_stream(CallPurpose::Provider, &url, &[], body, 20_000_000, &cancel, ResponseLimits::default())
        .unwrap();
    assert_eq!((answer.status(), answer.is_early()), (413, true));
    assert_eq!(answer.read_to_string(100).unwrap(), "too much");
}

#[test]
fn what_is_wrong_with_a_certificate_is_told() {
    let authority = TestAuthority::generate();
    let trust = trusting(&authority);
    let of = |identity: ServerIdentity| fault(&trust, serve_hello(identity));
    assert_eq!(of(authority.issue_expired("localhost")), TlsError::Expired);
    assert_eq!(of(authority.issue_not_yet_valid("localhost")), TlsError::NotYetValid);
    assert_eq!(of(authority.issue("other.example")), TlsError::OtherName);
    assert_eq!(of(TestAuthority::generate().issue("localhost")), TlsError::UnknownAuthority);
    assert_eq!(
        fault(&TrustStore::default(), serve_hello(authority.issue("localhost"))),
        TlsError::UnknownAuthority
    );
    let said = NetError::Untrusted { place: "a:1".into(), fault: TlsError::UnknownAuthority }.to_string();
    assert!(said.contains("SERVICE_CA_FILE"), "{said}");
}

#[test]
fn what_is_no_tls_of_ours_is_told() {
    let answers = |bytes: &'static [u8]| {
        serve_plain(move |mut stream| {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(bytes);
            let _ = stream.read(&mut [0; 1024]);
        })
    };
    let trust = TrustStore::default();
    // A fatal alert: protocol_version, then handshake_failure.
    assert_eq!(fault(&trust, answers(&[0x15, 3, 1, 0, 2, 2, 70])), TlsError::Version);
    assert_eq!(fault(&trust, answers(&[0x15, 3, 3, 0, 2, 2, 40])), TlsError::Encryption);
    assert_eq!(fault(&trust, answers(b"HTTP/1.1 400 Bad Request\r\n\r\n")), TlsError::NotTls);
    assert_eq!(fault(&trust, serve_plain(|mut stream| drop(stream.read(&mut [0; 1024])))), TlsError::Closed);
}

#[test]
fn a_file_that_holds_no_certificates_is_refused_by_name() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        std::fs::write(file.path(), text).unwrap();
        let said = TrustStore::with_file(file.path()).unwrap_err().to_string();
        assert!(said.starts_with("SERVICE_CA_FILE is ") && said.contains("PEM"), "{said}");
    }
    let said = TrustStore::with_file(std::path::Path::new("/nowhere/ca.pem")).unwrap_err().to_string();
    assert!(said.contains("cannot be read"), "{said}");
}

fn proxy(port: u16, authorization: Option<&str>) -> Option<Proxy> {
    Some(Proxy { host: "127.0.0.1".into(), port, authorization: authorization.map(str::to_owned) })
}

#[test]
fn https_goes_through_a_tunnel_and_stays_secret_from_the_proxy() {
    let authority = TestAuthority::generate();
    // The proxy looks the name up: here nobody can.
    let forward =
        ForwardProxy::start(serve_hello(authority.issue("model.flowkeep-test.dev")), Some("Basic dTpw"));
    let proxies = |authorization| Proxies { https: proxy(forward.port, authorization), ..Proxies::default() };
    let with = outgoing(trusting(&authority), proxies(Some("Basic dTpw")));
    for _ in 0..2 {
        assert_eq!(get(&with, "https://model.flowkeep-test.dev/secret-path").unwrap(), "hello");
    }
    let seen = forward.request_heads();
    assert_eq!(seen.len(), 1, "the tunnel is used again: {seen:?}");
    assert!(seen[0].starts_with("CONNECT model.flowkeep-test.dev:443 HTTP/1.1\r\n"), "{seen:?}");
    assert!(!seen[0].contains("secret") && !seen[0].contains("x-a"), "{seen:?}");
    let without = outgoing(trusting(&authority), proxies(None));
    let refused = get(&without, "https://model.flowkeep-test.dev/").unwrap_err().to_string();
    assert!(refused.contains("user and a password"), "{refused}");
}

#[test]
fn http_goes_to_the_proxy_with_its_whole_address() {
    let forward = ForwardProxy::start(1, None);
    let proxies = Proxies { http: proxy(forward.port, Some("Basic dTpw")), ..Proxies::default() };
    let outgoing = outgoing(TrustStore::default(), proxies);
    for path in ["one", "two"] {
        let url = format!("http://model.flowkeep-test.dev/{path}?q=1");
        assert_eq!(get(&outgoing, &url).unwrap(), "hello");
    }
    for (seen, path) in forward.request_heads().iter().zip(["one", "two"]) {
        assert!(
            seen.starts_with(&format!("GET http://model.flowkeep-test.dev:80/{path}?q=1 HTTP/1.1\r\n")),
            "{seen}"
        );
        assert!(
            seen.contains("proxy-authorization: Basic dTpw\r\n") && seen.contains("x-a: b\r\n"),
            "{seen}"
        );
        assert!(seen.contains("host: model.flowkeep-test.dev\r\n"), "{seen}");
    }
}

#[test]
fn a_long_address_reaches_the_proxy_whole() {
    let forward = ForwardProxy::start(1, None);
    let outgoing =
        outgoing(TrustStore::default(), Proxies { http: proxy(forward.port, None), ..Proxies::default() });
    let long = "x".repeat(3_000);
    assert_eq!(get(&outgoing, &format!("http://a.flowkeep-test.dev/{long}")).unwrap(), "hello");
    assert!(
        forward.request_heads()[0]
            .starts_with(&format!("GET http://a.flowkeep-test.dev:80/{long} HTTP/1.1\r\n"))
    );
}

#[test]
fn the_guard_judges_the_target_and_not_the_proxy() {
    let forward = ForwardProxy::start(1, None);
    let proxies =
        Proxies { http: proxy(forward.port, None), https: proxy(forward.port, None), ..Proxies::default() };
    let outgoing = outgoing(TrustStore::default(), proxies);
    for url in [
        "http://10.0.0.1/",
        "https://192.168.1.1/",
        "http://169.254.169.254/latest",
        "http://metadata.google.internal/",
        "https://[fd00::1]/",
    ] {
        assert_eq!(get_as(&outgoing, CallPurpose::Reachable, url), Err(NetError::RefusedByPolicy), "{url}");
    }
    // Names that only mean something inside are no names that the proxy looks up for a stranger.
    for url in ["http://intranet/", "http://wiki.flowkeep-test.corp/", "https://db.flowkeep-test.internal/"] {
        assert!(get_as(&outgoing, CallPurpose::Reachable, url).is_err(), "{url}");
    }
    assert!(forward.request_heads().is_empty(), "{:?}", forward.request_heads());
}

#[test]
fn what_is_on_the_list_goes_without_a_proxy() {
    let forward = ForwardProxy::start(1, None);
    let port = serve_plain(|mut stream| {
        while !read_head(&mut stream).is_empty() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\ndirect");
        }
    });
    let local = Proxies { http: proxy(forward.port, None), ..Proxies::default() };
    assert_eq!(
        get(&outgoing(TrustStore::default(), local.clone()), &format!("http://localhost:{port}/")).unwrap(),
        "direct"
    );
    let listed = Proxies { bypasses: vec![ProxyBypass::All], ..local };
    assert_eq!(
        get(&outgoing(TrustStore::default(), listed), &format!("http://127.0.0.1:{port}/")).unwrap(),
        "direct"
    );
    assert!(forward.request_heads().is_empty());
}

#[test]
fn a_proxy_that_is_away_or_refuses_is_named_as_what_is_wrong() {
    let refusing = serve_plain(|mut stream| {
        read_head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    let silent = serve_plain(|mut stream| drop(read_head(&mut stream)));
    for (port, why) in
        [(1, "no connection to 127.0.0.1:1"), (refusing, "answered 403"), (silent, "closed the connection")]
    {
        let proxies = Proxies { https: proxy(port, None), ..Proxies::default() };
        let said = get(&outgoing(TrustStore::default(), proxies), "https://a.flowkeep-test.dev/")
            .unwrap_err()
            .to_string();
        assert!(said.contains("proxy") && said.contains(why), "{said}");
    }
}
