import { beforeAll, describe, expect, it } from "vitest";
import type { Module } from "../../functions/engine/ir/ir.ts";
import { walk } from "../../functions/engine/ir/walk.ts";
import { GoLowering } from "../../functions/engine/lower/go/go-lowering.ts";
import { JavaLowering } from "../../functions/engine/lower/java/java-lowering.ts";
import { JavaScriptLowering } from "../../functions/engine/lower/javascript/javascript-lowering.ts";
import { PhpLowering } from "../../functions/engine/lower/php/php-lowering.ts";
import { PythonLowering } from "../../functions/engine/lower/python/python-lowering.ts";
import { SourceParser } from "../../functions/engine/parse/parser.ts";
import { readAsset } from "./engine-under-test.ts";

let parser: SourceParser;
beforeAll(async () => {
  parser = await SourceParser.create({ read: readAsset });
});

const lowerings = {
  javascript: JavaScriptLowering,
  tsx: JavaScriptLowering,
  python: PythonLowering,
  java: JavaLowering,
  go: GoLowering,
  php: PhpLowering,
};
type Grammar = keyof typeof lowerings;

async function lower(grammar: Grammar, source: string): Promise<Module> {
  const parsed = await parser.parse(source, grammar);
  if ("failure" in parsed) throw new Error(parsed.failure);
  return new lowerings[grammar](source).module(parsed.syntax);
}

/** A short notation of the IR without offsets: what matters is that languages agree. */
function shape(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(shape);
  if (node === null || typeof node !== "object") return node;
  const { kind, ...rest } = node as Record<string, unknown>;
  switch (kind) {
    case "literal":
      return rest.value;
    case "variable":
      // PHP writes the mark that the notation puts before every variable.
      return `$${String(rest.name).replace(/^\$/, "")}`;
    case "field":
      return [".", shape(rest.of), rest.name];
    case "index":
      return ["[]", shape(rest.of), shape(rest.key)];
    case "operation":
      return [rest.operator, ...(rest.operands as unknown[]).map(shape)];
    case "template":
      return ["template", ...(rest.parts as unknown[]).map(shape)];
    case "conditional":
      return ["?", shape(rest.test), shape(rest.then), shape(rest.otherwise)];
    case "call":
      return [
        rest.isNew ? "new" : "call",
        shape(rest.callee),
        ...(rest.args as { value: unknown }[]).map((arg) => shape(arg.value)),
      ];
    case "collection":
      return [
        rest.shape,
        ...(rest.entries as { key: unknown; value: unknown }[]).map((e) =>
          e.key ? [shape(e.key), shape(e.value)] : shape(e.value),
        ),
      ];
    case "assign":
      return ["=", shape(rest.to), shape(rest.from)];
    case "expression":
      return shape(rest.value);
    case "block":
      return shape(rest.body);
    case "branch":
      return ["if", shape(rest.test), shape(rest.then), shape(rest.otherwise)];
    case "return":
      return ["return", shape(rest.value)];
    default:
      return kind;
  }
}

const inJava = (statement: string) => `class A { void f() { ${statement} } }`;

const written = (grammar: Grammar, source: string): string =>
  grammar === "java" ? inJava(source) : grammar === "php" ? `<?php ${source}` : source;

async function statementOf(grammar: Grammar, source: string): Promise<unknown> {
  const module = await lower(grammar, written(grammar, source));
  expect(module.unknown).toBe(0);
  const [first] = module.body;
  const method = first?.kind === "class" ? first.body[0] : undefined;
  return shape(method?.kind === "function" ? method.fn.body : module.body);
}

