import { type ConfigNode, TooLarge } from "./config-node.ts";
import { readProperties } from "./pairs-reader.ts";

/** More keys are texts of a user interface, as a rule. */
const settingsMax = 300;
/** Names of algorithms, modes and the like. Anything else is nobody's business outside of its file, passwords least of all. */
const nameOnly = /^[A-Za-z][A-Za-z0-9]*([-/_.][A-Za-z0-9]+)*$/;
const nameLengthMax = 40;

/** What code can look up in a properties file, as far as it is names. */
export function namedSettings(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  let count = 0;
  const walk = (node: ConfigNode, way: string): void => {
    for (const entry of node.entries) {
      const key = way === "" ? entry.key : `${way}.${entry.key}`;
      const { value } = entry;
      if (value !== null && value.length <= nameLengthMax && nameOnly.test(value) && !isSecret(key)) {
        if (++count > settingsMax) return;
        found[key] = value;
      }
      walk(entry, key);
    }
  };
  try {
    for (const root of readProperties(text)) walk(root, "");
  } catch (error) {
    // A file of that many keys is no file of settings.
    if (!(error instanceof TooLarge)) throw error;
  }
  return found;
}

const isSecret = (key: string): boolean => /passw|pwd|secret|token|credential|salt|user|api_?key/i.test(key);
