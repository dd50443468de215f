import { startEmbeddedData } from "../support/embedded-data.ts";
import { soak } from "./soak/soak.ts";

/** `npm run bench -- soak [minutes] [seed]`: ten minutes unless told otherwise. Ends with 1 when the log is not what was promised. */
export default async function bench([minutes = "10", seed = String(Date.now() % 100_000)]: string[]): Promise<void> {
  const data = await startEmbeddedData();
  console.log(`${minutes} minutes, seed ${seed}`);
  const result = await soak({
    seconds: Number(minutes) * 60,
    restartSeconds: Math.min(45, Number(minutes) * 6),
    seed: Number(seed),
    onProgress: (progress) => console.log(JSON.stringify(progress)),
  });
  await data.stop();
  const { defects, ...figures } = result;
  console.log(JSON.stringify(figures, null, 2));
  for (const defect of defects.slice(0, 100)) console.error(defect);
  console.log(defects.length === 0 ? "The log is what was acknowledged, in order, once." : `${defects.length} defects`);
  process.exitCode = defects.length === 0 ? 0 : 1;
}