// construct, what it lowers to, and how each language writes it
const table: [string, unknown, Partial<Record<Grammar, string>>][] = [
  ["an assignment", [["=", "$a", 1]], { javascript: "a = 1;", php: "$a = 1;", python: "a = 1", java: "a = 1;" }],
  [
    "text with escapes",
    [["=", "$a", 'b\n"c']],
    { javascript: `a = 'b\\n"c';`, php: `$a = "b\\n\\"c";`, python: `a = 'b\\n"c'`, java: `a = "b\\n\\"c";` },
  ],
  [
    "a call of a method",
    [["call", [".", "$a", "b"], "$c", 2]],
    { javascript: "a.b(c, 2);", php: "$a->b($c, 2);", python: "a.b(c, 2)", java: "a.b(c, 2);" },
  ],
  ["an attribute by its name", [["=", "$a", [".", "$b", "c"]]], { python: "a = getattr(b, 'c', None)" }],
  [
    "an attribute that may be another",
    [["=", "$a", ["call", "$getattr", "$b", "$c"]]],
    { python: "a = getattr(b, c)" },
  ],
  [
    "an instance",
    [["=", "$a", ["new", "$B", 1]]],
    { javascript: "a = new B(1);", php: "$a = new B(1);", java: "a = new B(1);" },
  ],
  [
    "a chain of additions",
    [["=", "$a", ["+", "$b", "$c", "$d"]]],
    { javascript: "a = b + c + d;", python: "a = b + c + d", java: "a = b + c + d;" },
  ],
  [
    "an augmented assignment",
    [["=", "$a", ["+", "$a", "$b"]]],
    { javascript: "a += b;", python: "a += b", java: "a += b;" },
  ],
  [
    "an element",
    [["=", "$a", ["[]", "$b", 0]]],
    { javascript: "a = b[0];", php: "$a = $b[0];", python: "a = b[0]", java: "a = b[0];" },
  ],
  [
    "a slice, with what is said about its parts",
    [["=", "$a", ["call", [".", "$b", "slice"], null, null, 2]]],
    { python: "a = b[: # c: d\n  :2]" },
  ],
  [
    "a conditional value",
    [["=", "$a", ["?", "$b", 1, 2]]],
    { javascript: "a = b ? 1 : 2;", php: "$a = $b ? 1 : 2;", python: "a = 1 if b else 2", java: "a = b ? 1 : 2;" },
  ],
  [
    "a branch",
    [["if", "$a", [["call", "$b"]], [["call", "$c"]]]],
    {
      javascript: "if (a) b(); else c();",
      php: "if ($a): b(); else: c(); endif;",
      python: "if a:\n    b()\nelse:\n    c()",
      java: "if (a) b(); else c();",
    },
  ],
  [
    "a list",
    [["=", "$a", ["list", 1, "$b"]]],
    { javascript: "a = [1, b];", php: "$a = [1, $b];", python: "a = [1, b]", java: "a = new int[] {1, b};" },
  ],
  [
    "a map",
    [["=", "$a", ["map", ["k", "$b"]]]],
    { javascript: "a = { k: b };", php: "$a = ['k' => $b];", python: "a = {'k': b}" },
  ],
  [
    "a template",
    [["=", "$a", ["template", "b", "$c"]]],
    { javascript: "a = `b$" + "{c}`;", php: '$a = "b{$c}";', python: "a = f'b{c}'" },
  ],
  [
    "destructuring",
    [["=", ["list", "$a", "$b"], "$c"]],
    { javascript: "[a, b] = c;", php: "[$a, $b] = $c;", python: "a, b = c" },
  ],
  [
    "a comparison",
    [["if", ["<", "$a", 2], [["return", null]], []]],
    {
      javascript: "if (a < 2) return;",
      php: "if ($a < 2) return;",
      python: "if a < 2:\n    return",
      java: "if (a < 2) return;",
    },
  ],
  ["a cast", [["=", "$a", "$b"]], { tsx: "a = b as string;", java: "a = (String) b;" }],
];

