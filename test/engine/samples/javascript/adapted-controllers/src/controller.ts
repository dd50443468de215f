export interface HttpRequest {
  query: Record<string, string>;
  body: Record<string, string>;
  params: Record<string, string>;
}
export interface Controller {
  handle(request: HttpRequest): Promise<{ statusCode: number; body: unknown }>;
}
