import { beforeAll, describe, expect, it } from "vitest";
import type { FileArtefact, SourceFile } from "../../functions/engine/artefact.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { openEngine } from "./engine-under-test.ts";
import { samplesAndFixtures } from "./source-files.ts";

const files = samplesAndFixtures(2);
/** Analysed once more for each way in which files move. */
const some = samplesAndFixtures(8);

const codes = [
  "CQ001",
  "CQ002",
  "CQ003",
  "CQ004",
  "CQ005",
  "CQ006",
  "CQ007",
  "CQ008",
  "PERF001",
  "PERF002",
  "PERF003",
  "PERF004",
  "PERF005",
];

let engine: Engine;
let findings: readonly Finding[];
let findingsOfSome: readonly Finding[];

beforeAll(async () => {
  engine = await openEngine();
  const artefacts = await artefactsOf(files);
  findings = engine.link(artefacts);
  const paths = new Set(some.map(({ path }) => path));
  findingsOfSome = engine.link(artefacts.filter(({ coverage }) => paths.has(coverage.path)));
}, 300_000);

async function artefactsOf(given: readonly SourceFile[]): Promise<FileArtefact[]> {
  const artefacts = [];
  for (const file of given) artefacts.push(await engine.analyse(file, { codes }));
  return artefacts;
}

const findingsOf = async (given: readonly SourceFile[]): Promise<Finding[]> => engine.link(await artefactsOf(given));

const shown = ({ path, ruleId, startLine }: Finding) => `${path}:${startLine} ${ruleId}`;

describe("the fingerprints of all findings in fixtures and samples", () => {
  it("are different for different findings", () => {
    expect(findings.length).toBeGreaterThan(files.length / 2);
    const byFingerprint = Map.groupBy(findings, ({ fingerprint }) => fingerprint);
    const alike = [...byFingerprint.values()].filter((group) => group.length > 1);
    expect(alike.map((group) => group.map(shown))).toEqual([]);
  });

  it("stay when fifty lines come in front of every file", async () => {
    const inFront = Buffer.from("\n".repeat(50));
    // In these the first line says what the file is.
    const begins = /^(?:\ufeff|#!|<\?|<%@|<!DOCTYPE|\s*\{)/i;
    const movable = new Set(some.filter(({ bytes }) => !begins.test(bytes.toString())).map(({ path }) => path));
    expect(movable.size).toBeGreaterThan(some.length * 0.7);
    const moved = await findingsOf(
      some.map(({ path, bytes }) => ({ path, bytes: movable.has(path) ? Buffer.concat([inFront, bytes]) : bytes })),
    );
    const places = (all: readonly Finding[], lines: number) =>
      all
        .filter(({ path }) => movable.has(path))
        .map((finding) => `${finding.fingerprint} ${finding.path}:${finding.startLine + lines} ${finding.ruleId}`)
        .sort();
    expect(places(moved, 0)).toEqual(places(findingsOfSome, 50));
  }, 300_000);

  it("are the same but for the path when all files move to another folder", async () => {
    const moved = await findingsOf(some.map(({ path, bytes }) => ({ path: `moved/${path}`, bytes })));
    const identities = (all: readonly Finding[]) =>
      all.map(({ movedFingerprint, ruleId, startLine }) => `${movedFingerprint} ${ruleId}:${startLine}`).sort();
    expect(identities(moved)).toEqual(identities(findingsOfSome));
    const known = new Set(findingsOfSome.map(({ fingerprint }) => fingerprint));
    expect(moved.filter(({ fingerprint }) => known.has(fingerprint)).map(shown)).toEqual([]);
  }, 300_000);
});