// Go writes most of it in ways of its own.
const inGo: [string, string, unknown][] = [
  ["an assignment", "a := 1", [["=", "$a", 1]]],
  ["a call of a method", "a.b(c, 2)", [["call", [".", "$a", "b"], "$c", 2]]],
  ["a chain of additions", "a = b + c + d", [["=", "$a", ["+", "$b", "$c", "$d"]]]],
  ["an augmented assignment", "a += b", [["=", "$a", ["+", "$a", "$b"]]]],
  ["an element", "a = b[0]", [["=", "$a", ["[]", "$b", 0]]]],
  ["a branch", "if a { b() } else { c() }", [["if", "$a", [[["call", "$b"]]], [[["call", "$c"]]]]]],
  ["several results", "a, err := b()", [["=", ["list", "$a", ["=", "$err", "unknown"]], ["call", "$b"]]]],
  ["whether a key is there", "_, ok := a[b]", [["=", ["list", "$_", ["=", "$ok", "unknown"]], ["[]", "$a", "$b"]]]],
  ["an instance", "a := &b.C{D: 1}", [["=", "$a", ["new", [".", "$b", "C"], 1]]]],
  ["a list", 'a := []string{"b", c}', [["=", "$a", ["list", "b", "$c"]]]],
  ["a map", 'a := map[string]int{"k": b}', [["=", "$a", ["map", ["k", "$b"]]]]],
  ["a map of a named type", 'a := c.M{"k": b}', [["=", "$a", ["map", ["k", "$b"]]]]],
  ["an elided type", "a := []B{{C: 1}}", [["=", "$a", ["list", ["new", "$B", 1]]]]],
  ["a conversion to bytes", "a := []byte(b)", [["=", "$a", "$b"]]],
  ["a list that grows", "a = append(a, b)", [["=", "$a", ["list", "$a", "$b"]]]],
  ["a format", 'a := fmt.Sprintf("b %s", c)', [["=", "$a", ["template", "b ", "$c"]]]],
  ["a number in a format", 'a := fmt.Sprintf("%d%%", c)', [["=", "$a", ["template", ["call", "$int", "$c"], "%"]]]],
  ["a pattern", "a := regexp.MustCompile(`^b$`)", [["=", "$a", "^b$"]]],
  ["an assertion", "a := b.(C)", [["=", "$a", ["call", "$C", "$b"]]]],
  ["a loop over elements", "for _, a := range b { c(a) }", ["loop"]],
  ["an end", "panic(a)", [["call", "$panic", "$a"], "throw"]],
  ["a deferred call", "defer a.b()", [["call", [".", "$a", "b"]]]],
];

it.each(inGo)("lowers %s of Go", async (_, source, expected) => {
  const module = await lower("go", `package p\nfunc f() {\n${source}\n}`);
  expect([module.unknown, module.errors]).toEqual([0, []]);
  const [fn] = module.body;
  const [block] = fn?.kind === "function" ? fn.fn.body : [];
  expect(shape(block)).toEqual(expected);
});

it.each([
  ["in a block, where both are asked for", "a := b; { a := c; d(a) }; d(a)", ["a'0", "a"]],
  [
    "in a loop, where the next round asks for the outer one",
    "a := b; for { d(a); if c { a := c; d(a) } }",
    ["a", "a'0"],
  ],
  ["by the value that it hides", "a := b; if a := c(a); a { d(a) }; d(a)", ["a'0", "a"]],
  ["in a switch by types", "switch a := a.(type) { case T: d(a) }; d(a)", ["a'0", "a"]],
  ["for a field of that name, but not the field", "a := b; { a := c; d(T{a: a}) }; d(a)", ["a'0", "a"]],
  ["where nobody asks for the outer one again, its own", "a := b; { a := c; d(a) }", ["a"]],
  ["in a function of its own, its own", "a := b; c := func(a T) { d(a) }; d(a)", ["a", "a"]],
  ["for an outcome, its own", "err := b; if err := c; err { d(err) }; d(err)", ["err", "err"]],
])("calls a variable of Go that hides another %s", async (_, source, expected) => {
  const module = await lower("go", `package p\nfunc f(a T) {\n${source}\n}`);
  expect(module.unknown).toBe(0);
  const asked: string[] = [];
  walk(module.body, (call) => {
    if (!("kind" in call) || call.kind !== "call" || shape(call.callee) !== "$d") return;
    walk(
      call.args.map(({ value }) => value),
      (arg) => {
        if ("kind" in arg && arg.kind === "variable" && arg.name !== "T") asked.push(arg.name);
      },
    );
  });
  expect(asked).toEqual(expected);
});

