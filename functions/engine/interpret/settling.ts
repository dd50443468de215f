import type { FunctionNode } from "../ir/ir.ts";

/** Where the scope of a promise keeps what it was settled with. */
export const settledName = "<settled>";

const nowhere = { start: 0, end: 0 };

/** What a promise hands its function to settle it with: it keeps what it is given. */
export const settling: FunctionNode = {
  ...nowhere,
  name: "",
  params: [{ ...nowhere, name: "value", pattern: null, type: null, decorators: [], default: null, rest: false }],
  decorators: [],
  body: [
    {
      ...nowhere,
      kind: "expression",
      value: {
        ...nowhere,
        kind: "assign",
        to: { ...nowhere, kind: "variable", name: settledName },
        from: { ...nowhere, kind: "variable", name: "value" },
        type: null,
        declares: false,
      },
    },
  ],
  receiver: null,
  exported: false,
};
