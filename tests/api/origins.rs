//! Pages of other sites (manual 2.4, 12.4): who may ask, and what they may read.

use crate::support::canvases::scripted_flow;
use crate::support::{Answer, Server};
use serde_json::json;

const PAGE: &str = "https://shop.example";

/// A flow that only `PAGE` and `portal.example:8443` may ask.
fn flow_with_origins(server: &Server) -> String {
    let config = json!({
        "allowedOrigins": [PAGE, "portal.example:8443"], "allowedOriginsError": "Ask us from our own site.",
    });
    server.flow_with(&scripted_flow(), &json!({"chatbotConfig": config.to_string()}))
}

fn ask(server: &Server, flow: &str, origin: &str, streaming: bool) -> Answer {
    let call = server.call("POST", &format!("/prediction/{flow}")).header("Origin", origin);
    call.json(&json!({"question": "Hi", "streaming": streaming})).send()
}

fn preflight(server: &Server, flow: &str, origin: &str) -> Answer {
    server
        .call("OPTIONS", &format!("/prediction/{flow}"))
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "content-type,authorization,x-service-session-token")
        .send()
}

#[test]
fn a_listed_page_may_ask_and_read() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    for origin in [PAGE, "HTTPS://SHOP.example", "https://shop.example:443", "http://portal.example:8443"] {
        let answer = ask(&server, &flow, origin, false).is(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert!(answer.header("vary").unwrap().contains("Origin"));
    }
}

#[test]
fn a_listed_page_may_read_the_proof() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    let answer = ask(&server, &flow, PAGE, true).is(200);
    let exposed = answer.header("access-control-expose-headers").unwrap().to_ascii_lowercase();
    assert!(exposed.contains("x-service-session-token"), "{exposed}");
}

#[test]
fn an_unlisted_page_is_refused_with_the_owners_text() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    for origin in [
        "https://evil.example",
        "http://shop.example",
        "https://shop.example:8443",
        "https://shop.example.evil.example",
        "https://evilshop.example",
        "https://portal.example",
        "null",
        "nonsense",
    ] {
        let answer = ask(&server, &flow, origin, false);
        assert_eq!(answer.is_error(403), "Ask us from our own site.", "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
    }
}

#[test]
fn a_refused_page_that_streams_gets_the_bare_text() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    let answer = ask(&server, &flow, "https://evil.example", true).is(403);
    assert_eq!(answer.text(), "Ask us from our own site.");
    assert!(answer.header("content-type").unwrap().starts_with("text/plain"), "{answer:?}");
}

#[test]
fn a_list_without_a_text_has_one_of_ours() {
    let server = Server::start();
    let config = json!({"allowedOrigins": [PAGE]}).to_string();
    let flow = server.flow_with(&scripted_flow(), &json!({"chatbotConfig": config}));
    assert!(ask(&server, &flow, "https://evil.example", false).is_error(403).contains("not allowed"));
}

#[test]
fn a_request_without_an_origin_is_not_checked() {
    let server = Server::start();
    server.ask(&flow_with_origins(&server), &json!({"question": "Hi"})).is(200);
}

#[test]
fn the_services_own_page_is_always_admitted() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    ask(&server, &flow, &format!("http://{}", server.address), false).is(200);
    let public = Server::with(&[("SERVICE_BASE_URL", "https://flows.example")]);
    let flow = flow_with_origins(&public);
    ask(&public, &flow, "https://flows.example", false).is(200);
    // Somebody on the machine itself may go past the proxy.
    ask(&public, &flow, &format!("http://{}", public.address), false).is(200);
    ask(&public, &flow, "http://127.0.0.1:1", false).is(403);
    ask(&public, &flow, "http://flows.example", false).is(403);
}

#[test]
fn an_empty_list_admits_every_page_without_cookies() {
    let server = Server::start();
    for list in [json!([]), json!([""]), json!(null)] {
        let config = json!({ "allowedOrigins": list }).to_string();
        let flow = server.flow_with(&scripted_flow(), &json!({"chatbotConfig": config}));
        let answer = ask(&server, &flow, "https://anyone.example", false).is(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://anyone.example"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        ask(&server, &flow, "null", false).is_error(403);
    }
}

#[test]
fn cors_origins_admit_for_every_flow() {
    let server = Server::with(&[("CORS_ORIGINS", "https://partner.example, https://other.example:8443")]);
    let flow = flow_with_origins(&server);
    for origin in ["https://partner.example", "https://other.example:8443", PAGE] {
        let answer = ask(&server, &flow, origin, false).is(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
    }
    ask(&server, &flow, "https://evil.example", false).is(403);
}

#[test]
fn a_star_in_cors_origins_admits_all_without_cookies() {
    let server = Server::with(&[("CORS_ORIGINS", "*")]);
    let flow = flow_with_origins(&server);
    let answer = ask(&server, &flow, "https://anyone.example", false).is(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://anyone.example"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
}

#[test]
fn the_origin_is_judged_before_the_key_and_after_the_limit() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let flow = flow_with_origins(&server);
    let limit =
        json!({"rateLimit": {"status": true, "limitMax": 2, "limitDuration": 600, "limitMsg": "Slow"}});
    let settings = json!({"apikeyid": key["id"], "apiConfig": limit.to_string()});
    server.put(&format!("/chatflows/{flow}"), &settings);
    ask(&server, &flow, "https://evil.example", false).is(403);
    ask(&server, &flow, PAGE, false).is(401);
    ask(&server, &flow, "https://evil.example", false).is(429);
}

#[test]
fn a_refused_key_can_be_read_by_an_admitted_page() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let flow = flow_with_origins(&server);
    server.put(&format!("/chatflows/{flow}"), &json!({"apikeyid": key["id"]}));
    let answer = ask(&server, &flow, PAGE, false).is(401);
    assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE));
}

