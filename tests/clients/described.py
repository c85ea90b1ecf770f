"""Property-based requests against the service, made from its own description: no fault of the service, no status, content type or body
that the description does not have. Three passes: what belongs to a flow, with a real one; every operation with
a key that lives on; and what would end the key that asks, with a key of its own.

The same requests every time, so that CI judges the change and not the dice; DESCRIBED_SEED makes others.

described.py READY_JSON FLOW_JSON SECONDS
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

ready = json.load(open(sys.argv[1], encoding="utf-8"))
flow = json.loads(sys.argv[2])["flow"]
seconds = int(sys.argv[3])
seed = os.environ.get("DESCRIBED_SEED", "1")
base = ready["baseUrl"]
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# They end the key that asks for them, and all that comes after would be refused.
OWN_KEY = ["deleteApiKey", "updateApiKey"]
OF_A_FLOW = "flow-drafts|flow-versions|prediction|chatmessage|validation|flow-config|chatflows|vector/|upsert-history|chatbotConfig|attachments"


def call(path, body=None):
    request = urllib.request.Request(
        base + "/api/v1" + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + ready["apiKey"]},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def run(name, key, share, *options, settings=""):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "schemathesis.toml").write_text(settings, encoding="utf-8")
        command = [
            str(pathlib.Path(sys.executable).with_name("schemathesis")), "run", base + "/api/v1/openapi.json",
            "--url", base, "--header", "Authorization: Bearer " + key, "--checks", CHECKS, "--request-timeout", "30", "--seed", seed,
            "--max-time", str(max(1, int(seconds * share))), "--continue-on-failure", "--warnings", "off", *options,
        ]  # fmt: skip
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds * 4 + 120)
    if done.returncode != 0:
        print(done.stdout[-20_000:], done.stderr[-2_000:])
    else:
        tail = [line.strip() for line in done.stdout.splitlines() if "generated" in line]
        print(f"schemathesis, {name}: {' '.join(tail)}")
    return done.returncode == 0


excluded = [word for operation in OWN_KEY for word in ("--exclude-operation-id", operation)]
included = [word for operation in OWN_KEY for word in ("--include-operation-id", operation)]
# First, because the other deletes what it finds.
sha = call(f"/flow-versions/{flow}")["versions"][0]["sha"]
real = f'[parameters]\n"path.id" = "{flow}"\n"path.flow" = "{flow}"\n"path.sha" = "{sha}"\n'
good = run(
    "a real flow", ready["apiKey"], 0.35, "--include-path-regex", OF_A_FLOW, "--exclude-operation-id", "deleteFlow",
    "--phases", "coverage,fuzzing", settings=real,
)  # fmt: skip
good &= run("every operation", ready["apiKey"], 0.6, *excluded)
other = call("/apikey", {"keyName": "other", "permissions": ["apikeys:create", "apikeys:delete", "apikeys:view"]})
own = f'[parameters]\n"path.id" = "{other["id"]}"\n'
good &= run("its own key", other["apiKey"], 0.05, *included, "--phases", "coverage,fuzzing", settings=own)
sys.exit(0 if good else 1)
