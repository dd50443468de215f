import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { pool } from "./pool";
import { roomQuery } from "./schemas";

const app = new Hono();

app.get("/rooms", zValidator("query", roomQuery), async (c) => {
  const { order, limit } = c.req.valid("query");
  // vuln: sql_injection
  const rooms = await pool.query(`SELECT * FROM rooms ORDER BY ${order}`);
  // safe: sql_injection
  const some = await pool.query(`SELECT * FROM rooms LIMIT ${Number(limit)}`);
  return c.json({ rooms, some });
});
