import { posix, win32 } from "node:path";
import fc from "fast-check";
import JSZip from "jszip";
import { describe, expect, it } from "vitest";
import { SluiceError } from "../../functions/platform/errors.ts";
import { bufferSource } from "../../functions/sources/archive/byte-source.ts";
import { buildManifest, type Manifest } from "../../functions/sources/archive/manifest.ts";
import { cleanPath, normalisePath } from "../../functions/sources/normalise-path.ts";
import { realArchives } from "./real-archives.ts";

const contentOf = ({ files }: Manifest) => files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes }));

/** The outcome that a mutated archive may have: what it had before, or a refusal. */
async function readOrRefuse(bytes: Buffer): Promise<Manifest | SluiceError> {
  return buildManifest(bufferSource(bytes)).catch((error) => {
    if (error instanceof SluiceError && error.code.startsWith("zip_")) return error;
    throw error;
  });
}

describe("a mutated archive", () => {
  const seeds = ["infozip-stream", "infozip64", "python-stream-zip64", "jar", "git"] as const;
  // Without fast-check's liking for extreme values: the middle of an archive deserves as many edits as its ends.
  const place = fc.noBias(fc.nat(1_000_000)).map((part) => part / 1_000_001);
  const edit = fc.oneof(
    // A changed length moves the directory, which is noticed first; what else is checked shows when only bytes change.
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("flip" as const), place, value: fc.integer({ min: 1, max: 255 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("set" as const),
        place,
        value: fc.constantFrom(0, 1, 0x50, 0x7f, 0xff),
      }),
    },
    fc.record({ kind: fc.constant("insert" as const), place, value: fc.integer({ min: 0, max: 255 }) }),
    fc.record({ kind: fc.constant("cut" as const), place, value: fc.integer({ min: 1, max: 64 }) }),
    fc.record({ kind: fc.constant("repeat" as const), place, value: fc.integer({ min: 1, max: 64 }) }),
  );
  type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

  function apply(bytes: Buffer, { kind, place, value }: Edit): Buffer {
    const at = Math.floor(place * bytes.length);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    if (kind === "insert") return Buffer.concat([head, Buffer.from([value]), tail]);
    if (kind === "cut") return Buffer.concat([head, tail.subarray(value)]);
    if (kind === "repeat") return Buffer.concat([head, tail.subarray(0, value), tail]);
    const copy = Buffer.from(bytes);
    copy[at] = kind === "flip" ? copy[at]! ^ value : value;
    return copy;
  }

  /**
   * Where a byte carries no content (times, versions, comments, the bytes of a name), a changed archive is still a good one. So names may
   * differ; what the files contain may not.
   */
  it("has the same contents or is refused, and nothing else happens", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        async (name, edits) => {
          const original = realArchives[name];
          const outcome = await readOrRefuse(edits.reduce(apply, original));
          if (outcome instanceof SluiceError) return;
          const hashes = (manifest: Manifest) =>
            contentOf(manifest)
              .map(({ sha256 }) => sha256)
              .sort();
          expect(hashes(outcome)).toEqual(hashes(await buildManifest(bufferSource(original))));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("is refused for every single byte of its data and its sizes", async () => {
    const archive = await new JSZip()
      .file("a.js", "let a = 1;")
      .generateAsync({ type: "nodebuffer", compression: "STORE" });
    const dataOffset = 30 + "a.js".length;
    const sizes = Array.from({ length: 12 }, (_, n) => 14 + n);
    const data = Array.from({ length: 10 }, (_, n) => dataOffset + n);
    for (const at of [...sizes, ...data])
      for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const copy = Buffer.from(archive);
        copy[at]! ^= bit;
        expect(await readOrRefuse(copy)).toBeInstanceOf(SluiceError);
      }
  });

  it("is refused when cut anywhere", async () => {
    const archive = realArchives["python-stream-zip64"];
    for (let length = 0; length < archive.length; length++)
      expect(await readOrRefuse(archive.subarray(0, length))).toBeInstanceOf(SluiceError);
  });
});

describe("an archive of any files", () => {
  const segment = fc.stringMatching(/^[a-zA-Z0-9_. 中文．-]{1,12}$/).filter((text) => !/^\.{1,2}$/.test(text));
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
  const files = fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 300 })), {
    selector: ([name]) => name,
    maxLength: 8,
  });

  it("comes back as it was packed", async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.boolean(), async (packed, streamFiles) => {
        const names = packed.map(([name]) => name);
        fc.pre(!names.some((name) => names.some((other) => other.startsWith(`${name}/`))));
        const zip = new JSZip();
        for (const [name, content] of packed) zip.file(name, content, { createFolders: false });
        const manifest = await buildManifest(
          bufferSource(await zip.generateAsync({ type: "nodebuffer", streamFiles })),
        );
        const full = (name: string) => (manifest.root === "" ? name : `${manifest.root}/${name}`);
        expect(manifest.files.map((file) => full(file.path))).toEqual(names.toSorted());
        for (const file of manifest.files)
          expect(file.bytes).toBe(packed.find(([name]) => name === full(file.path))?.[1].length);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a normalised path", () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        "..",
        ".",
        "",
        "a",
        "b.js",
        "C:",
        "c:x",
        "．．",
        "~",
        "\0",
        "\u009b",
        " ",
        "/",
        "\\",
        "//",
        "...",
      ),
      { maxLength: 8 },
    )
    .chain((parts) => fc.constantFrom("/", "\\", "").map((separator) => parts.join(separator)));
  const anyPath = fc.oneof(fc.string({ unit: "binary" }), hostile);

  it("stays as it is when normalised again, and never leads out", () => {
    fc.assert(
      fc.property(anyPath, (given) => {
        const cleaned = cleanPath(given);
        if ("fault" in cleaned) {
          expect(() => normalisePath(given)).toThrow(SluiceError);
          return;
        }
        const { path } = cleaned;
        expect(normalisePath(path)).toBe(path);
        expect(posix.resolve("/root", path)).toMatch(/^\/root\/./);
        expect(win32.resolve("D:\\root", path)).toMatch(/^D:\\root\\./);
        expect(path).not.toMatch(/\\|^[a-zA-Z]:|[\u0000-\u001f\u007f-\u009f]/);
      }),
      { numRuns: 5000 },
    );
  });

  it("is the same on every platform", () => {
    for (const same of ["src\\lib\\a.js", "./src/lib/a.js", "src//lib/./a.js", "src/lib/a.js/"])
      expect(normalisePath(same)).toBe("src/lib/a.js");
  });
});