it("gathers the methods of a Go type under it, and gives bare returns their results", async () => {
  const module = await lower(
    "go",
    "package p\nfunc (s *S) M(a int) (b string, err error) { return }\ntype S struct { T; c *d.E }\nfunc (o Other) N() {}",
  );
  const classes = module.body.flatMap((s) => (s.kind === "class" ? [s] : []));
  expect(classes.map((c) => [c.name, shape(c.bases), shape(c.body)])).toEqual([
    ["S", ["$~S", "$T"], [["=", "$T", "unknown"], ["=", "$c", "unknown"], "function"]],
    ["Other", ["$~Other"], ["function"]],
  ]);
  const method = classes[0]?.body.at(-1);
  const body = method?.kind === "function" ? shape(method.fn.body) : null;
  expect(body).toEqual([["=", "$b", "unknown"], ["=", "$err", "unknown"], [["return", ["list", "$b", "$err"]]]]);
});

// What PHP has a form of its own for is written in the form of all.
const inPhp: [string, string, unknown][] = [
  ["joined text", '$a = "b" . $c . "d";', [["=", "$a", ["template", "b", "$c", "d"]]]],
  ["text that grows", "$a .= $b;", [["=", "$a", ["template", "$a", "$b"]]]],
  ["a heredoc", "$a = <<<X\nb $c\nX;", [["=", "$a", ["template", "b ", "$c"]]]],
  ["a nowdoc", "$a = <<<'X'\nb $c\nX;", [["=", "$a", "b $c"]]],
  ["a format", "$a = sprintf('b %s', $c);", [["=", "$a", ["template", "b ", "$c"]]]],
  ["an element in text", '$a = "$b[c]";', [["=", "$a", ["template", ["[]", "$b", "c"]]]]],
  ["membership", "a(in_array($b, $c));", [["call", "$a", ["in", "$b", "$c"]]]],
  ["containment", "a(strpos($b, 'c') !== false);", [["call", "$a", ["call", [".", "$b", "includes"], "c"]]]],
  ["a beginning", "a(strpos($b, 'c') === 0);", [["call", "$a", ["call", [".", "$b", "startsWith"], "c"]]]],
  ["a pattern", "a(preg_match('/^b$/i', $c));", [["call", "$a", ["call", [".", "^b$", "test"], "$c"]]]],
  ["a cast", "$a = (int) $b;", [["=", "$a", ["call", "$intval", "$b"]]]],
  ["backticks", "$a = `b $c`;", [["=", "$a", ["call", "$shell_exec", ["template", "b ", "$c"]]]]],
  ["a static call", "use B\\C; C::d(1);", ["import", ["call", [".", "$B\\C", "d"], 1]]],
  ["holes in a list", "list(, $a) = $b;", [["=", ["list", "unknown", "$a"], "$b"]]],
  ["the short echo", "?><p><?= $a ?></p>", [["call", "$echo", "$a"]]],
  ["an end", "$a or die('b');", [["if", "$a", [], ["throw"]]]],
  ["a function applied", "$a = array_map('b', $c);", [["=", "$a", ["list", ["call", "$b", ["[]", "$c", null]]]]]],
];

it.each(inPhp)("lowers %s of PHP", async (_, source, expected) => {
  expect(await statementOf("php", source)).toEqual(expected);
});

describe.each(table)("%s", (_, expected, code) => {
  it.each(Object.entries(code) as [Grammar, string][])("lowers alike from %s", async (grammar, source) => {
    expect(await statementOf(grammar, source)).toEqual(expected);
  });
});

