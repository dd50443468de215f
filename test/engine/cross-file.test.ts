// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is analysed has templates
import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { isCatastrophic } from "../../functions/engine/interpret/texts/catastrophic.ts";
import { keepsOnlyHarmless } from "../../functions/engine/interpret/texts/replaced.ts";
import { analyseOne, findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

/** Two files of an application: a handler that evaluates `value`, and the library that it asks. */
const handler = (body: string) =>
  `const lib = require("./lib");\nconst express = require("express");\nconst app = express();\napp.get("/", (req, res) => {\n${body}\n});\n`;

/** A library of patterns for names, as many as an application has. */
const patterns = (last: string) =>
  [...Array.from({ length: 49 }, (_, i) => `exports.NAME${i} = /^[a-z]{${i},}$/;`), `exports.LAST = ${last};`].join(
    "\n",
  );

// One row per way through another file: what the library says, what the handler does, and whether input reaches eval.
const table: [way: string, reaches: boolean, library: string, handler: string][] = [
  [
    "the last of many patterns, which lets nothing else through",
    false,
    patterns("/^[a-z]+$/"),
    "const { a } = req.query;\nif (!lib.LAST.test(a)) return res.end();\neval(a);",
  ],
  [
    "the last of many patterns, which is found anywhere",
    true,
    patterns("/[a-z]+/"),
    "const { a } = req.query;\nif (!lib.LAST.test(a)) return res.end();\neval(a);",
  ],
  ["a result made of nothing", false, "exports.f = () => 1;", "eval(lib.f());"],
  ["a result made of the request", true, "exports.f = (req) => req.query.a;", "eval(lib.f(req));"],
  ["an argument that comes back", true, "exports.f = (a) => a + 1;", "eval(lib.f(req.query.a));"],
  ["an argument that does not", false, "exports.f = (a, b) => b;", "eval(lib.f(req.query.a, 'x'));"],
  [
    "two arguments of one source that are converted",
    false,
    "exports.f = (a, b) => parseInt(a, 10) + Number(b);",
    "const q = load(req.query.a);\neval(lib.f(q.a, q.b));",
  ],
  [
    "two arguments of one source, one of them converted",
    true,
    "exports.f = (a, b) => parseInt(a, 10) + b;",
    "const q = load(req.query.a);\neval(lib.f(q.a, q.b));",
  ],
  ["an argument that is converted", false, "exports.f = (a) => parseInt(a, 10);", "eval(lib.f(req.query.a));"],
  ["a field of an argument", true, "exports.f = ({ a, b }) => b;", "eval(lib.f({ a: 'x', b: req.query.b }));"],
  ["the other field", false, "exports.f = ({ a, b }) => a;", "eval(lib.f({ a: 'x', b: req.query.b }));"],
  [
    "two fields of one source that are converted, beside one that is not",
    false,
    "exports.f = ({ a, b, c }) => c + Number(a) + Number(b);",
    "const q = load(req.query.a);\neval(lib.f({ a: q[0], b: q[1], c: 'x' }));",
  ],
  [
    "two fields of one source, one of them converted",
    true,
    "exports.f = ({ a, b, c }) => c + Number(a) + b;",
    "const q = load(req.query.a);\neval(lib.f({ a: q[0], b: q[1], c: 'x' }));",
  ],
  ["a field filled before", true, "exports.f = ({ a, b }) => b;", "const o = {};\no.b = req.query.b;\neval(lib.f(o));"],
  ["another field", false, "exports.f = ({ a, b }) => a;", "const o = {};\no.b = req.query.b;\neval(lib.f(o));"],
  [
    "a field that is set anew",
    false,
    "exports.f = ({ a, b }) => b;",
    "const o = { b: req.query.b };\no.b = 'x';\neval(lib.f(o));",
  ],
  [
    "a field of a result that is filled before",
    true,
    "exports.f = (req) => { const o = {}; o.b = req.query.b; return o; };",
    "eval(lib.f(req).b);",
  ],
  [
    "a field of a result",
    true,
    "exports.f = (req) => ({ a: 1, b: req.query.b });",
    "const { b } = lib.f(req);\neval(b);",
  ],
  [
    "the other field of a result",
    false,
    "exports.f = (req) => ({ a: 1, b: req.query.b });",
    "const { a } = lib.f(req);\neval(a);",
  ],
  [
    "a name that promises and keeps it",
    false,
    "exports.sanitize = (a) => a.replace(/\\W/g, '');",
    "eval(lib.sanitize(req.query.a));",
  ],
  [
    "a name that promises and does not",
    true,
    "exports.sanitize = (a) => a.trim();",
    "eval(lib.sanitize(req.query.a));",
  ],
  ["a name that promises elsewhere", false, "", "eval(lib.sanitize(req.query.a));"],
  [
    "a test that holds",
    false,
    "exports.known = (a) => ['x', 'y'].includes(a);",
    "const a = req.query.a;\nif (!lib.known(a)) return;\neval(a);",
  ],
  [
    "a test that says little",
    true,
    "exports.known = (a) => a.length > 1;",
    "const a = req.query.a;\nif (!lib.known(a)) return;\neval(a);",
  ],
  [
    "a test the other way round",
    false,
    "exports.bad = (a) => !/^[a-z]+$/.test(a);",
    "const a = req.query.a;\nif (lib.bad(a)) return;\neval(a);",
  ],
  [
    "a check that throws",
    false,
    "exports.check = (a) => { if (!/^[a-z]+$/.test(a)) throw new Error(); };",
    "const a = req.query.a;\nlib.check(a);\neval(a);",
  ],
  [
    "a check of something else",
    true,
    "exports.check = (a) => { if (!/^[a-z]+$/.test(a)) throw new Error(); };",
    "const a = req.query.a;\nlib.check(req.query.b);\neval(a);",
  ],
  ["a field of the request", true, "exports.m = (req, res, next) => { req.kept = req.query.a; };", "eval(req.kept);"],
  [
    "another field of the request",
    false,
    "exports.m = (req, res, next) => { req.kept = req.query.a; };",
    "eval(req.other);",
  ],
  ["a re-export", true, "module.exports = require('./input');", "eval(lib.f(req));"],
  [
    "an exported instance",
    true,
    "class A { f(req) { return req.query.a; } }\nmodule.exports = new A();",
    "eval(lib.f(req));",
  ],
  ["a re-export of everything", true, "export * from './input';", "eval(lib.f(req));"],
  ["a re-export by another name", true, "export { f as g } from './input';", "eval(lib.g(req));"],
  ["a re-export as a namespace", true, "export * as all from './input';", "eval(lib.all.f(req));"],
  ["a default that has a name", true, "export default function f(req) { return req.query.a; }", "eval(lib(req));"],
  [
    "a method that is given to an object as it is made",
    true,
    "function A() { const own = (a) => a; this.f = (a) => eval(own(a)); }\nexports.A = A;",
    "const a = new lib.A();\na.f(req.query.a);",
  ],
  [
    "another method of such an object",
    false,
    "function A() { this.f = (a) => eval(a); this.g = (a) => a; }\nexports.A = A;",
    "const a = new lib.A();\na.g(req.query.a);",
  ],
  [
    "a test against some of a list",
    false,
    "exports.known = (a) => ['x', 'y'].some((b) => b === a);",
    "const a = req.query.a;\nif (!lib.known(a)) return;\neval(a);",
  ],
  [
    "a test that some of a list are part of it",
    true,
    "exports.known = (a) => ['x', 'y'].some((b) => a.includes(b));",
    "const a = req.query.a;\nif (!lib.known(a)) return;\neval(a);",
  ],
  [
    "a field that a constructor fills",
    true,
    "exports.Job = class Job { constructor(v) { this.v = v; } run() { eval(this.v); } };",
    "new lib.Job(req.query.a).run();",
  ],
  [
    "another field that a constructor fills",
    false,
    "exports.Job = class Job { constructor(v, w) { this.v = v; this.w = w; } run() { eval(this.w); } };",
    "new lib.Job(req.query.a, 'x').run();",
  ],
  [
    "a field of a result that is made of an argument",
    true,
    "exports.f = (a) => ({ a, b: 'x' });",
    "eval(lib.f(req.query.a).a);",
  ],
  [
    "another field of a result that is made of an argument",
    false,
    "exports.f = (a) => ({ a, b: 'x' });",
    "eval(lib.f(req.query.a).b);",
  ],
  [
    "a promise that is settled with an argument",
    true,
    "exports.f = (a) => new Promise((resolve) => { resolve(a); });",
    "eval(await lib.f(req.query.a));",
  ],
  [
    "what a callback is given",
    true,
    "exports.f = (a, done) => { done(null, a); };",
    "lib.f(req.query.a, (err, v) => { eval(v); });",
  ],
  [
    "the other argument of a callback",
    false,
    "exports.f = (a, done) => { done(null, a); };",
    "lib.f(req.query.a, (err, v) => { eval(err); });",
  ],
  [
    "input that a callback is given",
    true,
    "exports.f = (req, done) => done.call(null, req.query.a);",
    "lib.f(req, (v) => eval(v));",
  ],
  [
    "a callback that waits for another",
    true,
    "const fs = require('fs');\nexports.f = (a, done) => { fs.readFile('x', (err, text) => done(err, text + a)); };",
    "lib.f(req.query.a, (err, v) => { eval(v); });",
  ],
  [
    "what a callback is given after conversion",
    false,
    "exports.f = (a, done) => done(Number(a));",
    "lib.f(req.query.a, (v) => eval(v));",
  ],
  [
    "what a callback gets is no result",
    false,
    "exports.f = (a, done) => { done(a); return 1; };",
    "eval(lib.f(req.query.a, () => {}));",
  ],
  [
    "a field of what comes back as it was",
    true,
    "exports.f = (mail, listeners) => { for (const listen of listeners) listen(mail); return mail; };",
    "const mail = lib.f({ to: req.query.to, name: 'welcome' }, []);\neval(mail.to);",
  ],
  [
    "another field of what comes back as it was",
    false,
    "exports.f = (mail, listeners) => { for (const listen of listeners) listen(mail); return mail; };",
    "const mail = lib.f({ to: req.query.to, name: 'welcome' }, []);\neval(mail.name);",
  ],
  [
    "a field of an object that is made of all of another",
    true,
    "exports.f = (mail) => { const letter = build(mail); letter.sent = true; return letter; };",
    "eval(lib.f({ to: req.query.to }).head);",
  ],
  [
    "a field that a further function is handed with its object",
    true,
    "const send = ({ to }) => eval(to);\nexports.f = (mail) => send(mail);",
    "lib.f({ to: req.query.to, name: 'welcome' });",
  ],
  [
    "another field that a further function is handed with its object",
    false,
    "const send = ({ name }) => eval(name);\nexports.f = (mail) => send(mail);",
    "lib.f({ to: req.query.to, name: 'welcome' });",
  ],
  [
    "what a callback returns",
    true,
    "exports.f = async (write) => { const received = await write(); return { id: 1, received }; };",
    "const { received } = await lib.f(() => req.query.a);\neval(received);",
  ],
  [
    "what stands beside what a callback returns",
    false,
    "exports.f = async (write) => { const received = await write(); return { id: 1, received }; };",
    "const { id } = await lib.f(() => req.query.a);\neval(id);",
  ],
  [
    "what callbacks return through others",
    true,
    "exports.f = (items, make) => Promise.all(items.map(make));",
    "const [first] = await lib.f([1], () => req.query.a);\neval(first);",
  ],
  [
    "what a callback settles a promise with",
    true,
    "exports.f = (make) => new Promise((resolve, reject) => { make().then(resolve, reject); });",
    "eval(await lib.f(async () => req.query.a));",
  ],
  [
    "an object that another file fills",
    true,
    "exports.f = (a, out) => { out.q = a; };",
    "const out = {};\nlib.f(req.query.a, out);\neval(out.q);",
  ],
  [
    "another field of an object that another file fills",
    false,
    "exports.f = (a, out) => { out.q = a; out.z = 'k'; };",
    "const out = {};\nlib.f(req.query.a, out);\neval(out.z);",
  ],
  [
    "a list that another file fills",
    true,
    "exports.f = (a, out) => { out.push(a); };",
    "const out = [];\nlib.f(req.query.a, out);\neval(out[0]);",
  ],
  [
    "an object that another file assigns anew",
    false,
    "exports.f = (a, out) => { out = {}; out.q = a; };",
    "const out = {};\nlib.f(req.query.a, out);\neval(out.q);",
  ],
  [
    "an object that another file only reads",
    false,
    "exports.f = (a, out) => out.q + a;",
    "const out = { q: 'k' };\nlib.f(req.query.a, out);\neval(out.q);",
  ],
  [
    "input that another file puts into an object",
    true,
    "exports.f = (req, out) => { out.q = req.query.a; };",
    "const out = {};\nlib.f(req, out);\neval(out.q);",
  ],
  [
    "an object that another file fills once more",
    true,
    "exports.f = (a, out) => { out.q = a; };",
    "const out = { q: 'k', z: 'k' };\nlib.f(req.query.a, out);\neval(out.q);",
  ],
];

const analyse = async (library: string, body: string) => [
  await analyseOne(engine, "src/app.js", handler(body)),
  await analyseOne(engine, "src/lib.js", library),
  await analyseOne(engine, "src/input.js", "exports.f = (req) => req.query.a;"),
];

describe("across files", () => {
  it.each(table)("%s: input arrives %s", async (_, reaches, library, body) => {
    const artefacts = await analyse(library, body);
    const files = library === "" ? artefacts.slice(0, 1) : artefacts;
    const found = engine.link(files).filter(({ ruleId }) => ruleId === "code-injection.tainted-code");
    expect(found.length > 0).toBe(reaches);
  });

  it("follows only some of very many inputs, and tells which file asks for them", async () => {
    const [inputs, leaves] = [12, 12];
    const oneOf = (values: readonly string[]) =>
      values.map((v, i) => `    if n == ${i}:\n        return ${v}\n`).join("");
    const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
    const asked = oneOf(numbers(inputs).map((i) => `request.args["a${i}"]`));
    const leaf = `from flask import request\n\ndef f(n):\n${asked}`;
    const names = numbers(leaves).map((i) => `leaf${i}`);
    const hub = `import ${names.join(", ")}\n\ndef f(n):\n${oneOf(names.map((name) => `${name}.f(n)`))}`;
    const route = "@app.route('/')\ndef g():\n    eval(f(1))\n";
    const files = [
      { path: "app.py", source: `from flask import Flask\nfrom hub import f\napp = Flask(__name__)\n${route}` },
      { path: "hub.py", source: hub },
      ...names.map((name) => ({ path: `${name}.py`, source: leaf })),
    ];
    const artefacts = await Promise.all(files.map(({ path, source }) => analyseOne(engine, path, source)));
    const entangled: string[] = [];
    const findings = engine.link(artefacts, { onEntangled: (path) => entangled.push(path) });
    expect(findings.map(({ path, ruleId }) => [path, ruleId])).toEqual([["app.py", "code-injection.tainted-code"]]);
    expect(entangled).toEqual(["app.py"]);
    expect(engine.link(artefacts.slice(0, 8)).length).toBe(1);
  });

  it.each([
    ["has a field for rights", "Role string", "", true],
    ["has none", "Title string", "", false],
    ["has its rights set before", "Role string", 'user.Role = "guest"', false],
  ])("finds a record of another package saved as it was sent if it %s", async (_, field, before, reaches) => {
    const imports = 'import (\n"encoding/json"\n"net/http"\n"shop/models"\n"shop/store"\n)\n';
    const handler = `func add(w http.ResponseWriter, r *http.Request) {\nvar user models.User\njson.NewDecoder(r.Body).Decode(&user)\n${before}\nstore.Add(&user)\n}\n`;
    const files = {
      "go/models/user.go": `package models\n\ntype User struct {\nName string\n${field}\n}\n`,
      "go/store/store.go": `package store\n\nimport (\n"gorm.io/gorm"\n"shop/models"\n)\n\nvar db *gorm.DB\n\nfunc Add(user *models.User) {\ndb.Create(user)\n}\n`,
      "go/web/web.go": `package web\n\n${imports}\n${handler}`,
    };
    const artefacts = await Promise.all(Object.entries(files).map(([path, text]) => analyseOne(engine, path, text)));
    const found = engine.link(artefacts).filter(({ family }) => family === "mass_assignment");
    expect(found.map(({ path }) => path)).toEqual(reaches ? ["go/store/store.go"] : []);
  });

  it("says the same in any order, and after a round through JSON", async () => {
    for (const [, , library, body] of table) {
      const artefacts = await analyse(library, body);
      const again = JSON.parse(JSON.stringify(artefacts.toReversed()));
      expect(JSON.stringify(engine.link(again))).toBe(JSON.stringify(engine.link(artefacts)));
    }
  });
});

it.each([
  ["(a+)+$", true],
  ["^(\\w+\\s?)*$", true],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", true],
  ["(a|a)*b", true],
  ["^([a-zA-Z0-9]+)+@x$", true],
  ["^(a+,)+$", false],
  ["^[a-z]+(-[a-z]+)*$", false],
  ["^(\\d{3})+$", false],
  ["(a+)+", false],
  ["^(?:[^/]+/)*$", false],
  ["[(a+)+]$", false],
] as const)("tells whether %s can take exponential time: %s", (pattern, expected) => {
  expect(isCatastrophic(pattern)).toBe(expected);
});

describe("fields of Python that another file declares", () => {
  const schema = `from enum import Enum
from pydantic import BaseModel

class Size(Enum):
    small = "small"

class Base(BaseModel):
    pages: int

class Book(Base):
    title: str
    size: Size
    notes: dict
`;
  const files = (statement: string) => [
    ["shop/schemas/book.py", schema],
    ["shop/schemas/__init__.py", "from .book import Book\n"],
    [
      "shop/app.py",
      `import os
from fastapi import FastAPI
from pymongo import MongoClient
from shop.schemas import Book
app = FastAPI()
books = MongoClient()["shop"]["books"]

@app.post("/")
def add(book: Book):
    ${statement}
    return {}
`,
    ],
  ];

  it.each([
    ["a number", "os.system(f'pack {book.pages}')", []],
    ["a number and a choice", "os.system(f'pack {book.pages} {book.size}')", []],
    ["a text", "os.system(f'pack {book.title}')", ["command-injection.tainted-command"]],
    ["a number and a text", "os.system(f'{book.pages} {book.title}')", ["command-injection.tainted-command"]],
    ["a text that a database looks for", "books.find_one({'title': book.title, 'pages': book.pages})", []],
    ["an object that a database looks for", "books.find_one({'n': book.notes})", ["nosql-injection.tainted-query"]],
  ])("%s is input as far as its type allows", async (_, statement, expected) => {
    const artefacts = [];
    for (const [path, text] of files(statement))
      artefacts.push(await analyseOne(engine, path as string, text as string));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId.includes("injection"));
    expect(found.map(({ ruleId }) => ruleId)).toEqual(expected);
  });
});

