import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { findingsOf, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

/** Wraps a body into a handler in which `x` is attacker input and `sink` runs a command; says whether x reaches it. */
const languages = {
  js: {
    path: "a.js",
    wrap: (body: string) =>
      `const { execSync: sink } = require("child_process");\nmodule.exports = (req, res) => {\nlet x = req.query.x;\n${body}\n};\n`,
  },
  py: {
    path: "a.py",
    wrap: (body: string) =>
      `from os import system as sink\nfrom flask import request\n\ndef handler(other):\n    x = request.args["x"]\n${body.replace(/^/gm, "    ")}\n`,
  },
  java: {
    path: "A.java",
    wrap: (body: string) =>
      `import java.util.*;\nimport java.util.stream.*;\nclass A { void sink(String c) throws Exception { Runtime.getRuntime().exec(c); }\nvoid handle(javax.servlet.http.HttpServletRequest request) throws Exception {\nString x = request.getParameter("x");\n${body}\n} }\n`,
  },
} as const;
type Language = keyof typeof languages;

async function reaches(language: Language, body: string): Promise<boolean> {
  const { path, wrap } = languages[language];
  const findings = await findingsOf(engine, path, wrap(body));
  return findings.some((finding) => finding.ruleId === "command-injection.tainted-command");
}

// One row per construct: the same meaning in each language, and whether input arrives.
const table: [construct: string, reaches: boolean, code: Partial<Record<Language, string>>][] = [
  ["a group of a pattern in a text", true, { js: "x.replace(/a(.*)/, (all, group) => sink(group));" }],
  [
    "a place in a list of constants, below the first",
    false,
    { js: "if (['a', 'b'].indexOf(x) < 0) throw new Error(); sink(x);" },
  ],
  [
    "a place in a list of constants, as bits",
    false,
    { js: "if (!~['a', 'b'].indexOf(x)) throw new Error(); sink(x);" },
  ],
  ["a place in a list of constants that there is not", true, { js: "if (['a', 'b'].indexOf(x) < 0) sink(x);" }],
  [
    "an answer that is made a truth",
    false,
    { js: "if (!Boolean(['a', 'b'].includes(x))) throw new Error(); sink(x);" },
  ],
  ["plain assignment", true, { js: "let y = x; sink(y);", py: "y = x\nsink(y)", java: "String y = x; sink(y);" }],
  ["overwriting", false, { js: "x = 'a'; sink(x);", py: "x = 'a'\nsink(x)", java: 'x = "a"; sink(x);' }],
  [
    "a name that is made of itself, and compared",
    true,
    {
      js: "let y = x; y = y.trim(); if (y === 'a') y = 'b'; sink(y);",
      py: "x = x.lower()\nif x == 'a':\n    x = 'b'\nsink(x)",
      java: 'x = x.trim(); if (x.equals("a")) x = "b"; sink(x);',
    },
  ],
  ["concatenation", true, { js: "sink('a' + x + 'b');", py: "sink('a' + x + 'b')", java: 'sink("a" + x + "b");' }],
  [
    "augmented assignment",
    true,
    { js: "let y = 'a'; y += x; sink(y);", py: "y = 'a'\ny += x\nsink(y)", java: 'String y = "a"; y += x; sink(y);' },
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the code under audit has the template.
  ["templates", true, { js: "sink(`a${x}`);", py: "sink(f'a{x}')", java: 'sink(String.format("a%s", x));' }],
  [
    "number conversion",
    false,
    { js: "sink('a' + Number(x));", py: "sink('a' + str(int(x)))", java: 'sink("a" + Integer.parseInt(x));' },
  ],
  [
    "one branch cleans",
    true,
    { js: "if (a) x = 'b'; sink(x);", py: "if a:\n    x = 'b'\nsink(x)", java: 'if (a()) x = "b"; sink(x);' },
  ],
  [
    "both branches clean",
    false,
    {
      js: "if (a) x = 'b'; else x = 'c'; sink(x);",
      py: "if a:\n    x = 'b'\nelse:\n    x = 'c'\nsink(x)",
      java: 'if (a()) x = "b"; else x = "c"; sink(x);',
    },
  ],
  [
    "a dead branch assigns nothing",
    false,
    {
      js: "let y = 'a'; if (7 * 6 > 50) y = x; sink(y);",
      py: "y = 'a'\nif 7 * 6 > 50:\n    y = x\nsink(y)",
      java: 'String y = "a"; int n = 7; if (n * 6 > 50) y = x; sink(y);',
    },
  ],
  ["conditional value", true, { js: "sink(a ? x : 'b');", py: "sink(x if a else 'b')", java: 'sink(a() ? x : "b");' }],
  [
    "decided conditional value",
    false,
    { js: "sink(1 > 2 ? x : 'b');", py: "sink(x if 1 > 2 else 'b')", java: 'sink(1 > 2 ? x : "b");' },
  ],
  [
    "early exit on an allow list",
    false,
    {
      js: "if (!['a', 'b'].includes(x)) return; sink(x);",
      py: "if x not in ('a', 'b'):\n    return\nsink(x)",
      java: 'if (!List.of("a", "b").contains(x)) return; sink(x);',
    },
  ],
  [
    "a guard that does not exit",
    true,
    {
      js: "if (!['a'].includes(x)) log(x); sink(x);",
      py: "if x not in ('a',):\n    log(x)\nsink(x)",
      java: 'if (!List.of("a").contains(x)) log(x); sink(x);',
    },
  ],
  [
    "anchored pattern",
    false,
    {
      js: "if (/^[a-z]+$/.test(x)) sink(x);",
      py: "import re\nif re.fullmatch(r'[a-z]+', x):\n    sink(x)",
      java: 'if (x.matches("[a-z]+")) sink(x);',
    },
  ],
  [
    "unanchored pattern",
    true,
    {
      js: "if (/[a-z]+/.test(x)) sink(x);",
      py: "import re\nif re.search(r'[a-z]+', x):\n    sink(x)",
      java: 'if (x.matches(".*[a-z].*")) sink(x);',
    },
  ],
  [
    "list slots",
    false,
    {
      js: "const l = ['a', x]; sink(l[0]);",
      py: "l = ['a', x]\nsink(l[0])",
      java: 'List<String> l = new ArrayList<>(); l.add("a"); l.add(x); sink(l.get(0));',
    },
  ],
  [
    "the tainted slot of a list",
    true,
    {
      js: "const l = ['a', x]; sink(l[1]);",
      py: "l = ['a', x]\nsink(l[1])",
      java: 'List<String> l = new ArrayList<>(); l.add("a"); l.add(x); sink(l.get(1));',
    },
  ],
  [
    "removing from a list",
    false,
    {
      js: "const l = ['a']; l.push(x); l.pop(); sink(l[0]);",
      py: "l = [x, 'a']\nl.pop(0)\nsink(l[0])",
      java: 'List<String> l = new ArrayList<>(); l.add(x); l.add("a"); l.remove(0); sink(l.get(0));',
    },
  ],
  [
    "map slots",
    false,
    {
      js: "const m = { a: 'b', c: x }; sink(m.a);",
      py: "m = {'a': 'b', 'c': x}\nsink(m['a'])",
      java: 'Map<String, String> m = new HashMap<>(); m.put("a", "b"); m.put("c", x); sink(m.get("a"));',
    },
  ],
  [
    "the tainted slot of a map",
    true,
    {
      js: "const m = { a: 'b', c: x }; sink(m['c']);",
      py: "m = {'a': 'b', 'c': x}\nsink(m.get('c'))",
      java: 'Map<String, String> m = new HashMap<>(); m.put("a", "b"); m.put("c", x); sink(m.get("c"));',
    },
  ],
  [
    "builders",
    true,
    {
      js: "const l = []; l.push(x); sink(l.join(' '));",
      py: "l = []\nl.append(x)\nsink(' '.join(l))",
      java: 'StringBuilder b = new StringBuilder("a"); b.append(x); sink(b.toString());',
    },
  ],
  [
    "loops",
    true,
    {
      js: "let y = ''; for (const c of [x]) { y += c; } sink(y);",
      py: "y = ''\nfor c in [x]:\n    y += c\nsink(y)",
      java: 'String y = ""; for (String c : Arrays.asList(x)) { y += c; } sink(y);',
    },
  ],
  [
    "a loop's second round, for what only one way through the first assigns",
    true,
    {
      js: "let y; for (const z of [1, 2]) { if (y) sink(y); if (z === other) y = x; }",
      py: "y = None\nfor z in [1, 2]:\n    if y:\n        sink(y)\n    if z == other:\n        y = x",
      java: "String y = null; for (int z : rows) { if (y != null) sink(y); if (z == rows.length) y = x; }",
    },
  ],
  [
    "a loop's second round, where a round assigns first on every way but one",
    true,
    {
      js: "let y = 'a'; for (const z of [1, 2]) { if (z === other) y = 'b'; sink(y); y = x; }",
      py: "y = 'a'\nfor z in [1, 2]:\n    try:\n        y = other()\n    except ValueError:\n        pass\n    sink(y)\n    y = x",
      java: 'String y = "a"; for (int z : rows) { if (z == 3) y = "b"; sink(y); y = x; }',
    },
  ],
  [
    "a loop whose rounds assign before they read",
    false,
    {
      js: "for (const z of [1, 2]) { let y = 'a'; sink(y); y = x; }",
      py: "for z in [1, 2]:\n    y = 'a'\n    sink(y)\n    y = x",
      java: 'for (int z : rows) { String y = "a"; sink(y); y = x; }',
    },
  ],
  [
    "a loop's second round",
    true,
    {
      js: "let y = 'a'; while (a()) { sink(y); y = x; }",
      py: "y = 'a'\nwhile a():\n    sink(y)\n    y = x",
      java: 'String y = "a"; while (a()) { sink(y); y = x; }',
    },
  ],
  [
    "switch on a constant",
    false,
    {
      js: "let y; switch ('b') { case 'a': y = x; break; case 'b': y = 'q'; break; default: y = x; } sink(y);",
      py: "match 'b':\n    case 'a':\n        y = x\n    case 'b':\n        y = 'q'\n    case _:\n        y = x\nsink(y)",
      java: 'String y; switch ("b") { case "a": y = x; break; case "b": y = "q"; break; default: y = x; } sink(y);',
    },
  ],
  [
    "falling through",
    true,
    {
      js: "let y = 'a'; switch ('a') { case 'a': y = x; case 'b': sink(y); }",
      java: 'String y = "a"; switch ("a") { case "a": y = x; case "b": sink(y); }',
    },
  ],
  [
    "try and catch",
    true,
    {
      js: "let y = 'a'; try { y = x; a(); } catch (e) { sink(y); }",
      py: "y = 'a'\ntry:\n    y = x\n    a()\nexcept E:\n    sink(y)",
      java: 'String y = "a"; try { y = x; a(); } catch (Exception e) { sink(y); }',
    },
  ],
  [
    "finally runs on return",
    true,
    {
      js: "try { return; } finally { sink(x); }",
      py: "try:\n    return\nfinally:\n    sink(x)",
      java: "try { return; } finally { sink(x); }",
    },
  ],
  ["code after return", false, { js: "return; sink(x);", py: "return\nsink(x)" }],
  [
    "inner functions",
    true,
    { js: "const f = (v) => 'a' + v; sink(f(x));", py: "def f(v):\n    return 'a' + v\nsink(f(x))" },
  ],
  [
    "a function that ignores its argument",
    false,
    { js: "const f = (v) => 'a'; sink(f(x));", py: "def f(v):\n    return 'a'\nsink(f(x))" },
  ],
  ["a sink inside a function", true, { js: "const f = (v) => sink(v); f(x);", py: "def f(v):\n    sink(v)\nf(x)" }],
  ["an assertion", false, { py: "assert x in ('a', 'b')\nsink(x)" }],
  ["a slice without the input", false, { py: "l = ['a', x, 'b']\nsink(l[2:][0])\nsink(l[:-2][0])" }],
  ["a slice with the input", true, { py: "l = ['a', x, 'b']\nsink(l[1:][0])" }],
  ["a slice of text", true, { py: "sink(x[1:-1])" }],
  ["the other of two zipped lists", false, { py: "for a, b in zip(['a', 'b'], [x, x]):\n    sink(a)" }],
  ["one of two zipped lists", true, { py: "for a, b in zip(['a', 'b'], [x, 'c']):\n    sink(b)" }],
  ["the number of an element", false, { py: "for i, v in enumerate([x]):\n    sink('a' + str(i))" }],
  ["a numbered element", true, { py: "for i, v in enumerate([x]):\n    sink(v)" }],
  ["a key beside its value", false, { py: "for k, v in {'a': x}.items():\n    sink(k)" }],
  ["a value beside its key", true, { py: "for k, v in {'a': x}.items():\n    sink(v)" }],
  ["what the rest leaves out", false, { py: "first, *rest, last = [x, 'a', x]\nsink(rest[0])" }],
  ["what follows the rest", true, { py: "first, *rest, last = ['a', 'b', 'c', x]\nsink(last)" }],
  ["a named entry", true, { py: "d = dict(a=x, b='c')\nsink(d['a'])" }],
  ["beside a named entry", false, { py: "d = dict(a=x, b='c')\nsink(d['b'])" }],
  ["a copied map", true, { py: "from flask import request\nd = dict(request.args)\nsink(d['a'])" }],
  ["destructuring", true, { js: "const { a: [y] } = { a: [x] }; sink(y);", py: "y, z = x, 'a'\nsink(y)" }],
  [
    "the clean part of destructuring",
    false,
    { js: "const { b: y } = { a: x, b: 'c' }; sink(y);", py: "y, z = x, 'a'\nsink(z)" },
  ],
  [
    "comprehension and callback",
    true,
    { js: "sink([x].map((v) => v + '!').join(''));", py: "sink(''.join([v + '!' for v in [x]]))" },
  ],
  [
    "predicates",
    false,
    {
      js: "sink('a' + x.includes('b'));",
      py: "sink('a' + str(x.startswith('b')))",
      java: 'sink("a" + x.contains("b"));',
    },
  ],
  [
    "a lookup by input",
    false,
    {
      js: "const m = { a: 'b' }; sink(m[x]);",
      py: "m = {'a': 'b'}\nsink(m[x])",
      java: 'Map<String, String> m = new HashMap<>(); m.put("a", "b"); sink(m.get(x));',
    },
  ],
  [
    "a list that a function fills",
    true,
    {
      js: "const out = []; const fill = (l, v) => { l.push(v); }; fill(out, x); sink(out[0]);",
      py: "def fill(l, v):\n    l.append(v)\nout = []\nfill(out, x)\nsink(out[0])",
      java: "StringBuilder out = new StringBuilder(); class F { void fill(StringBuilder l, String v) { l.append(v); } } new F().fill(out, x); sink(out.toString());",
    },
  ],
  [
    "a list that a function fills after it has made one of its own",
    false,
    {
      js: "const out = ['a']; const fill = (l, v) => { l = []; l.push(v); }; fill(out, x); sink(out[0]);",
      py: "def fill(l, v):\n    l = []\n    l.append(v)\nout = ['a']\nfill(out, x)\nsink(out[0])",
    },
  ],
  [
    "the constructor of a base class",
    true,
    {
      js: "class A { constructor(v) { this.v = v; } } class B extends A { constructor(v) { super(v); } } sink(new B(x).v);",
      py: "class A:\n    def __init__(self, v):\n        self.v = v\nclass B(A):\n    def __init__(self, v):\n        super().__init__(v)\nsink(B(x).v)",
      java: "class K { String v; K(String v) { this.v = v; } } class L extends K { L(String v) { super(v); } } sink(new L(x).v);",
    },
  ],
  [
    "the constructor that a class has from its base",
    true,
    {
      js: "class A { constructor(v) { this.v = v; } } class B extends A { show() { return this.v; } } sink(new B(x).show());",
      py: "class A:\n    def __init__(self, v):\n        self.v = v\nclass B(A):\n    def show(self):\n        return self.v\nsink(B(x).show())",
    },
  ],
  [
    "a field list that methods add to",
    true,
    {
      js: "class Q { constructor() { this.parts = []; } add(v) { this.parts.push(v); return this; } text() { return this.parts.join(' '); } } sink(new Q().add(x).text());",
      py: "class Q:\n    def __init__(self):\n        self.parts = []\n    def add(self, v):\n        self.parts.append(v)\n        return self\n    def text(self):\n        return ' '.join(self.parts)\nsink(Q().add(x).text())",
      java: 'class Q { List<String> parts = new ArrayList<>(); Q add(String v) { parts.add(v); return this; } String text() { return String.join(" ", parts); } } sink(new Q().add(x).text());',
    },
  ],
  [
    "what settings hold that somebody else has made",
    false,
    {
      js: "class Q { constructor(store) { this.store = store; } add(v) { this.store.set('a', v); } show() { sink(this.store.get('b')); } } new Q(load()).add(x);",
      py: "class Q:\n    def __init__(self, store):\n        self.store = store\n    def add(self, v):\n        self.store.set('a', v)\n    def show(self):\n        sink(self.store.get('b'))\nQ(load()).add(x)",
    },
  ],
  [
    "what is thrown",
    true,
    {
      js: "try { throw new Error('no ' + x); } catch (e) { sink(e.message); }",
      py: "try:\n    raise ValueError(x)\nexcept ValueError as e:\n    sink(str(e))",
      java: "try { throw new IllegalStateException(x); } catch (IllegalStateException e) { sink(e.getMessage()); }",
    },
  ],
  [
    "what is thrown elsewhere",
    false,
    {
      js: "try { load(); } catch (e) { sink(e.message); } throw new Error(x);",
      py: "try:\n    load()\nexcept ValueError as e:\n    sink(str(e))\nraise ValueError(x)",
      java: "try { load(); } catch (IllegalStateException e) { sink(e.getMessage()); } throw new IllegalStateException(x);",
    },
  ],
  ["arguments passed by names", true, { py: "def f(**options):\n    sink(options['a'])\nf(a=x)" }],
  [
    "another of the arguments passed by names",
    false,
    { py: "def f(**options):\n    sink(options['b'])\nf(a=x, b='c')" },
  ],
  [
    "a variable around that a function assigns",
    true,
    { py: "out = ''\ndef f(v):\n    nonlocal out\n    out = v\nf(x)\nsink(out)" },
  ],
  [
    "a variable of a function that is called like one around",
    false,
    { py: "out = ''\ndef f(v):\n    out = v\nf(x)\nsink(out)" },
  ],
  ["a generator", true, { js: "function* g() { yield 'a'; yield x; } for (const v of g()) sink(v);" }],
  [
    "what a promise is settled with",
    true,
    { js: "const p = new Promise((resolve) => { setTimeout(() => { resolve(x); }, 1); }); sink(await p);" },
  ],
  [
    "a promise that is settled with something else",
    false,
    { js: "const p = new Promise((resolve) => { log(x); resolve('a'); }); sink(await p);" },
  ],
  [
    "a field that is read by a function",
    true,
    {
      js: "class A { constructor(v) { this._v = v; } get v() { return this._v; } } sink(new A(x).v);",
      py: "class A:\n    def __init__(self, v):\n        self._v = v\n    @property\n    def v(self):\n        return self._v\nsink(A(x).v)",
    },
  ],
  [
    "a function of an object without a class",
    true,
    { js: "const o = { v: x, show() { return this.v; } }; sink(o.show());" },
  ],
  ["a number by its sign", false, { js: "sink('a' + +x);" }],
  [
    "a function that is called through its interface",
    true,
    { java: 'java.util.function.BiFunction<String, String, String> f = (a, b) -> b; sink(f.apply("a", x));' },
  ],
  [
    "another argument of a function that is called through its interface",
    false,
    { java: 'java.util.function.BiFunction<String, String, String> f = (a, b) -> b; sink(f.apply(x, "a"));' },
  ],
  [
    "a conversion that throws for anything else",
    false,
    {
      js: "if (isNaN(x)) return; sink(x);",
      py: "try:\n    int(x)\nexcept ValueError:\n    return\nsink(x)",
      java: "try { Integer.parseInt(x); } catch (NumberFormatException e) { return; } sink(x);",
    },
  ],
  [
    "a conversion whose failure is passed over",
    true,
    {
      js: "if (Number.isNaN(x)) return; sink(x);",
      py: "try:\n    n = int(x)\nexcept ValueError:\n    n = 1\nsink(x)",
      java: "int n = 1; try { n = Integer.parseInt(x); } catch (NumberFormatException e) { log(n); } sink(x);",
    },
  ],
  [
    "a match that is compared with nothing",
    false,
    {
      js: "const m = x.match(/^[a-z]+$/); if (m === null) return; sink(x);",
      py: "import re\nif re.fullmatch(r'[a-z]+', x) is None:\n    return\nsink(x)",
    },
  ],
  [
    "a match that is not there",
    true,
    {
      js: "if (x.match(/^[a-z]+$/) === null) sink(x);",
      py: "import re\nif re.fullmatch(r'[a-z]+', x) is None:\n    sink(x)",
    },
  ],
  ["none of a list is meant", false, { java: 'if (Stream.of("a", "b").noneMatch(a -> a.equals(x))) return; sink(x);' }],
  [
    "a filter by an allow list",
    false,
    {
      js: "sink([x].filter((a) => ['a', 'b'].includes(a)).join(' '));",
      py: "sink(' '.join(filter(lambda a: a in ('a', 'b'), [x])))",
      java: 'Set<String> known = Set.of("a", "b"); sink(List.of(x).stream().filter(known::contains).findFirst().get());',
    },
  ],
  [
    "a filter by anything else",
    true,
    {
      js: "sink([x].filter((a) => a.length > 2).join(' '));",
      py: "sink(' '.join(filter(lambda a: len(a) > 2, [x])))",
      java: "sink(List.of(x).stream().filter(a -> a.length() > 2).findFirst().get());",
    },
  ],
  [
    "another object of a class",
    false,
    {
      js: "class Box { constructor(v) { this.v = v; } text() { return this.v; } }\nconst a = new Box(x), b = new Box('k'); sink(b.text());",
      py: "class Box:\n    def __init__(self, v):\n        self.v = v\n    def text(self):\n        return self.v\na = Box(x)\nb = Box('k')\nsink(b.text())",
      java: 'class Box { private final String v; Box(String v) { this.v = v; } String text() { return v; } }\nBox a = new Box(x); Box b = new Box("k"); sink(b.text());',
    },
  ],
  [
    "the object of a class that was made of input",
    true,
    {
      js: "class Box { constructor(v) { this.v = v; } text() { return this.v; } }\nconst a = new Box(x), b = new Box('k'); sink(a.text());",
      py: "class Box:\n    def __init__(self, v):\n        self.v = v\n    def text(self):\n        return self.v\na = Box(x)\nb = Box('k')\nsink(a.text())",
      java: 'class Box { private final String v; Box(String v) { this.v = v; } String text() { return v; } }\nBox a = new Box(x); Box b = new Box("k"); sink(a.text());',
    },
  ],
  [
    "an object whose field is set later",
    true,
    {
      js: "class Box { constructor(v) { this.v = v; } set(w) { this.v = w; } text() { return this.v; } }\nconst b = new Box('k'); b.set(x); sink(b.text());",
      py: "class Box:\n    def __init__(self, v):\n        self.v = v\n    def set(self, w):\n        self.v = w\n    def text(self):\n        return self.v\nb = Box('k')\nb.set(x)\nsink(b.text())",
    },
  ],
  [
    "an object that is filled later",
    true,
    {
      js: "class Box { constructor() { this.all = []; } add(w) { this.all.push(w); } text() { return this.all.join(); } }\nconst b = new Box(); b.add(x); sink(b.text());",
      py: "class Box:\n    def __init__(self):\n        self.all = []\n    def add(self, w):\n        self.all.append(w)\n    def text(self):\n        return ' '.join(self.all)\nb = Box()\nb.add(x)\nsink(b.text())",
    },
  ],
  [
    "bits decide",
    false,
    {
      js: "let y = 'a'; if ((6 ^ 3) !== 5) y = x; sink(y);",
      java: 'String y = "a"; if ((6 ^ 3) << 1 != 10) y = x; sink(y);',
    },
  ],
  [
    "bits decide for input",
    true,
    {
      js: "let y = 'a'; if ((6 & 3) === 2) y = x; sink(y);",
      java: 'String y = "a"; if ((6 | 1) == 7) y = x; sink(y);',
    },
  ],
  [
    "the other end of a stack",
    false,
    { java: 'Deque<String> d = new ArrayDeque<>(); d.push(x); d.push("a"); sink(d.pop());' },
  ],
  [
    "this end of a stack",
    true,
    { java: 'Deque<String> d = new ArrayDeque<>(); d.push("a"); d.push(x); sink(d.pop());' },
  ],
  [
    "the end of a list that goes first",
    false,
    {
      java: 'LinkedList<String> d = new LinkedList<>(); d.addFirst("a"); d.addLast(x); sink(d.getFirst() + d.peek());',
    },
  ],
  [
    "the end of a list that goes last",
    true,
    { java: 'LinkedList<String> d = new LinkedList<>(); d.addFirst("a"); d.addLast(x); sink(d.removeLast());' },
  ],
  [
    "the top of a stack",
    false,
    { java: 'Stack<String> d = new Stack<>(); d.push(x); d.push("a"); sink(d.peek() + d.lastElement() + d.pop());' },
  ],
  [
    "the bottom of a stack",
    true,
    { java: 'Stack<String> d = new Stack<>(); d.push(x); d.push("a"); sink(d.firstElement());' },
  ],
  [
    "what has been asked of a queue",
    false,
    { java: 'Queue<String> d = new LinkedList<>(); d.offer("a"); d.offer(x); sink(d.poll());' },
  ],
  [
    "what comes next in a queue",
    true,
    { java: 'Queue<String> d = new LinkedList<>(); d.offer("a"); d.offer(x); d.poll(); sink(d.poll());' },
  ],
  [
    "a queue that a loop empties",
    true,
    {
      java: 'Queue<String> d = new LinkedList<>(); d.offer("a"); d.offer("b"); d.offer("c"); d.offer(x); while (!d.isEmpty()) sink(d.poll());',
    },
  ],
  [
    "the first of an iterator",
    false,
    { java: 'Iterator<String> it = Arrays.asList("a", x).iterator(); sink(it.next());' },
  ],
  [
    "the second of an iterator",
    true,
    { java: 'Iterator<String> it = List.of("a", x).iterator(); it.next(); sink(it.next());' },
  ],
  [
    "a list that was emptied",
    false,
    { java: 'List<String> l = new ArrayList<>(); l.add(x); l.clear(); l.add("a"); sink(l.get(0));' },
  ],
  [
    "keys of a map",
    false,
    { java: 'Map<String, String> m = new HashMap<>(); m.put("a", x); for (String k : m.keySet()) sink(k);' },
  ],
  [
    "a builder that was emptied",
    false,
    {
      java: 'StringBuilder b = new StringBuilder(x); b.setLength(0); b.append("a").delete(0, b.length()).append("b"); sink(b.toString());',
    },
  ],
  [
    "a builder that was shortened",
    true,
    { java: "StringBuilder b = new StringBuilder(x); b.setLength(9); b.delete(0, 2); sink(b.toString());" },
  ],
  [
    "behind what a builder takes out",
    true,
    {
      java: 'StringBuilder b = new StringBuilder(); b.append("a").delete(0, b.length()).append(x); sink(b.toString());',
    },
  ],
  [
    "what was put into properties",
    true,
    { java: 'Properties p = new Properties(); p.setProperty("a", x); sink(p.getProperty("a", "none"));' },
  ],
  [
    "a copied array",
    true,
    { java: "String[] from = {x}; String[] to = new String[1]; System.arraycopy(from, 0, to, 0, 1); sink(to[0]);" },
  ],
  [
    "the class of what was thrown",
    false,
    {
      java: 'String y = "a"; try { throw new IllegalStateException(x); } catch (IllegalStateException e) { y = e.getClass().getName(); } sink(y);',
    },
  ],
  [
    "what a promise is turned into",
    false,
    { java: 'sink(java.util.concurrent.CompletableFuture.completedFuture(x).thenApply(s -> "a").join());' },
  ],
];

describe.each(table)("%s", (_, expected, code) => {
  it.each(Object.entries(code) as [Language, string][])(
    `${expected ? "carries" : "stops"} input in %s`,
    async (language, body) => {
      expect(await reaches(language, body)).toBe(expected);
    },
  );
});

describe("a class", () => {
  it("carries input from constructor to method through a field", async () => {
    const source = `import os\nfrom flask import request\n\nclass Job:\n    def __init__(self, name):\n        self.name = name\n    def run(self):\n        os.system("x " + self.name)\n\ndef handler():\n    Job(request.args["a"]).run()\n`;
    const [finding] = await findingsOf(engine, "job.py", source);
    expect(finding).toMatchObject({ ruleId: "command-injection.tainted-command", startLine: 8, symbol: "Job.run/0" });
    expect(finding?.trace.map((step) => step.role).filter((role) => role !== "step")).toEqual(["source", "sink"]);
  });

  const passing = Array.from(
    { length: 6 },
    (_, i) => `    def take${i}(self, name):\n        self.take${i + 1}(name)\n`,
  );
  const keeping = (stored: string) =>
    `import os\nfrom flask import request\n\nclass Job:\n${passing.join("")}    def take6(self, name):\n        self.name = ${stored}\n    def ask(self):\n        self.take0(request.args["a"])\n    def run(self):\n        os.system("x " + self.name)\n`;
  it.each([
    ["name", true],
    ["{ 'n': name }['n']", true],
    ["int(name)", false],
    ["'name'", false],
  ])("keeps what a method stores of what the methods around it were given: %s", async (stored, found) => {
    const findings = await findingsOf(engine, "job.py", keeping(stored));
    expect(findings.some(({ ruleId }) => ruleId === "command-injection.tainted-command")).toBe(found);
  });
});

describe("link", () => {
  const caller = `const { run } = require("./lib/run");\nmodule.exports = (req, res) => {\n  run("git " + req.body.branch);\n  run("git status");\n};\n`;
  const callee = `const { exec } = require("child_process");\nexports.run = (command) => {\n  exec(command);\n};\n`;
  const files = [
    ["app/route.js", caller],
    ["app/lib/run.js", callee],
  ] as const;
  const analyse = (order: readonly (readonly [string, string])[]) =>
    Promise.all(order.map(([path, text]) => engine.analyse({ path, bytes: new TextEncoder().encode(text) })));

  it("follows input into another file", async () => {
    const findings = engine.link(await analyse(files));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      path: "app/lib/run.js",
      startLine: 3,
      ruleId: "command-injection.tainted-command",
    });
    expect(findings[0]?.trace[0]).toMatchObject({ path: "app/route.js", startLine: 3, role: "source" });
  });

  it("gives the same bytes for any order of files, also after a round through JSON", async () => {
    const forwards = JSON.stringify(engine.link(await analyse(files)));
    const backwards = JSON.stringify(engine.link(JSON.parse(JSON.stringify(await analyse([...files].reverse())))));
    expect(backwards).toBe(forwards);
  });
});

