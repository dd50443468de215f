import { defineConfig } from "vitest/config";

/**
 * Tests that talk to the whole service share one embedded cloud, except for the one that visits every operation and looks at what each
 * request writes; all others need none or make their own.
 */
const service = ["test/contract/operations.test.ts", "test/e2e/**/*.test.ts"];

export default defineConfig({
  test: {
    // Two files at a time fit a two-core machine.
    maxWorkers: 2,
    // Handlers that run inside a test write their log lines; only those of a failed one are worth reading.
    silent: "passed-only",
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: service,
          globalSetup: "test/support/shared-engine-assets.ts",
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
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
