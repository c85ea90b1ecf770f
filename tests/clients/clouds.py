"""What the clouds' own clients make of the stand-ins of the tests, and of what the cards send. One question a run:
`clouds.py QUESTION`, with what it is about as JSON on the input, and the answer as JSON on the output.

Signing and the form of requests are judged by botocore, as it signs and writes them itself; tokens by google-auth."""

import base64
import json
import sys
from datetime import datetime, timezone


def bedrock(about):
    """A client of an account at the stand-in."""
    import boto3
    from botocore.config import Config

    return boto3.client(
        "bedrock-runtime",
        region_name=about["region"],
        endpoint_url=about["base"],
        aws_access_key_id=about["id"],
        aws_secret_access_key=about["secret"],
        aws_session_token=about.get("session"),
        config=Config(retries={"max_attempts": 1}),
    )


def converse(about):
    """Asks whole and streamed; the code of the refusal where nobody is let in."""
    from botocore.exceptions import ClientError

    client = bedrock(about)
    asked = {
        "modelId": about["model"],
        "messages": [{"role": "user", "content": [{"text": about["question"]}]}],
        "system": [{"text": "Be kind."}],
        "inferenceConfig": {"maxTokens": 200},
    }
    try:
        whole = client.converse(**asked)
    except ClientError as refused:
        return {"refused": refused.response["Error"]["Code"]}
    text, stop, usage = [], None, None
    for event in client.converse_stream(**asked)["stream"]:
        if "contentBlockDelta" in event:
            text.append(event["contentBlockDelta"]["delta"].get("text", ""))
        elif "messageStop" in event:
            stop = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            usage = event["metadata"]["usage"]
    said = whole["output"]["message"]["content"][0]["text"]
    return {"whole": said, "streamed": "".join(text), "stop": stop, "usage": usage}


def decoded(value):
    """Bytes are base64 in JSON, and botocore takes them as bytes."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    source = value.get("source")
    if isinstance(source, dict) and isinstance(source.get("bytes"), str):
        plain = base64.b64decode(source["bytes"], validate=True)
        return {**value, "source": {**source, "bytes": plain}}
    return {key: decoded(item) for key, item in value.items()}


def written_request(request):
    """The path and the body that botocore writes for the same call."""
    import botocore.session
    from botocore.serialize import create_serializer
    from urllib.parse import unquote
    from botocore.validate import ParamValidator

    kinds = {"converse": "Converse", "converse-stream": "ConverseStream", "invoke": "InvokeModel"}
    _, model, model_id, kind = request["path"].split("/")
    assert model == "model", request["path"]
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    operation = service.operation_model(kinds[kind])
    body = base64.b64decode(request["body"])
    given = {"modelId": unquote(model_id)}
    if kind == "invoke":
        given.update(body=body, contentType=request["headers"]["content-type"])
    else:
        given.update(decoded(json.loads(body)))
    report = ParamValidator().validate(given, operation.input_shape)
    assert not report.has_errors(), report.generate_report()
    made = create_serializer(service.metadata["protocol"]).serialize_to_request(given, operation)
    return made["url_path"], made["body"]


def judge_requests(about):
    """Raises where botocore would send something else, or would sign it otherwise."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    signer = SigV4Auth(
        Credentials(about["id"], about["secret"], about.get("session")), about["service"], about["region"]
    )
    for request in about["requests"]:
        headers, body = request["headers"], base64.b64decode(request["body"])
        proof = headers["authorization"]
        names = proof.split("SignedHeaders=")[1].split(",")[0].split(";")
        same = AWSRequest(
            method=request["method"],
            url=f"http://{headers['host']}{request['path']}",
            data=body,
            headers={name: headers[name] for name in names},
        )
        same.context["timestamp"] = headers["x-amz-date"]
        signed = signer.canonical_request(same)
        signature = signer.signature(signer.string_to_sign(same, signed), same)
        assert proof.endswith(f"Signature={signature}"), f"botocore signs {signed!r}, and ours was {proof}"
        assert f"Credential={signer.scope(same)}," in proof, proof
        path, text = written_request(request)
        assert path == request["path"], (path, request["path"])
        if isinstance(text, str):
            text = text.encode()
        equal = body == text or json.loads(body) == json.loads(text)
        assert equal, f"botocore writes {text!r}, and ours was {body!r}"
    return {"judged": len(about["requests"])}


def buy_token(about):
    """A token, as Google's own client buys it for a key of a service account."""
    from google.auth.transport.requests import Request
    from google.oauth2.service_account import Credentials

    held = Credentials.from_service_account_info(about["key"], scopes=[about["scope"]])
    held.refresh(Request())
    left = held.expiry.replace(tzinfo=timezone.utc) - datetime.now(timezone.utc)
    return {"token": held.token, "seconds": left.total_seconds()}


def judge_assertion(about):
    """The claims of a wish for a token whose signature holds, and its head."""
    from google.auth import jwt

    lines = "\n".join(about["public"][at : at + 64] for at in range(0, len(about["public"]), 64))
    public = f"-----BEGIN RSA PUBLIC KEY-----\n{lines}\n-----END RSA PUBLIC KEY-----\n"
    claims = jwt.decode(about["assertion"], certs=public.encode(), audience=about["audience"])
    return {"claims": dict(claims), "head": jwt.decode_header(about["assertion"])}


QUESTIONS = {
    "converse": converse,
    "judge-requests": judge_requests,
    "buy-token": buy_token,
    "judge-assertion": judge_assertion,
}
json.dump(QUESTIONS[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
