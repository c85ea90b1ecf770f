// structuredClone: a copy of all that a value holds, with whatever is held twice copied once.
(function (kit) {
  "use strict";
  const { own } = kit;
  const refuse = (value) => {
    const name = typeof value === "function" ? `the function ${value.name || "without a name"}` : String(value);
    throw own(new Error(`${name} cannot be cloned`), "name", "DataCloneError");
  };
  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  const emptied = (value, kind) => {
    switch (kind) {
      case "Array":
        return new Array(value.length);
      case "Map":
        return new Map();
      case "Set":
        return new Set();
      case "Date":
        return new Date(value.getTime());
      case "RegExp":
        return new RegExp(value.source, value.flags);
      case "ArrayBuffer":
        return value.slice(0);
      case "Boolean":
      case "Number":
      case "String":
      case "BigInt":
        return Object(value.valueOf());
      case "Error": {
        const made = new (ERRORS[value.name] ?? Error)(value.message);
        return own(made, "stack", value.stack);
      }
      case "Object":
      case "Arguments":
        return {};
      default:
        return refuse(value);
    }
  };
  const copied = (value, seen) => {
    if (typeof value === "function" || typeof value === "symbol") return refuse(value);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    if (ArrayBuffer.isView(value)) {
      const buffer = copied(value.buffer, seen);
      const Kind = value instanceof DataView ? DataView : globalThis[value[Symbol.toStringTag]];
      const view = new Kind(buffer, value.byteOffset, value instanceof DataView ? value.byteLength : value.length);
      seen.set(value, view);
      return view;
    }
    const kind = value instanceof Error ? "Error" : Object.prototype.toString.call(value).slice(8, -1);
    const copy = emptied(value, kind);
    seen.set(value, copy);
    if (kind === "Map") for (const [key, one] of [...value]) copy.set(copied(key, seen), copied(one, seen));
    else if (kind === "Set") for (const one of [...value]) copy.add(copied(one, seen));
    else if (kind === "Error" && Object.hasOwn(value, "cause")) own(copy, "cause", copied(value.cause, seen));
    else if (kind === "Object" || kind === "Array" || kind === "Arguments") {
      for (const key of Object.keys(value)) {
        Object.defineProperty(copy, key, { value: copied(value[key], seen), writable: true, enumerable: true, configurable: true });
      }
    }
    return copy;
  };
  const structuredClone = (value) => copied(value, new Map());
  return { structuredClone };
})
