import { S3 } from "../../lib/local/s3.ts";
import { startGateway } from "./gateway.ts";

/** The program behind `startS3Process`: S3 alone in a process, which can kill itself at a step of a write. */
const [folder, killAt] = process.argv.slice(2);
const s3 = new S3({ folder: folder! });
await s3.open();
s3.onStep = (step) => {
  if (step === killAt) process.kill(process.pid, "SIGKILL");
};
// Without a listener nobody would miss an event.
s3.onObjectCreated(() => {});
const { operator } = await startGateway({ rest: { s3 } });
process.on("message", async (message: { bucket?: string; versioned?: boolean }) => {
  if (message.bucket) await s3.ensureBucket({ name: message.bucket, versioned: message.versioned ?? false });
  process.send!({ maxRssMiB: process.resourceUsage().maxRSS / 1024 });
});
process.on("disconnect", () => process.exit());
process.send!(operator);
