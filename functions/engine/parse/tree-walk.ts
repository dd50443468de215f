import type { Tree } from "web-tree-sitter";

/** The functions of the parser that move its cursor and say what it is at; each takes the address of the tree. */
export interface Cursor {
  /** Puts the root where a new cursor looks for the node that it begins at. */
  _ts_tree_root_node_wasm(tree: number): void;
  _ts_tree_cursor_new_wasm(tree: number): void;
  _ts_tree_cursor_delete_wasm(tree: number): void;
  _ts_tree_cursor_goto_first_child_wasm(tree: number): number;
  _ts_tree_cursor_goto_next_sibling_wasm(tree: number): number;
  _ts_tree_cursor_goto_parent_wasm(tree: number): number;
  _ts_tree_cursor_current_field_id_wasm(tree: number): number;
  _ts_tree_cursor_current_node_type_id_wasm(tree: number): number;
  _ts_tree_cursor_current_node_is_named_wasm(tree: number): number;
  _ts_tree_cursor_current_node_is_missing_wasm(tree: number): number;
  _ts_tree_cursor_start_index_wasm(tree: number): number;
  _ts_tree_cursor_end_index_wasm(tree: number): number;
}

/**
 * A walk through a tree as the parser's own `TreeCursor` does it, with what that does around every question left out. It writes the state
 * of the cursor into the parser's memory before each call and reads it back after each move, because there may be other cursors; as long
 * as this is the only one, the state stays where the parser has put it. Most of the time in which a tree was copied went there.
 */
export class TreeWalk {
  readonly #cursor: Cursor;
  readonly #tree: number;
  readonly #types: readonly string[];
  readonly #fields: readonly (string | null)[];

  constructor(cursor: Cursor, tree: Tree) {
    this.#cursor = cursor;
    this.#tree = Reflect.get(tree, 0) as number;
    this.#types = tree.language.types;
    this.#fields = tree.language.fields;
    cursor._ts_tree_root_node_wasm(this.#tree);
    cursor._ts_tree_cursor_new_wasm(this.#tree);
  }

  /** Frees what the walk took. */
  close(): void {
    this.#cursor._ts_tree_cursor_delete_wasm(this.#tree);
  }

  /** The moves say whether there was somewhere to go; where not, the walk stays. */
  toFirstChild(): boolean {
    return this.#cursor._ts_tree_cursor_goto_first_child_wasm(this.#tree) === 1;
  }

  toNextSibling(): boolean {
    return this.#cursor._ts_tree_cursor_goto_next_sibling_wasm(this.#tree) === 1;
  }

  toParent(): boolean {
    return this.#cursor._ts_tree_cursor_goto_parent_wasm(this.#tree) === 1;
  }

  /** "ERROR" for what the grammar has no name for. */
  get type(): string {
    return this.#types[this.#cursor._ts_tree_cursor_current_node_type_id_wasm(this.#tree)] || "ERROR";
  }

  /** The field of its parent that the node fills. */
  get field(): string | null {
    return this.#fields[this.#cursor._ts_tree_cursor_current_field_id_wasm(this.#tree)] ?? null;
  }

  get isNamed(): boolean {
    return this.#cursor._ts_tree_cursor_current_node_is_named_wasm(this.#tree) === 1;
  }

  get isMissing(): boolean {
    return this.#cursor._ts_tree_cursor_current_node_is_missing_wasm(this.#tree) === 1;
  }

  /** In UTF-16 units. */
  get start(): number {
    return this.#cursor._ts_tree_cursor_start_index_wasm(this.#tree);
  }

  get end(): number {
    return this.#cursor._ts_tree_cursor_end_index_wasm(this.#tree);
  }
}
