// Databases: $db, and modules that are called like the clients people know (pg, mysql2, typeorm). The service connects, and
// only with credentials that are saved there; what code says of users and passwords goes nowhere.
(function (kit) {
  "use strict";
  const { native, parse, part, stringify } = kit;
  const { URL } = part("address");
  const { Buffer } = part("buffer");
  const EventEmitter = part("events");

  const waiting = new Map();
  let newest = 0;
  const ask = (line, shared, place, work) =>
    new Promise((resolve, reject) => {
      const id = native.ask(stringify({ line, shared, place, work }).toWellFormed());
      waiting.set(id, { resolve, reject });
    });
  const settled = (id) => {
    const one = waiting.get(id);
    waiting.delete(id);
    return one;
  };
  const KNOWN_NUMBERS = {
    1045: "ER_ACCESS_DENIED_ERROR", 1049: "ER_BAD_DB_ERROR", 1054: "ER_BAD_FIELD_ERROR", 1062: "ER_DUP_ENTRY",
    1064: "ER_PARSE_ERROR", 1146: "ER_NO_SUCH_TABLE", 1205: "ER_LOCK_WAIT_TIMEOUT", 1213: "ER_LOCK_DEADLOCK",
  };
  const thrown = ({ message, code, number, words }) => {
    const error = new Error(message);
    if (code) Object.assign(error, { code, sqlState: code });
    if (number) Object.assign(error, { errno: number, code: KNOWN_NUMBERS[number] ?? code });
    if (words) Object.assign(error, { sqlMessage: words, detail: words });
    return error;
  };

  // What stands for a place in a statement.
  const plain = (value) => ("text" in value ? value.text : String(value.whole ?? value.number ?? value.flag));
  const listed = (items) => {
    const one = (item) => {
      if (item === null || item === undefined) return "NULL";
      if (Array.isArray(item)) return listed(item);
      const text = item instanceof Uint8Array ? `\\x${Buffer.from(item).toString("hex")}` : plain(valued("postgres", item));
      return `"${text.replace(/["\\]/g, "\\$&")}"`;
    };
    return `{${items.map(one).join(",")}}`;
  };
  const valued = (family, value) => {
    if (value === null || value === undefined) return "null";
    switch (typeof value) {
      case "string":
        return { text: value };
      case "boolean":
        return { flag: value };
      case "bigint":
        return { text: String(value) };
      case "number":
        if (Number.isSafeInteger(value)) return { whole: value };
        if (Number.isFinite(value)) return { number: value };
        if (family === "postgres") return { text: String(value) };
        throw new TypeError(`${value} cannot be a value of a statement`);
      case "object":
        break;
      default:
        throw new TypeError(`a ${typeof value} cannot be a value of a statement`);
    }
    if (value instanceof Date) {
      if (Number.isNaN(value.getTime())) throw new TypeError("an invalid Date cannot be a value of a statement");
      const text = value.toISOString();
      return { text: family === "mysql" ? text.slice(0, -1).replace("T", " ") : text };
    }
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
      return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
    }
    if (family === "postgres" && Array.isArray(value)) return { text: listed(value) };
    const text = stringify(value);
    if (text === undefined) throw new TypeError("an object without a JSON form cannot be a value of a statement");
    return { text };
  };

  // Question marks outside of texts, names and comments, as the clients of MySQL read them: a list becomes as many marks,
  // an object becomes assignments, and two marks are a name.
  const QUOTED = /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`(?:[^`]|``)*`|--[ \t][^\n]*|#[^\n]*|\/\*[^]*?\*\/|\?\??/g;
  const named = (name) => {
    if (Array.isArray(name)) return name.map(named).join(", ");
    return String(name).split(".").map((piece) => `\`${piece.replaceAll("`", "``")}\``).join(".");
  };
  const isData = (value) => value instanceof Date || value instanceof ArrayBuffer || ArrayBuffer.isView(value);
  const spread = (sql, values) => {
    const flat = [];
    let at = 0;
    const mark = (value, isInside) => {
      if (Array.isArray(value)) {
        if (value.length === 0) return "NULL";
        const marks = value.map((item) => mark(item, true)).join(", ");
        return isInside ? `(${marks})` : marks;
      }
      if (typeof value === "object" && value !== null && !isData(value)) {
        return Object.keys(value).map((name) => `${named(name)} = ${mark(value[name], true)}`).join(", ");
      }
      flat.push(value);
      return "?";
    };
    const text = sql.replace(QUOTED, (found) => {
      if (found === "??" && at < values.length) return named(values[at++]);
      return found === "?" && at < values.length ? mark(values[at++], false) : found;
    });
    // Values without a place are sent along, and refused: nothing that code means to say is dropped.
    return [text, [...flat, ...values.slice(at)]];
  };

  // What comes back.
  const whole = (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
  const moment = (text) => {
    const found = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(\.\d{1,3})?\d*)?(?:([+-]\d\d)(?::?(\d\d))?)?$/.exec(text);
    if (!found) return text;
    const [, day, time = "00:00:00", part = "", hours, minutes = "00"] = found;
    const date = new Date(`${day}T${time}${part.padEnd(part && 4, "0")}${hours ? `${hours}:${minutes}` : "Z"}`);
    return Number.isNaN(date.getTime()) ? text : date;
  };
  const READ = {
    text: (text) => text,
    number: Number,
    long: whole,
    boolean: (text) => text === "t" || text === "true",
    json: (text) => {
      try {
        return parse(text);
      } catch {
        return text;
      }
    },
    time: moment,
    bytes: (text) => Buffer.from(text, "base64"),
  };
  const list = (text, read) => {
    let at = text.indexOf("{");
    const inside = () => {
      const items = [];
      at++;
      while (at < text.length && text[at] !== "}") {
        if (text[at] === "{") items.push(inside());
        else if (text[at] === '"') {
          const [found] = /^"(?:[^"\\]|\\[^])*"?/.exec(text.slice(at));
          at += found.length;
          items.push(read(found.slice(1, -1).replace(/\\([^])/g, "$1")));
        } else {
          const [found] = /^[^,}]*/.exec(text.slice(at));
          at += found.length;
          items.push(found === "NULL" ? null : read(found));
        }
        if (text[at] === ",") at++;
      }
      at++;
      return items;
    };
    return at < 0 ? text : inside();
  };
  const reader = ({ kind }) => {
    if (!kind.endsWith("[]")) return READ[kind] ?? READ.text;
    const read = READ[kind.slice(0, -2)] ?? READ.text;
    return (text) => list(text, read);
  };
  const rowsOf = ({ columns, rows }, asLists) => {
    const read = columns.map(reader);
    return rows.map((row) => {
      const values = row.map((value, at) => (value === null ? null : read[at](value)));
      return asLists ? values : Object.fromEntries(values.map((value, at) => [columns[at].name, value]));
    });
  };

  // One connection of the service, which is made when it is first needed.
  class Line {
    #number = ++newest;
    #place;
    #shared;
    #connected;
    #over = false;
    constructor(place, shared) {
      this.#place = place;
      this.#shared = shared;
    }
    connect() {
      if (this.#over) return Promise.reject(new Error("the connection was closed by the code"));
      this.#connected ??= ask(this.#number, this.#shared, this.#place, "connect");
      return this.#connected;
    }
    async query(sql, values, spreads) {
      if (typeof sql !== "string" || sql.trim() === "") throw new TypeError("a statement must be a text");
      const { family } = await this.connect();
      if (this.#over) throw new Error("the connection was closed by the code");
      if (values !== undefined && values !== null && !Array.isArray(values)) values = [values];
      if (spreads && family === "mysql" && values?.length > 0) [sql, values] = spread(sql, values);
      const written = (values ?? []).map((value) => valued(family, value));
      return ask(this.#number, this.#shared, this.#place, { query: { sql, values: written } });
    }
    async close() {
      if (this.#over) return;
      this.#over = true;
      if (this.#connected) await this.#connected.then(() => ask(this.#number, this.#shared, this.#place, "close"), () => {});
    }
  }

  const text = (value) => (value === undefined || value === null || value === "" ? null : String(value));
  const placeOf = (family, config, call) => {
    const given = typeof config === "string" ? { connectionString: config } : { ...config };
    const address = given.connectionString ?? given.uri ?? given.url;
    let url;
    try {
      url = address && new URL(address);
    } catch {
      throw new TypeError("the address of the database cannot be read");
    }
    const [host, database] = url ? [url.hostname, decodeURIComponent(url.pathname.slice(1))] : [given.host ?? given.server, given.database];
    return { credential: text(given.credential), family, host: text(host), database: text(database), call };
  };
  // Called back where code asks for that, and promised elsewhere.
  const answered = (promise, done, spreads) => {
    if (typeof done !== "function") return promise;
    promise.then((value) => (spreads && Array.isArray(value) ? done(null, ...value) : done(null, value)), (error) => done(error));
    return undefined;
  };
  const lastOf = (values) => values.findLast((value) => typeof value === "function");

  // pg
  const pgResult = (answer, asLists) => ({
    command: answer.verb || null,
    rowCount: answer.count,
    oid: null,
    rows: rowsOf(answer, asLists),
    fields: answer.columns.map(({ name, number }) => ({ name, dataTypeID: number })),
  });
  const pgQuery = (line, args) => {
    const [first, second] = args;
    const config = typeof first === "object" && first !== null ? first : { text: first };
    const values = config.values ?? (typeof second === "function" ? undefined : second);
    const work = async () => pgResult(await line.query(config.text, values), config.rowMode === "array");
    return answered(work(), lastOf(args));
  };
  class Client extends EventEmitter {
    #line;
    constructor(config, call = "new Client") {
      super();
      this.#line = new Line(placeOf("postgres", config, call), false);
    }
    connect(done) {
      return answered(this.#line.connect().then(() => undefined), done);
    }
    query(...args) {
      return pgQuery(this.#line, args);
    }
    end(done) {
      return answered(this.#line.close().then(() => void this.emit("end")), done);
    }
    release() {
      this.#line.close();
    }
  }
  class Pool extends EventEmitter {
    #config;
    #line;
    constructor(config) {
      super();
      this.#config = config;
      this.#line = new Line(placeOf("postgres", config, "new Pool"), true);
    }
    connect(done) {
      const client = new Client(this.#config, "new Pool");
      const made = client.connect().then(() => client);
      if (typeof done !== "function") return made;
      made.then(() => done(null, client, () => client.release()), (error) => done(error));
      return undefined;
    }
    query(...args) {
      return pgQuery(this.#line, args);
    }
    end(done) {
      return answered(this.#line.close(), done);
    }
  }
  const pg = { Client, Pool, types: { builtins: {}, setTypeParser() {}, getTypeParser: () => READ.text }, defaults: {} };
  pg.default = pg;

  // mysql2
  const mysqlResult = (answer, asLists) => {
    if (answer.columns.length === 0) {
      return [{ affectedRows: answer.count, insertId: answer.inserted, fieldCount: 0, info: "", serverStatus: 2, warningStatus: 0 }, undefined];
    }
    return [rowsOf(answer, asLists), answer.columns.map(({ name, number }) => ({ name, columnType: number }))];
  };
  const mysqlQuery = (line, args, spreads) => {
    const [first, second] = args;
    const config = typeof first === "object" && first !== null ? first : { sql: first };
    const values = config.values ?? (typeof second === "function" ? undefined : second);
    const work = async () => {
      if (!spreads && [values].flat().includes(undefined) && values !== undefined) {
        throw new TypeError("Bind parameters must not contain undefined. To pass SQL NULL specify JS null");
      }
      return mysqlResult(await line.query(config.sql, values, spreads), config.rowsAsArray);
    };
    return answered(work(), lastOf(args), true);
  };
  class Asking extends EventEmitter {
    query(...args) {
      return mysqlQuery(this.line, args, true);
    }
    execute(...args) {
      return mysqlQuery(this.line, args, false);
    }
    end(done) {
      return answered(this.line.close(), done);
    }
    promise() {
      return this;
    }
    escapeId(name) {
      return named(name);
    }
  }
  class MysqlConnection extends Asking {
    constructor(config, call) {
      super();
      kit.own(this, "line", new Line(placeOf("mysql", config, call), false));
    }
    connect(done) {
      return answered(this.line.connect().then(() => this), done);
    }
    ping(done) {
      return answered(this.line.query("SELECT 1").then(() => true), done);
    }
    beginTransaction(done) {
      return answered(this.line.query("START TRANSACTION").then(() => undefined), done);
    }
    commit(done) {
      return answered(this.line.query("COMMIT").then(() => undefined), done);
    }
    rollback(done) {
      return answered(this.line.query("ROLLBACK").then(() => undefined), done);
    }
    release() {
      this.line.close();
    }
    destroy() {
      this.line.close();
    }
  }
  class MysqlPool extends Asking {
    constructor(config) {
      super();
      kit.own(this, "config", config);
      kit.own(this, "line", new Line(placeOf("mysql", config, "createPool"), true));
    }
    getConnection(done) {
      return answered(new MysqlConnection(this.config, "createPool").connect(), done);
    }
  }
  const mysql = {
    createConnection: (config) => new MysqlConnection(config, "createConnection"),
    createPool: (config) => new MysqlPool(config),
    escapeId: named,
  };
  const promised = { ...mysql, createConnection: async (config) => mysql.createConnection(config).connect() };
  for (const module of [mysql, promised]) module.default = module;

  // typeorm, as far as it sends statements.
  const FAMILIES = { postgres: "postgres", mysql: "mysql", mariadb: "mysql" };
  const ormResult = (answer) => {
    if (answer.columns.length > 0 || answer.family === "postgres") return rowsOf(answer);
    return mysqlResult(answer)[0];
  };
  class QueryRunner {
    #line;
    constructor(line) {
      this.#line = line;
    }
    async connect() {
      await this.#line.connect();
    }
    async query(sql, values) {
      return ormResult(await this.#line.query(sql, values, true));
    }
    async startTransaction() {
      await this.#line.query("START TRANSACTION");
    }
    async commitTransaction() {
      await this.#line.query("COMMIT");
    }
    async rollbackTransaction() {
      await this.#line.query("ROLLBACK");
    }
    release() {
      return this.#line.close();
    }
  }
  class DataSource {
    #place;
    #line;
    isInitialized = false;
    constructor(options) {
      const family = FAMILIES[options?.type];
      if (!family) throw new TypeError("a DataSource here is of the type postgres, mysql or mariadb");
      this.options = options;
      this.#place = placeOf(family, options, "new DataSource");
    }
    async initialize() {
      this.#line = new Line(this.#place, true);
      await this.#line.connect();
      this.isInitialized = true;
      return this;
    }
    async query(sql, values) {
      if (!this.isInitialized) throw new Error("the DataSource is not initialized");
      return ormResult(await this.#line.query(sql, values, true));
    }
    get manager() {
      return { query: (sql, values) => this.query(sql, values) };
    }
    createQueryRunner() {
      return new QueryRunner(new Line(this.#place, false));
    }
    async transaction(work) {
      const runner = this.createQueryRunner();
      try {
        await runner.startTransaction();
        const done = await work({ query: (sql, values) => runner.query(sql, values) });
        await runner.commitTransaction();
        return done;
      } finally {
        await runner.release();
      }
    }
    async destroy() {
      this.isInitialized = false;
      await this.#line?.close();
    }
    connect() {
      return this.initialize();
    }
    close() {
      return this.destroy();
    }
  }
  const typeorm = { DataSource, createConnection: (options) => new DataSource(options).initialize() };

  // The databases that $db was asked for, each by the name of its credential.
  const lines = new Map();
  const $db = {
    async query(credential, sql, values) {
      if (typeof credential !== "string" || credential.trim() === "") {
        throw new TypeError("$db.query(credential, statement, values) needs the name of a saved credential first");
      }
      if (!lines.has(credential)) lines.set(credential, new Line({ credential, call: "$db.query" }, true));
      const answer = await lines.get(credential).query(sql, values, true);
      if (answer.columns.length > 0) return rowsOf(answer);
      return { count: answer.count, insertId: answer.inserted };
    },
  };

  return {
    $db,
    modules: { pg, mysql2: mysql, mysql, "mysql2/promise": promised, typeorm },
    queried: (id, answer) => settled(id)?.resolve(parse(answer)),
    unqueried: (id, fault) => settled(id)?.reject(thrown(parse(fault))),
  };
})
