import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { HtmlReader } from "../../functions/engine/templates/html-place.ts";
import { readTemplate } from "../../functions/engine/templates/template-reader.ts";
import { analyseOne, findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const view = {
  path: "shop/app.py",
  source: `from flask import render_template, request

def search():
    return render_template("search.html", term=request.args["q"])
`,
};

describe("templates", () => {
  it("show the way from the request into the template", async () => {
    const page = { path: "shop/templates/search.html", source: "{% if term %}\n<p>{{ term|safe }}</p>\n{% endif %}\n" };
    const [finding, ...others] = await findingsOfAll(engine, [view, page]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ ruleId: "xss.raw-template", path: page.path, startLine: 2, startColumn: 4 });
    expect(finding?.trace.map(({ path, startLine, role }) => `${path}:${startLine} ${role}`)).toEqual([
      "shop/app.py:4 source",
      "shop/app.py:4 step",
      "shop/templates/search.html:2 step",
      "shop/templates/search.html:2 sink",
    ]);
  });

  it("of an application further down are not meant", async () => {
    const own = { path: "shop/templates/search.html", source: "{% if term %}{{ term|safe }}{% endif %}" };
    const deeper = { path: "shop/admin/templates/search.html", source: "{% if term %}{{ term }}{% endif %}" };
    const found = await findingsOfAll(engine, [view, own, deeper]);
    expect(found.map(({ path }) => path)).toEqual([own.path]);
  });

  it("of other applications are not meant", async () => {
    const near = { path: "shop/templates/search.html", source: "{% if term %}{{ term }}{% endif %}" };
    const far = { path: "blog/templates/search.html", source: "{% if term %}{{ term|safe }}{% endif %}" };
    expect(await findingsOfAll(engine, [view, near, far])).toEqual([]);
  });

  it("can be silenced by a comment that gives a reason", async () => {
    const source =
      "{% if a %}\n<!-- audit-ignore: xss.raw-template cleaned by the gateway -->\n{{ request.args.q|safe }}\n{% endif %}";
    const [finding] = await findingsOfAll(engine, [{ path: "a.html", source }]);
    expect(finding?.suppressed).toEqual({ reason: "cleaned by the gateway" });
  });

  it.each([
    ["a.html", "html"],
    ["a.html.twig", "jinja"],
    ["a.blade.php", "blade"],
    ["a.html.erb", "erb"],
    ["a.ejs", "ejs"],
    ["a.pug", "pug"],
    ["a.html.haml", "haml"],
    ["a.slim", "slim"],
    ["views/a.erb", "erb-plain"],
    ["app/views/a.erb", "erb"],
    ["a.aspx", "aspx"],
    ["a.ascx", "aspx"],
    ["a.jsp", "jsp"],
    ["a.vue", "vue"],
  ])("are counted as analysed: %s", async (path, language) => {
    expect((await analyseOne(engine, path, "<p>text</p>\n")).coverage).toMatchObject({ language, status: "analysed" });
  });

  const long = (unit: string, times: number) => unit.repeat(times).replace(/(.{90})/g, "$1\n");
  it.each([
    ["openings", "a.html", long("{% if a %}{{", 20_000)],
    ["spaces", "a.html", `{% for${long(" ", 200_000)}%}`],
    ["escapes", "a.ejs", `<%= ${long("\\'", 50_000)} %>`],
    ["parentheses", "a.blade.php", long("@foreach(", 20_000)],
    ["blocks", "a.hbs", long("{{#a}}", 20_000)],
    ["braces", "a.erb", `<%= "${long("#{", 20_000)}" %>`],
    ["tags", "a.jsp", long("<c:set var='a' ", 20_000)],
    ["attributes", "a.pug", long("a(b=", 20_000)],
    ["attributes of Haml", "a.haml", long("%a{b: (", 20_000)],
    ["values of Slim", "a.slim", `a${" b='c".repeat(20_000)}`],
    ["texts of Haml", "a.haml", long("%p #{'", 20_000)],
    ["values", "a.pug", `a(b=${" c 'd".repeat(20_000)}`],
    ["tags inside of tags", "a.pug", "a: ".repeat(50_000)],
    ["texts", "a.pug", long("| #{'", 20_000)],
    ["depths", "a.pug", Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}each a in b\n`).join("")],
    ["scripts", "a.html", long("<script>a</script>", 2_000)],
  ])("without end are read to theirs: %s", async (_, path, source) => {
    const artefact = await analyseOne(engine, path, source);
    expect(artefact.coverage).toMatchObject({ status: "analysed", reason: null });
    expect(engine.link([artefact])).toEqual([]);
  });
});

describe("the place of an output", () => {
  it.each([
    ["<p>", "text"],
    ['<p title="', "value"],
    ["<p title=", "unquoted"],
    ['<a href="', "url"],
    ['<a href="/shop/', "value"],
    ['<img src="', "value"],
    ['<iframe src="', "url"],
    ['<b onclick="f(', "script"],
    ["<input ", "name"],
    ["<input data-", "name"],
    ['<link href="', "value"],
    ["<script>let a = ", "script"],
    ["<script>let a = '", "string"],
    ["<script>// it's\nlet a = ", "script"],
    ["<script>let a = `", "script"],
    ["<script></script>", "text"],
    ["<!-- <script> -->", "text"],
    ['<c:if test="', "none"],
    ['<input value="<c:out value="', "none"],
    ['<input value="<c:out value="x"/>', "value"],
    ['<input value="<c:out value="x"/>"><b>', "text"],
    ["<input value=\"<s:text name='", "none"],
    ['<a href="<c:out value="', "url"],
    ['<a href="/shop?<c:out value="', "none"],
    ['<a href="<c:url value="', "none"],
    ['<script>let a = "<c:out value="', "none"],
    ['<script>let a = "<c:out value="x"/>', "string"],
    ['<script>let a = <c:out value="', "script"],
    ["a < b", "text"],
  ])("after %s is %s", (text, place) => {
    const html = new HtmlReader(true);
    html.read(text);
    expect(html.place).toBe(place);
  });
});

