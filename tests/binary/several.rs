//! Several services beside one another: one Dev copies its versions, every Prod that reads the copy is promoted by its own owner,
//! and nothing else is shared (manual 13.16).

use crate::canvases;
use crate::connected::{ConnectedServer, REPOSITORY, TOKEN};
use crate::git_host::GitHost;
use serde_json::json;

/// One Dev that copied a flow which says "first", and two Prods that are connected to the copy.
struct Stage {
    _host: GitHost,
    dev: ConnectedServer,
    /// Opens Dev.
    key: String,
    flow: String,
    north: ConnectedServer,
    south: ConnectedServer,
}

impl Stage {
    fn new() -> Self {
        let host = GitHost::start(TOKEN);
        host.create(REPOSITORY);
        let dev = ConnectedServer::start(&host, "dev");
        let key = dev.home.key("dev");
        let flow = dev.program.make_flow(&key, "Support", &canvases::scripted(&json!([]), "first"));
        dev.push();
        let (north, south) = (ConnectedServer::start(&host, "prod"), ConnectedServer::start(&host, "prod"));
        Self { _host: host, dev, key, flow, north, south }
    }
}

#[test]
fn every_prod_that_reads_one_copy_is_promoted_by_its_own_owner() {
    let Stage { _host, dev, key: _, flow, north, south } = Stage::new();

    north.promote(&flow);
    assert_eq!((north.ask(&flow), south.ask(&flow)), (Ok("first".to_owned()), Err(404)));
    dev.publish(&flow, "second");
    assert_eq!((dev.ask(&flow), north.ask(&flow)), (Ok("second".to_owned()), Ok("first".to_owned())));
    south.promote(&flow);
    assert_eq!((north.ask(&flow), south.ask(&flow)), (Ok("first".to_owned()), Ok("second".to_owned())));
    north.promote(&flow);
    assert_eq!(north.ask(&flow), Ok("second".to_owned()));
}

#[test]
fn servers_that_share_a_copy_share_no_keys_people_and_conversations() {
    let Stage { _host, dev, key, flow, north, south } = Stage::new();
    north.promote(&flow);
    south.promote(&flow);

    north.ask(&flow).unwrap();
    assert_eq!((dev.conversations(&flow), north.conversations(&flow), south.conversations(&flow)), (0, 2, 0));
    let bearer = format!("Bearer {key}");
    for other in [&north, &south] {
        let refused = other.program.get("/api/v1/chatflows", &[("authorization", &bearer)]);
        assert_eq!(refused.status(), 401, "{}", refused.text());
        let signed_in = other.program.get("/api/v1/chatflows", &[("cookie", &dev.cookie)]);
        assert_eq!(signed_in.status(), 401, "{}", signed_in.text());
    }
    // A Prod that is away, or gone for good, is nothing to the others.
    drop(north);
    dev.publish(&flow, "second");
    south.promote(&flow);
    assert_eq!(south.ask(&flow), Ok("second".to_owned()));
}