describe("layers of Python that are handed to each other", () => {
  const view = `from flask import Flask, request
from shop.wiring import book_service
app = Flask(__name__)

class Books:
    def __init__(self, service):
        self.service = service

    def find(self):
        return self.service.search(request.args["q"])
`;
  const service = `class BookService:
    def __init__(self, book_repo):
        self.book_repo = book_repo

    def search(self, words):
        return self.book_repo.by_words(words)
`;
  const repository = (name: string) => `class ${name}:
    def __init__(self, session):
        self.session = session

    def by_words(self, words):
        return self.session.execute("SELECT * FROM book WHERE title = '" + words + "'")
`;

  it.each([
    ["a class that is called like the object", ["BookRepository"], 1],
    ["a class that is called otherwise", ["AuthorRepository"], 0],
    [
      "more variants than anybody writes",
      ["BookRepo", "BookRepository", "SqlBookRepository", "MemoryBookRepository"],
      0,
    ],
  ])("finds the method in %s", async (_, names, expected) => {
    const artefacts = [
      await analyseOne(engine, "shop/view.py", view),
      await analyseOne(engine, "shop/service.py", service),
    ];
    for (const name of names) artefacts.push(await analyseOne(engine, `shop/${name}.py`, repository(name)));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId === "sql-injection.tainted-query");
    expect(found).toHaveLength(expected);
  });
});

