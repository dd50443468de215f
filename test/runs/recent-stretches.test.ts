import { expect, it } from "vitest";
import { RecentStretches } from "../../functions/runs/recent-stretches.ts";

const stretch = (bytes: number, loss: Error | null = null) => ({ bytes, loss });

/** @returns which keys have to be read when they are asked for now */
async function unread(recent: RecentStretches<ReturnType<typeof stretch>>, keys: readonly string[], bytes: number) {
  const read: string[] = [];
  for (const key of keys)
    await recent.get(key, async () => {
      read.push(key);
      return stretch(bytes);
    });
  return read;
}

it("reads once for all who come meanwhile", async () => {
  const recent = new RecentStretches<ReturnType<typeof stretch>>(100);
  const read = Promise.withResolvers<ReturnType<typeof stretch>>();
  let reads = 0;
  const get = () =>
    recent.get("a", () => {
      reads += 1;
      return read.promise;
    });
  const all = [get(), get(), get()];
  read.resolve(stretch(10));
  expect(new Set(await Promise.all(all)).size).toBe(1);
  expect(reads).toBe(1);
});

it("keeps what was used last, within its bytes", async () => {
  const recent = new RecentStretches<ReturnType<typeof stretch>>(100);
  expect(await unread(recent, ["a", "b"], 40)).toEqual(["a", "b"]);
  expect(await unread(recent, ["a", "c"], 40)).toEqual(["c"]);
  expect(await unread(recent, ["a", "c"], 40)).toEqual([]);
  expect(await unread(recent, ["b"], 40)).toEqual(["b"]);
});

it("keeps nothing that is larger than all it may hold", async () => {
  const recent = new RecentStretches<ReturnType<typeof stretch>>(100);
  expect(await unread(recent, ["a", "a"], 101)).toEqual(["a", "a"]);
});

it("does not keep what could not be read, or not all of it", async () => {
  const recent = new RecentStretches<ReturnType<typeof stretch>>(100);
  await expect(recent.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  await recent.get("b", async () => stretch(10, new Error("damaged")));
  expect(await unread(recent, ["a", "b"], 10)).toEqual(["a", "b"]);
});
