import Fastify, { FastifyInstance, FastifyRequest } from 'fastify';
import Hapi from '@hapi/hapi';
import { Pool } from 'pg';
import { exec } from 'child_process';
import fs from 'fs';
import fetch from 'node-fetch';
const pool = new Pool();
const app = Fastify();
app.get<{ Querystring: { q: string } }>('/a', async (request, reply) => {
  // vuln: sql_injection
  const r = await pool.query(`SELECT * FROM t WHERE a = '${request.query.q}'`);
  // vuln: xss
  reply.type('text/html').send(`<b>${request.query.q}</b>`);
});
app.route({
  method: 'POST',
  url: '/b',
  handler: async (request: FastifyRequest<{ Body: { url: string } }>, reply) => {
    // vuln: ssrf
    await fetch(request.body.url);
    // vuln: open_redirect
    return reply.redirect(request.body.url);
  },
});
export async function routes(fastify: FastifyInstance) {
  fastify.get('/c/:f', async (req, reply) => {
    const { f } = req.params as { f: string };
    // vuln: path_traversal
    return fs.createReadStream('/data/' + f);
  });
}