it.each([
  ["[^a-z]", true],
  ["[^\\w.-]+", true],
  ["\\W", true],
  ["[^\\w/]", false],
  ["[^<]", false],
  ["[a-z]", false],
] as const)("tells whether taking out %s leaves harmless text: %s", (pattern, expected) => {
  expect(keepsOnlyHarmless(pattern)).toBe(expected);
});

// One row per way between pages of PHP: the page, what else there is, and the lines of the page that show input.
const pages: [way: string, page: string, others: Record<string, string>, lines: number[]][] = [
  [
    "the keys of a map that an included file fills",
    "<?php\nrequire './common.php';\necho $app['server'];\necho $app['lang'];\n",
    { "common.php": "<?php\n$app = array();\n$app['lang'] = explode(',', $_GET['l']);\n$app['server'] = connect();\n" },
    [4],
  ],
  [
    "methods of objects that nothing is known of",
    "<?php\n$data = driver();\necho $data->members($_GET['r'])->fields['name'];\necho $data->label($_GET['r']);\n",
    {
      "drivers.php":
        "<?php\nclass Big { function members($n) { return $this->run('members', 1); } function label($n) { return '<b>' . $n; } }\n" +
        "class Small { function members($n) { return $this->conn->Execute($n); } function label($n) { return '<i>' . $n; } }\n",
    },
    [4],
  ],
  [
    "methods that most classes have another way of",
    "<?php\necho $data->label($_GET['r']);\n",
    {
      "drivers.php":
        "<?php\nclass Big { function label($n) { return 'big'; } }\nclass Small { function label($n) { return '<i>' . $n; } }\n",
    },
    [2],
  ],
  [
    "what is kept under an identifier",
    "<?php\n$event = new Site\\Event($_GET['event_id']);\necho $event->title();\necho $orders->findOne($_GET['id'])->note;\n$card = new Site\\Card($_GET['text']);\necho $card->draw();\n",
    {},
    [6],
  ],
  [
    "methods of an object made of input, by what its fields hold",
    "<?php\n$list = new OrderList($_GET['sort'], $_GET['title']);\necho $list->rows();\necho $list->heading();\necho $list->caption();\necho OrderList::named($_GET['name'])->caption();\n",
    {
      "OrderList.php":
        "<?php\nclass OrderList {\n  function __construct($sort, $title) { $this->sort = $sort; $this->title = $title; $this->caption = 'All'; }\n  function name($caption) { $this->caption = $caption; }\n  function caption() { return $this->caption; }\n  static function named($name) { $list = new self('date', ''); $list->caption = $name; return $list; }\n" +
        "  function rows() { $this->sort === 'date' ? ksort($this->all) : asort($this->all); return '<table>' . implode($this->all) . '</table>'; }\n  function heading() { return $this->title; }\n}\n",
    },
    [4, 6],
  ],
  [
    "properties under names that are asked for",
    "<?php\n$event = new Site\\Event(4);\nforeach ($_POST as $name => $value) { $event->$name = $value; }\necho $event->title();\n$other = new Site\\Event(5);\n$other->note = $_POST['note'];\necho $other->title();\n",
    { "Event.php": "<?php\nnamespace Site;\nclass Event { function __call($name, $args) { return $this->$name; } }\n" },
    [4],
  ],
  [
    "what one getter gives at several places",
    "<?php\nrun('SELECT * FROM a WHERE b = ' . asked('b'));\n$more = ' AND c = ' . asked('c');\nrun('SELECT * FROM d WHERE e = 1' . $more);\n",
    {
      "lib.php":
        "<?php\nfunction asked($name) { return $_REQUEST[$name]; }\nfunction run($sql) { global $db; return $db->query($sql); }\n",
    },
    [2, 4],
  ],
  [
    "what a function gives in a list goes by its place",
    "<?php\n[$user, $note, $rows] = details();\necho $user;\necho $note;\nlist(, $second) = details();\necho $second;\necho count($rows);\n",
    {
      "lib.php":
        "<?php\nfunction details() { $note = null; if (isset($_POST['note'])) { $note = $_POST['note']; } return ['me', $note, []]; }\n",
    },
    [4, 6],
  ],
  [
    "a function that escapes by calling itself with settings",
    "<?php\necho fields(['a' => $_POST['a']], '', true);\necho raw(['a' => $_POST['a']], '', true);\n",
    {
      "lib.php":
        "<?php\nfunction fields($all, $before, $marked) { $html = ''; foreach ($all as $name => $value) { $html .= is_array($value) ? fields($value, $name, true) : '<b>' . htmlspecialchars($name) . htmlspecialchars($value) . '</b>'; } return $html; }\n" +
        "function raw($all, $before, $marked) { $html = ''; foreach ($all as $name => $value) { $html .= is_array($value) ? raw($value, $name, true) : '<b>' . $value . '</b>'; } return $html; }\n",
    },
    [3],
  ],
  [
    "what is looked for in a text is not in what comes out",
    "<?php\n$url = '/notes/:id';\nforeach ($_GET as $name => $value) { $url = str_replace(':' . $name, urlencode($value), $url); }\necho $url;\necho str_replace(':id', $_GET['id'], '/notes/:id');\n",
    {},
    [5],
  ],
  [
    "an object whose class nobody knows has no methods of classes",
    "<?php\n$logger->debug('<p>' . $_GET['q']);\n$logger->show('<p>' . $_GET['q']);\n",
    {
      "lib.php":
        "<?php\nclass Matrix { public static function debug($frame) { echo '<b>' . $frame . '</b>'; } }\nclass Log { public function show($text) { echo '<i>' . $text . '</i>'; } }\n",
    },
    [3],
  ],
  [
    "a page of a base function knows the fields of its map",
    "<?php\n$layout = new Layout();\n$layout->page('notes', ['title' => 'Notes', 'from' => '<p>' . $_GET['from']]);\n$layout->page('days', ['title' => '<p>' . $_GET['title'], 'from' => 1]);\n",
    {
      "Layout.php":
        "<?php\nclass Layout { function page($name, array $data) { $data['at'] = time(); return $this->inside($data); } function inside($data) { return show_page($data); } }\n",
      "show.php": "<?php\nfunction show_page($data) { echo '<h1>' . $data['title'] . '</h1>'; }\n",
    },
    [4],
  ],
  [
    "fields that are looked at by their names",
    "<?php\nfilter_field('id');\nfilter_fields(['day' => ['filter' => FILTER_VALIDATE_INT], 'note' => ['filter' => FILTER_UNSAFE_RAW]]);\necho field('id');\necho field('day');\necho field('note');\necho field('other');\necho filter_field('page');\n",
    {
      "fields.php":
        "<?php\nfunction field($name) { return $_REQUEST[$name]; }\n" +
        "function filter_field($name, $filter = FILTER_VALIDATE_INT) { $value = filter_var($_REQUEST[$name], $filter); if ($value === false) { exit('no'); } return $_REQUEST[$name]; }\n" +
        "function filter_fields($rules) { foreach ($rules as $name => $rule) { $_REQUEST[$name] = filter_var($_REQUEST[$name], $rule['filter']); } }\n",
    },
    [6, 7],
  ],
  [
    "fields of the request after a table of filters has been run over them",
    "<?php\nfunction early() {\n  echo $_REQUEST['id'];\n  check_fields(['id' => ['filter' => FILTER_VALIDATE_INT], 'note' => ['filter' => FILTER_DEFAULT]]);\n  echo $_REQUEST['id'];\n  echo $_REQUEST['note'];\n  echo $_REQUEST['other'];\n}\nfunction sometimes($new) {\n  if ($new) { check_fields(['day' => ['filter' => FILTER_VALIDATE_INT]]); }\n  echo $_REQUEST['day'];\n}\nfunction counted() {\n  count_checks('year');\n  echo $_REQUEST['year'];\n}\n",
    {
      "fields.php":
        "<?php\nfunction check_fields($rules) { foreach ($rules as $name => $rule) { $value = filter_var($_REQUEST[$name], $rule['filter']); if ($value === false) { die('no'); } $_REQUEST[$name] = $value; } }\n" +
        "function count_checks($name) { global $counts; $counts[$name] += 1; }\n",
    },
    [3, 6, 7, 11, 15],
  ],
  [
    "fields that somebody only counts by their names",
    "<?php\ncount_checks('id');\necho field('id');\n",
    {
      "fields.php":
        "<?php\nfunction field($name) { return $_REQUEST[$name]; }\nfunction count_checks($name) { global $counts; $counts[$name] += 1; }\n",
    },
    [3],
  ],
  [
    "what a function does by default",
    "<?php\necho shown($_GET['a']);\necho shown($_GET['a'], 'code');\necho $tools->line($_GET['b']);\necho $tools->line($_GET['b'], true);\n",
    {
      "lib.php":
        "<?php\nfunction shown($text, $kind = null) { switch ($kind) { case 'code': $out = $text; break; default: $out = htmlspecialchars($text); } return '<b>' . $out . '</b>'; }\n" +
        "class Tools { function line($text, $raw = false) { if (!$raw) { $text = htmlspecialchars($text); } return '<p>' . $text . '</p>'; } }\n",
    },
    [3, 5],
  ],
  [
    "what the caller chooses by a constant",
    "<?php\necho asked('a', true);\necho asked('b', false);\necho asked('c', $raw);\necho typed('d', 'int');\necho typed('e', 'raw');\necho typed('f', 'name');\necho $tools->line($_GET['g'], 'text');\necho $tools->line($_GET['h'], 'html');\n",
    {
      "lib.php":
        "<?php\nfunction asked($name, $clean) { $value = $_GET[$name]; if ($clean === true) { $value = htmlspecialchars($value); } return $value; }\n" +
        "function typed($name, $type) { $value = $_GET[$name]; switch ($type) { case 'int': return (int) $value; case 'raw': return $value; case 'name': return preg_replace('/[^a-z]/', '', $value); default: return $value; } }\n" +
        "class Tools { function line($text, $kind) { return $kind == 'text' ? htmlspecialchars($text) : $text; } }\n",
    },
    [3, 4, 6, 9],
  ],
  [
    "what guards let through that end the request elsewhere",
    "<?php\n$a = $_GET['a'];\nif (!is_numeric($a)) { fail('a'); }\necho $a;\n$b = $_GET['b'];\nif (!is_numeric($b)) { warn('b'); }\necho $b;\nif (!is_numeric($_GET['c'])) fail('c');\necho $_GET['c'];\n$d = $_GET['d'];\nis_numeric($d) or fail('d');\necho $d;\n$e = $_GET['e'];\nis_numeric($e) or warn('e');\necho $e;\n$f = $_GET['f'];\nif (!is_name($f)) { Pages::refuse('f'); }\necho $f;\n$g = $_GET['g'];\nif (is_numeric($g)) { fail('g'); }\necho $g;\necho asked('h');\necho told('i');\n",
    {
      "lib.php":
        "<?php\nfunction fail($name) { header('HTTP/1.1 400 Bad Request'); echo htmlspecialchars($name); exit; }\nfunction warn($name) { error_log($name); }\n" +
        "function is_name($name) { return ctype_alnum($name); }\nclass Pages { static function refuse($name) { throw new Exception($name); } }\n",
      "more.php":
        "<?php\nfunction asked($name) { $value = $_GET[$name]; if (!is_numeric($value)) { fail($name); } return $value; }\n" +
        "function told($name) { $value = $_GET[$name]; if (!is_numeric($value)) { warn($name); } return $value; }\n",
    },
    [7, 15, 21, 23],
  ],
  [
    "what all the functions do by which one value has come",
    "<?php\n$row = $_POST;\necho tick('a', $row['a']) . pick(['x'], $row['b']);\necho tick('a', $row['a']) . bold($row['b']);\necho safe($row['a']) . tick('b', $row['b']) . pick(['y'], $row['c']);\necho pick(['x'], $row['b']) . $row['a'];\n",
    {
      "lib.php":
        "<?php\nfunction tick($name, $on) { return '<input name=' . $name . ($on ? ' checked' : '') . '>'; }\nfunction bold($text) { return '<b>' . $text . '</b>'; }\nfunction safe($text) { return htmlspecialchars($text); }\n" +
        "function pick($names, $chosen) { $html = ''; foreach ($names as $name) { $html .= '<option' . ($name === $chosen ? ' selected' : '') . '>' . $name; } return $html; }\n",
    },
    [4, 6],
  ],
  [
    "what a parameter is only compared with",
    "<?php\necho options(['x'], $_POST['a']);\necho bold('x', $_POST['b']);\necho options([$_POST['c']], 'x');\n",
    {
      "lib.php":
        "<?php\nfunction options($all, $chosen) { $html = ''; foreach ($all as $one) { $html .= '<option' . ($one === $chosen ? ' selected' : '') . '>' . $one; } return $html; }\n" +
        "function bold($name, $chosen) { if ($name == $chosen) { return '<b>' . $name . '</b>'; } return $name; }\n",
    },
    [4],
  ],
  [
    "a value that is clean by itself one way, and by another file the other",
    "<?php\n$t = $_GET['t'];\n$name = plain($t);\necho $name !== '' ? $name : htmlspecialchars($t);\n$bold = bold($t);\necho $bold !== '' ? $bold : htmlspecialchars($t);\nmysql_query('SELECT ' . plain($t) . htmlspecialchars($t));\nmysql_query('SELECT ' . plain($t) . (int) $t);\necho htmlspecialchars($t) . plain($t) . $t;\nhead($name !== '' ? $name : htmlspecialchars($t));\n",
    {
      "lib.php":
        "<?php\nfunction head($title) { echo '<h1>' . $title . '</h1>'; }\nfunction plain($text) { return preg_replace('/[^a-z]/', '', $text); }\nfunction bold($text) { return '<b>' . $text . '</b>'; }\n",
    },
    [6, 7, 9],
  ],
  [
    "functions in whatever case their names are written",
    "<?php\necho htmllist($_GET['a']);\necho HTMLLIST($_GET['b']);\necho RawList($_GET['c']);\n",
    {
      "lib.php":
        "<?php\nfunction htmlList($text) { return '<ul>' . htmlspecialchars($text) . '</ul>'; }\nfunction rawlist($text) { return '<ul>' . $text . '</ul>'; }\n",
    },
    [4],
  ],
  [
    "each number of arguments by what is missing",
    "<?php\necho asked('a', 'GET');\necho asked('b', 'GET', false);\necho asked('c');\n",
    {
      "lib.php":
        "<?php\nfunction asked($name, $from = 'POST', $safe = true) { $value = $from === 'GET' ? ($_GET[$name] ?? null) : ($_POST[$name] ?? null); if ($safe && !is_null($value)) { $value = htmlspecialchars($value); } return $value; }\n",
    },
    [3],
  ],
  [
    "places that a setting of the caller leads to",
    "<?php\nsay('<p>' . $_GET['a'], false);\nsay('<p>' . $_GET['b']);\nsay('<p>' . $_GET['c'], true);\nsay('<p>' . $_GET['d'], $loud);\nnote('<p>' . $_GET['e']);\nnote('<p>' . $_GET['f'], 'now');\nnote('<p>' . $_GET['g'], 'later');\nunless('<p>' . $_GET['h'], true);\nunless('<p>' . $_GET['i'], 0);\n",
    {
      "lib.php":
        "<?php\nfunction say($text, $loud = false) { if (!$loud) return; echo $text; }\n" +
        "function unless($text, $quiet) { if (empty($quiet) && $text !== '') { echo $text; } else { log_line($text); } }\n",
      "notes.php":
        "<?php\nfunction note($text, $when = 'later') { if ('now' == $when) { say($text, true); } else { say($text); } }\n",
    },
    [4, 5, 7, 10],
  ],
  [
    "what is handed on once the answer is no page",
    "<?php\nlines('<a>' . $_GET['f']);\nheader('Content-Type: text/csv');\nlines('<a>' . $_GET['g']);\n",
    { "lib.php": "<?php\nfunction lines($text) { echo $text; }\n" },
    [2],
  ],
  [
    "fields of arrays in arrays",
    "<?php\ntable(['name' => ['title' => 'Name', 'link' => '<a href=\"?s=' . $_GET['s'] . '\">']]);\nform(['all' => ['url' => 'notes.php', 'note' => '<p>' . $_GET['note']]]);\nform(['all' => ['url' => '<p>' . $_GET['url'], 'note' => 'Notes']]);\n",
    {
      "lib.php":
        "<?php\nfunction table($columns) { foreach ($columns as $name => $column) { echo '<th>' . $column['title'] . '</th>'; } }\n" +
        "function form($actions) { $all = $actions['all']; echo '<form action=\"' . $all['url'] . '\">'; }\n",
    },
    [4],
  ],
  [
    "the one object that a function gives",
    "<?php\necho '<p>' . shop()->name();\necho '<p>' . shop()->address();\n",
    {
      "lib.php":
        "<?php\nfunction shop() { static $shop = null; if (is_null($shop)) { $shop = new Shop($_SERVER['REQUEST_URI'], (string) getcwd()); } return $shop; }\n",
      "Shop.php":
        "<?php\nclass Shop { public function __construct(private string $address, private string $name) {} public function name() { return $this->name; } public function address() { return $this->address; } }\n",
    },
    [3],
  ],
  [
    "functions that are called like what the other makes",
    "<?php\nHall()->show($_GET['a']);\necho '<p>' . Desk()->name();\necho '<p>' . $_GET['b'];\n",
    {
      "hall.php": "<?php\nfunction Hall() { return new Desk(); }\n",
      "desk.php": "<?php\nfunction Desk() { return new Hall(); }\n",
    },
    [4],
  ],
  [
    "a map that comes back from whoever may change it",
    "<?php\n$log = $plugins->run_hook('log', ['folder' => 'a', 'line' => $_GET['q']]);\necho $log['folder'];\necho $log['line'];\n",
    {
      "Plugins.php":
        "<?php\nclass Plugins { function run_hook($name, $data) { foreach ($this->all[$name] as $hook) { $changed = call_user_func($hook, $data); if (is_array($changed)) { $data = $changed + $data; } } return $data; } }\n",
    },
    [4],
  ],
  [
    "two fields of one input go by their argument",
    "<?php\n$both = $_GET['both'];\necho link_to('notes', ['a' => $both['a'], 'b' => $both['b']]);\necho link_to($_GET['page'], []);\n",
    {
      "lib.php":
        "<?php\nfunction link_to($page, $data) { return '<a href=\"' . $page . '?' . http_build_query($data) . '\">'; }\n",
    },
    [4],
  ],
  [
    "what a template has made is told in the template",
    "<?php\n$html = $twig->render('note.twig', ['q' => $_GET['q']]);\necho $html;\necho $box->draw(['q' => $_GET['q']]);\n",
    { "note.twig": "<p>{{ q }}</p>\n" },
    [4],
  ],
  [
    "what is asked for in SQL is not the question",
    "<?php\n$id = addslashes($_GET['id']);\n$rows = fetch_rows(\"SELECT * FROM notes WHERE id = '$id'\");\necho $rows[0]['title'];\necho make_query(\"SELECT * FROM notes WHERE id = '$id'\");\n",
    {
      "lib.php":
        "<?php\nfunction fetch_rows($sql) { return run($sql, 'rows_of'); }\nfunction run($sql, $gives) { global $link; $answer = $link->ask($sql); return $gives($answer); }\nfunction make_query($sql) { return $sql . ' LIMIT 1'; }\n",
    },
    [5],
  ],
  [
    "a class of the project's own that is called like one of a library",
    "<?php\necho Html::tag('input', ['value' => $_GET['q']]);\necho Html::raw(['value' => $_GET['q']]);\n",
    {
      "Html.php":
        "<?php\nclass Html { static function tag($name, array $all) { $out = '<' . $name; foreach ($all as $key => $value) { $out .= ' ' . $key . '=\"' . htmlspecialchars($value) . '\"'; } return $out . '>'; }\nstatic function raw(array $all) { return '<b>' . $all['value'] . '</b>'; } }\n",
    },
    [3],
  ],
  [
    "methods with short names go by the class that the object was made of",
    "<?php\n$l = new Words($_COOKIE['lang']);\nrequire 'part.php';\n$name = new Name($_GET['name']);\nrequire 'other.php';\necho $name->g(1);\n",
    {
      "Words.php":
        "<?php\nclass Words { private $all = []; function __construct($lang) { foreach (file('/srv/' . basename($lang) . '.txt') as $line) { $this->all[] = $line; } } function g($at) { return $this->all[$at]; } }\n",
      "Name.php":
        "<?php\nclass Name { private $name; function __construct($name) { $this->name = $name; } function g($at) { return $this->name; } }\n",
      "part.php": "<p><?php echo $l->g(7); ?></p>\n",
      "other.php": "<p><?php echo htmlspecialchars($name->g(1)); ?></p>\n",
    },
    [6],
  ],
];

