import { exitCodes, runLog } from "./log/run-log.ts";

/** `npm run log`: looks into the runs of a service; see log/run-log.ts. */
const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  });
}
// Who reads our output may stop reading, as `head` does; nobody wants the rest then.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.fine);
});

const { stdout, stderr, env } = process;
process.exitCode = await runLog(process.argv.slice(2), { stdout, stderr, env, signal: interrupt.signal });
