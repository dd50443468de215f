import { exitCodes, runScan } from "./scan/run-scan.ts";

/** `npm run scan`: audits a folder or a ZIP through the service; see scan/run-scan.ts. */
const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // The first asks for an orderly end, the second does not wait; what then stays behind, the next run removes.
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  });
}
// Who reads our output may stop reading, as `head` does. That is no fault of the scan.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const { stdout, stderr, env } = process;
// The process ends here even if the embedded service still held something open.
process.exit(
  await runScan(process.argv.slice(2), { stdout, stderr, env, cwd: process.cwd(), signal: interrupt.signal }),
);
