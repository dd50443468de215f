import { runCreateAdmin } from "./create-admin/run-create-admin.ts";

/** `npm run create-admin`: makes the first administrator of a deployed stack; see create-admin/run-create-admin.ts. */
const { stdin, stdout, stderr, env } = process;
process.exit(await runCreateAdmin(process.argv.slice(2), { stdin, stdout, stderr, env }));
