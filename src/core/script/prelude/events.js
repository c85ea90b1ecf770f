// EventEmitter.
(function (kit) {
  "use strict";
  const { own } = kit;
  class EventEmitter {
    #listeners = new Map();
    #most = 10;
    static EventEmitter = EventEmitter;
    static defaultMaxListeners = 10;
    static once(emitter, name) {
      return new Promise((resolve, reject) => {
        const failed = (error) => {
          emitter.off(name, came);
          reject(error);
        };
        const came = (...values) => {
          emitter.off("error", failed);
          resolve(values);
        };
        emitter.once(name, came);
        if (name !== "error") emitter.once("error", failed);
      });
    }
    #add(name, listener, first, once) {
      if (typeof listener !== "function") throw new TypeError('The "listener" argument must be of type function');
      if (this.#listeners.has("newListener")) this.emit("newListener", name, listener);
      const list = this.#listeners.get(name) ?? [];
      const entry = { listener, once };
      this.#listeners.set(name, first ? [entry, ...list] : [...list, entry]);
      return this;
    }
    on(name, listener) {
      return this.#add(name, listener, false, false);
    }
    once(name, listener) {
      return this.#add(name, listener, false, true);
    }
    prependListener(name, listener) {
      return this.#add(name, listener, true, false);
    }
    prependOnceListener(name, listener) {
      return this.#add(name, listener, true, true);
    }
    #drop(name, entry) {
      const rest = (this.#listeners.get(name) ?? []).filter((one) => one !== entry);
      if (rest.length > 0) this.#listeners.set(name, rest);
      else this.#listeners.delete(name);
      if (this.#listeners.has("removeListener")) this.emit("removeListener", name, entry.listener);
    }
    off(name, listener) {
      const entry = this.#listeners.get(name)?.findLast((one) => one.listener === listener);
      if (entry) this.#drop(name, entry);
      return this;
    }
    removeAllListeners(name) {
      if (name === undefined) this.#listeners.clear();
      else this.#listeners.delete(name);
      return this;
    }
    emit(name, ...values) {
      const list = this.#listeners.get(name);
      if (!list && name === "error") {
        throw values[0] instanceof Error ? values[0] : new Error(`Unhandled error. (${String(values[0])})`);
      }
      for (const entry of list ?? []) {
        if (entry.once) this.#drop(name, entry);
        entry.listener.apply(this, values);
      }
      return Boolean(list);
    }
    listeners(name) {
      return (this.#listeners.get(name) ?? []).map((entry) => entry.listener);
    }
    rawListeners(name) {
      return this.listeners(name);
    }
    listenerCount(name) {
      return this.listeners(name).length;
    }
    eventNames() {
      return [...this.#listeners.keys()];
    }
    setMaxListeners(most) {
      this.#most = most;
      return this;
    }
    getMaxListeners() {
      return this.#most;
    }
  }
  own(EventEmitter.prototype, "addListener", EventEmitter.prototype.on);
  own(EventEmitter.prototype, "removeListener", EventEmitter.prototype.off);
  own(EventEmitter, "default", EventEmitter);
  return EventEmitter;
})
