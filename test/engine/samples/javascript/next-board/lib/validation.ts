import { z } from "zod";

export const postSchema = z.object({ title: z.string(), body: z.string() });

export function isAllowedHost(url: string): boolean {
  const { hostname } = new URL(url);
  return ["img.example.com", "cdn.example.com"].includes(hostname);
}
