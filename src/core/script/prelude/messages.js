// Messages as code of Flowise's flows makes them: the classes of "@langchain/core/messages", which become the JSON
// that those become.
(function (kit) {
  "use strict";
  const { own } = kit;
  class BaseMessage {
    constructor(fields, more) {
      const given = typeof fields === "string" || Array.isArray(fields) ? { content: fields } : fields;
      Object.assign(this, { content: "" }, given, typeof more === "object" ? { additional_kwargs: more } : undefined);
    }
    getType() {
      return this.constructor.kind ?? this.role;
    }
    _getType() {
      return this.getType();
    }
    get text() {
      if (typeof this.content === "string") return this.content;
      return this.content.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("");
    }
    toJSON() {
      const name = this.constructor.named ?? this.constructor.name;
      return { lc: 1, type: "constructor", id: ["langchain_core", "messages", name], kwargs: { ...this } };
    }
  }
  const classes = { BaseMessage };
  for (const [name, kind] of [
    ["HumanMessage", "human"],
    ["AIMessage", "ai"],
    ["SystemMessage", "system"],
  ]) {
    classes[name] = class extends BaseMessage {
      static kind = kind;
      static named = name;
    };
    own(classes[name], "name", name);
  }
  classes.ToolMessage = class ToolMessage extends BaseMessage {
    static kind = "tool";
    constructor(fields, callId, name) {
      super(fields);
      if (callId !== undefined) this.tool_call_id = callId;
      if (name !== undefined) this.name = name;
    }
  };
  classes.ChatMessage = class ChatMessage extends BaseMessage {
    constructor(fields, role) {
      super(fields);
      if (role !== undefined) this.role = role;
    }
  };
  return classes;
})
