// What code finds beside the language itself. The engine calls this with the few native functions there are
// and keeps the object that it returns; nothing here can do more than those functions can. What most code never asks
// for is a part of its own, in a file beside this one, which is read when it is first used.
(function (native) {
  "use strict";
  const { stringify, parse } = JSON;
  const wellFormed = (text) => String(text).toWellFormed();
  const own = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });

  const shown = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return value.stack ? `${value.name}: ${value.message}` : String(value);
    if (typeof value === "object" && value !== null) {
      try {
        return stringify(value) ?? String(value);
      } catch {
        return Object.prototype.toString.call(value);
      }
    }
    return String(value);
  };
  const say = (level) => (...words) => native.log(level, wellFormed(words.map(shown).join(" ").slice(0, 4096)));
  const [log, warn, error] = [say(0), say(1), say(2)];
  own(globalThis, "console", { log, info: log, debug: log, trace: log, dir: log, table: log, warn, error });

  // Timers: the engine keeps the times, this keeps the functions.
  const timers = new Map();
  let newest = 0;
  const later = (again) => (work, milliseconds, ...rest) => {
    if (typeof work !== "function") throw new TypeError("a timer needs a function");
    const wait = Math.max(Number(milliseconds) || 0, again ? 1 : 0);
    const id = ++newest;
    native.timer(id, wait);
    timers.set(id, { work, rest, wait, again });
    return id;
  };
  const clear = (id) => {
    if (timers.delete(id)) native.untimer(id);
  };
  const timing = {
    setTimeout: later(false),
    setInterval: later(true),
    setImmediate: (work, ...rest) => timing.setTimeout(work, 0, ...rest),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  for (const name of Object.keys(timing)) own(globalThis, name, timing[name]);
  const waiting = {
    setTimeout: (milliseconds, value) => new Promise((done) => timing.setTimeout(done, milliseconds, value)),
    setImmediate: (value) => new Promise((done) => timing.setImmediate(done, value)),
  };

  const parts = new Map();
  const part = (name) => {
    if (!parts.has(name)) parts.set(name, native.part(name)(kit));
    return parts.get(name);
  };
  const kit = { native, own, part, parse, stringify, wellFormed };

  // A global that is made when it is first looked at; code may put something of its own in its place before.
  const lazily = (name, make) =>
    Object.defineProperty(globalThis, name, {
      get() {
        own(globalThis, name, make());
        return globalThis[name];
      },
      set(value) {
        own(globalThis, name, value);
      },
      enumerable: false,
      configurable: true,
    });
  for (const [name, home] of [
    ["URL", "address"],
    ["URLSearchParams", "address"],
    ["TextEncoder", "text"],
    ["TextDecoder", "text"],
    ["Buffer", "buffer"],
    ["crypto", "crypto"],
    ["structuredClone", "clone"],
  ]) {
    lazily(name, () => part(home)[name]);
  }

  // Modules that code of Flowise's flows asks for by name; there is no file behind them.
  const modules = new Map([
    ["assert", () => part("assert")],
    ["buffer", () => part("buffer").module],
    ["crypto", () => part("crypto").crypto],
    ["events", () => part("events")],
    ["path", () => part("path")],
    ["querystring", () => part("querystring")],
    ["timers", () => timing],
    ["timers/promises", () => waiting],
    ["url", () => part("address").module],
    ["zlib", () => part("zlib")],
    ["@langchain/core/messages", () => part("messages")],
    ["langchain/schema", () => part("messages")],
  ]);
  const INSTEAD = [
    [/^(fs|fs\/promises|fs-extra|child_process|os|process|vm|worker_threads|cluster)$/, "code reaches no file, process or setting of the server"],
    [/^(http|https|http2|net|tls|request|got|superagent|undici|cross-fetch|isomorphic-fetch|ky)$/, "use fetch(url, options)"],
    [/^(uuid|nanoid)$/, "use crypto.randomUUID()"],
    [/^(crypto-js|sha\.js|js-sha256|md5|bcrypt|bcryptjs)$/, 'use require("crypto"), which has createHash and createHmac'],
    [/^(qs|query-string)$/, 'use require("querystring") or URLSearchParams'],
    [/^(pg|pg-promise|postgres|mysql|mysql2|mysql2\/promise|mariadb|typeorm|sequelize|knex|mssql|mongodb|redis|ioredis)$/,
      "PostgreSQL and MySQL are asked with $db.query(credential, statement, values), or by require of pg, mysql2 or typeorm, in flows of a server"],
    [/^(moment|moment-timezone|dayjs|date-fns|luxon)$/, "use Date"],
    [/^(lodash|underscore|ramda|lodash\/.*)$/, "use the methods of Array and Object, and structuredClone"],
  ];
  own(globalThis, "require", (name) => {
    const wanted = String(name).replace(/^node:/, "");
    const module = modules.get(wanted);
    if (module) return module();
    const hint = INSTEAD.find(([names]) => names.test(wanted))?.[1];
    throw new Error(
      `require(${stringify(String(name))}) is not available${hint ? `: ${hint}` : ""}. Code has the modules ` +
        `${[...modules.keys()].join(", ")}, and without require fetch(url, options), URL, URLSearchParams, Buffer, crypto, ` +
        "TextEncoder, TextDecoder, structuredClone, btoa, atob, console, setTimeout, and the JavaScript language itself: " +
        "JSON, Math, Date, RegExp, Map, Promise.",
    );
  });

  // Calls that the service answers: of the tools that are wired to the card.
  const calls = new Map();
  const callable = (name) => {
    const call = async (given) => {
      const id = native.call(wellFormed(name), (stringify(given ?? {}) ?? "{}").toWellFormed());
      return new Promise((resolve, reject) => calls.set(id, { resolve, reject }));
    };
    return Object.assign(call, { invoke: call, call });
  };
  // The names under which code of Flowise's flows asks for clients of databases.
  const CLIENTS = ["pg", "mysql2", "mysql2/promise", "mysql", "typeorm"];

  const settled = (id) => {
    const call = calls.get(id);
    calls.delete(id);
    return call;
  };

  return {
    begin(scope, mayFetch, tools, mayAsk) {
      own(globalThis, "$input", scope.flow.input);
      for (const name of Object.keys(scope.inputs)) own(globalThis, `$${name}`, scope.inputs[name]);
      own(globalThis, "$vars", scope.vars);
      own(globalThis, "$flow", scope.flow);
      if (tools.length > 0) own(globalThis, "$tools", Object.fromEntries(tools.map((name) => [name, callable(name)])));
      if (mayFetch) {
        lazily("fetch", () => part("fetch").fetch);
        lazily("Headers", () => part("fetch").Headers);
        modules.set("node-fetch", () => part("fetch").fetch);
        modules.set("axios", () => part("fetch").axios);
      }
      if (mayAsk) {
        lazily("$db", () => part("databases").$db);
        for (const name of CLIENTS) modules.set(name, () => part("databases").modules[name]);
      }
    },
    fired(id) {
      const timer = timers.get(id);
      if (!timer) return;
      if (timer.again) native.timer(id, timer.wait);
      else timers.delete(id);
      timer.work(...timer.rest);
    },
    fetched: (id, answer) => part("fetch").fetched(id, answer),
    refused: (id, why) => part("fetch").refused(id, why),
    called: (id, answer) => settled(id)?.resolve(answer),
    queried: (id, answer) => part("databases").queried(id, answer),
    unqueried: (id, fault) => part("databases").unqueried(id, fault),
    uncalled: (id, why) => settled(id)?.reject(new Error(why)),
  };
})
