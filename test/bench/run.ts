import { readdirSync } from "node:fs";
import { join } from "node:path";

/** `npm run bench -- <name> [arguments]`: each file beside this one is a benchmark that prints a table. */
const [name = "", ...args] = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => file.slice(0, -3));
if (!names.includes(name)) {
  console.error(`Which benchmark? npm run bench -- <${names.join("|")}>`);
  process.exit(2);
}
const bench = (await import(join(import.meta.dirname, `${name}.ts`))) as { default: (args: string[]) => Promise<void> };
await bench.default(args);
