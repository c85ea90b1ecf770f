"""The Python client: asks, streams and continues; and asks an agentflow."""

import json
import sys

from flowise import Flowise, IFileUpload, PredictionData

where = json.loads(sys.argv[1])
client = Flowise(where["baseUrl"])


def ask(question, flow="flow", **more):
    return next(iter(client.create_prediction(PredictionData(chatflowId=where[flow], question=question, **more))))


def listen(question, flow="flow"):
    return [json.loads(event) for event in client.create_prediction(
        PredictionData(chatflowId=where[flow], question=question, streaming=True))]


def stream(question):
    events = listen(question)
    assert events[0]["event"] == "start" and events[-1]["event"] == "end", events
    return "".join(event["data"] for event in events if event["event"] == "token")


first = ask("there")
assert first["text"] == "Hello there", first

second = ask("what did i say?", chatId=first["chatId"], overrideConfig={"sessionToken": first["sessionToken"]})
assert second["chatId"] == first["chatId"], second
assert "Human: there" in second["text"], second

stranger = ask("what did i say?", chatId=first["chatId"])
assert stranger["chatId"] != first["chatId"] and "there" not in stranger["text"], stranger

assert stream("you") == "Hello you"
assert stream("tricky") == "a line with data: inside, and data:{} too"

pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
upload = IFileUpload("data:image/png;base64," + pixel, "file", "pixel.png", "image/png")
seen = ask("a pixel", "seeing", uploads=[upload])
assert seen["text"] == "I see a pixel", seen

# It has no way to answer what a flow waits for: it asks, and is told.
waiting = ask("socks", "approval")
assert waiting["text"] == "A draft about socks.\n\nShall I send it?", waiting
assert waiting["action"]["data"]["nodeLabel"] == "Ask" and len(waiting["agentFlowExecutedData"]) == 3, waiting

told = listen("ropes", "approval")
assert told[0] == {"event": "agentFlowEvent", "data": "INPROGRESS"} and told[-1]["event"] == "end", told
assert "".join(event["data"] for event in told if event["event"] == "token") == "A draft about ropes.\n\nShall I send it?"
assert [event["data"] for event in told if event["event"] == "agentFlowEvent"][-1] == "STOPPED", told
print("Python client: asked, streamed, continued, showed a picture, and asked a flow that waits")
