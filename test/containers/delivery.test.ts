import { randomUUID } from "node:crypto";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { actorProgram } from "../../containers/actor/actor-program.ts";
import { actorAddress } from "../../containers/actor/delivery/actor-address.ts";
import { ParameterDelivery } from "../../containers/actor/delivery/parameter-delivery.ts";
import { startProgram } from "../../containers/grpc/program.ts";
import { readSettings } from "../../containers/grpc/settings.ts";
import { StoredRuns } from "../../containers/grpc/stored-runs.ts";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";
import { claimActor, findActor, registerActor } from "../../functions/runs/actor-registry.ts";
import { pushParameters } from "../../functions/runs/parameter-store.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { freePort } from "../../lib/local/tasks.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { ask, type Message } from "./extension-client.ts";
import { definitions, PlainClient } from "./plain-client.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const local = { allowed: parseAllowedHosts(""), isLocal: true };
const backoffMilliseconds = { min: 5, max: 20 };

/** The relay, with short waits between tries. */
async function startRelay() {
  const settings = readSettings({}, { GRPC_PORT: "0" });
  const open = (metrics: ConstructorParameters<typeof StoredRuns>[0]["metrics"]) =>
    new StoredRuns({ ownerId: randomUUID(), bytesMax: 1e8, metrics });
  const program = await startProgram(actorProgram({ backoffMilliseconds }), settings, open);
  const client = new PlainClient(program.port);
  onTestFinished(() => {
    client.close();
    return program.drain({ flush: 1000, streams: 1000, calls: 1000, leases: 1000, connections: 1000 });
  });
  const push = (run: string, text: string) =>
    client.send("SendParameters", { parameter_bytes: Buffer.from(text) }, { "x-hil-run": run });
  return { client, push, port: program.port };
}

/** An actor as anybody would write it from the plain interface. It tells what it got, in order. */
class PlainActor {
  readonly received: string[] = [];
  readonly runs: unknown[] = [];
  /** How the next calls end, instead of well. */
  readonly failures: status[] = [];
  readonly #server = new Server();
  #came = Promise.withResolvers<void>();

  async listen(port = 0): Promise<number> {
    const { SendParameters } = definitions.ActorService;
    this.#server.addService(
      { SendParameters },
      {
        SendParameters: (call: Message, answer: (error: object | null, message?: object) => void) => {
          const code = this.failures.shift();
          if (code !== undefined) return answer({ code, details: "planned" });
          this.received.push(String(call.request.parameter_bytes));
          this.runs.push(call.metadata.getMap()["x-hil-run"]);
          answer(null, {});
          this.#came.resolve();
          this.#came = Promise.withResolvers();
        },
      },
    );
    onTestFinished(() => this.#server.forceShutdown());
    return await new Promise((resolve, reject) =>
      this.#server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  }

  async until(last: string): Promise<void> {
    while (this.received.at(-1) !== last) await this.#came.promise;
  }
}

const actorOf = async (client: PlainClient, run: string): Promise<Message> =>
  (await ask(client, "ActorRegistryService/ListActors", { run })).answer.actors[0];

/** Asks until it is as wanted: what is waited for is on its way in another process in truth. */
async function eventually<T>(look: () => Promise<T>, isWanted: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isWanted(found)) return found;
  }
}

