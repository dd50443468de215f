import { runRulesTest } from "./rules-test/run-rules-test.ts";

/** `npm run rules:test [folder]`; see rules-test/run-rules-test.ts. npm runs scripts in the project's folder, INIT_CWD is the user's. */
const cwd = (process.env.npm_lifecycle_event === "rules:test" && process.env.INIT_CWD) || process.cwd();
process.exitCode = await runRulesTest(process.argv.slice(2), cwd, (line) => console.log(line));
