//! What code finds of Node and of the web beside the language. Expected values are those of Node and of published vectors.

use super::*;
use flowkeep::script::{CallHandler, ScriptServices};

/// Compares what each line returns.
#[track_caller]
fn all(cases: &[(&str, Value)]) {
    for (source, expected) in cases {
        assert_eq!(value(&format!("return {source}")), *expected, "{source}");
    }
}

#[test]
fn digests_are_those_of_the_published_vectors() {
    // FIPS 180-4 and RFC 1321.
    let hash = |name: &str| {
        value(&format!("return crypto.createHash('{name}').update('a').update('bc').digest('hex')"))
    };
    assert_eq!(hash("md5"), "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(hash("SHA1"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_eq!(hash("sha224"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    assert_eq!(hash("sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let long =
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7";
    assert_eq!(hash("SHA-384"), long);
    let long = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
    assert_eq!(hash("RSA-SHA512"), long);
    assert_eq!(value("return crypto.createHash('md5').digest('base64')"), "1B2M2Y8AsgTpgAmY7PhCfg==");
    assert!(thrown_message("crypto.createHash('whirlpool')").contains("not supported"));
    assert!(
        thrown_message("const h = crypto.createHash('md5'); h.digest(); h.update('x')")
            .contains("already called")
    );
}

#[test]
fn signatures_are_those_of_the_published_vectors() {
    // RFC 4231 cases 1, 2 and 6; RFC 2202 case 2.
    let hmac = |name: &str, key: &str, text: &str| {
        value(&format!(
            "return require('node:crypto').createHmac('{name}', {key}).update({text}).digest('hex')"
        ))
    };
    assert_eq!(
        hmac("sha256", "Buffer.alloc(20, 0x0b)", "'Hi There'"),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    );
    assert_eq!(
        hmac("sha256", "'Jefe'", "'what do ya want for nothing?'"),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    assert_eq!(
        hmac("sha384", "'Jefe'", "'what do ya want for nothing?'"),
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
    );
    let key = "Buffer.alloc(131, 0xaa)";
    assert_eq!(
        hmac("sha512", key, "'Test Using Larger Than Block-Size Key - Hash Key First'"),
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
    );
    assert_eq!(
        hmac("sha1", "'Jefe'", "'what do ya want for nothing?'"),
        "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
    );
    assert_eq!(hmac("md5", "'Jefe'", "'what do ya want for nothing?'"), "750c783e6ab0b503eaa86e310a5db738");
}

#[test]
fn the_webs_interface_signs_and_verifies() {
    let source = "const data = new TextEncoder().encode('what do ya want for nothing?');
        const key = await crypto.webcrypto.subtle.importKey('raw', new TextEncoder().encode('Jefe'), {name: 'HMAC', hash: 'SHA-256'},
            true, ['sign', 'verify']);
        const signature = await crypto.subtle.sign('HMAC', key, data);
        const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'));
        return [Buffer.from(signature).toString('hex'), await crypto.subtle.verify('HMAC', key, signature, data),
                await crypto.subtle.verify('HMAC', key, signature, data.slice(1)), Buffer.from(digest).toString('hex').slice(0, 8),
                (await crypto.subtle.exportKey('jwk', key)).k, signature instanceof ArrayBuffer]";
    let signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(value(source), json!([signature, true, false, "ba7816bf", "SmVmZQ", true]));
    assert!(thrown_message("await crypto.subtle.encrypt()").contains("not a function"));
    assert!(thrown_message("crypto.createCipheriv('aes-256-gcm')").contains("createHmac"));
}

#[test]
fn random_values_have_their_form_and_differ() {
    all(&[
        (
            "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
            json!(true),
        ),
        ("new Set(Array.from({length: 100}, () => crypto.randomUUID())).size", json!(100)),
        (
            "[crypto.randomBytes(0).length, crypto.randomBytes(7).length, Buffer.isBuffer(crypto.randomBytes(1))]",
            json!([0, 7, true]),
        ),
        ("Array.from({length: 500}, () => crypto.randomInt(5, 8)).every(n => n >= 5 && n < 8)", json!(true)),
        ("crypto.getRandomValues(new Uint32Array(4)).some(n => n > 0)", json!(true)),
        ("crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ab'))", json!(true)),
        ("crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ac'))", json!(false)),
    ]);
    assert!(
        thrown_message("crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('ab'))")
            .contains("same byte length")
    );
    assert!(thrown_message("crypto.randomBytes(1e9)").contains("65536"));
}

#[test]
fn buffers_read_and_write_every_encoding() {
    all(&[
        ("Buffer.from('héllo €😀').toString('hex')", json!("68c3a96c6c6f20e282acf09f9880")),
        ("Buffer.from('68c3a9zz', 'hex').toString()", json!("hé")),
        ("Buffer.from('abc', 'hex').length", json!(1)),
        ("Buffer.from('hi?>').toString('base64')", json!("aGk/Pg==")),
        ("Buffer.from('hi?>').toString('base64url')", json!("aGk_Pg")),
        ("Buffer.from('aGk_Pg', 'base64').toString()", json!("hi?>")),
        ("Buffer.from(' aG k/\\nPg==xx', 'base64').toString()", json!("hi?>")),
        ("Buffer.from('é', 'latin1').toString('hex')", json!("e9")),
        ("Buffer.from([0xe9, 0x41]).toString('binary')", json!("éA")),
        ("Buffer.from([0xe9, 0x41]).toString('ascii')", json!("iA")),
        ("Buffer.from('a€', 'utf16le').toString('hex')", json!("6100ac20")),
        ("Buffer.from('6100ac20', 'hex').toString('ucs2')", json!("a€")),
        ("Buffer.from([0xff, 0x41]).toString()", json!("\u{fffd}A")),
        ("JSON.stringify(Buffer.from('ab'))", json!({"type": "Buffer", "data": [97, 98]})),
        ("Buffer.from(JSON.parse(JSON.stringify(Buffer.from('ab')))).toString()", json!("ab")),
        ("Buffer.byteLength('€')", json!(3)),
        ("new Buffer('old').toString() + Buffer('er')", json!("older")),
        ("Buffer.isEncoding('UTF-8') && !Buffer.isEncoding('x')", json!(true)),
    ]);
    assert!(thrown_message("Buffer.from('x', 'utf-7')").contains("Unknown encoding"));
    assert!(thrown_message("Buffer.from(undefined)").contains("Buffer.from takes"));
}

#[test]
fn buffers_join_search_compare_and_hold_numbers() {
    all(&[
        (
            "Buffer.concat([Buffer.from('a'), new Uint8Array([98]), Buffer.alloc(2)], 3).toString('hex')",
            json!("616200"),
        ),
        ("Buffer.compare(Buffer.from('a'), Buffer.from('b'))", json!(-1)),
        (
            "[Buffer.from('abcabc').indexOf('ca'), Buffer.from('abcabc').lastIndexOf('abc'), Buffer.from('abc').includes(0x64)]",
            json!([2, 3, false]),
        ),
        ("Buffer.from('abc').equals(new Uint8Array([97, 98, 99]))", json!(true)),
        (
            "(() => { const b = Buffer.alloc(8); b.writeUInt32BE(0xdeadbeef, 0); return [b.toString('hex'), b.readInt16LE(2), b.readUint8(0), b.readUIntBE(0, 3)] })()",
            json!(["deadbeef00000000", -4162, 222, 14_593_470]),
        ),
        (
            "(() => { const b = Buffer.from('abcd'); b.slice(1, 2)[0] = 0x58; return [b.toString(), b.subarray(2).toString(), b.fill('xy').toString(), b.write('zz', 1), String(b)] })()",
            json!(["aXcd", "cd", "xyxy", 2, "xzzy"]),
        ),
        ("Buffer.from('abc').map(byte => byte + 1).toString()", json!("bcd")),
        ("Buffer.alloc(3, 'ab').toString()", json!("aba")),
        (
            "(() => { const into = Buffer.alloc(2); return [Buffer.from('abc').copy(into, 1), into.toString('hex')] })()",
            json!([1, "0061"]),
        ),
    ]);
    assert!(thrown_message("Buffer.alloc(2).readUInt32LE(0)").contains("out of range"));
}

#[test]
fn texts_become_bytes_and_texts_again() {
    all(&[
        ("[...new TextEncoder().encode('é')]", json!([195, 169])),
        ("new TextEncoder().encodeInto('a€b', new Uint8Array(4))", json!({"read": 2, "written": 4})),
        ("new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 104]))", json!("h")),
        (
            "new TextDecoder('utf-8', {ignoreBOM: true}).decode(new Uint8Array([0xef, 0xbb, 0xbf, 104])).length",
            json!(2),
        ),
        ("new TextDecoder('windows-1252').decode(new Uint8Array([0x80]))", json!("€")),
        ("new TextDecoder('latin1').encoding", json!("windows-1252")),
        (
            "(() => { const d = new TextDecoder(), b = new TextEncoder().encode('a😀b'); return d.decode(b.slice(0, 3), {stream: true}) + d.decode(b.slice(3)) })()",
            json!("a😀b"),
        ),
        ("atob(btoa('x'))", json!("x")),
    ]);
    assert!(
        thrown_message("new TextDecoder('utf-8', {fatal: true}).decode(new Uint8Array([0xff]))")
            .contains("not valid")
    );
    assert!(thrown_message("new TextDecoder('nonsense')").contains("not known"));
}

#[test]
fn a_structured_clone_copies_what_a_value_holds() {
    let source = "const shared = {n: 1};
        const value = {date: new Date(0), set: new Set([1, shared]), map: new Map([[shared, 'x']]), bytes: new Uint8Array([1, 2]), shared,
            list: [1, , undefined], error: new TypeError('no'), pattern: /a/gi};
        value.self = value;
        const copy = structuredClone(value);
        copy.shared.n = 2;
        copy.bytes[0] = 9;
        return [copy !== value, copy.self === copy, copy.date instanceof Date, [...copy.set][1] === copy.shared, copy.map.get(copy.shared),
                value.shared.n, value.bytes[0], copy.bytes instanceof Uint8Array, 1 in copy.list, copy.error instanceof TypeError,
                copy.error.message, String(copy.pattern)]";
    let expected = json!([true, true, true, true, "x", 1, 1, true, false, true, "no", "/a/gi"]);
    assert_eq!(value(source), expected);
    assert!(thrown_message("structuredClone({work() {}})").contains("cannot be cloned"));
    let source = "try { structuredClone(() => 1) } catch (error) { return error.name }";
    assert_eq!(value(source), "DataCloneError");
}

#[test]
fn forms_and_paths_are_taken_apart_as_in_node() {
    all(&[
        (
            "require('querystring').stringify({a: 1, b: ['x y', 'é'], c: null})",
            json!("a=1&b=x%20y&b=%C3%A9&c="),
        ),
        (
            "require('node:querystring').parse('a=1&b=x+y&b=%C3%A9&c')",
            json!({"a": "1", "b": ["x y", "é"], "c": ""}),
        ),
        ("require('path').join('/a', '..', 'b/', './c.txt')", json!("/b/c.txt")),
        ("require('path').resolve('a', '/b', 'c/../d')", json!("/b/d")),
        ("require('path').normalize('/a//b/../../..')", json!("/")),
        ("require('path').normalize('./a/./b//')", json!("a/b/")),
        (
            "require('path').parse('/home/user/file.tar.gz')",
            json!({"root": "/", "dir": "/home/user", "base": "file.tar.gz", "ext": ".gz", "name": "file.tar"}),
        ),
        (
            "['.bashrc', 'a.', 'x/y.md/', '..', 'a.b'].map(require('path').extname)",
            json!(["", ".", ".md", "", ".b"]),
        ),
        (
            "['/a/b/', 'a', '/a', '//a/b'].map(p => require('path').dirname(p))",
            json!(["/a", ".", "/", "//a"]),
        ),
        ("require('path').basename('/a/b.txt', '.txt')", json!("b")),
        ("require('path').relative('/data/a/b', '/data/c/d')", json!("../../c/d")),
        ("require('path').format({dir: '/a', name: 'b', ext: 'txt'})", json!("/a/b.txt")),
        ("require('url').parse('https://u:p@host.example:8080/p/a?q=1#h').pathname", json!("/p/a")),
        ("require('url').parse('/a/b?x=1&x=2', true).query.x", json!("2")),
        (
            "require('url').format({protocol: 'https', hostname: 'a.example', pathname: 'b', query: {c: 1}})",
            json!("https://a.example/b?c=1"),
        ),
        ("require('url').resolve('/one/two/three', 'four')", json!("/one/two/four")),
    ]);
}

#[test]
fn pieces_of_an_address_can_be_changed() {
    let source = "const u = new URL('http://a.example/x?y=1#z'); u.protocol = 'https'; u.pathname = '/p q'; u.search = new URLSearchParams({k: 'v w'});
        u.port = '81'; u.hash = ''; u.hostname = 'b.example'; u.searchParams.append('n', '2'); return u.href";
    assert_eq!(value(source), "https://b.example:81/p%20q?k=v+w&n=2");
    assert_eq!(
        value(
            "const u = new URL('http://a.example'); u.href = 'https://c.example/d'; return [u.host, u.pathname]"
        ),
        json!(["c.example", "/d"])
    );
}

#[test]
fn events_reach_their_listeners_in_order() {
    let source = "const { EventEmitter, once } = require('events');
        const seen = [], emitter = new EventEmitter();
        emitter.on('x', (a, b) => seen.push(a + b)).once('x', () => seen.push('once')).prependListener('x', () => seen.push('first'));
        const came = once(emitter, 'x');
        emitter.emit('x', 1, 2);
        emitter.emit('x', 3, 4);
        class Own extends EventEmitter {}
        try { new Own().emit('error', new Error('loud')) } catch (error) { seen.push(error.message) }
        return [seen, await came, emitter.listenerCount('x'), emitter.emit('y'), require('events') === EventEmitter]";
    assert_eq!(value(source), json!([["first", 3, "once", "first", 7, "loud"], [1, 2], 2, false, true]));
}

#[test]
fn assertions_and_timers_and_packing_work() {
    assert!(
        thrown_message("require('assert').deepStrictEqual({a: [1, 2]}, {a: [1, 3]})")
            .contains("AssertionError")
    );
    let source = "const assert = require('assert'); assert(1); assert.deepEqual([1, '2'], ['1', 2]);
        assert.throws(() => { throw new TypeError('bad') }, /bad/); await assert.rejects(Promise.reject(new Error('x')), Error);
        await require('timers/promises').setTimeout(2); await new Promise(done => setImmediate(done));
        const zlib = require('zlib'); const packed = zlib.gzipSync('hello'.repeat(1000));
        return [packed.length < 200, zlib.gunzipSync(packed).length, zlib.inflateRawSync(zlib.deflateRawSync(Buffer.from('x'))).toString(),
                zlib.unzipSync(zlib.deflateSync('y')).toString()]";
    assert_eq!(value(source), json!([true, 5000, "x", "y"]));
}

#[test]
fn packing_cannot_make_more_than_code_may_hold() {
    // Twelve megabytes of zeros, packed three times over, would be far more than the limit of memory.
    let source = "const zlib = require('zlib'); let bytes = Buffer.alloc(12 << 20); bytes = zlib.gzipSync(bytes);
        bytes = zlib.gzipSync(bytes); const all = []; for (;;) all.push(zlib.gunzipSync(zlib.gunzipSync(bytes)))";
    assert_eq!(error(source), ScriptError::Memory);
    let source = "const zlib = require('zlib'); const one = zlib.gzipSync(Buffer.alloc(4 << 20)); zlib.gunzipSync(Buffer.concat(Array(9).fill(one)))";
    assert!(thrown_message(source).contains("more bytes"), "{}", thrown_message(source));
}

#[test]
fn bytes_count_towards_the_limit_of_memory() {
    for source in [
        "const all = []; for (;;) all.push(Buffer.from('x'.repeat(1 << 20)))",
        "const all = []; for (;;) all.push(new TextEncoder().encode('x'.repeat(1 << 20)))",
        "const all = []; for (;;) all.push(crypto.randomBytes(60000))",
        "const all = []; for (;;) all.push(Buffer.alloc(1 << 20).toString('hex'))",
    ] {
        assert_eq!(error(source), ScriptError::Memory, "{source}");
    }
}

#[test]
fn messages_become_the_json_of_the_familys_classes() {
    let source = "const { AIMessage, HumanMessage, ToolMessage } = require('@langchain/core/messages');
        const called = new AIMessage({content: '', tool_calls: [{id: '1', name: 'sum', args: {a: 1}}]});
        return [new HumanMessage('Hi'), called, new ToolMessage({tool_call_id: '1', content: '2'}), called instanceof AIMessage,
                new HumanMessage('x').getType(), new HumanMessage('y').content]";
    let message = |name: &str, kwargs: Value| json!({"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": kwargs});
    let calls = json!([{"id": "1", "name": "sum", "args": {"a": 1}}]);
    let expected = json!([
        message("HumanMessage", json!({"content": "Hi"})),
        message("AIMessage", json!({"content": "", "tool_calls": calls})),
        message("ToolMessage", json!({"content": "2", "tool_call_id": "1"})),
        true,
        "human",
        "y"
    ]);
    assert_eq!(value(source), expected);
}

#[test]
fn a_missing_module_is_named_with_what_there_is_instead() {
    for (name, instead) in [
        ("fs", "reaches no file"),
        ("uuid", "crypto.randomUUID()"),
        ("node:https", "fetch(url, options)"),
        ("crypto-js", "createHmac"),
        ("lodash", "structuredClone"),
        ("nothing-known", "modules assert, buffer, crypto, events, path, querystring"),
    ] {
        let said = thrown_message(&format!("require('{name}')"));
        assert!(said.contains("is not available") && said.contains(instead), "{said}");
    }
}

#[test]
fn code_may_put_its_own_thing_in_the_place_of_a_global() {
    all(&[
        ("(() => { globalThis.Buffer = 7; return Buffer })()", json!(7)),
        ("(() => { URL = undefined; return typeof URL })()", json!("undefined")),
        ("(() => { const Buffer = 1, crypto = 2; return Buffer + crypto })()", json!(3)),
        ("Object.keys(globalThis).filter(name => name !== \"performance\")", json!([])),
    ]);
}

#[test]
fn the_input_is_what_was_asked_unless_a_variable_has_its_name() {
    let run = |inputs: Value| {
        let scope = ScriptScope {
            inputs: map(inputs),
            flow: map(json!({"input": "asked"})),
            ..ScriptScope::default()
        };
        SCRIPTS.run("return [$input, $flow.input]", &scope, &CancelToken::new(None)).result.unwrap()
    };
    assert_eq!(run(json!({})), json!(["asked", "asked"]));
    assert_eq!(run(json!({"input": 5})), json!([5, "asked"]));
}

struct AddingHandler;

impl CallHandler for AddingHandler {
    fn names(&self) -> Vec<String> {
        vec!["add".into()]
    }

    fn call(&self, _: &str, arguments: &Value) -> Result<String, String> {
        match (arguments["a"].as_i64(), arguments["b"].as_i64()) {
            (Some(a), Some(b)) => Ok((a + b).to_string()),
            _ => Err("a and b must be numbers".into()),
        }
    }
}

#[test]
fn tools_are_called_in_the_service_and_their_errors_can_be_caught() {
    let run = |source: &str| {
        SCRIPTS
            .run_with(
                source,
                &ScriptScope::default(),
                ScriptServices { calls: Some(&AddingHandler), ..ScriptServices::default() },
                &CancelToken::new(None),
            )
            .result
    };
    let source = "const sums = await Promise.all([1, 2, 3].map(n => $tools.add({a: n, b: n})));
        try { await $tools.add.invoke({}) } catch (error) { sums.push(error.message) }
        return [...sums, await $tools.add.call({a: 1, b: 1}), Object.keys($tools)]";
    assert_eq!(run(source).unwrap(), json!(["2", "4", "6", "a and b must be numbers", "2", ["add"]]));
    assert_eq!(value("return typeof $tools"), "undefined");
    let ScriptError::Threw { message, .. } = run("for (;;) await $tools.add({a: 1, b: 1})").unwrap_err()
    else {
        panic!("calls have no limit")
    };
    assert!(message.contains("too many calls"), "{message}");
}
