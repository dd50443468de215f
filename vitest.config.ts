import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

/**
 * Tests that talk to the whole service share one embedded cloud, except for the one that visits every operation and looks at what each
 * request writes; all others need none or make their own.
 */
const service = ["test/contract/operations.test.ts", "test/e2e/**/*.test.ts"];

// Processes are killed in tests, but nobody cuts the power. What `npm start` runs as waits as it always does.
process.env.SLUICE_DISK_SYNC ??= "off";
// CDK's linter only warns, so no test can fail by it, and it takes seconds for each template.
process.env.CDK_VALIDATION ??= "false";

export default defineConfig({
  test: {
    // Three files at a time keep two cores busy: for a quarter of its time a file waits for a disk or for another process.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Handlers that run inside a test write their log lines; only those of a failed one are worth reading.
    silent: "passed-only",
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: service,
          globalSetup: ["test/support/temporary-folder.ts", "test/support/shared-engine-assets.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "service",
          include: service,
          globalSetup: "test/support/shared-service.ts",
          sequence: { groupOrder: 1 },
        },
      },
    ],
    // Nothing takes a quarter of this on a machine of its own; a busy or slow one is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
