"""The XML of `flowkeep check --junit`, read by a program that shows tests: which cases fail, which are skipped, and what they say.

junit.py PROGRAM FOLDER
"""

import json
import pathlib
import subprocess
import sys

from junitparser import Failure, JUnitXml

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "junit"
folder.mkdir(exist_ok=True)


def canvas(reply):
    def node(name, inputs):
        return {"id": name, "type": "customNode", "data": {"id": name, "name": name, "label": name, "inputs": inputs}}

    cards = [
        node("chatScripted", {"rules": "[]", "fallback": reply}),
        node("bufferMemory", {}),
        node("conversationChain", {"model": "{{chatScripted.data.instance}}", "memory": "{{bufferMemory.data.instance}}"}),
    ]
    edges = [{"source": name, "target": "conversationChain"} for name in ("chatScripted", "bufferMemory")]
    return {"nodes": cards, "edges": edges}


def check(live, draft, questions):
    files = {name: folder / name for name in ("live.json", "draft.json", "questions.txt", "check.xml")}
    files["live.json"].write_text(json.dumps(canvas(live)), encoding="utf-8")
    files["draft.json"].write_text(json.dumps(canvas(draft)), encoding="utf-8")
    files["questions.txt"].write_text("\n".join(questions), encoding="utf-8")
    command = [program, "check", "--live", files["live.json"], "--draft", files["draft.json"]]
    command += ["--questions", files["questions.txt"], "--junit", files["check.xml"], "--data-dir", folder / "data"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    suites = JUnitXml.fromfile(str(files["check.xml"]))
    return ended.returncode, suites, [case for suite in suites for case in suite]


code, suites, cases = check("It takes 30 days.\u0001", "It takes 14 days & <more>.", ["How \"long\"?", "Since when?"])
assert code == 1, code
assert (suites.tests, suites.failures, suites.errors, suites.skipped) == (3, 2, 0, 0), suites
assert [case.name for case in cases] == ["How \"long\"?", "Since when?", "all questions together"]
assert isinstance(cases[0].result[0], Failure) and cases[0].result[0].type == "number"
told = cases[0].result[0].message
assert told == 'Live says 30, the draft says 14. Only the draft says "more".', told
assert "It takes 14 days & <more>." in cases[0].system_out and cases[2].is_passed

code, suites, cases = check("It takes 30 days.", "it takes 30 days.", ["How long?"])
assert code == 0 and all(case.is_passed for case in cases), (code, cases)
print("ok: the XML of a check")
