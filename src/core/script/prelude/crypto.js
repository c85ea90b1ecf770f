// Random values, digests and signatures of messages, under the names of Node and of the web. No keys, no encryption.
(function (kit) {
  "use strict";
  const { native, own, part } = kit;
  const { packed, viewOf } = part("text");
  const { bytesOf, wrapped } = part("buffer");
  const ALGORITHMS = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
  const folded = (name) => String(name?.name ?? name).toLowerCase().replace(/^rsa-/, "").replace(/^sha-/, "sha");
  const known = (name) => {
    const algorithm = folded(name);
    if (!ALGORITHMS.includes(algorithm)) throw new Error(`Digest method not supported: ${name?.name ?? name}. There are ${ALGORITHMS.join(", ")}`);
    return algorithm;
  };
  const given = (data, encoding) => (typeof data === "string" ? bytesOf(data, encoding) : viewOf(data));
  const joined = (pieces) => {
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  };

  // What `createHash` and `createHmac` return: pieces, until somebody asks what they come to.
  class Digest {
    #pieces = [];
    #end;
    #over = false;
    constructor(end) {
      this.#end = end;
    }
    update(data, encoding) {
      if (this.#over) throw new Error("Digest already called");
      this.#pieces.push(given(data, encoding).slice());
      return this;
    }
    digest(encoding) {
      if (this.#over) throw new Error("Digest already called");
      this.#over = true;
      const digest = wrapped(this.#end(joined(this.#pieces)));
      return encoding === undefined || encoding === "buffer" ? digest : digest.toString(encoding);
    }
    copy() {
      const copy = new Digest(this.#end);
      copy.#pieces = [...this.#pieces];
      return copy;
    }
  }
  const createHash = (name) => {
    const algorithm = known(name);
    return new Digest((bytes) => native.digest(algorithm, packed(bytes)));
  };
  const createHmac = (name, key) => {
    const algorithm = known(name);
    const secret = packed(key instanceof CryptoKey ? keys.get(key) : given(key));
    return new Digest((bytes) => native.hmac(algorithm, secret, packed(bytes)));
  };
  const hash = (name, data, encoding = "hex") => createHash(name).update(data).digest(encoding);

  const timingSafeEqual = (one, other) => {
    const [left, right] = [viewOf(one), viewOf(other)];
    if (left.length !== right.length) throw new RangeError("Input buffers must have the same byte length");
    let different = 0;
    for (let at = 0; at < left.length; at++) different |= left[at] ^ right[at];
    return different === 0;
  };

  const answered = (value, done) => {
    if (typeof done !== "function") return value;
    setTimeout(done, 0, null, value);
  };
  const randomBytes = (count, done) => answered(wrapped(native.random(count)), done);
  const getRandomValues = (array) => {
    if (!ArrayBuffer.isView(array)) throw new TypeError("getRandomValues fills a typed array");
    viewOf(array).set(native.random(array.byteLength));
    return array;
  };
  const randomFillSync = getRandomValues;
  const randomInt = (...bounds) => {
    const done = typeof bounds.at(-1) === "function" ? bounds.pop() : undefined;
    const [low, high] = bounds.length > 1 ? bounds : [0, bounds[0]];
    const range = high - low;
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || !(range > 0) || range > 2 ** 48) {
      throw new RangeError("randomInt takes whole numbers, the second of which is larger, and less than 2 to the 48th apart");
    }
    // Numbers beyond the last whole multiple are drawn again, so that none comes more often than others.
    const end = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const drawn = wrapped(native.random(6)).readUIntBE(0, 6);
      if (drawn < end) return answered(low + (drawn % range), done);
    }
  };
  const randomUUID = () => {
    const bytes = wrapped(native.random(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };

  // Keys of the web's interface; what they hold is kept here.
  const keys = new WeakMap();
  class CryptoKey {}
  const ONLY = "only digests and HMAC are available in crypto.subtle";
  const keyOf = (bytes, algorithm, extractable, usages) => {
    const name = known(algorithm.hash).replace("sha", "SHA-");
    const key = new CryptoKey();
    keys.set(key, bytes);
    return Object.freeze(
      Object.assign(key, {
        type: "secret",
        extractable: Boolean(extractable),
        usages: [...usages],
        algorithm: { name: "HMAC", length: bytes.length * 8, hash: { name } },
      }),
    );
  };
  const mustBeHmac = (algorithm) => {
    if (folded(algorithm) !== "hmac") throw new Error(ONLY);
  };
  const may = (key, usage) => {
    if (!(key instanceof CryptoKey)) throw new TypeError("this needs a key of importKey or generateKey");
    if (!key.usages.includes(usage)) throw new Error(`The key may not be used to ${usage}`);
  };
  const signed = (key, data) => native.hmac(known(key.algorithm.hash), packed(keys.get(key)), packed(data));
  const subtle = {
    async digest(algorithm, data) {
      return native.digest(known(algorithm), packed(data)).buffer;
    },
    async importKey(format, data, algorithm, extractable, usages) {
      mustBeHmac(algorithm);
      if (format !== "raw" && format !== "jwk") throw new Error(`${ONLY}, with keys of the formats raw and jwk`);
      const bytes = format === "raw" ? viewOf(data).slice() : new Uint8Array(bytesOf(data.k, "base64url"));
      return keyOf(bytes, algorithm, extractable, usages);
    },
    async exportKey(format, key) {
      if (!(key instanceof CryptoKey) || !key.extractable) throw new Error("The key may not be exported");
      const bytes = keys.get(key);
      if (format === "raw") return bytes.slice().buffer;
      if (format !== "jwk") throw new Error(`${ONLY}, with keys of the formats raw and jwk`);
      const alg = key.algorithm.hash.name.replace("SHA-", "HS");
      return { kty: "oct", k: wrapped(bytes).toString("base64url"), alg, ext: true, key_ops: [...key.usages] };
    },
    async generateKey(algorithm, extractable, usages) {
      mustBeHmac(algorithm);
      const block = ["sha384", "sha512"].includes(known(algorithm.hash)) ? 128 : 64;
      return keyOf(native.random(algorithm.length ? Math.ceil(algorithm.length / 8) : block), algorithm, extractable, usages);
    },
    async sign(algorithm, key, data) {
      mustBeHmac(algorithm);
      may(key, "sign");
      return signed(key, data).buffer;
    },
    async verify(algorithm, key, signature, data) {
      mustBeHmac(algorithm);
      may(key, "verify");
      const [made, shown] = [signed(key, data), viewOf(signature)];
      return made.length === shown.length && timingSafeEqual(made, shown);
    },
  };

  const webcrypto = { subtle, getRandomValues, randomUUID };
  const crypto = {
    ...webcrypto, webcrypto, createHash, createHmac, hash, timingSafeEqual, randomBytes, randomFillSync, randomInt, CryptoKey,
    getHashes: () => [...ALGORITHMS],
  };
  // Named, so that code that wants them hears why it fails.
  for (const name of [
    "createCipheriv", "createDecipheriv", "createSign", "createVerify", "createPrivateKey", "createPublicKey",
    "generateKeyPairSync", "pbkdf2", "pbkdf2Sync", "scrypt", "scryptSync", "sign", "verify", "publicEncrypt", "privateDecrypt",
  ]) {
    crypto[name] = () => {
      throw new Error(`crypto.${name} is not available. There are ${Object.keys(webcrypto).join(", ")}, createHash, createHmac, hash, randomBytes, randomInt and timingSafeEqual`);
    };
  }
  own(crypto, "default", crypto);
  return { crypto };
})
