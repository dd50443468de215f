import { spawnSync } from "node:child_process";

/** By its whole path: the environment of a function decides where a bare name would be looked for. */
const setpriv = ["/usr/bin/setpriv", "--pdeathsig", "KILL"] as const;

let supported: boolean | undefined;

/**
 * The command that runs a program which the kernel ends together with this process. A function notices by itself that the
 * embedded cloud is gone, but not while it computes: after `kill -9` an endless loop would go on for ever. Where util-linux
 * is missing (other systems) that remains so.
 */
export function dyingWithParent(command: readonly string[]): string[] {
  supported ??= spawnSync(setpriv[0], [...setpriv.slice(1), "true"], { stdio: "ignore" }).status === 0;
  return supported ? [...setpriv, ...command] : [...command];
}
