//! Every limit: the code that reaches it is stopped, and the error says which one it was.

use super::*;
use std::time::Instant;

/// The error, and that it came no later than the limit of time and one second.
#[track_caller]
fn error_in_time(source: &str) -> ScriptError {
    let start = Instant::now();
    let error = error(source);
    assert!(start.elapsed() < Duration::from_millis(3_400), "{source}: {:?}", start.elapsed());
    error
}

#[test]
fn a_loop_ends_when_its_time_is_up() {
    assert_eq!(error_in_time("for (;;) {}"), ScriptError::Timeout);
    assert_eq!(error_in_time("try { for (;;) {} } finally { for (;;) {} }"), ScriptError::Timeout);
    assert_eq!(error_in_time("try { for (;;) {} } catch { return 'caught' }"), ScriptError::Timeout);
}

#[test]
fn a_loop_of_promises_ends_when_its_time_is_up() {
    assert_eq!(error_in_time("for (;;) await null"), ScriptError::Timeout);
    // Each waits for the next, so that memory may end first.
    let error = error_in_time("const again = () => Promise.resolve().then(again); await again()");
    assert!(matches!(error, ScriptError::Timeout | ScriptError::Memory), "{error:?}");
}

#[test]
fn a_loop_of_timers_ends_when_its_time_is_up() {
    assert_eq!(error_in_time("await new Promise(() => setInterval(() => {}, 0))"), ScriptError::Timeout);
    assert_eq!(error_in_time("await new Promise(done => setTimeout(done, 1e9))"), ScriptError::Timeout);
}

#[test]
fn a_regular_expression_that_explodes_ends_when_its_time_is_up() {
    assert_eq!(error_in_time("return /^(a+)+$/.test('a'.repeat(40) + 'b')"), ScriptError::Timeout);
}

#[test]
fn native_work_without_end_ends_when_its_time_is_up() {
    for source in [
        "let n = 3n; for (;;) n = n * n",
        "return new Array(2 ** 32 - 1).indexOf(1)",
        "return new Array(2 ** 32 - 2).fill(0).length",
        "const a = 'a'.repeat(2 ** 20); return a.replaceAll('a', a.slice(0, 9)).lastIndexOf('b'.repeat(2 ** 19))",
        "const p = new Proxy([], {get: (t, k) => k === 'length' ? 2 ** 53 - 1 : undefined}); return Array.prototype.includes.call(p, 1)",
    ] {
        let error = run_script(source).result.unwrap_or_else(|error| json!(format!("{error:?}")));
        assert!(!format!("{error}").contains("Crashed"), "{source}: {error}");
        assert_stopped_in_time(source);
    }
}

#[track_caller]
fn assert_stopped_in_time(source: &str) {
    let start = Instant::now();
    let _ = run_script(source);
    assert!(start.elapsed() < Duration::from_millis(3_400), "{source}: {:?}", start.elapsed());
}

#[test]
fn a_promise_that_nothing_can_settle_ends_at_once() {
    let start = Instant::now();
    assert_eq!(error("await new Promise(() => {})"), ScriptError::NeverSettles);
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn memory_has_a_limit() {
    for source in [
        "const all = []; for (;;) all.push(new Array(1000).fill(1))",
        "const all = []; for (;;) all.push(new ArrayBuffer(1 << 20))",
        "const all = []; for (;;) all.push('x'.repeat(1 << 20) + all.length)",
        "const m = new Map(); for (let i = 0;; i++) m.set(i, 'x'.repeat(9000) + i)",
        "return new Uint8Array(2 ** 31 - 1).length",
    ] {
        assert_eq!(error_in_time(source), ScriptError::Memory, "{source}");
    }
}

#[test]
fn code_that_lives_on_after_it_ran_out_of_memory_is_stopped_too() {
    let source =
        "for (;;) { try { const all = []; for (;;) all.push('x'.repeat(1e5) + all.length) } catch {} }";
    assert!(matches!(error_in_time(source), ScriptError::Timeout | ScriptError::Memory));
}

#[test]
fn a_text_longer_than_the_engine_can_hold_is_refused() {
    assert!(matches!(
        error_in_time("return 'x'.repeat(2 ** 30).length"),
        ScriptError::Threw { .. } | ScriptError::Memory
    ));
    assert!(matches!(error_in_time("return 'x'.padEnd(2 ** 29, 'yz').length"), ScriptError::Memory));
}

#[test]
fn recursion_has_a_limit() {
    assert_eq!(error_in_time("const f = () => f() + 1; return f()"), ScriptError::Stack);
    assert_eq!(error_in_time("const f = async () => { await f() }; await f()"), ScriptError::Stack);
    assert_eq!(
        error_in_time("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a"),
        ScriptError::Stack
    );
    assert_eq!(error_in_time("return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))"), ScriptError::Stack);
    assert!(matches!(
        error_in_time("return eval('('.repeat(1e5) + ')'.repeat(1e5))"),
        ScriptError::Stack | ScriptError::Threw { .. }
    ));
    assert!(matches!(
        error_in_time("return new RegExp('('.repeat(1e5) + ')'.repeat(1e5))"),
        ScriptError::Stack | ScriptError::Threw { .. }
    ));
}

#[test]
fn recursion_that_is_caught_does_not_harm_the_run() {
    assert_eq!(value("const f = () => f() + 1; try { f() } catch (e) { return e.name }"), "RangeError");
}

#[test]
fn source_scope_and_result_have_a_largest_size() {
    let long = format!("return 1 //{}", "x".repeat(256 * 1024));
    assert_eq!(error(&long), ScriptError::SourceTooLarge(256 * 1024));
    let scope = ScriptScope { vars: map(json!({"a": "x".repeat(9 << 20)})), ..ScriptScope::default() };
    let ran = SCRIPTS.run("return 1", &scope, &CancelToken::new(None));
    assert_eq!(ran.result, Err(ScriptError::ScopeTooLarge(8 << 20)));
    assert_eq!(error("return 'x'.repeat(1 << 20)"), ScriptError::ResultTooLarge(1 << 20));
    assert_eq!(value("return 'x'.repeat((1 << 20) - 2)").as_str().unwrap().len(), (1 << 20) - 2);
    assert_eq!(
        error("let a = 1; for (let i = 0; i < 65; i++) a = [a]; return a"),
        ScriptError::ResultTooDeep(64)
    );
}

#[test]
fn the_console_keeps_so_much_and_no_more() {
    let ran = run_script(
        "for (let i = 0; i < 5000; i++) console.log('line ' + i); console.log('x'.repeat(1e7)); return 1",
    );
    assert_eq!(ran.result, Ok(json!(1)));
    assert!(ran.console.cut);
    assert_eq!(ran.console.lines.len(), 200);
    let long = super::run_script("console.log('x'.repeat(1e7))").console;
    assert!(long.lines[0].text.len() <= 4096 && !long.cut);
    let wide = super::run_script("for (let i = 0; i < 100; i++) console.log('x'.repeat(4000))").console;
    assert!(wide.cut && wide.lines.iter().map(|line| line.text.len()).sum::<usize>() <= 64 * 1024);
}

#[test]
fn timers_have_a_largest_number() {
    let said = thrown_message("for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6)");
    assert!(said.contains("too many timers"), "{said}");
}

#[test]
fn messages_never_name_the_host() {
    for source in [
        "throw new Error('x')",
        "null.x",
        "let b = ;",
        "return new Uint8Array(2 ** 40)",
        "await import('/etc/passwd')",
    ] {
        let said = format!("{:?} {}", error(source), error(source));
        for word in ["/home", "/tmp", "/work", "src/", ".rs", "target", "rquickjs"] {
            assert!(!said.contains(word), "{source}: {said}");
        }
    }
}
