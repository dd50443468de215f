import { asAnt } from "../web/servlet-patterns.ts";
import type { AccessRecord, WebRecord } from "../web/web-record.ts";
import { type ConfigNode, TooLarge } from "./config-node.ts";
import { readXml } from "./xml-reader.ts";

/** What the deployment descriptor of a Java application asks by path: its filters and constraints; null where it says nothing. */
export function webXmlAccess(text: string): WebRecord | null {
  if (!/<web-app\b/.test(text)) return null;
  try {
    const app = readXml(text)[0]?.entries.find(({ key }) => key === "web-app");
    const accesses = app ? [...filters(app), ...constraints(app)] : [];
    // A servlet mapped to `/api/*` sees only what follows, so its routes cannot be compared with the paths that are asked about here.
    const below = app ? all(app, "servlet-mapping").some((one) => texts(one, "url-pattern").some(isBelow)) : false;
    const known = below ? accesses.map((access) => ({ ...access, paths: null })) : accesses;
    return known.length > 0
      ? { of: "java", routes: [], mounts: [], functions: [], application: [], accesses: known }
      : null;
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

function filters(app: ConfigNode): AccessRecord[] {
  const classes = new Map(
    all(app, "filter").flatMap((filter) => {
      const [name] = texts(filter, "filter-name");
      const [type] = texts(filter, "filter-class");
      return name !== undefined && type !== undefined ? [[name, type.slice(type.lastIndexOf(".") + 1)] as const] : [];
    }),
  );
  return all(app, "filter-mapping").flatMap((mapping) => {
    const type = classes.get(texts(mapping, "filter-name")[0] ?? "");
    const paths = texts(mapping, "url-pattern").map(asAnt);
    if (type === undefined) return [];
    return [guard(mapping, { paths: paths.length > 0 ? paths : null, guards: [type] })];
  });
}

function constraints(app: ConfigNode): AccessRecord[] {
  return all(app, "security-constraint").flatMap((constraint) => {
    const [who] = all(constraint, "auth-constraint");
    if (!who) return [];
    const roles = texts(who, "role-name");
    const controls = roles.every((role) => /^\*+$/.test(role))
      ? ["authentication"]
      : ["authentication", "roles-by-path"];
    return all(constraint, "web-resource-collection").map((collection) =>
      guard(collection, {
        paths: texts(collection, "url-pattern").map(asAnt),
        methods: texts(collection, "http-method").map((method) => method.toUpperCase()),
        controls,
      }),
    );
  });
}

const guard = ({ start: order }: ConfigNode, said: Partial<AccessRecord>): AccessRecord => ({
  list: null,
  order,
  paths: null,
  methods: [],
  controls: [],
  ...said,
});

const isBelow = (pattern: string): boolean => /^\/.+\/\*$/.test(pattern);

const all = (node: ConfigNode, key: string): ConfigNode[] => node.entries.filter((entry) => entry.key === key);

const texts = (node: ConfigNode, key: string): string[] =>
  all(node, key).flatMap(({ entries }) => entries.flatMap((entry) => (entry.key === "@text" && entry.value) || []));