describe("pages of PHP", () => {
  it.each(pages)("%s", async (_, page, others, lines) => {
    const files = [{ path: "page.php", source: page }];
    for (const [path, source] of Object.entries(others)) files.push({ path, source });
    const found = (await findingsOfAll(engine, files)).filter(({ family }) => /^(xss|sql_injection)$/.test(family));
    expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(lines.map((line) => `page.php:${line}`));
  });
});

describe("one value that a file of PHP hands on to many functions", () => {
  const parts = ["label", "box", "rows", "note", "button"];
  const library = parts.map((name) => `function ${name}($name) {\n  echo "<p id='$name'>";\n}\n`).join("");
  const form = `<?php\n${library}function form($name) {\n${parts.map((name) => `  ${name}($name);\n`).join("")}}\n`;

  it.each([
    ["at three of the places, for one input", "form($_GET['a']);", 3],
    ["at what another one reaches besides", "form($_GET['a']);\nnote($_GET['b']);", 4],
    [
      "at each place that is handed an input of its own",
      parts.map((name) => `${name}($_GET['${name}']);`).join("\n"),
      5,
    ],
  ])("is told %s", async (_, calls, expected) => {
    const files = [
      { path: "page.php", source: `<?php\n${calls}\n` },
      { path: "form.php", source: form },
    ];
    const found = (await findingsOfAll(engine, files)).filter(({ ruleId }) => ruleId === "xss.tainted-html");
    expect(found).toHaveLength(expected);
  });
});

