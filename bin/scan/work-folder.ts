import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder of this run, readable by its owner only, for the archive and the embedded service. It lies in the data folder of the product but
 * apart from that of `npm start`, so both run side by side. What runs that were killed have left behind is removed first.
 */
export async function createWorkFolder(dataFolder: string): Promise<{ path: string; remove(): Promise<void> }> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await removeAbandoned(dataFolder);
  const path = await mkdtemp(join(dataFolder, `scan-${process.pid}-`));
  return { path, remove: () => removeFolder(path) };
}

async function removeAbandoned(dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    const owner = /^scan-(\d+)-\w{6}$/.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) await removeFolder(join(dataFolder, name));
  }
}

/** Signal 0 only asks. A process of another user answers EPERM and is alive. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });
