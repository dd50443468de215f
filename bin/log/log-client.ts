import * as z from "zod";
import type { Language } from "../../functions/platform/language.ts";
import { RunItemPage } from "../../functions/runs/list-run-items.ts";
import { RunView } from "../../functions/runs/run-view.ts";
import { CannotScan } from "../scan/cannot-scan.ts";
import type { Transport } from "../scan/transport.ts";
import { reasonIn } from "./texts.ts";

const runsAtOnce = 100;
const itemsAtOnce = 1000;

/** The operations of the service that the log tool needs. */
export class LogClient {
  readonly #transport: Transport;
  readonly #language: Language;
  readonly #signal: AbortSignal;

  constructor(transport: Transport, language: Language, signal: AbortSignal) {
    this.#transport = transport;
    this.#language = language;
    this.#signal = signal;
  }

  /** All runs that the caller may see, newest first. */
  async *runs(): AsyncGenerator<RunView> {
    for (let skip = 0; ; skip += runsAtOnce) {
      const { body, total } = await this.#get("/runs", z.array(RunView), { skip, limit: runsAtOnce });
      yield* body;
      if (body.length === 0 || skip + body.length >= total) return;
    }
  }

  /** A run by its id or name, with whatever the service says about it. @throws CannotScan when there is none or more than one */
  async run(idOrName: string): Promise<RunView> {
    const { body } = await this.#get(`/runs/${await this.#idOf(idOrName)}`, z.looseObject(RunView.shape));
    return body;
  }

  /**
   * The items of a run, page by page.
   * @param to the offset behind the last one
   */
  async *pages(id: string, range: { from: number; to: number; data: boolean }): AsyncGenerator<RunItemPage> {
    for (let from = range.from; from < range.to; ) {
      const limit = Math.min(itemsAtOnce, range.to - from);
      const query = { from, limit, data: String(range.data) };
      const { body } = await this.#get(`/runs/${id}/items`, RunItemPage, query);
      // A service that does not get on would keep us for ever.
      if (body.next_offset <= from) throw new CannotScan("service_strange", { url: this.#transport.url, status: 200 });
      yield body;
      from = body.next_offset;
    }
  }

  async #idOf(idOrName: string): Promise<string> {
    if (z.uuid().safeParse(idOrName).success) return idOrName;
    const named: string[] = [];
    for await (const { id, name } of this.runs()) if (name === idOrName) named.push(id);
    const [id, second] = named;
    if (id === undefined) throw this.#usage("run_unknown", idOrName);
    if (second !== undefined) throw this.#usage("run_ambiguous", named.join(", "));
    return id;
  }

  #usage(key: Parameters<typeof reasonIn>[1], given: string): CannotScan {
    return new CannotScan("usage", { reason: reasonIn(this.#language, key, given) });
  }

  #get<S extends z.ZodType>(path: string, success: S, query: Record<string, string | number> = {}) {
    return this.#transport.call({ method: "GET", path, query, success, signal: this.#signal });
  }
}
