"""Makes a flow that needs no provider and prints what the clients need, as JSON."""

import json
import sys
import urllib.request

ready = json.load(open(sys.argv[1], encoding="utf-8"))


def node(name, label, inputs):
    data = {"id": f"{name}_0", "name": name, "label": label, "inputs": inputs, "outputs": {}}
    return {"id": f"{name}_0", "type": "customNode", "position": {"x": 0, "y": 0}, "data": data}


rules = [
    {"match": "what did i say", "reply": "You said:\n{history}"},
    {"match": "tricky", "reply": "a line with data: inside, and data:{} too"},
]
nodes = [
    node("chatScripted", "Model", {"rules": json.dumps(rules), "fallback": "Hello {question}"}),
    node("bufferMemory", "Memory", {}),
    node("conversationChain", "Chain", {"model": "{{chatScripted_0.data.instance}}", "memory": "{{bufferMemory_0.data.instance}}"}),
]
edges = [{"source": f"{name}_0", "target": "conversationChain_0"} for name in ("chatScripted", "bufferMemory")]
body = {
    "name": "clients",
    "type": "CHATFLOW",
    "publishInstantly": True,
    "flowData": json.dumps({"nodes": nodes, "edges": edges}),
}
request = urllib.request.Request(
    ready["baseUrl"] + "/api/v1/chatflows",
    data=json.dumps(body).encode(),
    headers={"Content-Type": "application/json", "Authorization": "Bearer " + ready["apiKey"]},
)
with urllib.request.urlopen(request) as answer:
    flow = json.load(answer)
print(json.dumps({"baseUrl": ready["baseUrl"], "flow": flow["id"]}))