describe("classes of Java in files of their own", () => {
  const controller = `package shop;
import org.springframework.web.bind.annotation.*;
public class Controller {
  @GetMapping("/") public void show(@RequestParam String q) throws Exception { new Child(q).go(q); }
}
`;
  const sink = "Runtime.getRuntime().exec";
  it.each([
    [
      "a method that the base declares and the class has",
      `public abstract class Base { public void go(String v) throws Exception { act(v); } protected abstract void act(String v) throws Exception; }`,
      `public class Child extends Base { public Child(String v) {} protected void act(String v) throws Exception { ${sink}(v); } }`,
      1,
    ],
    [
      "a method that the class has from its base",
      `public class Base { public void go(String v) throws Exception { ${sink}(v); } }`,
      `public class Child extends Base { public Child(String v) {} }`,
      1,
    ],
    [
      "what the constructor of the base keeps",
      `public class Base { private final String v; public Base(String v) { this.v = v; } public void go(String w) throws Exception { ${sink}(v); } }`,
      `public class Child extends Base { public Child(String v) { super(v); } }`,
      1,
    ],
    [
      "a method of the base that the class does not have in its way",
      `public class Base { public void go(String v) throws Exception { ${sink}(v); } }`,
      `public class Child extends Base { public Child(String v) {} public void go(String v) {} }`,
      0,
    ],
  ])("follows %s", async (_, base, child, expected) => {
    const artefacts = [];
    for (const [name, text] of Object.entries({
      Controller: controller,
      Base: `package shop;\n${base}\n`,
      Child: `package shop;\n${child}\n`,
    }))
      artefacts.push(await analyseOne(engine, `src/main/java/shop/${name}.java`, text));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId === "command-injection.tainted-command");
    expect(found).toHaveLength(expected);
  });

  it.each([
    ["the class around it", "new Importer(q).run(new Importer.Payload())", 1],
    ["a class inside it", 'new Importer("sync").run(new Importer.Payload(q))', 0],
    ["a class inside it that is imported", 'new Importer("sync").run(new Payload(q))', 0],
  ])("makes a class of what it is given: %s", async (_, call, expected) => {
    const files = {
      Controller: `package shop;
import org.springframework.web.bind.annotation.*;
import shop.Importer;
import shop.Importer.Payload;
public class Controller {
  @GetMapping("/") public void show(@RequestParam String q) throws Exception { ${call}; }
}
`,
      Importer: `package shop;
public class Importer {
  private final String program;
  public Importer(String program) { this.program = program; }
  public void run(Payload payload) throws Exception { ${sink}(program); }
  public static class Payload { public Payload() {} public Payload(String text) {} }
}
`,
    };
    const artefacts = [];
    for (const [name, text] of Object.entries(files))
      artefacts.push(await analyseOne(engine, `src/main/java/shop/${name}.java`, text));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId === "command-injection.tainted-command");
    expect(found).toHaveLength(expected);
  });

  it.each([
    ["a pool that was given one", "pools.open()", 0],
    ["what is made with such a pool", "new Jobs(pools.open()).first()", 0],
    ["what a method gives", "pools.token()", 1],
  ])("looks for passwords in %s", async (_, logged, expected) => {
    const files = {
      Pools: `package shop;
public class Pools {
  private final Settings settings;
  public Pools(Settings settings) { this.settings = settings; }
  public Pool open() { Pool pool = new Pool(); pool.setPassword(settings.getPassword()); return pool; }
  public String token() { return settings.getAccessToken(); }
}
`,
      Runner: `package shop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
public class Runner {
  private static final Logger log = LoggerFactory.getLogger(Runner.class);
  public void run(Pools pools) { log.info("{}", ${logged}); }
}
`,
    };
    const artefacts = [];
    for (const [name, text] of Object.entries(files))
      artefacts.push(await analyseOne(engine, `src/main/java/shop/${name}.java`, text));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId === "sensitive-logging.credential");
    expect(found).toHaveLength(expected);
  });
});

