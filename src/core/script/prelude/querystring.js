// Forms as text.
(function (kit) {
  "use strict";
  const { wellFormed } = kit;
  const escape = (text) => encodeURIComponent(wellFormed(text));
  const unescape = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const plain = (value) => (["string", "boolean", "bigint"].includes(typeof value) || Number.isFinite(value) ? String(value) : "");
  const stringify = (values, between = "&", equals = "=", { encodeURIComponent: written = escape } = {}) =>
    Object.entries(values ?? {})
      .flatMap(([name, value]) => [value].flat().map((one) => `${written(name)}${equals}${written(plain(one))}`))
      .join(between);
  const parse = (text, between = "&", equals = "=", { decodeURIComponent: read = unescape, maxKeys = 1000 } = {}) => {
    const values = Object.create(null);
    const pairs = String(text ?? "").split(between).filter((pair) => pair !== "");
    for (const pair of maxKeys > 0 ? pairs.slice(0, maxKeys) : pairs) {
      const [name, ...rest] = pair.split(equals).map((piece) => piece.replaceAll("+", " "));
      const [key, value] = [read(name), read(rest.join(equals))];
      values[key] = key in values ? [values[key], value].flat() : value;
    }
    return values;
  };
  const module = { escape, unescape, stringify, parse, encode: stringify, decode: parse };
  return Object.assign(module, { default: module });
})