it("understands what real files are made of", async () => {
  const samples: Record<Grammar, string> = {
    javascript: `import a, { b as c } from "x"; export default class D extends a { static #e = 1; get f() { return this.#e; } *g() { yield 1; } }
      label: for (const k in o) { if (!k) continue label; } for await (const v of w) {} switch (a) { case 1: b(); default: c() }
      try { throw new Error() } catch {} finally {} tag\`x\${y}\`; a ||= b?.c?.[d]; delete a[b]; void 0; export { c as z }; async () => { await x };`,
    tsx: `import type { T } from "t"; enum E { A } abstract class F<T> implements G { constructor(private readonly h: H) { super(); } @I() j(@K() l?: string): void {} }
      namespace N { export const o = 1 } type P = { q: number }; const r = <T,>(s: T): T => s!; declare module "u"; export const v = <div a="b" {...c}>{d}<e /></div>; let w = x satisfies Y;`,
    python: `from a import (b, c as d)\nimport e.f\nclass G(H, metaclass=I):\n    j: int = 1\n    @property\n    async def k(self, *l, m=1, **n) -> str:\n        async with o() as p, q:\n            return await r\n        yield from s\ndef t(u, /, v, *, w): pass\nx = [y for y in z if y]; a = {**b, 'c': 1}; d = lambda *e: e; f = g[1:2, ...]; assert h, i; del j; global k\ntry: pass\nexcept (L, M) as n: raise O from n\nelse: pass\nfinally: pass\nmatch p:\n    case {"q": r}: pass\n    case [s, *t]: pass\n    case U(v=1) | None: pass\n    case _ if w: pass\nprint(f"{x!r:>{y}}" "z", a if b else c, not d, (e := 1), a < b <= c)\n`,
    java: `package a; import b.*; import static c.D.e; @F(g = 1) public final class H<T extends I> extends J implements K { private static final int[] L = {1}; static { m(); } { n(); }
      H(int... o) { super(o); } @P Q r(final S s) throws T { for (int i = 0, j = 1; i < 2; i++) {} for (var u : v) {} do { break; } while (w); try (X x = y(); z) {} catch (A | B e) {} finally {}
      int f = switch (g) { case 1, 2 -> 3; default -> { yield 4; } }; Runnable h = () -> i(); J k = L::m; Object n = new O() { void p() {} }; if (q instanceof R s && !t) { synchronized (u) {} } assert v : w; x[0] = (int) y; return this.<T>z(String.class); } enum AA { B(1) { void c() {} }; } record DD(int e) {} interface FF { int G = 1; default void h() {} } }`,
    go: `package a; import ("b"; c "d/e"; . "f"; _ "g"); const (H = iota; I); var j, k = 1, "l"; type M[T any] struct { n int; *N; o func(p ...int) \`json:"q"\` }
      type R interface { S(t T) (u U, err error); ~int | V }; type W = X; type Y map[string][]Z; func (m *M[T]) aa(bb, cc int, dd ...string) (ee int, ff error) { defer func() { recover() }(); go gg(); return }
      func hh() { for i := 0; i < 3; i++ { continue }; for { break }; for k, v := range m { _ = v[k:1]; }; for range c { }; if x, ok := y.(Z); ok && !x { } else if a == b { }
      switch x := y; x { case 1, 2: fallthrough; default: }; switch z := q.(type) { case int, *N: z++; case nil: default: }; switch { case a > 1: }; select { case m := <-c: m(); case d <- 1: default: }
      l: for { goto l; break l }; a, b = b, a; a <<= 2; var s []int; s = append(s, 1, 2); p := &M[int]{n: 1, o: nil}; q := [...]int{1, 2}; r := map[P]Q{{1}: {2}}; u := []byte("v"); w := *p; f := func(x int) int { return ^x }; make(chan int, 1); new(T); ch <- 'x'; var e struct { f int }; g := 0x1F + 1_000 + 2.5 + 3i; _ = interface{}(g); h(i...); n[int](1) }`,
    php: `<?php namespace A; use B\\C as D, E; use F\\{G, H as I}; use function J\\k; declare(strict_types=1);
      #[L(1, m: 'n')] abstract class N extends \\O\\P implements Q { use R; const S = self::T; public ?int $u = 1, $v; abstract function w(); function __construct(private D $x, &...$y) { parent::__construct(); static::$z['a']->b ??= 1; } }
      enum AA: string { case A = 'a'; } interface BB {} trait CC { static function d() { yield 1 => 2; yield from $e; } } if ($a): b(); elseif ($c): ?><p><?= $d ?></p><?php else: endif;
      foreach ($a as $k => [$b, 'c' => $d]) { continue 2; } for ($i = 0; $i < 2; $i++): endfor; do { break; } while (!$a); switch ($a) { case 1: b(); default: } try { throw new E("x {$a['b']} \${c} $d->e"); } catch (F | \\G) {} finally { unset($a[1]); }
      $f = fn(int|string $a = null) => $a <=> $b; $g = function () use (&$c): void { global $h; static $i = 1; }; $j = match (true) { $a, $b => 1, default => throw $e }; $k = new class($a) extends M { }; list('a' => $n) = [...$o, 'p' => &$q];
      $r?->s()?->t; $u::v(...); $w->{'x' . $y}(); \${'z'} = @$a['b'] ?: clone $c; echo <<<X
        a {$b} \\n
        X, PHP_EOL; include __DIR__ . "/a.php"; goto x; x: exit(1);`,
  };
  for (const [grammar, source] of Object.entries(samples) as [Grammar, string][]) {
    const module = await lower(grammar, source);
    expect([grammar, module.errors.length, module.unknown]).toEqual([grammar, 0, 0]);
  }
});