describe("what a factory of Java gives", () => {
  const files = (asked: string, imported = "shop.Store") => ({
    "shop/Store": "package shop;\npublic interface Store { byte[] load(String key) throws Exception; String name(); }",
    "shop/FileStore": `package shop;\nimport java.nio.file.*;\npublic class FileStore implements Store {
  public byte[] load(String key) throws Exception { return Files.readAllBytes(Paths.get("/data/" + key)); }
  public String name() { return "files"; }\n}`,
    "app/Stores": `package app;\nimport ${imported};\npublic class Stores {
  private static final Stores ALL = new Stores();
  public static Stores all() { return ALL; }
  public static Store get() { return (Store) ALL.find("store"); }
  public Store first() { return get(); }
  public Other other() { return new Other(); }\n}`,
    "app/Controller": `package app;\nimport org.springframework.web.bind.annotation.*;\npublic class Controller {
  private Stores stores;
  @GetMapping("/") public Object show(@RequestParam String key) throws Exception { return ${asked}; }\n}`,
  });

  it.each([
    ["by its method", "Stores.get().load(key)", undefined, 1],
    ["by a factory that another one gives", "Stores.all().first().load(key)", undefined, 1],
    ["by a factory that is kept", "stores.first().load(key)", undefined, 1],
    ["by a method of another type", "stores.other().load(key)", undefined, 0],
    ["by another method", "Stores.get().name() + key", undefined, 0],
    ["where a library has a type of that name", "Stores.get().load(key)", "org.example.library.Store", 0],
  ])("is followed %s", async (_, asked, imported, expected) => {
    const artefacts = [];
    for (const [name, text] of Object.entries(files(asked, imported)))
      artefacts.push(await analyseOne(engine, `src/main/java/${name}.java`, `${text}\n`));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId === "path-traversal.tainted-path");
    expect(found).toHaveLength(expected);
  });
});

describe("what a class of Java keeps for all who ask", () => {
  const holder = `package shop;
public class Tenant {
  private static final ThreadLocal<String> NAME = new ThreadLocal<>();
  private static String region = "eu";
  private String note;
  public static void setName(String name) { NAME.set(name); }
  public static String getName() { return NAME.get(); }
  public static void setRegion(String value) { region = value; }
  public static String getRegion() { return region; }
  public void setNote(String value) { note = value; }
  public String getNote() { return note; }
}
`;
  const handler = (body: string) => `package shop;
import org.springframework.web.bind.annotation.*;
public class Controller {
  private final Gate gate = new Gate();
  @GetMapping("/") public void show(@RequestParam String q) { ${body} }
}
`;
  const gate = `package shop;
public class Gate { public void enter(String name) { Tenant.setName(name.trim()); } }
`;
  const asking = (asked: string) => `package shop;
public class Worker { public void run() throws Exception { Runtime.getRuntime().exec(${asked}); } }
`;
  it.each([
    ["input that a handler has it keep", "Tenant.setName(q);", "Tenant.getName()", 1],
    ["input that goes through a third file", "gate.enter(q);", "Tenant.getName()", 1],
    ["a field without a thread", "Tenant.setRegion(q);", "Tenant.getRegion()", 1],
    ["another field", "Tenant.setName(q);", "Tenant.getRegion()", 0],
    ["a constant", 'Tenant.setName("main");', "Tenant.getName()", 0],
    ["a number", "Tenant.setName(String.valueOf(Integer.parseInt(q)));", "Tenant.getName()", 0],
    ["a field of one object, which another one has not", "new Tenant().setNote(q);", "new Tenant().getNote()", 0],
  ])("%s", async (_, body, asked, expected) => {
    const files = { Tenant: holder, Controller: handler(body), Gate: gate, Worker: asking(asked) };
    const artefacts = [];
    for (const [name, text] of Object.entries(files))
      artefacts.push(await analyseOne(engine, `src/main/java/shop/${name}.java`, text));
    const found = engine.link(artefacts).filter(({ ruleId }) => ruleId === "command-injection.tainted-command");
    expect(found).toHaveLength(expected);
  });
});

