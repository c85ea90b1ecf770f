"""Makes flows that need no provider and prints what the clients need, as JSON."""

import json
import sys
import urllib.request

ready = json.load(open(sys.argv[1], encoding="utf-8"))


def node(name, label, inputs, kind="customNode", number=0):
    ident = f"{name}_{number}"
    data = {"id": ident, "name": name, "label": label, "inputs": inputs, "outputs": {}}
    return {"id": ident, "type": kind, "position": {"x": 0, "y": 0}, "data": data}


def step(name, label, inputs, number=0):
    return node(f"{name}Agentflow", label, inputs, "agentFlow", number)


def way(source, target, output=None):
    """An edge of an agentflow, from one of several outputs where there are several."""
    output = source.rsplit("_", 1)[0] if output is None else output
    return {"source": source, "sourceHandle": f"{source}-output-{output}", "target": target, "targetHandle": target}


def post(path, body):
    request = urllib.request.Request(
        ready["baseUrl"] + "/api/v1" + path,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + ready["apiKey"]},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def tool_token(flow, name):
    """What opens the flow as a tool of this name."""
    return post("/mcp-server/" + flow, {"toolName": name, "description": "A flow of the tests."})["token"]


def make(name, kind, nodes, edges):
    """The id of a flow that answers callers."""
    body = {
        "name": name,
        "type": kind,
        "publishInstantly": True,
        "flowData": json.dumps({"nodes": nodes, "edges": edges}),
    }
    return post("/chatflows", body)["id"]


def scripted(title, inputs):
    """A chain of one model."""
    nodes = [
        node("chatScripted", "Model", inputs),
        node("bufferMemory", "Memory", {}),
        node(
            "conversationChain",
            "Chain",
            {"model": "{{chatScripted_0.data.instance}}", "memory": "{{bufferMemory_0.data.instance}}"},
        ),
    ]
    edges = [{"source": f"{name}_0", "target": "conversationChain_0"} for name in ("chatScripted", "bufferMemory")]
    return make(title, "CHATFLOW", nodes, edges)


def chat():
    """A conversation."""
    rules = [
        {"match": "what did i say", "reply": "You said:\n{history}"},
        {"match": "tricky", "reply": "a line with data: inside, and data:{} too"},
    ]
    return scripted("clients", {"rules": json.dumps(rules), "fallback": "Hello {question}"})


def approval():
    """A model writes, a person decides, and a refusal has the model write again."""
    rules = [{"match": "be kind", "reply": "A kind draft."}]
    writer = {
        "llmModel": "chatScripted",
        "llmModelConfig": {"rules": json.dumps(rules), "fallback": "A draft about {question}."},
        "llmEnableMemory": True,
    }
    asks = {
        "humanInputDescriptionType": "fixed",
        "humanInputDescription": "Shall I send it?",
        "humanInputEnableFeedback": True,
    }
    nodes = [
        step("start", "Start", {"startInputType": "chatInput"}),
        step("llm", "Writer", writer),
        step("humanInput", "Ask", asks),
        step("directReply", "Sent", {"directReplyMessage": "Sent: {{ llmAgentflow_0 }}"}),
        step("loop", "Again", {"loopBackToNode": "llmAgentflow_0-Writer", "maxLoopCount": 5}),
    ]
    edges = [
        way("startAgentflow_0", "llmAgentflow_0"),
        way("llmAgentflow_0", "humanInputAgentflow_0"),
        way("humanInputAgentflow_0", "directReplyAgentflow_0", 0),
        way("humanInputAgentflow_0", "loopAgentflow_0", 1),
    ]
    return make("approval", "AGENTFLOW", nodes, edges)


