// Addresses: URL and URLSearchParams, and what the module "url" has beside them.
(function (kit) {
  "use strict";
  const { native, parse, wellFormed } = kit;
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
    has(name, value) {
      return this.#pairs.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)));
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
    }
    static canParse(address, base) {
      try {
        return Boolean(new URL(address, base));
      } catch {
        return false;
      }
    }
    static piece(url, name) {
      return url.#pieces[name];
    }
    static change(url, name, value) {
      url.#pieces = parse(native.readdress(url.#pieces.href, name, wellFormed(value)));
      if (name === "href" || name === "search") url.#params = undefined;
    }
    get searchParams() {
      this.#params ??= URLSearchParams.of(this.#pieces.search, () => {
        this.#pieces = parse(native.readdress(this.#pieces.href, "search", this.#params.toString()));
      });
      return this.#params;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  const { piece, change } = URL;
  delete URL.piece;
  delete URL.change;
  const CHANGED = ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
  for (const name of [...CHANGED, "origin"]) {
    Object.defineProperty(URL.prototype, name, {
      get() {
        return piece(this, name);
      },
      set: name === "origin" ? undefined : function (value) { change(this, name, value); },
      enumerable: true,
      configurable: true,
    });
  }

  // How Node took addresses apart before there was URL. What has no scheme is a path with its query.
  const taken = (address, readsQuery) => {
    const text = String(address).trim();
    const absolute = URL.canParse(text);
    const url = new URL(text, absolute ? undefined : "http://none.invalid");
    const path = absolute ? url.pathname : text.replace(/[?#].*$/s, "");
    const search = url.search || null;
    return {
      protocol: absolute ? url.protocol : null,
      slashes: absolute && url.href.startsWith(`${url.protocol}//`) ? true : null,
      auth: absolute && url.username ? unescaped(url.password ? `${url.username}:${url.password}` : url.username) : null,
      host: absolute ? url.host : null,
      port: absolute ? url.port || null : null,
      hostname: absolute ? url.hostname : null,
      hash: url.hash || null,
      search,
      query: readsQuery ? Object.fromEntries(url.searchParams) : search && search.slice(1),
      pathname: path || null,
      path: `${path}${search ?? ""}` || null,
      href: absolute ? url.href : text,
    };
  };
  const put = (pieces) => {
    if (typeof pieces === "string" || pieces instanceof URL) return String(pieces);
    const { protocol, auth, host, hostname, port, pathname = "", search, query, hash = "" } = pieces;
    const scheme = protocol ? `${protocol.replace(/:$/, "")}:` : "";
    const server = host ?? (hostname ? `${hostname}${port ? `:${port}` : ""}` : "");
    const authority = server ? `//${auth ? `${encodeURIComponent(auth).replace("%3A", ":")}@` : ""}${server}` : "";
    const asked = search ?? (query && typeof query === "object" ? `?${new URLSearchParams(query)}` : query ? `?${query}` : "");
    const marked = (text, mark) => (text && !text.startsWith(mark) ? `${mark}${text}` : (text ?? ""));
    const path = server ? marked(pathname, "/") : (pathname ?? "");
    return `${scheme}${authority}${path}${asked === "?" ? "" : marked(asked, "?")}${marked(hash, "#")}`;
  };
  const resolve = (from, to) => {
    const url = new URL(to, new URL(from, "resolve://none"));
    return url.protocol === "resolve:" ? `${url.pathname}${url.search}${url.hash}` : url.href;
  };
  const module = { URL, URLSearchParams, parse: taken, format: put, resolve };
  return { ...module, module };
})
