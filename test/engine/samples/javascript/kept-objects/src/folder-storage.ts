import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Storage } from "./storage";

export class FolderStorage implements Storage {
  constructor(private readonly folder: string) {}

  read(name: string): Promise<Buffer> {
    // vuln: path_traversal
    return readFile(this.placeOf(name));
  }

  readPlain(name: string): Promise<Buffer> {
    // safe: path_traversal
    return readFile(this.placeOf(path.basename(name)));
  }

  private placeOf(name: string): string {
    return path.join(this.folder, name);
  }
}
