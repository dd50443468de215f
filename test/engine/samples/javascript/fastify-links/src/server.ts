import Fastify from "fastify";
import mysql from "mysql2/promise";
import axios from "axios";
import { execa, execaCommand } from "execa";

const app = Fastify();
const pool = mysql.createPool({ uri: process.env.DATABASE_URL });

app.get("/links/:id", async (request, reply) => {
  // vuln: sql_injection
  const [rows] = await pool.query(`SELECT * FROM link WHERE id = ${request.params.id}`);
  // safe: sql_injection
  const [same] = await pool.execute("SELECT * FROM link WHERE id = ?", [request.params.id]);
  return { rows, same };
});

app.get("/check", async (request, reply) => {
  const { url } = request.query as { url: string };
  // vuln: ssrf
  const answer = await axios.get(url);
  const host = new URL(url).hostname;
  if (host !== "links.example.com") {
    return reply.code(400).send({ error: "host" });
  }
  return { status: answer.status };
});

app.get("/status/:code", async (request) => {
  // safe: ssrf
  const answer = await axios.get("https://status.example.com/" + request.params.code);
  return { status: answer.status };
});

app.get("/page", async (request, reply) => {
  reply.type("text/html");
  // vuln: xss
  return reply.send(`<h1>${request.query.title}</h1>`);
});

app.get("/data", async (request, reply) => {
  // safe: xss
  return reply.send({ title: request.query.title });
});

app.get("/out", async (request, reply) => {
  // vuln: open_redirect
  return reply.redirect(request.query.to);
});

app.post("/archive", async (request) => {
  // vuln: command_injection
  await execaCommand(`archive ${request.body.url}`, { shell: true });
  // safe: command_injection
  await execa("archive", [request.body.url]);
  return { ok: true };
});

app.listen({ port: 3000 });
