import { letBuffersGather } from "../functions/platform/heap-growth.ts";
import { startLocalService } from "./local/service.ts";
import { readSettings } from "./local/settings.ts";

/** `npm start`: the whole service on this machine, until Ctrl-C. */
letBuffersGather();
try {
  const settings = readSettings();
  const service = await startLocalService({ ...settings, onProgress: console.log });
  if (service.passwordIsNew) {
    console.log(
      `\nFirst administrator:  ${service.administrator.email}\nPassword, shown once: ${service.administrator.password}\n`,
    );
  }
  // Before it says that it is ready: whoever waits for that may stop it at once.
  stopOnSignal(service.stop);
  console.log(`Sluice is ready at ${service.url}`);
  const { learner, actor } = service.cloud.tasks.addresses;
  console.log(
    `  gRPC:                learner ${learner}, actor ${actor}\n  API to read and try: ${service.url}/docs\n  data:                ${settings.dataFolder}\n  stop:                Ctrl-C`,
  );
} catch (error) {
  console.error(`Sluice did not start: ${(error as Error).message}`);
  process.exit(1);
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = async () => {
    if (stopping) process.exit(130); // a second Ctrl-C does not wait; nothing is lost, the next start resumes
    stopping = true;
    console.log("\nStopping ...");
    await stop();
    process.exit(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}
