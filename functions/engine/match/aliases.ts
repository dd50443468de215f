import { childIn, type SyntaxNode } from "../parse/syntax.ts";
import type { FileUnderMatch } from "./file-under-match.ts";
import { peeled, requiredModule, staticText } from "./syntax-forms.ts";

/** The qualified names that names of a file stand for, and the modules that it imports as a whole. */
export interface Aliases {
  readonly names: ReadonlyMap<string, string>;
  readonly opened: readonly string[];
}

/** The same while they are collected. */
interface Imports {
  readonly names: Map<string, string>;
  readonly opened: string[];
}

/** What the imports of a file say. The types of nodes tell the languages apart: each finds nothing in a file of another. */
export function aliasesOf(file: FileUnderMatch): Aliases {
  const imports: Imports = { names: new Map(), opened: [] };
  for (const read of [pythonImports, javascriptImports, requiredModules, javaImports, goImports]) read(file, imports);
  return imports;
}

function pythonImports(file: FileUnderMatch, { names, opened }: Imports): void {
  for (const { children } of file.ofGroup("import_statement"))
    for (const child of children)
      if (child.type === "aliased_import")
        names.set(written(file, childIn(child, "alias")), written(file, childIn(child, "name")));
  for (const node of file.ofGroup("import_from_statement")) {
    const module = written(file, childIn(node, "module_name"));
    for (const child of node.children) {
      if (child.type === "wildcard_import") opened.push(module);
      if (child.field !== "name") continue;
      const name = written(file, childIn(child, "name") ?? child);
      names.set(written(file, childIn(child, "alias")) || name, `${module}.${name}`);
    }
  }
}

function javascriptImports(file: FileUnderMatch, { names }: Imports): void {
  for (const statement of file.ofGroup("import_statement")) {
    const source = childIn(statement, "source");
    const module = source ? quoted(file, source).replace(/^node:/, "") : "";
    const clauses = statement.children.filter(({ type }) => type === "import_clause");
    for (const child of clauses.flatMap(({ children }) => children)) {
      if (child.type === "identifier") names.set(written(file, child), module);
      if (child.type === "namespace_import") names.set(written(file, child.children[0]), module);
      for (const one of child.type === "named_imports" ? child.children : []) {
        const name = written(file, childIn(one, "name"));
        names.set(written(file, childIn(one, "alias")) || name, `${module}.${name}`);
      }
    }
  }
}

/** `const fs = require("fs")`, whole or taken apart. */
function requiredModules(file: FileUnderMatch, { names }: Imports): void {
  for (const node of file.ofGroup("variable_declarator")) {
    const value = childIn(node, "value");
    const module = value ? requiredModule(peeled(value), file.text) : null;
    const target = childIn(node, "name");
    if (module === null || !target) continue;
    if (target.type === "identifier") names.set(written(file, target), module);
    for (const one of target.type === "object_pattern" ? target.children : []) {
      const key = written(file, childIn(one, "key") ?? one);
      names.set(written(file, childIn(one, "value") ?? one), `${module}.${key}`);
    }
  }
}

function javaImports(file: FileUnderMatch, { names, opened }: Imports): void {
  for (const { children } of file.ofGroup("import_declaration")) {
    const path = written(
      file,
      children.find(({ type }) => /^(scoped_)?identifier$/.test(type)),
    );
    if (children.some(({ type }) => type === "asterisk")) opened.push(path);
    else if (path) names.set(path.slice(path.lastIndexOf(".") + 1), path);
  }
}

/** Go knows a package by the last part of its path, and so do patterns. */
function goImports(file: FileUnderMatch, { names }: Imports): void {
  for (const node of file.ofGroup("import_spec")) {
    const path = quoted(file, childIn(node, "path") ?? node).replace(/\/v\d+$/, "");
    const alias = written(file, childIn(node, "name"));
    if (path && alias) names.set(alias, path.slice(path.lastIndexOf("/") + 1));
  }
}

/** A name as it is written, over lines or not. */
const written = (file: FileUnderMatch, node: SyntaxNode | undefined): string =>
  node ? file.textOf(node).replace(/\s+/g, "") : "";

const quoted = (file: FileUnderMatch, literal: SyntaxNode): string => staticText(literal, file.text) ?? "";
