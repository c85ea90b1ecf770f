"""Lists what the program is made of, as CycloneDX JSON: `sbom.py SOURCE TARGET BINARY`.

Read from Cargo.lock and the manifests in cargo's cache, without a network. Packages that only compile, test or generate
(build and dev dependencies, procedural macros and what they alone use) are not in the program and not in the list.
"""

import datetime
import hashlib
import json
import os
import subprocess
import sys
import tomllib
import uuid

source, target, binary = sys.argv[1:]


def cargo(*words):
    command = ["cargo", *words, "--locked", "--offline"]
    return subprocess.run(command, cwd=source, check=True, stdout=subprocess.PIPE, text=True).stdout


metadata = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target))
# The tree alone knows which features a build for this target switches on; the metadata name what any feature could bring.
tree = cargo("tree", "--edges", "normal,no-proc-macro", "--target", target, "--prefix", "none", "--format", "{p}")
built = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
root = metadata["resolve"]["root"]
# The crates of this project are the program itself: no registry has them.
members = set(metadata["workspace_members"])
with open(os.path.join(source, "Cargo.lock"), "rb") as lock:
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in tomllib.load(lock)["package"]}
with open(binary, "rb") as program:
    digest = hashlib.file_digest(program, "sha256").hexdigest()


def is_linked(package):
    return (packages[package]["name"], "v" + packages[package]["version"]) in built


def linked(package):
    """The packages that end up in the program because this one uses them, itself or through another crate of the project."""
    uses = (edge for edge in nodes[package]["deps"] if any(kind["kind"] is None for kind in edge["dep_kinds"]))
    used = {edge["pkg"] for edge in uses if is_linked(edge["pkg"])}
    behind = (one for member in used & members for one in linked(member))
    return sorted((used - members).union(behind), key=reference)


def reference(package):
    return f"pkg:cargo/{packages[package]['name']}@{packages[package]['version']}"


def component(package):
    about = packages[package]
    row = {
        "type": "application" if package == root else "library",
        "bom-ref": reference(package),
        "name": about["name"],
        "version": about["version"],
        "purl": reference(package),
    }
    if about["license"]:
        # A slash is an old way to write OR.
        row["licenses"] = [{"expression": " OR ".join(part.strip() for part in about["license"].split("/"))}]
    checksum = digest if package == root else checksums[about["name"], about["version"]]
    if checksum:
        row["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return row


reached, waiting = set(), [root]
while waiting:
    package = waiting.pop()
    if package not in reached:
        reached.add(package)
        waiting.extend(linked(package))
reached = sorted(reached, key=reference)
date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.UTC)
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    # The same program has the same number.
    "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, digest).urn,
    "version": 1,
    "metadata": {
        "timestamp": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "component": component(root),
        "properties": [{"name": "flowkeep:target", "value": target}],
    },
    "components": [component(package) for package in reached if package != root],
    "dependencies": [
        {"ref": reference(package), "dependsOn": [reference(used) for used in linked(package)]} for package in reached
    ],
}
print(json.dumps(document, indent=2, ensure_ascii=False))
