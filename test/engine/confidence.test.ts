import { expect, it } from "vitest";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

const near = `import importlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/run")
def run():
    importlib.import_module(request.args["name"])
    return "", 204
`;
const far = `from flask import Flask, request
import choices

app = Flask(__name__)


@app.route("/run")
def run():
    choices.chosen(request.args["name"])
    return "", 204
`;
const choices = "import loading\n\n\ndef chosen(name):\n    return loading.load(name)\n";
const loading = "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n";

it.each([
  ["stands beside what it does", [["app.py", near]], ["critical"]],
  [
    "reaches it through two other files",
    [
      ["app.py", far],
      ["choices.py", choices],
      ["loading.py", loading],
    ],
    ["medium"],
  ],
] as const)("tells of a module that is chosen by input which %s", async (_, files, severities) => {
  const findings = await findingsOfAll(
    await openEngine(),
    files.map(([path, source]) => ({ path, source })),
  );
  const found = findings.filter(({ type }) => type === "code_injection");
  expect(found.map(({ severity }) => severity)).toEqual(severities);
});
