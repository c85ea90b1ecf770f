// Packing and unpacking bytes. What comes out is bounded by the service's own functions.
(function (kit) {
  "use strict";
  const { native, part } = kit;
  const { bytesOf, wrapped } = part("buffer");
  const { packed } = part("text");
  const module = {};
  for (const name of ["gzip", "gunzip", "deflate", "inflate", "deflateRaw", "inflateRaw", "unzip"]) {
    const work = (data) => wrapped(native.zlib(name, packed(typeof data === "string" ? bytesOf(data) : data)));
    module[`${name}Sync`] = (data) => work(data);
    module[name] = (data, options, done = options) => {
      let [error, result] = [null, undefined];
      try {
        result = work(data);
      } catch (thrown) {
        error = thrown;
      }
      setTimeout(done, 0, error, result);
    };
  }
  return Object.assign(module, { default: module });
})
