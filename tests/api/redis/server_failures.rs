//! What would disturb others on a server: being full, going away, another way to connect. Each test has a real one of its
//! own, where `redis-server` is installed.

use super::{RedisFixture, begin, chat, continue_conversation, print_skipped};
use crate::support::Server;
use crate::support::canvases::scripted_flow;
use flowkeep::redis::RedisReply;
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of the test's own, with settings of its own; it ends with it.
struct RedisProcess {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl RedisProcess {
    fn start(settings: &[&str]) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--dir"]).arg(folder.path());
        if !settings.contains(&"--tls-port") {
            command.args(["--port", &port.to_string()]);
        }
        let settings = settings.iter().map(|text| text.replace("PORT", &port.to_string()));
        let Ok(process) = command.args(settings).stdout(Stdio::null()).spawn() else {
            print_skipped("redis-server is not installed");
            return None;
        };
        let own = Self { process, port, _folder: folder };
        let end = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "redis-server does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(own)
    }

    fn place(&self) -> flowkeep::redis::RedisServer {
        let (host, port) = ("127.0.0.1".to_owned(), self.port);
        flowkeep::redis::RedisServer { host, port, user: None, password: None, database: 0, tls: false }
    }
}

impl Drop for RedisProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn what_a_full_server_cannot_keep_is_told_and_stays_in_the_record() {
    let Some(own) = RedisProcess::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]) else {
        return;
    };
    let house = RedisFixture::at(own.place());
    let flow = house.flow(json!({}));
    let said = house.answer_error(&flow);
    assert!(said.contains("the server is full"), "{said}");
    let kept: Vec<Value> =
        house.server.messages(&flow).iter().map(|message| message["content"].clone()).collect();
    assert_eq!(kept, ["Hi", "Yes."], "the answer was given and paid for");
    let streamed = house.server.ask(&flow, &json!({"question": "Hi", "streaming": true})).is(200);
    assert_eq!(streamed.event_names(), ["start", "token", "error", "end"]);
    assert_eq!(house.run(&["DBSIZE"]), RedisReply::Number(0));
    house.run(&["CONFIG", "SET", "maxmemory", "0"]);
    let first = begin(&house.server, &flow, "And now?");
    assert_eq!(house.entries(chat(&first)).len(), 2);
}

#[test]
fn a_server_over_tls_is_trusted_by_the_operators_authority_alone() {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    let folder = tempfile::tempdir().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap().pem();
    let (issuer, own_key) = (Issuer::new(params, key), KeyPair::generate().unwrap());
    let shown =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&own_key, &issuer).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (ca, cert, key) =
        (file("ca", &authority), file("cert", &shown.pem()), file("key", &own_key.serialize_pem()));
    let settings = [
        "--port",
        "0",
        "--tls-port",
        "PORT",
        "--tls-cert-file",
        &cert,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &ca,
        "--tls-auth-clients",
        "no",
        "--requirepass",
        "hush",
    ];
    let Some(own) = RedisProcess::start(&settings) else { return };
    let fields = json!({"redisCacheHost": "localhost", "redisCachePort": own.port, "redisCachePwd": "hush",
        "redisCacheSslEnabled": true});
    let mut house = RedisFixture::at(own.place());
    let said =
        house.answer_error(&house.server.flow(&house.canvas_with("redisCacheApi", &fields, json!({}))));
    assert!(said.contains("no trusted TLS connection") && said.contains("SERVICE_CA_FILE"), "{said}");
    house.server = Server::with(&[("SERVICE_CA_FILE", &ca)]);
    let flow = house.server.flow(&house.canvas_with("redisCacheApi", &fields, json!({})));
    let first = begin(&house.server, &flow, "I am Ada.");
    continue_conversation(&house.server, &flow, &first, "Who am I?").is(200);
    assert_eq!(house.messages_sent(), ["I am Ada.", "Yes.", "Who am I?"]);
}

#[test]
fn nothing_is_deleted_here_that_cannot_be_forgotten_there() {
    let Some(own) = RedisProcess::start(&[]) else { return };
    let house = RedisFixture::at(own.place());
    let flow = house.flow(json!({}));
    let first = begin(&house.server, &flow, "a");
    drop(own);
    let delete =
        || house.server.owner("DELETE", &format!("/chatmessage/{flow}?chatId={}", chat(&first))).send();
    let said = delete().is_error(500);
    assert!(said.starts_with("Redis-Backed Chat Memory: no connection"), "{said}");
    assert_eq!(house.server.messages(&flow).len(), 2);
    house
        .server
        .put(&format!("/chatflows/{flow}"), &json!({"flowData": scripted_flow(), "publishInstantly": true}));
    delete().is(200);
    assert!(house.server.messages(&flow).is_empty(), "without the card nothing is to be forgotten");
}
