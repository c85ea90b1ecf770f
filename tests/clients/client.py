"""The Python client: asks, streams and continues."""

import json
import sys

from flowise import Flowise, PredictionData

where = json.loads(sys.argv[1])
client = Flowise(where["baseUrl"])


def ask(question, **more):
    return next(iter(client.create_prediction(PredictionData(chatflowId=where["flow"], question=question, **more))))


def stream(question):
    events = [json.loads(event) for event in client.create_prediction(
        PredictionData(chatflowId=where["flow"], question=question, streaming=True))]
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
print("Python client: asked, streamed, continued")