describe("a bean that is handed on", () => {
  const files = (shown: string) => ({
    "shop/Accounts.java": `package shop;\nimport org.springframework.web.bind.annotation.*;\npublic class Accounts {\n  private AccountService service;\n  @PostMapping("/") public void create(Account given) {\n    Account account = new Account();\n    account.setPassword("p:" + given.getPassword());\n    service.create(account);\n  }\n}\n`,
    "shop/AccountService.java": `package shop;\npublic class AccountService {\n  private static final org.slf4j.Logger log = org.slf4j.LoggerFactory.getLogger(AccountService.class);\n  public void create(Account account) { keep(account); }\n  void keep(Account account) { log.info("kept {}", ${shown}); }\n}\n`,
  });

  it.each([
    ["account.getName()", 0],
    ["account.getPassword()", 1],
  ])("keeps its properties apart: %s", async (shown, found) => {
    const artefacts = await Promise.all(
      Object.entries(files(shown)).map(([path, text]) =>
        engine.analyse({ path, bytes: new TextEncoder().encode(text) }),
      ),
    );
    expect(engine.link(artefacts).filter(({ ruleId }) => ruleId === "sensitive-logging.credential")).toHaveLength(
      found,
    );
  });
});

describe("an object that is asked for by its class", () => {
  const files = (asked: string) => ({
    "shop/Fetcher.java": `package shop;\npublic interface Fetcher { Object fetch(String url) throws Exception; }\n`,
    "shop/DefaultFetcher.java": `package shop;\npublic class DefaultFetcher implements Fetcher {\n  public Object fetch(String url) throws Exception { return new java.net.URL(url).openStream(); }\n}\n`,
    "shop/Previews.java": `package shop;\nimport org.springframework.web.bind.annotation.*;\npublic class Previews {\n  private Container container;\n  @GetMapping("/") public Object show(@RequestParam String url) throws Exception {\n    return container.${asked}.fetch(url);\n  }\n}\n`,
  });

  it.each([
    ["getBean(Fetcher.class)", 1],
    ["getBean(Other.class)", 0],
  ])("is one of that class: %s", async (asked, found) => {
    const artefacts = await Promise.all(
      Object.entries(files(asked)).map(([path, text]) =>
        engine.analyse({ path, bytes: new TextEncoder().encode(text) }),
      ),
    );
    expect(engine.link(artefacts).filter(({ ruleId }) => ruleId === "ssrf.tainted-url")).toHaveLength(found);
  });
});