describe("parameters for a registered actor", () => {
  it("that is down while two versions come are the second only, once it is up", async () => {
    const { client, push } = await startRelay();
    const port = await freePort(0, "the actor");
    const address = `http://127.0.0.1:${port}`;
    await ask(client, "ActorRegistryService/RegisterActor", { run: "down", address });
    expect((await push("down", "first")).code).toBe(status.OK);
    const tried = await eventually(
      () => actorOf(client, "down"),
      ({ failures }) => failures > 1,
    );
    expect(tried).toMatchObject({ address, delivered_version: 0, last_failure: "UNAVAILABLE" });
    expect((await push("down", "second")).code).toBe(status.OK);
    const actor = new PlainActor();
    await actor.listen(port);
    await actor.until("second");
    const noted = await eventually(
      () => actorOf(client, "down"),
      ({ delivered_version }) => delivered_version === 2,
    );
    expect(noted).toMatchObject({ failures: 0, last_failure: "" });
    expect(actor.received).toEqual(["second"]);
    expect(actor.runs).toEqual(["down"]);
  });

  it("come at once when it registers, then each as it comes, until it is removed", async () => {
    const { client, push } = await startRelay();
    const actor = new PlainActor();
    const address = `http://127.0.0.1:${await actor.listen()}`;
    await push("up", "1");
    for (let time = 0; time < 2; time++)
      await ask(client, "ActorRegistryService/RegisterActor", { run: "up", address: `${address}/` });
    await actor.until("1");
    for (const text of ["2", "3"]) {
      await push("up", text);
      await actor.until(text);
    }
    expect(actor.received).toEqual(["1", "2", "3"]);
    await ask(client, "ActorRegistryService/RemoveActor", { run: "up", address });
    expect((await ask(client, "ActorRegistryService/ListActors", { run: "up" })).answer.actors).toEqual([]);
    await push("up", "4");
    // Whoever registers next for another run is served after it: what was to come would have come.
    await push("next", "5");
    await ask(client, "ActorRegistryService/RegisterActor", { run: "next", address });
    await actor.until("5");
    expect(actor.received).not.toContain("4");
  });

  it("are sent again while the actor refuses them", async () => {
    const { client, push } = await startRelay();
    const actor = new PlainActor();
    actor.failures.push(status.INTERNAL, status.RESOURCE_EXHAUSTED);
    const address = `http://127.0.0.1:${await actor.listen()}`;
    await push("refused", "v");
    await ask(client, "ActorRegistryService/RegisterActor", { run: "refused", address });
    await actor.until("v");
    expect(actor.received).toEqual(["v"]);
  });

  it("do not go in circles: a relay that is registered with itself refuses them", async () => {
    const { client, push, port } = await startRelay();
    await push("circle", "v");
    const address = `http://127.0.0.1:${port}`;
    await ask(client, "ActorRegistryService/RegisterActor", { run: "circle", address });
    const actor = await eventually(
      () => actorOf(client, "circle"),
      ({ failures }) => failures > 0,
    );
    expect(actor.last_failure).toBe("INVALID_ARGUMENT");
    expect((await ask(client, "RunService/GetRun", { name: "circle" })).answer.parameter_version).toBe(1);
  });

  it("are left to whoever is at it, and taken over when nobody is any more", async () => {
    await data.clearTable();
    const { id } = await ensureRun(anonymousTenant, "claimed", new Date());
    const actor = new PlainActor();
    const address = `http://127.0.0.1:${await actor.listen()}`;
    await registerActor(id, address, new Date());
    await pushParameters(id, Buffer.from("v"), new Date());
    // Another process has begun and died.
    const until = Date.now() + 300;
    expect(await claimActor({ runId: id, address, claimant: "gone" }, Date.now(), until)).toBe(true);
    const delivery = new ParameterDelivery({
      policy: local,
      signal: new AbortController().signal,
      backoffMilliseconds,
    });
    await delivery.sweep();
    await delivery.idle();
    expect(Date.now()).toBeGreaterThan(until);
    expect(actor.received).toEqual(["v"]);
    expect(await findActor(id, address)).toMatchObject({ deliveredVersion: 1, failures: 0 });
    await delivery.sweep();
    await delivery.idle();
    expect(actor.received).toEqual(["v"]);
  });
});

describe("the address of an actor", () => {
  it.each([
    ["http://robot.example.com:8443", "outbound_not_https"],
    ["https://robot.example.com:50052", "outbound_port"],
    ["https://user:word@robot.example.com", "outbound_userinfo"],
    ["http://127.0.0.1:50052", "outbound_not_https"],
    ["robot", "outbound_url_malformed"],
  ])("%s is refused where others than this machine may connect", (address, code) => {
    expect(() => actorAddress(address, { ...local, isLocal: false })).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ["https://robot.example.com:8443/ignored", "https://robot.example.com:8443"],
    ["http://10.0.0.5:50052", "http://10.0.0.5:50052"],
  ])("%s is taken when the operator allows it", (address, origin) => {
    expect(actorAddress(address, { allowed: parseAllowedHosts("10.0.0.5:50052"), isLocal: false })).toBe(origin);
  });

  it("may be this machine only where nobody else can ask for it", () => {
    expect(actorAddress("http://localhost:50053", local)).toBe("http://localhost:50053");
    expect(() => actorAddress("http://10.0.0.5:50053", local)).toThrow();
  });

  it("that is refused is INVALID_ARGUMENT, and nothing is registered", async () => {
    const { client } = await startRelay();
    const request = { run: "bad", address: "http://169.254.169.254:80" };
    const answer = await ask(client, "ActorRegistryService/RegisterActor", request);
    expect(answer.code).toBe(status.INVALID_ARGUMENT);
    expect((await ask(client, "ActorRegistryService/ListActors", { run: "bad" })).answer.actors).toEqual([]);
    expect((await ask(client, "RunService/GetRun", { name: "bad" })).code).toBe(status.NOT_FOUND);
  });
});
