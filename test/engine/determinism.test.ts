import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import type { FileArtefact, SourceFile } from "../../functions/engine/artefact.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { openEngine } from "./engine-under-test.ts";
import { samplesAndFixtures } from "./source-files.ts";

const files = samplesAndFixtures(3);

/** Each shard has an engine of its own, as each function has; what one has seen must not matter to another. */
let engines: readonly Engine[];
let expected: string;

beforeAll(async () => {
  engines = await Promise.all(Array.from({ length: 3 }, () => openEngine()));
  expected = JSON.stringify((engines[0] as Engine).link(await analysed([files])));
});

/** Artefacts as they come back from storage, shard after shard. */
async function analysed(shards: readonly (readonly SourceFile[])[]): Promise<FileArtefact[]> {
  const artefacts: FileArtefact[] = [];
  for (const [n, shard] of shards.entries()) {
    const engine = engines[n % engines.length] as Engine;
    for (const file of shard) artefacts.push(JSON.parse(JSON.stringify(await engine.analyse(file))));
  }
  return artefacts;
}

it("finds the same, byte by byte, in any order of the files and on any number of shards", async () => {
  expect(JSON.parse(expected).length).toBeGreaterThan(files.length / 2);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...files], { minLength: files.length }),
      fc.constantFrom(1, 2, 7, 64),
      fc.nat({ max: engines.length - 1 }),
      async (shuffled, count, linking) => {
        const size = Math.ceil(shuffled.length / count);
        const shards = Array.from({ length: count }, (_, n) => shuffled.slice(n * size, (n + 1) * size));
        const found = (engines[linking] as Engine).link(await analysed(shards));
        expect(JSON.stringify(found) === expected).toBe(true);
      },
    ),
    { numRuns: Number(process.env.SLUICE_DETERMINISM_RUNS ?? 2) },
  );
}, 300_000);