it("finds its way where the files of a package take all of each other", async () => {
  const names = Array.from({ length: 30 }, (_, i) => `part${i}`);
  const all = [...names, "part30"].map((name) => `from shop.${name} import *\n`).join("");
  const files = [
    ...["__init__", ...names].map((name) => ({ path: `shop/${name}.py`, source: all })),
    { path: "shop/tools.py", source: "import os\n\ndef run(line):\n    os.system(line)\n" },
    { path: "shop/part30.py", source: "from shop.tools import *\n" },
    {
      path: "app.py",
      source:
        "from flask import Flask, request\nfrom shop import run, Unknown\n\napp = Flask(__name__)\n\n" +
        '@app.route("/")\ndef index():\n    Unknown(request.args["q"]).part3.go(request.args["q"])\n    run(request.args["q"])\n    return {}\n',
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["shop/tools.py:4"]);
});

it("hears of every place that a long file of routes calls, however often it calls the others", async () => {
  const route = (i: number, call: string) =>
    `@app.route("/${i}")\ndef page${i}():\n    name = request.args["name"]\n    ${call}\n    return {}\n\n`;
  const files = [
    {
      path: "shop/tools.py",
      source: "import os\n\ndef note(text):\n    pass\n\ndef run(line):\n    os.system(line)\n",
    },
    {
      path: "shop/pages.py",
      source:
        "from flask import Flask, request\nfrom shop.tools import note, run\n\napp = Flask(__name__)\n\n" +
        Array.from({ length: 250 }, (_, i) => route(i, "note(name)")).join("") +
        route(250, "run(name)"),
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["shop/tools.py:7"]);
});

it("ends where an object that the request carries is made of itself", async () => {
  const source =
    "from flask import Flask, g, request\n\napp = Flask(__name__)\n\n" +
    "@app.before_request\ndef prepare():\n    g.user = g.user.current()\n    g.one = g.two.make()\n    g.two = g.one.make()\n\n" +
    '@app.route("/")\ndef index():\n    g.two.show(request.args["name"])\n    return {"name": g.user.named(request.args["name"])}\n';
  const files = [1, 2, 3].map((i) => ({ path: `shop/pages${i}.py`, source }));
  expect(await findingsOfAll(engine, files)).toEqual([]);
});

it("ends where classes of several files extend each other", async () => {
  const count = 40;
  const files = [
    ...Array.from({ length: count }, (_, i) => {
      const next = (i + 1) % count;
      return {
        path: `shop/part${i}.py`,
        source: `from shop.part${next} import Part${next}\n\nclass Part${i}(Part${next}):\n    pass\n`,
      };
    }),
    {
      path: "app.py",
      source:
        "import os\nfrom flask import Flask, request\nfrom shop.part0 import Part0\n\napp = Flask(__name__)\n\n" +
        '@app.route("/")\ndef index():\n    part = Part0(request.args["q"])\n    part.go(request.args["q"])\n    os.system(request.args["q"])\n    return {}\n',
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["app.py:11"]);
});

it("means no sibling where a class calls what it has from its base", async () => {
  const files = [
    {
      path: "tasks/base.py",
      source:
        "class Task:\n    def __init__(self, title):\n        self.title = title\n\n    def show(self, text):\n        return None\n",
    },
    {
      path: "tasks/upload.py",
      source:
        "from tasks.base import Task\n\n\nclass Upload(Task):\n    def __init__(self, title):\n        super().__init__(title)\n\n    def show(self, text):\n        super().show(text)\n",
    },
    {
      path: "tasks/convert.py",
      source:
        "import os\nfrom tasks.base import Task\n\n\nclass Convert(Task):\n    def __init__(self, file):\n        os.system(file)\n\n    def show(self, text):\n        os.system(text)\n",
    },
    {
      path: "app.py",
      source:
        "from flask import Flask, request\nfrom tasks.upload import Upload\n\napp = Flask(__name__)\n\n\n" +
        '@app.route("/")\ndef index():\n    Upload(request.args["q"]).show(request.args["q"])\n    return {}\n',
    },
  ];
  expect(await findingsOfAll(engine, files)).toEqual([]);
});

describe("input that a test makes up", () => {
  const library = { path: "lib/store.py", source: "def load(name):\n    return open('/srv/' + name).read()\n" };
  const test = {
    path: "tests/test_store.py",
    source: "import cgi\nfrom lib.store import load\n\nform = cgi.FieldStorage()\nload(form.getvalue('name'))\n",
  };
  const page = { ...test, path: "web/page.py" };
  it.each([
    ["is no more urgent than a test is", [library, test], "low", test.path],
    ["leaves what a page brings to be told", [library, test, page], "high", page.path],
  ])("%s", async (_, files, severity, source) => {
    const [found, ...others] = (await findingsOfAll(engine, files)).filter(({ path }) => path === library.path);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity, ruleId: "path-traversal.tainted-path" });
    expect(found?.trace[0]?.path).toBe(source);
  });
});

it("tells where a file is read, not where it is asked whether the file is there", async () => {
  const files = [
    {
      path: "store.js",
      source:
        'const fs = require("fs");\nexports.read = async (file) => {\n  await fs.promises.access(file);\n  return fs.createReadStream(file);\n};\n',
    },
    {
      path: "app.js",
      source: handler("lib.read(req.query.file).then((s) => s.pipe(res));").replace("./lib", "./store"),
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.filter(({ path }) => path === "store.js").map(({ startLine }) => startLine)).toEqual([4]);
});

it("finds the packages of a repository by what their manifests call them", async () => {
  const files: Record<string, string> = {
    "packages/files/package.json": '{ "name": "@shop/files", "main": "dist/index.js", "private": true }',
    "packages/files/src/index.ts":
      'import { readFileSync } from "node:fs";\nexport const load = (name: string) => readFileSync(`./store/${name}`);\n',
    "packages/files/src/rows.ts": "export const one = (name: string) => eval(name);\n",
    "apps/web/lib/input.ts":
      "export function query(request) {\n  return Object.fromEntries(new URL(request.url).searchParams.entries());\n}\n" +
      "export async function body(request) {\n  return await request.json();\n}\n",
    "apps/web/app/api/files/route.ts":
      'import { load } from "@shop/files";\nimport { one } from "@shop/files/rows";\nimport { parse } from "@shop/unknown";\n' +
      'import { body, query } from "../../../lib/input";\n' +
      "export async function GET(request) {\n  const { name } = query(request);\n  return Response.json(load(name));\n}\n" +
      "export async function POST(request) {\n  const { name } = await body(request);\n  one(name);\n  return parse(name);\n}\n",
  };
  const sources = Object.entries(files).map(([path, source]) => ({ path, source }));
  const found = await findingsOfAll(engine, sources);
  const taint = found.filter(({ family }) => /^(path_traversal|code_injection)$/.test(family));
  expect(taint.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual([
    "packages/files/src/index.ts:2",
    "packages/files/src/rows.ts:1",
  ]);
});

it("tells an object that is kept for the answer from text that is", async () => {
  const found = await findingsOfAll(engine, [
    {
      path: "notes.js",
      source:
        "exports.save = (req, res) => {\n  res.record = { data: { note: req.body.note } };\n  res.page = `<p>${req.body.note}`;\n};\n",
    },
    {
      path: "answers.js",
      source:
        "exports.answer = (req, res) => {\n  res.send(res.record);\n};\nexports.show = (req, res) => {\n  res.send(res.page);\n};\n" +
        "exports.part = (req, res) => {\n  res.send(res.record.data.note);\n};\n",
    },
  ]);
  const shown = found.filter(({ family }) => family === "xss");
  expect(shown.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["answers.js:5", "answers.js:8"]);
});

it("asks for the host of options that another file has made", async () => {
  const found = await findingsOfAll(engine, [
    {
      path: "options.js",
      source:
        "exports.local = (req) => {\n  const options = parsed('http://printer.example');\n  options.headers = req.headers;\n  return options;\n};\n" +
        "exports.any = (req) => {\n  const options = parsed('http://printer.example');\n  options.host = req.query.host;\n  return options;\n};\n",
    },
    {
      path: "requests.js",
      source:
        'const http = require("http");\nconst made = require("./options");\n' +
        'exports.print = (req, res) => {\n  const options = made.local(req);\n  options.method = "POST";\n  http.request(options).pipe(res);\n};\n' +
        'exports.printAnywhere = (req, res) => {\n  const options = made.any(req);\n  options.method = "POST";\n  http.request(options).pipe(res);\n};\n',
    },
  ]);
  const asked = found.filter(({ family }) => family === "ssrf");
  expect(asked.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["requests.js:11"]);
});

it("knows functions that an exported call has made", async () => {
  const found = await findingsOfAll(engine, [
    {
      path: "choices.js",
      source:
        'export const format = oneOf(["png", "svg"]);\nexport const named = behind("plan-");\n' +
        "function oneOf(all) {\n  const known = Object.fromEntries(all.map((one) => [one, one]));\n  return (value) => known[value];\n}\n" +
        "function behind(prefix) {\n  return (value) => prefix + value;\n}\n",
    },
    {
      path: "plans.js",
      source:
        'import { readFileSync } from "node:fs";\nimport { format, named } from "./choices.js";\n' +
        "export const show = (req, res) => res.end(readFileSync(`plans/plan.${format(req.query.format)}`));\n" +
        "export const open = (req, res) => res.end(readFileSync(`plans/${named(req.query.name)}`));\n",
    },
  ]);
  const read = found.filter(({ family }) => family === "path_traversal");
  expect(read.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["plans.js:4"]);
});

it("knows what is sure of two ways that begin alike", async () => {
  const found = await findingsOfAll(engine, [
    {
      path: "lib.js",
      source:
        "exports.f = (id) => ({ rules: make(), file: Number(id) });\nexports.raw = (id) => ({ rules: make(), file: id });\nexports.g = (x) => x;\n",
    },
    {
      path: "handlers.js",
      source:
        'const lib = require("./lib");\n' +
        "exports.show = (req, res) => {\n  const { rules, file } = lib.f(req.query.a);\n  eval(rules.of(lib.g(file)));\n};\n" +
        "exports.list = (req, res) => {\n  const { rules, file } = lib.raw(req.query.a);\n  eval(rules.of(lib.g(file)));\n};\n",
    },
  ]);
  const evaluated = found.filter(({ family }) => family === "code_injection");
  expect(evaluated.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["handlers.js:8"]);
});

it("follows what one file announces and another listens for", async () => {
  const files = [
    { path: "bus.js", source: 'const { EventEmitter } = require("events");\nmodule.exports = new EventEmitter();\n' },
    {
      path: "app.js",
      source: handler(
        'bus.emit("file.added", 1, req.query.name);\nbus.emit("file.seen", Number(req.query.id));\nlog.emit("file.gone", req.query.name);',
      )
        .replace("const lib", "const bus")
        .replace("./lib", "./bus"),
    },
    {
      path: "worker.js",
      source: [
        'const bus = require("./bus");',
        'bus.on("file.added", (count, name) => {',
        "  eval(name);",
        "  eval(count);",
        "});",
        'bus.on("file.seen", (id) => eval(id));',
        'bus.on("file.gone", (name) => eval(name));',
        "",
      ].join("\n"),
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["worker.js:3"]);
});

it.each([
  ["another class gives it", "Settings.Current"],
  ["a method makes it", "StoreFactory.Make()"],
])("knows an object of C# by the type it is declared with, where %s", async (_, given) => {
  const files = [
    { path: "IStore.cs", source: "public interface IStore { string Mail(string id); }\n" },
    {
      path: "SqlStore.cs",
      source:
        'using System.Data.SqlClient;\npublic class SqlStore : IStore {\n  public string Mail(string id) {\n    return new SqlCommand("SELECT mail FROM people WHERE id=" + id).ExecuteScalar().ToString();\n  }\n}\n',
    },
    {
      path: "Person.aspx.cs",
      source: `public partial class Person : System.Web.UI.Page {\n  private IStore store = ${given};\n  protected void Page_Load(object sender, EventArgs e) {\n    string id = Request.QueryString["id"];\n    store.Mail(id);\n  }\n}\n`,
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.map(({ ruleId, path }) => [ruleId, path])).toContainEqual([
    "sql-injection.tainted-query",
    "SqlStore.cs",
  ]);
});

it("looks no further for names of modules that are not there", async () => {
  // Each was looked for in the package, in all that the package takes from others, and so on: 60 to the power of four ways.
  const gone = Array.from({ length: 60 }, (_, i) => `from .gone${i} import *\n`).join("");
  const files = [
    { path: "shop/__init__.py", source: `${gone}from .there import *\n` },
    { path: "shop/there.py", source: "def run(code):\n    eval(code)\n" },
    {
      path: "shop/views.py",
      source:
        'import shop\nfrom flask import Flask, request\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef show():\n    shop.tools.made.find(request.args["a"])\n    shop.run(request.args["b"])\n    return "done"\n',
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.filter(({ family }) => family === "code_injection").map(({ path }) => path)).toEqual(["shop/there.py"]);
});

describe("what comes through many files of PHP", () => {
  const through = (count: number) => {
    const files = [{ path: "page.php", source: "<?php\nstep1($_GET['dir']);\n" }];
    for (let i = 1; i < count; i++)
      files.push({ path: `step${i}.php`, source: `<?php\nfunction step${i}($dir) { step${i + 1}($dir . '/'); }\n` });
    files.push({ path: `step${count}.php`, source: `<?php\nfunction step${count}($dir) { return scandir($dir); }\n` });
    return files;
  };

  it.each([
    [1, "high"],
    [2, "high"],
    [3, "medium"],
  ] as const)("through %i files is told as %s", async (count, severity) => {
    const found = (await findingsOfAll(engine, through(count))).filter(({ family }) => family === "path_traversal");
    expect(found.map((finding) => finding.severity)).toEqual([severity]);
  });

  it("calls the functions that settings name", async () => {
    const files = [
      {
        path: "page.php",
        source: "<?php\neach_of($_POST['all'], make_options($_POST));\ncall_named($_POST['name']);\n",
      },
      {
        path: "lib.php",
        source:
          "<?php\nfunction make_options($given) { return array_merge(['before' => 'trim'], $given); }\n" +
          "function each_of($all, $options) { $before = $options['before'] ?? 'trim'; foreach ($all as $one) { $before($one); call_user_func($options['after'], $one); } }\n" +
          "function call_named($name) { return call_user_func($name, 1); }\n",
      },
    ];
    const found = (await findingsOfAll(engine, files)).filter(({ family }) => family === "code_injection");
    expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["lib.php:4"]);
  });
});

it("follows each way through the classes of an interface that all hand on to one another once", async () => {
  const step = (i: number) => ({
    path: `shop/Step${i}.java`,
    source:
      `package shop;\n\npublic class Step${i} implements Step {\n  private Step next;\n\n` +
      `  public String pass(String text) {\n    return next.pass(text + "${i}");\n  }\n}\n`,
  });
  const files = [
    { path: "shop/Step.java", source: "package shop;\n\npublic interface Step {\n  String pass(String text);\n}\n" },
    ...Array.from({ length: 40 }, (_, i) => step(i)),
    {
      path: "shop/Search.java",
      source:
        "package shop;\n\nimport java.sql.Connection;\nimport javax.servlet.http.*;\n\n" +
        "public class Search extends HttpServlet {\n  private Step first;\n  private Connection connection;\n\n" +
        "  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws Exception {\n" +
        '    connection.createStatement().executeQuery("SELECT 1 WHERE " + first.pass(request.getParameter("q")));\n  }\n}\n',
    },
  ];
  const found = await findingsOfAll(engine, files);
  expect(found.map(({ path, ruleId }) => [path, ruleId])).toEqual([
    ["shop/Search.java", "sql-injection.tainted-query"],
  ]);
});

it("follows to its end an object that callbacks put into itself again and again", async () => {
  const body = `let v = req.query.a;\n${"v = await lib.w(async () => ({ ...v, a: v }));\n".repeat(1500)}eval(v.a);`;
  const source = handler(body).replace("(req, res) =>", "async (req, res) =>");
  expect((await analyseOne(engine, "app.js", source)).coverage.status).toBe("analysed");
});

it("takes what a callback returns for what a function gives that nobody has read, whatever it is called", async () => {
  const source =
    "from anyio.to_thread import run_sync\nfrom tornado.web import RequestHandler\n\n\nclass Page(RequestHandler):\n" +
    "    async def get(self):\n        name = self.get_argument('name')\n" +
    "        self.finish(await run_sync(lambda: '<p>' + name))\n";
  const found = await findingsOfAll(engine, [{ path: "page.py", source }]);
  expect(found.map(({ ruleId }) => ruleId)).toContain("xss.tainted-html");
});

describe("releases that a manifest asks for", () => {
  const source =
    "const express = require('express');\nconst _ = require('lodash');\nconst settings = {};\n" +
    "express().put('/', (req, res) => { _.merge(settings, req.body); res.end(); });\n";
  it.each([
    ["the last that was open", { lodash: "4.17.19" }, true],
    ["an old one or whatever is newer of its kind", { lodash: "^4.5.0" }, true],
    ["the first that is safe", { lodash: "4.17.20" }, false],
    ["a later one", { lodash: "~4.18.1" }, false],
    ["no release of the package", { express: "^5.0.0" }, true],
    ["no release that is known by a number", { lodash: "latest" }, false],
  ])("%s", async (_name, dependencies, told) => {
    const files = [
      { path: "package.json", source: JSON.stringify({ name: "shop", private: true, dependencies }) },
      { path: "src/app.js", source },
    ];
    const found = await findingsOfAll(engine, files);
    expect(found.some(({ family }) => family === "prototype_pollution")).toBe(told);
  });
});

describe("a mapper of rows that a manifest asks for", () => {
  const source =
    "const app = require('express')();\nconst { Member } = require('./models');\n" +
    "app.post('/', (req, res) => Member.findOne({ email: req.body.email }, options).then((found) => res.json(found)));\n";
  it.each([
    ["takes values for values", { bookshelf: "1.2.0" }, false],
    ["is not there, but a database of documents", { mongoose: "^8.0.0" }, true],
    ["is not known of", undefined, true],
  ])("%s", async (_name, dependencies, told) => {
    const files = [
      { path: "package.json", source: JSON.stringify({ name: "club", private: true, dependencies }) },
      { path: "src/app.js", source },
    ];
    const found = await findingsOfAll(engine, files);
    expect(found.some(({ family }) => family === "nosql_injection")).toBe(told);
  });
});

it("follows functions of several files that call each other in circles to where one of them leaves, and by each of its parameters", async () => {
  const member = (next: string) =>
    `const next = require("./${next}");\nexports.walk = (a, b, n) => (n > 0 ? next.walk(a, b, n - 1) : next.leave(a, b));\n`;
  const found = await findingsOfAll(engine, [
    {
      path: "app.js",
      source:
        'const one = require("./one");\nconst app = require("express")();\n' +
        'app.get("/first", (req, res) => one.walk(req.query.a, "", 3));\n' +
        'app.get("/second", (req, res) => one.walk("", req.query.b, 3));\n',
    },
    { path: "one.js", source: member("two") },
    { path: "two.js", source: `${member("three")}exports.leave = (a, b) => next.leave(a, b);\n` },
    { path: "three.js", source: `${member("one")}exports.leave = (a, b) => eval(b + a.length);\n` },
  ]);
  const lines = found.filter(({ family }) => family === "code_injection").map(({ trace }) => trace[0]?.startLine);
  expect(lines).toEqual([4]);
});

it("ends where a field in Go is known by nothing but what it has held before", async () => {
  const source =
    "package group\n\nfunc (g *Group) Put(name string) {\n" +
    '\tif g.all == nil {\n\t\tg.all[name] = others\n\t}\n\tg.all(read("name"))\n}\n';
  expect(await findingsOfAll(engine, [{ path: "group/group.go", source }])).toEqual([]);
});
