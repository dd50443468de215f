import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { operationList } from "../../functions/operations.ts";
import { fullPath } from "../../functions/platform/contract.ts";
import { invokeOperation } from "./invoke-operation.ts";

/** Serves GET operations over HTTP by their handlers in the test process, for programs that take the address of a service. */
export async function startOperationsServer() {
  const routes = operationList
    .filter(({ operation }) => operation.contract.method === "GET")
    .map(({ name, operation: { contract } }) => ({
      name,
      pattern: new RegExp(`^${fullPath(contract).replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
    }));
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, "http://localhost");
    const route = routes.find(({ pattern }) => pattern.test(pathname));
    if (!route) return response.writeHead(404).end();
    const { status, headers, body } = await invokeOperation(route.name, {
      params: { ...route.pattern.exec(pathname)?.groups },
      query: Object.fromEntries(searchParams),
      headers: {
        Authorization: request.headers.authorization ?? "",
        "Accept-Language": request.headers["accept-language"] ?? "",
      },
    });
    response.writeHead(status, headers as Record<string, string>);
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
