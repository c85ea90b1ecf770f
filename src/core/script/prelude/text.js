// Text as bytes and bytes as text. Bytes reach the native functions as base64, which the engine writes quickly.
(function (kit) {
  "use strict";
  const { native, own, wellFormed } = kit;
  const viewOf = (data) => {
    if (data instanceof Uint8Array) return data;
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw new TypeError("this needs bytes: a Buffer, an ArrayBuffer or a typed array");
  };
  const packed = (data) => Uint8Array.prototype.toBase64.call(viewOf(data));
  const encode = (text) => native.encode(wellFormed(text));
  const decode = (data, label, fatal) => native.decode(packed(data), label, fatal);

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return encode(text);
    }
    encodeInto(text, into) {
      let [read, written] = [0, 0];
      for (const character of wellFormed(text)) {
        const bytes = encode(character);
        if (written + bytes.length > into.length) break;
        into.set(bytes, written);
        written += bytes.length;
        read += character.length;
      }
      return { read, written };
    }
  }

  // How many bytes at the end begin a character that the next piece ends.
  const unfinished = (bytes) => {
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
      const byte = bytes[bytes.length - back];
      if (byte < 0x80) return 0;
      if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    }
    return 0;
  };

  class TextDecoder {
    #kept = new Uint8Array(0);
    #begun = false;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      const encoding = native.encoding(wellFormed(label));
      if (encoding === "") throw new RangeError(`The encoding "${label}" is not known`);
      for (const [name, value] of Object.entries({ encoding, fatal: Boolean(fatal), ignoreBOM: Boolean(ignoreBOM) })) own(this, name, value);
    }
    decode(data = new Uint8Array(0), { stream = false } = {}) {
      if (stream && this.encoding !== "utf-8") throw new TypeError("only utf-8 can be decoded in pieces");
      let bytes = viewOf(data);
      if (this.#kept.length > 0) {
        const joined = new Uint8Array(this.#kept.length + bytes.length);
        joined.set(this.#kept);
        joined.set(bytes, this.#kept.length);
        bytes = joined;
      }
      const whole = bytes.length - (stream ? unfinished(bytes) : 0);
      this.#kept = bytes.slice(whole);
      const text = decode(bytes.subarray(0, whole), this.encoding, this.fatal);
      const marked = !this.#begun && !this.ignoreBOM && text.startsWith("\ufeff");
      this.#begun = stream && (this.#begun || whole > 0);
      return marked ? text.slice(1) : text;
    }
  }

  return { TextEncoder, TextDecoder, encode, decode, packed, viewOf };
})
