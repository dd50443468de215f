import type { TestProject } from "vitest/node";
import { startTestService } from "./test-service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The running service: its address and the people who may sign in. */
    service: { url: string; alice: { email: string; password: string }; mallory: { email: string; password: string } };
  }
}

/** Starts the real service once for all tests that talk to it over HTTP. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, alice, mallory, stop } = await startTestService();
  project.provide("service", { url, alice, mallory });
  return stop;
}