describe("a method that is called like a field", () => {
  const source = (command: string) =>
    `class Query {\n  private final String text;\n  Query(javax.servlet.http.HttpServletRequest request) { this.text = request.getParameter("q"); }\n  String text() { return text; }\n  String text(int length) { return this.text.substring(length); }\n  String note() { return "note"; }\n}\nclass Runner {\n  private String note;\n  String note() { return "fixed"; }\n  void run(javax.servlet.http.HttpServletRequest request) throws Exception {\n    Query query = new Query(request);\n    this.note = query.text();\n    Runtime.getRuntime().exec("sh -c " + ${command});\n  }\n}\n`;

  it.each([
    ["query.text()", 1],
    ["query.text(3)", 1],
    ["query.note()", 0],
    ["java.util.stream.Stream.of(query).map(Query::text).findFirst().get()", 1],
    ["note", 1],
    ["this.note", 1],
    ["note()", 0],
    ["this.note()", 0],
  ])("is not that field: %s", async (command, expected) => {
    const findings = await findingsOf(engine, "Runner.java", source(command));
    expect(findings.filter(({ ruleId }) => ruleId === "command-injection.tainted-command")).toHaveLength(expected);
  });
});

describe("methods of one name", () => {
  const servlet = (call: string) =>
    `import java.io.*;\nclass Store {\n  void handle(javax.servlet.http.HttpServletRequest request) throws Exception {\n    String x = request.getParameter("x");\n    ${call}\n  }\n  Object read(File file) throws Exception { return new FileInputStream(file); }\n  Object read(Entry entry) { return entry; }\n  Object read(String name) { return name.length(); }\n}\nclass Entry { Entry(String name) {} }\n`;

  it.each([
    ["the first of them", 'read(new File("/data", x));', true],
    ["another class", "read(new Entry(x));", false],
    ["text", 'read("entry " + x);', false],
  ])("are told apart by types: %s", async (_, call, reaches) => {
    const findings = await findingsOf(engine, "Store.java", servlet(call));
    const within = findings.filter(({ ruleId, snippet }) => ruleId.startsWith("path") && snippet.includes("Stream"));
    expect(within.length > 0).toBe(reaches);
  });

  it("do not become each other by calling on", async () => {
    const source = `import java.io.*;\nclass Store {\n  Object read(Named named) { return read(new Entry(named.getName())); }\n  Object read(Entry entry) { return read((Named) entry); }\n  Object read(File file) throws Exception { return new FileInputStream(file); }\n  void handle(javax.servlet.http.HttpServletRequest request) throws Exception { read(new Entry(request.getParameter("x"))); }\n}\nclass Entry { Entry(String name) {} }\n`;
    const findings = await findingsOf(engine, "Store.java", source);
    expect(findings.filter(({ ruleId }) => ruleId.startsWith("path"))).toEqual([]);
  });

  const files = (call: string) => ({
    "shop/Answers.java": `package shop;\npublic class Answers {\n  public static void send(String file, Object response) throws Exception { new java.io.FileInputStream(file); }\n  public static void send(String text, String name, Object response) {}\n}\n`,
    "shop/Reports.java": `package shop;\nimport org.springframework.web.bind.annotation.*;\npublic class Reports {\n  @GetMapping("/") public void show(@RequestParam String name, Object response) throws Exception {\n    ${call}\n  }\n}\n`,
  });

  it.each([
    ["two", "Answers.send(name, response);", 1],
    ["three", 'Answers.send(name, "report", response);', 0],
  ])("are told apart by how many arguments they take in other files: %s", async (_, call, found) => {
    const artefacts = await Promise.all(
      Object.entries(files(call)).map(([path, text]) =>
        engine.analyse({ path, bytes: new TextEncoder().encode(text) }),
      ),
    );
    const findings = engine.link(artefacts).filter(({ ruleId }) => ruleId === "path-traversal.tainted-path");
    expect(findings).toHaveLength(found);
  });
});

