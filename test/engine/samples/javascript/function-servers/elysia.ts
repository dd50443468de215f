import { Elysia } from "elysia";
import { pool } from "./pool";

export const app = new Elysia()
  .get("/rooms/:id", async ({ params: { id }, query, redirect }) => {
    // vuln: sql_injection
    const room = await pool.query(`SELECT * FROM rooms WHERE id = '${id}'`);
    // vuln: open_redirect
    return room ?? redirect(query.back);
  })
  .post("/rooms", async ({ body }) => {
    // vuln: sql_injection
    await pool.query(`INSERT INTO rooms (name) VALUES ('${body.name}')`);
    // safe: sql_injection
    await pool.query("INSERT INTO rooms (name) VALUES ($1)", [body.name]);
  });
