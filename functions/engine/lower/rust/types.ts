import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** What only wraps a value: it is known as what it holds. */
const wrappers =
  /^(Option|Result|Box|Rc|Arc|Cow|Ref|RefMut|Path|Query|Form|Json|LenientForm|Data|Extension|State|TypedHeader|Strict|Lenient)$/;

/** Lists of what carries no text: what they are lists of says more than how they hold it. Bytes are any text. */
const lists = /^(Vec|VecDeque|HashSet|BTreeSet)$/;
const plain = /^([iu](16|32|64|128|size)|i8|f32|f64|bool|Uuid|NaiveDate)$/;

/** The names of the extractors of axum, actix and Rocket, when they stand with what they extract. */
export const extractors =
  /^(Path|Query|Form|Json|LenientForm|TypedHeader|Strict|Lenient|Multipart|TempFile|Bytes|RawQuery|HeaderMap)$/;

/** A type as models know it: its last name, or that of what it wraps. Null for what has none, such as tuples. */
export const typeName = (l: Lowering, node: SyntaxNode | undefined): string | null => l.nested(() => nameOf(l, node));

function nameOf(l: Lowering, node: SyntaxNode | undefined): string | null {
  switch (node?.type) {
    case "type_identifier":
    case "primitive_type":
    case "identifier":
      return l.textOf(node);
    case "scoped_type_identifier":
    case "scoped_identifier":
      return typeName(l, childIn(node, "name"));
    case "reference_type":
    case "pointer_type":
      return typeName(l, childIn(node, "type"));
    // `dyn Store`, `impl Store`: any type that has what the trait asks for.
    case "dynamic_type":
    case "abstract_type":
      return traitName(l, childIn(node, "trait"));
    case "bounded_type":
      return typeName(l, node.children[0]);
    case "generic_type": {
      const name = typeName(l, childIn(node, "type"));
      const [inner] = typeArguments(node);
      const element = name && inner && lists.test(name) ? typeName(l, inner) : null;
      if (element && plain.test(element)) return `List<${element}>`;
      return name && inner && wrappers.test(name) ? typeName(l, inner) : name;
    }
    default:
      return null;
  }
}

/** Of what the language itself asks for, the value tells more than the trait. */
const ofLanguage =
  /^(Into|From|TryInto|TryFrom|AsRef|AsMut|Borrow|Deref|Fn|FnMut|FnOnce|Iterator|IntoIterator|DoubleEndedIterator|ToString|Display|Debug|Error|Future|Stream|Read|Write|BufRead|AsyncRead|AsyncWrite|Any|Send|Sync|Clone|Copy|Hash|Eq|PartialEq|Ord|PartialOrd|Default|Sized|ToOwned|FromStr)$/;

function traitName(l: Lowering, trait: SyntaxNode | undefined): string | null {
  const name = typeName(l, trait);
  return name === null || ofLanguage.test(name) ? null : name;
}

export const typeArguments = (node: SyntaxNode): SyntaxNode[] =>
  (childIn(node, "type_arguments") ?? childOf(node, "type_arguments"))?.children.filter((c) => c.type !== "lifetime") ??
  [];

/** The outermost name of a type. */
export const outerName = (l: Lowering, node: SyntaxNode): string =>
  typeName(l, node.type === "generic_type" ? childIn(node, "type") : node) ?? "";

/** The types of a tuple that an extractor holds: `Path<(String, u32)>`. */
export function tupleTypes(l: Lowering, node: SyntaxNode | undefined): (string | null)[] {
  if (node?.type === "generic_type") return l.nested(() => tupleTypes(l, typeArguments(node)[0])) ?? [];
  return node?.type === "tuple_type" ? node.children.map((c) => typeName(l, c)) : [];
}
