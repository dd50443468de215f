import { describe, expect, it } from "vitest";
import { Expressions, type Scope } from "../../lib/local/states/expressions.ts";

const expressions = new Expressions({ now: () => Date.parse("2030-01-02T03:04:05Z"), random: () => 0.5 });
const scope: Scope = {
  variables: ['{"a":1,"b":2}', '{"b":3}'],
  input: '{"list":[1,2,3],"text":"x"}',
  result: '{"ok":true}',
  context: () => '{"Execution":{"Name":"E"},"State":{"Name":"S"}}',
  executionInput: '{"n":7}',
};
const evaluate = (text: string, within: Partial<Scope> = {}) =>
  JSON.parse(expressions.evaluate({ Output: `{% ${text} %}` }, { ...scope, ...within }).Output);

describe("what an expression sees", () => {
  it.each([
    ["$states.input.list[1]", 2],
    ["$states.result.ok", true],
    ["$states.context.State.Name", "S"],
    ["$states.context.Execution", { Name: "E", Input: { n: 7 } }],
    ["$a + $b", 4],
    ["$keys($states)", ["input", "result", "context"]],
    ["$exists($states.errorOutput)", false],
    ["$now()", "2030-01-02T03:04:05.000Z"],
    ["$millis()", Date.parse("2030-01-02T03:04:05Z")],
  ])("%s", (text, value) => expect(evaluate(text)).toEqual(value));
});

describe("the functions that Step Functions adds", () => {
  it.each([
    ["$partition([1..7], 3)", [[1, 2, 3], [4, 5, 6], [7]]],
    ["$range(0, 10, 5)", [0, 5, 10]],
    ["$range(3, 1, -1)", [3, 2, 1]],
    ["$range(5, 1, 1)", []],
    ["$hash('abc', 'MD5')", "900150983cd24fb0d6963f7d28e17f72"],
    ["$hash('abc', 'SHA-1')", "a9993e364706816aba3e25717850c26c9cd0d89d"],
    ["$hash('abc', 'SHA-256')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["$length($hash('abc', 'SHA-384'))", 96],
    ["$length($hash('abc', 'SHA-512'))", 128],
    ["$random()", 0.5],
    ["$random(7) = $random(7)", true],
    ["$random(7) = $random(8)", false],
    ["$contains($uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)", true],
    ["$uuid() = $uuid()", false],
    ["$parse('{\"n\": [1]}').n", [1]],
    ["$pad('a', -3, '.')", "..a"],
  ])("%s", (text, value) => expect(evaluate(text)).toEqual(value));
});

describe("what is refused with States.QueryEvaluationError", () => {
  it.each([
    ["nothing", "$states.input.nothing", "returned nothing"],
    ["a name without a variable", "list", "returned nothing"],
    ["a function", "$sum", "function"],
    ["a lambda", "function($x) { $x }", "function"],
    ["a function inside", "{ 'f': $sum }", "function"],
    ["a type error", "1 + 'a'", "T2002"],
    ["an unknown function", "$nope()", "T1006"],
    ["$eval", "$eval('1')", "$eval"],
    ["a bad argument", "$partition([1], 0)", "$partition"],
    ["an unknown algorithm", "$hash('a', 'CRC32')", "CRC32"],
    ["text that is no JSON", "$parse('{')", "threw an error"],
    ["a deliberate error", "$error('mine')", "mine"],
  ])("%s", (_, text, words) => {
    expect(() => evaluate(text)).toThrow(words);
    expect(() => evaluate(text)).toThrow("States.QueryEvaluationError");
  });

  it("names the field, wherever it is", () => {
    const fields = { Arguments: { a: [1, { b: "{% $nothing %}" }] } };
    expect(() => expressions.evaluate(fields, scope)).toThrow("'Arguments/a[1]/b'");
  });
});

describe("the budget of an expression", () => {
  const impatient = new Expressions({ now: Date.now, random: Math.random, budgetMilliseconds: 300 });
  const run = (text: string) => impatient.evaluate({ Output: `{% ${text} %}` }, scope).Output;

  it.each([
    ["endless recursion in the tail", "($f := function($n) { $f($n + 1) }; $f(0))", "took too long"],
    ["endless recursion", "($f := function($n) { $f($n + 1) + 1 }; $f(0))", "D1011"],
    ["a regex that backtracks", "$match($pad('', 60, 'a') & 'b', /(a+)+c/)", "took too long"],
    ["a quadratic native function", "$distinct([1..90000].($string($)))", "took too long"],
    ["a long sequence", "[1..1000000]", "D2015"],
    ["a long range", "$range(1, 1000000000, 1)", "at most"],
  ])("stops %s, and the next expression runs as ever", (_, text, words) => {
    expect(() => run(text)).toThrow(words);
    expect(run("1 + 1")).toBe("2");
  });

  it("caps what $pad makes", () => {
    expect(run("$length($pad('', 1000000000))")).toBe("200000");
  });
});

it("leaves no trace of one evaluation in another", () => {
  expect(evaluate("($leak := 1; $leak)")).toBe(1);
  expect(evaluate("$exists($leak)")).toBe(false);
  expect(JSON.parse(expressions.evaluate({ Output: { __proto__: null, text: "{% 1 %}" } }, scope).Output)).toEqual({
    text: 1,
  });
});
