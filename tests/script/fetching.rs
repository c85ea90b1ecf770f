//! `fetch`: sent by the service, judged there, and bounded like everything else.

use super::*;
use flowkeep::net::Outgoing;
use flowkeep::script::GuardedFetch;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Answers with what was asked, and counts.
#[derive(Default)]
struct EchoServer {
    count: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Fetch for EchoServer {
    fn fetch(&self, request: FetchRequest, cancel: &CancelToken) -> Result<FetchResponse, String> {
        self.count.fetch_add(1, Ordering::SeqCst);
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let wait = if request.url.ends_with("/slow") { 60_000 } else { 20 };
        let whole = cancel.sleep(Duration::from_millis(wait));
        self.now.fetch_sub(1, Ordering::SeqCst);
        if request.url.contains("refused") || !whole {
            return Err("refused by policy".into());
        }
        Ok(FetchResponse {
            status: if request.url.ends_with("/missing") { 404 } else { 200 },
            headers: vec![("content-type".into(), "application/json".into())],
            body: serde_json::to_string(&request).unwrap(),
            url: request.url,
        })
    }
}

fn run_with_fetch(source: &str, fetch: Arc<dyn Fetch>) -> Result<Value, ScriptError> {
    let scope = ScriptScope { fetch: Some(fetch), ..ScriptScope::default() };
    SCRIPTS.run(source, &scope, &CancelToken::new(None)).result
}

fn run_with_echo(source: &str) -> Result<Value, ScriptError> {
    run_with_fetch(source, Arc::new(EchoServer::default()))
}

#[test]
fn a_request_goes_out_as_the_code_wrote_it() {
    let source = "const answer = await fetch('https://a.example/x', {method: 'post', headers: {'X-One': 1}, body: {a: 'é'}});
        return [answer.ok, answer.status, answer.headers.get('Content-Type'), await answer.json()]";
    let request = json!({"method": "POST", "url": "https://a.example/x", "headers": [["x-one", "1"]], "body": "{\"a\":\"é\"}"});
    assert_eq!(run_with_echo(source).unwrap(), json!([true, 200, "application/json", request]));
    let source = "return await (await fetch(new URL('https://a.example/'),
        {method: 'POST', body: new URLSearchParams({a: 'b c'})})).json()";
    let kind = "application/x-www-form-urlencoded;charset=UTF-8";
    let request = json!({"method": "POST", "url": "https://a.example/", "headers": [["content-type", kind]], "body": "a=b+c"});
    assert_eq!(run_with_echo(source).unwrap(), request);
    assert_eq!(
        run_with_echo("const r = await fetch('https://a.example/missing'); return [r.ok, r.status]").unwrap(),
        json!([false, 404])
    );
}

#[test]
fn a_refused_request_is_an_error_the_code_can_catch() {
    let source =
        "try { await fetch('http://refused.example') } catch (e) { return e.name + ': ' + e.message }";
    assert_eq!(run_with_echo(source).unwrap(), "TypeError: fetch failed: refused by policy");
    assert!(matches!(run_with_echo("await fetch('http://refused.example')"), Err(ScriptError::Threw { .. })));
}

#[test]
fn requests_run_beside_one_another_but_not_all_at_once() {
    let echo = Arc::new(EchoServer::default());
    let source =
        "const all = await Promise.all(Array.from({length: 20}, (_, i) => fetch('https://a.example/' + i)));
        return all.map(answer => answer.url.split('/').pop()).join()";
    let expected = (0..20).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(run_with_fetch(source, echo.clone()).unwrap(), expected);
    let most = echo.most.load(Ordering::SeqCst);
    assert!((2..=6).contains(&most), "{most}");
}

#[test]
fn requests_have_a_largest_number() {
    let echo = Arc::new(EchoServer::default());
    let source = "let sent = 0; try { for (;;) { await fetch('https://a.example'); sent++ } } catch (e) { return [sent, e.message] }";
    assert_eq!(run_with_fetch(source, echo.clone()).unwrap(), json!([50, "too many requests in one run"]));
    assert_eq!(echo.count.load(Ordering::SeqCst), 50);
    assert!(matches!(
        run_with_echo("await fetch('https://a.example', {body: 'x'.repeat(2e6)})"),
        Err(ScriptError::Threw { .. })
    ));
}

