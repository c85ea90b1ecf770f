//! Ways out that public advisories of other products describe. None of them leads anywhere.

use crate::*;

#[test]
fn nothing_of_the_host_is_in_reach() {
    let names = "process global require.main module exports Deno Bun std os bjson print scriptArgs gc Worker SharedWorker \
                 WebAssembly XMLHttpRequest WebSocket importScripts __filename __dirname child_process fetch Headers";
    for name in names.split_whitespace().filter(|name| !name.contains('.')) {
        assert_eq!(value(&format!("return typeof {name}")), "undefined", "{name}");
    }
}

#[test]
fn chains_of_constructors_end_in_the_same_empty_world() {
    for source in [
        "return this === undefined || typeof this.process",
        "return typeof Function('return this')().process",
        "return typeof (0, eval)('this').process",
        "return typeof this?.constructor?.constructor?.('return process')",
        "return typeof console.log.constructor('return this')().process",
        "return typeof $vars.constructor.constructor('return this')().process",
        "return typeof setTimeout.constructor('return this')().process",
        "return typeof Object.getPrototypeOf(async function(){}).constructor('return this.process')",
        "return typeof new Proxy({}, {}).constructor.constructor('return this')().process",
        "return typeof Error.prepareStackTrace",
        "try { null.x } catch (e) { return typeof e.constructor.constructor('return this')().process }",
        "return typeof (await Promise.resolve().then(Function('return this'))).process",
    ] {
        let found = value(source);
        assert!(found == "undefined" || found == "function" || found == true, "{source}: {found}");
    }
    assert!(
        thrown_message("return this.constructor.constructor('return process')().mainModule")
            .contains("Error")
    );
}

#[test]
fn stack_traces_hand_out_no_frames_of_the_host() {
    let source = "Error.prepareStackTrace = (e, frames) => frames;
        const frames = new Error('x').stack;
        if (!Array.isArray(frames)) return 'text';
        return frames.map(frame => typeof frame.getThis?.() + typeof frame.getFunction?.()).join()";
    let found = value(source);
    let text = found.as_str().unwrap();
    assert!(text == "text" || !text.contains("object"), "{text}");
}

#[test]
fn modules_cannot_be_loaded() {
    for name in ["fs", "child_process", "node:fs", "vm", "os", "process", "axios", "/etc/passwd", "./x.js"] {
        assert!(thrown_message(&format!("return require('{name}')")).contains("is not available"), "{name}");
        let said = thrown_message(&format!("return await import('{name}')"));
        assert!(!said.contains("root:"), "{name}: {said}");
    }
    assert!(thrown_message("return require.main.require('fs')").contains("TypeError"));
}

#[test]
fn a_body_that_closes_its_function_gains_nothing() {
    let found = run_script("}); globalThis.x = typeof process; (async function () { return x;").result;
    assert!(
        matches!(found, Ok(Value::String(ref text)) if text == "undefined") || found.is_err(),
        "{found:?}"
    );
}

#[test]
fn blocking_on_shared_memory_is_refused() {
    let source = "const cell = new Int32Array(new SharedArrayBuffer(4)); return Atomics.wait(cell, 0, 0)";
    assert!(matches!(error(source), ScriptError::Threw { .. } | ScriptError::Timeout));
}

#[test]
fn changed_prototypes_do_not_reach_the_next_run() {
    let alone = scripts(1);
    let run = |source: &str| alone.run(source, &ScriptScope::default(), &CancelToken::new(None)).result;
    let before = alone.idle_workers();
    run("Object.prototype.isAdmin = true; Array.prototype.map = () => 'stolen'; globalThis.left = 'behind';
         JSON.stringify = () => '\"forged\"'; Promise.prototype.then = () => {}; globalThis.fetch = 1; console.log = 1;
         Function.prototype.call = () => 'called'; Map.prototype.get = () => 1; return 1")
    .ok();
    let found = run("return [({}).isAdmin, [1].map(x => x), typeof left, typeof fetch, typeof console.log,
         await Promise.resolve(2), JSON.stringify({a: 1})]");
    assert_eq!(found.unwrap(), json!([null, [1], "undefined", "undefined", "function", 2, "{\"a\":1}"]));
    let after = alone.idle_workers();
    assert!(before.is_empty() && after.len() == 1, "one worker served both");
}

#[test]
fn code_that_is_still_waiting_cannot_act_in_the_next_run() {
    let alone = scripts(1);
    let run = |source: &str| alone.run(source, &ScriptScope::default(), &CancelToken::new(None));
    run(
        "setTimeout(() => console.log('ghost'), 5); setInterval(() => { globalThis.ghost = 1 }, 1); return 1",
    );
    let second = run("await new Promise(done => setTimeout(done, 30)); return typeof ghost");
    assert_eq!(second.result.unwrap(), "undefined");
    assert!(second.console.lines.is_empty());
}

#[test]
fn code_can_forge_neither_results_nor_errors_of_the_service() {
    assert_eq!(value("JSON.stringify = () => '\"forged\"'; return 'true'"), "true");
    assert_eq!(value("Object.prototype.toJSON = function () { return 'mine' }; return {a: 1}"), "mine");
    assert_eq!(value("Promise.prototype.then = function () { throw 1 }; return 5"), 5);
}

#[test]
fn the_time_zone_of_the_host_is_not_told() {
    assert_eq!(value("return new Date().getTimezoneOffset()"), 0);
}