def tool():
    """An Agent whose tool a person approves."""
    rules = [
        {"match": "refused", "reply": "Then I do not know."},
        {"after": "tool", "match": ".+", "reply": "It is {0}."},
        {"after": "user", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "6*7"}}]},
    ]
    agent = {
        "agentModel": "chatScripted",
        "agentModelConfig": {"rules": json.dumps(rules)},
        "agentTools": [{"agentSelectedTool": "calculator", "agentSelectedToolRequiresHumanInput": True}],
    }
    nodes = [step("start", "Start", {"startInputType": "chatInput"}), step("agent", "Helper", agent)]
    return make("tool", "AGENTFLOW", nodes, [way("startAgentflow_0", "agentAgentflow_0")])


def form():
    """A form starts it."""
    fields = [
        {"type": "string", "label": "Your name", "name": "name", "addOptions": ""},
        {"type": "number", "label": "How many", "name": "count", "addOptions": ""},
        {"type": "boolean", "label": "Wrapped", "name": "wrapped", "addOptions": ""},
        {
            "type": "options",
            "label": "Colour",
            "name": "colour",
            "addOptions": [{"option": "red"}, {"option": "blue"}],
        },
    ]
    start = {
        "startInputType": "formInput",
        "formTitle": "Order of socks",
        "formDescription": "What may it be?",
        "formInputTypes": fields,
    }
    said = "{{ $form.name }}: {{ $form.count }} of {{ $form.colour }}, wrapped {{ $form.wrapped }}."
    nodes = [
        step("start", "Start", start),
        step("directReply", "Reply", {"directReplyMessage": said}),
    ]
    return make("form", "AGENTFLOW", nodes, [way("startAgentflow_0", "directReplyAgentflow_0")])


def visited():
    """A chat that a shop's visitors meet; what is asked of them and offered to them, its page says."""
    return scripted("visited", {"rules": json.dumps([{"match": "oil for lamps", "reply": "I read about the oil."}])})


def members():
    """A Sequential Agent flow whose agent asks a person before it calls its tool."""
    rules = [
        {"match": "may be done", "reply": "May I count?"},
        {"match": "declined", "reply": "Then I do not know."},
        {"after": "tool", "match": ".+", "reply": "It is {0}."},
        {"after": "user", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "6*7"}}]},
    ]
    card = "{{{{{}_0.data.instance}}}}".format
    agent = {
        "agentName": "Ann",
        "interrupt": True,
        "tools": [card("calculator")],
        "sequentialNode": [card("seqStart")],
    }
    nodes = [
        node("chatScripted", "Model", {"rules": json.dumps(rules)}),
        node("calculator", "Calculator", {}),
        node("seqStart", "Start", {"model": card("chatScripted")}),
        node("seqAgent", "Agent", agent),
        node("seqEnd", "End", {"sequentialNode": card("seqAgent")}),
    ]
    wires = [("chatScripted", "seqStart"), ("calculator", "seqAgent"), ("seqStart", "seqAgent"), ("seqAgent", "seqEnd")]
    edges = [{"source": f"{source}_0", "target": f"{target}_0"} for source, target in wires]
    return make("members", "MULTIAGENT", nodes, edges)


flows = {"flow": chat(), "approval": approval(), "tool": tool(), "form": form(), "visited": visited(), "members": members()}
# For the clients of other protocols; the pages that ask flows as Flowise does have no use for them.
flows["broken"] = scripted("broken", {"rules": json.dumps([{"match": ".+", "fail": {"status": 400, "message": "no"}}])})
flows["seeing"] = scripted("seeing", {"fallback": "I see {question}", "allowImageUploads": True})
flows["slow"] = scripted("slow", {"fallback": "one two three four five", "delayMs": 5000})
tools = {"flow": "greeter", "approval": "writer", "slow": "sleeper", "broken": "breaker"}
tokens = {f"{flow}Token": tool_token(flows[flow], tool) for flow, tool in tools.items()}
tool_token(flows["form"], "order")
print(json.dumps({"baseUrl": ready["baseUrl"], "apiKey": ready["apiKey"], **flows, **tokens}))
