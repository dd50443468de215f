import type { TimeLimit } from "../time-limit.ts";
import { type AccessRecord, listedPaths, type WebRecord } from "../web/web-record.ts";
import { type ConfigNode, TooLarge } from "./config-node.ts";
import { readYaml } from "./yaml-reader.ts";

const isSecurity = /(^|\/)security\.ya?ml$/;
/** How many paths one expression may stand for: `^/(a|b)/(c|d)`. */
const waysMax = 20;

/** What the security settings of a Symfony application ask by path; null where they ask nothing. @throws TimeUp */
export function symfonyAccess(path: string, text: string, limit: TimeLimit): WebRecord | null {
  if (!isSecurity.test(path) || !text.includes("access_control")) return null;
  try {
    const entries = readYaml(text, 0, limit).roots.flatMap((root) =>
      under(under([root], "security"), "access_control"),
    );
    const accesses = entries.flatMap(({ entries: items }) => items).flatMap(access);
    return accesses.length > 0
      ? { of: "php", routes: [], mounts: [], functions: [], application: [listedPaths], accesses }
      : null;
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

/** One entry of the list. What holds for some addresses of callers or some hosts says nothing about the others. */
function access(entry: ConfigNode): AccessRecord[] {
  const has = (key: string) => under([entry], key).length > 0;
  if (["ip", "ips", "host", "port", "request_matcher", "route"].some(has)) return [];
  const [path] = texts(entry, "path");
  const roles = [...texts(entry, "roles"), ...texts(entry, "role")];
  return [
    {
      list: "access_control",
      order: entry.start,
      paths: path === undefined ? ["/**"] : pathsOf(path),
      restIsOpen: true,
      methods: [...texts(entry, "methods"), ...texts(entry, "method")].map((method) => method.toUpperCase()),
      controls: has("allow_if") ? ["authentication", "roles-by-path"] : asked(roles),
    },
  ];
}

function asked(roles: readonly string[]): string[] {
  if (roles.every((role) => /^(PUBLIC_ACCESS|IS_AUTHENTICATED_ANONYMOUSLY|IS_ANONYMOUS)$/.test(role))) return ["open"];
  return roles.every((role) => /^(IS_AUTHENTICATED|ROLE_USER$)/.test(role))
    ? ["authentication"]
    : ["authentication", "roles-by-path"];
}

/** A regular expression as patterns of paths; null where it says more than those can. */
function pathsOf(expression: string): string[] | null {
  const [, begins, body = "", ends] = /^(\^?)(.*?)(\$?)$/.exec(expression) ?? [];
  let ways = [""];
  for (const [part, group, any, one, plain] of body.matchAll(
    /\((?:\?:)?([\w./|-]*)\)|(\.[*+]\??)|(\[\^\/\]\+|\\[dw]\+)|((?:[\w/-]|\\?\.(?![*+])|\\-)+)|[\s\S]/g,
  )) {
    const next = group?.split("|") ?? (any && ["**"]) ?? (one && ["*"]) ?? (plain && [plain.replaceAll("\\", "")]);
    if (!next || part === "" || ways.length * next.length > waysMax) return null;
    ways = ways.flatMap((way) => next.map((end) => way + end));
  }
  return ways.map((way) => `${begins ? "" : "**"}${way}${ends ? "" : "**"}`);
}

const under = (nodes: readonly ConfigNode[], key: string): ConfigNode[] =>
  nodes.flatMap(({ entries }) => entries.filter((entry) => entry.key === key));

/** A text, or a list of texts. */
const texts = (node: ConfigNode, key: string): string[] =>
  under([node], key)
    .flatMap((entry) => [entry, ...entry.entries])
    .flatMap(({ value }) => (value === null ? [] : [value]));
