// Paths as texts, with slashes. There are no files behind them, and the folder one is in is the root.
(function () {
  "use strict";
  const text = (path) => {
    if (typeof path !== "string") throw new TypeError('The "path" argument must be of type string');
    return path;
  };
  const isAbsolute = (path) => text(path).startsWith("/");
  const steps = (path, absolute) => {
    const kept = [];
    for (const step of path.split("/")) {
      if (step === "" || step === ".") continue;
      if (step !== "..") kept.push(step);
      else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
      else if (!absolute) kept.push(step);
    }
    return kept;
  };
  const normalize = (path) => {
    const absolute = isAbsolute(path);
    const kept = steps(path, absolute).join("/");
    const ending = path.endsWith("/") && kept !== "" ? "/" : "";
    return absolute ? `/${kept}${ending}` : kept === "" ? (path.endsWith("/") ? "./" : ".") : `${kept}${ending}`;
  };
  const join = (...paths) => {
    const joined = paths.map(text).filter((path) => path !== "").join("/");
    return joined === "" ? "." : normalize(joined);
  };
  const resolve = (...paths) => {
    const from = paths.map(text).findLastIndex((path) => path.startsWith("/"));
    return `/${steps(paths.slice(Math.max(0, from)).join("/"), true).join("/")}`;
  };
  const bare = (path) => path.replace(/(?<=[^/])\/+$/, "");
  const dirname = (path) => {
    const whole = bare(text(path));
    const at = whole.lastIndexOf("/");
    if (at < 0) return ".";
    return bare(whole.slice(0, at)) || "/";
  };
  const basename = (path, ending = "") => {
    const whole = bare(text(path));
    const name = whole.slice(whole.lastIndexOf("/") + 1);
    return ending !== "" && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  };
  const extname = (path) => {
    const name = basename(path);
    const at = name.lastIndexOf(".");
    return at <= 0 || /^\.+$/.test(name) ? (at > 0 && name !== ".." ? "." : "") : name.slice(at);
  };
  const relative = (from, to) => {
    const [here, there] = [from, to].map((path) => steps(resolve(path), true));
    let same = 0;
    while (same < here.length && same < there.length && here[same] === there[same]) same++;
    return [...here.slice(same).map(() => ".."), ...there.slice(same)].join("/");
  };
  const parse = (path) => {
    const [base, ext] = [basename(path), extname(path)];
    const root = isAbsolute(path) ? "/" : "";
    const dir = bare(path).includes("/") ? dirname(path) : "";
    return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
  };
  const format = ({ root = "", dir, base, name = "", ext = "" }) => {
    const file = base ?? `${name}${ext && !ext.startsWith(".") ? "." : ""}${ext}`;
    if (!dir) return `${root}${file}`;
    return dir === root ? `${dir}${file}` : `${dir}/${file}`;
  };
  const path = { sep: "/", delimiter: ":", isAbsolute, normalize, join, resolve, dirname, basename, extname, relative, parse, format };
  return Object.assign(path, { posix: path, default: path });
})
