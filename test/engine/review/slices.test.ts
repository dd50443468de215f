import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../functions/engine/engine.ts";
import {
  excerptsOf,
  lastLine,
  placeKey,
  sliceBytesMax,
  withExcerpts,
} from "../../../functions/engine/review/excerpts.ts";
import { reviewPrompt } from "../../../functions/engine/review/prompt.ts";
import type { Excerpt, ReviewUnit } from "../../../functions/engine/review/review.ts";
import type { Slices } from "../../../functions/engine/review/slices.ts";
import { aFinding } from "../../support/finding.ts";
import { openEngine } from "../engine-under-test.ts";
import { unitOf } from "./scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const bytes = (text: string) => new TextEncoder().encode(text);

/** A sink, a service that calls it, and two routes that call the service, of which one checks. */
const app: Record<string, string> = {
  "shop/db.js": `const sqlite = require("sqlite3");
const db = new sqlite.Database("shop.db");

function find(name) {
  return db.all("SELECT * FROM orders WHERE name = '" + name + "'");
}

module.exports = { find };
`,
  "shop/service.js": `const store = require("./db");

function search(term) {
  const wanted = term.trim();
  return store.find(wanted);
}

module.exports = { search };
`,
  "shop/routes/admin.js": `const service = require("../service");
const express = require("express");
const router = express.Router();

router.get("/admin", (req, res) => {
  if (!req.user.isAdmin) return res.sendStatus(403);
  res.json(service.search(req.query.name));
});

module.exports = router;
`,
  "shop/routes/orders.js": `const service = require("../service");
const express = require("express");
const router = express.Router();

router.get("/orders", (req, res) => {
  res.json(service.search(req.query.name));
});

module.exports = router;
`,
};

const analysed = (files: Record<string, string>) =>
  Promise.all(Object.entries(files).map(([path, text]) => engine.analyse({ path, bytes: bytes(text) })));