#[test]
fn a_preflight_is_answered_for_an_admitted_page() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    let answer = preflight(&server, &flow, PAGE).is(204);
    assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE));
    assert!(answer.header("access-control-allow-methods").unwrap().contains("POST"));
    let headers = answer.header("access-control-allow-headers").unwrap();
    for name in ["content-type", "authorization", "x-service-session-token"] {
        assert!(headers.contains(name), "{headers}");
    }
}

#[test]
fn a_preflight_of_another_page_is_left_without_leave() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    for origin in ["https://evil.example", "null"] {
        assert_eq!(preflight(&server, &flow, origin).header("access-control-allow-origin"), None);
    }
}

#[test]
fn what_a_widget_reads_first_follows_the_same_list() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    for path in ["chatflows-streaming", "public-chatbotConfig"] {
        for (origin, shown) in [(PAGE, Some(PAGE)), ("https://evil.example", None)] {
            let call = server.call("GET", &format!("/{path}/{flow}")).header("Origin", origin);
            assert_eq!(call.send().is(200).header("access-control-allow-origin"), shown, "{path}");
        }
    }
}

/// What the owner reads of refused pages: origin and count.
fn refused_origins(server: &Server, flow: &str) -> Vec<(String, u64)> {
    let rows = server.read(&format!("/refused-origins/{flow}"));
    let row = |row: &serde_json::Value| {
        assert!(row["lastDate"].as_str().unwrap().ends_with('Z'));
        (row["origin"].as_str().unwrap().to_owned(), row["count"].as_u64().unwrap())
    };
    let mut rows: Vec<_> = rows.as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn the_owner_sees_which_pages_were_refused_until_they_are_listed() {
    let server = Server::start();
    let (flow, other) = (flow_with_origins(&server), flow_with_origins(&server));
    assert_eq!(refused_origins(&server, &flow), []);
    for origin in [PAGE, "https://Evil.example", "https://evil.example", "null", "nonsense"] {
        server.call("GET", &format!("/public-chatbotConfig/{flow}")).header("Origin", origin).send().is(200);
    }
    preflight(&server, &flow, "https://evil.example:8443");
    ask(&server, &flow, "https://evil.example", true).is(403);
    let shown = |origin: &str, count: u64| (origin.to_owned(), count);
    let without_site = shown("null", 1);
    let expected =
        [shown("https://evil.example", 3), shown("https://evil.example:8443", 1), without_site.clone()];
    assert_eq!(refused_origins(&server, &flow), expected);
    assert_eq!(refused_origins(&server, &other), []);
    let config = json!({"allowedOrigins": [PAGE, "evil.example", "https://evil.example:8443"]}).to_string();
    server.put(&format!("/chatflows/{flow}"), &json!({"chatbotConfig": config}));
    assert_eq!(refused_origins(&server, &flow), [without_site]);
}

#[test]
fn management_serves_no_page_of_another_site() {
    let server = Server::with(&[("CORS_ORIGINS", "https://partner.example")]);
    let flow = flow_with_origins(&server);
    let read = server.owner("GET", "/chatflows").header("Origin", "https://partner.example").send();
    assert_eq!(read.header("access-control-allow-origin"), None);
    for origin in ["https://partner.example", "https://evil.example", "null"] {
        let change = server.owner("DELETE", &format!("/chatflows/{flow}")).header("Origin", origin);
        change.send().is_error(403);
    }
    let sent = server.owner("DELETE", &format!("/chatflows/{flow}")).header("Sec-Fetch-Site", "cross-site");
    sent.send().is_error(403);
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
}

#[test]
fn a_list_of_origins_that_is_none_is_refused_and_the_old_one_stays() {
    let server = Server::start();
    let flow = flow_with_origins(&server);
    for wrong in [
        json!(PAGE),
        json!(""),
        json!(true),
        json!({"0": PAGE}),
        json!([PAGE, 5]),
        json!([null]),
        json!([{"url": PAGE}]),
        json!([[PAGE]]),
    ] {
        let config = json!({ "allowedOrigins": wrong });
        for sent in [config.clone(), json!(config.to_string())] {
            let call = server.owner("PUT", &format!("/chatflows/{flow}"));
            let message = call.json(&json!({ "chatbotConfig": sent })).send().is_error(400);
            assert!(message.contains("allowedOrigins"), "{message}");
            let made = json!({"name": "New", "type": "CHATFLOW", "chatbotConfig": sent});
            server.owner("POST", "/chatflows").json(&made).send().is_error(400);
        }
        ask(&server, &flow, "https://evil.example", false).is_error(403);
        ask(&server, &flow, PAGE, false).is(200);
    }
    for every in [json!(null), json!([]), json!([""])] {
        let config = json!({ "allowedOrigins": every });
        server.put(&format!("/chatflows/{flow}"), &json!({ "chatbotConfig": config.to_string() }));
        ask(&server, &flow, "https://anywhere.example", false).is(200);
    }
}
