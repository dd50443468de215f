import { randomInt } from "node:crypto";
import { readFakeLlmOptions, usage } from "./fake-llm/options.ts";
import { startFakeLlm } from "./fake-llm/start-fake-llm.ts";

/** `npm run fake-llm`: a model server to try the product with when there is no key at hand, until Ctrl-C. */
if (process.argv.includes("--help")) {
  console.log(usage);
  process.exit(0);
}
try {
  const { port, latencyMs, faults } = readFakeLlmOptions(process.argv.slice(2), randomInt(2 ** 31));
  const fake = await startFakeLlm({ port, latencyMs, faults: faults ?? undefined });
  console.log(`The scripted model listens at ${fake.url}`);
  if (faults) console.log(`Faults: ${faults.rate} of all contents, --seed ${faults.seed}`);
  console.log(`
Allow the service to reach it:
  SLUICE_OUTBOUND_ALLOWED_HOSTS=${new URL(fake.url).host} npm start

and point a user's configuration at it (PUT /api/v1/config/me), with any text as the key:
  {"llmConfig": {"llmProvider": "openai", "llmModel": "scripted", "llmApiKey": "any", "llmBaseUrl": "${fake.url}/v1"}}

  llmProvider                                                    llmBaseUrl
  openai, claude, qwen, deepseek, zhipu, moonshot, minimax       ${fake.url}/v1
  ollama (no key)                                                ${fake.url}/ollama/v1
  gemini                                                         ${fake.url}/v1beta
  baidu (key: any:any)                                           ${fake.url}/rpc/2.0/ai_custom/v1
  doubao                                                         ${fake.url}/api/v3

A model named scripted-<fault> always has that fault: scripted-truncated_json, scripted-status_429, ...; --help lists them.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => void fake.close().then(() => process.exit(0)));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exit(2);
}
