// What code finds beside the language itself. The engine calls this with the few native functions there are
// and keeps the object that it returns; nothing here can do more than those functions can.
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
  own(globalThis, "setTimeout", later(false));
  own(globalThis, "setInterval", later(true));
  own(globalThis, "clearTimeout", clear);
  own(globalThis, "clearInterval", clear);

  // Modules that code of the family's flows asks for by name; there is no file behind them.
  const modules = new Map();
  own(globalThis, "require", (name) => {
    const module = modules.get(String(name).replace(/^node:/, ""));
    if (module) return module;
    throw new Error(
      `require(${stringify(String(name))}) is not available. Code has ${[...modules.keys()].join(", ")}, and without require ` +
        "fetch(url, options), URL, URLSearchParams, btoa, atob, console, setTimeout, and the JavaScript language itself: JSON, " +
        "Math, Date, RegExp, Map, Promise.",
    );
  });

  class Headers {
    #entries = new Map();
    constructor(from) {
      if (from instanceof Headers || Array.isArray(from)) for (const [name, value] of from) this.append(name, value);
      else if (from) for (const name of Object.keys(from)) this.append(name, from[name]);
    }
    append(name, value) {
      const before = this.get(name);
      this.set(name, before === null ? value : `${before}, ${value}`);
    }
    set(name, value) {
      this.#entries.set(String(name).toLowerCase(), String(value));
    }
    get(name) {
      return this.#entries.get(String(name).toLowerCase()) ?? null;
    }
    has(name) {
      return this.#entries.has(String(name).toLowerCase());
    }
    delete(name) {
      this.#entries.delete(String(name).toLowerCase());
    }
    forEach(work) {
      this.#entries.forEach((value, name) => work(value, name, this));
    }
    entries() {
      return this.#entries.entries();
    }
    keys() {
      return this.#entries.keys();
    }
    values() {
      return this.#entries.values();
    }
    [Symbol.iterator]() {
      return this.#entries.entries();
    }
  }

  class Response {
    #body;
    constructor(answer, url) {
      this.status = answer.status;
      this.ok = answer.status >= 200 && answer.status < 300;
      this.statusText = "";
      this.headers = new Headers(answer.headers);
      this.url = answer.url;
      this.redirected = answer.url !== url;
      this.bodyUsed = false;
      this.#body = answer.body;
    }
    async text() {
      if (this.bodyUsed) throw new TypeError("the body has been read already");
      this.bodyUsed = true;
      return this.#body;
    }
    async json() {
      return parse(await this.text());
    }
  }

  // Addresses. The service's own parser takes them apart; these only hold the pieces.
  const unescaped = (text) => {
    const spaced = text.replaceAll("+", " ");
    try {
      return decodeURIComponent(spaced);
    } catch {
      return spaced;
    }
  };
  const escaped = (text) =>
    encodeURIComponent(wellFormed(text))
      .replaceAll("%20", "+")
      .replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(from = "") {
      if (typeof from === "string") this.#read(from);
      else if (from instanceof URLSearchParams || Array.isArray(from)) for (const [name, value] of from) this.append(name, value);
      else for (const name of Object.keys(from ?? {})) this.append(name, from[name]);
    }
    static of(text, changed) {
      const params = new URLSearchParams(text);
      params.#changed = changed;
      return params;
    }
    #read(text) {
      for (const pair of text.replace(/^\?/, "").split("&")) {
        if (pair === "") continue;
        const [name, ...value] = pair.split("=");
        this.#pairs.push([unescaped(name), unescaped(value.join("="))]);
      }
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([String(name), String(value)]);
      this.#changed();
    }
    set(name, value) {
      const first = this.#pairs.find((pair) => pair[0] === String(name));
      if (!first) return this.append(name, value);
      first[1] = String(value);
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== first[0]);
      this.#changed();
    }
    delete(name) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name));
      this.#changed();
    }
    get(name) {
      return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]);
    }
    has(name) {
      return this.#pairs.some((pair) => pair[0] === String(name));
    }
    sort() {
      this.#pairs.sort((one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0));
      this.#changed();
    }
    forEach(work) {
      for (const [name, value] of this) work(value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");
    }
  }

  class URL {
    #pieces;
    #params;
    constructor(address, base) {
      this.#pieces = parse(native.address(wellFormed(address), base === undefined ? "" : wellFormed(base)));
      this.#params = URLSearchParams.of(this.#pieces.search, () => {
        const query = this.#params.toString();
        const { href, hash } = this.#pieces;
        const [path] = href.slice(0, href.length - hash.length).split("?");
        this.#pieces = parse(native.address(`${path}${query && `?${query}`}${hash}`, ""));
      });
    }
    static canParse(address, base) {
      try {
        return Boolean(new URL(address, base));
      } catch {
        return false;
      }
    }
    get searchParams() {
      return this.#params;
    }
    get href() {
      return this.#pieces.href;
    }
    get origin() {
      return this.#pieces.origin;
    }
    get protocol() {
      return this.#pieces.protocol;
    }
    get username() {
      return this.#pieces.username;
    }
    get password() {
      return this.#pieces.password;
    }
    get host() {
      return this.#pieces.host;
    }
    get hostname() {
      return this.#pieces.hostname;
    }
    get port() {
      return this.#pieces.port;
    }
    get pathname() {
      return this.#pieces.pathname;
    }
    get search() {
      return this.#pieces.search;
    }
    get hash() {
      return this.#pieces.hash;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  own(globalThis, "URL", URL);
  own(globalThis, "URLSearchParams", URLSearchParams);

  const requests = new Map();
  const fetch = async (address, options) => {
    const { method = "GET", headers, body } = options ?? {};
    const url = wellFormed(address);
    const named = new Headers(headers);
    if (body instanceof URLSearchParams && !named.has("content-type")) {
      named.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
    }
    const plain = typeof body === "string" || body instanceof URLSearchParams;
    const text = body === undefined || body === null ? null : plain ? String(body) : stringify(body);
    const request = {
      method: wellFormed(method).toUpperCase(),
      url,
      headers: [...named].map(([name, value]) => [wellFormed(name), wellFormed(value)]),
      body: text?.toWellFormed() ?? null,
    };
    const id = native.fetch(stringify(request));
    const answer = await new Promise((resolve, reject) => requests.set(id, { resolve, reject }));
    return new Response(answer, url);
  };

  // The part of axios that flows use, over fetch.
  const merged = (defaults, config) => ({
    ...defaults,
    ...config,
    headers: { ...defaults.headers, ...config?.headers },
    params: { ...defaults.params, ...config?.params },
  });
  const addressed = ({ baseURL, url = "", params }) => {
    const absolute = baseURL && !/^[a-z][a-z0-9+.-]*:/i.test(url) ? `${baseURL.replace(/\/+$/, "")}/${url.replace(/^\/+/, "")}` : url;
    const given = Object.entries(params ?? {}).filter(([, value]) => value !== undefined && value !== null);
    const query = new URLSearchParams(given.flatMap(([name, value]) => [value].flat().map((one) => [name, one]))).toString();
    return query ? `${absolute}${absolute.includes("?") ? "&" : "?"}${query}` : absolute;
  };
  const asked = async (config) => {
    const headers = new Headers(config.headers);
    const { data, method = "get", auth } = config;
    const isText = typeof data === "string" || data instanceof URLSearchParams;
    if (data !== undefined && !isText && !headers.has("content-type")) headers.set("content-type", "application/json");
    if (auth) headers.set("authorization", `Basic ${btoa(`${auth.username}:${auth.password}`)}`);
    const answer = await fetch(addressed(config), { method, headers, body: data });
    let body = await answer.text();
    if (config.responseType === undefined || config.responseType === "json") {
      try {
        body = parse(body);
      } catch {
        // It is text then.
      }
    }
    const response = { data: body, status: answer.status, statusText: "", headers: Object.fromEntries(answer.headers), config };
    const accepts = config.validateStatus === undefined ? (status) => status >= 200 && status < 300 : config.validateStatus;
    if (!accepts || accepts(response.status)) return response;
    const failure = new Error(`Request failed with status code ${response.status}`);
    throw Object.assign(failure, { name: "AxiosError", isAxiosError: true, status: response.status, response, config });
  };
  const axiosWith = (defaults) => {
    const axios = (first, config) => asked(merged(defaults, typeof first === "string" ? { ...config, url: first } : first));
    axios.request = axios;
    for (const method of ["get", "delete", "head", "options"]) {
      axios[method] = (url, config) => axios({ ...config, url, method });
    }
    for (const method of ["post", "put", "patch"]) {
      axios[method] = (url, data, config) => axios({ ...config, url, data, method });
    }
    axios.create = (more) => axiosWith(merged(defaults, more));
    axios.isAxiosError = (error) => error?.isAxiosError === true;
    axios.defaults = defaults;
    axios.default = axios;
    return axios;
  };
  modules.set("url", { URL, URLSearchParams });

  return {
    begin(scope, mayFetch) {
      for (const name of Object.keys(scope.inputs)) own(globalThis, `$${name}`, scope.inputs[name]);
      own(globalThis, "$vars", scope.vars);
      own(globalThis, "$flow", scope.flow);
      if (mayFetch) {
        own(globalThis, "fetch", fetch);
        own(globalThis, "Headers", Headers);
        modules.set("node-fetch", Object.assign(fetch, { default: fetch, Headers }));
        modules.set("axios", axiosWith({}));
      }
    },
    fired(id) {
      const timer = timers.get(id);
      if (!timer) return;
      if (timer.again) native.timer(id, timer.wait);
      else timers.delete(id);
      timer.work(...timer.rest);
    },
    fetched(id, answer) {
      const request = requests.get(id);
      requests.delete(id);
      request?.resolve(parse(answer));
    },
    refused(id, why) {
      const request = requests.get(id);
      requests.delete(id);
      request?.reject(new TypeError(`fetch failed: ${why}`));
    },
  };
})
