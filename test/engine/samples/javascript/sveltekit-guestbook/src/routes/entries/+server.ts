import { json } from "@sveltejs/kit";
import { db } from "$lib/db";

export async function GET({ url, params, fetch }) {
  const like = url.searchParams.get("like");
  // vuln: sql_injection
  const rows = await db.query(`SELECT * FROM entries WHERE text LIKE '%${like}%' AND book = '${params.book}'`);
  // safe: sql_injection
  const mine = await db.query("SELECT * FROM entries WHERE book = $1", [params.book]);
  // vuln: ssrf
  const preview = await fetch(url.searchParams.get("preview"));
  // safe: ssrf
  const other = await fetch(`/api/books/${params.book}`);
  return json({ rows, mine, preview, other });
}

export const POST = async ({ request, cookies }) => {
  const { text } = await request.json();
  // vuln: sql_injection
  await db.query(`INSERT INTO entries (text, theme) VALUES ('${text}', '${cookies.get("theme")}')`);
  return json({ ok: true });
};