#[test]
fn an_answer_that_never_comes_ends_with_the_time_of_the_run() {
    let start = Instant::now();
    assert_eq!(run_with_echo("await fetch('https://a.example/slow')"), Err(ScriptError::Timeout));
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn an_answer_that_comes_too_late_does_not_reach_the_next_run() {
    let alone = scripts(1);
    let scope = ScriptScope { fetch: Some(Arc::new(EchoServer::default())), ..ScriptScope::default() };
    for _ in 0..20 {
        let first = alone.run(
            "fetch('https://a.example/secret'); await null; return 1",
            &scope,
            &CancelToken::new(None),
        );
        assert_eq!(first.result, Ok(json!(1)));
        let second = alone.run(
            "const a = await fetch('https://a.example/mine'); return a.url",
            &scope,
            &CancelToken::new(None),
        );
        assert_eq!(second.result, Ok(json!("https://a.example/mine")));
    }
}

#[test]
fn without_a_sender_there_is_no_fetch() {
    assert!(thrown_message("await fetch('https://a.example')").contains("ReferenceError"));
}

/// A server that sends every caller to the address after its first line.
fn redirecting_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let own = address.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap();
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
            let answer = match path.strip_prefix("/to/") {
                Some("self") => {
                    format!("HTTP/1.1 302 Found\r\nlocation: {own}/to/self\r\ncontent-length: 0\r\n\r\n")
                }
                Some(place) => format!(
                    "HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
                    place.replace('|', "/")
                ),
                None => format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{head}", head.len()),
            };
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

fn guarded_fetch(address: &str) -> Arc<dyn Fetch> {
    let allowed = address.trim_start_matches("http://");
    let settings = flowkeep::settings::Settings::from_vars(
        |name| match name {
            "SERVICE_HTTP_ALLOW" => Some(allowed.to_owned()),
            "SERVICE_DATA_DIR" => Some("/nowhere".to_owned()),
            _ => None,
        },
        flowkeep::settings::Flags::default(),
    );
    Arc::new(GuardedFetch::new(Outgoing::new(settings.unwrap().http_allow, false)))
}

#[test]
fn addresses_inside_are_refused_by_the_guard() {
    let nobody: Arc<dyn Fetch> = Arc::new(GuardedFetch::new(Outgoing::new(Vec::new(), true)));
    for address in [
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://0x7f.1/",
    ] {
        let source = format!("try {{ await fetch('{address}') }} catch (e) {{ return e.message }}");
        assert_eq!(
            run_with_fetch(&source, nobody.clone()).unwrap(),
            "fetch failed: refused by policy",
            "{address}"
        );
    }
    for address in ["file:///etc/passwd", "x", "ftp://a.example"] {
        let source = format!("await fetch('{address}')");
        assert!(
            matches!(run_with_fetch(&source, nobody.clone()), Err(ScriptError::Threw { .. })),
            "{address}"
        );
    }
}

#[test]
fn a_redirect_is_followed_and_judged_anew() {
    let address = redirecting_server();
    let guard = guarded_fetch(&address);
    let run = |path: &str, options: &str| {
        let source = format!(
            "const r = await fetch('{address}{path}', {options}); return [r.status, r.redirected, await r.text()]"
        );
        run_with_fetch(&source, guard.clone())
    };
    let found = run("/to/|end", "{method: 'POST', body: 'x', headers: {Authorization: 'mine'}}").unwrap();
    assert_eq!((found[0].clone(), found[1].clone()), (json!(200), json!(true)));
    let head = found[2].as_str().unwrap();
    assert!(head.starts_with("GET /end ") && head.contains("authorization: mine"), "{head}");
    for path in ["/to/http:||127.0.0.1:1|", "/to/http:||169.254.169.254|"] {
        assert!(
            matches!(run(path, "{}"), Err(ScriptError::Threw { message, .. }) if message.contains("refused by policy"))
        );
    }
    assert!(
        matches!(run("/to/self", "{}"), Err(ScriptError::Threw { message, .. }) if message.contains("redirected too often"))
    );
}

#[test]
fn the_modules_that_flows_ask_for_go_the_same_way() {
    let source =
        "const fetch = require('node-fetch'); return (await (await fetch('https://a.example/n')).json()).url";
    assert_eq!(run_with_echo(source).unwrap(), "https://a.example/n");
    let source = "const axios = require('axios');
        const got = await axios.get('https://a.example/x?a=1', {params: {b: ['c d', 2], none: null}, headers: {'X-One': 1}});
        const api = axios.create({baseURL: 'https://a.example/v1/', headers: {'X-Two': 2}});
        const posted = await api.post('/items', {name: 'é'}, {auth: {username: 'u', password: 'p'}});
        return [got.status, got.data, got.headers['content-type'], posted.data, (await axios({url: 'https://a.example/', responseType: 'text'})).data[0]]";
    let got = json!({"method": "GET", "url": "https://a.example/x?a=1&b=c+d&b=2", "headers": [["x-one", "1"]], "body": null});
    let headers =
        json!([["x-two", "2"], ["content-type", "application/json"], ["authorization", "Basic dTpw"]]);
    let posted = json!({"method": "POST", "url": "https://a.example/v1/items", "headers": headers, "body": "{\"name\":\"é\"}"});
    assert_eq!(run_with_echo(source).unwrap(), json!([200, got, "application/json", posted, "{"]));
    let source = "const axios = require('axios');
        try { await axios.put('https://a.example/missing', 'x') } catch (error) {
            return [axios.isAxiosError(error), error.message, error.response.status, error.response.data.body] }";
    assert_eq!(
        run_with_echo(source).unwrap(),
        json!([true, "Request failed with status code 404", 404, "x"])
    );
    assert!(
        run_with_echo("return require('axios').get('https://refused.example')")
            .unwrap_err()
            .to_string()
            .contains("refused")
    );
}
