import type { NextApiRequest, NextApiResponse } from 'next';
import mysql from 'mysql2/promise';
import { exec } from 'child_process';
export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  const conn = await mysql.createConnection({});
  const { term } = req.query;
  // vuln: sql_injection
  const [rows] = await conn.execute(`SELECT * FROM p WHERE name LIKE '%${term}%'`);
  // vuln: open_redirect
  if (req.query.next) res.redirect(req.query.next as string);
  // vuln: ssrf
  await fetch(req.body.url);
  res.status(200).json(rows);
}
