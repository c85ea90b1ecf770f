// Requests: fetch, and the parts of node-fetch and axios that flows use. The service sends them, or refuses to.
(function (kit) {
  "use strict";
  const { native, parse, part, stringify, wellFormed } = kit;
  const { URLSearchParams } = part("address");

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

  // A request goes out as text, so bytes that are none are refused before they are spoiled.
  const sent = (body) => {
    if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
    if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return part("text").decode(body, "utf-8", true);
    return stringify(body);
  };

  const requests = new Map();
  const fetch = async (address, options) => {
    const { method = "GET", headers, body } = options ?? {};
    const url = wellFormed(address);
    const named = new Headers(headers);
    if (body instanceof URLSearchParams && !named.has("content-type")) {
      named.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
    }
    const text = body === undefined || body === null ? null : sent(body);
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
    const isText = typeof data === "string" || data instanceof URLSearchParams || ArrayBuffer.isView(data);
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

  const settled = (id) => {
    const request = requests.get(id);
    requests.delete(id);
    return request;
  };
  const module = Object.assign(fetch, { default: fetch, Headers });
  return {
    fetch: module,
    Headers,
    axios: axiosWith({}),
    fetched: (id, answer) => settled(id)?.resolve(parse(answer)),
    refused: (id, why) => settled(id)?.reject(new TypeError(`fetch failed: ${why}`)),
  };
})