describe("link across three files", () => {
  it.each([
    [
      "javascript",
      {
        "src/controller.ts": `import type { Request, Response } from "express";\nimport { UserService } from "./user.service";\nexport class UserController {\n  constructor(private readonly users: UserService) {}\n  find(req: Request, res: Response) {\n    return this.users.find(req.query.name as string);\n  }\n}\n`,
        "src/user.service.ts": `import { rows } from "./db/rows";\nexport class UserService {\n  find(name: string) {\n    return rows("name = '" + name + "'");\n  }\n}\n`,
        "src/db/rows.ts": `import { pool } from "./pool";\nexport const rows = (filter: string) => pool.query("SELECT * FROM users WHERE " + filter);\n`,
      },
      "src/db/rows.ts",
    ],
    [
      "python",
      {
        "shop/views.py": `from flask import request\nfrom . import services\n\ndef find():\n    return services.find(request.args["name"])\n`,
        "shop/services.py": `from shop.db import rows\n\ndef find(name):\n    return rows("name = '%s'" % name)\n`,
        "shop/db.py": `import sqlite3\n\ndef rows(condition):\n    return sqlite3.connect("a").execute("SELECT * FROM users WHERE " + condition)\n`,
      },
      "shop/db.py",
    ],
    [
      "java",
      {
        "src/main/java/shop/web/UserController.java": `package shop.web;\nimport org.springframework.web.bind.annotation.*;\nimport shop.users.UserService;\npublic class UserController {\n  private UserService users;\n  @GetMapping("/") public Object find(@RequestParam String name) { return users.find(name); }\n}\n`,
        "src/main/java/shop/users/UserService.java": `package shop.users;\npublic interface UserService { Object find(String name); }\n`,
        "src/main/java/shop/users/DefaultUserService.java": `package shop.users;\npublic class DefaultUserService implements UserService {\n  private UserDao dao;\n  public Object find(String name) { return dao.rows("name = '" + name + "'"); }\n}\n`,
        "src/main/java/shop/users/UserDao.java": `package shop.users;\nimport java.sql.*;\npublic class UserDao {\n  private Statement statement;\n  Object rows(String condition) throws SQLException { return statement.executeQuery("SELECT * FROM users WHERE " + condition); }\n}\n`,
      },
      "src/main/java/shop/users/UserDao.java",
    ],
  ] as const)("finds the sink of input in %s", async (_, sources, sinkPath) => {
    const artefacts = await Promise.all(
      Object.entries(sources).map(([path, text]) => engine.analyse({ path, bytes: new TextEncoder().encode(text) })),
    );
    const findings = engine.link(artefacts);
    expect(findings.map((finding) => [finding.ruleId, finding.path])).toEqual([
      ["sql-injection.tainted-query", sinkPath],
    ]);
    const visited = new Set(findings[0]?.trace.map((step) => step.path));
    expect(visited.size).toBe(3);
  });
});

