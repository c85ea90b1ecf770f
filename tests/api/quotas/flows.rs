//! How many flows a workspace may hold, whichever way they come.

use super::{admitted, bound, tells, used};
use crate::promotion::{Pair, saying};
use crate::support::canvases::scripted_flow;
use crate::support::{Answer, Server};
use crate::transfer::{actions, export, import};
use serde_json::{Value, json};

fn make(server: &Server, name: &str) -> Answer {
    let body = json!({"name": name, "type": "CHATFLOW", "flowData": scripted_flow()});
    server.owner("POST", "/chatflows").json(&body).send()
}

fn count(server: &Server) -> usize {
    server.read("/chatflows").as_array().unwrap().len()
}

#[test]
fn a_flow_beyond_the_quota_is_refused_and_one_that_goes_makes_room() {
    let server = Server::start();
    bound(&server, &json!({"flows": 1}));
    let first = server.flow(&scripted_flow());
    tells(&make(&server, "second").is_error(409), "flows", 1, 1);
    assert_eq!((count(&server), used(&server, "flows")), (1, 1));
    server.put(&format!("/chatflows/{first}"), &json!({"name": "Edited"}));
    server.owner("DELETE", &format!("/chatflows/{first}")).send().is(200);
    make(&server, "second").is(200);
    bound(&server, &json!({"flows": 0}));
    tells(&make(&server, "third").is_error(409), "flows", 0, 1);
    bound(&server, &json!({"chunks": 0}));
    make(&server, "third").is(200);
}

#[test]
fn another_workspace_is_not_bound() {
    let server = Server::start();
    bound(&server, &json!({"flows": 0}));
    let other = server.new_workspace("Other");
    server.enter(&other);
    make(&server, "there").is(200);
}

#[test]
fn flows_that_race_do_not_overrun_a_quota() {
    let server = Server::start();
    bound(&server, &json!({"flows": 4}));
    let let_in = admitted(16, 409, |number| make(&server, &format!("flow {number}")).status);
    assert_eq!((let_in, count(&server)), (4, 4));
}

#[test]
fn a_file_whose_flows_do_not_fit_is_refused_whole_and_a_preview_says_so() {
    let (from, to) = (Server::start(), Server::start());
    for number in 0..3 {
        make(&from, &format!("flow {number}")).is(200);
    }
    from.post("/variables", &json!({"name": "city", "value": "Oslo", "type": "static"}));
    let file = export(&from, &json!({"chatflow": true, "variable": true}));
    bound(&to, &json!({"flows": 2}));
    let preview = import(&to, &file, "preview", &json!({}));
    let is_told =
        |item: &&Value| item["notes"].to_string().contains("The quota 'flows' of this workspace is 2");
    assert_eq!(preview["items"].as_array().unwrap().iter().filter(is_told).count(), 3, "{preview}");
    let mut body = file.clone();
    body["mode"] = "import".into();
    let refused = to.owner("POST", "/export-import/import").json(&body).send().is_error(409);
    tells(&refused, "flows", 2, 0);
    assert_eq!((count(&to), to.read("/variables")), (0, json!([])), "nothing came in");
    bound(&to, &json!({"flows": 3}));
    let done = import(&to, &file, "import", &json!({}));
    assert_eq!(done["created"], 4, "{done}");
    let again = import(&to, &file, "import", &json!({}));
    assert!(
        actions(&again).iter().all(|action| *action == "skip"),
        "what is here already takes no room: {again}"
    );
}

#[test]
fn a_new_flow_of_dev_needs_room_and_one_that_is_live_is_promoted_on() {
    let (pair, flow) = Pair::with_promoted();
    bound(&pair.prod, &json!({"flows": 1}));
    pair.change_on_dev(&flow, &saying("two"));
    pair.promote(&flow).is(200);
    assert!(pair.live(&flow).to_string().contains("two"));
    let other = pair.dev.flow(&saying("other"));
    pair.read_dev();
    tells(&pair.promote(&other).is_error(409), "flows", 1, 1);
    assert_eq!(count(&pair.prod), 1);
    bound(&pair.prod, &Value::Null);
    pair.promote(&other).is(200);
}
