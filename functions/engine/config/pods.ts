import { type ConfigNode, entryOf } from "./config-node.ts";

/** Where the kinds of Kubernetes keep what they run. */
const ways: readonly (readonly string[])[] = [
  ["spec", "jobTemplate", "spec", "template", "spec"],
  ["spec", "template", "spec"],
  ["spec"],
];

/** Lets rules find the pod of any workload under `@pod`, and the items of a list as documents of their own. */
export function addPods(root: ConfigNode): void {
  for (const way of ways) {
    const pod = way.reduce<ConfigNode | undefined>(entryOf, root);
    if (!pod || !entryOf(pod, "containers")) continue;
    root.entries.push({ ...pod, key: "@pod" });
    return;
  }
}