describe("a suppression", () => {
  const line = `eval(location.hash);`;
  it("keeps the finding and its reason", async () => {
    const [finding] = await findingsOf(
      engine,
      "a.js",
      `// audit-ignore: code-injection.tainted-code runs in a sandbox\n${line}\n`,
    );
    expect(finding?.suppressed).toEqual({ reason: "runs in a sandbox" });
  });
  it.each([
    [
      "above another one",
      "a.js",
      `// audit-ignore: code-injection.tainted-code checked\n// audit-ignore: a.b why\n${line}\n`,
    ],
    ["above a note", "a.js", `// audit-ignore: code-injection.tainted-code checked\n/* a\n   note */\n${line}\n`],
    [
      "in braces of JSX",
      "a.jsx",
      "const A = () => (\n  <p>\n    {/* audit-ignore: code-injection.tainted-code checked */}\n    {eval(location.hash)}\n  </p>\n);\n",
    ],
  ])("counts where it stands %s", async (_, path, source) => {
    const [finding] = await findingsOf(engine, path, source);
    expect(finding?.suppressed).toEqual({ reason: "checked" });
  });
  it.each([
    ["has no reason", `// audit-ignore: code-injection.tainted-code\n${line}\n`],
    ["names another rule", `// audit-ignore: xss.tainted-html checked\n${line}\n`],
    ["stands elsewhere", `// audit-ignore: code-injection.tainted-code checked\n\n${line}\n`],
    ["speaks about the line before", `// audit-ignore: code-injection.tainted-code checked\n/* why */ f();\n${line}\n`],
  ])("does not count when it %s", async (_, source) => {
    const [finding] = await findingsOf(engine, "a.js", source);
    expect(finding?.suppressed).toBeNull();
  });
});
