import { beforeAll, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { findingsOf, findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const consumer = (body: string) => `import { Kafka } from "kafkajs";
${body}
const kafka = new Kafka({ brokers: ["one:9092"] });
const consumer = kafka.consumer({ groupId: "orders" });
await consumer.run({ eachMessage: async ({ message }) => run(message.value.toString()) });
`;

it.each([
  [
    "a request",
    `import express from "express";
import { exec } from "node:child_process";
express().get("/", (req, res) => exec("ls " + req.query.folder, () => res.end()));
`,
    { zh: "来自请求的 req.query", en: "req.query comes from the request and" },
  ],
  [
    "a queue",
    consumer(`import { exec } from "node:child_process";\nconst run = (name) => exec("ls " + name);`),
    { zh: "来自消息队列的 message.value", en: "message.value comes from a message queue and" },
  ],
])("says of a value of %s where it comes from", async (_, source, { zh, en }) => {
  const [finding] = await findingsOf(engine, "app/orders.js", source);
  expect(finding?.ruleId).toBe("command-injection.tainted-command");
  expect(finding?.message.zh).toContain(zh);
  expect(finding?.message.en).toContain(en);
});

it("says so of what comes from another file, too", async () => {
  const [finding] = await findingsOfAll(engine, [
    { path: "app/orders.js", source: consumer(`import { run } from "./run.js";`) },
    {
      path: "app/run.js",
      source: `import { exec } from "node:child_process";\nexport const run = (name) => exec("ls " + name);\n`,
    },
  ]);
  expect(finding?.message.en).toContain("message.value comes from a message queue and");
});