describe("expressions of templates", () => {
  const shown = (expression: string) =>
    readTemplate(`{{ ${expression} }}`, "jinja").outputs.flatMap(({ reads }) =>
      reads.map(({ root, path, state }) => `${[root, ...path].join(".")} ${state}`),
    );
  it.each([
    ["user.name", ["user.name plain"]],
    ["a if b else c", ["a plain", "c plain"]],
    ["a ? b : c", ["b plain", "c plain"]],
    ["a ~ '-' ~ b|safe", ["a plain", "b raw"]],
    ["a|escape|safe", ["a clean"]],
    ["a|safe|upper", ["a raw"]],
    ["a|tojson", ["a json"]],
    ["a == b", []],
    ["items|length", []],
    ["url_for('x', q=a)", []],
    ["a|default(b)", ["a plain", "b plain"]],
    ["a|truncate(b)", ["a plain"]],
    ["a['b'].c", ["a.b.c plain"]],
    ["'text'", []],
  ])("%s shows %j", (expression, expected) => {
    expect(shown(expression)).toEqual(expected);
  });
});

describe("names of what is around", () => {
  it.each([
    ["{{#each jobs}}{{../path}}{{/each}}", ["path"]],
    ["{{#each jobs}}{{#if id}}{{../path}}{{/if}}{{/each}}", ["path"]],
    ["{{#each jobs}}{{#if id}}{{#each parts}}{{../name}}{{/each}}{{/if}}{{/each}}", ["jobs.name", "name"]],
    ["{{#each jobs}}{{#if id}}{{#each parts}}{{../../path}}{{/each}}{{/if}}{{/each}}", ["path"]],
  ])("%s shows %j", (text, expected) => {
    const reads = readTemplate(text, "handlebars").outputs.flatMap((output) => output.reads);
    expect(reads.map(({ root, path }) => [root, ...path].join("."))).toEqual(expected);
  });
});
