import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as uuid } from "uuid";
import { startLocalService } from "../../bin/local/service.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import * as users from "../../functions/users/user-store.ts";
import { Api } from "../support/api.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";

const searches: Record<string, Record<string, string>> = {
  "newest page": {},
  "part of an address": { search: "USER-00012" },
  "part of a name": { search: "小明7" },
  "part of a number": { search: "138-0001 12" },
  "status and role": { role: "admin", is_active: "true" },
  "a hundred, far down": { skip: "9000", limit: "100" },
};

/** `npm run bench -- users [how many]`: searching users through the API of the whole service, as a front end does. */
export default async function bench([count = "10000"]: string[] = []): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), "sluice-bench-users-"));
  const service = await startLocalService({ dataFolder });
  try {
    useAsEnvironment(service.cloud);
    const people = Array.from({ length: Number(count) }, (_, n) => somebody(n));
    const begun = performance.now();
    await eightAtATime(people, users.createUser);
    console.log(`${people.length} users created in ${seconds(performance.now() - begun)} s`);

    const api = new Api(service.url, await service.token());
    const search = (query: Record<string, string>) => api.ok("GET", "/api/v1/users/", { query });
    console.table({ "first search of a new instance": await timesOf(1, () => search({})) });
    const rows: Record<string, object> = {};
    for (const [name, query] of Object.entries(searches)) {
      const { total } = await search(query);
      rows[name] = { ...(await timesOf(100, () => search(query))), total };
    }
    let current = people[0] as User;
    const write = async () => {
      current = await users.replaceUser(current, { ...current, fullName: `Changed ${current.version}` });
    };
    rows["right after a write"] = await timesOf(50, () => search({ search: "USER-00012" }), write);
    console.table(rows);
  } finally {
    await service.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

function somebody(n: number): User {
  const six = String(n).padStart(6, "0");
  const user = newUser(
    {
      id: uuid(),
      email: `user-${six}@example.test`,
      fullName: `王小明${n}`,
      role: n % 100 ? "member" : "admin",
      passwordHash: "none",
    },
    new Date(Date.UTC(2026, 0, 1) + n * 1000),
  );
  return { ...user, phone: `+86 138 0${six.slice(0, 3)} ${six.slice(2)}`, isActive: n % 7 !== 0 };
}

async function eightAtATime<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function timesOf(times: number, work: () => Promise<unknown>, before?: () => Promise<void>) {
  const latencies: number[] = [];
  for (let n = 0; n < times; n++) {
    await before?.();
    const begun = performance.now();
    await work();
    latencies.push(performance.now() - begun);
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * times) - 1]! * 10) / 10;
  return { "p50 ms": at(0.5), "p95 ms": at(0.95), "max ms": at(1) };
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
