/** Whether a file is the manifest of a package that others install and call, rather than that of an application. */
export function isLibraryManifest(path: string, text: string): boolean {
  if (!/(^|\/)package\.json$/.test(path)) return false;
  const manifest = parsed(text);
  if (typeof manifest !== "object" || manifest === null) return false;
  const { name, private: unpublished, main, module, exports, scripts } = manifest as Record<string, unknown>;
  // `npm init` gives every folder a main file; what is started is no library.
  const isStarted = typeof scripts === "object" && scripts !== null && ("start" in scripts || "dev" in scripts);
  return typeof name === "string" && unpublished !== true && !isStarted && Boolean(main ?? module ?? exports);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