async function slicesIn(files: Record<string, string>): Promise<string[][]> {
  const artefacts = await analysed(files);
  const findings = engine.link(artefacts);
  const slices = engine.slicesOf(findings, artefacts);
  return findings.map(({ fingerprint }) =>
    (slices[fingerprint] ?? []).map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`),
  );
}

describe("the functions of a file", () => {
  it("are in its artefact with the symbols that findings have, the outer ones first", async () => {
    const [artefact] = await analysed({
      "a.py": `class Orders:
    def find(self, name):
        def inner(x):
            return x
        return inner(name)


def close():
    pass
`,
    });
    expect(artefact?.functions).toEqual([
      { symbol: "Orders.find/1", startLine: 2, endLine: 5 },
      { symbol: "Orders.find/1.inner/1", startLine: 3, endLine: 4 },
      { symbol: "close/0", startLine: 8, endLine: 9 },
    ]);
  });

  it("are none where nothing was interpreted", async () => {
    const [artefact] = await analysed({ "README.md": "# text\n" });
    expect(artefact?.functions).toEqual([]);
  });
});

describe("the slice of a finding", () => {
  it("leads from the sink along its way to the source, then to the other callers two levels up", async () => {
    const [slice, ...others] = await slicesIn(app);
    expect(others).toEqual([]);
    expect(slice).toEqual([
      "shop/db.js:4-6",
      "shop/service.js:3-6",
      "shop/routes/admin.js:5-8",
      "shop/routes/orders.js:5-7",
    ]);
  });

  it("is the same whatever order the files come in", async () => {
    const backwards = Object.fromEntries(Object.entries(app).reverse());
    expect(await slicesIn(backwards)).toEqual(await slicesIn(app));
  });

  it("is none for what has no way and for what is silenced", async () => {
    const artefacts = await analysed(app);
    const [found] = engine.link(artefacts);
    const flat = { ...aFinding("flat"), trace: [] };
    const silenced = { ...(found as typeof flat), suppressed: { reason: "known" } };
    expect(engine.slicesOf([flat, silenced], artefacts)).toEqual({});
  });
});

describe("the excerpts of a unit", () => {
  const plain = (text: string) => text;
  const body = (name: string, lines: number) => `function ${name}() {\n${"  work();\n".repeat(lines)}}\n`;
  const excerpt = (path: string, text: string): Excerpt => ({ path, language: "javascript", startLine: 1, text });
  const finding = (title: string) => ({ ...aFinding(title), path: "a.js", startLine: 1, endLine: 1 });
  const [one, two] = [finding("one"), finding("two")];
  const unit = unitOf("a.js", "let a = 1;\nlet b = 2;", [one, two]);
  const placed = (excerpts: readonly Excerpt[]) =>
    excerpts.map((of) => ({ path: of.path, startLine: of.startLine, endLine: lastLine(of) }));
  const given = (slices: Slices, excerpts: readonly Excerpt[]) =>
    withExcerpts(unit, slices, new Map(excerpts.map((of, i) => [placeKey(placed(excerpts)[i] as never), of]))).excerpts;

  it("are whole functions of masked files, without those that are too long", async () => {
    const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const text = `${body("short", 3)}const TOKEN = "${token}";\nfunction uses() {\n  send("${token}");\n}\n${body("long", 300)}`;
    const functions = [
      { startLine: 1, endLine: 5 },
      { startLine: 7, endLine: 9 },
      { startLine: 10, endLine: 311 },
    ].map((lines) => ({ path: "b.js", ...lines }));
    const cut = engine.excerptsOf({ path: "b.js", bytes: bytes(text) }, functions);
    expect(cut.map((of) => [of.startLine, of.text.split("\n").length])).toEqual([
      [1, 5],
      [7, 3],
    ]);
    expect(JSON.stringify(cut)).not.toContain(token.slice(5));
    expect(cut[1]?.text).toContain('send("ghp_');
  });

  it("begin with the nearest of each finding, once each, and end where the room does", () => {
    const all = ["b", "c", "d", "e", "f"].map((name) => excerpt(`${name}.js`, body(name, 120).trimEnd()));
    const [b, c, d, e, f] = placed(all) as [never, never, never, never, never];
    const shown = given({ [one.fingerprint]: [b, c, e], [two.fingerprint]: [b, d, f] }, all);
    expect(shown.map(({ path }) => path)).toEqual(["b.js", "c.js"]);
    const small = all.map((of) => excerpt(of.path, body("x", 20).trimEnd()));
    const places = placed(small);
    const every = given(
      {
        [one.fingerprint]: [places[0], places[1], places[3]] as never,
        [two.fingerprint]: [places[0], places[2], places[4]] as never,
      },
      small,
    );
    expect(every.map(({ path }) => path)).toEqual(["b.js", "c.js", "d.js", "e.js", "f.js"]);
  });

  it("never show what the unit holds itself, or one inside another", () => {
    const outer = excerpt("b.js", body("outer", 10).trimEnd());
    const inner = { ...excerpt("b.js", "  work();"), startLine: 3 };
    const places = [{ path: "a.js", startLine: 1, endLine: 2 }, ...placed([outer, inner])];
    const own = excerpt("a.js", unit.text);
    const shown = withExcerpts(
      unit,
      { [one.fingerprint]: places },
      new Map([own, outer, inner].map((of, i) => [placeKey(places[i] as never), of])),
    ).excerpts;
    expect(shown).toEqual([outer]);
  });

  it("stay below their bound in bytes as they are shown, whatever is in them", () => {
    const wide = Array.from({ length: 8 }, (_, i) =>
      excerpt(`${"路".repeat(20)}${i}.js`, `${"\u202e注入".repeat(8)}\n`.repeat(30)),
    );
    const cut = wide.flatMap((of) =>
      excerptsOf({ path: of.path, bytes: bytes(of.text) }, [{ path: of.path, startLine: 1, endLine: 20 }], plain),
    );
    const shown = given({ [one.fingerprint]: placed(cut) }, cut);
    const empty: ReviewUnit = { ...unit, excerpts: [] };
    expect(shown.length).toBeGreaterThan(0);
    expect(promptBytes({ ...unit, excerpts: shown }) - promptBytes(empty)).toBeLessThanOrEqual(sliceBytesMax);
  });
});

const promptBytes = (unit: ReviewUnit): number =>
  Buffer.byteLength(
    reviewPrompt(unit, { template: null, rules: [], outputLanguage: "zh" }, "key")
      .messages.map(({ content }) => content)
      .join(""),
  );
