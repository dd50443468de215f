import type { Expression, Statement } from "../../ir/ir.ts";
import { append } from "../../multimap.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { functionsIn, membersOf } from "./declarations.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";
import { typeName } from "./types.ts";

/** The lengths are bounded, so that no text takes long. */
const handed = /\b(?:post|put|patch|delete|any|to)\((?:\w{1,99}::){0,4}(\w{1,99})\)/g;

/**
 * Rust up to the 2024 edition. Names stand with what owns them and nothing before that (`Command.new`, `fs.read`):
 * code imports at any level, and the libraries that copy each other's names mean the same by them.
 */
export class RustLowering extends Lowering {
  /** What `use` has given other names, or taken out of its module. */
  readonly used = new Map<string, readonly string[]>();
  /** The functions of all `impl` blocks by the type that they are about. */
  readonly methods = new Map<string, SyntaxNode[]>();
  /** The traits that these are of. */
  readonly traits = new Map<string, string[]>();
  /** The modules that the file itself has in it. */
  readonly modules = new Set<string>();
  /** Functions that are handed to a route: `post(create)`, `web::put().to(store)`. */
  readonly routed: ReadonlySet<string>;
  /** The type that `Self` stands for. */
  self: string | null = null;

  constructor(text: string) {
    super(text);
    this.routed = new Set([...text.matchAll(handed)].map(([, name]) => name ?? ""));
  }

  protected override program(root: SyntaxNode): Statement[] {
    this.#gather(root.children);
    const body = functionsIn(this, root.children);
    // Methods of types that another file declares.
    const alone = [...this.methods].map(([name, methods]): Statement => {
      const at = { start: methods[0]?.start ?? root.start, end: methods.at(-1)?.end ?? root.end };
      const interfaces = this.traits.get(name) ?? [];
      return {
        ...at,
        kind: "class",
        name,
        bases: [],
        interfaces,
        decorators: [],
        body: membersOf(this, name, methods),
      };
    });
    // Types and functions first: they may be used before they stand.
    const first = ({ kind }: Statement) => kind === "import" || kind === "class" || kind === "function";
    return [...body.filter(first), ...alone, ...body.filter((statement) => !first(statement))];
  }

  #gather(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) {
      const body = childIn(node, "body");
      if (node.type === "mod_item" && body) {
        this.modules.add(this.textOf(childIn(node, "name") ?? node));
        this.nested(() => this.#gather(body.children));
      }
      if (node.type !== "impl_item" || !body) continue;
      const type = typeName(this, childIn(node, "type"));
      const trait = typeName(this, childIn(node, "trait"));
      if (type && trait) append(this.traits, type, trait);
      if (type) for (const child of body.children) append(this.methods, type, child);
    }
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
