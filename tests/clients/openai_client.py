"""OpenAI's Python client: lists flows, asks, streams, and is refused."""

import json
import sys

import openai
from openai import OpenAI

where = json.loads(sys.argv[1])
base = where["baseUrl"] + "/api/v1/openai/v1"
client = OpenAI(base_url=base, api_key=where["apiKey"])
user = [{"role": "user", "content": "there"}]
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

models = {model.id: model for model in client.models.list()}
assert where["flow"] in models and models[where["flow"]].object == "model", models
assert where["form"] not in models
assert client.models.retrieve(where["flow"]).created == models[where["flow"]].created

whole = client.chat.completions.create(model=where["flow"], messages=user)
assert whole.choices[0].message.content == "Hello there" and whole.choices[0].finish_reason == "stop", whole
assert whole.id.startswith("chatcmpl-") and whole.usage.total_tokens > 0, whole
by_name = client.chat.completions.create(model="clients", messages=user)
assert by_name.choices[0].message.content == "Hello there", by_name

said = [{"role": "user", "content": "I am Ada"}, {"role": "assistant", "content": "Hello Ada"}]
told = client.chat.completions.create(
    model=where["flow"], messages=[*said, {"role": "user", "content": "what did i say?"}]
)
assert "Human: I am Ada" in told.choices[0].message.content, told

chunks = list(
    client.chat.completions.create(
        model=where["flow"], messages=user, stream=True, stream_options={"include_usage": True}
    )
)
assert chunks[0].choices[0].delta.role == "assistant", chunks[0]
text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
assert text == "Hello there" and chunks[-1].usage.total_tokens > 0, chunks
assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"

with client.chat.completions.stream(model=where["flow"], messages=user) as stream:
    final = stream.get_final_completion()
assert final.choices[0].message.content == "Hello there", final

response = client.responses.create(model=where["flow"], input="there", instructions="Be kind.")
assert response.output_text == "Hello there" and response.status == "completed", response
assert response.usage.output_tokens_details.reasoning_tokens == 0, response
with client.responses.stream(model=where["flow"], input="there") as events:
    kinds = [event.type for event in events]
    final = events.get_final_response()
assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
assert final.output_text == "Hello there", final

waiting = client.chat.completions.with_raw_response.create(model=where["approval"], messages=user)
assert waiting.headers["x-flowkeep-action"], waiting.headers
assert waiting.parse().choices[0].message.content.endswith("Shall I send it?")


def refused(kind, make):
    try:
        make()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


def chat(**more):
    return client.chat.completions.create(**{"model": where["flow"], "messages": user, **more})


for key in ["sk-wrong", "fk_" + "w" * 43]:
    stranger = OpenAI(base_url=base, api_key=key)
    assert refused(openai.AuthenticationError, stranger.models.list).code == "invalid_api_key"
assert refused(openai.NotFoundError, lambda: chat(model="gpt-4o")).code == "model_not_found"
assert refused(openai.BadRequestError, lambda: chat(n=2)).param == "n"
assert refused(openai.BadRequestError, lambda: chat(messages=[])).type == "invalid_request_error"
picture = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": PIXEL}}]}]
assert refused(openai.PermissionDeniedError, lambda: chat(messages=picture)).type == "permission_error"
shown = [{"role": "user", "content": [{"type": "text", "text": "a pixel"}, *picture[0]["content"]]}]
assert chat(model=where["seeing"], messages=shown).choices[0].message.content == "I see a pixel"
failed = refused(openai.InternalServerError, lambda: chat(model=where["broken"]))
assert failed.code == "flow_failed" and failed.response.headers["x-should-retry"] == "false", failed
ended = refused(openai.APIError, lambda: list(chat(model=where["broken"], stream=True)))
assert ended.code == "flow_failed", ended
print("OpenAI's Python client: listed, asked, streamed, showed a picture, and was refused")
