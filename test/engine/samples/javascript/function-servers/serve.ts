import { pool } from "./pool";

Deno.serve(async (req) => {
  const { name } = await req.json();
  // vuln: sql_injection
  const room = await pool.query(`SELECT * FROM rooms WHERE name = '${name}'`);
  // safe: sql_injection
  const same = await pool.query("SELECT * FROM rooms WHERE name = $1", [name]);
  return Response.json({ room, same });
});
