/** What PHP's names mean at one place of a file: the namespace, what `use` brought in, and the class around. */
export class Names {
  namespace = "";
  readonly #classes = new Map<string, string>();
  readonly #functions = new Map<string, string>();
  readonly #around: { name: string; parent: string | null }[] = [];

  use(kind: "class" | "function" | "const", alias: string, full: string): void {
    if (kind === "const") return;
    (kind === "class" ? this.#classes : this.#functions).set(alias, full);
  }

  enterNamespace(name: string): void {
    this.namespace = name;
    this.#classes.clear();
    this.#functions.clear();
  }

  /** Runs `work` with `self` and `parent` meaning this class and its parent. */
  inside<T>(name: string, parent: string | null, work: () => T): T {
    this.#around.push({ name, parent });
    try {
      return work();
    } finally {
      this.#around.pop();
    }
  }

  /** The name of a class with its namespace; keywords name the class around. */
  classNamed(written: string): string {
    const plain = written.replace(/\s+/g, "");
    const here = this.#around.at(-1);
    if (/^(self|static)$/i.test(plain)) return here?.name ?? plain;
    if (/^parent$/i.test(plain)) return here?.parent ?? plain;
    if (plain.startsWith("\\")) return plain.slice(1);
    const [first, ...others] = plain.replace(/^namespace\\/i, "").split("\\") as [string, ...string[]];
    const used = this.#classes.get(first);
    return used === undefined ? this.declared(plain) : [used, ...others].join("\\");
  }

  /** Whether a file says where a class comes from. */
  isImported(written: string): boolean {
    return written.startsWith("\\") || this.#classes.has(written.split("\\", 1)[0] as string);
  }

  /** A function without namespace is looked for in the current one, then in the global one: the plain name serves for both. */
  functionNamed(written: string): string {
    const plain = written.replace(/\s+/g, "");
    if (plain.startsWith("\\")) return plain.slice(1);
    return plain.includes("\\") ? this.classNamed(plain) : (this.#functions.get(plain) ?? plain);
  }

  /** The full name of something declared here. */
  declared(name: string): string {
    return this.namespace ? `${this.namespace}\\${name}` : name;
  }
}
