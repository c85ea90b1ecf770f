// Buffer, as far as functions of flows use it: texts in and out, numbers, searching, comparing, joining.
(function (kit) {
  "use strict";
  const { own, part, wellFormed } = kit;
  const { encode, decode, viewOf } = part("text");
  const NAMES = new Map(
    Object.entries({
      utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", ascii: "ascii", latin1: "latin1",
      binary: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le",
    }),
  );
  const known = (encoding) => {
    const name = NAMES.get(String(encoding ?? "utf8").toLowerCase());
    if (name === undefined) throw new TypeError(`Unknown encoding: ${encoding}`);
    return name;
  };

  // Node's reading of base64 takes both alphabets, passes over what is neither, and ends at the first mark of the end.
  const base64Bytes = (text) => {
    const plain = text.replace(/=[^]*$/, "").replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]+/g, "");
    return Uint8Array.fromBase64(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
  };
  const hexBytes = (text) => {
    const [pairs] = /^(?:[0-9a-f]{2})*/i.exec(text);
    return Uint8Array.fromHex(pairs);
  };
  const unitBytes = (text, width) => {
    const bytes = new Uint8Array(text.length * width);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      bytes[at * width] = unit;
      if (width === 2) bytes[at * 2 + 1] = unit >> 8;
    }
    return bytes;
  };
  const bytesOf = (text, encoding) => {
    switch (known(encoding)) {
      case "utf8":
        return encode(text);
      case "hex":
        return hexBytes(text);
      case "base64":
      case "base64url":
        return base64Bytes(text);
      case "utf16le":
        return unitBytes(text, 2);
      default:
        return unitBytes(text, 1);
    }
  };
  const unitText = (bytes, width, mask) => {
    const parts = [];
    const end = bytes.length - (bytes.length % width);
    for (let at = 0; at < end; at += 8192) {
      const units = [];
      for (let one = at; one < Math.min(at + 8192, end); one += width) {
        units.push(width === 2 ? bytes[one] | (bytes[one + 1] << 8) : bytes[one] & mask);
      }
      parts.push(String.fromCharCode(...units));
    }
    return parts.join("");
  };
  const textOf = (bytes, encoding) => {
    switch (known(encoding)) {
      case "utf8":
        return decode(bytes, "utf-8", false);
      case "hex":
        return Uint8Array.prototype.toHex.call(bytes);
      case "base64":
        return Uint8Array.prototype.toBase64.call(bytes);
      case "base64url":
        return Uint8Array.prototype.toBase64.call(bytes, { alphabet: "base64url", omitPadding: true });
      case "utf16le":
        return unitText(bytes, 2);
      default:
        return unitText(bytes, 1, known(encoding) === "ascii" ? 0x7f : 0xff);
    }
  };

  const counted = (size) => {
    if (typeof size !== "number" || !(size >= 0)) throw new RangeError('The value of "size" must be a number of zero or more');
    return Math.trunc(size);
  };
  const over = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const compared = (one, other) => {
    const length = Math.min(one.length, other.length);
    for (let at = 0; at < length; at++) if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1;
    return Math.sign(one.length - other.length);
  };

  class Buffer extends Uint8Array {
    static get [Symbol.species]() {
      return Buffer;
    }
    static from(data, encoding, length) {
      if (typeof data === "string") return over(bytesOf(data, encoding));
      if (data instanceof ArrayBuffer) return new Buffer(data, encoding, length);
      if (ArrayBuffer.isView(data)) return over(Uint8Array.from(data instanceof DataView ? viewOf(data) : data));
      if (data?.type === "Buffer" && Array.isArray(data.data)) return over(Uint8Array.from(data.data));
      if (Array.isArray(data) || typeof data?.length === "number") return over(Uint8Array.from(data));
      const value = data?.valueOf?.();
      if (value !== undefined && value !== null && value !== data) return Buffer.from(value, encoding, length);
      throw new TypeError("Buffer.from takes a text, a list of bytes, an ArrayBuffer or another Buffer");
    }
    static of(...bytes) {
      return Buffer.from(bytes);
    }
    static alloc(size, fill, encoding) {
      const made = new Buffer(counted(size));
      return fill === undefined || fill === 0 ? made : made.fill(fill, encoding);
    }
    static allocUnsafe(size) {
      return new Buffer(counted(size));
    }
    static allocUnsafeSlow(size) {
      return new Buffer(counted(size));
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static isEncoding(name) {
      return typeof name === "string" && NAMES.has(name.toLowerCase());
    }
    static byteLength(data, encoding) {
      return typeof data === "string" ? bytesOf(data, encoding).length : viewOf(data).length;
    }
    static compare(one, other) {
      return compared(viewOf(one), viewOf(other));
    }
    static concat(list, total = list.reduce((sum, one) => sum + one.length, 0)) {
      const joined = new Buffer(counted(total));
      let at = 0;
      for (const one of list) {
        if (at >= total) break;
        const piece = viewOf(one);
        joined.set(piece.subarray(0, total - at), at);
        at += piece.length;
      }
      return joined;
    }

    toString(encoding, start = 0, end = this.length) {
      return textOf(this.subarray(Math.max(0, start), Math.max(0, Math.min(end, this.length))), encoding);
    }
    toLocaleString(encoding, start, end) {
      return this.toString(encoding, start, end);
    }
    toJSON() {
      return { type: "Buffer", data: Array.from(this) };
    }
    equals(other) {
      return compared(this, viewOf(other)) === 0;
    }
    compare(other, start = 0, end = other.length, ownStart = 0, ownEnd = this.length) {
      return compared(this.subarray(ownStart, ownEnd), viewOf(other).subarray(start, end));
    }
    // A view of the same bytes, as in Node, where a typed array would copy them.
    slice(start, end) {
      return this.subarray(start, end);
    }
    copy(into, at = 0, start = 0, end = this.length) {
      const piece = this.subarray(start, Math.min(end, start + Math.max(0, into.length - at)));
      into.set(piece, at);
      return piece.length;
    }
    write(text, at = 0, length, encoding) {
      if (typeof at === "string") [at, length, encoding] = [0, undefined, at];
      else if (typeof length === "string") [length, encoding] = [undefined, length];
      const piece = bytesOf(String(text), encoding).subarray(0, Math.max(0, Math.min(length ?? Infinity, this.length - at)));
      this.set(piece, at);
      return piece.length;
    }
    fill(value, start = 0, end = this.length, encoding) {
      if (typeof start === "string") [start, end, encoding] = [0, this.length, start];
      else if (typeof end === "string") [end, encoding] = [this.length, end];
      if (typeof value === "number") return super.fill(value, start, end);
      const pattern = typeof value === "string" ? bytesOf(value, encoding) : viewOf(value);
      if (pattern.length === 0) return super.fill(0, start, end);
      for (let at = start; at < Math.min(end, this.length); at++) this[at] = pattern[(at - start) % pattern.length];
      return this;
    }
    #sought(value, encoding) {
      if (typeof value === "number") return Uint8Array.of(value);
      return typeof value === "string" ? bytesOf(value, encoding) : viewOf(value);
    }
    // Texts of one unit for each byte are searched by the engine, which is quicker than comparing byte by byte here.
    indexOf(value, from = 0, encoding) {
      if (typeof from === "string") [from, encoding] = [0, from];
      const begin = from < 0 ? Math.max(0, this.length + from) : from;
      return unitText(this, 1, 0xff).indexOf(unitText(this.#sought(value, encoding), 1, 0xff), begin);
    }
    lastIndexOf(value, from = this.length, encoding) {
      if (typeof from === "string") [from, encoding] = [this.length, from];
      const begin = from < 0 ? this.length + from : from;
      return begin < 0 ? -1 : unitText(this, 1, 0xff).lastIndexOf(unitText(this.#sought(value, encoding), 1, 0xff), begin);
    }
    includes(value, from, encoding) {
      return this.indexOf(value, from, encoding) !== -1;
    }
    readUIntBE(at, width) {
      let number = 0;
      for (const byte of this.subarray(at, at + width)) number = number * 256 + byte;
      return number;
    }
    readUIntLE(at, width) {
      return Buffer.from(this.subarray(at, at + width)).reverse().readUIntBE(0, width);
    }
    swap16() {
      for (let at = 0; at + 1 < this.length; at += 2) [this[at], this[at + 1]] = [this[at + 1], this[at]];
      return this;
    }
  }

  // Numbers of every width are read and written by the engine's own view of bytes.
  const define = (name, width, kind, little) => {
    const view = (buffer, at) => {
      if (!Number.isInteger(at) || at < 0 || at + width > buffer.length) {
        throw new RangeError('The value of "offset" is out of range');
      }
      return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    };
    const names = name.includes("UInt") ? [name, name.replace("UInt", "Uint")] : [name];
    for (const one of names) {
      own(Buffer.prototype, `read${one}`, function (at = 0) {
        return view(this, at)[`get${kind}`](at, little);
      });
      own(Buffer.prototype, `write${one}`, function (value, at = 0) {
        view(this, at)[`set${kind}`](at, value, little);
        return at + width;
      });
    }
  };
  define("UInt8", 1, "Uint8", true);
  define("Int8", 1, "Int8", true);
  for (const [ending, little] of [["LE", true], ["BE", false]]) {
    define(`UInt16${ending}`, 2, "Uint16", little);
    define(`Int16${ending}`, 2, "Int16", little);
    define(`UInt32${ending}`, 4, "Uint32", little);
    define(`Int32${ending}`, 4, "Int32", little);
    define(`Float${ending}`, 4, "Float32", little);
    define(`Double${ending}`, 8, "Float64", little);
    define(`BigUInt64${ending}`, 8, "BigUint64", little);
    define(`BigInt64${ending}`, 8, "BigInt64", little);
  }

  // `Buffer(…)` and `new Buffer(text)` of older code.
  const Callable = new Proxy(Buffer, {
    apply: (_, __, [data, encoding, length]) => (typeof data === "number" ? Buffer.alloc(data) : Buffer.from(data, encoding, length)),
    construct: (_, [data, encoding, length], target) => {
      if (typeof data === "string" || Array.isArray(data)) return Buffer.from(data, encoding);
      return Reflect.construct(Buffer, [data, encoding, length].slice(0, length === undefined ? (encoding === undefined ? 1 : 2) : 3), target);
    },
  });
  own(Buffer.prototype, "constructor", Callable);
  return { Buffer: Callable, wrapped: over, bytesOf, module: { Buffer: Callable, atob, btoa, kMaxLength: 2 ** 31 - 1 } };
})
