import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startLocalService } from "../../bin/local/service.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { ask, type Message, open } from "../containers/extension-client.ts";
import { definitions, PlainClient } from "../containers/plain-client.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";

/** The programs as `npm start` runs them: from the template, each with the rights of its role. */
let service: OwnService;
beforeAll(async () => {
  service = await startOwnService({ actorLearner: { learnerPort: 0, actorPort: 0 } });
});
afterAll(() => service?.stop());

function client(name: "learner" | "actor"): PlainClient {
  const [, port] = (service.cloud.tasks.addresses[name] as string).split(":");
  const made = new PlainClient(Number(port));
  onTestFinished(() => made.close());
  return made;
}

const pollMs = 50;
const item = (text: string) => ({ transition_bytes: Buffer.from(text) });

// First, while there are no runs but its own.
it("lists runs, samples from one and shares it among a group", async () => {
  const [learner, actor] = [client("learner"), client("actor")];
  const values = { "x-hil-run": "arm" };
  for (const text of ["a", "b", "c"])
    expect((await learner.send("SendTransition", { transition_bytes: Buffer.from(text) }, values)).code).toBe(
      status.OK,
    );
  for (const one of [learner, actor]) {
    const { answer } = await ask(one, "RunService/ListRuns");
    expect(answer.runs.map(({ name }: Message) => name)).toEqual(["arm"]);
  }
  const request = { selector: "SELECTOR_PRIORITISED", batch_size: 5, max_samples: 5 };
  const samples = open(learner, "ReplayService/Sample", request, { values });
  expect((await samples.ended).code).toBe(status.OK);
  expect(samples.items[0].samples).toHaveLength(5);
  const members = [1, 2].map(() => actor.stream({ ...values, "x-hil-group": "g", "x-hil-from": "earliest" }));
  await Promise.all(members.map(({ began }) => began));
  expect((await ask(actor, "RunService/CloseRun", { name: "arm" })).answer.status).toBe("RUN_STATUS_CLOSED");
  for (const { ended } of members) expect((await ended).code).toBe(status.OK);
  expect(members.flatMap(({ texts }) => texts).toSorted()).toEqual(["a", "b", "c"]);
});

it("brings parameters to an actor that is registered", async () => {
  const actor = client("actor");
  const arrived = Promise.withResolvers<string>();
  const server = new Server();
  onTestFinished(() => server.forceShutdown());
  const { SendParameters } = definitions.ActorService;
  server.addService(
    { SendParameters },
    {
      SendParameters: (call: Message, answer: (error: null, message: object) => void) => {
        answer(null, {});
        arrived.resolve(String(call.request.parameter_bytes));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const address = `http://127.0.0.1:${port}`;
  expect((await ask(actor, "ActorRegistryService/RegisterActor", { run: "pushed", address })).code).toBe(status.OK);
  const pushed = await actor.send("SendParameters", { parameter_bytes: Buffer.from("v1") }, { "x-hil-run": "pushed" });
  expect(pushed.code).toBe(status.OK);
  expect(await arrived.promise).toBe("v1");
  expect((await ask(actor, "ActorRegistryService/RemoveActor", { run: "pushed", address })).code).toBe(status.OK);
});

it("takes what a plain client sends and serves it, also after kill -9 of the learner", async () => {
  const learner = client("learner");
  expect(await learner.send("SendTransition", item("first"))).toMatchObject({ code: status.OK });
  const stream = client("actor").stream({ "x-hil-from": "earliest" });
  await stream.take(1);

  const { tasks } = service.cloud;
  const killed = tasks.processOf("learner") as number;
  process.kill(killed, "SIGKILL");
  // A plain client knows of no pushback: it tries again until the successor has the run.
  while ((await learner.send("SendTransition", item("second"))).code !== status.OK) await setTimeout(pollMs);
  expect(tasks.processOf("learner")).not.toBe(killed);
  await stream.take(2);
  expect(stream.texts).toEqual(["first", "second"]);
  stream.call.cancel();
});

it("takes parameters with the rights of the actor's role", async () => {
  const sent = await client("actor").send("SendParameters", { parameter_bytes: Buffer.from("weights") });
  expect(sent).toMatchObject({ code: status.OK, trailers: { "x-hil-param-version": "1" } });
});

it("tends runs with the rights of the nightly function's role, as their owner has said", async () => {
  const sender = client("learner");
  const run = { "x-hil-run": "tended", "x-hil-producer": "arm" };
  for (const seq of ["1", "2", "3"])
    expect((await sender.send("SendTransition", item(seq), { ...run, "x-hil-seq": seq })).code).toBe(status.OK);
  const id = runIdOf(anonymousTenant, "tended");
  const authorization = `Bearer ${await service.token()}`;
  const call = async (method: string, json?: object) => {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(`${service.url}/api/v1/runs/${id}`, {
      method,
      headers,
      body: json && JSON.stringify(json),
    });
    return await answer.json();
  };
  const retention = { age_seconds: null, bytes: 1 };
  expect(await call("PATCH", { retention })).toMatchObject({ retention, first_offset: 0 });
  const name = [...service.cloud.resources.keys()].find((logicalId) => /TendRuns(?!Role)/.test(logicalId)) as string;
  expect(await service.cloud.invoke(name, {})).toMatchObject({ ok: true });
  expect(await call("GET")).toMatchObject({ first_offset: 3, next_offset: 3, stored_bytes: 0 });
});

it("lets each program do nothing beyond its role", () => {
  const { iam, resources } = service.cloud;
  const role = (id: string) =>
    [...resources].find(([logicalId]) => logicalId.startsWith(`ActorLearnerTasks${id}Role`))?.[1].ref as string;
  const bucket = [...resources].find(
    ([id, { type }]) => id.startsWith("DataResults") && type === "AWS::S3::Bucket",
  )?.[1].ref;
  const may = (id: string, key: string) =>
    iam.allows({ role: role(id) }, { action: "s3:PutObject", resource: `arn:aws:s3:::${bucket}/${key}` });
  expect([may("Learner", "runs/1/segments/0"), may("Learner", "runs/1/parameters/0")]).toEqual([true, false]);
  expect([may("Actor", "runs/1/segments/0"), may("Actor", "runs/1/parameters/0")]).toEqual([false, true]);
});

it("says which port is in use and how to choose another", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const other = mkdtempSync(join(tmpdir(), "sluice-port-"));
  onTestFinished(() => rmSync(other, { recursive: true, force: true }));
  const started = startLocalService({ dataFolder: other, actorLearner: { learnerPort: port, actorPort: 0 } });
  await expect(started).rejects.toThrow(`port ${port} is in use; the learner (LEARNER_PORT) needs another one`);
});
