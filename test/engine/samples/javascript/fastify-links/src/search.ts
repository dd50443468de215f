import type { FastifyReply, FastifyRequest } from "fastify";
import { pool } from "./pool";

export async function search(asked: FastifyRequest<{ Querystring: { term: string; back: string } }>, answer: FastifyReply) {
  // vuln: sql_injection
  const links = await pool.query(`SELECT * FROM links WHERE title LIKE '%${asked.query.term}%'`);
  // vuln: open_redirect
  if (asked.query.back) return answer.redirect(asked.query.back);
  return links;
}
