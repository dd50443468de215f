import { beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../functions/engine/config/config-document.ts";
import { type ConfigFormat, configFormatOf } from "../../functions/engine/config/config-format.ts";
import type { ConfigNode } from "../../functions/engine/config/config-node.ts";
import { KeyPath } from "../../functions/engine/config/key-path.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { analyseOne, findingsOf, openEngine } from "./engine-under-test.ts";

/** What stands at a path of the first document, and the text that it says it covers. */
function at(format: ConfigFormat, text: string, path: string): { value: string | null; written: string }[] {
  const [document] = readConfig(format, text).documents;
  if (!document) return [];
  return new KeyPath(path)
    .from(document.root, () => {})
    .map((node: ConfigNode) => ({ value: node.value, written: text.slice(node.start, node.end) }));
}

describe("a configuration reader", () => {
  it.each<[string, ConfigFormat, string, string, string | null, string]>([
    ["YAML", "yaml", "services:\n  db:\n    image: 'a:1' # x\n", "services.db.image", "a:1", "image: 'a:1'"],
    [
      "merges",
      "yaml",
      "x: &x { privileged: true }\nservices: { a: { <<: *x, image: b } }",
      "services.a.privileged",
      "true",
      "privileged: true",
    ],
    [
      "JSON with comments",
      "json",
      '{ // a\n "Statement": [{ "Effect": "Allow" }] }',
      "Statement.0.Effect",
      "Allow",
      '"Effect": "Allow"',
    ],
    ["arguments of Dockerfiles", "dockerfile", "ARG V=3\nFROM a:$V AS b\n", "stages.b.FROM.tag", "3", "FROM a:$V AS b"],
    ["continued lines", "dockerfile", "FROM a\nRUN b \\\n # no\n  c\nUSER d\n", "stages.0.USER", "d", "USER d"],
    ["heredocs", "dockerfile", "FROM a\nRUN <<EOT\nUSER root\nEOT\nUSER d\n", "stages.0.USER", "d", "USER d"],
    ["users of other stages", "dockerfile", "FROM a AS b\nUSER 7\nFROM b\n", "stages.1.@user", "7", "USER 7"],
    ["blocks", "terraform", 'resource "a" "b" {\n  c { d = "e" }\n}', "resource.a.b.c.d", "e", 'd = "e"'],
    ["expressions", "terraform", 'a = var.b[0] == "}" ? { c = 1 } : null\nd = 2', "d", "2", "d = 2"],
    [
      "encoded JSON",
      "terraform",
      'p = jsonencode({ Statement = [{ Action = "*" }] })',
      "p.Statement.0.Action",
      "*",
      'Action = "*"',
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an interpolation of Terraform
    ["heredocs of JSON", "terraform", 'p = <<E\n{ "A": "${x.y}", "B": 1 }\nE\n', "p.B", "1", '"B": 1'],
    [
      "blocks of nginx",
      "nginx",
      'http { server { return 301 "a;b"; } }',
      "http.server.return",
      "301 a;b",
      'return 301 "a;b"',
    ],
    [
      "sections of Apache",
      "apache",
      "<Directory /a>\n  Options \\\n   Indexes\n</Directory>",
      "directory.options",
      "Indexes",
      "Options \\\n   Indexes",
    ],
    [
      "properties",
      "properties",
      "# a=1\nspring.h2.console.enabled : true\n",
      "spring.h2.console.enabled",
      "true",
      "spring.h2.console.enabled : true",
    ],
    ["relaxed names", "yaml", "spring:\n  jpa.show-sql: yes\n", "spring.jpa.showsql", "yes", "jpa.show-sql: yes"],
    ["environment files", "dotenv", "export A='b c' # d\n", "A", "b c", "export A='b c' # d"],
    ["INI", "ini", "[x]\nSession.Name = a ; b\n", "session.name", "a", "Session.Name = a ; b"],
    [
      "attributes",
      "xml",
      "<manifest xmlns:android='u'><a android:b='c'/></manifest>",
      "manifest.a.@b",
      "c",
      "android:b='c'",
    ],
    ["elements", "xml", "<web-app><!-- <a>x</a> --><a> b </a></web-app>", "web-app.a.@text", "b", "<a> b </a>"],
  ])("reads %s", (_, format, text, path, value, written) => {
    expect(at(format, text, path)).toEqual([{ value, written }]);
  });

  it.each([
    ["Dockerfile", "dockerfile"],
    ["docker/Dockerfile.prod", "dockerfile"],
    ["Dockerfile.md", null],
    [".env.production", "dotenv"],
    [".env.example", null],
    ["main.tf", "terraform"],
    ["etc/nginx/sites-enabled/shop", "nginx"],
    ["src/a.ts", null],
  ])("knows the format of %s", (path, format) => expect(configFormatOf(path)).toBe(format));

  it("tells a playbook, a chart and data apart", () => {
    const kinds = (text: string) => readConfig("yaml", text).documents.map(({ kind, templated }) => [kind, templated]);
    expect(kinds("- hosts: all\n  tasks: [{ get_url: { validate_certs: no } }]")).toEqual([["ansible", false]]);
    expect(kinds("apiVersion: v1\nkind: Pod\nmetadata: { name: {{ .Values.a }} }")).toEqual([["kubernetes", true]]);
    expect(kinds("services: [a, b]\nname: x")).toEqual([]);
    expect(kinds("a: 1\n---\napiVersion: v1\nkind: Pod\n---\nb: 2")).toEqual([["kubernetes", false]]);
  });
});

describe("configuration under analysis", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine();
  });

  it("is counted under its format", async () => {
    const { coverage } = await analyseOne(engine, "Dockerfile", "FROM scratch\nUSER 1\n");
    expect(coverage).toMatchObject({ status: "analysed", reason: null, language: "dockerfile" });
  });

  it("can be excused by a comment with a reason", async () => {
    const found = await findingsOf(
      engine,
      "docker-compose.yml",
      "services:\n  a:\n    image: b:1\n    # audit-ignore: compose.privileged it loads modules\n    privileged: true\n",
    );
    expect(found).toMatchObject([{ ruleId: "compose.privileged", suppressed: { reason: "it loads modules" } }]);
  });

  it.each([
    ["AndroidManifest.xml", "android/app/src/main/AndroidManifest.xml", "high"],
    ["one of debug builds", "android/app/src/debug/AndroidManifest.xml", "low"],
    ["one of documentation", "docs/AndroidManifest.xml", "low"],
  ])("weighs %s by its place", async (_, path, severity) => {
    const text = '<manifest xmlns:android="u">\n<application android:debuggable="true"/>\n</manifest>\n';
    expect(await findingsOf(engine, path, text)).toMatchObject([{ ruleId: "android.debuggable", severity }]);
  });

  it("shows no password that it finds", async () => {
    const found = await findingsOf(engine, "application.yml", "spring:\n  mail:\n    password: krautsalat7\n");
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain("krautsalat7");
  });

  it("keeps its fingerprint when lines come before it", async () => {
    const main = 'resource "aws_db_instance" "a" {\n  storage_encrypted = false\n}\n';
    const [one] = await findingsOf(engine, "main.tf", main);
    const [two] = await findingsOf(engine, "main.tf", `# moved\n\n${main}`);
    expect(two?.startLine).toBe(4);
    expect(two?.fingerprint).toBe(one?.fingerprint);
  });

  it.each([
    [
      "aliases that multiply",
      "a.yml",
      `services: &a0 { x: { image: b } }\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join("\n")}\n`,
    ],
    ["deep YAML", "a.yml", `services:\n  a: { image: b }\nx: ${"[".repeat(5_000)}`],
    ["deep JSON", "a.json", `{"Statement":[{"Effect":"Allow"}],"x":${"[".repeat(50_000)}`],
    ["deep blocks", "a.tf", "a {\n".repeat(20_000)],
    ["deep brackets", "a.tf", `a = ${"[".repeat(50_000)}`],
    ["open quotes", "a.tf", 'a = "${"'.repeat(5_000)],
    ["open markup", "a.xml", `<web-app>${"<a b='".repeat(20_000)}`],
    ["deep markup", "a.xml", `<web-app>${"<a>".repeat(50_000)}`],
    ["endless continuation", "Dockerfile", `FROM a\nRUN ${"\\\n".repeat(20_000)}`],
    ["many heredocs", "Dockerfile", `FROM a\nRUN ${"<<A ".repeat(5_000)}\n`],
    ["open braces", "nginx.conf", "a {".repeat(30_000)],
    ["long words", "httpd.conf", `Options ${"\\\n".repeat(50_000)}`],
    ["one key again and again", "a.properties", "a.b.c.d=1\n".repeat(20_000)],
  ])("survives %s", async (_, path, text) => {
    const { coverage } = await analyseOne(engine, path, text);
    expect(["analysed", "partial"]).toContain(coverage.status);
  });
});
