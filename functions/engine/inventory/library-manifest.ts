import type { LinkRecord } from "../artefact.ts";

/** What the manifest of a package says to other files: what it is imported as, and whether others than the application install it. */
export function manifestLinks(path: string, text: string): Pick<LinkRecord, "library" | "package"> {
  if (!/(^|\/)package\.json$/.test(path)) return {};
  const manifest = parsed(text);
  if (typeof manifest !== "object" || manifest === null) return {};
  const { name, private: unpublished, main, module, exports, scripts } = manifest as Record<string, unknown>;
  if (typeof name !== "string") return {};
  // `npm init` gives every folder a main file; what is started is no library.
  const isStarted = typeof scripts === "object" && scripts !== null && ("start" in scripts || "dev" in scripts);
  const isLibrary = unpublished !== true && !isStarted && Boolean(main ?? module ?? exports);
  return {
    package: { name, main: typeof main === "string" ? main : "" },
    ...(isLibrary && { library: true as const }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
