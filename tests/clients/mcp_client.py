"""MCP's Python client: calls flows as tools in each revision that it speaks, and is refused."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

where = json.loads(sys.argv[1])


def client(path, secret, mode):
    headers = {"Authorization": "Bearer " + secret}
    http = httpx2.AsyncClient(headers=headers, timeout=30)
    return Client(streamable_http_client(where["baseUrl"] + "/api/v1/mcp" + path, http_client=http), mode=mode)


async def speak(mode, revision):
    async with client("/" + where["flow"], where["flowToken"], mode) as greeter:
        assert greeter.protocol_version == revision, greeter.protocol_version
        tools = (await greeter.list_tools()).tools
        assert [tool.name for tool in tools] == ["greeter"], tools
        assert tools[0].input_schema["required"] == ["question"], tools
        said = await greeter.call_tool("greeter", {"question": "Ada"})
        assert said.content[0].text == "Hello Ada" and not said.is_error, said
        wrong = await greeter.call_tool("greeter", {"question": ""})
        assert wrong.is_error, wrong
    async with client("/" + where["approval"], where["approvalToken"], mode) as writer:
        news = []

        async def heard(progress, total, message):
            news.append((progress, message))

        said = await writer.call_tool("writer", {"question": "socks"}, progress_callback=heard)
        assert said.content[0].text.endswith("Shall I send it?"), said
        assert [message for _, message in news] == ["Start", "Writer", "Ask"], news
        assert [progress for progress, _ in news] == [1, 2, 3], news
    async with client("/" + where["broken"], where["brokenToken"], mode) as breaker:
        failed = await breaker.call_tool("breaker", {"question": "Ada"})
        assert failed.is_error and failed.content[0].text, failed
    async with client("", where["apiKey"], mode) as all_tools:
        names = [tool.name for tool in (await all_tools.list_tools()).tools]
        assert names == ["breaker", "greeter", "order", "sleeper", "writer"], names
        order = {"name": "Ada", "count": 2, "wrapped": True, "colour": "red"}
        said = await all_tools.call_tool("order", order)
        assert said.content[0].text == "Ada: 2 of red, wrapped true.", said


async def refused():
    try:
        async with client("/" + where["flow"], "fkm_wrong", "auto") as stranger:
            await stranger.list_tools()
    except BaseException:
        return
    raise AssertionError("a wrong token was let in")


asyncio.run(speak("auto", "2026-07-28"))
asyncio.run(speak("legacy", "2025-11-25"))
asyncio.run(refused())
print("MCP's Python client: listed, called, followed, was told of a run that failed, and was refused, with and without a handshake")
