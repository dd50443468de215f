import { noLimit, type TimeLimit } from "../time-limit.ts";
import type { ConfigFormat } from "./config-format.ts";
import { type ConfigNode, entryOf } from "./config-node.ts";
import { readApache, readNginx } from "./directives-reader.ts";
import { readDockerfile } from "./dockerfile-reader.ts";
import { readHcl } from "./hcl-reader.ts";
import { readMapper } from "./mapper-reader.ts";
import { addEvents, addWrittenVariables, mapEnvironments } from "./normal-forms.ts";
import { readDotenv, readIni, readProperties } from "./pairs-reader.ts";
import { addPods } from "./pods.ts";
import { springNames } from "./spring-names.ts";
import { readXml } from "./xml-reader.ts";
import { readYaml, withoutJsonComments } from "./yaml-reader.ts";

/** What a document configures. Rules ask about kinds, not about formats: a manifest is one in YAML and in JSON. */
export const documentKinds = [
  "dockerfile",
  "compose",
  "kubernetes",
  "github-workflow",
  "github-action",
  "gitlab-ci",
  "azure-pipeline",
  "helm-values",
  "cloudformation",
  "iam-policy",
  "ansible",
  "terraform",
  "spring",
  "dotenv",
  "php-ini",
  "nginx",
  "apache",
  "web-xml",
  "web-config",
  "android-manifest",
  "network-security-config",
  "mybatis-mapper",
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** One document of a file. */
export interface ConfigDocument {
  readonly kind: DocumentKind;
  readonly root: ConfigNode;
  /** Parts were filled in for a template engine: what is not there may still come. */
  readonly templated: boolean;
}

/** Longer files are data; people do not write configuration of this length. */
const charactersMax = 400_000;

/** Reads the documents of a file that are configuration of a known kind. @returns whether something in it could not be read, too */
export function readConfig(
  format: ConfigFormat,
  text: string,
  limit: TimeLimit = noLimit(),
): { documents: ConfigDocument[]; reason: string | null } {
  if (text.length > charactersMax) return { documents: [], reason: isPromising(format, text) ? "size_limit" : null };
  if (format === "yaml" || format === "json") return readStructured(format, text, limit);
  const of = (kind: DocumentKind, roots: ConfigNode[]) => ({
    documents: roots.map((root) => ({ kind, root, templated: false })),
    reason: null,
  });
  switch (format) {
    case "dockerfile":
      return of("dockerfile", readDockerfile(text));
    case "terraform":
      return of("terraform", readHcl(text));
    case "properties":
      return of("spring", readProperties(text).map(springNames));
    case "dotenv":
      return of("dotenv", readDotenv(text));
    case "ini":
      return of("php-ini", readIni(text));
    case "apache":
      return of("apache", readApache(text));
    case "nginx":
      return /^[ \t]*<(VirtualHost|Directory|IfModule|Location)\b|^[ \t]*(ServerTokens|TraceEnable|SSLEngine|LoadModule)\s/im.test(
        text,
      )
        ? of("apache", readApache(text))
        : of("nginx", readNginx(text));
    case "xml":
      return readMarkup(text);
  }
}

const isPromising = (format: ConfigFormat, text: string): boolean =>
  (format !== "yaml" && format !== "json" && format !== "xml") || wanted.test(text);

/** Most YAML and JSON is data: only what has the words of a known kind is parsed. */
const wanted =
  /^[ \t]*["']?(apiVersion|services|jobs|runs|Resources|Statement|stages|script|before_script|functions|spring|server|management|logging|trigger|pool|podSecurityContext|securityContext)["']?[ \t]*:|^[ \t]*-?[ \t]*(hosts|become|mode|shell)[ \t]*:|\bvalidate_certs:/m;

function readStructured(format: "yaml" | "json", text: string, limit: TimeLimit): ReturnType<typeof readConfig> {
  if (!wanted.test(text)) return { documents: [], reason: null };
  const templated = /(^|[^$"'])\{\{/.test(text) && /^(apiVersion|kind):/m.test(text);
  const plain = format === "json" ? withoutJsonComments(text) : templated ? withoutTemplates(text) : text;
  const { roots, broken } = readYaml(plain, 0, limit);
  const documents = roots.flatMap((root): ConfigDocument[] => {
    const kind = kindOf(root);
    if (kind === "kubernetes") addPods(root);
    if (kind === "compose") mapEnvironments(root);
    if (kind === "github-workflow") {
      addEvents(root);
      addWrittenVariables(root);
    }
    return kind ? [{ kind, root: kind === "spring" ? springNames(root) : root, templated }] : [];
  });
  return { documents, reason: broken && documents.length > 0 && !templated ? "syntax_errors" : null };
}

/** Lines of nothing but template become blank, templates in values words of the same length: the rest stays where it is. */
const withoutTemplates = (text: string): string =>
  text
    .replace(/^[ \t]*(-[ \t]*)?\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*\}\}[ \t]*$/gm, (found) => found.replace(/[^\n]/g, " "))
    .replace(/\{\{(?:[^{}\n]|\{(?!\{)|\}(?!\}))*\}\}/g, (found) => "_".repeat(found.length));

function kindOf(root: ConfigNode): DocumentKind | null {
  const has = (key: string) => entryOf(root, key) !== undefined;
  const below = (key: string) => entryOf(root, key)?.entries ?? [];
  const some = (nodes: readonly ConfigNode[], ...keys: string[]) =>
    nodes.some((node) => keys.some((key) => entryOf(node, key) !== undefined));
  if (has("apiVersion") && has("kind")) return "kubernetes";
  if (has("jobs") && (has("on") || has("true")) && some(below("jobs"), "steps", "uses", "runs-on"))
    return "github-workflow";
  if (has("runs") && some([root], "runs") && entryOf(entryOf(root, "runs"), "using")) return "github-action";
  if (has("services") && some(below("services"), "image", "build", "ports", "volumes", "environment")) return "compose";
  if (has("Resources") && below("Resources").some((r) => /^(AWS|Alexa|Custom)::/.test(entryOf(r, "Type")?.value ?? "")))
    return "cloudformation";
  if (has("provider") && has("functions") && has("service")) return "cloudformation";
  if (has("Statement") && some(below("Statement"), "Effect")) return "iam-policy";
  if ((has("trigger") || has("pool") || has("pr")) && (has("steps") || has("jobs") || has("stages")))
    return "azure-pipeline";
  if (some(root.entries, "script", "before_script") && root.entries.every((e) => !/^\d+$/.test(e.key)))
    return "gitlab-ci";
  const plays = root.entries.filter((entry) => /^\d+$/.test(entry.key));
  if (plays.length > 0 && some(plays, "hosts", "tasks", "become", "import_playbook")) return "ansible";
  if (plays.length > 0 && plays.every((play) => entryOf(play, "name") && play.entries.length > 1)) return "ansible";
  if (has("spring") || has("management") || below("server").some((e) => /^(port|servlet|error|ssl)/.test(e.key)))
    return "spring";
  if (entryOf(entryOf(root, "image"), "repository") && (has("securityContext") || has("podSecurityContext")))
    return "helm-values";
  return null;
}

function readMarkup(text: string): ReturnType<typeof readConfig> {
  const head = text.slice(0, 20_000);
  if (/<mapper\b[^>]*\bnamespace\s*=|<sqlMap\b/.test(head))
    return {
      documents: readMapper(text).map((root) => ({ kind: "mybatis-mapper", root, templated: false })),
      reason: null,
    };
  const kind = /<web-app\b/.test(head)
    ? "web-xml"
    : /<configuration\b/.test(head) && /<(system\.web|aspNetCore)\b/i.test(text)
      ? "web-config"
      : /<manifest\b[^>]*\bxmlns:android=/.test(head)
        ? "android-manifest"
        : /<network-security-config\b/.test(head)
          ? "network-security-config"
          : null;
  return kind
    ? { documents: readXml(text).map((root) => ({ kind, root, templated: false })), reason: null }
    : { documents: [], reason: null };
}
