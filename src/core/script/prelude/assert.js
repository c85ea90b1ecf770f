// assert.
(function (kit) {
  "use strict";
  const { stringify } = kit;
  class AssertionError extends Error {
    constructor({ message, actual, expected, operator } = {}) {
      super(message ?? `${shown(actual)} ${operator} ${shown(expected)}`);
      Object.assign(this, { code: "ERR_ASSERTION", generatedMessage: message === undefined, actual, expected, operator });
    }
    get name() {
      return "AssertionError";
    }
  }
  const shown = (value) => {
    try {
      return typeof value === "object" ? (stringify(value) ?? String(value)) : String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  const demand = (holds, message, actual, expected, operator) => {
    if (holds) return;
    throw message instanceof Error ? message : new AssertionError({ message, actual, expected, operator });
  };
  const same = (one, other, strict, seen = new Map()) => {
    if (strict ? Object.is(one, other) : one == other || (one !== one && other !== other)) return true;
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
    if (strict && Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    if (seen.get(one) === other) return true;
    seen.set(one, other);
    if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
    if (one instanceof RegExp && other instanceof RegExp) return String(one) === String(other);
    if (one instanceof Error && (one.name !== other.name || one.message !== other.message)) return false;
    if (one instanceof Map && other instanceof Map) {
      return one.size === other.size && [...one].every(([key, value]) => other.has(key) && same(value, other.get(key), strict, seen));
    }
    if (one instanceof Set && other instanceof Set) {
      const rest = [...other];
      return one.size === other.size && [...one].every((value) => rest.some((candidate) => same(value, candidate, strict, new Map(seen))));
    }
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key], strict, seen));
  };
  const fits = (error, expected) => {
    if (expected === undefined || typeof expected === "string") return true;
    if (expected instanceof RegExp) return expected.test(String(error));
    if (typeof expected !== "function") return Object.keys(expected).every((key) => (expected[key] instanceof RegExp ? expected[key].test(String(error[key])) : same(error[key], expected[key], true)));
    return expected.prototype !== undefined && error instanceof expected ? true : Error.isPrototypeOf(expected) ? false : expected(error) === true;
  };

  const assert = (value, message) => demand(value, message, value, true, "==");
  Object.assign(assert, {
    ok: (value, message) => assert(value, message),
    equal: (one, other, message) => demand(one == other || (one !== one && other !== other), message, one, other, "=="),
    notEqual: (one, other, message) => demand(one != other, message, one, other, "!="),
    strictEqual: (one, other, message) => demand(Object.is(one, other), message, one, other, "==="),
    notStrictEqual: (one, other, message) => demand(!Object.is(one, other), message, one, other, "!=="),
    deepEqual: (one, other, message) => demand(same(one, other, false), message, one, other, "deepEqual"),
    deepStrictEqual: (one, other, message) => demand(same(one, other, true), message, one, other, "deepStrictEqual"),
    notDeepEqual: (one, other, message) => demand(!same(one, other, false), message, one, other, "notDeepEqual"),
    notDeepStrictEqual: (one, other, message) => demand(!same(one, other, true), message, one, other, "notDeepStrictEqual"),
    match: (text, pattern, message) => demand(pattern.test(text), message, text, pattern, "match"),
    doesNotMatch: (text, pattern, message) => demand(!pattern.test(text), message, text, pattern, "doesNotMatch"),
    fail: (message = "Failed") => demand(false, message),
    ifError: (value) => demand(value === null || value === undefined, value instanceof Error ? value : undefined, value, null, "ifError"),
    throws(work, expected, message) {
      try {
        work();
      } catch (thrown) {
        if (fits(thrown, expected)) return;
        throw thrown;
      }
      demand(false, message ?? (typeof expected === "string" ? expected : "Missing expected exception."), undefined, expected, "throws");
    },
    doesNotThrow: (work) => void work(),
    async rejects(work, expected, message) {
      try {
        await (typeof work === "function" ? work() : work);
      } catch (thrown) {
        if (fits(thrown, expected)) return;
        throw thrown;
      }
      demand(false, message ?? "Missing expected rejection.", undefined, expected, "rejects");
    },
    AssertionError,
  });
  return Object.assign(assert, { strict: assert, default: assert });
})
