//! What code sees, and what becomes of what it returns.

use super::*;
use flowkeep::script::{ConsoleLevel, ConsoleLine};

fn with(source: &str) -> Value {
    let scope = ScriptScope {
        inputs: map(json!({"input": "hello", "rows": [1, {"a": null}], "vars": "not these"})),
        vars: map(json!({"city": "Łódź"})),
        flow: map(json!({"chatId": "c1", "state": {"count": 2}})),
        fetch: None,
        ..ScriptScope::default()
    };
    SCRIPTS.run(source, &scope, &CancelToken::new(None)).result.unwrap()
}

#[test]
fn code_sees_inputs_variables_and_the_flow() {
    assert_eq!(with("return $input + ' ' + $vars.city + ' ' + $flow.state.count"), "hello Łódź 2");
    assert_eq!(with("return [$rows, $flow.chatId]"), json!([[1, {"a": null}], "c1"]));
}

#[test]
fn an_input_cannot_take_the_place_of_the_variables() {
    assert_eq!(with("return $vars"), json!({"city": "Łódź"}));
}

#[test]
fn code_may_wait_for_promises_and_timers() {
    assert_eq!(value("const a = await Promise.all([1, Promise.resolve(2)]); return a"), json!([1, 2]));
    let source = "const seen = [];
        const later = (name, ms) => new Promise(done => setTimeout(() => { seen.push(name); done(); }, ms));
        await Promise.all([later('b', 20), later('a', 5)]);
        return seen;";
    assert_eq!(value(source), json!(["a", "b"]));
    let source = "let n = 0; await new Promise(done => {
        const id = setInterval(() => { if (++n === 3) { clearInterval(id); done(); } }, 2); }); return n";
    assert_eq!(value(source), json!(3));
}

#[test]
fn results_become_json() {
    for (source, expected) in [
        ("", json!(null)),
        ("return undefined", json!(null)),
        ("return null", json!(null)),
        ("return 1.5", json!(1.5)),
        ("return NaN", json!(null)),
        ("return true", json!(true)),
        ("return 'text'", json!("text")),
        ("return '{\"a\": [1]}'", json!({"a": [1]})),
        ("return {b: 1, a: undefined, c: [undefined]}", json!({"b": 1, "c": [null]})),
        ("return new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("return '\\ud800x'", json!("\u{fffd}x")),
        ("return JSON.parse('{\"__proto__\": 1}')", json!({"__proto__": 1})),
        ("// a comment\nreturn 1 // and another", json!(1)),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn what_has_no_json_form_is_refused_and_said() {
    for source in [
        "return () => 1",
        "return Symbol('x')",
        "return 10n",
        "const a = {}; a.a = a; return a",
        "return {toJSON() { throw new Error('no') }}",
    ] {
        assert!(matches!(error(source), ScriptError::NotJson(_)), "{source}");
    }
}

#[test]
fn an_error_tells_its_message_and_its_line() {
    let expected = ScriptError::Threw { message: "TypeError: no".into(), line: Some(2) };
    assert_eq!(error("const a = 1;\nthrow new TypeError('no')"), expected);
    assert_eq!(thrown_message("await Promise.reject('plain')"), "plain");
    assert_eq!(thrown_message("throw {code: 7}"), r#"{"code":7}"#);
    assert_eq!(thrown_message("throw undefined"), "undefined");
    assert_eq!(thrown_message("throw null"), "null");
    assert!(thrown_message("throw new Error('x'.repeat(1e6))").len() < 2_100);
    assert_eq!(
        thrown_message("setTimeout(() => { throw new Error('later') }, 1); await new Promise(() => {})"),
        "Error: later"
    );
}

#[test]
fn code_that_cannot_be_read_is_told_apart_and_named_by_line() {
    let ScriptError::Syntax { line, .. } = error("let a = 1;\nlet b = ;") else { panic!("no syntax error") };
    assert_eq!(line, Some(2));
    assert!(matches!(error("import x from 'y'"), ScriptError::Syntax { .. }));
}

#[test]
fn the_console_is_kept_in_order() {
    let ran = run_script(
        "console.log('a', {b: 1}, [2], null, undefined); console.warn('w'); console.error(new Error('e'));",
    );
    let line = |loudness, text: &str| ConsoleLine { loudness, text: text.into() };
    assert_eq!(
        ran.console.lines,
        [
            line(ConsoleLevel::Log, r#"a {"b":1} [2] null undefined"#),
            line(ConsoleLevel::Warn, "w"),
            line(ConsoleLevel::Error, "Error: e")
        ]
    );
    assert!(!ran.console.cut);
}

#[test]
fn the_console_is_kept_when_the_code_throws() {
    let ran = run_script("console.log('before'); throw 1");
    assert!(ran.result.is_err());
    assert_eq!(ran.console.lines[0].text, "before");
}

#[test]
fn addresses_are_taken_apart_and_put_together() {
    let source = "const u = new URL('../b c?x=1&y=a+b#h', 'HTTPS://User:pw@Example.com:8443/one/two');
        return [u.href, u.origin, u.protocol, u.username, u.host, u.hostname, u.port, u.pathname, u.search, u.hash,
                u.searchParams.get('y'), String(u) === JSON.parse(JSON.stringify(u))]";
    let expected = json!([
        "https://User:pw@example.com:8443/b%20c?x=1&y=a+b#h",
        "https://example.com:8443",
        "https:",
        "User",
        "example.com:8443",
        "example.com",
        "8443",
        "/b%20c",
        "?x=1&y=a+b",
        "#h",
        "a b",
        true
    ]);
    assert_eq!(value(source), expected);
    let source = "const u = new URL('https://a.example/?x=1#h'); u.searchParams.set('x', 'é&='); u.searchParams.append('z', '2');
        u.searchParams.delete('none'); return [u.href, new URL('https://a.example').host]";
    assert_eq!(value(source), json!(["https://a.example/?x=%C3%A9%26%3D&z=2#h", "a.example"]));
    let source = "const p = new URLSearchParams({a: 1, b: \"it's (x)\"}); p.append('a', 2); return [String(p), p.getAll('a'), [...p].length,
        new URLSearchParams('?q=%zz&r').get('r'), new URLSearchParams([['k', 'v']]).has('k'), URL.canParse('no')]";
    assert_eq!(value(source), json!(["a=1&b=it%27s+%28x%29&a=2", ["1", "2"], 3, "", true, false]));
    assert!(thrown_message("new URL('no')").contains("Invalid URL"));
}

#[test]
fn require_says_what_there_is_instead() {
    let said = thrown_message("const axios = require('axios')");
    assert!(
        said.contains("require(\"axios\") is not available") && said.contains("fetch(url, options)"),
        "{said}"
    );
}
