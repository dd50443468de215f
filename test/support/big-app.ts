/** Many files of plausible code, enough for a scan of several chunks; every tenth file has one SQL injection at line 6. */
export function bigApp(files: number): Record<string, string> {
  const names = Array.from({ length: files }, (_, n) => n);
  return Object.fromEntries(
    names.map((n) => [`part${n % 20}/module_${n}.py`, n % 10 === 0 ? vulnerable(n) : plain(n)]),
  );
}

export const vulnerableFiles = (files: number): string[] =>
  Object.entries(bigApp(files))
    .filter(([, text]) => text.includes("execute("))
    .map(([path]) => path)
    .toSorted();

const vulnerable = (n: number) => `from flask import request
import sqlite3

def handler_${n}():
    cursor = sqlite3.connect("a.db").cursor()
    cursor.execute("SELECT * FROM t${n} WHERE a = '" + request.args["a"] + "'")
    return cursor.fetchall()
`;

const plain = (n: number) =>
  Array.from(
    { length: 30 },
    (_, i) => `def function_${n}_${i}(a, b):
    total = 0
    for item in a:
        if item > b:
            total += item * ${i}
    return total
`,
  ).join("\n");