it("keeps the decorators of a class that stand before its export", async () => {
  const sources = ["@A(1) @B export class C {}", "@A(1) export default class C {}", "export @A(1) class C {}"];
  const decorators = await Promise.all(
    sources.map(async (source) => {
      const [first] = (await lower("tsx", source)).body;
      return first?.kind === "class" ? shape(first.decorators) : first;
    }),
  );
  const a = ["call", "$A", 1];
  expect(decorators).toEqual([[a, "$B"], [a], [a]]);
});

it("takes the annotations in doc comments of PHP for decorators", async () => {
  const source = `<?php use A\\B; use C as D;
    /** Text, and somebody@example.org.
     * @B("x", m = {"G", "H"}, n={"k"="v ""w""", "l": 2}, o=true, p=@D\\E(B::F))
     * @param string $a @B
     * @Unknown("x") @B @D("}", {
     */
    function f($a) {}
    /* @B */ function g() {}
    /** @B */ $x = 1; function h() {}`;
  const functions = (await lower("php", source)).body.flatMap((one) => (one.kind === "function" ? [one.fn] : []));
  expect(functions.map(({ name, decorators }) => [name, decorators.map((d) => shape(d))])).toEqual([
    [
      "f",
      [
        [
          "call",
          "$A\\B",
          "x",
          ["list", "G", "H"],
          ["map", ["k", 'v "w"'], ["l", 2]],
          true,
          ["call", "$C\\E", [".", "$A\\B", "F"]],
        ],
        ["call", "$A\\B"],
        ["call", "$A\\B"],
        ["call", "$C", "}", ["list"]],
      ],
    ],
    ["g", []],
    ["h", []],
  ]);
});

it("takes what is set to true on a method of Python for a decorator", async () => {
  const source =
    "class A:\n    @b\n    def f(self): pass\n    f.open = True\n    f.text = 'x'\n    def g(self): pass\n";
  const [first] = (await lower("python", source)).body;
  const decorators = (first?.kind === "class" ? first.body : []).flatMap((member) =>
    member.kind === "function" ? [member.fn.decorators.map((d) => shape(d))] : [],
  );
  expect(decorators).toEqual([["$b", [".", "$f", "open"]], []]);
});
